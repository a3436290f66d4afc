package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	maxHostName = 80
	maxHostLine = 2000
)

// secretWords are what an option's name must not hold, and secretLine what a
// login line must not: passwords live in the keyring, never here.
var (
	secretWords = []string{"password", "passwd", "passphrase", "secret", "token", "privatekey", "private_key"}
	secretLine  = regexp.MustCompile(`(?i)\bsshpass\b|-----BEGIN|(^|[\s/])[^\s@/:]+:[^\s@/\\][^\s@/]*@`)
)

// SaveHost adds a host or changes the one with its ID, and returns it as saved:
// an empty ID makes a new one, an empty Created becomes now. A name another
// host has is ErrNameTaken; a field that can't be stored is an *InputError.
func (s *Store) SaveHost(ctx context.Context, h Host) (Host, error) {
	b, err := s.writes()
	if err != nil {
		return h, err
	}
	h.Name = strings.TrimSpace(h.Name)
	if err := h.check(); err != nil {
		return h, err
	}
	if h.ID == "" {
		h.ID = rand.Text()
	}
	if h.Created.IsZero() {
		h.Created = s.p.Now()
	}
	if err := b.saveHost(ctx, h); err != nil {
		return h, fmt.Errorf("save host %q: %w", h.Name, err)
	}
	return h, nil
}

func (h Host) check() error {
	switch {
	case h.Name == "":
		return &InputError{Field: "name", Why: "empty"}
	case utf8.RuneCountInString(h.Name) > maxHostName:
		return &InputError{Field: "name", Value: string([]rune(h.Name)[:40]), Why: "too-long"}
	case strings.IndexFunc(h.Name, unicode.IsControl) >= 0 || !utf8.ValidString(h.Name):
		return &InputError{Field: "name", Why: "control"}
	case strings.TrimSpace(h.Line) == "":
		return &InputError{Field: "line", Why: "empty"}
	case len(h.Line) > maxHostLine:
		return &InputError{Field: "line", Why: "too-long"}
	case strings.IndexFunc(h.Line, unicode.IsControl) >= 0:
		return &InputError{Field: "line", Why: "control"}
	case secretLine.MatchString(h.Line):
		return &InputError{Field: "line", Why: "secret"}
	}
	for key, value := range h.Options {
		low := strings.ToLower(key)
		for _, word := range secretWords {
			if strings.Contains(low, word) {
				return &InputError{Field: "options", Why: "secret"}
			}
		}
		if len(key)+len(value) > maxHostLine {
			return &InputError{Field: "options", Value: key[:min(len(key), 40)], Why: "too-long"}
		}
		if strings.Contains(value, "-----BEGIN") {
			return &InputError{Field: "options", Why: "secret"}
		}
	}
	return nil
}

// Hosts returns the saved hosts by name.
func (s *Store) Hosts(ctx context.Context) ([]Host, error) {
	list, err := s.hosts(ctx, "ORDER BY name COLLATE NOCASE")
	if err != nil {
		return nil, fmt.Errorf("list hosts: %w", err)
	}
	return list, nil
}

// HostByName returns the host with the name, case aside; ErrNotFound without.
func (s *Store) HostByName(ctx context.Context, name string) (Host, error) {
	return s.oneHost(ctx, name, "WHERE name = ? COLLATE NOCASE", strings.TrimSpace(name))
}

// HostByID returns the host with the ID; ErrNotFound without.
func (s *Store) HostByID(ctx context.Context, id string) (Host, error) {
	return s.oneHost(ctx, id, "WHERE id = ?", id)
}

func (s *Store) oneHost(ctx context.Context, what, where string, arg any) (Host, error) {
	list, err := s.hosts(ctx, where, arg)
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Host{}, fmt.Errorf("host %q: %w", what, err)
	}
	return list[0], nil
}

func (s *Store) hosts(ctx context.Context, tail string, args ...any) ([]Host, error) {
	db, err := s.reads()
	if err != nil {
		return nil, err
	}
	list := []Host{}
	err = eachRow(ctx, db, "SELECT id, name, line, created, options FROM hosts "+tail, args, func(rows *sql.Rows) error {
		var h Host
		var created int64
		var options string
		if err := rows.Scan(&h.ID, &h.Name, &h.Line, &created, &options); err != nil {
			return err
		}
		h.Created = fromMilli(created)
		if err := json.Unmarshal([]byte(options), &h.Options); err != nil {
			return fmt.Errorf("options of %q: %w", h.Name, err)
		}
		list = append(list, h)
		return nil
	})
	if err != nil {
		return nil, named(err)
	}
	return list, nil
}

// ForgetHost removes a host with what Set up and the purse kept of it, which nothing could show
// any more, and its recordings where asked; without, they stay in History under
// the host's name. It does nothing for an ID that isn't there.
func (s *Store) ForgetHost(ctx context.Context, id string, withRecordings bool) error {
	b, err := s.writes()
	if err != nil {
		return err
	}
	if err := b.forgetHost(ctx, id, withRecordings); err != nil {
		return fmt.Errorf("forget host: %w", err)
	}
	return nil
}

func (o *owner) saveHost(ctx context.Context, h Host) error {
	options, err := json.Marshal(h.Options)
	if err != nil {
		return err
	}
	if h.Options == nil {
		options = []byte("{}")
	}
	_, err = o.db.ExecContext(ctx, `INSERT INTO hosts (id, name, line, created, options) VALUES (?,?,?,?,?)
		ON CONFLICT (id) DO UPDATE SET name=excluded.name, line=excluded.line, options=excluded.options`,
		h.ID, h.Name, h.Line, h.Created.UnixMilli(), string(options))
	if err != nil && classOf(err) == troubleConstraint {
		return ErrNameTaken
	}
	return named(err)
}

func (o *owner) forgetHost(ctx context.Context, id string, withRecordings bool) error {
	err := transact(ctx, o.db, func(tx *sql.Tx) error {
		if withRecordings {
			var open int
			if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM recordings WHERE host=? AND ended IS NULL", id).Scan(&open); err != nil {
				return err
			}
			if open > 0 {
				return ErrStillRecording
			}
			if _, err := tx.ExecContext(ctx, "UPDATE recordings SET deleted=1 WHERE host=?", id); err != nil {
				return err
			}
		}
		for _, table := range []string{"guide", "purse"} {
			if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE host=?", id); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM settings WHERE key IN (?,?)", fillKey+id, seenKey+id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM hosts WHERE id=?", id)
		return err
	})
	if err == nil && withRecordings {
		o.tend()
	}
	if errors.Is(err, ErrStillRecording) {
		return err
	}
	return named(err)
}

func fromMilli(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
