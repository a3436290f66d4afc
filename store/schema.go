package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// applicationID marks a file as ours ("Rntg").
const applicationID = 0x526e7467

// pageSize in bytes. A sealed hour is a few blobs of one to seven thousand bytes
// among many of twenty. Small pages with chains behind them waste 7 % of that
// month, SQLite's 4096 a quarter and more; and a batch of a second, which
// touches a page for every card, writes less to the log.
const pageSize = 1024

// walLimit is what the write-ahead log is cut back to, in bytes.
const walLimit = 4 << 20

type migration struct {
	version int
	name    string
	sql     string
}

// migrations returns the numbered steps in order; a hole or a double number is
// a mistake in the build and panics.
func migrations() []migration {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		panic(err)
	}
	slices.Sort(names)
	list := make([]migration, 0, len(names))
	for i, name := range names {
		base := filepath.Base(name)
		number, _, _ := strings.Cut(base, "_")
		n, err := strconv.Atoi(number)
		if err != nil || n != i+1 {
			panic("migration " + base + " is out of order")
		}
		b, err := migrationFiles.ReadFile(name)
		if err != nil {
			panic(err)
		}
		list = append(list, migration{n, base, string(b)})
	}
	return list
}

// schemaVersion is what this program writes.
var schemaVersion = len(migrations())

// dsn builds a connection string. The driver cuts a name at its first '?', so
// the path is escaped.
func dsn(path string, params url.Values) string {
	p := filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" && !strings.HasPrefix(p, "/") {
		p = "/" + p // file:///C:/...
	}
	u := url.URL{Scheme: "file", Path: p, RawQuery: params.Encode()}
	return u.String()
}

func writeParams() url.Values {
	return url.Values{
		"_txlock":       {"immediate"},
		"_busy_timeout": {"5000"},
		"_journal_mode": {"WAL"},
		"_synchronous":  {"FULL"},
		"_cache_size":   {"-16000"},
	}
}

// openWriter opens the pool of the one writer: a single connection whose
// transactions take the write lock at once.
func openWriter(ctx context.Context, path string) (*sql.DB, error) {
	if err := create(ctx, path); err != nil {
		return nil, err
	}
	db, err := sql.Open(driverName, dsn(path, writeParams()))
	if err != nil {
		return nil, fmt.Errorf("open history for writing: %w", err)
	}
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(1)
	for _, pragma := range []string{
		fmt.Sprintf("PRAGMA journal_size_limit=%d", walLimit),
		fmt.Sprintf("PRAGMA wal_autocheckpoint=%d", walLimit/2/pageSize),
	} {
		if _, err := db.ExecContext(ctx, pragma); err != nil {
			_ = db.Close()
			return nil, fmt.Errorf("open history for writing: %s: %w", pragma, err)
		}
	}
	if err := migrate(ctx, db); err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// create sets what must stand before the first table: page size, vacuum mode
// and whose file it is. On a file that has tables it changes nothing.
func create(ctx context.Context, path string) error {
	// SQLite gives its log files the mode of the database.
	if f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600); err == nil {
		_ = f.Close()
	} else if !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("create history: %w", err)
	}
	db, err := sql.Open(driverName, dsn(path, url.Values{"_busy_timeout": {"5000"}}))
	if err != nil {
		return fmt.Errorf("create history: %w", err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	var tables int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil {
		return fmt.Errorf("create history: %w", err)
	}
	if tables > 0 {
		return nil
	}
	for _, pragma := range []string{
		fmt.Sprintf("PRAGMA page_size=%d", pageSize),
		"PRAGMA auto_vacuum=INCREMENTAL",
		fmt.Sprintf("PRAGMA application_id=%d", applicationID),
		"PRAGMA journal_mode=WAL",
	} {
		if _, err := db.ExecContext(ctx, pragma); err != nil {
			return fmt.Errorf("create history: %s: %w", pragma, err)
		}
	}
	return nil
}

// migrate brings the schema to schemaVersion, a transaction a step.
func migrate(ctx context.Context, db *sql.DB) error {
	var have int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	for _, m := range migrations() {
		if m.version <= have {
			continue
		}
		err := transact(ctx, db, func(tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, m.sql); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version=%d", m.version))
			return err
		})
		if err != nil {
			return fmt.Errorf("migration %s: %w", m.name, err)
		}
	}
	return nil
}

// openReader opens the pool of the readers.
func openReader(path string) (*sql.DB, error) {
	db, err := sql.Open(driverName, dsn(path, url.Values{
		"mode":          {"ro"},
		"_query_only":   {"1"},
		"_busy_timeout": {"5000"},
		"_cache_size":   {"-16000"},
	}))
	if err != nil {
		return nil, fmt.Errorf("open history for reading: %w", err)
	}
	db.SetMaxOpenConns(4)
	db.SetMaxIdleConns(4)
	return db, nil
}

// transact runs f in one transaction.
func transact(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err := f(tx); err != nil {
		_ = tx.Rollback()
		return err
	}
	if err := tx.Commit(); err != nil {
		_ = tx.Rollback()
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}
