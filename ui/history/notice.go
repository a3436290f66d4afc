package history

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// notice says, until it was read, that a history file was set aside.
func (w *Place) notice() {
	d := w.p.Store.Damaged()
	w.notices.RemoveAll()
	if d == nil {
		return
	}
	c := w.c
	kind := "history.aside.damaged"
	switch d.Kind {
	case "newer":
		kind = "history.aside.newer"
	case "foreign":
		kind = "history.aside.foreign"
	}
	title := widgets.Words(c.T(kind))
	title.TextStyle.Bold = true
	path := widgets.Words(d.Path)
	path.TextStyle.Monospace = true
	path.Wrapping = fyne.TextWrapBreak
	path.Selectable = true
	buttons := container.NewVBox(
		widgets.NewButton(c.T("history.aside.ok"), nil, w.acknowledge),
		widgets.Quiet(c.T("history.aside.copy"), theme.Icon("copy"), func() {
			fyne.CurrentApp().Clipboard().SetContent(d.Path)
		}))
	w.notices.Add(widgets.Card(6, container.NewBorder(nil, nil,
		container.NewVBox(widget.NewIcon(theme.Warn.Icon())), buttons,
		container.NewVBox(title, widgets.Words(c.T("history.aside.what")), path))))
}

func (w *Place) acknowledge() {
	l := loader{p: &w.p}
	ask(&l, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, w.p.Store.AcknowledgeDamage(ctx)
	}, func(_ struct{}, err error) {
		if err != nil {
			w.fail.say(w.c.T("history.fail.note"), err)
			w.fail.box.Show()
		}
		w.notice()
		w.root.Refresh()
	})
}
