package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/fxamacker/cbor/v2"

	"rentgen/probe"
)

// flush writes what waits of the tapes in one transaction. After an error
// everything is handed back and nothing was written.
func (o *owner) flush(ctx context.Context, tapes []*tape) error {
	type part struct {
		t *tape
		b batch
		f *flushing
	}
	var parts []part
	for _, t := range tapes {
		if b := t.take(); !b.empty() {
			parts = append(parts, part{t: t, b: b})
		}
	}
	if len(parts) == 0 {
		return nil
	}
	err := transact(ctx, o.db, func(tx *sql.Tx) error {
		if o.failFlush != nil {
			if err := o.failFlush(); err != nil {
				return err
			}
		}
		for i := range parts {
			p := &parts[i]
			p.f = &flushing{ctx: ctx, tx: tx, t: p.t, tracks: map[string]int64{}, runs: map[*run]int64{}}
			if len(p.b.devices) > 0 {
				if err := p.f.inventory(p.t.latestInventory(), o.s.p.Now()); err != nil {
					return fmt.Errorf("inventory: %w", err)
				}
			}
			if err := p.f.write(&p.b); err != nil {
				return err
			}
			if err := o.seen.keep(ctx, tx, p.t.host, false); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		for _, p := range parts {
			p.t.giveBack(p.b)
		}
		return fmt.Errorf("write history: %w", err)
	}
	now := time.Now()
	for _, p := range parts {
		for uuid, id := range p.f.tracks {
			p.t.trackIDs[uuid] = id
		}
		for r, id := range p.f.runs {
			r.id = id
		}
		for _, r := range p.b.rows {
			p.t.hours[hourOf(r.t)] = now
			if r.slot > 0 {
				o.seen.add(p.t.host, r.run.identity.BootID, r.slot, r.t)
			}
		}
		if p.b.lost > 0 {
			o.s.tell(fmt.Errorf("%w: %d seconds of cards", ErrLost, p.b.lost))
		}
	}
	return nil
}

// flushing is the part of one transaction that belongs to one recording. Ids
// made in it count only once it is committed.
type flushing struct {
	ctx    context.Context
	tx     *sql.Tx
	t      *tape
	tracks map[string]int64
	runs   map[*run]int64
}

func (f *flushing) exec(query string, args ...any) error {
	_, err := f.tx.ExecContext(f.ctx, query, args...)
	return err
}

func (f *flushing) write(b *batch) error {
	for _, d := range b.devices {
		if err := f.device(d); err != nil {
			return fmt.Errorf("card: %w", err)
		}
	}
	if err := f.rows(b.rows); err != nil {
		return err
	}
	for _, g := range b.gaps {
		err := f.exec(`INSERT INTO gaps (recording, uuid, t0, t1, reason, lost) VALUES (?,?,?,?,?,?)
			ON CONFLICT (recording, t0, uuid, reason) DO UPDATE SET t1=max(t1, excluded.t1), lost=lost+excluded.lost`,
			f.t.recording, g.GPU, g.From.UnixMilli(), g.To.UnixMilli(), string(g.Reason), g.lost)
		if err != nil {
			return fmt.Errorf("gap: %w", err)
		}
	}
	for _, e := range b.events {
		err := f.exec("INSERT OR IGNORE INTO events (recording, uuid, t, kind, code, text, raw) VALUES (?,?,?,?,?,?,?)",
			f.t.recording, e.GPU, e.Time.UnixMilli(), e.Kind, e.Code, e.Text, e.Raw)
		if err != nil {
			return fmt.Errorf("event: %w", err)
		}
	}
	for _, r := range b.ended {
		if id := f.runID(r); id != 0 {
			if err := f.exec("UPDATE runs SET ended=?, reason=? WHERE id=?", r.topT*1000, r.reason, id); err != nil {
				return fmt.Errorf("end run: %w", err)
			}
		}
	}
	if b.lost > 0 {
		return f.exec("UPDATE recordings SET lost=lost+? WHERE id=?", b.lost, f.t.recording)
	}
	return nil
}

func (f *flushing) rows(rows []pendingRow) error {
	if len(rows) == 0 {
		return nil
	}
	insert, err := f.tx.PrepareContext(f.ctx, "INSERT OR REPLACE INTO rows (track, run, seq, span, t, data) VALUES (?,?,?,?,?,?)")
	if err != nil {
		return fmt.Errorf("row: %w", err)
	}
	defer insert.Close()
	first, last := rows[0].t, rows[0].t
	for i := range rows {
		r := &rows[i]
		track, err := f.track(r.card)
		if err != nil {
			return fmt.Errorf("track: %w", err)
		}
		run, err := f.run(r.run)
		if err != nil {
			return fmt.Errorf("run: %w", err)
		}
		if r.late {
			// The same readings under another second or another first number.
			err := f.exec("DELETE FROM rows WHERE track=? AND run=? AND seq<=? AND seq+span>=?", track, run, int64(r.seq+r.span), int64(r.seq))
			if err != nil {
				return fmt.Errorf("late row: %w", err)
			}
		}
		if _, err := insert.ExecContext(f.ctx, track, run, int64(r.seq), int64(r.span), r.t, r.data); err != nil {
			return fmt.Errorf("row: %w", err)
		}
		first, last = min(first, r.t), max(last, r.t)
	}
	return f.exec(`UPDATE recordings SET first=min(coalesce(first, ?1), ?1), last=max(coalesce(last, ?2), ?2) WHERE id=?3`,
		first, last, f.t.recording)
}

func (f *flushing) runID(r *run) int64 {
	if r.id != 0 {
		return r.id
	}
	return f.runs[r]
}

func (f *flushing) run(r *run) (int64, error) {
	if id := f.runID(r); id != 0 {
		return id, nil
	}
	init := int64(0)
	if !r.identity.Init.IsZero() {
		init = r.identity.Init.UnixMilli()
	}
	res, err := f.tx.ExecContext(f.ctx, "INSERT INTO runs (recording, boot_id, init, source, agent, offset, started) VALUES (?,?,?,?,?,?,?)",
		f.t.recording, clipText(r.identity.BootID), init, string(r.source), clipText(r.agent), r.offset.Milliseconds(), r.started.UnixMilli())
	if err != nil {
		return 0, err
	}
	id, err := res.LastInsertId()
	f.runs[r] = id
	return id, err
}

func (f *flushing) track(card probe.Device) (int64, error) {
	if id, ok := f.t.trackIDs[card.UUID]; ok {
		return id, nil
	}
	if id, ok := f.tracks[card.UUID]; ok {
		return id, nil
	}
	// A card the inventory did not name.
	return f.addTrack(card)
}

// device keeps what the inventory says of a card.
func (f *flushing) device(d probe.Device) error {
	if d.UUID == machineUUID {
		return nil
	}
	_, err := f.addTrack(d)
	return err
}

func (f *flushing) addTrack(d probe.Device) (int64, error) {
	device, err := cbor.Marshal(d)
	if err != nil {
		return 0, err
	}
	gpu := int64(0)
	if d.UUID != machineUUID {
		if err := f.exec("INSERT INTO gpus (host, uuid, name) VALUES (?,?,?) ON CONFLICT (host, uuid) DO UPDATE SET name=CASE excluded.name WHEN '' THEN name ELSE excluded.name END",
			f.t.host, d.UUID, d.Name); err != nil {
			return 0, err
		}
		if err := f.tx.QueryRowContext(f.ctx, "SELECT id FROM gpus WHERE host=? AND uuid=?", f.t.host, d.UUID).Scan(&gpu); err != nil {
			return 0, err
		}
	}
	if err := f.exec("INSERT INTO tracks (recording, gpu, uuid, device) VALUES (?,?,?,?) ON CONFLICT (recording, uuid) DO UPDATE SET device=excluded.device",
		f.t.recording, gpu, d.UUID, device); err != nil {
		return 0, err
	}
	var id int64
	if err := f.tx.QueryRowContext(f.ctx, "SELECT id FROM tracks WHERE recording=? AND uuid=?", f.t.recording, d.UUID).Scan(&id); err != nil {
		return 0, err
	}
	if id > maxTrack {
		return 0, errors.New("too many tracks")
	}
	f.tracks[d.UUID] = id
	return id, nil
}
