package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"rentgen/app/guide"
)

const (
	maxGuideHost = 200
	maxGuideKind = 40
	maxGuideKey  = 512
	// MaxGuideBody is the most bytes an entry of Set up may have: a check with
	// both outputs at their limit fits in.
	MaxGuideBody = 3 << 20
	// MaxGuideSave is the most bytes, and MaxGuideEntries the most entries or
	// keys, of one call: more than a run of every check can bring.
	MaxGuideSave    = 48 << 20
	MaxGuideEntries = 10_000
)

// guideSince is the schema that brought the table of Set up.
const guideSince = 3

var _ guide.Store = (*Store)(nil)

// GuideRecord is an entry of Set up on its way to the disk.
type GuideRecord struct {
	Kind, Key string
	Time      int64 // Unix milliseconds
	Body      []byte
}

// GuideKeys are entries of a host: those of a kind, or with keys.
type GuideKeys struct {
	Host, Kind string
	Keys       []string // none: all of the kind
}

// GuideEntries returns what Set up keeps of a host, by kind, then time, then
// key. A host that nothing is kept of has none.
func (s *Store) GuideEntries(ctx context.Context, host string) ([]guide.Entry, error) {
	db, err := s.reads()
	if err != nil {
		return nil, err
	}
	list := []guide.Entry{}
	if s.older > 0 && s.older < guideSince {
		return list, nil
	}
	query := "SELECT kind, key, time, body FROM guide WHERE host=? ORDER BY kind, time, key"
	err = eachRow(ctx, db, query, []any{host}, func(rows *sql.Rows) error {
		var e guide.Entry
		var at int64
		var body []byte
		if err := rows.Scan(&e.Kind, &e.Key, &at, &body); err != nil {
			return err
		}
		e.Time, e.Body = fromMilli(at), body
		list = append(list, e)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list what is kept of a host: %w", named(err))
	}
	return list, nil
}

// SaveGuideEntries adds entries of a host or replaces those of the same kind and
// key, all or nothing; of two with one key the later in the list counts. An
// entry without time gets now. When it returns they are on the disk. A field
// that can't be stored is an *InputError. The host need not be a saved one.
func (s *Store) SaveGuideEntries(ctx context.Context, host string, entries []guide.Entry) error {
	b, err := s.writes()
	if err != nil || len(entries) == 0 {
		return err
	}
	list := make([]GuideRecord, 0, len(entries))
	for _, e := range entries {
		at := e.Time
		if at.IsZero() {
			at = s.p.Now()
		}
		list = append(list, GuideRecord{Kind: e.Kind, Key: e.Key, Time: at.UnixMilli(), Body: e.Body})
	}
	if err := checkGuide(host, list); err != nil {
		return err
	}
	if err := b.saveGuide(ctx, host, list); err != nil {
		return fmt.Errorf("save %d entries of a host: %w", len(list), err)
	}
	return nil
}

// DeleteGuideEntries removes entries of a host: those with the keys, or all of
// the kind without. It does nothing for those that aren't there.
func (s *Store) DeleteGuideEntries(ctx context.Context, host, kind string, keys ...string) error {
	b, err := s.writes()
	if err != nil {
		return err
	}
	k := GuideKeys{host, kind, keys}
	if err := k.check(); err != nil {
		return err
	}
	if err := b.deleteGuide(ctx, k); err != nil {
		return fmt.Errorf("delete entries of a host: %w", err)
	}
	return nil
}

func guideError(field, value, why string) error { return inputError("guide", field, value, why) }

func inputError(of, field, value, why string) error {
	return &InputError{Of: of, Field: field, Value: cutRunes(value, 40), Why: why}
}

// guideWord looks at a name that entries of Set up are filed under.
func guideWord(field, s string, most int, empty bool) error {
	return keptWord("guide", field, s, most, empty)
}

// keptWord looks at a name that entries are filed under.
func keptWord(of, field, s string, most int, empty bool) error {
	switch {
	case s == "" && !empty:
		return inputError(of, field, "", "empty")
	case len(s) > most:
		return inputError(of, field, s, "too-long")
	case !utf8.ValidString(s) || strings.IndexFunc(s, unicode.IsControl) >= 0:
		return inputError(of, field, "", "control")
	}
	return nil
}

func checkGuide(host string, list []GuideRecord) error {
	if err := guideWord("host", host, maxGuideHost, false); err != nil {
		return err
	}
	if len(list) > MaxGuideEntries {
		return guideError("entries", "", "too-long")
	}
	sum := 0
	for _, r := range list {
		if err := r.check(); err != nil {
			return err
		}
		if sum += len(r.Body); sum > MaxGuideSave {
			return guideError("entries", "", "too-long")
		}
	}
	return nil
}

func (r GuideRecord) check() error {
	if err := guideWord("kind", r.Kind, maxGuideKind, false); err != nil {
		return err
	}
	if err := guideWord("key", r.Key, maxGuideKey, true); err != nil {
		return err
	}
	switch {
	case len(r.Body) == 0:
		return guideError("body", "", "empty")
	case len(r.Body) > MaxGuideBody:
		return guideError("body", "", "too-long")
	case !json.Valid(r.Body):
		return guideError("body", "", "not-json")
	}
	return nil
}

func (k GuideKeys) check() error {
	if err := guideWord("host", k.Host, maxGuideHost, false); err != nil {
		return err
	}
	if err := guideWord("kind", k.Kind, maxGuideKind, false); err != nil {
		return err
	}
	if len(k.Keys) > MaxGuideEntries {
		return guideError("key", "", "too-long")
	}
	for _, key := range k.Keys {
		if err := guideWord("key", key, maxGuideKey, true); err != nil {
			return err
		}
	}
	return nil
}

// cutRunes cuts s to at most n characters.
func cutRunes(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}

func (o *owner) saveGuide(ctx context.Context, host string, list []GuideRecord) error {
	return named(transact(ctx, o.db, func(tx *sql.Tx) error {
		for _, r := range list {
			_, err := tx.ExecContext(ctx, `INSERT INTO guide (host, kind, key, time, body) VALUES (?,?,?,?,?)
				ON CONFLICT (host, kind, key) DO UPDATE SET time=excluded.time, body=excluded.body`,
				host, r.Kind, r.Key, r.Time, r.Body)
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

func (o *owner) deleteGuide(ctx context.Context, k GuideKeys) error {
	return named(transact(ctx, o.db, func(tx *sql.Tx) error {
		if len(k.Keys) == 0 {
			_, err := tx.ExecContext(ctx, "DELETE FROM guide WHERE host=? AND kind=?", k.Host, k.Kind)
			return err
		}
		for _, key := range k.Keys {
			if _, err := tx.ExecContext(ctx, "DELETE FROM guide WHERE host=? AND kind=? AND key=?", k.Host, k.Kind, key); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (p *proxy) saveGuide(ctx context.Context, host string, list []GuideRecord) error {
	return p.do(ctx, request{Op: opSaveGuide, ID: host, Guide: list}, func(b backend) error { return b.saveGuide(ctx, host, list) })
}

func (p *proxy) deleteGuide(ctx context.Context, k GuideKeys) error {
	return p.do(ctx, request{Op: opDeleteGuide, GuideKeys: &k}, func(b backend) error { return b.deleteGuide(ctx, k) })
}
