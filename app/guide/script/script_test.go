package script_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/guidetest"
	"rentgen/app/guide/script"
)

func TestRecords(t *testing.T) {
	odd := "a b\n\ttok '\"$(date) 显存\x01\xff"
	for _, sh := range guidetest.Shells() {
		told, err := script.Run(t.Context(), script.Params{
			Runner: sh, Args: []string{odd, ""},
			Text: `echo noise; say pair "$1" "$2" end; printf 'one\ntwo' | list files; say none; echo "$NL" | list empty; have od && say od; echo >&2 oops`,
		})
		if err != nil || !told.Whole || told.Exit != 0 {
			t.Fatalf("%v: %+v %v", sh.Command, told, err)
		}
		if p, ok := told.One("pair"); !ok || !slices.Equal(p.Fields, []string{odd, "", "end"}) {
			t.Errorf("%v: %q", sh.Command, p.Fields)
		}
		if l, ok := told.One("files"); !ok || !slices.Equal(l.Lines, []string{"one", "two"}) {
			t.Errorf("%v: %q", sh.Command, l.Lines)
		}
		if l, ok := told.One("empty"); !ok || len(l.Lines) != 0 {
			t.Errorf("%v: %q", sh.Command, l.Lines)
		}
		if _, ok := told.One("od"); !ok || len(told.Of("none")) != 1 || told.Stderr != "oops\n" {
			t.Errorf("%v: %+v", sh.Command, told)
		}
	}
}

func TestHeadOfAFile(t *testing.T) {
	dir := t.TempDir()
	bytes := string([]byte{0, 1, 255, 10, 13, 0})
	for name, text := range map[string]string{"a": bytes + strings.Repeat("x", 5000), "empty": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, sh := range guidetest.Shells() {
		told, err := script.Run(t.Context(), script.Params{
			Runner: sh, Args: []string{dir},
			Text: `sayhead file 6 "$1/a" one ""; sayhead file 6 "$1/empty" two; sayhead file 6 "$1/none" three; say last`,
		})
		if err != nil || !told.Whole || len(told.Of("file")) != 3 {
			t.Fatalf("%v: %+v %v", sh.Command, told, err)
		}
		for i, want := range [][]string{{"one", "", bytes}, {"two", ""}, {"three", ""}} {
			if got := told.Of("file")[i].Fields; !slices.Equal(got, want) {
				t.Errorf("%v: %q, want %q", sh.Command, got, want)
			}
		}
	}
}

func TestSoonEnds(t *testing.T) {
	for _, sh := range guidetest.Shells() {
		t.Run(strings.Join(sh.Command, " "), func(t *testing.T) {
			t.Parallel()
			told, err := script.Run(t.Context(), script.Params{Runner: sh, Text: "soon 1 sleep 30; say code $?; soon 5 echo hi | list out"})
			if r, ok := told.One("code"); err != nil || !ok || r.Field(0) == "0" {
				t.Errorf("%+v %v", told, err)
			}
			if r, _ := told.One("out"); !slices.Equal(r.Lines, []string{"hi"}) {
				t.Errorf("%+v", told)
			}
		})
	}
}

func TestCutOffIsNotWhole(t *testing.T) {
	told, err := script.Run(t.Context(), script.Params{Runner: guidetest.Shell{}, Text: "say one; exit 3"})
	if err != nil || told.Whole || told.Exit != 3 || len(told.Of("one")) != 1 {
		t.Errorf("%+v %v", told, err)
	}
	lost := guidetest.Shell{Before: func(guide.Exec) error { return guide.ErrOffline }}
	if _, err := script.Run(t.Context(), script.Params{Runner: lost}); !errors.Is(err, guide.ErrOffline) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := script.Run(ctx, script.Params{Runner: guidetest.Shell{}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("tok pair 6162 -\ntok begin l\nx\ntok end l\ntok done\n"), 100)
	f.Add([]byte("tok begin l\ntok pair zz\nnoise\ntok done"), 20)
	f.Fuzz(func(t *testing.T, out []byte, limit int) {
		limit = min(max(limit, 0), 1<<16)
		told := script.Parse("tok", out, limit)
		n := 0
		for _, r := range told.Records {
			if r.Kind == "" || strings.Contains(r.Kind, "\n") {
				t.Fatalf("kind %q", r.Kind)
			}
			for _, s := range append(r.Fields, r.Lines...) {
				n += len(s)
			}
		}
		if n > limit {
			t.Fatalf("%d bytes out of %d", n, limit)
		}
	})
}

func TestReadWeight(t *testing.T) {
	want := script.Weight{Bytes: 12, Files: 2, Newest: time.Unix(1_700_000_000, 0), Whole: true}
	if w, ok := script.ReadWeight("12 2 1700000000 0"); !ok || w != want {
		t.Errorf("%+v", w)
	}
	if w, ok := script.ReadWeight("12 2 1700000000 1"); !ok || w.Whole {
		t.Errorf("a find that failed: %+v", w)
	}
	if w, ok := script.ReadWeight("0 0 0 0"); !ok || w != (script.Weight{Whole: true}) {
		t.Errorf("an empty folder: %+v", w)
	}
	for _, bad := range []string{"", "1 2 3", "1 2 3 4 5", "-1 2 3 0", "1 x 3 0", "99999999999999999999 1 1 0"} {
		if w, ok := script.ReadWeight(bad); ok {
			t.Errorf("%q: %+v", bad, w)
		}
	}
}
