package watch

import (
	"errors"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/ui/hosts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// away is the page while there is nothing to draw: no host, not connected, on
// the way, failed. It is rebuilt when its words change, not at every tick.
type away struct {
	w    *Place
	box  *fyne.Container
	last string
}

func newAway(w *Place) *away { return &away{w: w, box: container.NewStack()} }

func (a *away) retext() { a.last = "" }

// stages are the steps of connecting as they are listed.
var stages = []string{
	string(remote.StageResolve), string(remote.StageDial), string(remote.StageHandshake), string(remote.StageHostKey),
	string(remote.StageAuth), stream.StageBootstrap, stream.StageUpload, stream.StageStart, stream.StageFirstReading,
}

func (a *away) put(key string, build func() fyne.CanvasObject) {
	if a.last == key {
		return
	}
	a.last = key
	a.box.Objects = []fyne.CanvasObject{container.NewVScroll(widgets.Column(widgets.Scaled(620), container.NewVBox(widgets.Gap(1, 24), build())))}
	a.box.Refresh()
}

// empty says what belongs here and offers the one next action.
func (a *away) empty() {
	c := a.w.c
	a.put("empty", func() fyne.CanvasObject {
		return container.NewVBox(
			heading(c.T("watch.empty")), widgets.Words(c.T("watch.empty.what")), widgets.Gap(1, 6),
			container.NewHBox(widgets.Primary(c.T("frame.add"), fynetheme.ContentAddIcon(), a.w.p.Actions.Add)),
		)
	})
}

func heading(text string) *widget.Label {
	l := widgets.Words(text)
	l.SizeName = fynetheme.SizeNameSubHeadingText
	l.TextStyle.Bold = true
	return l
}

// show is the page of a host that has given nothing yet.
func (a *away) show(h *hosts.Host) {
	c := a.w.c
	st := h.State()
	words := hosts.WordsOf(c, st, a.w.p.Now())
	key := h.ID + "\x00" + words.Short + "\x00" + words.Sentence + "\x00" + words.Next + "\x00" + words.Said
	switch st.Phase {
	case stream.Connecting, stream.Live, stream.Stale:
		a.put(key, func() fyne.CanvasObject { return a.progress(h, st) })
	case stream.Off, stream.Waiting, stream.Failed, stream.Paused:
		a.put(key, func() fyne.CanvasObject {
			col := container.NewVBox(heading(c.T("watch.chip", "name", hosts.NameOf(c, h), "state", words.Short)), widgets.Words(words.Sentence))
			if words.Said != "" {
				said := widgets.Words(words.Said)
				said.TextStyle.Monospace = true
				said.Selectable = true
				col.Add(widgets.Small(c.T("frame.said")))
				col.Add(widgets.Card(4, said))
			}
			if words.Next != "" {
				next := widgets.Words(words.Next)
				next.TextStyle.Bold = true
				col.Add(next)
			}
			col.Add(widgets.Gap(1, 6))
			col.Add(a.buttons(h, st))
			return col
		})
	}
}

func (a *away) progress(h *hosts.Host, st stream.State) fyne.CanvasObject {
	c := a.w.c
	col := container.NewVBox(heading(c.T("watch.connecting", "name", hosts.NameOf(c, h))))
	now := slices.Index(stages, st.Stage)
	if now < 0 && st.Phase != stream.Connecting {
		now = len(stages) - 1
	}
	for i, s := range stages {
		icon := theme.NotRun.Icon()
		l := widget.NewLabel(hosts.StageText(c, s))
		switch {
		case i < now:
			icon = theme.Pass.Icon()
		case i == now:
			icon = theme.Coloured("live", theme.ColorBusy)
			l.TextStyle.Bold = true
		default:
			l.Importance = widget.LowImportance
		}
		col.Add(container.NewHBox(widget.NewIcon(icon), l))
	}
	if now < 0 {
		l := widget.NewLabel(hosts.StageText(c, st.Stage))
		l.TextStyle.Bold = true
		col.Add(container.NewHBox(widget.NewIcon(theme.Coloured("live", theme.ColorBusy)), l))
	}
	col.Add(widgets.Gap(1, 6))
	col.Add(container.NewHBox(widgets.NewButton(c.T("watch.cancel"), fynetheme.CancelIcon(), h.Leave)))
	return col
}

// buttons are what can be done about the state.
func (a *away) buttons(h *hosts.Host, st stream.State) fyne.CanvasObject {
	c := a.w.c
	row := widgets.Row()
	label := c.T("watch.retry")
	if st.Phase == stream.Off {
		label = c.T("watch.connect")
	}
	if change := ChangeOf(st.Err); change != nil && a.w.p.Actions.Replace != nil {
		row.Add(widgets.Primary(c.T("watch.changed"), nil, func() { a.w.p.Actions.Replace(h, change) }))
		row.Add(widgets.NewButton(label, nil, h.Connect))
	} else {
		row.Add(widgets.Primary(label, nil, h.Connect))
	}
	if st.Phase == stream.Waiting {
		row.Add(widgets.NewButton(c.T("watch.disconnect"), nil, h.Leave))
	}
	if editable(h) {
		row.Add(widgets.NewButton(c.T("watch.edit"), nil, func() { a.w.p.Actions.Edit(h) }))
	}
	row.Add(widgets.NewButton(c.T("watch.forget"), nil, func() { a.w.p.Actions.Forget(h) }))
	if st.Phase == stream.Failed {
		row.Add(widgets.NewButton(c.T("watch.diagnostics"), nil, a.w.p.Actions.Diagnostics))
	}
	return row
}

// editable reports whether a host has a login line that can be changed.
func editable(h *hosts.Host) bool { return h.Line != hosts.LineDemo && h.Line != hosts.LineLocal }

// ChangeOf returns both identities where a changed one stopped a connection.
func ChangeOf(err error) *remote.KeyChange {
	var e *remote.Error
	if errors.As(err, &e) && e.Kind == remote.KindHostKeyChanged {
		return e.Change
	}
	return nil
}
