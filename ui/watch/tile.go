package watch

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/judge"
	"rentgen/probe"
	"rentgen/probe/stream"
	"rentgen/ui/chart"
	"rentgen/ui/live"
	"rentgen/ui/theme"
	"rentgen/ui/verdict"
	"rentgen/ui/widgets"
)

// tile is one card of several: name, two sparks, four numbers, a shape.
type tile struct {
	b       *board
	dev     probe.Device
	title   *label
	shape   *widget.Icon
	verdict theme.Verdict
	nums    []*label
	problem *label
	tap     *widgets.Tap
}

// tileMetrics are the four numbers.
var tileMetrics = []probe.Metric{probe.UtilGPU, probe.MemUsed, probe.Power, probe.Temp}

func newTile(b *board, d probe.Device) *tile {
	t := &tile{b: b, dev: d, title: truncated(newLabel()), shape: widget.NewIcon(nil), problem: truncated(newSmall())}
	t.title.TextStyle.Bold = true
	spark := func(m probe.Metric, slot int, fixed float64) *chart.Spark {
		s := chart.NewSpark(chart.SparkParams{Group: b.group, Size: fyne.NewSize(60, 22)})
		p := plot{lines: []line{b.line(m, slot)}, unit: m.Info().Unit, fixed: fixed, points: 150}
		p.lines[0].fill = true
		s.SetSource(func(from, to time.Time, data *chart.Data) {
			if m == probe.MemUsed {
				if n, ok := b.total(d.UUID).Ok(); ok {
					p.fixed = n
				}
			}
			b.fillFor(d.UUID, p, from, to, data)
		})
		return s
	}
	sparks := container.New(&even{columns: always(2), gap: 4},
		spark(probe.UtilGPU, slotUtil, 100), spark(probe.MemUsed, slotMem, 0))
	nums := container.New(&even{columns: always(len(tileMetrics)), gap: 2})
	for range tileMetrics {
		l := newSmall()
		l.Alignment = fyne.TextAlignCenter
		t.nums = append(t.nums, l)
		nums.Add(l)
	}
	t.problem.Hide()
	t.tap = widgets.NewTap(widgets.Card(2, container.NewVBox(
		container.NewBorder(nil, nil, t.shape, nil, t.title), sparks, container.NewStack(nums, t.problem),
	)), func() { b.choose(d.UUID) })
	return t
}

// fault is the kind of event that keeps the card from being read: the
// inventory's, or the newest of its own while no reading comes.
func (t *tile) fault() string {
	if t.dev.Problem != "" {
		return t.dev.Problem
	}
	if t.b.host.Live().Value(t.dev.UUID, live.Of(probe.UtilGPU)).State == probe.OK {
		return ""
	}
	kind := ""
	for _, e := range t.b.host.Live().Events(t.dev.UUID, time.Time{}, t.b.w.p.Now().Add(time.Hour)) {
		switch e.Kind {
		case probe.EventLost, probe.EventReset, probe.EventAccess, probe.EventStalled:
			kind = e.Kind
		case probe.EventBack:
			kind = ""
		}
	}
	return kind
}

// verdictOf says whether readings come and whether the card reported a fault,
// and else what Judge says of the card.
func (t *tile) verdictOf() theme.Verdict {
	if t.fault() != "" {
		return theme.Fail
	}
	if t.b.host.State().Phase != stream.Live {
		return theme.Stale
	}
	g, ok := t.b.host.Live().GPU(t.dev.UUID)
	if !ok {
		return theme.NotRun
	}
	if m := t.b.w.p.Model; m != nil {
		vs, _ := m.Verdicts(t.b.host.ID)
		if i := verdict.MainOf(vs, t.dev.UUID); i >= 0 {
			switch vs[i].Level {
			case judge.Fail:
				return theme.Fail
			case judge.Warn:
				return theme.Warn
			case judge.Good, judge.Info, judge.Unknown:
			}
		}
	}
	for _, m := range tileMetrics {
		if g.Get(m).State == probe.OK {
			return theme.Pass
		}
	}
	return theme.Warn
}

func (t *tile) update() {
	t.title.set(cardName(t.b.w.c, t.dev))
	if v := t.verdictOf(); v != t.verdict {
		t.verdict = v
		t.shape.SetResource(v.Icon())
	}
	for i, m := range tileMetrics {
		t.nums[i].set(valueText(t.b.w.c, t.b.host.Live().Value(t.dev.UUID, live.Of(m)), m))
		t.nums[i].quiet(t.b.stale)
	}
	problem := t.fault()
	if problem != "" {
		problem = t.b.w.c.T("event." + problem)
	}
	t.problem.set(problem)
	if hide := problem == ""; hide != t.problem.Hidden {
		t.problem.Hidden = hide
		t.nums[0].Hidden = !hide
		for _, n := range t.nums {
			n.Hidden = !hide
		}
		t.problem.Refresh()
	}
	t.tap.SetChosen(t.b.open == t.dev.UUID)
}
