package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Import says which file a recording was read from.
type Import struct {
	Recording int64
	Hash      string // SHA-256 of the file in hex; "" while it is being read
	Name      string // of the file, without its folder
	Time      time.Time
}

// ImportRecord is an Import on its way to the disk.
type ImportRecord struct {
	Recording  int64
	Hash, Name string
	Time       int64 // Unix milliseconds
}

func (r ImportRecord) check() error {
	if err := keptWord("import", "hash", r.Hash, 128, true); err != nil {
		return err
	}
	return keptWord("import", "name", r.Name, maxText, true)
}

// SaveImport marks a recording as read from a file; the mark goes with it. A
// zero time is now. A recording that isn't there is ErrNotFound.
func (s *Store) SaveImport(ctx context.Context, i Import) error {
	b, err := s.writes()
	if err != nil {
		return err
	}
	if i.Time.IsZero() {
		i.Time = s.p.Now()
	}
	r := ImportRecord{i.Recording, i.Hash, i.Name, i.Time.UnixMilli()}
	if err := r.check(); err != nil {
		return err
	}
	if err := b.saveImport(ctx, r); err != nil {
		return fmt.Errorf("mark recording %d as imported: %w", i.Recording, err)
	}
	return nil
}

// ImportByHash returns the newest import of a file with the hash that was read
// to its end; ErrNotFound without.
func (s *Store) ImportByHash(ctx context.Context, hash string) (Import, error) {
	if hash == "" {
		return Import{}, fmt.Errorf("import: %w", ErrNotFound)
	}
	var i Import
	db, err := s.reads()
	if err != nil {
		return i, err
	}
	if s.lacks(judgedSince) {
		return i, fmt.Errorf("import: %w", ErrNotFound)
	}
	var at int64
	err = db.QueryRowContext(ctx, `SELECT i.recording, i.hash, i.name, i.t FROM imports i JOIN recordings r ON r.id=i.recording
		WHERE r.deleted=0 AND i.hash=? ORDER BY i.recording DESC LIMIT 1`, hash).Scan(&i.Recording, &i.Hash, &i.Name, &at)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	if err != nil {
		return Import{}, fmt.Errorf("import: %w", named(err))
	}
	i.Time = fromMilli(at)
	return i, nil
}

func (o *owner) saveImport(ctx context.Context, r ImportRecord) error {
	err := transact(ctx, o.db, func(tx *sql.Tx) error {
		if err := liveRecording(ctx, tx, r.Recording); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO imports (recording, hash, name, t) VALUES (?,?,?,?)", r.Recording, r.Hash, r.Name, r.Time)
		return err
	})
	if errors.Is(err, ErrNotFound) {
		return err
	}
	return named(err)
}

func (p *proxy) saveImport(ctx context.Context, r ImportRecord) error {
	return p.do(ctx, request{Op: opSaveImport, Import: &r}, func(b backend) error { return b.saveImport(ctx, r) })
}
