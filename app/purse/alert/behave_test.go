package alert

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"rentgen/app/purse"
	"rentgen/app/purse/pursetest"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// TestUnknownProvesNothing: what isn't known neither raises nor ends.
func TestUnknownProvesNothing(t *testing.T) {
	b := newBench(t)
	nothing := Input{Host: "h1", HostName: "x"}
	unread := nothing
	unread.GPUs = []GPU{{UUID: "GPU-1"}}
	unread.Disks = []Disk{{"/", 0, 0}, {"/x", 5, 1}}
	unread.Glance = &purse.Glance{}
	for _, in := range []Input{nothing, unread} {
		b.tell(in, time.Hour, time.Minute)
	}
	b.want(0, "nothing known")
	for _, in := range []Input{idling(time.Hour), lostCard(), hot(90)} {
		b.tell(in, 2*time.Minute, 20*time.Second)
	}
	b.want(3, "raised")
	before := b.List()
	for _, in := range []Input{nothing, unread} {
		b.tell(in, 3*time.Hour, time.Minute)
	}
	for i, a := range b.List() {
		if a.Over != before[i].Over {
			t.Errorf("%s is over though nothing is known", a.Kind)
		}
	}
}

// TestSleep: a laptop that slept finds one alert and not forty, and a spell of
// heat seen before and after isn't taken for one that lasted.
func TestSleep(t *testing.T) {
	b := newBench(t)
	b.tell(idling(20*time.Minute), time.Minute, time.Second)
	for range 40 {
		b.now = b.now.Add(8 * time.Hour)
		b.tell(idling(20*time.Hour), 0, time.Second)
	}
	b.want(1, "forty nights")

	b = newBench(t)
	b.tell(hot(90), 0, time.Second)
	b.now = b.now.Add(8 * time.Hour)
	b.tell(hot(90), 0, time.Second)
	b.want(0, "hot twice with a night between")
	b.tell(hot(90), time.Minute, time.Second)
	b.want(1, "hot for a minute")
}

// TestRunThatEndedInTheNight says between which times it ended.
func TestRunThatEndedInTheNight(t *testing.T) {
	b := newBench(t)
	b.tell(host(), 20*time.Minute, 30*time.Second)
	slept := b.now.Add(-30 * time.Second)
	b.now = b.now.Add(8 * time.Hour)
	still := idling(0)
	still.Glance.Idle = false
	b.tell(still, 5*time.Minute, 30*time.Second)
	b.want(1, "after the night")
	say := plain(en.Say(b.rang[0].Say))
	if !strings.Contains(say, texts.DateTime(en, slept)) || !strings.Contains(say, "at least 20 min") || !strings.Contains(say, "nobody watched") {
		t.Errorf("%q", say)
	}
}

// TestRunsThatHaveNotEnded: short ones, pauses between pictures, a queue that
// still holds jobs.
func TestRunsThatHaveNotEnded(t *testing.T) {
	pause := idling(0)
	pause.Glance.Idle = false
	for name, f := range map[string]func(*bench){
		"short": func(b *bench) {
			b.tell(host(), 5*time.Minute, 10*time.Second)
			b.tell(pause, 10*time.Minute, 10*time.Second)
		},
		"pauses": func(b *bench) {
			for range 30 {
				b.tell(host(), time.Minute, 10*time.Second)
				b.tell(pause, 2*time.Minute, 10*time.Second)
			}
		},
		"queue": func(b *bench) {
			b.tell(host(), 30*time.Minute, 10*time.Second)
			b.tell(with(pause, func(in *Input) { in.Queue = ptr(2) }), 10*time.Minute, 10*time.Second)
		},
		"unknown": func(b *bench) {
			b.tell(host(), 30*time.Minute, 10*time.Second)
			b.tell(Input{Host: "h1"}, time.Hour, 10*time.Second)
		},
	} {
		b := newBench(t)
		f(b)
		b.want(0, name)
	}
}

// TestFlapping: what comes and goes doesn't ring each time.
func TestFlapping(t *testing.T) {
	b := newBench(t)
	for range 60 {
		b.tell(hot(86), 50*time.Second, 10*time.Second)
		b.tell(hot(83), 50*time.Second, 10*time.Second) // within the band: not over
	}
	b.want(1, "86 and 83 in turn")
	b = newBench(t)
	begin := b.now
	for range 20 {
		b.tell(hot(90), 90*time.Second, 10*time.Second)
		b.tell(hot(60), 2*time.Minute, 10*time.Second)
	}
	if most := int(b.now.Sub(begin)/flap) + 1; len(b.rang) > most || len(b.rang) < 2 {
		t.Errorf("rang %d times in %v", len(b.rang), b.now.Sub(begin))
	}
}

// TestDates: one alert some days before, one on the last day, none after it.
func TestDates(t *testing.T) {
	b := newBench(t)
	in := Input{Host: "h1", Stopped: true, Releases: start.Add(10 * day)}
	for b.now.Before(start.Add(12 * day)) {
		b.tell(in, 0, time.Hour)
	}
	b.want(2, "ten days")
	for i, left := range []time.Duration{3 * day, day} {
		if got := in.Releases.Sub(b.rang[i].At); got > left || got < left-2*time.Hour {
			t.Errorf("alert %d came %v before", i, got)
		}
	}
	for _, a := range b.List() {
		if a.Over.IsZero() {
			t.Errorf("%s still holds after the date", a.ID)
		}
	}
	// A date that is reckoned anew each time and drifts is the same one.
	b = newBench(t)
	for i := range 600 {
		b.tell(Input{Host: "h1", PackageEnds: start.Add(2*day + time.Duration(i)*time.Second)}, 0, time.Minute)
	}
	b.want(1, "a date that drifts")
}

func TestSnoozeAndSeen(t *testing.T) {
	b := newBench(t)
	on := idling(20 * time.Minute)
	b.tell(on, time.Minute, 10*time.Second)
	id := b.rang[0].ID
	if err := b.Snooze(t.Context(), id, b.now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	b.reopen()
	b.tell(on, 59*time.Minute, time.Minute)
	b.want(1, "snoozed")
	b.tell(on, 3*time.Minute, time.Minute)
	b.want(2, "the snooze is over and it still holds")
	if err := b.Seen(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if err := b.Snooze(t.Context(), id, UntilOver); err != nil {
		t.Fatal(err)
	}
	b.tell(on, 100*time.Hour, time.Minute)
	b.want(2, "until over")
	b.tell(host(), time.Hour, time.Minute)
	b.tell(on, time.Minute, time.Minute)
	b.want(3, "idle again")
	if err := b.Snooze(t.Context(), "no such", UntilOver); err != nil {
		t.Error(err)
	}
}

func TestQuietHours(t *testing.T) {
	b := newBench(t)
	r := DefaultRules()
	r.Quiet = Quiet{On: true, From: 11 * 60, To: 14 * 60, Faults: true}
	if err := b.SetRules(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	b.reopen()
	b.tell(idling(20*time.Minute), 30*time.Minute, time.Minute)
	b.want(0, "in quiet hours")
	b.tell(lostCard(), time.Minute, time.Minute)
	b.want(1, "a fault is let through")
	b.tell(hot(90), 3*time.Minute, 20*time.Second)
	b.tell(hot(60), 5*time.Minute, 20*time.Second)
	b.tell(idling(time.Hour), 2*time.Hour, time.Minute)
	if len(b.rang) != 1+len(open(b.List())) {
		t.Errorf("rang %d times; what ended in the quiet hours must not ring, what holds must", len(b.rang))
	}
	if len(b.List()) < 3 {
		t.Errorf("the list lacks what was kept back: %+v", b.List())
	}
}

func open(list []purse.Alert) (out []purse.Alert) {
	for _, a := range list {
		if a.Over.IsZero() && a.Kind != purse.AlertLost {
			out = append(out, a)
		}
	}
	return out
}

func TestKindsCanBeOff(t *testing.T) {
	b := newBench(t)
	b.tell(idling(20*time.Minute), time.Minute, time.Minute)
	if err := b.SetRules(t.Context(), b.Rules().With(purse.AlertIdle, false)); err != nil {
		t.Fatal(err)
	}
	b.tell(idling(20*time.Minute), 30*time.Minute, time.Minute)
	if l := b.List(); l[0].Over.IsZero() {
		t.Error("what isn't wanted any more still holds")
	}
	b.want(1, "switched off")
	var wrong *RangeError
	bad := DefaultRules()
	bad.HeatC = 400
	if err := b.SetRules(t.Context(), bad); !errors.As(err, &wrong) || wrong.Name != "heat_c" {
		t.Errorf("%v", err)
	}
	if b.Rules().HeatC != 85 {
		t.Error("a rule that can't be used was taken")
	}
}

// TestTheListIsBounded, and what holds stays in it.
func TestTheListIsBounded(t *testing.T) {
	b := newBench(t)
	b.tell(with(idling(time.Hour), func(in *Input) { in.Host = "old" }), 0, time.Minute)
	for i := range most + 50 {
		in := Input{Host: "h1", Stops: []Stop{{At: b.now.Add(time.Duration(i))}}}
		in.Stops[0].At = b.now
		b.tell(in, 0, time.Minute)
		b.tell(host(), 0, time.Minute)
	}
	l := b.List()
	if len(l) != most || l[len(l)-1].Host != "old" {
		t.Errorf("%d alerts, the last of %q", len(l), l[len(l)-1].Host)
	}
	kept, _ := b.store.PurseEntries(t.Context(), purse.Filter{AnyHost: true, Kind: purse.KindAlert})
	if len(kept) != most {
		t.Errorf("%d are kept", len(kept))
	}
	if err := b.Forget(t.Context(), "h1"); err != nil {
		t.Fatal(err)
	}
	if l := b.List(); len(l) != 1 {
		t.Errorf("%d left", len(l))
	}
}

// TestADiskThatIsFull: it rings, and is kept as soon as it can be.
func TestADiskThatIsFull(t *testing.T) {
	b := newBench(t)
	b.store.Fail(errors.New("disk full"))
	if err := b.Update(t.Context(), idling(time.Hour)); err == nil {
		t.Error("no error")
	}
	b.want(1, "though nothing could be kept")
	b.store.Fail(nil)
	b.tell(idling(time.Hour), time.Minute, time.Minute)
	if kept, _ := b.store.PurseEntries(t.Context(), purse.Filter{AnyHost: true, Kind: purse.KindAlert}); len(kept) != 1 {
		t.Errorf("%d kept", len(kept))
	}
	saves := b.store.Saves()
	b.tell(idling(2*time.Hour), time.Hour, time.Second)
	if n := b.store.Saves(); n != saves {
		t.Errorf("%d writes in an hour without news", n-saves)
	}
}

func TestAClockThatWasPutBack(t *testing.T) {
	b := newBench(t)
	b.now = start.AddDate(2, 0, 0)
	b.tell(idling(time.Hour), time.Minute, time.Minute)
	b.tell(host(), time.Minute, time.Minute)
	b.now = start
	b.tell(host(), time.Minute, time.Minute)
	b.tell(idling(time.Hour), time.Minute, time.Minute)
	b.want(2, "a clock two years ahead was set right")
}

// TestManyGoroutines is for -race: everything at once.
func TestManyGoroutines(t *testing.T) {
	store := &pursetest.Store{}
	var e *Engine
	rings := make(chan string, 1000)
	e, err := New(t.Context(), Params{Store: store, Deliver: func(a purse.Alert) {
		_ = e.Seen(t.Context(), a.ID)
		rings <- a.ID
	}})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 20 {
				in := idling(time.Hour)
				in.Host = fmt.Sprint("h", i)
				_ = e.Update(t.Context(), in)
				for _, a := range e.List() {
					_ = e.Snooze(t.Context(), a.ID, UntilOver)
				}
				_ = e.SetRules(t.Context(), e.Rules())
			}
		})
	}
	wg.Wait()
	if len(rings) != 8 {
		t.Errorf("%d rang, want one a host", len(rings))
	}
}

func TestReadingsBecomeCards(t *testing.T) {
	s := &probe.Sample{GPUs: []probe.GPU{{UUID: "GPU-1", Name: "RTX 4090"}, {UUID: "GPU-2"}}}
	s.GPUs[0].Set(probe.Temp, probe.Of(71))
	s.GPUs[1].Set(probe.Temp, probe.Missing(probe.Denied, "x"))
	got := GPUs(&probe.Inventory{GPUs: []probe.Device{{UUID: "GPU-1", TempSlow: probe.Of(80)}}}, s)
	if len(got) != 2 || *got[0].Temp != 71 || *got[0].TempSlow != 80 || got[1].Temp != nil || got[1].TempSlow != nil {
		t.Errorf("%+v", got)
	}
	if GPUs(nil, nil) != nil {
		t.Error("cards of nothing")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"id":"x","kind":"idle","at":"2026-11-30T12:00:00Z","facts":{"for":1}}`))
	f.Add([]byte(`{"id":"x","kind":"budget","sub":"over","at":"2026-11-30T12:00:00Z","facts":{"spent":{"Low":"1e9"}}}`))
	f.Add([]byte(`{"id":"x","kind":"gpu-lost","at":"2026-11-30T12:00:00Z","facts":{"verdict":"idle"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		_ = readRules(b).Check()
		a, ok := Read(purse.Entry{Kind: purse.KindAlert, Key: "x", Body: json.RawMessage(b)})
		if !ok {
			return
		}
		for _, p := range []texts.Phrase{a.Say, a.Cost, a.Next, Title(a)} {
			if s := en.Say(p); strings.HasPrefix(s, "alert.") {
				t.Errorf("no text %q", s)
			}
		}
	})
}
