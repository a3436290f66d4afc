package meter

import (
	"strings"
	"testing"
	"time"

	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/tariff"
	"rentgen/assets/texts"
	"rentgen/probe"
)

var shanghai = time.FixedZone("CST", 8*3600)

// TestGlance: the cost runs from the instance's own start, 90 min before we came;
// of 94 min by then 34 are idle.
func TestGlance(t *testing.T) {
	r := newRig(t, noon())
	r.boot("a", 90*time.Minute)
	r.want("unpriced", r.say(), "running for 1 h 30; no price is known")
	r.price(autodl)
	r.look(6*time.Minute, 80)
	r.want("running", r.say(), "running for 1 h 36; today ¥3.01")
	r.look(34*time.Minute, 0)
	r.want("idle", r.say(), "idle for 34 min: ¥1.07; today ¥4.07")
	g := r.glance()
	if !g.Running || !g.Priced || !g.Idle || g.IdleFor != 34*time.Minute || !g.Since.Equal(noon().Add(-90*time.Minute)) {
		t.Errorf("%+v", g)
	}
	r.want("session", band(g.Session), "4.07 4.07")
	r.want("month", band(g.Month), "4.07 4.07")
	r.want("idle today", band(g.TodayIdle), "1.07 1.07")
	r.look(10*time.Second, 90)
	if g := r.glance(); g.Idle || g.IdleFor != 0 {
		t.Errorf("busy: %+v", g)
	}
}

// TestLinkEnds: when nobody looks any more, the cost is a band until a stop is
// known, and the right cost lies in it whatever that stop is.
func TestLinkEnds(t *testing.T) {
	setup := func(t *testing.T) *rig {
		r := newRig(t, noon())
		r.price(autodl)
		r.boot("a", 0)
		r.look(time.Hour, 80)
		r.now = r.now.Add(2 * time.Hour)
		return r
	}
	t.Run("open", func(t *testing.T) {
		r := setup(t)
		r.want("band", band(r.glance().Session), "1.88 5.64")
		if g := r.glance(); g.Running {
			t.Error("said to run")
		}
		if !strings.HasPrefix(r.say(), "last read 30 Nov ") {
			t.Errorf("%q", r.say())
		}
	})
	t.Run("another run began", func(t *testing.T) {
		r := setup(t)
		r.boot("b", time.Hour) // at 14:00, an hour after the last reading
		a, _ := r.book.Account(host)
		r.want("old session", band(a.Sessions[1].Cost), "1.88 3.76")
		r.want("new session", band(a.Sessions[0].Cost), "1.88 1.88")
		if len(a.Doubts) == 0 || !strings.Contains(texts.For(texts.English).Say(a.Doubts[0]), "platform's bill") {
			t.Errorf("doubts %v", a.Doubts)
		}
	})
	t.Run("user says", func(t *testing.T) {
		r := setup(t)
		if err := r.book.Stopped(t.Context(), host, noon().Add(90*time.Minute), ByUser); err != nil {
			t.Fatal(err)
		}
		r.want("session", band(r.glance().Session), "2.82 2.82")
		r.open()
		r.want("after a restart", band(r.glance().Session), "2.82 2.82")
		if err := r.book.Stopped(t.Context(), host, noon().Add(75*time.Minute), ByUser); err != nil {
			t.Fatal(err)
		}
		r.open()
		r.want("corrected", band(r.glance().Session), "2.35 2.35")
	})
	t.Run("said wrongly", func(t *testing.T) {
		r := setup(t)
		for _, at := range []time.Time{noon().Add(30 * time.Minute), r.now.Add(time.Hour), noon().Add(-time.Hour)} {
			if err := r.book.Stopped(t.Context(), host, at, ByUser); err == nil {
				t.Errorf("stopped at %s is taken", at)
			}
		}
	})
	t.Run("guard", func(t *testing.T) {
		r := setup(t)
		e := purse.Entry{Host: host, Kind: purse.KindStop, Key: "1", Time: noon().Add(80 * time.Minute), Body: []byte(`{"dry":true}`)}
		if err := r.store.SavePurseEntries(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		r.save()
		r.want("dry run", band(r.glance().Session), "1.88 5.64")
		e.Key, e.Body = "2", []byte(`{}`)
		if err := r.store.SavePurseEntries(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		r.look(0, 0)
		r.book.Seen(host, noon()) // nothing new, and yet
		r.connect(probe.ModeGPU)
		r.save()
		if a, _ := r.book.Account(host); a.Sessions[0].By != "" {
			t.Errorf("it runs again, and yet it is said to have stopped")
		}
	})
	t.Run("same run again", func(t *testing.T) {
		r := setup(t)
		r.connect(probe.ModeGPU)
		r.look(time.Second, 80)
		r.want("session", band(r.glance().Session), "5.64 5.64")
		a, _ := r.book.Account(host)
		if len(a.Sessions) != 1 || a.Sessions[0].UnknownS != 7200 || a.Sessions[0].BusyS != 3601 {
			t.Errorf("%+v", a.Sessions)
		}
	})
	t.Run("stop said and contradicted", func(t *testing.T) {
		r := setup(t)
		if err := r.book.Stopped(t.Context(), host, noon().Add(90*time.Minute), ByUser); err != nil {
			t.Fatal(err)
		}
		r.connect(probe.ModeGPU)
		r.look(time.Second, 80)
		r.save()
		r.want("session", band(r.glance().Session), "5.64 5.64")
	})
}

// TestHostClock: the host's clock is 3 h ahead, the start is right all the same.
func TestHostClock(t *testing.T) {
	r := newRig(t, noon())
	r.price(autodl)
	r.skew = 3 * time.Hour
	r.boot("a", time.Hour)
	r.look(2*time.Second, 80)
	if g := r.glance(); !g.Since.Equal(noon().Add(-time.Hour)) {
		t.Errorf("since %s", g.Since)
	}
}

// TestLaptopClock: the laptop's clock jumps a day ahead for a minute.
func TestLaptopClock(t *testing.T) {
	r := newRig(t, noon())
	r.price(autodl)
	r.boot("a", 0)
	r.look(time.Minute, 80)
	r.now = r.now.Add(24 * time.Hour)
	r.look(time.Minute, 80)
	r.now = r.now.Add(-24 * time.Hour)
	r.look(58*time.Minute, 80)
	r.want("session", band(r.glance().Session), "1.88 1.88")
}

// TestNoGPUAndPackage: each has its own price, and idle in a package costs nothing
// more but is told.
func TestNoGPUAndPackage(t *testing.T) {
	r := newRig(t, noon())
	in := autodl
	in.NoGPU = "0.1"
	r.price(in)
	r.run = probe.Run{BootID: "a", Init: r.now}
	r.connect(probe.ModeNoGPU)
	r.now = r.now.Add(2 * time.Hour)
	r.book.Seen(host, r.now)
	r.want("without a card", r.say(), "running without a card for 2 h; today ¥0.20")
	r.want("an hour", r.glance().PerHour.String(), "0.1")

	r = newRig(t, noon())
	r.price(tariff.Typed{PackagePrice: "300", Currency: "CNY", From: noon().Add(-12 * time.Hour), Until: noon().Add(18 * 24 * time.Hour)})
	r.boot("a", 0)
	r.look(34*time.Minute, 0)
	r.want("in a package", r.say(), "idle for 34 min, which the package covers; today ¥8.49 of it")
	if g := r.glance(); !g.Session.IsZero() || !g.IdleCost.IsZero() || !g.TodayIdle.IsZero() || !g.Idle {
		t.Errorf("%+v", g)
	}
	a, _ := r.book.Account(host)
	if a.IdleS != 34*60 {
		t.Errorf("idle for %d s", a.IdleS)
	}
}

// TestLateAndMissing: what was missed is unknown until it is filled in, in any
// order, and each second counts once.
func TestLateAndMissing(t *testing.T) {
	r := newRig(t, noon())
	r.price(autodl)
	r.boot("a", 0)
	r.look(10*time.Minute, 80)
	from := r.now
	r.now = r.now.Add(10 * time.Minute)
	r.book.Message(host, &probe.Gap{From: from, To: r.now, Reason: probe.GapLink})
	r.look(10*time.Minute, -1)
	a, _ := r.book.Account(host)
	if a.BusyS != 600 || a.IdleS != 0 || a.UnknownS != 1200 {
		t.Errorf("busy %d, idle %d, unknown %d", a.BusyS, a.IdleS, a.UnknownS)
	}
	fill := func(lo, hi int) {
		r.book.Late(host, &probe.Inventory{Time: from.UTC(), Run: r.run, Mode: probe.ModeGPU})
		for i := lo; i <= hi; i++ {
			r.book.Late(host, sampleAt(from.Add(time.Duration(i)*time.Second), 0, 0))
		}
	}
	fill(300, 599)
	fill(1, 400)
	fill(1, 400)
	a, _ = r.book.Account(host)
	if a.BusyS != 600 || a.IdleS != 599 || a.UnknownS != 601 {
		t.Errorf("filled in: busy %d, idle %d, unknown %d", a.BusyS, a.IdleS, a.UnknownS)
	}
	if g := r.glance(); g.Idle {
		t.Error("what was filled in counts as now")
	}
	r.save()
	r.open()
	b, _ := r.book.Account(host)
	if b.BusyS != a.BusyS || b.IdleS != a.IdleS || b.UnknownS != a.UnknownS {
		t.Errorf("after a restart: busy %d, idle %d, unknown %d", b.BusyS, b.IdleS, b.UnknownS)
	}
}

// TestRestart takes the idle span up where it was.
func TestRestart(t *testing.T) {
	r := newRig(t, noon())
	r.price(autodl)
	r.boot("a", 0)
	r.look(time.Minute, 80)
	r.look(10*time.Minute, 0)
	before := r.glance()
	r.save()
	r.open()
	r.now = r.now.Add(time.Minute)
	r.connect(probe.ModeGPU)
	r.look(time.Second, 0)
	g := r.glance()
	if !g.Idle || g.IdleFor != 10*time.Minute+time.Second || g.Session.Point.Less(before.Session.Point) {
		t.Errorf("%+v", g)
	}
	if a, _ := r.book.Account(host); len(a.Sessions) != 1 {
		t.Errorf("%d sessions", len(a.Sessions))
	}
}

// TestSideBySide: a saved host that leads to another instance now; both cost.
func TestSideBySide(t *testing.T) {
	r := newRig(t, noon())
	r.price(autodl)
	r.boot("a", 0)
	r.look(time.Hour, 80)
	r.run = probe.Run{BootID: "b", Init: noon().Add(-time.Hour)}
	r.connect(probe.ModeGPU)
	r.look(time.Hour, 80)
	a, _ := r.book.Account(host)
	r.want("new", band(a.Sessions[1].Cost), "5.64 5.64")
	r.want("old", band(a.Sessions[0].Cost), "1.88 3.76")
	r.want("month", band(a.Glance.Month), "7.52 9.40")
}

// TestUnknownRun: a login that names no run is one session while it is not away
// for long, and becomes the run's when that is read.
func TestUnknownRun(t *testing.T) {
	r := newRig(t, noon())
	r.price(autodl)
	r.connect("")
	r.look(time.Minute, 80)
	r.now = r.now.Add(5 * time.Minute)
	r.connect("")
	r.look(time.Minute, 80)
	a, _ := r.book.Account(host)
	if len(a.Sessions) != 1 || a.Sessions[0].Known {
		t.Fatalf("%+v", a.Sessions)
	}
	r.boot("a", time.Hour)
	a, _ = r.book.Account(host)
	if len(a.Sessions) != 1 || !a.Sessions[0].Known || !a.Sessions[0].Start.Equal(r.now.Add(-time.Hour)) {
		t.Fatalf("%+v", a.Sessions)
	}
	r.run = probe.Run{}
	r.now = r.now.Add(time.Hour)
	r.connect("")
	if a, _ = r.book.Account(host); len(a.Sessions) != 2 {
		t.Errorf("%d sessions", len(a.Sessions))
	}
}

// TestPriceChanges: what is over keeps its price.
func TestPriceChanges(t *testing.T) {
	r := newRig(t, noon())
	r.price(autodl)
	r.boot("a", time.Hour)
	r.now = r.now.Add(time.Second)
	r.boot("b", 0)
	r.now = r.now.Add(time.Hour)
	r.book.Seen(host, r.now)
	r.price(tariff.Typed{PerHour: "3", Provider: "autodl"})
	check := func() {
		t.Helper()
		a, _ := r.book.Account(host)
		r.want("over", a.Sessions[1].Cost.Point.Fixed(2), "1.88")
		r.want("running", a.Sessions[0].Cost.Point.Fixed(2), "3.00")
	}
	check()
	r.save()
	if err := r.book.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.open()
	check()
}

func TestTotals(t *testing.T) {
	usd := func(rate string, idle bool) purse.Glance {
		return purse.Glance{Currency: "USD", PerHour: money.MustParse(rate), Running: true, Priced: true, Idle: idle}
	}
	for _, c := range []struct {
		list []purse.Glance
		want string
	}{
		{nil, ""},
		{[]purse.Glance{usd("10", false), usd("10", false), usd("5.3", false), usd("2.1", true)}, "4 running, 27.40 USD/h, of it idle 2.10"},
		{[]purse.Glance{usd("10", false), {Currency: "CNY", PerHour: money.Int(2), Running: true, Priced: true}, {Running: true}}, "1 running, 2.00 CNY/h; 1 more without a price | 1 running, 10.00 USD/h"},
		{[]purse.Glance{{Running: true}, {Priced: true}}, "1 running, without a price"},
	} {
		var said []string
		for _, x := range Totals(c.list) {
			said = append(said, texts.For(texts.English).Say(SayRunning(x)))
		}
		if got := strings.Join(said, " | "); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
