package store

import (
	"database/sql"
	"fmt"
)

// close settles the recordings that got something.
func (f *filling) close() error {
	for _, r := range f.recs {
		s := f.filled[r.id]
		if s == nil {
			continue
		}
		if err := f.exec("UPDATE recordings SET first=?1, last=?2, ended=CASE WHEN reason=?3 THEN ?2*1000+1000 ELSE ended END WHERE id=?4",
			r.first, r.last, EndRecorder, r.id); err != nil {
			return err
		}
		// What was judged of it is judged of something else.
		for _, table := range []string{"judged", "phases"} {
			if err := f.exec("DELETE FROM "+table+" WHERE recording=?", r.id); err != nil {
				return err
			}
		}
	}
	return f.seal()
}

// seal seals the hours of closed recordings that are over, or all of them with
// the last fill: an hour comes in several, and is sealed once. What a link that
// goes in between leaves open can be read, and is sealed with the next.
func (f *filling) seal() error {
	closed, hours := map[int64]bool{}, map[int64][]int64{}
	newest := int64(0)
	for _, r := range f.recs {
		closed[r.id] = !r.open
		for h := range f.hoursOf(r.id) {
			newest = max(newest, h)
		}
	}
	err := eachRow(f.ctx, f.tx, `SELECT DISTINCT t.recording, r.t/3600 FROM rows r JOIN tracks t ON t.id=r.track ORDER BY 1, 2`, nil, func(rows *sql.Rows) error {
		var id, hour int64
		if err := rows.Scan(&id, &hour); err != nil {
			return err
		}
		if closed[id] && (f.fill.Last || hour < newest) {
			hours[id] = append(hours[id], hour)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for id, list := range hours {
		if f.o.onSeal != nil {
			f.o.onSeal()
		}
		seal := sealing{ctx: f.ctx, tx: f.tx, recording: id}
		if err := seal.run(list); err != nil {
			return fmt.Errorf("seal hours of recording %d: %w", id, err)
		}
	}
	return nil
}

// hoursOf returns the hours of a recording that got something.
func (f *filling) hoursOf(id int64) map[int64]bool {
	if s := f.filled[id]; s != nil {
		return s.hours
	}
	return nil
}
