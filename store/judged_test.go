package store

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"rentgen/app/judge"
	"rentgen/assets/texts"
)

func kept() judge.Kept {
	from, to := hourZero, hourZero.Add(10*time.Minute)
	return judge.Kept{
		Version: 3, To: to,
		Verdicts: []judge.Verdict{{
			Kind: judge.ThrottlePower, Level: judge.Info, GPU: cardA, From: from, To: to, Open: true, Confidence: 0.8,
			Numbers: map[string]judge.Number{"clock": {Value: 1905.5, Unit: "MHz"}, "bad": {Value: math.NaN()}},
			Say: texts.P("gap.link", "n", 1, "share", 0.5, "name", "GPU 0", "part", texts.P("gap.host", "k", 2), "list", texts.List{"a", "b"},
				"span", func(c *texts.Catalogue) string { return texts.Duration(c, 90*time.Second) }),
			Doubts: []texts.Phrase{texts.P("gap.gpu")}, Rule: "throttle/two-proofs",
		}, {Kind: judge.Stable, Level: judge.Good, From: from, To: to}},
		Phases: []judge.Phase{
			{
				Host: "box", GPU: cardA, Card: "NVIDIA GeForce RTX 4090", Job: "sdxl", From: from, To: from.Add(5 * time.Minute), Seconds: 300,
				Stats: map[string]judge.Stat{"power_w": {N: 300, Mean: 301.5, SD: 2, P50: 301}},
			},
			{Host: "box", GPU: cardA, From: from.Add(5 * time.Minute), To: to, Seconds: 300},
		},
	}
}

func TestJudged(t *testing.T) {
	dir := t.TempDir()
	first, beside := open(t, dir), open(t, dir)
	for i, s := range []*Store{first, beside} {
		r := record(t, s, hourZero.Add(time.Duration(i)*time.Hour), 10)
		if err := r.Close("stopped"); err != nil {
			t.Fatal(err)
		}
		id := r.ID()
		if got, err := s.Judged(t.Context(), id); err != nil || !reflect.DeepEqual(got, judge.Kept{}) {
			t.Fatalf("never judged: %+v, %v", got, err)
		}
		want := kept()
		for range 2 { // the second takes the place of the first
			if err := s.SaveJudged(t.Context(), id, want); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Judged(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		say, wantSay := got.Verdicts[0].Say, want.Verdicts[0].Say
		for _, l := range []texts.Lang{texts.English, texts.Chinese} {
			if a, b := fmt.Sprint(said(texts.For(l), say)), fmt.Sprint(said(texts.For(l), wantSay)); a != b {
				t.Errorf("%s: %s, want %s", l, a, b)
			}
		}
		// Functions can't be compared, and what is no number isn't kept.
		got.Verdicts[0].Say, want.Verdicts[0].Say = texts.Phrase{}, texts.Phrase{}
		delete(want.Verdicts[0].Numbers, "bad")
		for k := range want.Phases {
			want.Phases[k].Recording = id
		}
		got.Verdicts[1].Numbers = nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
		phases, err := s.Phases(t.Context(), 1)
		if err != nil || len(phases) != 1 || phases[0].Recording != id || !phases[0].To.Equal(want.To) {
			t.Errorf("newest phase: %+v, %v", phases, err)
		}
		if err := s.DeleteRecording(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Judged(t.Context(), id); err != nil || got.Version != 0 {
			t.Errorf("of a deleted one: %+v, %v", got, err)
		}
		if phases, err := s.Phases(t.Context(), 0); err != nil || len(phases) != 0 {
			t.Errorf("phases of a deleted one: %+v, %v", phases, err)
		}
		if err := s.SaveJudged(t.Context(), id, kept()); !errors.Is(err, ErrNotFound) {
			t.Errorf("a deleted one is judged: %v", err)
		}
	}
	if err := first.back.(*owner).purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"judged", "phases", "inventories", "imports"} {
		var n int
		if err := first.read.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s keeps %d rows of deleted recordings, %v", table, n, err)
		}
	}
}

// said are the arguments as they read in a language.
func said(c *texts.Catalogue, p texts.Phrase) []string {
	var out []string
	for _, a := range p.Args {
		switch v := a.(type) {
		case texts.Phrase:
			out = append(out, v.Key+strings.Join(said(c, v), "/"))
		case func(*texts.Catalogue) string:
			out = append(out, v(c))
		default:
			out = append(out, fmt.Sprintf("%T %v", a, a))
		}
	}
	return out
}

func TestImports(t *testing.T) {
	dir := t.TempDir()
	first, beside := open(t, dir), open(t, dir)
	for i, s := range []*Store{first, beside} {
		r := record(t, s, hourZero, 3)
		if err := r.Close("stopped"); err != nil {
			t.Fatal(err)
		}
		hash := fmt.Sprintf("%064d", i+1)
		if _, err := s.ImportByHash(t.Context(), hash); !errors.Is(err, ErrNotFound) {
			t.Fatal(err)
		}
		// While it is read it is marked, but not found again.
		if err := s.SaveImport(t.Context(), Import{Recording: r.ID(), Name: "gpu.csv"}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.ImportByHash(t.Context(), ""); !errors.Is(err, ErrNotFound) {
			t.Fatal(err)
		}
		if err := s.SaveImport(t.Context(), Import{Recording: r.ID(), Name: "gpu.csv", Hash: hash}); err != nil {
			t.Fatal(err)
		}
		want := Import{Recording: r.ID(), Name: "gpu.csv", Hash: hash, Time: testNow()}
		if got, err := s.ImportByHash(t.Context(), hash); err != nil || got != want {
			t.Errorf("%+v, %v", got, err)
		}
		if rec, err := s.Recording(t.Context(), r.ID()); err != nil || rec.Imported != "gpu.csv" {
			t.Errorf("%+v, %v", rec, err)
		}
		if err := s.DeleteRecording(t.Context(), r.ID()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.ImportByHash(t.Context(), hash); !errors.Is(err, ErrNotFound) {
			t.Error(err)
		}
		if err := s.SaveImport(t.Context(), Import{Recording: r.ID()}); !errors.Is(err, ErrNotFound) {
			t.Error(err)
		}
	}
}
