package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"rentgen/probe"
	"rentgen/store/column"
)

// sealDue seals one hour of a tape that is over and was left alone for a
// while, and says whether there was one: late readings arrive in bursts, and
// one merge is enough for a burst.
func (o *owner) sealDue(ctx context.Context, t *tape) (bool, error) {
	t.mu.Lock()
	current := hourOf(t.newest)
	t.mu.Unlock()
	now := time.Now()
	for h, touched := range t.hours {
		if h >= current || now.Sub(touched) < o.sealAfter {
			continue
		}
		if err := o.seal(ctx, t.recording, []int64{h}); err != nil {
			return false, err
		}
		delete(t.hours, h)
		return true, nil
	}
	return false, nil
}

// seal moves the rows of the given hours of a recording into column blobs, in
// one transaction. Hours that are sealed already are opened, merged by run and
// sequence number, and sealed again with their rollups.
func (o *owner) seal(ctx context.Context, recording int64, hours []int64) error {
	if len(hours) == 0 {
		return nil
	}
	slices.Sort(hours)
	if o.onSeal != nil {
		o.onSeal()
	}
	err := transact(ctx, o.db, func(tx *sql.Tx) error {
		s := sealing{ctx: ctx, tx: tx, recording: recording}
		return s.run(hours)
	})
	if err != nil {
		return fmt.Errorf("seal hours of recording %d: %w", recording, err)
	}
	return nil
}

type sealing struct {
	ctx       context.Context
	tx        *sql.Tx
	recording int64
	tracks    []track
	hours     map[int64]*chunk // every hour touched
	rowHours  map[int64]bool   // those whose rows are taken
}

// chunk is what stands in table chunks of an hour.
type chunk struct {
	seconds, minutes, hours int64
	cells                   int64
	runs                    map[int64]*[2]uint64
	gone                    bool // its seconds are past their retention
}

type track struct {
	id   int64
	uuid string
}

func (t track) metrics() []probe.Metric { return metricsOf(t.uuid == machineUUID) }

// entry is one second of one track with all its metrics.
type entry struct {
	hour  int64
	tick  column.Tick
	cells []column.Cell
	late  int // rows win over what was sealed
}

func (s *sealing) run(hours []int64) error {
	s.hours, s.rowHours = map[int64]*chunk{}, map[int64]bool{}
	for _, h := range hours {
		s.rowHours[h] = true
		s.hours[h] = &chunk{runs: map[int64]*[2]uint64{}}
	}
	if err := s.load(); err != nil {
		return err
	}
	for _, t := range s.tracks {
		if err := s.track(t); err != nil {
			return fmt.Errorf("track %d: %w", t.id, err)
		}
	}
	return s.save()
}

// load finds the tracks, and the sealed hours that hold numbers which came
// again, perhaps for another hour.
func (s *sealing) load() error {
	var err error
	if s.tracks, err = readTracks(s.ctx, s.tx, s.recording); err != nil {
		return err
	}
	for h := range s.rowHours {
		from, to := h*hourSeconds, (h+1)*hourSeconds
		hours, err := listRows(s.ctx, s.tx, `SELECT DISTINCT c.hour FROM chunk_runs c JOIN (
				SELECT run, min(seq) lo, max(seq+span) hi FROM rows
				WHERE track IN (SELECT id FROM tracks WHERE recording=?1) AND t>=?2 AND t<?3 GROUP BY run
			) r ON c.run=r.run AND c.lo<=r.hi AND c.hi>=r.lo`, []any{s.recording, from, to}, itself[int64])
		if err != nil {
			return err
		}
		for _, hour := range hours {
			if s.hours[hour] == nil {
				s.hours[hour] = &chunk{runs: map[int64]*[2]uint64{}}
			}
		}
	}
	for h, c := range s.hours {
		err := s.tx.QueryRowContext(s.ctx, "SELECT seconds=0 AND cells>0 FROM chunks WHERE recording=? AND hour=?", s.recording, h).Scan(&c.gone)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
	}
	return nil
}

func readTracks(ctx context.Context, tx *sql.Tx, recording int64) ([]track, error) {
	return listRows(ctx, tx, "SELECT id, uuid FROM tracks WHERE recording=? ORDER BY id", []any{recording}, func(t *track) []any {
		return []any{&t.id, &t.uuid}
	})
}

// track reads, merges and writes the hours of one track.
func (s *sealing) track(t track) error {
	var all []entry
	for _, h := range sortedHours(s.hours) {
		if s.hours[h].gone {
			continue
		}
		sealed, err := s.sealed(t, h)
		if err != nil {
			return err
		}
		all = append(all, sealed...)
	}
	had := len(all)
	for h := range s.rowHours {
		rows, err := s.takeRows(t, h)
		if err != nil {
			return err
		}
		// What comes for an hour whose seconds are gone can't be merged into
		// its rollups without counting twice.
		if !s.hours[h].gone {
			all = append(all, rows...)
		}
	}
	if had > 0 {
		all = merge(all)
	}
	slices.SortStableFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.hour, b.hour), cmp.Compare(a.tick.Second, b.tick.Second),
			cmp.Compare(a.tick.Run, b.tick.Run), cmp.Compare(a.tick.Seq, b.tick.Seq))
	})
	for _, h := range sortedHours(s.hours) {
		i := slices.IndexFunc(all, func(e entry) bool { return e.hour != h })
		if i < 0 {
			i = len(all)
		}
		part := all[:i]
		all = all[i:]
		if s.hours[h].gone {
			continue
		}
		if err := s.write(t, h, part); err != nil {
			return err
		}
	}
	return nil
}

func sortedHours(m map[int64]*chunk) []int64 {
	hs := keys(m)
	slices.Sort(hs)
	return hs
}

// merge leaves one entry for every number of a run: rows win over what was
// sealed before, later rows over earlier ones.
func merge(all []entry) []entry {
	slices.SortStableFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.tick.Run, b.tick.Run), cmp.Compare(a.tick.Seq, b.tick.Seq), cmp.Compare(a.late, b.late))
	})
	out := all[:0]
	for _, e := range all {
		dropped := false
		for len(out) > 0 {
			last := out[len(out)-1]
			if last.tick.Run != e.tick.Run || last.tick.Last() < e.tick.Seq {
				break
			}
			if last.late > e.late {
				dropped = true
				break
			}
			out = out[:len(out)-1]
		}
		if !dropped {
			out = append(out, e)
		}
	}
	return out
}

// sealed decodes an hour of a track; nothing where it isn't sealed.
func (s *sealing) sealed(t track, hour int64) ([]entry, error) {
	blobs, err := s.blobs(t, hour)
	if err != nil || len(blobs) == 0 {
		return nil, err
	}
	ticks, err := column.DecodeTicks(blobs[tickColumn])
	if err != nil {
		return nil, fmt.Errorf("hour %d: %w", hour, err)
	}
	metrics := t.metrics()
	all := make([]entry, len(ticks))
	cells := make([]column.Cell, len(ticks)*len(metrics))
	for i := range all {
		all[i] = entry{hour: hour, tick: ticks[i], cells: cells[i*len(metrics) : (i+1)*len(metrics)]}
	}
	var buf []column.Cell
	for k, m := range metrics {
		blob, ok := blobs[m]
		if !ok {
			continue // a metric younger than this hour stays Pending
		}
		list, steps, err := column.DecodeBeside(buf, blob, func() ([]column.Cell, error) {
			return column.DecodeMeans(blobs[besideEnergy])
		})
		if err != nil {
			return nil, fmt.Errorf("hour %d %s: %w", hour, m, err)
		}
		if len(list) != len(all) {
			return nil, fmt.Errorf("hour %d %s: %w: %d cells for %d ticks", hour, m, column.ErrCorrupt, len(list), len(all))
		}
		buf = list
		now := column.Steps(m)
		for i := range list {
			all[i].cells[k] = restep(list[i], steps, now)
		}
	}
	return all, nil
}

// restep turns a cell of an older step size into today's.
func restep(c column.Cell, from, to int64) column.Cell {
	if from == to || !c.OK() {
		return c
	}
	f := float64(to) / float64(from)
	scale := func(v int64) int64 { n, _ := toSteps(float64(v)*f, 1); return n }
	c.V, c.Lo, c.Hi = scale(c.V), scale(c.Lo), scale(c.Hi)
	return c
}

func (s *sealing) blobs(t track, hour int64) (map[probe.Metric][]byte, error) {
	blobs := map[probe.Metric][]byte{}
	keys := []any{secondsKey(hour, t.id, 0), secondsKey(hour, t.id, tickColumn)}
	err := eachRow(s.ctx, s.tx, "SELECT id & 255, data FROM seconds WHERE id BETWEEN ? AND ?", keys, func(rows *sql.Rows) error {
		var m int64
		var b []byte
		if err := rows.Scan(&m, &b); err != nil {
			return err
		}
		if probe.Metric(m) == packColumn {
			return eachMetric(b, func(m probe.Metric, blob []byte) bool { blobs[m] = blob; return true })
		}
		blobs[probe.Metric(m)] = b
		return nil
	})
	return blobs, err
}

// takeRows reads and removes the rows of an hour of a track.
func (s *sealing) takeRows(t track, hour int64) ([]entry, error) {
	all, err := s.readRows(t, hour)
	if err != nil {
		return nil, err
	}
	if len(all) > column.MaxCells {
		all = all[:column.MaxCells]
	}
	return all, s.exec("DELETE FROM rows WHERE track=? AND t>=? AND t<?", t.id, hour*hourSeconds, (hour+1)*hourSeconds)
}

func (s *sealing) readRows(t track, hour int64) ([]entry, error) {
	from, to := hour*hourSeconds, (hour+1)*hourSeconds
	rows, err := s.tx.QueryContext(s.ctx, "SELECT run, seq, span, t, data FROM rows WHERE track=? AND t>=? AND t<? ORDER BY t, run, seq", t.id, from, to)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	width := len(t.metrics())
	var all []entry
	var data sql.RawBytes
	for rows.Next() {
		var run, seq, span, at int64
		if err := rows.Scan(&run, &seq, &span, &at, &data); err != nil {
			return nil, err
		}
		e := entry{hour: hour, late: 1, cells: make([]column.Cell, width), tick: column.Tick{
			Second: uint16(at - from), Run: run, Seq: uint64(seq), Span: uint64(span),
		}}
		if err := decodeRow(e.cells, -1, data); err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, rows.Err()
}
