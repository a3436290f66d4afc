package store

import (
	"fmt"

	"rentgen/probe"
	"rentgen/store/column"
)

// write seals one hour of one track in place of what was there.
func (s *sealing) write(t track, hour int64, part []entry) error {
	if err := s.exec("DELETE FROM seconds WHERE id BETWEEN ? AND ?", secondsKey(hour, t.id, 0), secondsKey(hour, t.id, tickColumn)); err != nil {
		return err
	}
	// What is packed now may have had a row of its own, and the other way round.
	for _, m := range append([]probe.Metric{packColumn}, t.metrics()...) {
		if err := s.exec("DELETE FROM minutes WHERE id=?", minutesKey(t.id, m, hour)); err != nil {
			return err
		}
	}
	if len(part) == 0 {
		return s.exec("DELETE FROM hours WHERE id=?", hoursKey(t.id, hour))
	}
	c := s.hours[hour]
	ticks := make([]column.Tick, len(part))
	for i := range part {
		ticks[i] = part[i].tick
		k := ticks[i]
		if r := c.runs[k.Run]; r == nil {
			c.runs[k.Run] = &[2]uint64{k.Seq, k.Last()}
		} else {
			r[0], r[1] = min(r[0], k.Seq), max(r[1], k.Last())
		}
	}
	if t.uuid != machineUUID {
		c.cells += int64(len(part))
	}
	sealed, err := sealHour(t, ticks, func(k int, cells []column.Cell) {
		for i := range part {
			cells[i] = part[i].cells[k]
		}
	})
	if err != nil {
		return err
	}
	return s.put(t, hour, sealed)
}

// sealedHour is an hour of a track as it is stored.
type sealedHour struct {
	ticks   []byte
	seconds [][]byte // by place of the metric
	minutes [][]byte
	hour    []byte
}

// sealHour packs an hour: fill gives the cells of the k-th metric.
func sealHour(t track, ticks []column.Tick, fill func(k int, cells []column.Cell)) (sealedHour, error) {
	var out sealedHour
	var err error
	if out.ticks, err = column.EncodeTicks(ticks); err != nil {
		return out, err
	}
	cells, power := make([]column.Cell, len(ticks)), make([]column.Cell, 0, len(ticks))
	for k, m := range t.metrics() {
		fill(k, cells)
		steps := column.Steps(m)
		var beside []column.Cell
		switch m {
		case besideEnergy:
			power = append(power, cells...)
		case probe.Energy:
			beside = power
		}
		blob, err := column.EncodeBeside(cells, steps, beside)
		if err != nil {
			return out, err
		}
		minutes, hour := rollup(m.Info().Kind, ticks, cells)
		roll, err := column.EncodeBuckets(m.Info().Kind, minutes, steps)
		if err != nil {
			return out, err
		}
		one, err := column.EncodeBuckets(m.Info().Kind, []column.Bucket{hour}, steps)
		if err != nil {
			return out, err
		}
		out.seconds = append(out.seconds, blob)
		out.minutes = append(out.minutes, roll)
		out.hour = appendMetric(out.hour, m, one)
	}
	return out, nil
}

// besideEnergy is the metric that an energy grows by: J from W over a second.
const besideEnergy = probe.Power

// rollup sums an hour up by minutes and as a whole.
func rollup(kind probe.Kind, ticks []column.Tick, cells []column.Cell) (minutes []column.Bucket, hour column.Bucket) {
	for i, t := range ticks {
		at := int(t.Second) / 60
		if n := len(minutes); n == 0 || minutes[n-1].At != at {
			minutes = append(minutes, column.Bucket{At: at})
		}
		minutes[len(minutes)-1].Add(kind, cells[i])
	}
	for _, m := range minutes {
		hour.Merge(kind, m)
	}
	hour.At = 0
	return minutes, hour
}

// put writes a sealed hour and counts its bytes.
func (s *sealing) put(t track, hour int64, sealed sealedHour) error {
	c := s.hours[hour]
	minutes, err := s.tx.PrepareContext(s.ctx, "INSERT OR REPLACE INTO minutes (id, data) VALUES (?,?)")
	if err != nil {
		return err
	}
	defer minutes.Close()
	putMinutes := func(m probe.Metric, blob []byte) error {
		c.minutes += int64(len(blob)) + rowOverhead
		_, err := minutes.ExecContext(s.ctx, minutesKey(t.id, m, hour), blob)
		return err
	}
	seconds, small := appendMetric(nil, tickColumn, sealed.ticks), []byte(nil)
	for k, m := range t.metrics() {
		seconds = appendMetric(seconds, m, sealed.seconds[k])
		if b := sealed.minutes[k]; len(b) <= packMost {
			small = appendMetric(small, m, b)
		} else if err := putMinutes(m, b); err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
	}
	if small != nil {
		if err := putMinutes(packColumn, small); err != nil {
			return err
		}
	}
	if err := s.exec("INSERT OR REPLACE INTO seconds (id, data) VALUES (?,?)", secondsKey(hour, t.id, packColumn), seconds); err != nil {
		return err
	}
	c.seconds += int64(len(seconds)) + rowOverhead
	c.hours += int64(len(sealed.hour)) + rowOverhead
	return s.exec("INSERT OR REPLACE INTO hours (id, data) VALUES (?,?)", hoursKey(t.id, hour), sealed.hour)
}

// rowOverhead is about what SQLite adds to a blob: key, lengths, cell pointer.
const rowOverhead = 14

// save writes what is known of the hours touched.
func (s *sealing) save() error {
	for h, c := range s.hours {
		if c.gone {
			continue
		}
		if err := s.exec("DELETE FROM chunk_runs WHERE recording=? AND hour=?", s.recording, h); err != nil {
			return err
		}
		if len(c.runs) == 0 {
			if err := s.exec("DELETE FROM chunks WHERE recording=? AND hour=?", s.recording, h); err != nil {
				return err
			}
			continue
		}
		for run, r := range c.runs {
			if err := s.exec("INSERT INTO chunk_runs (run, hour, lo, hi, recording) VALUES (?,?,?,?,?)", run, h, int64(r[0]), int64(r[1]), s.recording); err != nil {
				return err
			}
		}
		err := s.exec("INSERT OR REPLACE INTO chunks (recording, hour, seconds, minutes, hours, cells) VALUES (?,?,?,?,?,?)",
			s.recording, h, c.seconds, c.minutes, c.hours, c.cells)
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *sealing) exec(query string, args ...any) error {
	_, err := s.tx.ExecContext(s.ctx, query, args...)
	return err
}
