package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"rentgen/probe"
	"rentgen/store/column"
)

// Samples walks a recording by seconds, From included and To excluded; zero
// bounds stand for its ends. Each sample holds the cards and the machine as
// far as that second has them, with min and max as spreads. Hours whose
// seconds are gone are passed over. The database is read an hour at a time, so
// a slow consumer holds nothing back.
func (s *Store) Samples(ctx context.Context, recording int64, from, to time.Time) iter.Seq2[*probe.Sample, error] {
	return func(yield func(*probe.Sample, error) bool) {
		err := s.walk(ctx, recording, from, to, func(h *hourData) error {
			if h.width != 1 {
				return nil
			}
			return h.samples(yield)
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

// hourData is an hour of a recording with all its tracks.
type hourData struct {
	hour     int64
	width    int64 // seconds an entry stands for
	from, to int64
	tracks   []track
	devices  map[string]probe.Device
	entries  [][]entry // by track, by time
}

// walk calls f with every hour of a recording that touches the span.
func (s *Store) walk(ctx context.Context, recording int64, from, to time.Time, f func(*hourData) error) error {
	rec, err := s.Recording(ctx, recording)
	if err != nil {
		return err
	}
	if rec.From.IsZero() {
		return nil
	}
	lo, hi := rec.From.Unix(), rec.To.Unix()+1
	if !from.IsZero() {
		lo = max(lo, from.Unix())
	}
	if !to.IsZero() {
		hi = min(hi, to.Add(time.Second-1).Unix())
	}
	devices := map[string]probe.Device{}
	for _, d := range rec.Devices {
		devices[d.UUID] = d
	}
	for hour := hourOf(lo); hi > lo && hour <= hourOf(hi-1); hour++ {
		h := &hourData{hour: hour, from: lo, to: hi, devices: devices}
		if err := s.loadHour(ctx, recording, h); err != nil {
			return fmt.Errorf("read recording %d: %w", recording, named(err))
		}
		if err := f(h); err != nil {
			return err
		}
	}
	return nil
}

// loadHour reads an hour in one short transaction.
func (s *Store) loadHour(ctx context.Context, recording int64, h *hourData) error {
	db, err := s.reads()
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	r := sealing{ctx: ctx, tx: tx, recording: recording}
	if h.tracks, err = readTracks(ctx, tx, recording); err != nil {
		return err
	}
	h.width = 1
	found := false
	h.entries = make([][]entry, len(h.tracks))
	for i, t := range h.tracks {
		all, err := r.sealed(t, h.hour)
		if err != nil {
			return err
		}
		rows, err := r.readRows(t, h.hour)
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			all = merge(append(all, rows...))
			slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(a.tick.Second, b.tick.Second) })
		}
		h.entries[i] = oneASecond(all)
		found = found || len(all) > 0
	}
	if found {
		return nil
	}
	return r.coarser(h)
}

// oneASecond puts entries of the same second together: what was read wins over
// what was not, the later over the earlier.
func oneASecond(all []entry) []entry {
	out := all[:0]
	for _, e := range all {
		if n := len(out); n > 0 && out[n-1].tick.Second == e.tick.Second {
			for k, c := range e.cells {
				if c.OK() || !out[n-1].cells[k].OK() {
					out[n-1].cells[k] = c
				}
			}
			continue
		}
		out = append(out, e)
	}
	return out
}

// coarser fills an hour whose seconds are gone from its minutes, or from the
// hour itself.
func (s *sealing) coarser(h *hourData) error {
	for i, t := range h.tracks {
		byMinute := map[int]*entry{}
		var hour *entry
		for k, m := range t.metrics() {
			blob, err := oneOf(s.ctx, s.tx, "SELECT data FROM minutes WHERE id=?", m, func(m probe.Metric) int64 { return minutesKey(t.id, m, h.hour) })
			if err == nil && blob == nil {
				if hour == nil {
					if hour, err = s.hourEntry(t, h.hour); err != nil {
						return err
					}
				}
				continue
			}
			if err != nil {
				return err
			}
			buckets, steps, err := column.DecodeBuckets(nil, blob)
			if err != nil {
				return err
			}
			for _, b := range buckets {
				e := byMinute[b.At]
				if e == nil {
					e = &entry{hour: h.hour, cells: make([]column.Cell, len(t.metrics())), tick: column.Tick{Second: uint16(b.At * 60)}}
					byMinute[b.At] = e
				}
				e.cells[k] = restep(bucketCell(m.Info().Kind, b), steps, column.Steps(m))
			}
		}
		switch {
		case len(byMinute) > 0:
			h.width = 60
			for _, e := range byMinute {
				h.entries[i] = append(h.entries[i], *e)
			}
			slices.SortFunc(h.entries[i], func(a, b entry) int { return cmp.Compare(a.tick.Second, b.tick.Second) })
		case hour != nil && len(hour.cells) > 0:
			h.width = hourSeconds
			h.entries[i] = []entry{*hour}
		}
	}
	return nil
}

// hourEntry is the hour of a track as one entry; without cells where there is
// none.
func (s *sealing) hourEntry(t track, hour int64) (*entry, error) {
	var blob []byte
	err := s.tx.QueryRowContext(s.ctx, "SELECT data FROM hours WHERE id=?", hoursKey(t.id, hour)).Scan(&blob)
	if errors.Is(err, sql.ErrNoRows) {
		return &entry{}, nil
	}
	if err != nil {
		return nil, err
	}
	e := &entry{hour: hour, cells: make([]column.Cell, len(t.metrics()))}
	for k, m := range t.metrics() {
		b, steps, ok, err := findMetric(blob, m)
		if err != nil {
			return nil, err
		}
		if ok {
			e.cells[k] = restep(bucketCell(m.Info().Kind, b), steps, column.Steps(m))
		}
	}
	return e, nil
}

// bucketCell is a bucket seen as one wide second.
func bucketCell(kind probe.Kind, b column.Bucket) column.Cell {
	switch {
	case b.N == 0:
		return column.Cell{State: b.State, Raw: b.Raw}
	case kind == probe.Counter:
		return column.Cell{State: probe.OK, V: b.Max, Lo: b.Max, Hi: b.Max}
	case kind == probe.Mask:
		return column.Cell{State: probe.OK, V: b.Max, Lo: b.Min, Hi: b.Max}
	}
	return column.Cell{State: probe.OK, V: int64(math.Round(float64(b.Sum) / float64(b.N))), Lo: b.Min, Hi: b.Max}
}

// seconds calls f for every second of the hour with the entries of its tracks;
// nil where a track has none.
func (h *hourData) seconds(f func(t int64, row []*entry) error) error {
	at := make([]int, len(h.tracks))
	row := make([]*entry, len(h.tracks))
	for {
		next := -1
		for i, list := range h.entries {
			if at[i] < len(list) && (next < 0 || int(list[at[i]].tick.Second) < next) {
				next = int(list[at[i]].tick.Second)
			}
		}
		if next < 0 {
			return nil
		}
		for i, list := range h.entries {
			row[i] = nil
			if at[i] < len(list) && int(list[at[i]].tick.Second) == next {
				row[i] = &list[at[i]]
				at[i]++
			}
		}
		t := h.hour*hourSeconds + int64(next)
		if t+h.width <= h.from || t >= h.to {
			continue
		}
		if err := f(t, row); err != nil {
			return err
		}
	}
}

func (h *hourData) samples(yield func(*probe.Sample, error) bool) error {
	return h.seconds(func(t int64, row []*entry) error {
		out := &probe.Sample{Time: time.Unix(t, 0).UTC()}
		for i, e := range row {
			if e == nil {
				continue
			}
			out.Seq = max(out.Seq, e.tick.Seq)
			tr := h.tracks[i]
			if tr.uuid == machineUUID {
				out.System = &probe.System{}
				for k, m := range systemMetrics {
					out.System.Set(m, cellValue(m, e.cells[k]))
				}
				continue
			}
			d := h.devices[tr.uuid]
			g := probe.GPU{Index: d.Index, UUID: tr.uuid, Name: d.Name}
			for k, m := range gpuMetrics {
				c := e.cells[k]
				g.Values[m] = cellValue(m, c)
				if c.OK() && (c.Lo != c.V || c.Hi != c.V) {
					steps := column.Steps(m)
					g.Spreads = append(g.Spreads, probe.Spread{Metric: m, Min: column.Float(c.Lo, steps), Max: column.Float(c.Hi, steps), N: 2})
				}
			}
			out.GPUs = append(out.GPUs, g)
		}
		slices.SortStableFunc(out.GPUs, func(a, b probe.GPU) int { return cmp.Compare(a.Index, b.Index) })
		if !yield(out, nil) {
			return errStop
		}
		return nil
	})
}

func cellValue(m probe.Metric, c column.Cell) probe.Value {
	if !c.OK() {
		return probe.Missing(c.State, c.Raw)
	}
	return probe.Of(column.Float(c.V, column.Steps(m)))
}
