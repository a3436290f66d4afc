package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"rentgen/probe"
)

// houseEvery is how often retention is looked after without being asked.
const houseEvery = 10 * time.Minute

// unsealed are hours of a recording that a crash left as rows.
type unsealed struct {
	recording int64
	hours     []int64
}

// recover ends recordings that were left open and lists what is to be sealed.
func (o *owner) recover(ctx context.Context) ([]unsealed, error) {
	err := transact(ctx, o.db, func(tx *sql.Tx) error {
		for _, query := range []string{
			`UPDATE runs SET ended=(SELECT coalesce(last*1000, started) FROM recordings r WHERE r.id=recording), reason='` + EndCrash + `'
				WHERE ended IS NULL AND recording IN (SELECT id FROM recordings WHERE ended IS NULL)`,
			`UPDATE recordings SET ended=coalesce(last*1000, started), reason='` + EndCrash + `' WHERE ended IS NULL`,
		} {
			if _, err := tx.ExecContext(ctx, query); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var list []unsealed
	err = eachRow(ctx, o.db, `SELECT DISTINCT t.recording, r.t/3600 FROM rows r JOIN tracks t ON t.id=r.track
		JOIN recordings k ON k.id=t.recording WHERE k.deleted=0 ORDER BY 1, 2`, nil, func(rows *sql.Rows) error {
		var recording, hour int64
		if err := rows.Scan(&recording, &hour); err != nil {
			return err
		}
		if n := len(list); n == 0 || list[n-1].recording != recording {
			list = append(list, unsealed{recording: recording})
		}
		u := &list[len(list)-1]
		u.hours = append(u.hours, hour)
		return nil
	})
	return list, err
}

// keepHouse seals what a crash left, then deletes and shrinks, in small
// transactions between which the writer gets its turn.
func (o *owner) keepHouse(left []unsealed) {
	defer o.done.Done()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-o.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	for _, u := range left {
		for _, h := range u.hours {
			if ctx.Err() != nil {
				return
			}
			if err := o.seal(ctx, u.recording, []int64{h}); err != nil {
				o.houseTrouble(ctx, err)
			}
		}
	}
	tick := time.NewTicker(houseEvery)
	defer tick.Stop()
	for {
		select {
		case <-o.stop:
			return
		case <-tick.C:
		case <-o.chore:
		}
		if err := o.tidy(ctx); err != nil {
			o.houseTrouble(ctx, err)
		}
	}
}

func (o *owner) houseTrouble(ctx context.Context, err error) {
	if ctx.Err() == nil && !errors.Is(err, ErrClosed) {
		o.trouble(fmt.Errorf("keep history tidy: %w", err))
	}
}

// tidy removes what was deleted or is past its retention and gives the space
// back.
func (o *owner) tidy(ctx context.Context) error {
	if err := o.purge(ctx); err != nil {
		return err
	}
	if err := o.retain(ctx); err != nil {
		return err
	}
	if err := o.shrink(ctx); err != nil {
		return err
	}
	return o.cutLog(ctx)
}

// purge takes deleted recordings apart.
func (o *owner) purge(ctx context.Context) error {
	for {
		var id int64
		err := o.db.QueryRowContext(ctx, "SELECT id FROM recordings WHERE deleted=1 LIMIT 1").Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := o.purgeOne(ctx, id); err != nil {
			return fmt.Errorf("delete recording %d: %w", id, err)
		}
	}
}

func (o *owner) purgeOne(ctx context.Context, id int64) error {
	tracks, err := o.tracks(ctx, id)
	if err != nil {
		return err
	}
	for {
		more, err := o.dropSeconds(ctx, "recording=?", id)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	for _, t := range tracks {
		for _, step := range []struct {
			query  string
			lo, hi int64
		}{
			{"DELETE FROM minutes WHERE id IN (SELECT id FROM minutes WHERE id BETWEEN ? AND ? LIMIT 2000)", minutesKey(t, 0, 0), minutesKey(t+1, 0, 0) - 1},
			{"DELETE FROM hours WHERE id IN (SELECT id FROM hours WHERE id BETWEEN ? AND ? LIMIT 2000)", hoursKey(t, 0), hoursKey(t+1, 0) - 1},
			{"DELETE FROM rows WHERE (track, run, seq) IN (SELECT track, run, seq FROM rows WHERE track BETWEEN ? AND ? LIMIT 2000)", t, t},
		} {
			for {
				res, err := o.db.ExecContext(ctx, step.query, step.lo, step.hi)
				if err != nil {
					return err
				}
				if n, err := res.RowsAffected(); err != nil || n == 0 {
					if err != nil {
						return err
					}
					break
				}
			}
		}
	}
	return transact(ctx, o.db, func(tx *sql.Tx) error {
		for _, table := range []string{"chunks", "chunk_runs", "gaps", "events", "runs", "tracks", "inventories", "judged", "phases", "imports"} {
			if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE recording=?", id); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM gpus WHERE id NOT IN (SELECT gpu FROM tracks)"); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM recordings WHERE id=?", id)
		return err
	})
}

func (o *owner) tracks(ctx context.Context, recording int64) ([]int64, error) {
	return listRows(ctx, o.db, "SELECT id FROM tracks WHERE recording=?", []any{recording}, itself[int64])
}

// dropSeconds removes the seconds of the oldest hour that meets cond; false
// when there is none.
func (o *owner) dropSeconds(ctx context.Context, cond string, arg int64) (bool, error) {
	return o.dropHour(ctx, "seconds", cond, arg, func(tx *sql.Tx, hour, track int64) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM seconds WHERE id BETWEEN ? AND ?", secondsKey(hour, track, 0), secondsKey(hour, track, tickColumn))
		return err
	})
}

func (o *owner) dropMinutes(ctx context.Context, cond string, arg int64) (bool, error) {
	return o.dropHour(ctx, "minutes", cond, arg, func(tx *sql.Tx, hour, track int64) error {
		for _, list := range [][]probe.Metric{gpuMetrics, systemMetrics, {packColumn}} {
			for _, m := range list {
				if _, err := tx.ExecContext(ctx, "DELETE FROM minutes WHERE id=?", minutesKey(track, m, hour)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (o *owner) dropHour(ctx context.Context, tier, cond string, arg int64, drop func(tx *sql.Tx, hour, track int64) error) (bool, error) {
	var recording, hour int64
	err := o.db.QueryRowContext(ctx, "SELECT recording, hour FROM chunks WHERE "+cond+" AND "+tier+">0 ORDER BY hour LIMIT 1", arg).Scan(&recording, &hour)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	tracks, err := o.tracks(ctx, recording)
	if err != nil {
		return false, err
	}
	err = transact(ctx, o.db, func(tx *sql.Tx) error {
		for _, t := range tracks {
			if err := drop(tx, hour, t); err != nil {
				return err
			}
		}
		if tier == "seconds" {
			if _, err := tx.ExecContext(ctx, "DELETE FROM chunk_runs WHERE recording=? AND hour=?", recording, hour); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, "UPDATE chunks SET "+tier+"=0 WHERE recording=? AND hour=?", recording, hour)
		return err
	})
	return true, err
}

// shrink gives free pages back to the file system, some at a time.
func (o *owner) shrink(ctx context.Context) error {
	for {
		var free int64
		if err := o.db.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&free); err != nil {
			return err
		}
		if free == 0 {
			return nil
		}
		// The pragma frees a page with every row it returns.
		if err := eachRow(ctx, o.db, "PRAGMA incremental_vacuum(256)", nil, func(*sql.Rows) error { return nil }); err != nil {
			return err
		}
		var after int64
		if err := o.db.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&after); err != nil || after >= free {
			return err
		}
	}
}
