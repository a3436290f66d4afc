package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/fxamacker/cbor/v2"

	"rentgen/probe"
)

// Recordings returns recordings, the newest first.
func (s *Store) Recordings(ctx context.Context, f Filter) ([]Recording, error) {
	list, err := s.recordings(ctx, f, 0)
	if err != nil {
		return nil, fmt.Errorf("list recordings: %w", named(err))
	}
	return list, nil
}

// Recording returns one recording; ErrNotFound without.
func (s *Store) Recording(ctx context.Context, id int64) (Recording, error) {
	list, err := s.recordings(ctx, Filter{}, id)
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Recording{}, fmt.Errorf("recording %d: %w", id, named(err))
	}
	return list[0], nil
}

func (s *Store) recordings(ctx context.Context, f Filter, id int64) ([]Recording, error) {
	db, err := s.reads()
	if err != nil {
		return nil, err
	}
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	where, args := []string{"deleted=0"}, []any{}
	add := func(cond string, arg any) { where, args = append(where, cond), append(args, arg) }
	if id != 0 {
		add("id=?", id)
	}
	if f.Host != "" {
		add("host=?", f.Host)
	}
	if !f.From.IsZero() {
		add("coalesce(last, started/1000)>=?", f.From.Unix())
	}
	if !f.To.IsZero() {
		add("coalesce(first, started/1000)<?", f.To.Unix())
	}
	if f.NoDemo {
		where = append(where, "demo=0")
	}
	limit := f.Limit
	if limit <= 0 {
		limit = math.MaxInt32
	}
	args = append(args, limit)
	imported := "coalesce((SELECT name FROM imports i WHERE i.recording=r.id), '')"
	if s.lacks(judgedSince) {
		imported = "''"
	}
	list := []Recording{}
	err = eachRow(ctx, tx, `SELECT id, host, host_name, demo, source, first, last, ended IS NULL, reason, lost,
			(SELECT count(*) FROM gaps g WHERE g.recording=r.id),
			(SELECT coalesce(sum(seconds+minutes+hours), 0) FROM chunks c WHERE c.recording=r.id), `+imported+`
		FROM recordings r WHERE `+strings.Join(where, " AND ")+" ORDER BY coalesce(first, started/1000) DESC, id DESC LIMIT ?", args, func(rows *sql.Rows) error {
		var r Recording
		var first, last sql.NullInt64
		if err := rows.Scan(&r.ID, &r.HostID, &r.HostName, &r.Demo, &r.Source, &first, &last, &r.Open, &r.Reason, &r.Lost, &r.Gaps, &r.Bytes, &r.Imported); err != nil {
			return err
		}
		if first.Valid {
			r.From, r.To = time.Unix(first.Int64, 0).UTC(), time.Unix(last.Int64, 0).UTC()
		}
		list = append(list, r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range list {
		if err := fillRecording(ctx, tx, &list[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// fillRecording adds the cards and the size of what is not sealed.
func fillRecording(ctx context.Context, tx *sql.Tx, r *Recording) error {
	var open int64
	err := tx.QueryRowContext(ctx, "SELECT coalesce(sum(length(data)+24), 0) FROM rows WHERE track IN (SELECT id FROM tracks WHERE recording=?)", r.ID).Scan(&open)
	if err != nil {
		return err
	}
	r.Bytes += open
	return eachRow(ctx, tx, "SELECT uuid, device FROM tracks WHERE recording=? AND uuid<>'' ORDER BY id", []any{r.ID}, func(rows *sql.Rows) error {
		var uuid string
		var blob []byte
		if err := rows.Scan(&uuid, &blob); err != nil {
			return err
		}
		var d probe.Device
		if err := cbor.Unmarshal(blob, &d); err != nil {
			return fmt.Errorf("card %s: %w", uuid, err)
		}
		r.Devices = append(r.Devices, d)
		return nil
	})
}

// spanWhere turns a span into conditions on a table with recording and uuid.
func spanWhere(sp Span) (string, []any) {
	cond := "recording IN (SELECT id FROM recordings WHERE deleted=0 AND host=?)"
	args := []any{sp.Host}
	if sp.Recording != 0 {
		cond, args = "recording=? AND (SELECT deleted FROM recordings WHERE id=recording)=0", []any{sp.Recording}
	}
	if sp.GPU != "" {
		cond += " AND (uuid=? OR uuid='')"
		args = append(args, sp.GPU)
	}
	return cond, args
}

func milliBounds(sp Span) (from, to int64) {
	from, to = math.MinInt64, math.MaxInt64
	if !sp.From.IsZero() {
		from = sp.From.UnixMilli()
	}
	if !sp.To.IsZero() {
		to = sp.To.UnixMilli()
	}
	return from, to
}

// Gaps returns the gaps that touch a span, by time. With a card named, gaps of
// the whole host are among them.
func (s *Store) Gaps(ctx context.Context, sp Span) ([]probe.Gap, error) {
	cond, args := spanWhere(sp)
	from, to := milliBounds(sp)
	list := []probe.Gap{}
	err := s.each(ctx, "SELECT uuid, t0, t1, reason FROM gaps WHERE "+cond+" AND t1>? AND t0<? ORDER BY t0, id", append(args, from, to), func(rows *sql.Rows) error {
		var g probe.Gap
		var t0, t1 int64
		if err := rows.Scan(&g.GPU, &t0, &t1, &g.Reason); err != nil {
			return err
		}
		g.From, g.To = fromMilli(t0), fromMilli(t1)
		list = append(list, g)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list gaps: %w", named(err))
	}
	return list, nil
}

// Events returns the events of a span, by time. With a card named, events of
// the whole host are among them.
func (s *Store) Events(ctx context.Context, sp Span) ([]probe.Event, error) {
	cond, args := spanWhere(sp)
	from, to := milliBounds(sp)
	list := []probe.Event{}
	err := s.each(ctx, "SELECT uuid, t, kind, code, text, raw FROM events WHERE "+cond+" AND t>=? AND t<? ORDER BY t, id", append(args, from, to), func(rows *sql.Rows) error {
		var e probe.Event
		var t int64
		if err := rows.Scan(&e.GPU, &t, &e.Kind, &e.Code, &e.Text, &e.Raw); err != nil {
			return err
		}
		e.Time = fromMilli(t)
		list = append(list, e)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list events: %w", named(err))
	}
	return list, nil
}

func (s *Store) each(ctx context.Context, query string, args []any, f func(*sql.Rows) error) error {
	db, err := s.reads()
	if err != nil {
		return err
	}
	return eachRow(ctx, db, query, args, f)
}

// DeleteRecording removes a recording: at once from every list, its bytes in
// the background. One that is being written is ErrStillRecording.
func (s *Store) DeleteRecording(ctx context.Context, id int64) error {
	b, err := s.writes()
	if err != nil {
		return err
	}
	if err := b.deleteRecording(ctx, id); err != nil {
		return fmt.Errorf("delete recording %d: %w", id, err)
	}
	return nil
}

func (o *owner) deleteRecording(ctx context.Context, id int64) error {
	res, err := o.db.ExecContext(ctx, "UPDATE recordings SET deleted=1 WHERE id=? AND deleted=0 AND ended IS NOT NULL", id)
	if err != nil {
		return named(err)
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		o.tend()
		return err
	}
	var open bool
	err = o.db.QueryRowContext(ctx, "SELECT ended IS NULL FROM recordings WHERE id=? AND deleted=0", id).Scan(&open)
	if err == nil && open {
		return ErrStillRecording
	}
	return ErrNotFound
}
