package alert

import (
	"strings"
	"testing"
	"time"

	"rentgen/app/judge"
	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/pursetest"
	"rentgen/assets/texts"
)

// bench is an engine with a clock and a list of what rang.
type bench struct {
	*Engine
	t     *testing.T
	store *pursetest.Store
	now   time.Time
	rang  []purse.Alert
}

var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func newBench(t *testing.T) *bench {
	b := &bench{t: t, store: &pursetest.Store{}, now: start}
	b.reopen()
	return b
}

func (b *bench) reopen() {
	b.t.Helper()
	e, err := New(b.t.Context(), Params{
		Store: b.store, Now: func() time.Time { return b.now }, Deliver: func(a purse.Alert) { b.rang = append(b.rang, a) },
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.Engine = e
}

// tell updates every step for as long as said, the first time at once.
func (b *bench) tell(in Input, long, step time.Duration) {
	b.t.Helper()
	for end := b.now.Add(long); ; {
		if err := b.Update(b.t.Context(), in); err != nil {
			b.t.Fatal(err)
		}
		if b.now = b.now.Add(step); b.now.After(end) {
			return
		}
	}
}

func (b *bench) want(n int, why string) {
	b.t.Helper()
	if len(b.rang) != n {
		var said []string
		for _, a := range b.rang {
			said = append(said, en.Say(a.Say))
		}
		b.t.Fatalf("%s: rang %d times, want %d: %q", why, len(b.rang), n, said)
	}
}

var (
	en = texts.For(texts.English)
	zh = texts.For(texts.Chinese)
)

// plain writes thin spaces as blanks.
func plain(s string) string { return strings.ReplaceAll(s, "\u2009", " ") }

func ptr[T any](v T) *T { return &v }

func rat(s string) money.Rat {
	var r money.Rat
	if err := r.UnmarshalText([]byte(s)); err != nil {
		panic(err)
	}
	return r
}

// host is a running host that works.
func host() Input {
	return Input{Host: "h1", HostName: "AutoDL 4090", Busy: ptr(true), Glance: &purse.Glance{
		Host: "h1", Priced: true, Currency: "CNY", PerHour: rat("1.88"), Running: true,
	}}
}

func idling(d time.Duration) Input {
	in := host()
	in.Busy = ptr(false)
	in.Glance.Idle, in.Glance.IdleFor, in.Glance.IdleCost = true, d, rat("1.06")
	return in
}

func lostCard() Input {
	in := host()
	in.Busy = nil
	in.Verdicts = []judge.Verdict{{Kind: judge.FaultLost, Level: judge.Fail, GPU: "GPU-1", Open: true}}
	return in
}

func hot(temp float64) Input {
	in := host()
	in.GPUs = []GPU{{UUID: "GPU-1", Name: "RTX 4090", Temp: &temp}}
	return in
}

// TestKinds raises every kind, looks that it is said with its cost and a next
// step in both languages, that it isn't repeated, kept over a restart, and over
// when it ends.
func TestKinds(t *testing.T) {
	quiet := idling(0)
	quiet.Glance = host().Glance
	for _, c := range []struct {
		name   string
		kind   purse.AlertKind
		before *Input // told for half an hour
		on     Input
		off    Input
		say    string
		cost   string
	}{
		{"idle", purse.AlertIdle, nil, idling(34 * time.Minute), host(), "Idle for 34 min; that cost ¥1.06.", "Each further hour costs ¥1.88."},
		{
			"over budget", purse.AlertBudget, nil,
			with(host(), func(in *Input) {
				in.Glance.Budget, in.Glance.Month = ptr(rat("100")), money.Band{Low: rat("101"), Point: rat("102"), High: rat("103")}
			}), with(host(), func(in *Input) { in.Glance.Budget = ptr(rat("500")); in.Glance.Month = money.Sure(rat("102")) }),
			"This month has cost ¥101.00 to 103.00; the budget is ¥100.00.", "Each further hour costs ¥1.88.",
		},
		{
			"pace", purse.AlertBudget, nil,
			with(host(), func(in *Input) {
				in.Glance.Budget, in.Glance.Pace = ptr(rat("100")), ptr(money.Sure(rat("130.5")))
			}), with(host(), func(in *Input) { in.Glance.Budget, in.Glance.Pace = ptr(rat("100")), ptr(money.Sure(rat("90"))) }),
			"At the rate so far the month comes to ¥130.50; the budget is ¥100.00.", "By the end of the month that is ¥30.50 over the budget.",
		},
		{
			"lost", purse.AlertLost, nil, lostCard(), with(host(), func(in *Input) { in.Verdicts = []judge.Verdict{} }),
			"The card is gone: the driver doesn't reach it any more.", "It bills ¥1.88 an hour all the same, without a card to work with.",
		},
		{"heat", purse.AlertHeat, nil, hot(88), hot(70), "RTX 4090 is at 88 °C; the limit is 85 °C.", "A hot card slows itself down: the hour still costs ¥1.88 and makes fewer pictures."},
		{
			"disk", purse.AlertDisk, nil, with(host(), func(in *Input) { in.Disks = []Disk{{"/root/autodl-tmp", 4e9, 50e9}} }),
			with(host(), func(in *Input) { in.Disks = []Disk{{"/root/autodl-tmp", 14e9, 50e9}} }),
			"4 GB of 50 GB left on /root/autodl-tmp.", "Once it is full, pictures can't be saved and the hour still costs ¥1.88.",
		},
		{
			"package", purse.AlertPackage, nil, with(host(), func(in *Input) { in.PackageEnds, in.AfterPackage = start.Add(60*time.Hour), ptr(rat("2.5")) }),
			with(host(), func(in *Input) { in.PackageEnds = start.Add(900 * time.Hour) }),
			"What was paid ahead ends on " + texts.DateTime(en, start.Add(60*time.Hour)) + ".", "After that it bills ¥2.50 an hour.",
		},
		{
			"release", purse.AlertRelease, nil, with(Input{Host: "h1", HostName: "AutoDL 4090", Stopped: true}, func(in *Input) {
				in.Releases, in.DataSince = start.Add(50*time.Hour), start.Add(-30*day)
			}), host(),
			"The provider deletes this instance on " + texts.DateTime(en, start.Add(50*time.Hour)) + " if it stays stopped.",
			"Data of 32 days is deleted on " + texts.DateTime(en, start.Add(50*time.Hour)) + " and can't be brought back.",
		},
		{
			"done", purse.AlertDone, ptr(host()), with(quiet, func(in *Input) { in.Queue = ptr(0) }), host(),
			"A run of 30 min finished on " + texts.DateTime(en, start.Add(30*time.Minute)) + ".", "Each further hour costs ¥1.88.",
		},
		{
			"stopped", purse.AlertStopped, nil, with(Input{Host: "h1", HostName: "AutoDL 4090", Stopped: true, Glance: &purse.Glance{Priced: true, Currency: "CNY"}}, func(in *Input) {
				in.Stops = []Stop{{At: start.Add(-time.Hour), Idle: 20 * time.Minute, Saved: ptr(money.Sure(rat("14.2")))}}
			}), host(),
			"The stop guard ended billing on " + texts.DateTime(en, start.Add(-time.Hour)) + ", after 20 min idle; it has saved ¥14.20 so far.",
			"The card bills no more; disks may go on billing.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			if c.before != nil {
				b.tell(*c.before, 30*time.Minute, 30*time.Second)
			}
			b.want(0, "before")
			b.tell(c.on, 10*time.Minute, 30*time.Second)
			b.want(1, "while it holds")
			a := b.rang[0]
			if a.Kind != c.kind || plain(en.Say(a.Say)) != c.say || en.Say(a.Cost) != c.cost {
				t.Errorf("%s: %q, %q; want %q, %q", a.Kind, en.Say(a.Say), en.Say(a.Cost), c.say, c.cost)
			}
			for _, l := range []*texts.Catalogue{en, zh} {
				for _, p := range []texts.Phrase{a.Say, a.Cost, a.Next, Title(a)} {
					if s := l.Say(p); s == "" || strings.Contains(s, "alert.") || strings.ContainsAny(s, "{}") {
						t.Errorf("%s says %q", l.Lang, s)
					}
				}
			}
			b.reopen()
			b.tell(c.on, 5*time.Minute, 30*time.Second)
			b.want(1, "after a restart")
			if l := b.List(); len(l) != 1 || !l[0].Over.IsZero() || en.Say(l[0].Cost) != c.cost {
				t.Errorf("after a restart: %+v", l)
			}
			b.tell(c.off, 2*time.Hour, 30*time.Second)
			if l := b.List(); l[0].Over.IsZero() {
				t.Errorf("still holds: %+v", l)
			}
			b.want(1, "after its end")
		})
	}
}

func with(in Input, f func(*Input)) Input {
	if in.Glance != nil {
		g := *in.Glance
		in.Glance = &g
	}
	f(&in)
	return in
}
