package history

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/store"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// other is the log that the open one is compared with.
type other struct {
	log   store.Recording
	align alignment
}

// shift is what is added to the other log's times to lie on the open log's.
func (o *other) shift(open *store.Recording) time.Duration {
	return shift(open.From, o.log.From, o.align, time.Local)
}

// comparison is the line that says what the open log is compared with.
type comparison struct {
	b     *board
	name  *widget.Label
	align *widgets.Select
	says  *widget.Label
	box   *fyne.Container
}

func newComparison(b *board) *comparison {
	c := b.w.c
	k := &comparison{b: b, name: widgets.Small(""), says: widgets.Words("")}
	k.name.Truncation = fyne.TextTruncateEllipsis
	names := []string{c.T("history.compare.start"), c.T("history.compare.day")}
	k.align = widgets.NewSelect(names, nil)
	k.align.SetSelectedIndex(int(alignStart))
	k.align.OnChanged = func(string) {
		if b.other != nil && alignment(k.align.SelectedIndex()) != b.other.align {
			b.other.align = alignment(k.align.SelectedIndex())
			b.compared()
		}
	}
	end := widgets.Quiet(c.T("history.compare.end"), theme.Icon("fail"), func() { b.compare(nil) })
	k.box = container.NewVBox(container.NewBorder(nil, nil, nil, container.NewHBox(roomy(names, k.align), end), k.name), k.says)
	k.says.Hide()
	k.box.Hide()
	return k
}

// compare lays another log over the open one; nil takes it away.
func (b *board) compare(log *store.Recording) {
	if log == nil || b.log == nil || log.From.IsZero() || log.ID == b.log.ID {
		b.other = nil
	} else {
		align := alignStart
		if b.other != nil {
			align = b.other.align
		}
		b.other = &other{log: *log, align: align}
	}
	b.compared()
}

// compared draws with the other log, or without, and asks what differs.
func (b *board) compared() {
	k := b.comparison
	k.box.Hidden = b.other == nil
	k.says.Hide()
	b.have = answer{}
	b.comparing.stop()
	if b.other != nil {
		c := b.w.c
		k.name.SetText(c.T("history.compare.with", "name", nameOf(c, &b.other.log), "span", spanOf(c, &b.other.log)))
		b.differ()
	}
	b.box.Refresh()
	b.load()
}

// differ asks what differs between the two logs.
func (b *board) differ() {
	if b.w.p.Differences == nil {
		return
	}
	one, two := *b.log, b.other.log
	ask(&b.comparing, func(ctx context.Context) ([]texts.Phrase, error) {
		return b.w.p.Differences(ctx, one, two)
	}, func(list []texts.Phrase, err error) {
		if err != nil {
			b.trouble("history.fail.compare", err)
			return
		}
		c := b.w.c
		said := make(texts.List, 0, len(list))
		for _, p := range list {
			said = append(said, c.Say(p))
		}
		text := c.T("history.compare.same")
		if len(said) > 0 {
			text = c.Say(texts.P("history.compare.differs", "list", said))
		}
		widgets.SetWords(b.comparison.says, text)
		b.comparison.says.Show()
		b.box.Refresh()
	})
}

// askCompare offers the logs that the open one can be compared with.
func (b *board) askCompare() {
	if b.log == nil {
		return
	}
	c := b.w.c
	var logs []store.Recording
	for _, l := range b.w.logs {
		if l.ID != b.log.ID && !l.From.IsZero() {
			logs = append(logs, l)
		}
	}
	var panel *widgets.Panel
	no := widgets.NewButton(c.T("history.keep.cancel"), nil, func() { panel.Cancel() })
	var content fyne.CanvasObject = widgets.Words(c.T("history.compare.none"))
	if len(logs) > 0 {
		view := &rows{}
		view.Length = func() int { return len(logs) }
		view.CreateItem = func() fyne.CanvasObject { return newLogRow() }
		view.UpdateItem = func(i widget.ListItemID, o fyne.CanvasObject) {
			if i < len(logs) {
				o.(*logRow).set(b.w, &logs[i])
			}
		}
		view.OnSelected = func(i widget.ListItemID) {
			panel.Close()
			b.compare(&logs[i])
		}
		view.ExtendBaseWidget(view)
		content = widgets.AtLeast(fyne.NewSize(420, 320), view)
	}
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: b.w.p.Window.Canvas(), Title: c.T("history.compare.title"), Content: content,
		Buttons: []fyne.CanvasObject{no}, First: no,
	})
	panel.Show()
}

// line is a line of one metric, of the open log or of the one that it is
// compared with.
type line struct {
	log   int64
	uuid  string
	name  string
	slot  int
	over  bool          // of the other log
	shift time.Duration // of its times
}

func (r *request) lines(c *texts.Catalogue, m probe.Metric) []line {
	all := linesOf(c, &r.log, r.gpus, m)
	for i := range all {
		all[i].slot = slotOf(*r, all[i].uuid, i)
	}
	if r.other == nil {
		return all
	}
	o := &r.other.log
	gpus := o.Devices
	if len(r.gpus) == 1 && len(r.log.Devices) > 1 { // one card is looked at: its peer there
		for i, d := range r.log.Devices {
			if d.UUID == r.gpus[0].UUID && i < len(gpus) {
				gpus = gpus[i : i+1]
			}
		}
	}
	peers := linesOf(c, o, gpus, m)
	for i, l := range peers {
		l.over, l.shift, l.slot = true, r.other.shift(&r.log), i
		if len(all)+len(peers) == 2 {
			l.slot = i + 1 // two lines alone can have a colour each
		}
		l.name = c.T("history.compare.line", "name", l.name, "date", texts.Date(c, o.From))
		all = append(all, l)
	}
	return all
}

func linesOf(c *texts.Catalogue, log *store.Recording, gpus []probe.Device, m probe.Metric) []line {
	if m.System() {
		return []line{{log: log.ID, name: texts.Metric(c, m.Info().Key)}}
	}
	var all []line
	for _, g := range gpus {
		all = append(all, line{log: log.ID, uuid: g.UUID, name: cardName(c, g)})
	}
	return all
}
