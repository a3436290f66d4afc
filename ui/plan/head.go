package plan

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// head is the line on top: which plan is open, what can be done with it, and
// where a job can be read from.
type head struct {
	w          *Place
	name       *widgets.Button
	undo, redo *widgets.Button
	running    *widgets.Button
	box        *fyne.Container
}

func newHead(w *Place) *head {
	h := &head{w: w}
	c := w.c
	h.name = widgets.NewButton("", fynetheme.MenuDropDownIcon(), h.menu)
	h.name.IconPlacement = widget.ButtonIconTrailingText
	h.undo = widgets.Quiet("", fynetheme.ContentUndoIcon(), w.p.Desk.Undo)
	h.redo = widgets.Quiet("", fynetheme.ContentRedoIcon(), w.p.Desk.Redo)
	file := widgets.Quiet(c.T("plan.read.file"), fynetheme.FolderOpenIcon(), w.pickWorkflow)
	h.running = widgets.Quiet(c.T("plan.read.running"), theme.Icon("live"), w.readRunning)
	guide := widgets.Quiet(c.T("plan.guide"), theme.Icon("help"), func() { w.openGuide("") })
	file.Hidden = w.p.ReadFile == nil
	h.box = container.NewHBox(h.name, h.undo, h.redo, layout.NewSpacer(), file, h.running, guide)
	h.tend()
	return h
}

// tend shows what can be pressed.
func (h *head) tend() {
	widgets.Able(h.undo, h.w.p.Desk.CanUndo())
	widgets.Able(h.redo, h.w.p.Desk.CanRedo())
	_, on := h.w.p.Host()
	hidden := !on || h.w.p.Running == nil
	if h.running.Hidden != hidden {
		h.running.Hidden = hidden
		h.box.Refresh()
	}
}

func (h *head) sync() {
	name := widgets.Short(h.w.p.Desk.Name(), 40)
	if h.name.Text != name {
		h.name.SetText(name)
		h.box.Refresh()
	}
	h.tend()
}

// menu offers the plans and what can be done with the open one.
func (h *head) menu() {
	w, c, d := h.w, h.w.c, h.w.p.Desk
	var items []*fyne.MenuItem
	for _, info := range d.Plans() {
		item := fyne.NewMenuItem(info.Name, func() { d.Open(info.ID) })
		item.Checked = info.Open
		items = append(items, item)
	}
	_, broken := d.Unreadable()
	rename := fyne.NewMenuItem(c.T("plan.rename"), w.rename)
	copied := fyne.NewMenuItem(c.T("plan.duplicate"), func() { d.Duplicate(d.ID(), c.T("plan.copy", "name", d.Name())) })
	rename.Disabled, copied.Disabled = broken != nil, broken != nil
	items = append(items, fyne.NewMenuItemSeparator(),
		fyne.NewMenuItem(c.T("plan.add"), func() { d.Add(c.T("plan.name")) }), copied, rename,
		fyne.NewMenuItem(c.T("plan.delete"), func() { d.Delete(d.ID()) }))
	widget.ShowPopUpMenuAtRelativePosition(fyne.NewMenu("", items...), w.p.Window.Canvas(), fyne.NewPos(0, h.name.Size().Height), h.name)
}

// rename asks for another name of the open plan.
func (w *Place) rename() {
	c, d := w.c, w.p.Desk
	id := d.ID()
	entry := widgets.NewEntry()
	entry.SetText(d.Name())
	var panel *widgets.Panel
	done := func() {
		panel.Close()
		d.Rename(id, entry.Text)
	}
	entry.OnSubmitted = func(string) { done() }
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: w.p.Window.Canvas(), Title: c.T("plan.rename.title"), Content: entry, First: entry,
		Buttons: []fyne.CanvasObject{
			widgets.Quiet(c.T("plan.cancel"), nil, func() { panel.Cancel() }),
			widgets.Primary(c.T("plan.rename.do"), nil, done),
		},
	})
	panel.Show()
}
