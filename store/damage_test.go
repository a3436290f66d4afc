package store

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rentgen/probe"
)

func TestDamagedOrNewerIsSetAside(t *testing.T) {
	filled := func(t *testing.T) (dir, path string) {
		dir = t.TempDir()
		s := open(t, dir)
		if err := record(t, s, hourZero, 5000).Close("stopped"); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return dir, filepath.Join(dir, fileName)
	}
	overwrite := func(t *testing.T, path string, at int64, n int) {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteAt(bytes.Repeat([]byte{0xa5}, n), at); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		kind  string
		spoil func(t *testing.T, path string)
	}{
		"header": {"damaged", func(t *testing.T, path string) { overwrite(t, path, 0, 200) }},
		"schema": {"damaged", func(t *testing.T, path string) { overwrite(t, path, 100, 4000) }},
		"pages":  {"damaged", func(t *testing.T, path string) { overwrite(t, path, 10*pageSize, 6*pageSize) }},
		"cut":    {"damaged", func(t *testing.T, path string) { _ = os.Truncate(path, 7*pageSize+100) }},
		"text": {"damaged", func(t *testing.T, path string) {
			_ = os.WriteFile(path, []byte(strings.Repeat("not a database ", 1000)), 0o600)
		}},
		"newer":   {"newer", func(t *testing.T, path string) { execFile(t, path, "PRAGMA user_version=999") }},
		"foreign": {"foreign", func(t *testing.T, path string) { execFile(t, path, "PRAGMA application_id=7") }},
		"marked":  {"damaged", func(t *testing.T, path string) { markDamaged(filepath.Dir(path), errors.New("met while open")) }},
	} {
		t.Run(name, func(t *testing.T) {
			dir, path := filled(t)
			c.spoil(t, path)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s := open(t, dir)
			d := s.Damaged()
			if d == nil || d.Kind != c.kind {
				t.Fatalf("damage %+v, want %s", d, c.kind)
			}
			after, err := os.ReadFile(d.Path)
			if err != nil || !bytes.Equal(before, after) {
				t.Errorf("what was set aside changed: %d bytes, then %d, %v", len(before), len(after), err)
			}
			if err := record(t, s, hourZero, 10).Close("stopped"); err != nil {
				t.Fatal(err)
			}
			// It is told until someone has seen it, also to the next process.
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = open(t, dir)
			if d2 := s.Damaged(); d2 == nil || d2.Path != d.Path {
				t.Errorf("not told again: %+v", d2)
			}
			if err := s.AcknowledgeDamage(t.Context()); err != nil {
				t.Fatal(err)
			}
			if d := s.Damaged(); d != nil {
				t.Errorf("told after it was acknowledged: %+v", d)
			}
			if list, err := s.Recordings(t.Context(), Filter{}); err != nil || len(list) != 1 {
				t.Errorf("fresh history: %v, %v", list, err)
			}
		})
	}
}

func TestNewerWithItsLogIsNotTouched(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if err := record(t, s, hourZero, 100).Close("stopped"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// A later program was killed: its version stands in the log only.
	path := filepath.Join(dir, fileName)
	db, err := sql.Open(driverName, dsn(path, writeParams()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("PRAGMA user_version=999"); err != nil {
		t.Fatal(err)
	}
	left := t.TempDir()
	before := map[string][]byte{}
	for _, part := range []string{"", "-wal"} {
		b, err := os.ReadFile(path + part)
		if err != nil {
			t.Fatal(err)
		}
		before[part] = b
		if err := os.WriteFile(filepath.Join(left, fileName)+part, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, left)
	d := s.Damaged()
	if d == nil || d.Kind != "newer" {
		t.Fatalf("%+v", d)
	}
	for part, want := range before {
		if got, err := os.ReadFile(d.Path + part); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%q changed: %v", part, err)
		}
	}
}

func execFile(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open(driverName, dsn(path, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

func TestEmptyFileIsAFreshHistory(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, fileName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	if d := s.Damaged(); d != nil {
		t.Errorf("damage %+v", d)
	}
	for pragma, want := range map[string]int{
		"auto_vacuum": 2, "page_size": pageSize, "application_id": applicationID, "user_version": schemaVersion, "synchronous": 2,
		"journal_size_limit": walLimit, "busy_timeout": 5000,
	} {
		var got int
		if err := s.back.(*owner).db.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %d, want %d, %v", pragma, got, want, err)
		}
	}
	var mode string
	if err := s.back.(*owner).db.QueryRow("PRAGMA journal_mode").Scan(&mode); err != nil || mode != "wal" {
		t.Errorf("journal mode %q, %v", mode, err)
	}
}

func TestReadOnlyReadsAndNeverWrites(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	s, err := Open(t.Context(), Params{Dir: dir, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if list, err := s.Recordings(t.Context(), Filter{}); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	if list, err := s.Hosts(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := s.SaveHost(t.Context(), Host{Name: "a", Line: "b"}); !errors.Is(err, ErrReadOnly) {
		t.Errorf("wrote: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("made a folder: %v", err)
	}
	if _, err := s.Query(t.Context(), Query{GPU: cardA, Metric: probe.UtilGPU}); !errors.Is(err, ErrClosed) {
		t.Errorf("read after close: %v", err)
	}
}
