package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"rentgen/assets/texts"
	"rentgen/probe"
)

// table writes readings for people: on a terminal it redraws the cards in
// place, elsewhere every tick adds a row a card.
type table struct {
	w       io.Writer
	c       *texts.Catalogue
	host    string
	demo    bool
	inPlace bool
	drawn   int             // rows on the screen that the next tick replaces
	rows    int             // rows since the last heading
	noted   map[string]bool // what was said once about missing metrics
	system  *probe.System   // the last one read
	ticks   uint64
}

// headEvery is after how many rows the heading is repeated.
const headEvery = 40

func newTable(w io.Writer, c *texts.Catalogue, host string, demo bool) *table {
	t := &table{w: w, c: c, host: host, demo: demo, noted: make(map[string]bool)}
	if f, ok := w.(*os.File); ok {
		t.inPlace = term.IsTerminal(int(f.Fd())) && plainTerminal(f)
	}
	return t
}

// column is one column of the table.
type column struct {
	head  string // text key
	width int
	right bool
	cell  func(t *table, at time.Time, g *probe.GPU) string
}

func metricCell(m probe.Metric) func(*table, time.Time, *probe.GPU) string {
	return func(t *table, _ time.Time, g *probe.GPU) string { return t.value(g.Get(m), m.Info().Unit) }
}

var tableColumns = []column{
	{"cli.col.time", 8, false, func(_ *table, at time.Time, _ *probe.GPU) string { return texts.Clock(at) }},
	{"cli.col.card", 5, true, func(_ *table, _ time.Time, g *probe.GPU) string { return fmt.Sprint(g.Index) }},
	{"cli.col.util", 6, true, metricCell(probe.UtilGPU)},
	{"cli.col.mem", 20, true, func(t *table, _ time.Time, g *probe.GPU) string {
		used, ok := g.Get(probe.MemUsed).Ok()
		total, ok2 := g.Get(probe.MemTotal).Ok()
		if !ok || !ok2 {
			return t.value(g.Get(probe.MemUsed), "MiB")
		}
		return texts.MiBOf(t.c, used, total)
	}},
	{"cli.col.power", 14, true, func(t *table, _ time.Time, g *probe.GPU) string {
		w, ok := g.Get(probe.Power).Ok()
		top, ok2 := g.Get(probe.PowerCap).Ok()
		if !ok || !ok2 {
			return t.value(g.Get(probe.Power), "W")
		}
		return t.c.T("format.of", "part", texts.Number(w, 0), "whole", texts.Watts(top))
	}},
	{"cli.col.temp", 7, true, metricCell(probe.Temp)},
	{"cli.col.sm", 10, true, metricCell(probe.ClockSM)},
	{"cli.col.clockmem", 10, true, metricCell(probe.ClockMem)},
}

// value is a reading for a cell, or a dash.
func (t *table) value(v probe.Value, unit string) string {
	n, ok := v.Ok()
	if !ok {
		return "–"
	}
	return texts.Value(t.c, n, unit)
}

func (t *table) message(m probe.Message) error {
	switch m := m.(type) {
	case *probe.Inventory:
		return t.inventory(m)
	case *probe.Sample:
		return t.tick(m)
	case *probe.Event:
		return t.line(t.c.T("cli.live.event", "time", texts.Clock(m.Time), "text", eventText(t.c, m)))
	case *probe.Gap:
		return t.line(t.c.T("cli.live.gap", "from", texts.Clock(m.From), "to", texts.Clock(m.To),
			"reason", texts.Gap(t.c, string(m.Reason))))
	}
	return nil
}

func (t *table) inventory(inv *probe.Inventory) error {
	var b strings.Builder
	name := t.host
	if t.demo {
		name += " " + t.c.T("cli.live.demo")
	}
	how := t.c.T("cli.live.agent")
	if inv.Source == probe.SourceSMI {
		how = t.c.T("cli.live.simple")
	}
	fmt.Fprintf(&b, "%s · %s", name, how)
	if inv.Driver != "" {
		fmt.Fprintf(&b, " · %s", t.c.T("cli.live.driver", "driver", inv.Driver))
	}
	if inv.CUDA != "" {
		fmt.Fprintf(&b, " · CUDA ≤ %s", inv.CUDA)
	}
	for _, g := range inv.GPUs {
		fmt.Fprintf(&b, "\n%d  %s", g.Index, g.Name)
		if g.Parent != "" {
			fmt.Fprintf(&b, " %s", g.Profile)
		}
		if n, ok := g.MemTotal.Ok(); ok {
			fmt.Fprintf(&b, " · %s", texts.MiB(n))
		}
	}
	t.rows = 0
	return t.line(b.String())
}

// line writes something that stays, above the rows that are redrawn.
func (t *table) line(s string) error {
	t.drawn = 0
	t.rows = 0
	_, err := fmt.Fprintln(t.w, s)
	return err
}

func (t *table) tick(s *probe.Sample) error {
	t.ticks++
	if s.System != nil {
		t.system = s.System
	}
	if err := t.notes(s); err != nil {
		return err
	}
	var b strings.Builder
	if t.inPlace && t.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\x1b[J", t.drawn)
		t.rows = 0
	}
	lines := 0
	if t.rows == 0 {
		var cells []string
		for _, col := range tableColumns {
			cells = append(cells, pad(t.c.T(col.head), col.width, col.right))
		}
		b.WriteString(strings.TrimRight(strings.Join(cells, "  "), " ") + "\n")
		lines++
	}
	for i := range s.GPUs {
		var cells []string
		for _, col := range tableColumns {
			cells = append(cells, pad(col.cell(t, s.Time, &s.GPUs[i]), col.width, col.right))
		}
		b.WriteString(strings.TrimRight(strings.Join(cells, "  "), " ") + "\n")
		lines++
		t.rows++
	}
	if t.inPlace && t.system != nil {
		b.WriteString(t.machine() + "\n")
		lines++
	}
	t.drawn = lines
	if t.rows >= headEvery && !t.inPlace {
		t.rows = 0
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

// machine is the line about the host beside the cards.
func (t *table) machine() string {
	v := func(m probe.Metric) string { return t.value(t.system.Get(m), m.Info().Unit) }
	ram := v(probe.RAMUsed)
	used, ok := t.system.Get(probe.RAMUsed).Ok()
	if limit, ok2 := t.system.Get(probe.RAMLimit).Ok(); ok && ok2 {
		ram = texts.MiBOf(t.c, used, limit)
	}
	return t.c.T("cli.live.machine", "cpu", v(probe.CPU), "busiest", v(probe.CPUBusiest), "ram", ram,
		"read", v(probe.DiskRead), "write", v(probe.DiskWrite), "rx", v(probe.NetRx), "tx", v(probe.NetTx))
}

// notes says once why a column has no numbers.
func (t *table) notes(s *probe.Sample) error {
	for i := range s.GPUs {
		g := &s.GPUs[i]
		for _, m := range []probe.Metric{probe.UtilGPU, probe.MemUsed, probe.Power, probe.Temp, probe.ClockSM, probe.ClockMem} {
			v := g.Get(m)
			if _, ok := v.Ok(); ok || v.State == probe.Pending {
				continue
			}
			text := t.c.T("cli.live.missing", "card", g.Index, "metric", texts.Metric(t.c, m.String()), "why", texts.Missing(t.c, v.State.String(), v.Raw))
			if t.noted[text] {
				continue
			}
			t.noted[text] = true
			if err := t.line(text); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *table) end(_ string, _ time.Time) error {
	if t.ticks == 0 {
		return nil
	}
	return t.line(t.c.T("cli.live.end", "n", t.ticks))
}

// pad fills s with blanks to a width in places of a terminal.
func pad(s string, width int, right bool) string {
	fill := strings.Repeat(" ", max(0, width-cells(s)))
	if right {
		return fill + s
	}
	return s + fill
}
