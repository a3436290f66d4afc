package plan

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// notices say what happened to the plans: deleted, not kept, unreadable, read
// from a file.
type notices struct {
	w   *Place
	box *fyne.Container
	key string // what is said, so that only something new is drawn
}

func newNotices(w *Place) *notices { return &notices{w: w, box: container.NewVBox()} }

func (n *notices) sync() {
	w, c, d := n.w, n.w.c, n.w.p.Desk
	var rows []fyne.CanvasObject
	key := ""
	add := func(id string, o fyne.CanvasObject) {
		key += id + "\x00"
		rows = append(rows, o)
	}
	if err := d.Fault(); err != nil {
		add("fault"+err.Error(), notice(theme.Fail, c.T("plan.fault"), w.words(err),
			widgets.NewButton(c.T("plan.retry"), nil, d.Retry)))
	}
	if body, err := d.Unreadable(); err != nil {
		add("broken"+d.ID(), notice(theme.Fail, c.T("plan.broken", "name", d.Name()), w.words(err),
			widgets.NewButton(c.T("plan.broken.copy"), theme.Icon("copy"), func() {
				fyne.CurrentApp().Clipboard().SetContent(string(body))
			})))
	}
	if name := d.Deleted(); name != "" {
		add("gone"+name, notice("", c.T("plan.deleted", "name", name), "",
			widgets.NewButton(c.T("plan.restore"), nil, d.Restore)))
	}
	if f := w.reader.found(d.ID()); f != nil {
		add(fmt.Sprint("found", f.n), w.foundCard(f))
	}
	if err := w.reader.err; err != nil {
		add(fmt.Sprint("unread", w.reader.n), notice(theme.Fail, c.T("plan.read.failed", "name", w.reader.name), w.words(err),
			widgets.Quiet(c.T("plan.close"), nil, func() {
				w.reader.err = nil
				w.notices.sync()
			})))
	}
	if w.reader.busy {
		bar := widget.NewLabel(c.T("plan.read.doing", "name", w.reader.name))
		add(fmt.Sprint("busy", w.reader.n), container.NewBorder(nil, nil, nil,
			widgets.Quiet(c.T("plan.stop"), nil, w.reader.stop), bar))
	}
	if key == n.key {
		return
	}
	n.key = key
	n.box.Objects = rows
	n.box.Refresh()
	w.root.Refresh()
}

// notice is a sentence with what the system said and what can be done.
func notice(v theme.Verdict, sentence, raw string, do ...fyne.CanvasObject) fyne.CanvasObject {
	text := container.NewVBox(widgets.Words(sentence))
	if raw != "" {
		said := widgets.Words(raw)
		said.TextStyle.Monospace = true
		said.Selectable = true
		text.Add(said)
	}
	var icon fyne.CanvasObject
	if v != "" {
		icon = container.NewVBox(widget.NewIcon(v.Icon()))
	}
	return widgets.Card(3, container.NewBorder(nil, nil, icon, container.NewVBox(do...), text))
}
