package pursetest

import (
	"errors"
	"testing"
	"time"

	"rentgen/app/purse"
)

func TestStore(t *testing.T) {
	var s Store
	ctx := t.Context()
	at := time.Unix(1_800_000_000, 0).UTC()
	entry := func(host, kind, key string, sec int, body string) purse.Entry {
		return purse.Entry{Host: host, Kind: kind, Key: key, Time: at.Add(time.Duration(sec) * time.Second), Body: []byte(body)}
	}
	if err := s.SavePurseEntries(ctx, entry("a", "day", "2", 2, "1"), entry("a", "day", "1", 1, "1"), entry("b", "day", "1", 0, "1")); err != nil {
		t.Fatal(err)
	}
	if err := s.SavePurseEntries(ctx, entry("a", "day", "2", 3, "2")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		f    purse.Filter
		want string
	}{
		{purse.Filter{Host: "a"}, "12"},
		{purse.Filter{AnyHost: true}, "112"},
		{purse.Filter{Host: "a", Kind: "tariff"}, ""},
		{purse.Filter{AnyHost: true, From: at.Add(time.Second), To: at.Add(3 * time.Second)}, "1"},
	} {
		got := ""
		es, err := s.PurseEntries(ctx, c.f)
		for _, e := range es {
			got += string(e.Body)
		}
		if err != nil || got != c.want {
			t.Errorf("%+v: %q, %v; want %q", c.f, got, err, c.want)
		}
	}
	if err := s.DeletePurseEntries(ctx, "a", "day", "1"); err != nil {
		t.Fatal(err)
	}
	if es, _ := s.PurseEntries(ctx, purse.Filter{Host: "a"}); len(es) != 1 || es[0].Key != "2" {
		t.Errorf("%v", es)
	}
	s.Fail(errors.New("full"))
	if s.SavePurseEntries(ctx) == nil || s.Saves() != 2 {
		t.Errorf("saved %d times", s.Saves())
	}
}
