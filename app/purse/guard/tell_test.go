package guard

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/pursetest"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// TestTell is the next morning.
func TestTell(t *testing.T) {
	night := time.Date(2026, 11, 30, 3, 12, 0, 0, time.Local)
	came := time.Date(2026, 11, 30, 8, 40, 0, 0, time.Local)
	stop := Stop{Time: night, Since: night.Add(-30 * time.Minute), IdleS: 1800, Cause: "idle", Action: "shutdown", Boot: "b@1000"}
	anew := probe.Run{BootID: "b", Init: time.Date(2026, 11, 30, 8, 38, 0, 0, time.Local)}
	price := Price{PerHour: money.MustParse("1.88"), Currency: "CNY"}
	ahead := time.Duration(0)
	tell := func(s Stop, run probe.Run, p Price, known ...purse.Entry) []Told {
		return Tell("h1", Report{Stops: []Stop{s}, Ahead: ahead}, run, came, func(at time.Time) Price {
			if !at.Equal(s.Time) {
				t.Error("priced at", at)
			}
			return p
		}, known)
	}

	l := tell(stop, anew, price)
	if len(l) != 1 || l[0].Entry == nil {
		t.Fatalf("%+v", l)
	}
	// 5 h 26 min at 1.88 an hour: 10.2146..., exactly 1.88 * 19560/3600.
	if got, want := *l[0].Saved, money.MustParse("1.88").Mul(money.Frac(19560, 3600)); got.Cmp(want) != 0 {
		t.Error(got, want)
	}
	if got, want := english(l[0].Say), "The stop guard stopped the instance at 03:12 after 30\u2009min idle; that saved about ¥10.21 until 08:38."; got != want {
		t.Errorf("%q", got)
	}
	e := *l[0].Entry
	if e.Kind != purse.KindStop || e.Host != "h1" || !e.Time.Equal(night) || !strings.Contains(string(e.Body), `"dry_run":false`) || !strings.Contains(string(e.Body), `"currency":"CNY"`) {
		t.Errorf("%+v %s", e, e.Body)
	}
	if again := tell(stop, anew, price, e); len(again) != 0 {
		t.Error("told twice:", again)
	}
	if l := tell(stop, anew, Price{}); l[0].Saved != nil || english(l[0].Say) != "The stop guard stopped the instance at 03:12 after 30\u2009min idle." {
		t.Error(english(l[0].Say))
	}
	for name, run := range map[string]probe.Run{
		"went_on": {BootID: "b", Init: time.Unix(1001, 0)},
		"asked":   {},
	} {
		if l := tell(stop, run, price); len(l) != 1 || l[0].Entry != nil || l[0].Say.Key != "guard.tell."+name {
			t.Errorf("%s: %+v", name, l)
		}
	}
	// The host's clock is an hour behind: the run began at 08:38 all the same.
	ahead = time.Hour
	behind := anew
	behind.Init = behind.Init.Add(-time.Hour)
	if l := tell(stop, behind, price); !l[0].Until.Equal(anew.Init) {
		t.Error(l[0].Until)
	}
	ahead = 0
	// Within a package a stop saves nothing.
	if l := tell(stop, anew, Price{Currency: "CNY"}); l[0].Saved != nil {
		t.Error(l[0].Saved)
	}
	dry := stop
	dry.Dry, dry.Cause = true, "queue"
	l = tell(dry, probe.Run{BootID: "b", Init: time.Unix(1001, 0)}, price)
	if len(l) != 1 || l[0].Say.Key != "guard.tell.dry.queue.saved" || !strings.Contains(string(l[0].Entry.Body), `"dry_run":true`) {
		t.Errorf("%+v", l)
	}
	for _, cause := range []string{"idle", "queue"} {
		for _, isDry := range []bool{true, false} {
			s := stop
			s.Cause, s.Dry = cause, isDry
			for _, p := range []Price{price, {}} {
				for _, lang := range texts.Langs() {
					if said := texts.For(lang).Say(tell(s, anew, p)[0].Say); said == "" || strings.ContainsAny(said, "{}") {
						t.Errorf("%q", said)
					}
				}
			}
		}
	}
}

// TestCollectTellsOnce goes from the host's file to the purse and back.
func TestCollectTellsOnce(t *testing.T) {
	ctx := context.Background()
	now := time.Date(2026, 11, 30, 8, 40, 0, 0, time.UTC)
	out := "now " + strconv.FormatInt(now.Unix(), 10) + "\non\n" +
		`stop {"time":"2026-11-30T03:12:00Z","idle_since":"2026-11-30T02:42:00Z","idle_s":1800,"cause":"idle","action":"shutdown","dry_run":false,"boot":"b@1000"}` + "\n"
	h := Host{Runner: says{out: out}, Dir: "/x", Now: func() time.Time { return now }}
	st := new(pursetest.Store)
	run := probe.Run{BootID: "c", Init: now.Add(-time.Hour)}
	price := func(time.Time) Price { return Price{PerHour: money.Int(2), Currency: "CNY"} }
	_, told, err := h.Collect(ctx, st, "h1", run, price)
	if err != nil || len(told) != 1 || told[0].Saved == nil {
		t.Fatal(told, err)
	}
	if _, again, err := h.Collect(ctx, st, "h1", run, price); err != nil || len(again) != 0 {
		t.Error("told twice:", again, err)
	}
	if _, all, err := h.Collect(ctx, nil, "h1", run, price); err != nil || len(all) != 1 {
		t.Error("without a store:", all, err)
	}
	es, err := st.PurseEntries(ctx, purse.Filter{Host: "h1", Kind: purse.KindStop})
	if err != nil || len(es) != 1 {
		t.Fatal(es, err)
	}
	k, ok := ReadStop(es[0])
	if !ok || k.Idle() != 30*time.Minute || k.Saved == nil || k.Saved.Cmp(*told[0].Saved) != 0 || k.Currency != "CNY" || !k.Until.Equal(run.Init) {
		t.Errorf("%+v", k)
	}
	for _, bad := range []purse.Entry{{}, {Kind: purse.KindStop, Body: []byte("{")}, {Kind: purse.KindStop, Body: []byte("{}")}, {Kind: purse.KindAlert, Body: es[0].Body}} {
		if _, ok := ReadStop(bad); ok {
			t.Errorf("%+v is read", bad)
		}
	}
}
