package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"

	"rentgen/probe"
	"rentgen/store/column"
)

const (
	defaultPoints = 1200
	maxPoints     = 100_000
)

// Query returns a metric over a span, from the coarsest tier that still gives a
// point per wanted point. Points stand at multiples of Step, so that panning
// does not make them dance. A span with nothing recorded gives no points.
func (s *Store) Query(ctx context.Context, q Query) (Series, error) {
	out := Series{Metric: q.Metric, Tier: TierSeconds, Step: time.Second}
	if !q.Metric.Valid() || (q.GPU == machineUUID) != q.Metric.System() {
		return out, fmt.Errorf("query %s of %q: %w", q.Metric, q.GPU, ErrNotFound)
	}
	db, err := s.reads()
	if err != nil {
		return out, err
	}
	// One snapshot for the whole answer, let go of before the caller sees it:
	// a slow caller never holds back the log.
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return out, fmt.Errorf("query %s: %w", q.Metric, named(err))
	}
	defer func() { _ = tx.Rollback() }()
	r := reading{ctx: ctx, tx: tx, q: q}
	if err := r.run(&out); err != nil {
		return out, fmt.Errorf("query %s: %w", q.Metric, named(err))
	}
	return out, nil
}

// part is one track to read, with the span its recording covers.
type part struct {
	track
	first, last int64
}

// reading answers one query.
type reading struct {
	ctx      context.Context
	tx       *sql.Tx
	q        Query
	from, to int64 // Unix seconds, to excluded
	width    int64 // seconds a point
	tier     Tier
	sums     []sum
	cells    []column.Cell
	buckets  []column.Bucket
	kind     probe.Kind
}

func (r *reading) run(out *Series) error {
	parts, err := r.parts()
	if err != nil || len(parts) == 0 {
		return err
	}
	r.kind = r.q.Metric.Info().Kind
	r.span(parts)
	out.Tier, out.Step = r.tier, time.Duration(r.width)*time.Second
	if r.to <= r.from {
		return nil
	}
	r.sums = make([]sum, (r.to-r.from+r.width-1)/r.width)
	for _, p := range parts {
		if p.last < r.from || p.first >= r.to {
			continue
		}
		if err := r.part(p); err != nil {
			return fmt.Errorf("track %d: %w", p.id, err)
		}
	}
	out.Points = r.points()
	return nil
}

func (r *reading) parts() ([]part, error) {
	query, arg := `SELECT t.id, t.uuid, r.first, r.last FROM recordings r JOIN tracks t ON t.recording=r.id
		WHERE r.id=? AND t.uuid=? AND r.deleted=0 AND r.first IS NOT NULL`, any(r.q.Recording)
	if r.q.Recording == 0 {
		query, arg = `SELECT t.id, t.uuid, r.first, r.last FROM recordings r JOIN tracks t ON t.recording=r.id
			WHERE r.host=? AND t.uuid=? AND r.deleted=0 AND r.first IS NOT NULL ORDER BY r.first`, any(r.q.Host)
	}
	return listRows(r.ctx, r.tx, query, []any{arg, r.q.GPU}, func(p *part) []any {
		return []any{&p.id, &p.uuid, &p.first, &p.last}
	})
}

// span settles from, to, the width of a point and the tier.
func (r *reading) span(parts []part) {
	first, last := parts[0].first, parts[0].last
	for _, p := range parts {
		first, last = min(first, p.first), max(last, p.last)
	}
	r.from, r.to = first, last+1
	if !r.q.From.IsZero() {
		r.from = r.q.From.Unix()
	}
	if !r.q.To.IsZero() {
		r.to = r.q.To.Unix()
		if r.q.To.Nanosecond() > 0 {
			r.to++
		}
	}
	points := int64(r.q.Points)
	if points <= 0 {
		points = defaultPoints
	}
	points = min(points, maxPoints)
	wide := max(1, (r.to-r.from+points-1)/points)
	unit := int64(1)
	r.tier = TierSeconds
	switch {
	case wide >= hourSeconds:
		r.tier, unit = TierHours, hourSeconds
	case wide >= 60:
		r.tier, unit = TierMinutes, 60
	}
	r.width = (wide + unit - 1) / unit * unit
	// Outside of what there is, nothing needs to be looked for.
	r.from = max(r.from, first)
	r.to = min(r.to, last+1)
	r.from = floorTo(r.from, r.width)
}

func floorTo(t, width int64) int64 {
	t -= ((t % width) + width) % width
	return t
}

// sum is a bucket in the metric's unit.
type sum struct {
	n             int64
	min, max, sum float64
	seen          bool
	state         probe.State
	raw           string
}

// at returns the sum that t falls into, or nil outside the span.
func (r *reading) at(t int64) *sum {
	if t < r.from || t >= r.to {
		return nil
	}
	return &r.sums[(t-r.from)/r.width]
}

func (r *reading) addCell(t int64, c column.Cell, steps int64) {
	var b column.Bucket
	b.Add(r.kind, c)
	r.addBucket(t, &b, steps)
}

func (r *reading) addBucket(t int64, b *column.Bucket, steps int64) {
	s := r.at(t)
	if s == nil {
		return
	}
	if b.N == 0 {
		if s.n == 0 {
			s.seen, s.state, s.raw = true, b.State, b.Raw
		}
		return
	}
	lo, hi, total := column.Float(b.Min, steps), column.Float(b.Max, steps), column.Float(b.Sum, steps)
	if s.n == 0 {
		*s = sum{n: b.N, min: lo, max: hi, sum: total, seen: true, state: probe.OK}
		return
	}
	switch r.kind {
	case probe.Counter:
		s.sum += total + max(0, lo-s.max)
		s.max = hi
	case probe.Mask:
		s.min = float64(uint64(s.min) & uint64(lo))
		s.max = float64(uint64(s.max) | uint64(hi))
	case probe.Gauge, probe.Level:
		s.min, s.max, s.sum = min(s.min, lo), max(s.max, hi), s.sum+total
	}
	s.n += b.N
}

func (r *reading) points() []Point {
	list := make([]Point, 0, len(r.sums))
	before, had := 0.0, false
	for i := range r.sums {
		s := &r.sums[i]
		if !s.seen {
			continue
		}
		p := Point{T: time.Unix(r.from+int64(i)*r.width, 0).UTC(), N: int(s.n), State: s.state, Raw: s.raw}
		switch {
		case s.n == 0:
			p.Min, p.Max, p.Mean = math.NaN(), math.NaN(), math.NaN()
		case r.kind == probe.Counter:
			p.Min, p.Max, p.Mean, p.Rise = s.min, s.max, s.max, s.sum
			if had {
				p.Rise += max(0, s.min-before)
			}
			before, had = s.max, true
			p.Min, p.Max = min(p.Min, p.Max), max(p.Min, p.Max)
		case r.kind == probe.Mask:
			p.Min, p.Max, p.Mean = s.min, s.max, s.max
		default:
			p.Min, p.Max, p.Mean = s.min, s.max, s.sum/float64(s.n)
		}
		list = append(list, p)
	}
	return list
}
