package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPlans(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	ctx := t.Context()
	a, err := s.SavePlan(ctx, PlanRecord{Name: " 每天四百张 ", Body: []byte("days: 30\n"), Position: 2})
	if err != nil || a.ID == "" || a.Name != "每天四百张" || !a.Updated.Equal(testNow()) {
		t.Fatalf("%+v, %v", a, err)
	}
	b, err := s.SavePlan(ctx, PlanRecord{Name: a.Name, Body: []byte("days: 7\n"), Position: 1})
	if err != nil || b.ID == a.ID {
		t.Fatalf("a second plan of the same name: %+v, %v", b, err)
	}
	a.Body, a.Name = []byte("days: 31\n"), "renamed"
	if _, err := s.SavePlan(ctx, a); err != nil {
		t.Fatal(err)
	}
	want := func(s *Store, ids ...string) {
		t.Helper()
		list, err := s.Plans(ctx)
		if err != nil || len(list) != len(ids) {
			t.Fatalf("%+v, %v", list, err)
		}
		for i, p := range list {
			if p.ID != ids[i] {
				t.Errorf("plan %d is %+v", i, p)
			}
		}
	}
	want(s, b.ID, a.ID)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	want(s, b.ID, a.ID)
	if list, err := s.Plans(ctx); err != nil || string(list[1].Body) != "days: 31\n" || list[1].Name != "renamed" || list[1].Position != 2 {
		t.Errorf("%+v, %v", list, err)
	}
	for range 2 { // the second time there is nothing to do
		if err := s.DeletePlan(ctx, b.ID); err != nil {
			t.Fatal(err)
		}
	}
	want(s, a.ID)
	if _, err := s.SavePlan(ctx, b); err != nil { // undone
		t.Fatal(err)
	}
	want(s, b.ID, a.ID)
}

func TestPlanThatCannotBeStored(t *testing.T) {
	s := open(t, t.TempDir())
	for why, bad := range map[string]PlanRecord{
		"name empty":    {Name: " ", Body: []byte("x")},
		"name too-long": {Name: strings.Repeat("名", 121), Body: []byte("x")},
		"name control":  {Name: "a\x1b[2J", Body: []byte("x")},
		"body empty":    {Name: "n"},
		"body too-long": {Name: "n", Body: bytes.Repeat([]byte("x"), MaxPlanBody+1)},
		"id too-long":   {ID: strings.Repeat("i", 81), Name: "n", Body: []byte("x")},
	} {
		var in *InputError
		if _, err := s.SavePlan(t.Context(), bad); !errors.As(err, &in) || in.Of != "plan" || in.Field+" "+in.Why != why {
			t.Errorf("%q: %v", why, err)
		}
	}
	if list, err := s.Plans(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	ro, err := Open(t.Context(), Params{Dir: t.TempDir(), ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer ro.Close()
	if list, err := ro.Plans(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("where nothing was saved: %v, %v", list, err)
	}
	if _, err := ro.SavePlan(t.Context(), PlanRecord{Name: "n", Body: []byte("x")}); !errors.Is(err, ErrReadOnly) {
		t.Errorf("read-only: %v", err)
	}
	if err := ro.DeletePlan(t.Context(), "x"); !errors.Is(err, ErrReadOnly) {
		t.Errorf("read-only: %v", err)
	}
}

// childPlans saves plans one after another and says which are on the disk.
func childPlans(dir string) error {
	s, err := Open(context.Background(), Params{Dir: dir, Now: testNow})
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		p := PlanRecord{ID: fmt.Sprint("p", n%7), Name: fmt.Sprint("plan ", n%7), Body: planBody(n), Position: n % 7}
		if _, err := s.SavePlan(context.Background(), p); err != nil {
			return err
		}
		fmt.Println("saved", n)
	}
}

// planBody is long enough to lie on several pages.
func planBody(n int) []byte {
	return []byte(fmt.Sprintf("n: %d\n%s", n, strings.Repeat(fmt.Sprintf("# %08d\n", n), 600)))
}

func TestSavedPlanOutlivesAKill(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	for round := range rounds {
		dir := t.TempDir() // plans of an earlier round may be newer than this one's
		last := killedAfter(t, "plans", dir, 3+rand.IntN(60))
		s := open(t, dir)
		if d := s.Damaged(); d != nil {
			t.Fatalf("set aside: %+v", d)
		}
		list, err := s.Plans(t.Context())
		if err != nil || len(list) == 0 {
			t.Fatalf("%v, %v", list, err)
		}
		newest := 0
		for _, p := range list {
			var n int
			if _, err := fmt.Sscanf(string(p.Body), "n: %d\n", &n); err != nil || !bytes.Equal(p.Body, planBody(n)) || p.ID != fmt.Sprint("p", n%7) {
				t.Fatalf("round %d: half a plan under %s: %.40q, %v", round, p.ID, p.Body, err)
			}
			newest = max(newest, n)
		}
		// One more than was told may have been written.
		if newest != last && newest != last+1 {
			t.Errorf("round %d: told of %d, newest kept is %d", round, last, newest)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// childPlanner is a process beside the writer.
func childPlanner(dir string) error {
	ctx := context.Background()
	s, err := Open(ctx, Params{Dir: dir, Now: testNow})
	if err != nil {
		return err
	}
	if s.Writer() {
		return errors.New("two writers")
	}
	p, err := s.SavePlan(ctx, PlanRecord{Name: "beside", Body: planBody(1)})
	if err != nil {
		return err
	}
	if err := s.DeletePlan(ctx, "gone"); err != nil {
		return err
	}
	list, err := s.Plans(ctx)
	if err != nil || len(list) != 1 || list[0].ID != p.ID {
		return fmt.Errorf("%v, %w", list, err)
	}
	fmt.Print(p.ID)
	return s.Close()
}

func TestSecondProcessHandsItsPlansOver(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if _, err := s.SavePlan(t.Context(), PlanRecord{ID: "gone", Name: "gone", Body: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	cmd := childCommand(t.Context(), t, "planner", dir)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v %s", err, cmd.Stderr)
	}
	list, err := s.Plans(t.Context())
	if err != nil || len(list) != 1 || list[0].ID != string(out) || !bytes.Equal(list[0].Body, planBody(1)) {
		t.Errorf("%q: %+v, %v", out, list, err)
	}
}

// schemaOne makes a database as the first schema left it.
func schemaOne(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, fileName)
	if err := create(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open(driverName, dsn(path, writeParams()))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{
		migrations()[0].sql, "PRAGMA user_version=1",
		`INSERT INTO hosts (id, name, line, created, options) VALUES ('h1', 'box', 'local', 0, '{}')`,
		`INSERT INTO settings (key, value) VALUES ('k', 'v')`,
	} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMigrationFromSchemaOne(t *testing.T) {
	dir := t.TempDir()
	schemaOne(t, dir)
	host := func(s *Store) {
		t.Helper()
		if h, err := s.HostByName(t.Context(), "box"); err != nil || h.ID != "h1" {
			t.Errorf("%+v, %v", h, err)
		}
	}
	// A command that only reads leaves the file as it is and reads it.
	ro, err := Open(t.Context(), Params{Dir: dir, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	host(ro)
	if list, err := ro.Plans(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	if err := ro.Close(); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	if d := s.Damaged(); d != nil {
		t.Fatalf("set aside: %+v", d)
	}
	host(s)
	if _, err := s.SavePlan(t.Context(), PlanRecord{ID: "p", Name: "n", Body: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	var version int
	if err := s.read.QueryRow("PRAGMA user_version").Scan(&version); err != nil || version != schemaVersion {
		t.Errorf("schema %d, %v", version, err)
	}
	if list, err := s.Plans(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}

// TestKilledMigrationIsDoneAgain: each step is one transaction.
func TestKilledMigrationIsDoneAgain(t *testing.T) {
	dir := t.TempDir()
	schemaOne(t, dir)
	path := filepath.Join(dir, fileName)
	db, err := sql.Open(driverName, dsn(path, writeParams()))
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), migrations()[1].sql); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy") // what a kill in here would leave
	if err := os.Mkdir(copied, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal"} {
		copyFile(t, path+suffix, filepath.Join(copied, fileName+suffix))
	}
	if err := errors.Join(tx.Rollback(), db.Close()); err != nil {
		t.Fatal(err)
	}
	s := open(t, copied)
	if list, err := s.Plans(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := s.HostByName(t.Context(), "box"); err != nil {
		t.Error(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
}
