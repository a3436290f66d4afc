package store

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/app/purse"
)

func purseEntry(host, kind, key string, at time.Time, body string) purse.Entry {
	return purse.Entry{Host: host, Kind: kind, Key: key, Time: at, Body: json.RawMessage(body)}
}

// wantPurse compares what is kept with "host/kind/key=body".
func wantPurse(t *testing.T, s *Store, f purse.Filter, want ...string) {
	t.Helper()
	list, err := s.PurseEntries(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, e := range list {
		got = append(got, e.Host+"/"+e.Kind+"/"+e.Key+"="+string(e.Body))
	}
	if !slices.Equal(got, append([]string{}, want...)) {
		t.Errorf("%+v: %q, want %q", f, got, want)
	}
}

func TestPurseEntries(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir)
	beside := open(t, dir) // hands its writes over
	if first.Writer() == beside.Writer() {
		t.Fatal("two writers, or none")
	}
	early, late := hourZero, hourZero.Add(time.Hour)
	for _, s := range []*Store{first, beside} {
		err := s.SavePurseEntries(t.Context(),
			purseEntry("h1", purse.KindSession, "2", late, "2"), purseEntry("h1", purse.KindSession, "1", early, "1"),
			purseEntry("", purse.KindBudget, "CNY", early, `{"limit":"100"}`), purseEntry("h2", purse.KindSession, "1", early, "9"))
		if err != nil {
			t.Fatal(err)
		}
		wantPurse(t, s, purse.Filter{Host: "h1", Kind: purse.KindSession}, "h1/session/1=1", "h1/session/2=2")
		wantPurse(t, s, purse.Filter{Kind: purse.KindBudget}, `/budget/CNY={"limit":"100"}`)
		wantPurse(t, s, purse.Filter{AnyHost: true, Kind: purse.KindSession, To: late}, "h1/session/1=1", "h2/session/1=9")
		wantPurse(t, s, purse.Filter{AnyHost: true, Kind: purse.KindSession, From: late, To: late.Add(1)}, "h1/session/2=2")
		wantPurse(t, s, purse.Filter{Host: "h1", From: late.Add(1)})
		// It takes the place of the entry of that name.
		if err := s.SavePurseEntries(t.Context(), purseEntry("h1", purse.KindSession, "1", late, "7")); err != nil {
			t.Fatal(err)
		}
		wantPurse(t, s, purse.Filter{Host: "h1"}, "h1/session/1=7", "h1/session/2=2")
		for range 2 {
			if err := s.DeletePurseEntries(t.Context(), "h1", purse.KindSession, "2", "gone"); err != nil {
				t.Fatal(err)
			}
		}
		wantPurse(t, s, purse.Filter{Host: "h1"}, "h1/session/1=7")
		for _, h := range []string{"h1", "h2"} {
			if err := s.DeletePurseEntries(t.Context(), h, purse.KindSession); err != nil {
				t.Fatal(err)
			}
		}
		wantPurse(t, s, purse.Filter{AnyHost: true}, `/budget/CNY={"limit":"100"}`)
		if err := s.SavePurseEntries(t.Context(), purseEntry("h3", purse.KindTariff, "", time.Time{}, "{}")); err != nil {
			t.Fatal(err)
		}
		list, err := s.PurseEntries(t.Context(), purse.Filter{Host: "h3"})
		if err != nil || len(list) != 1 || !list[0].Time.Equal(testNow()) {
			t.Errorf("without a time: %+v, %v", list, err)
		}
		if err := s.ForgetHost(t.Context(), "h3", false); err != nil {
			t.Fatal(err)
		}
		wantPurse(t, s, purse.Filter{Host: "h3"})
	}
}

func TestPurseThatCannotBeStored(t *testing.T) {
	dir := t.TempDir()
	first, beside := open(t, dir), open(t, dir)
	long := `"` + strings.Repeat("x", MaxPurseBody-1) + `"`
	for name, c := range map[string]struct {
		entry      purse.Entry
		field, why string
	}{
		"no kind":      {purseEntry("h", "", "", hourZero, "1"), "kind", "empty"},
		"long host":    {purseEntry(strings.Repeat("h", maxGuideHost+1), "k", "", hourZero, "1"), "host", "too-long"},
		"key":          {purseEntry("h", "k", "a\nb", hourZero, "1"), "key", "control"},
		"no body":      {purseEntry("h", "k", "", hourZero, ""), "body", "empty"},
		"not json":     {purseEntry("h", "k", "", hourZero, "{"), "body", "not-json"},
		"a large body": {purseEntry("h", "k", "", hourZero, long), "body", "too-long"},
	} {
		for _, s := range []*Store{first, beside} {
			err := s.SavePurseEntries(t.Context(), purseEntry("h", "good", "", hourZero, "1"), c.entry)
			var in *InputError
			if !errors.As(err, &in) || in.Of != "purse" || in.Field != c.field || in.Why != c.why {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	wantPurse(t, first, purse.Filter{AnyHost: true})
	var in *InputError
	if err := first.DeletePurseEntries(t.Context(), "h", ""); !errors.As(err, &in) {
		t.Error(err)
	}
}
