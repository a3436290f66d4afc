package frame

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/ui/widgets"
)

// bar is the line on top: the chosen host, how it is, the log mark, what runs and
// what it costs, the alerts, language and theme.
type bar struct {
	f      *Frame
	hosts  *widgets.Button
	dot    *widgets.Dot
	words  *widget.Label
	state  *widgets.Tap
	record *fyne.Container
	mark   *widget.Label
	langs  map[texts.Lang]*widgets.Button
	theme  *widgets.Button
	purse  *purseBox
	left   *fyne.Container
	row    *fyne.Container
	box    *fyne.Container
}

func newBar(f *Frame) *bar {
	b := &bar{f: f, dot: widgets.NewDot(widgets.Off), words: widget.NewLabel(""), mark: widget.NewLabel("")}
	b.hosts = widgets.Quiet("", theme.MenuDropDownIcon(), b.menu)
	b.hosts.IconPlacement = widget.ButtonIconTrailingText
	b.state = widgets.NewTap(container.NewCenter(container.NewHBox(widgets.Gap(2, 1), container.NewCenter(b.dot), b.words)), b.explain)
	rec := widget.NewIcon(theme.NewErrorThemedResource(theme.MediaRecordIcon()))
	b.record = container.NewCenter(container.NewHBox(rec, b.mark))
	b.record.Hide()
	b.langs = make(map[texts.Lang]*widgets.Button)
	langs := container.New(layout.NewCustomPaddedHBoxLayout(0))
	for _, l := range []texts.Lang{texts.Chinese, texts.English} {
		b.langs[l] = widgets.Quiet(langMark(l), nil, func() { f.p.OnLang(l) })
		langs.Add(b.langs[l])
	}
	b.theme = widgets.Quiet("", theme.ColorPaletteIcon(), func() { f.p.OnTheme() })
	b.purse = newPurseBox(f)
	b.left = container.NewHBox(b.hosts, b.state, b.record)
	b.row = container.New(&barLayout{b.purse}, b.left, b.purse.tap, container.NewHBox(b.purse.bell, langs, b.theme))
	b.box = container.NewStack(widgets.NewGround(theme.ColorNameHeaderBackground, ""), widgets.Inset(3, b.row))
	return b
}

// langMark is how a language is named to those who read it, whatever the
// language of the window.
func langMark(l texts.Lang) string { return texts.For(l).T("frame.lang.mark") }

func (b *bar) retext() {
	for l, btn := range b.langs {
		want := widget.LowImportance
		if l == b.f.c.Lang {
			want = widget.MediumImportance
		}
		btn.Importance = want
		btn.Refresh()
	}
	b.update()
}

// chosen returns the chosen host, or what stands for none.
func (b *bar) chosen() (Host, bool) {
	id := b.f.p.Model.Chosen()
	for _, h := range b.f.p.Model.Hosts() {
		if h.ID == id {
			return h, true
		}
	}
	return Host{Name: b.f.c.T("frame.nohost")}, false
}

func (b *bar) update() {
	h, ok := b.chosen()
	s := h.Status
	changed := false
	if b.hosts.Text != h.Name {
		b.hosts.SetText(h.Name)
		changed = true
	}
	if ok == b.state.Hidden {
		b.state.Hidden = !ok
		changed = true
	}
	b.dot.Set(s.State)
	if b.words.Text != s.Words {
		b.words.SetText(s.Words)
		changed = true
	}
	if b.mark.Text != s.Record {
		b.mark.SetText(s.Record)
		b.record.Hidden = s.Record == ""
		changed = true
	}
	if changed {
		b.left.Refresh()
	}
	if b.purse.update(b.f) || changed {
		b.row.Refresh()
	}
}

// menu offers the hosts and adding one.
func (b *bar) menu() {
	var items []*fyne.MenuItem
	chosen := b.f.p.Model.Chosen()
	for _, h := range b.f.p.Model.Hosts() {
		text := h.Name
		if h.Status.Words != "" {
			text = b.f.c.T("frame.hostline", "name", h.Name, "state", h.Status.Words)
		}
		item := fyne.NewMenuItem(text, func() { b.f.p.Model.Choose(h.ID) })
		item.Checked = h.ID == chosen
		items = append(items, item)
	}
	if len(items) > 0 {
		items = append(items, fyne.NewMenuItemSeparator())
	}
	items = append(items, fyne.NewMenuItem(b.f.c.T("frame.add"), b.f.p.Model.Add))
	c := b.f.p.Window.Canvas()
	widget.ShowPopUpMenuAtRelativePosition(fyne.NewMenu("", items...), c, fyne.NewPos(0, b.hosts.Size().Height), b.hosts)
}

// explain opens the sentence behind the dot.
func (b *bar) explain() {
	h, ok := b.chosen()
	if !ok {
		return
	}
	var panel *widgets.Panel
	c := b.f.p.Window.Canvas()
	col := container.NewVBox(widgets.Words(h.Status.Sentence))
	if h.Status.Said != "" {
		said := widgets.Words(h.Status.Said)
		said.TextStyle.Monospace = true
		said.Selectable = true
		col.Add(widgets.Small(b.f.c.T("frame.said")))
		col.Add(said)
	}
	if h.Status.Next != "" {
		next := widgets.Words(h.Status.Next)
		next.TextStyle.Bold = true
		col.Add(next)
	}
	for _, n := range h.Status.Notes {
		col.Add(container.NewBorder(nil, nil, container.NewVBox(widget.NewIcon(theme.NewWarningThemedResource(theme.WarningIcon()))), nil, widgets.Words(n)))
	}
	closing := widgets.NewButton(b.f.c.T("frame.close"), nil, func() { panel.Close() })
	buttons := []fyne.CanvasObject{}
	for _, a := range h.Status.Actions {
		buttons = append(buttons, widgets.NewButton(a.Label, nil, func() {
			panel.Close()
			a.Do()
		}))
	}
	buttons = append(buttons, closing)
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: c, Title: b.f.c.T("frame.hostline", "name", h.Name, "state", h.Status.Words),
		Content: col, Buttons: buttons, Width: 520, First: closing,
	})
	panel.Show()
}
