package watch

import (
	"time"

	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/probe/stream"
	"rentgen/ui/chart"
	"rentgen/ui/live"
)

// points is how many points of a line are asked for: one a pixel of a large
// chart on a large screen, about.
const points = 1200

// line is one line of a chart.
type line struct {
	col    live.Column
	name   string
	slot   int
	hidden bool
	fill   bool
	step   bool
	extra  bool // left out where it has no reading
}

// plot is what a chart of a board shows.
type plot struct {
	lines  []line
	unit   string
	fixed  float64
	limits func(d *chart.Data)
	marks  bool
	points int
	system bool // of the machine, not of the open card
}

// source makes the function that fills a chart from memory.
func (b *board) source(p plot) func(from, to time.Time, d *chart.Data) {
	return func(from, to time.Time, d *chart.Data) {
		gpu := b.open
		if p.system {
			gpu = ""
		}
		b.fillFor(gpu, p, from, to, d)
	}
}

func (b *board) fillFor(gpu string, p plot, from, to time.Time, d *chart.Data) {
	if p.points == 0 {
		p.points = points
	}
	l := b.host.Live()
	d.Unit, d.Fixed = p.unit, p.fixed
	step := stepOf(from, to, p.points)
	any := false
	for _, ln := range p.lines {
		s := d.Grow(ln.name, ln.slot)
		tr := l.TrackInto(live.Track{T: s.T, Min: s.Min, Max: s.Max, Mean: s.Mean}, gpu, ln.col, from, to, p.points)
		s.T, s.Min, s.Max, s.Mean = tr.T, tr.Min, tr.Max, tr.Mean
		s.Hidden, s.Fill, s.Stepped, s.Step = ln.hidden, ln.fill, ln.step, step
		empty := tr.Empty()
		if empty && ln.extra {
			d.Series = d.Series[:len(d.Series)-1]
			continue
		}
		any = any || !empty
	}
	if !any && len(p.lines) > 0 {
		if v := l.Value(gpu, p.lines[0].col); v.State != probe.OK {
			d.Missing = b.missing(gpu, v)
			return
		}
	}
	if p.limits != nil {
		p.limits(d)
	}
	for _, g := range l.Gaps(gpu, from, to) {
		d.Gaps = append(d.Gaps, chart.Gap{From: g.From.UnixMilli(), To: g.To.UnixMilli(), Reason: texts.Gap(b.w.c, string(g.Reason))})
	}
	if g, ok := b.openGap(); ok && g.To > from.UnixMilli() {
		d.Gaps = append(d.Gaps, g)
	}
	if p.marks {
		b.addBands(gpu, from, to, d)
		for _, e := range l.Events(gpu, from, to) {
			d.Marks = append(d.Marks, chart.EventMark(b.w.c, e))
		}
	}
}

// openGap is the span since the last reading while none come.
func (b *board) openGap() (chart.Gap, bool) {
	st := b.host.State()
	var reason probe.GapReason
	switch st.Phase {
	case stream.Paused:
		reason = probe.GapPaused
	case stream.Waiting, stream.Failed, stream.Off, stream.Connecting:
		reason = probe.GapLink
	case stream.Stale:
		reason = probe.GapHost
	case stream.Live:
		return chart.Gap{}, false
	}
	newest := b.host.Live().Newest()
	if newest.IsZero() {
		return chart.Gap{}, false
	}
	text := texts.Gap(b.w.c, string(reason))
	if st.Phase == stream.Stale {
		text = b.w.c.T("stream.phase.stale")
	}
	return chart.Gap{From: newest.UnixMilli(), To: b.w.p.Now().UnixMilli(), Reason: text}, true
}

// stepOf is the longest usual distance of two points of a track, in
// milliseconds. It is a second also where readings come faster: a span may hold
// both, and missing ticks are told by gaps.
func stepOf(from, to time.Time, points int) int64 {
	return max(1000, to.Sub(from).Milliseconds()/int64(points))
}
