package history

import (
	"context"
	"math"
	"time"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/store"
	"rentgen/ui/chart"
)

// points is how many points a chart asks for: about one a pixel of a large
// screen, over twice the view, so that panning meets something.
const points = 2400

// request is all the charts need for a view.
type request struct {
	log      store.Recording
	gpus     []probe.Device // the shown cards
	metrics  []probe.Metric
	from, to time.Time // the view
	other    *other    // compared with, nil for none
	verdicts []judge.Verdict
}

// answer is what came back.
type answer struct {
	plots    []plot
	from, to time.Time // what was asked for, wider than the view
	step     time.Duration
}

// plot is the data of one chart and what it comes to over the view.
type plot struct {
	data  chart.Data
	value string
}

// chartable are the metrics that make sense as a line.
func chartable() []probe.Metric {
	var all []probe.Metric
	for _, m := range append(probe.GPUMetrics(), probe.SystemMetrics()...) {
		switch k := m.Info().Kind; {
		case m == probe.MemTotal || m == probe.RAMLimit || m == probe.PowerCap || m == probe.CPUQuota:
			// Limits: they are drawn as lines of other charts.
		case k == probe.Gauge || k == probe.Level:
			all = append(all, m)
		}
	}
	return all
}

// fetch reads what a request needs. It runs off the UI thread.
func fetch(ctx context.Context, s Store, c *texts.Catalogue, r request) (answer, error) {
	pad := r.to.Sub(r.from) / 2
	a := answer{from: r.from.Add(-pad), to: r.to.Add(pad), plots: make([]plot, len(r.metrics))}
	gaps, err := s.Gaps(ctx, store.Span{Recording: r.log.ID, From: a.from, To: a.to})
	if err != nil {
		return a, err
	}
	events, err := s.Events(ctx, store.Span{Recording: r.log.ID, From: a.from, To: a.to})
	if err != nil {
		return a, err
	}
	for i, m := range r.metrics {
		p := &a.plots[i]
		if err := fetchPlot(ctx, s, c, r, m, &a, p); err != nil {
			return a, err
		}
		addGaps(c, &p.data, gaps, r.gpus, m.System())
		if i == 0 {
			addEvents(c, &p.data, events, r.gpus)
			addBands(c, &p.data, r.verdicts, r.gpus)
		}
	}
	return a, nil
}

func fetchPlot(ctx context.Context, s Store, c *texts.Catalogue, r request, m probe.Metric, a *answer, p *plot) error {
	info := m.Info()
	p.data.Unit, p.data.Fixed = info.Unit, info.Max
	if !m.System() {
		limitsOf(c, m, r.gpus, &p.data)
	}
	lines := r.lines(c, m)
	var why store.Point
	any := false
	var sum tally
	for _, l := range lines {
		series, err := s.Query(ctx, store.Query{
			Recording: l.log, GPU: l.uuid, Metric: m, From: a.from.Add(-l.shift), To: a.to.Add(-l.shift), Points: points,
		})
		if err != nil {
			return err
		}
		a.step = series.Step
		for i := range series.Points {
			series.Points[i].T = series.Points[i].T.Add(l.shift)
		}
		out := p.data.Grow(l.name, l.slot)
		out.Dashed = l.over
		out.Step, out.Stepped = series.Step.Milliseconds(), info.Kind == probe.Level
		any = addPoints(c, out, &p.data, series, &why, len(lines) == 1) || any
		if !l.over {
			sum.add(series, r.from, r.to)
		}
	}
	switch {
	case !any && why.State != probe.Pending:
		p.data.Missing = texts.Missing(c, why.State.String(), why.Raw)
	case !any:
		p.data.Missing = c.T("history.noreadings")
	default:
		p.value = sum.say(c, info.Unit)
	}
	return nil
}

// slotOf gives a card the colour of its place in the whole log, so that it
// keeps it when others are left out.
func slotOf(r request, uuid string, k int) int {
	for i, d := range r.log.Devices {
		if d.UUID == uuid && uuid != "" {
			return i
		}
	}
	return k
}

// addPoints turns an answer of the history into a line, and spans in which it
// holds no reading but knows why into gaps, where the line is alone: they would
// break those of other cards. It reports whether there was a reading.
func addPoints(c *texts.Catalogue, out *chart.Series, d *chart.Data, s store.Series, why *store.Point, alone bool) bool {
	any := false
	step := s.Step.Milliseconds()
	half := int64(0)
	if step > 1000 {
		half = step / 2 // a point stands for the span after its moment
	}
	for _, p := range s.Points {
		t := p.T.UnixMilli()
		out.AddSpan(t+half, p.Min, p.Max, p.Mean)
		if p.N > 0 {
			any = true
			continue
		}
		if *why == (store.Point{}) || why.State == probe.Pending {
			*why = store.Point{State: p.State, Raw: p.Raw}
		}
		if alone && p.State != probe.Pending && p.State != probe.OK {
			reason := texts.Missing(c, p.State.String(), p.Raw)
			if n := len(d.Gaps); n > 0 && d.Gaps[n-1].Reason == reason && d.Gaps[n-1].To >= t-step {
				d.Gaps[n-1].To = t + step
			} else {
				d.Gaps = append(d.Gaps, chart.Gap{From: t, To: t + step, Reason: reason})
			}
		}
	}
	return any
}

// tally sums a metric up over the view.
type tally struct {
	sum  float64
	n    int
	high float64
}

func (y *tally) add(s store.Series, from, to time.Time) {
	for _, p := range s.Points {
		if p.N == 0 || p.T.Before(from) || p.T.After(to) {
			continue
		}
		if y.n == 0 || p.Max > y.high {
			y.high = p.Max
		}
		y.sum += p.Mean * float64(p.N)
		y.n += p.N
	}
}

func (y *tally) say(c *texts.Catalogue, unit string) string {
	if y.n == 0 {
		return ""
	}
	return c.T("history.value", "mean", texts.Value(c, math.Round(y.sum/float64(y.n)*10)/10, unit), "high", texts.Value(c, y.high, unit))
}

// limitsOf draws what a metric may reach at most.
func limitsOf(c *texts.Catalogue, m probe.Metric, gpus []probe.Device, d *chart.Data) {
	most := 0.0
	for _, g := range gpus {
		var v probe.Value
		switch m {
		case probe.MemUsed, probe.MemReserved:
			v = g.MemTotal
		case probe.Power:
			v = g.PowerCap
		case probe.Temp:
			v = g.TempSlow
		default:
			return
		}
		if n, ok := v.Ok(); ok {
			most = max(most, n)
		}
	}
	switch {
	case most == 0:
	case m == probe.MemUsed || m == probe.MemReserved:
		d.Fixed = most
	case m == probe.Power:
		d.Limits = append(d.Limits, chart.Limit{Value: most, Label: c.T("history.limit.power", "v", texts.Watts(most))})
	case m == probe.Temp:
		d.Limits = append(d.Limits, chart.Limit{Value: most, Label: c.T("history.limit.temp", "v", texts.Celsius(most))})
	}
}

func addGaps(c *texts.Catalogue, d *chart.Data, gaps []probe.Gap, gpus []probe.Device, system bool) {
	for _, g := range gaps {
		if g.GPU != "" && (system || !holds(gpus, g.GPU)) {
			continue
		}
		d.Gaps = append(d.Gaps, chart.Gap{From: g.From.UnixMilli(), To: g.To.UnixMilli(), Reason: texts.Gap(c, string(g.Reason))})
	}
}

func addEvents(c *texts.Catalogue, d *chart.Data, events []probe.Event, gpus []probe.Device) {
	for _, e := range events {
		if e.GPU != "" && !holds(gpus, e.GPU) {
			continue
		}
		d.Marks = append(d.Marks, chart.EventMark(c, e))
	}
}

func holds(gpus []probe.Device, uuid string) bool {
	for _, g := range gpus {
		if g.UUID == uuid {
			return true
		}
	}
	return false
}
