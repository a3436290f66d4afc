package watch

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"rentgen/probe"
	"rentgen/ui/chart"
	"rentgen/ui/live"
	"rentgen/ui/widgets"
)

// strip is the machine beside the cards: small lines with their newest value.
type strip struct {
	b     *board
	cells []stripCell
	box   *fyne.Container
}

type stripCell struct {
	name  string
	text  *label
	value func() string
}

func newStrip(b *board) *strip {
	s := &strip{b: b}
	c := b.w.c
	sys := func(m probe.Metric) probe.Value { return b.host.Live().Value("", live.Of(m)) }
	row := container.New(&even{columns: always(5), gap: 8})
	cell := func(name string, value func() string, fixed float64, ms ...probe.Metric) {
		p := plot{unit: ms[0].Info().Unit, fixed: fixed, system: true, points: 150}
		for i, m := range ms {
			p.lines = append(p.lines, b.line(m, i))
		}
		spark := chart.NewSpark(chart.SparkParams{Group: b.group, Size: fyne.NewSize(60, 22)})
		spark.SetSource(b.source(p))
		t := truncated(newSmall())
		s.cells = append(s.cells, stripCell{name: name, text: t, value: value})
		row.Add(container.NewBorder(t, nil, nil, nil, spark))
	}
	one := func(m probe.Metric) func() string { return func() string { return valueText(c, sys(m), m) } }
	two := func(a, z probe.Metric) func() string {
		return func() string { return pairText(c, sys(a), sys(z), a, z) }
	}
	cell(b.name(probe.CPU), one(probe.CPU), 100, probe.CPU)
	cell(b.name(probe.CPUBusiest), one(probe.CPUBusiest), 100, probe.CPUBusiest)
	cell(b.name(probe.RAMUsed), func() string {
		return ofText(c, sys(probe.RAMUsed), sys(probe.RAMLimit), probe.RAMUsed)
	}, 0, probe.RAMUsed)
	cell(c.T("watch.disk"), two(probe.DiskRead, probe.DiskWrite), 0, probe.DiskRead, probe.DiskWrite)
	cell(c.T("watch.net"), two(probe.NetRx, probe.NetTx), 0, probe.NetRx, probe.NetTx)
	s.box = widgets.Card(2, row)
	return s
}

func (s *strip) update() {
	for _, c := range s.cells {
		c.text.set(s.b.w.c.T("watch.cell", "name", c.name, "value", c.value()))
		c.text.quiet(s.b.stale)
	}
}
