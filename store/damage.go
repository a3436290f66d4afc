package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Damage tells of a database that was set aside. Nothing in it was changed.
type Damage struct {
	Kind string    // "damaged", "newer" (of a later program) or "foreign" (not ours)
	Path string    // where it lies now
	When time.Time // when it was set aside
	Said string    // what the database library said, for the details
}

// markName is a file beside the database that says that damage was met while
// it was open; the next Open sets it aside.
const markName = "history.damaged"

// inspect looks at a database before it is opened for writing and says why it
// can't be written. A missing or empty file is fine.
func inspect(ctx context.Context, path string) (kind, said string) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && info.Size() == 0) {
		return "", ""
	}
	if said, err := os.ReadFile(filepath.Join(filepath.Dir(path), markName)); err == nil {
		return "damaged", string(said)
	}
	// For reading only: the last writer to close folds the log into the file,
	// and a file that is not ours to write must stay as it is.
	db, err := openReader(path)
	if err != nil {
		return "", ""
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	kind, err = inspectOpen(ctx, db)
	var check *errCheck
	if err != nil && (classOf(err) == troubleDamaged || errors.As(err, &check)) {
		return "damaged", err.Error()
	}
	return kind, ""
}

func inspectOpen(ctx context.Context, db *sql.DB) (kind string, err error) {
	var app, version, tables int
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&app); err != nil {
		return "", err
	}
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return "", err
	}
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil {
		return "", err
	}
	switch {
	case tables > 0 && app != applicationID:
		return "foreign", nil
	case version > schemaVersion:
		return "newer", nil
	case tables == 0 || version == 0:
		return "", nil
	}
	return "", probeTables(ctx, db)
}

// probeTables touches both ends of every table, which finds a cut or
// overwritten file in a moment; a full check of a large file would hold up the
// window.
func probeTables(ctx context.Context, db *sql.DB) error {
	names, err := listRows(ctx, db, "SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite_%'", nil, itself[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		for _, order := range []string{"ASC", "DESC"} {
			query := fmt.Sprintf(`SELECT * FROM %q ORDER BY 1 %s LIMIT 1`, name, order)
			if err := eachRow(ctx, db, query, nil, func(*sql.Rows) error { return nil }); err != nil {
				return err
			}
		}
	}
	var pages int64
	if err := db.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages); err != nil {
		return err
	}
	if pages <= quickCheckPages {
		return quickCheck(ctx, db)
	}
	return nil
}

// quickCheckPages is the size up to which a whole check is cheap (32 MiB).
const quickCheckPages = 32 << 20 / pageSize

// errCheck is a failed quick_check; it counts as damage.
type errCheck struct{ said string }

func (e *errCheck) Error() string { return "quick_check: " + e.said }

func quickCheck(ctx context.Context, db *sql.DB) error {
	var said string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&said); err != nil {
		return err
	}
	if said != "ok" {
		return &errCheck{said}
	}
	return nil
}

// setAside renames a database together with its log files, so that it can
// still be opened where it lies then.
func setAside(path, kind, said string, now time.Time) (*Damage, error) {
	base := strings.TrimSuffix(path, filepath.Ext(path))
	to := fmt.Sprintf("%s.%s-%s%s", base, kind, now.Format("20060102-150405"), filepath.Ext(path))
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			break
		}
		to = fmt.Sprintf("%s.%s-%s-%d%s", base, kind, now.Format("20060102-150405"), n, filepath.Ext(path))
	}
	// The log first: without its database it is never read for another.
	for _, part := range []string{"-wal", "-shm", ""} {
		if err := os.Rename(path+part, to+part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("set %s database aside: %w", kind, err)
		}
	}
	if err := os.Remove(filepath.Join(filepath.Dir(path), markName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("set %s database aside: %w", kind, err)
	}
	return &Damage{Kind: kind, Path: to, When: now, Said: said}, nil
}

// markDamaged leaves the mark for the next Open.
func markDamaged(dir string, err error) {
	_ = os.WriteFile(filepath.Join(dir, markName), []byte(err.Error()), 0o600)
}

const damageKey = "damage"

// Damaged returns what was set aside and not yet acknowledged, nil for nothing.
func (s *Store) Damaged() *Damage {
	text, err := s.setting(context.Background(), damageKey)
	if err != nil || text == "" {
		return nil
	}
	var d Damage
	if json.Unmarshal([]byte(text), &d) != nil {
		return nil
	}
	return &d
}

// AcknowledgeDamage makes Damaged return nil from now on.
func (s *Store) AcknowledgeDamage(ctx context.Context) error {
	b, err := s.writes()
	if err != nil {
		return err
	}
	return b.saveSetting(ctx, damageKey, "")
}
