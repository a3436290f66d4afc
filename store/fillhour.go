package store

import (
	"database/sql"
	"fmt"

	"rentgen/probe"
	"rentgen/store/column"
)

// What is known of a second of a card.
const (
	secondNone   = 0
	secondLive   = 1
	secondFilled = 2 // by a recorder on the host
)

// taken says which seconds of an hour are there, in any recording of a host.
type taken struct {
	cards map[string]*[hourSeconds]byte
	gone  map[int64]bool // recordings whose seconds of this hour were let go of
}

func (h *taken) at(card string, t int64) byte {
	if card == anyCard {
		var most byte
		for _, c := range h.cards {
			if c[t%hourSeconds] == secondLive {
				return secondLive
			}
			most = max(most, c[t%hourSeconds])
		}
		return most
	}
	c := h.cards[card]
	if c == nil {
		return secondNone
	}
	return c[t%hourSeconds]
}

func (h *taken) set(card string, t int64, what byte) {
	c := h.cards[card]
	if c == nil {
		c = new([hourSeconds]byte)
		h.cards[card] = c
	}
	if c[t%hourSeconds] != secondLive {
		c[t%hourSeconds] = what
	}
}

// keptHours bounds the hours held at once: a fill goes forward in time.
const keptHours = 8

// hour reads what is there of an hour.
func (f *filling) hour(hour int64) (*taken, error) {
	if h := f.hours[hour]; h != nil {
		return h, nil
	}
	if len(f.hours) >= keptHours {
		clear(f.hours) // what was added since is in the tables
	}
	h := &taken{cards: map[string]*[hourSeconds]byte{}, gone: map[int64]bool{}}
	from, to := hour*hourSeconds, (hour+1)*hourSeconds
	for _, r := range f.recs {
		if r.last < from || r.first >= to {
			continue
		}
		if err := f.readHour(r, hour, h); err != nil {
			return nil, fmt.Errorf("hour %d of recording %d: %w", hour, r.id, err)
		}
	}
	f.hours[hour] = h
	return h, nil
}

func (f *filling) readHour(r *filledRecording, hour int64, h *taken) error {
	runs, err := listRows(f.ctx, f.tx, "SELECT id FROM runs WHERE recording=? AND source=?", []any{r.id, sourceResident}, itself[int64])
	if err != nil {
		return err
	}
	ours := map[int64]bool{}
	for _, id := range runs {
		ours[id] = true
	}
	mark := func(card string, t, run int64) {
		what := byte(secondLive)
		if ours[run] {
			what = secondFilled
		}
		h.set(card, t, what)
	}
	tracks, err := readTracks(f.ctx, f.tx, r.id)
	if err != nil {
		return err
	}
	from, to := hour*hourSeconds, (hour+1)*hourSeconds
	for _, t := range tracks {
		blob, err := oneOf(f.ctx, f.tx, secondsQuery, tickColumn, func(m probe.Metric) int64 { return secondsKey(hour, t.id, m) })
		if err != nil {
			return err
		}
		if blob != nil {
			ticks, err := column.DecodeTicks(blob)
			if err != nil {
				return err
			}
			for _, k := range ticks {
				mark(t.uuid, from+int64(k.Second), k.Run)
			}
		}
		err = eachRow(f.ctx, f.tx, "SELECT t, run FROM rows WHERE track=? AND t>=? AND t<?", []any{t.id, from, to}, func(rows *sql.Rows) error {
			var at, run int64
			if err := rows.Scan(&at, &run); err != nil {
				return err
			}
			mark(t.uuid, at, run)
			return nil
		})
		if err != nil {
			return err
		}
	}
	var gone bool
	err = f.tx.QueryRowContext(f.ctx, "SELECT seconds=0 AND cells>0 FROM chunks WHERE recording=? AND hour=?", r.id, hour).Scan(&gone)
	if err != nil && err != sql.ErrNoRows { //nolint:errorlint // likewise
		return err
	}
	h.gone[r.id] = gone
	return nil
}
