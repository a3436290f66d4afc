package home

import (
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"rentgen/assets/texts"
	"rentgen/probe/stream"
	"rentgen/ui/hosts"
	"rentgen/ui/uitest"
	"rentgen/ui/verdict/verdicttest"
	"rentgen/ui/widgets"
)

var (
	narrow = fyne.NewSize(980, 662) // what the frame leaves of 1024 x 700
	oneAnd = map[string]int{"a": 1, "b": 2}
)

func TestFirstUseSaysWhatToDo(t *testing.T) {
	r := start(t, &fake{}, texts.English, narrow, nil)
	r.sees("Nothing rented here yet")
	r.press("I have an instance")
	r.press("I am choosing a card")
	r.press("Show me")
	if got := r.did(); got != "add, plan, demo" {
		t.Errorf("it did %q", got)
	}
}

func TestTheChosenHostAtAGlance(t *testing.T) {
	r := start(t, full(), texts.English, narrow, oneAnd, "a", "b", "c")
	r.sees("AutoDL 4090", "live · GeForce RTX 4090 · 24.0 GiB", "Stable; no other tenant seen · for 42 min",
		"GPU 88 %", "VRAM 17.8 of 24.0 GiB", "Power 334 W",
		"Where your models live", "4 of 11 done",
		"This run, 2 h 05", "Running for 2 h 05; today ¥4.10", "¥3.92", "¥4.10, idle ¥1.06", "¥118.20 to 131.50", "¥231.00 to 258.00 of ¥300.00", "¥1.88/h",
		"RunPod 8x: Idle for 34 min", "All (4)", "keeps reading on the host since 08:57", "ends billing after 30 min idle", "it has saved ¥11.28",
		"all together: 1 running, ¥1.88/h · 1 running, US$25.52/h, of it idle 2.10", "Old month card", "not connected", "US$25.52/h", "today US$61.20")
	r.misses("A run has finished", "Say what it costs", "Nothing rented")
	r.press("Open Watch")
	r.press("Set up")
	r.press("All (4)")
	r.press("Open")
	if got := r.did(); got != "watch, setup, alerts, setup" {
		t.Errorf("it did %q", got)
	}
}

// TestLongVerdictsWrap keeps what is said of now from being cut off.
func TestLongVerdictsWrap(t *testing.T) {
	for _, l := range texts.Langs() {
		m := full()
		m.Set("a", verdicttest.Slow(now))
		r := start(t, m, l, narrow, oneAnd, "a")
		line := r.w.page.now.line
		for _, s := range uitest.Texts(r.win.Canvas()) {
			if strings.HasSuffix(s, "…") {
				t.Errorf("%s: cut off is %q", l, s)
			}
		}
		if high := line.Tap.MinSize().Height; high < 2*fyne.MeasureText("0", 13, fyne.TextStyle{}).Height {
			t.Errorf("%s: the line has no room for two: %v", l, high)
		}
	}
}

// TestSparksShowWhatWasRead keeps the lines of a young connection from standing in
// a corner of their room.
func TestSparksShowWhatWasRead(t *testing.T) {
	before := past
	t.Cleanup(func() { past = before })
	for read, want := range map[time.Duration]time.Duration{
		30 * time.Second: time.Minute, 3 * time.Minute: 5 * time.Minute, 5 * time.Minute: 5 * time.Minute, 11 * time.Minute: 15 * time.Minute, 40 * time.Minute: 15 * time.Minute,
	} {
		past = read
		r := start(t, full(), texts.English, narrow, oneAnd, "a")
		if got := r.w.group.Span(); got != want {
			t.Errorf("of %v the sparks show %v, want %v", read, got, want)
		}
	}
}

// TestOwnAndMadeUpHostsAskForNoPrice: nobody rents them.
func TestOwnAndMadeUpHostsAskForNoPrice(t *testing.T) {
	for line, k := range map[string]struct{ sees, misses []string }{
		hosts.LineLocal: {[]string{"nothing is billed"}, []string{"Say what it costs", "Change the price", "nothing is known to run", "Idle now", "Point at a number", "While you are away"}},
		hosts.LineDemo:  {[]string{"¥1.88/h"}, []string{"Say what it costs", "Change the price", "nothing is known to run"}},
	} {
		m := full()
		m.running = nil
		if line == hosts.LineLocal {
			m.tariffs, m.glances = nil, nil
		}
		r := start(t, m, texts.English, narrow, nil)
		if _, err := r.book.Add(t.Context(), hosts.Saved{ID: "a", Name: "Mine", Line: line}); err != nil {
			t.Fatal(err)
		}
		r.book.Choose("a")
		r.tick(time.Second)
		r.sees(k.sees...)
		r.misses(k.misses...)
		r.w.Price()
		r.misses("What does Mine cost?")
		if line == hosts.LineDemo {
			test.Tap(r.w.page.cost.rows[5].tap)
			r.sees("Made up")
			r.misses("Change the price")
		}
	}
}

func TestEverythingFitsSideways(t *testing.T) {
	for _, l := range texts.Langs() {
		for _, m := range []*fake{full(), {}} {
			for _, ids := range [][]string{{"a", "b", "c"}, {"c"}, {}} {
				r := start(t, m, l, narrow, oneAnd, ids...)
				if w := r.w.root.MinSize().Width; w > narrow.Width {
					t.Errorf("%s: the page is %v wide", l, w)
				}
			}
		}
	}
}

func TestNumbersSayWhereTheyComeFrom(t *testing.T) {
	r := start(t, full(), texts.English, narrow, oneAnd, "a")
	k := r.w.page.cost
	want := map[string]string{
		"run": "Counted from the start of the instance itself", "today": "All runs since midnight", "month": "calendar month",
		"pace": "Your budget of the month is ¥300.00", "idle": "GPU, CPU, disk and network", "price": "From your offer AutoDL 4090 of plan SDXL",
	}
	for _, f := range k.rows {
		f.tap.MouseIn(&desktop.MouseEvent{})
		r.sees(want[f.key])
		delete(want, f.key)
	}
	if len(want) > 0 {
		t.Errorf("there is no number for %v", want)
	}
	r.w.page.now.sparks[1].tap.MouseIn(&desktop.MouseEvent{})
	r.sees("VRAM: probe, read at 10:57:")

	test.Tap(k.rows[5].tap)
	r.sees("Rules of AutoDL that it is counted by:")
	uitest.Press(t, r.win.Canvas(), "Close")
	test.Tap(k.rows[3].tap)
	r.press("Open Bill")
	if got := r.did(); got != "bill" {
		t.Errorf("it did %q", got)
	}
}

func TestUnknownIsADashWithAReason(t *testing.T) {
	m := full()
	g := m.glances["a"]
	g.Since, g.Pace, g.Budget, g.Running = time.Time{}, nil, nil, false
	m.glances["a"] = g
	r := start(t, m, texts.English, narrow, oneAnd, "a")
	k := r.w.page.cost
	if got := k.rows[3].value.Text; got != texts.Dash {
		t.Errorf("without a pace there stands %q", got)
	}
	if got := k.rows[4].value.Text; got != texts.Dash {
		t.Errorf("of what does not run it says idle %q", got)
	}
	for i, want := range map[int]string{0: "is not known; no run of it was read yet", 3: "too few readings of this month", 4: "Nothing is known to run"} {
		if got := k.rows[i].source(); !strings.Contains(got, want) {
			t.Errorf("number %d says %q", i, got)
		}
	}
	if r.w.page.cost.budget.Visible() {
		t.Error("a bar without a budget")
	}
	g.Running, g.Busy = true, false
	m.glances["a"] = g
	r.tick(time.Second)
	if got := k.rows[4]; got.value.Text != texts.Dash || !strings.Contains(got.source(), "can't be told") {
		t.Errorf("of what may work or not it says idle %q: %s", got.value.Text, got.source())
	}
}

func TestTheMonthAgainstItsBudget(t *testing.T) {
	for _, k := range []struct {
		month, pace string
		part        float64
		colour      fyne.ThemeColorName
	}{
		{"150", "290", 0.5, "primary"}, {"150", "310", 0.5, "rentgenWarn"}, {"310", "400", 1, "rentgenFail"},
	} {
		m := full()
		g, pace := m.glances["a"], sure(k.pace)
		g.Month, g.Pace = sure(k.month), &pace
		m.glances["a"] = g
		b := start(t, m, texts.English, narrow, oneAnd, "a").w.page.cost.bar
		if b.Part() != k.part || b.Colour() != k.colour {
			t.Errorf("%s of 300: the bar shows %v in %q", k.month, b.Part(), b.Colour())
		}
	}
}

func TestAHostThatIsNotConnected(t *testing.T) {
	r := start(t, &fake{}, texts.English, narrow, nil, "c")
	r.sees("Old month card", "not connected", "Check what you rented", "Nobody has said what this instance costs", "Nothing to tell.",
		"Connect to see whether the probe stays", "nothing is known to run")
	r.misses("Why is it slow?", "¥", "for 42 min")
	r.press("Connect")
	if !r.book.Get("c").Connected() {
		t.Error("Connect does not connect")
	}
}

// TestOldVerdictsAreToldAsOld keeps the page from saying how it is while no
// readings come.
func TestOldVerdictsAreToldAsOld(t *testing.T) {
	r := start(t, full(), texts.English, narrow, oneAnd, "a")
	r.op.Stream("a").Say(stream.State{Phase: stream.Waiting, LastTick: now, RetryAt: now.Add(time.Minute)})
	r.tick(90 * time.Second)
	r.sees("Before the readings stopped: Stable; no other tenant seen", "Readings are 1 min old", "Try again now")
	r.misses("for 42 min", "for 43 min", "Why is it slow?")
	r.op.Stream("a").Say(stream.State{Phase: stream.Live, LastTick: now})
	r.tick(time.Second)
	r.sees("Stable; no other tenant seen · for 43 min", "Why is it slow?")
}

// TestUnaskedIsNoReasonToConnect: what is connected is only waited for.
func TestUnaskedIsNoReasonToConnect(t *testing.T) {
	m := full()
	m.recorder, m.guard = Recorder{}, Guard{}
	r := start(t, m, texts.English, narrow, oneAnd, "a")
	r.sees("has not said yet whether the probe stays", "has not said yet whether the stop guard watches")
	r.misses("Connect to see")
}

func TestTheDemoIsLabelled(t *testing.T) {
	r := start(t, full(), texts.English, narrow, nil, "a")
	if _, err := r.book.Add(t.Context(), hosts.Saved{ID: "demo", Line: hosts.LineDemo}); err != nil {
		t.Fatal(err)
	}
	r.book.Choose("demo")
	r.tick(time.Second)
	r.sees("demo, made up")
}

func TestOtherHostsAreChosen(t *testing.T) {
	r := start(t, full(), texts.English, narrow, oneAnd, "a", "b", "c")
	uitest.Tap(t, r.win.Canvas(), "RunPod 8x")
	if got := r.did(); got != "choose b" {
		t.Errorf("it did %q", got)
	}
	r.tick(time.Second)
	r.sees("GeForce RTX 4090 + GeForce RTX 3090", "Nobody has said what this instance costs", "AutoDL 4090")
	if err := r.book.Forget(t.Context(), "a", hosts.Forgetting{}); err != nil {
		t.Fatal(err)
	}
	r.tick(time.Second)
	uitest.Visible(r.win.Canvas(), func(o fyne.CanvasObject) {
		if p, ok := o.(*widgets.Tap); ok && p == r.w.page.others.rows[1].tap {
			t.Error("a forgotten host is listed")
		}
	})
}

func TestAlertsOfTheDay(t *testing.T) {
	r := start(t, full(), texts.English, narrow, oneAnd, "a")
	test.Tap(r.w.page.alerts.rows[1].tap)
	if got := r.did(); got != "alert 2" {
		t.Errorf("it did %q", got)
	}
	r.m.alerts = r.m.alerts[:1]
	r.tick(time.Minute)
	r.sees("All (1)", "21 min ago")
	r.misses("left on /root")
	r.m.alerts = nil
	r.tick(time.Minute)
	r.sees("Nothing to tell.")
}

func TestWhyIsAskedFromHome(t *testing.T) {
	m := full()
	m.Found.Verdicts = verdicttest.Slow(now)
	r := start(t, m, texts.English, narrow, oneAnd, "a")
	r.press("Why is it slow?")
	r.work()
	r.sees("Why is AutoDL 4090 slow?", "VRAM is full")
	r.press("Show on the chart")
	if r.from.IsZero() {
		t.Error("the span is not shown")
	}
}

func TestNextStep(t *testing.T) {
	m := full()
	opened := 0
	m.next.Open = func() { opened++ }
	r := start(t, m, texts.English, narrow, oneAnd, "a")
	r.press("Open")
	if opened != 1 || r.did() != "" {
		t.Error("the step does not open")
	}
	m.next = Next{Done: 11, Of: 11}
	r.tick(time.Second)
	r.sees("The list of this instance is done", "11 of 11 done")
	m.next = Next{}
	r.tick(time.Second)
	r.sees("Check what you rented")
	r.misses("of 11 done")
}

// TestATickWithNothingNewIsFree keeps the page cheap while it stands.
func TestATickWithNothingNewIsFree(t *testing.T) {
	r := start(t, full(), texts.English, narrow, oneAnd, "a", "b")
	if n := testing.AllocsPerRun(50, r.w.Tick); n > 1 { // the state of the connection is copied
		t.Errorf("a tick allocates %v times", n)
	}
}

func TestOnlyTheSeenPlaceDraws(t *testing.T) {
	r := start(t, full(), texts.English, narrow, oneAnd, "a")
	r.w.Hidden()
	before := r.w.page.now.name.Text
	r.tick(time.Second)
	r.w.Shown()
	if r.w.page.now.name.Text != before {
		t.Error("the page is another one")
	}
	r.w.Retext(texts.For(texts.Chinese))
	r.settle()
	r.sees("稳定；没有看到同机其他租户", "这次运行，2 小时 05 分", "当前价格")
	r.misses("Open Watch")
}

// BenchmarkIdleTick is a look at a page on which nothing is new.
func BenchmarkIdleTick(b *testing.B) {
	r := start(b, full(), texts.English, narrow, oneAnd, "a", "b", "c")
	b.ReportAllocs()
	for b.Loop() {
		r.w.Tick()
	}
}

// BenchmarkSecond is a second without a reading: ages and durations move on.
func BenchmarkSecond(b *testing.B) {
	r := start(b, full(), texts.English, narrow, oneAnd, "a", "b", "c")
	b.ReportAllocs()
	for b.Loop() {
		r.tick(time.Second)
	}
}
