package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide"
)

func guideEntry(kind, key string, at time.Time, body string) guide.Entry {
	return guide.Entry{Kind: kind, Key: key, Time: at, Body: json.RawMessage(body)}
}

// wantGuide compares what is kept of a host with "kind/key=body".
func wantGuide(t *testing.T, s *Store, host string, want ...string) {
	t.Helper()
	list, err := s.GuideEntries(t.Context(), host)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, e := range list {
		got = append(got, e.Kind+"/"+e.Key+"="+string(e.Body))
	}
	if !slices.Equal(got, append([]string{}, want...)) {
		t.Errorf("%s keeps %q, want %q", host, got, want)
	}
}

func TestGuideEntries(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	ctx := t.Context()
	early, late := hourZero.Add(time.Millisecond), hourZero.Add(time.Hour)
	save := func(host string, list ...guide.Entry) {
		t.Helper()
		if err := s.SaveGuideEntries(ctx, host, list); err != nil {
			t.Fatal(err)
		}
	}
	wantGuide(t, s, "h1")
	save("h1", guideEntry("check", "shared/gpu.smi", late, `{"exit":0}`), guideEntry("check", "shared/显存", early, `{"exit":1}`), guideEntry("track", "", early, `"shared"`))
	save("h2", guideEntry("check", "shared/gpu.smi", early, `{"exit":9}`))
	save("h1")
	all := []string{`check/shared/显存={"exit":1}`, `check/shared/gpu.smi={"exit":0}`, `track/="shared"`}
	wantGuide(t, s, "h1", all...)
	list, err := s.GuideEntries(ctx, "h1")
	if err != nil || !list[0].Time.Equal(early) || !list[1].Time.Equal(late) {
		t.Fatalf("%+v, %v", list, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	wantGuide(t, s, "h1", all...)
	// Of two with one key the later counts; without a time it is now.
	save("h1", guideEntry("track", "", late, `1`), guideEntry("track", "", time.Time{}, `2`), guideEntry("skip", "a", early, `3`), guideEntry("skip", "b", early, `4`))
	if list, err := s.GuideEntries(ctx, "h1"); err != nil || !list[4].Time.Equal(testNow()) {
		t.Errorf("%+v, %v", list, err)
	}
	for range 2 { // the second time there is nothing to do
		if err := s.DeleteGuideEntries(ctx, "h1", "skip", "b", "gone"); err != nil {
			t.Fatal(err)
		}
		if err := s.DeleteGuideEntries(ctx, "h1", "check"); err != nil {
			t.Fatal(err)
		}
	}
	wantGuide(t, s, "h1", "skip/a=3", "track/=2")
	wantGuide(t, s, "h2", `check/shared/gpu.smi={"exit":9}`)
}

func TestGuideOfAForgottenHost(t *testing.T) {
	for _, with := range []bool{false, true} {
		s := open(t, t.TempDir())
		h, err := s.SaveHost(t.Context(), Host{Name: "box", Line: "ssh root@192.0.2.7"})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{h.ID, "other"} {
			if err := s.SaveGuideEntries(t.Context(), id, []guide.Entry{guideEntry("track", "", hourZero, "1")}); err != nil {
				t.Fatal(err)
			}
		}
		r, err := s.StartRecording(t.Context(), RecordingStart{HostID: h.ID, HostName: "box"})
		if err != nil {
			t.Fatal(err)
		}
		if with {
			if err := s.ForgetHost(t.Context(), h.ID, true); !errors.Is(err, ErrStillRecording) {
				t.Fatal(err)
			}
			wantGuide(t, s, h.ID, "track/=1") // the host is whole
		}
		if err := r.Close("stopped"); err != nil {
			t.Fatal(err)
		}
		if err := s.ForgetHost(t.Context(), h.ID, with); err != nil {
			t.Fatal(err)
		}
		wantGuide(t, s, h.ID)
		wantGuide(t, s, "other", "track/=1")
	}
}

func TestGuideThatCannotBeStored(t *testing.T) {
	s := open(t, t.TempDir())
	long := json.RawMessage(`"` + strings.Repeat("x", MaxGuideBody-2) + `"`)
	one := func(e guide.Entry) []guide.Entry { return []guide.Entry{guideEntry("track", "", hourZero, "1"), e} }
	for why, bad := range map[string]struct {
		host string
		list []guide.Entry
	}{
		"host empty":       {"", one(guideEntry("k", "", hourZero, "1"))},
		"host too-long":    {strings.Repeat("h", maxGuideHost+1), one(guideEntry("k", "", hourZero, "1"))},
		"host control":     {"a\nb", one(guideEntry("k", "", hourZero, "1"))},
		"kind empty":       {"h", one(guideEntry("", "a", hourZero, "1"))},
		"kind too-long":    {"h", one(guideEntry(strings.Repeat("k", maxGuideKind+1), "a", hourZero, "1"))},
		"key too-long":     {"h", one(guideEntry("k", strings.Repeat("名", 171), hourZero, "1"))},
		"key control":      {"h", one(guideEntry("k", "a\x1b[2J", hourZero, "1"))},
		"body empty":       {"h", one(guideEntry("k", "a", hourZero, ""))},
		"body not-json":    {"h", one(guideEntry("k", "a", hourZero, `{"a":`))},
		"body too-long":    {"h", one(guide.Entry{Kind: "k", Key: "a", Body: append(slices.Clone(long), ' ')})},
		"entries too-long": {"h", slices.Repeat(one(guide.Entry{Kind: "k", Key: "a", Body: long}), 1+MaxGuideSave/MaxGuideBody)},
	} {
		var in *InputError
		if err := s.SaveGuideEntries(t.Context(), bad.host, bad.list); !errors.As(err, &in) || in.Of != "guide" || in.Field+" "+in.Why != why {
			t.Errorf("%q: %v", why, err)
		}
	}
	if err := s.SaveGuideEntries(t.Context(), "h", make([]guide.Entry, MaxGuideEntries+1)); err == nil {
		t.Error("any number of entries")
	}
	wantGuide(t, s, "h") // all or nothing
	if err := s.SaveGuideEntries(t.Context(), "h", []guide.Entry{{Kind: "k", Key: "a", Body: long}}); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	if err := s.DeleteGuideEntries(t.Context(), "h", ""); err == nil {
		t.Error("a kind without name")
	}
	ro, err := Open(t.Context(), Params{Dir: t.TempDir(), ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer ro.Close()
	wantGuide(t, ro, "h")
	if err := ro.SaveGuideEntries(t.Context(), "h", one(guideEntry("k", "", hourZero, "1"))); !errors.Is(err, ErrReadOnly) {
		t.Errorf("read-only: %v", err)
	}
	if err := ro.DeleteGuideEntries(t.Context(), "h", "k"); !errors.Is(err, ErrReadOnly) {
		t.Errorf("read-only: %v", err)
	}
}

// guideBody is long enough to lie on several pages.
func guideBody(n int) string {
	return fmt.Sprintf(`{"n":%d,"out":%q}`, n, strings.Repeat(fmt.Sprintf("%08d\n", n), 300))
}

// pastKey sorts as the number does.
func pastKey(n int) string { return fmt.Sprintf("%06d", n) }

// childGuide saves rounds of checks one after another and says which are on the
// disk. A round replaces the one before and deletes what it left.
func childGuide(dir string) error {
	ctx := context.Background()
	s, err := Open(ctx, Params{Dir: dir, Now: testNow})
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		var list []guide.Entry
		for i := range 5 {
			list = append(list, guideEntry(guide.KindCheck, fmt.Sprint("shared/", i), hourZero.Add(time.Duration(n)*time.Second), guideBody(n)))
		}
		list = append(list, guideEntry(guide.KindPast, pastKey(n), hourZero, "1"))
		if err := s.SaveGuideEntries(ctx, "h", list); err != nil {
			return err
		}
		if err := s.DeleteGuideEntries(ctx, "h", guide.KindPast, pastKey(n-1)); err != nil {
			return err
		}
		fmt.Println("saved", n)
	}
}

func TestSavedChecksOutliveAKill(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	for round := range rounds {
		dir := t.TempDir()
		last := killedAfter(t, "guide", dir, 3+rand.IntN(40))
		s := open(t, dir)
		if d := s.Damaged(); d != nil {
			t.Fatalf("set aside: %+v", d)
		}
		list, err := s.GuideEntries(t.Context(), "h")
		if err != nil || len(list) < 6 || len(list) > 7 {
			t.Fatalf("%d entries, %v", len(list), err)
		}
		newest := 0
		for i, e := range list[:5] {
			var body struct{ N int }
			if err := json.Unmarshal(e.Body, &body); err != nil || string(e.Body) != guideBody(body.N) || e.Kind != guide.KindCheck {
				t.Fatalf("round %d: half an entry under %s: %.40q, %v", round, e.Key, e.Body, err)
			}
			if i > 0 && body.N != newest {
				t.Fatalf("round %d: half a run: %d beside %d", round, body.N, newest)
			}
			newest = body.N
		}
		// One more than was told may have been written.
		if newest != last && newest != last+1 {
			t.Errorf("round %d: told of %d, newest kept is %d", round, last, newest)
		}
		if e := list[len(list)-1]; e.Kind != guide.KindPast || e.Key != pastKey(newest) {
			t.Errorf("round %d: %+v beside %d", round, e, newest)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// childChecker is a process beside the writer.
func childChecker(dir string) error {
	ctx := context.Background()
	s, err := Open(ctx, Params{Dir: dir, Now: testNow})
	if err != nil {
		return err
	}
	if s.Writer() {
		return errors.New("two writers")
	}
	// More than what a plan may have goes over in one piece.
	big := `"` + strings.Repeat("x", MaxGuideBody-2) + `"`
	if err := s.SaveGuideEntries(ctx, "h", []guide.Entry{guideEntry("check", "big", hourZero, big), guideEntry("track", "", hourZero, "2")}); err != nil {
		return err
	}
	if err := s.DeleteGuideEntries(ctx, "h", "skip", "gone"); err != nil {
		return err
	}
	if err := s.DeleteGuideEntries(ctx, "h", "edit"); err != nil {
		return err
	}
	list, err := s.GuideEntries(ctx, "h")
	if err != nil || len(list) != 3 || string(list[0].Body) != big {
		return fmt.Errorf("%d entries, %w", len(list), err)
	}
	return s.Close()
}

func TestSecondProcessHandsItsChecksOver(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for _, e := range []guide.Entry{guideEntry("skip", "gone", hourZero, "1"), guideEntry("skip", "stays", hourZero, "1"), guideEntry("edit", "a", hourZero, "1"), guideEntry("track", "", hourZero, "1")} {
		if err := s.SaveGuideEntries(t.Context(), "h", []guide.Entry{e}); err != nil {
			t.Fatal(err)
		}
	}
	cmd := childCommand(t.Context(), t, "checker", dir)
	if _, err := cmd.Output(); err != nil {
		t.Fatalf("%v %s", err, cmd.Stderr)
	}
	wantGuide(t, s, "h", `check/big="`+strings.Repeat("x", MaxGuideBody-2)+`"`, "skip/stays=1", "track/=2")
}

// TestGuideOfAnotherProcessIsChecked: the writer takes nobody's word for it.
func TestGuideOfAnotherProcessIsChecked(t *testing.T) {
	s := open(t, t.TempDir())
	for _, q := range []request{
		{Op: opSaveGuide, ID: "h", Guide: []GuideRecord{{Kind: "k", Body: []byte("{")}}},
		{Op: opSaveGuide, Guide: []GuideRecord{{Kind: "k", Body: []byte("1")}}},
		{Op: opDeleteGuide, GuideKeys: &GuideKeys{Host: "h"}},
		{Op: opDeleteGuide},
	} {
		if _, err := ask(t.Context(), s.p.Dir, q); err == nil {
			t.Errorf("%+v was done", q)
		}
	}
	wantGuide(t, s, "h")
}

// schemaTwo makes a database as the second schema left it.
func schemaTwo(t *testing.T, dir string) {
	t.Helper()
	schemaOne(t, dir)
	db, err := sql.Open(driverName, dsn(filepath.Join(dir, fileName), writeParams()))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{migrations()[1].sql, "PRAGMA user_version=2", `INSERT INTO plans VALUES ('p', 'n', x'78', 0, 0)`} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMigrationFromSchemaTwo(t *testing.T) {
	dir := t.TempDir()
	schemaTwo(t, dir)
	ro, err := Open(t.Context(), Params{Dir: dir, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	wantGuide(t, ro, "h1")
	if list, err := ro.Plans(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	if err := ro.Close(); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	if list, err := s.Plans(t.Context()); err != nil || len(list) != 1 || !bytes.Equal(list[0].Body, []byte("x")) {
		t.Errorf("%v, %v", list, err)
	}
	if err := s.SaveGuideEntries(t.Context(), "h1", []guide.Entry{guideEntry("track", "", hourZero, "1")}); err != nil {
		t.Fatal(err)
	}
	wantGuide(t, s, "h1", "track/=1")
}
