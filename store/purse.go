package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"rentgen/app/purse"
)

const (
	// MaxPurseBody is the most bytes an entry of the purse may have: a
	// platform's bill of a year fits in.
	MaxPurseBody = 3 << 20
	// MaxPurseSave is the most bytes, and MaxPurseEntries the most entries or
	// keys, of one call.
	MaxPurseSave    = 48 << 20
	MaxPurseEntries = 10_000
)

// judgedSince is the schema that brought the tables of the purse, of verdicts
// and of imports.
const judgedSince = 4

var _ purse.Store = (*Store)(nil)

// PurseRecord is an entry of the purse on its way to the disk.
type PurseRecord struct {
	Host, Kind, Key string
	Time            int64 // Unix milliseconds
	Body            []byte
}

// PurseKeys are entries of the purse: those of a host and kind, or with keys.
type PurseKeys struct {
	Host, Kind string
	Keys       []string // none: all of the kind
}

// PurseEntries returns what the purse keeps, by time, then key.
func (s *Store) PurseEntries(ctx context.Context, f purse.Filter) ([]purse.Entry, error) {
	db, err := s.reads()
	if err != nil {
		return nil, err
	}
	list := []purse.Entry{}
	if s.lacks(judgedSince) {
		return list, nil
	}
	where, args := []string{"1=1"}, []any{}
	add := func(cond string, arg any) { where, args = append(where, cond), append(args, arg) }
	if !f.AnyHost {
		add("host=?", f.Host)
	}
	if f.Kind != "" {
		add("kind=?", f.Kind)
	}
	if !f.From.IsZero() {
		add("time>=?", ceilMilli(f.From))
	}
	if !f.To.IsZero() {
		add("time<?", ceilMilli(f.To))
	}
	query := "SELECT host, kind, key, time, body FROM purse WHERE " + strings.Join(where, " AND ") + " ORDER BY time, key, kind, host"
	err = eachRow(ctx, db, query, args, func(rows *sql.Rows) error {
		var e purse.Entry
		var at int64
		var body []byte
		if err := rows.Scan(&e.Host, &e.Kind, &e.Key, &at, &body); err != nil {
			return err
		}
		e.Time, e.Body = fromMilli(at), body
		list = append(list, e)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list what the purse keeps: %w", named(err))
	}
	return list, nil
}

// lacks reports whether the file, which is only read, is from before a schema.
func (s *Store) lacks(since int) bool { return s.older > 0 && s.older < since }

// ceilMilli is the first millisecond that isn't before t.
func ceilMilli(t time.Time) int64 {
	ms := t.UnixMilli()
	if t.After(time.UnixMilli(ms)) {
		ms++
	}
	return ms
}

// SavePurseEntries adds entries or replaces those of the same host, kind and
// key, all or nothing; of two alike the later in the list counts. An entry
// without time gets now. When it returns they are on the disk. A field that
// can't be stored is an *InputError. The host need not be a saved one.
func (s *Store) SavePurseEntries(ctx context.Context, entries ...purse.Entry) error {
	b, err := s.writes()
	if err != nil || len(entries) == 0 {
		return err
	}
	list := make([]PurseRecord, 0, len(entries))
	for _, e := range entries {
		at := e.Time
		if at.IsZero() {
			at = s.p.Now()
		}
		list = append(list, PurseRecord{Host: e.Host, Kind: e.Kind, Key: e.Key, Time: at.UnixMilli(), Body: e.Body})
	}
	if err := checkPurse(list); err != nil {
		return err
	}
	if err := b.savePurse(ctx, list); err != nil {
		return fmt.Errorf("save %d entries of the purse: %w", len(list), err)
	}
	return nil
}

// DeletePurseEntries removes entries of a host: those with the keys, or all of
// the kind without. It does nothing for those that aren't there.
func (s *Store) DeletePurseEntries(ctx context.Context, host, kind string, keys ...string) error {
	b, err := s.writes()
	if err != nil {
		return err
	}
	k := PurseKeys{host, kind, keys}
	if err := k.check(); err != nil {
		return err
	}
	if err := b.deletePurse(ctx, k); err != nil {
		return fmt.Errorf("delete entries of the purse: %w", err)
	}
	return nil
}

func checkPurse(list []PurseRecord) error {
	if len(list) > MaxPurseEntries {
		return inputError("purse", "entries", "", "too-long")
	}
	sum := 0
	for _, r := range list {
		if err := r.check(); err != nil {
			return err
		}
		if sum += len(r.Body); sum > MaxPurseSave {
			return inputError("purse", "entries", "", "too-long")
		}
	}
	return nil
}

func (r PurseRecord) check() error {
	if err := (PurseKeys{Host: r.Host, Kind: r.Kind, Keys: []string{r.Key}}).check(); err != nil {
		return err
	}
	switch {
	case len(r.Body) == 0:
		return inputError("purse", "body", "", "empty")
	case len(r.Body) > MaxPurseBody:
		return inputError("purse", "body", "", "too-long")
	case !json.Valid(r.Body):
		return inputError("purse", "body", "", "not-json")
	}
	return nil
}

func (k PurseKeys) check() error {
	if err := keptWord("purse", "host", k.Host, maxGuideHost, true); err != nil {
		return err
	}
	if err := keptWord("purse", "kind", k.Kind, maxGuideKind, false); err != nil {
		return err
	}
	if len(k.Keys) > MaxPurseEntries {
		return inputError("purse", "key", "", "too-long")
	}
	for _, key := range k.Keys {
		if err := keptWord("purse", "key", key, maxGuideKey, true); err != nil {
			return err
		}
	}
	return nil
}

func (o *owner) savePurse(ctx context.Context, list []PurseRecord) error {
	return named(transact(ctx, o.db, func(tx *sql.Tx) error {
		for _, r := range list {
			_, err := tx.ExecContext(ctx, `INSERT INTO purse (host, kind, key, time, body) VALUES (?,?,?,?,?)
				ON CONFLICT (host, kind, key) DO UPDATE SET time=excluded.time, body=excluded.body`,
				r.Host, r.Kind, r.Key, r.Time, r.Body)
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

func (o *owner) deletePurse(ctx context.Context, k PurseKeys) error {
	return named(transact(ctx, o.db, func(tx *sql.Tx) error {
		if len(k.Keys) == 0 {
			_, err := tx.ExecContext(ctx, "DELETE FROM purse WHERE host=? AND kind=?", k.Host, k.Kind)
			return err
		}
		for _, key := range k.Keys {
			if _, err := tx.ExecContext(ctx, "DELETE FROM purse WHERE host=? AND kind=? AND key=?", k.Host, k.Kind, key); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (p *proxy) savePurse(ctx context.Context, list []PurseRecord) error {
	return p.do(ctx, request{Op: opSavePurse, Purse: list}, func(b backend) error { return b.savePurse(ctx, list) })
}

func (p *proxy) deletePurse(ctx context.Context, k PurseKeys) error {
	return p.do(ctx, request{Op: opDeletePurse, PurseKeys: &k}, func(b backend) error { return b.deletePurse(ctx, k) })
}
