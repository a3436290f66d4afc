package store

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"rentgen/probe"
	"rentgen/store/column"
)

// part reads one track: sealed hours from the tier, and from coarser ones
// where it is gone; then the rows of hours that are open.
func (r *reading) part(p part) error {
	from, to := max(r.from, p.first), min(r.to, p.last+1)
	h0, h1 := hourOf(from), hourOf(to-1)
	open, err := r.openHours(p, from, to)
	if err != nil {
		return err
	}
	done := make([]bool, h1-h0+1)
	for _, h := range open {
		if h >= h0 && h <= h1 {
			if err := r.mixedHour(p, h); err != nil {
				return err
			}
			done[h-h0] = true
		}
	}
	if r.tier == TierSeconds {
		if err := r.seconds(p, h0, done); err != nil {
			return err
		}
	}
	if r.tier != TierHours {
		if err := r.minutes(p, h0, h1, done); err != nil {
			return err
		}
	}
	return r.hours(p, h0, h1, done)
}

func (r *reading) blob(query string, key int64) ([]byte, error) {
	var b []byte
	err := r.tx.QueryRowContext(r.ctx, query, key).Scan(&b)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return b, err
}

const (
	secondsQuery = "SELECT data FROM seconds WHERE id=?"
	minutesQuery = "SELECT id, data FROM minutes WHERE id BETWEEN ? AND ?"
	hoursQuery   = "SELECT id, data FROM hours WHERE id BETWEEN ? AND ?"
)

func (r *reading) seconds(p part, h0 int64, done []bool) error {
	for i := range done {
		if done[i] {
			continue
		}
		hour := h0 + int64(i)
		ticks, cells, steps, err := r.sealedSeconds(p, hour)
		if err != nil {
			return err
		}
		if ticks == nil {
			continue
		}
		done[i] = true
		base := hour * hourSeconds
		for k, t := range ticks {
			r.addCell(base+int64(t.Second), cells[k], steps)
		}
	}
	return nil
}

// sealedSeconds decodes an hour of the metric; no ticks where there is none.
func (r *reading) sealedSeconds(p part, hour int64) ([]column.Tick, []column.Cell, int64, error) {
	pack, err := r.blob(secondsQuery, secondsKey(hour, p.id, packColumn))
	if err != nil {
		return nil, nil, 0, err
	}
	// What was sealed before there were packs has a row for every metric.
	get := func(m probe.Metric) ([]byte, error) {
		if pack != nil {
			return fromPack(pack, m)
		}
		return r.blob(secondsQuery, secondsKey(hour, p.id, m))
	}
	blob, err := get(tickColumn)
	if err != nil || blob == nil {
		return nil, nil, 0, err
	}
	ticks, err := column.DecodeTicks(blob)
	if err != nil {
		return nil, nil, 0, fmt.Errorf("hour %d: %w", hour, err)
	}
	if blob, err = get(r.q.Metric); err != nil {
		return nil, nil, 0, err
	}
	if blob == nil { // a metric younger than the hour
		cells := make([]column.Cell, len(ticks))
		return ticks, cells, 1, nil
	}
	cells, steps, err := column.DecodeBeside(r.cells, blob, func() ([]column.Cell, error) {
		power, err := get(besideEnergy)
		if err != nil {
			return nil, err
		}
		return column.DecodeMeans(power)
	})
	if err != nil {
		return nil, nil, 0, fmt.Errorf("hour %d: %w", hour, err)
	}
	if len(cells) != len(ticks) {
		return nil, nil, 0, fmt.Errorf("hour %d: %w: lengths differ", hour, column.ErrCorrupt)
	}
	r.cells = cells
	return ticks, cells, steps, nil
}

func (r *reading) minutes(p part, h0, h1 int64, done []bool) error {
	if err := r.minutesIn(p, r.q.Metric, h0, h1, done); err != nil || !slices.Contains(done, false) {
		return err
	}
	return r.minutesIn(p, packColumn, h0, h1, done)
}

// minutesIn reads the minutes of the rows of a metric, or of the packs.
func (r *reading) minutesIn(p part, m probe.Metric, h0, h1 int64, done []bool) error {
	return r.eachHour(minutesQuery, minutesKey(p.id, m, h0), minutesKey(p.id, m, h1), func(hour int64, data []byte) error {
		if done[hour-h0] {
			return nil
		}
		if m == packColumn {
			var err error
			if data, err = fromPack(data, r.q.Metric); err != nil || data == nil {
				return err
			}
		}
		buckets, steps, err := column.DecodeBuckets(r.buckets[:0], data)
		if err != nil {
			return fmt.Errorf("minutes of hour %d: %w", hour, err)
		}
		r.buckets = buckets
		done[hour-h0] = true
		for i := range buckets {
			r.addBucket(hour*hourSeconds+int64(buckets[i].At)*60, &buckets[i], steps)
		}
		return nil
	})
}

func (r *reading) hours(p part, h0, h1 int64, done []bool) error {
	if !slices.Contains(done, false) {
		return nil
	}
	return r.eachHour(hoursQuery, hoursKey(p.id, h0), hoursKey(p.id, h1), func(hour int64, data []byte) error {
		if done[hour-h0] {
			return nil
		}
		bucket, steps, ok, err := findMetric(data, r.q.Metric)
		if err != nil {
			return fmt.Errorf("hour %d: %w", hour, err)
		}
		if ok {
			// An hour that begins before the span counts at its first second.
			r.addBucket(max(hour*hourSeconds, r.from), &bucket, steps)
		}
		return nil
	})
}

// eachHour reads the blobs of a tier between two keys. They are valid during
// the call.
func (r *reading) eachHour(query string, from, to int64, read func(hour int64, data []byte) error) error {
	var key int64
	var data sql.RawBytes
	return eachRow(r.ctx, r.tx, query, []any{from, to}, func(rows *sql.Rows) error {
		if err := rows.Scan(&key, &data); err != nil {
			return err
		}
		return read(keyHour(key), data)
	})
}

// openHours lists the hours of the span that still have rows.
func (r *reading) openHours(p part, from, to int64) ([]int64, error) {
	return listRows(r.ctx, r.tx, "SELECT DISTINCT t/3600 FROM rows WHERE track=? AND t>=? AND t<?",
		[]any{p.id, hourOf(from) * hourSeconds, (hourOf(to-1) + 1) * hourSeconds}, itself[int64])
}

// timed is a cell of the metric with its place.
type timed struct {
	tick column.Tick
	cell column.Cell
}

// mixedHour reads an hour that has rows, and perhaps a sealed part that waits
// to be merged with them.
func (r *reading) mixedHour(p part, hour int64) error {
	ticks, cells, steps, err := r.sealedSeconds(p, hour)
	if err != nil {
		return err
	}
	list, err := r.rows(p, hour, len(ticks) > 0)
	if err != nil {
		return err
	}
	type number struct {
		run int64
		seq uint64
	}
	have := make(map[number]bool)
	if len(ticks) > 0 {
		for _, t := range list {
			have[number{t.tick.Run, t.tick.Seq}] = true
		}
	}
	now := column.Steps(r.q.Metric)
	for i, t := range ticks {
		if !have[number{t.Run, t.Seq}] {
			list = append(list, timed{t, restep(cells[i], steps, now)})
		}
	}
	slices.SortStableFunc(list, func(a, b timed) int {
		return cmp.Compare(a.tick.Second, b.tick.Second)
	})
	for _, t := range list {
		r.addCell(hour*hourSeconds+int64(t.tick.Second), t.cell, now)
	}
	return nil
}

// rows reads the rows of an hour, with their numbers only where asked: every
// column costs a call into the database.
func (r *reading) rows(p part, hour int64, numbers bool) ([]timed, error) {
	from := hour * hourSeconds
	columns := "t, data"
	if numbers {
		columns = "t, data, run, seq"
	}
	rows, err := r.tx.QueryContext(r.ctx, "SELECT "+columns+" FROM rows WHERE track=? AND t>=? AND t<?",
		p.id, max(from, r.from), min(from+hourSeconds, r.to))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := make([]timed, 0, 1024)
	row := make([]column.Cell, len(p.metrics()))
	slot := slotOf(r.q.Metric)
	var data sql.RawBytes
	var at, run, seq int64
	to := []any{&at, &data, &run, &seq}
	if !numbers {
		to = to[:2]
	}
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return nil, err
		}
		row[slot] = column.Cell{State: probe.Pending}
		if err := decodeRow(row, slot, data); err != nil {
			return nil, err
		}
		list = append(list, timed{column.Tick{Second: uint16(at - from), Run: run, Seq: uint64(seq)}, row[slot]})
	}
	return list, rows.Err()
}
