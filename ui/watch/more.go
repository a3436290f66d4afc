package watch

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/probe/stream"
	"rentgen/ui/live"
	"rentgen/ui/widgets"
)

// more holds what is looked at now and then; its charts draw only while it is
// open.
type more struct {
	b      *board
	open   bool
	toggle *widgets.Button
	rate   *widgets.Select
	quiet  bool // the choice of a rate is being set by us
	charts []*gauge
	facts  []moreFact
	body   *fyne.Container
	box    *fyne.Container
}

type moreFact struct {
	m    probe.Metric
	text *label
}

func newMore(b *board) *more {
	m := &more{b: b}
	c := b.w.c
	pair := func(title string, unit string, fixed float64, x, y probe.Metric) *gauge {
		p := plot{unit: unit, fixed: fixed, lines: []line{b.line(x, 0), b.line(y, 1)}}
		return b.gauge(title, p, func() string { return pairText(c, b.get(x), b.get(y), x, y) })
	}
	m.charts = []*gauge{
		pair(c.T("watch.video"), "%", 100, probe.UtilEnc, probe.UtilDec),
		b.simple(probe.UtilMem, slotMem, nil),
		b.simple(probe.ClockMem, slotClock, nil),
		b.simple(probe.Fan, slotOwn, nil),
		b.simple(probe.TempMem, slotOther, nil),
		b.simple(probe.PState, slotUtil, nil),
		pair(c.T("watch.pcie"), "MB/s", 0, probe.PCIeTx, probe.PCIeRx),
		pair(c.T("watch.nvlink"), "MB/s", 0, probe.NVLinkTx, probe.NVLinkRx),
	}
	facts := container.New(&even{columns: func(w float32) int { return int(max(w/240, 2)) }, gap: 2, width: 960})
	for _, x := range []probe.Metric{
		probe.PCIeGen, probe.PCIeWidth, probe.NVLinkActive, probe.Energy,
		probe.ECCCorrected, probe.ECCUncorrected, probe.RetiredPages, probe.MemReserved,
	} {
		l := truncated(newSmall())
		m.facts = append(m.facts, moreFact{x, l})
		facts.Add(l)
	}
	cells := container.New(&even{columns: func(w float32) int {
		if w < 1200 {
			return 3
		}
		return 4
	}, gap: 4, width: 960})
	for _, g := range m.charts {
		g.Hide()
		cells.Add(widgets.AtLeast(fyne.NewSize(150, 104), g.Chart))
	}
	m.body = container.NewVBox(m.chooser(), facts, cells)
	m.body.Hide()
	m.toggle = widgets.Quiet(c.T("watch.more"), fynetheme.MenuExpandIcon(), m.flip)
	m.toggle.Alignment = widget.ButtonAlignLeading
	m.box = container.NewVBox(m.toggle, m.body)
	return m
}

// chooser is the choice of readings a second.
func (m *more) chooser() fyne.CanvasObject {
	c := m.b.w.c
	var rates []string
	for _, r := range stream.Rates() {
		rates = append(rates, rateText(c, r))
	}
	m.rate = widgets.NewSelect(rates, func(s string) {
		if m.quiet {
			return
		}
		for _, r := range stream.Rates() {
			if rateText(c, r) == s {
				m.b.host.SetRate(r)
			}
		}
	})
	return container.NewHBox(widget.NewLabel(c.T("watch.rate.choose")), m.rate)
}

func (m *more) flip() {
	m.set(!m.open)
	m.b.w.more = m.open
}

// set unfolds or folds it.
func (m *more) set(open bool) {
	m.open = open
	icon := fynetheme.MenuExpandIcon()
	if m.open {
		icon = fynetheme.MenuDropDownIcon()
		m.body.Show()
	} else {
		m.body.Hide()
	}
	m.toggle.SetIcon(icon)
	for _, g := range m.charts {
		if m.open {
			g.Show()
		} else {
			g.Hide()
		}
	}
	m.update()
	m.b.root.Refresh()
	m.b.group.Touch()
}

func (m *more) update() {
	if !m.open {
		return
	}
	c := m.b.w.c
	if text := rateText(c, m.b.host.Rate()); m.rate.Selected != text {
		m.quiet = true
		m.rate.SetSelected(text)
		m.quiet = false
	}
	for _, g := range m.charts {
		g.SetValue(m.b.aged(g.value()))
	}
	for _, f := range m.facts {
		v := m.b.host.Live().Value(m.b.open, live.Of(f.m))
		s := valueText(c, v, f.m)
		if why := m.b.missing(m.b.open, v); why != "" {
			s = why
		}
		f.text.set(c.T("watch.cell", "name", texts.Metric(c, f.m.String()), "value", s))
	}
}
