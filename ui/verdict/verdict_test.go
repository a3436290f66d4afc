package verdict_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/ui/chart"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
	"rentgen/ui/verdict"
	"rentgen/ui/verdict/verdicttest"
)

var levels = []judge.Level{judge.Good, judge.Info, judge.Warn, judge.Fail, judge.Unknown}

func TestEveryKindAndLevelHasWordsAndAShape(t *testing.T) {
	test.NewTempApp(t)
	for _, l := range texts.Langs() {
		c := texts.For(l)
		for _, k := range judge.Kinds() {
			if !c.Has("verdict.kind." + string(k)) {
				t.Errorf("%s: no word for %s", l, k)
			}
		}
		for _, lv := range levels {
			if !c.Has("verdict.level." + string(lv)) {
				t.Errorf("%s: no word for %s", l, lv)
			}
		}
	}
	icons, bands := map[string]judge.Level{}, map[chart.Level]judge.Level{}
	for _, lv := range levels {
		name := verdict.Icon(lv).Name()
		if other, twice := icons[name]; twice {
			t.Errorf("%s and %s have one shape", lv, other)
		}
		icons[name] = lv
		if other, twice := bands[verdict.ChartLevel(lv)]; twice {
			t.Errorf("%s and %s have one band", lv, other)
		}
		bands[verdict.ChartLevel(lv)] = lv
	}
}

func TestMain(t *testing.T) {
	v := func(l judge.Level, open bool, confidence float64, ago time.Duration) judge.Verdict {
		return judge.Verdict{Level: l, Open: open, Confidence: confidence, From: now.Add(-ago)}
	}
	for name, k := range map[string]struct {
		vs   []judge.Verdict
		want int
	}{
		"none":             {nil, -1},
		"all past":         {[]judge.Verdict{v(judge.Fail, false, 1, 0)}, -1},
		"the graver":       {[]judge.Verdict{v(judge.Good, true, 1, 0), v(judge.Warn, true, 0.5, 0), v(judge.Info, true, 1, 0)}, 1},
		"good before told": {[]judge.Verdict{v(judge.Info, true, 1, 0), v(judge.Good, true, 0.9, 0)}, 1},
		"unknown last":     {[]judge.Verdict{v(judge.Unknown, true, 0, 0), v(judge.Info, true, 0.5, 0)}, 1},
		"the surer":        {[]judge.Verdict{v(judge.Warn, true, 0.5, 0), v(judge.Warn, true, 0.9, time.Hour)}, 1},
		"the later":        {[]judge.Verdict{v(judge.Warn, true, 0.5, time.Hour), v(judge.Warn, true, 0.5, 0)}, 1},
	} {
		if got := verdict.Main(k.vs); got != k.want {
			t.Errorf("%s: %d, want %d", name, got, k.want)
		}
	}
	vs := []judge.Verdict{{GPU: "a", Level: judge.Fail, Open: true}, {Level: judge.Good, Open: true}}
	if got := verdict.MainOf(vs, "b"); got != 1 {
		t.Errorf("of another card: %d", got)
	}
}

func TestLineSaysHowItIs(t *testing.T) {
	r := newRig(t, texts.English, theme.Dark, fyne.NewSize(900, 500))
	l := verdict.NewLine(r.p)
	r.show(container.NewVBox(l.Tap))
	if got := l.Text(); got != "No verdict yet" {
		t.Errorf("at first it says %q", got)
	}
	plain := func() string { return strings.ReplaceAll(l.Text(), "\u2009", " ") }
	vs := verdicttest.Verdicts(now)
	l.Update(vs, 1)
	if got := plain(); got != "Stable; no other tenant seen · for 42 min · almost certain" {
		t.Errorf("it says %q", got)
	}
	r.now = now.Add(3 * time.Minute)
	l.Update(vs, 1)
	if got := plain(); !strings.Contains(got, "for 45 min") {
		t.Errorf("three minutes later it says %q", got)
	}
	more := append(verdicttest.Slow(r.now)[:1:1], vs...)
	more[0].Open = true
	l.Update(more, 2)
	if got := plain(); !strings.Contains(got, "VRAM is full") || !strings.HasSuffix(got, "1 more") {
		t.Errorf("with a graver one it says %q", got)
	}
	if n := testing.AllocsPerRun(50, func() { l.Update(more, 2) }); n > 0 {
		t.Errorf("an update with nothing new allocates %v times", n)
	}
	test.Tap(l.Tap)
	if !uitest.Sees(r.win.Canvas(), "halve the pictures") {
		t.Errorf("the detail holds %q", uitest.Texts(r.win.Canvas()))
	}
	uitest.Press(t, r.win.Canvas(), "Show on the chart")
	if len(r.jumped) != 1 || r.jumped[0].Kind != judge.SlowOffload || r.win.Canvas().Overlays().Top() != nil {
		t.Errorf("the span was shown %d times, panel %v", len(r.jumped), r.win.Canvas().Overlays().Top())
	}
}

func TestCardsAreNamedWhereThereAreSeveral(t *testing.T) {
	c := texts.For(texts.English)
	v := judge.Verdict{Kind: judge.Idle, GPU: "GPU-1"}
	if got := verdict.Sentence(c, &v, func(string) string { return "Card 1" }); got != "Card 1: Idle" {
		t.Errorf("it is %q", got)
	}
	v.GPU = ""
	if got := verdict.Sentence(c, &v, func(string) string { return "Card 1" }); got != "Idle" {
		t.Errorf("of the machine: %q", got)
	}
}

func TestListUnfoldsAndJumps(t *testing.T) {
	r := newRig(t, texts.English, theme.Dark, fyne.NewSize(900, 700))
	l := verdict.NewList(r.p)
	r.show(container.NewVScroll(l.Content()))
	if !uitest.Sees(r.win.Canvas(), "None yet") {
		t.Errorf("an empty list says %q", uitest.Texts(r.win.Canvas()))
	}
	vs := verdicttest.Verdicts(now)
	l.Update(vs, 1)
	sees := func(want bool, parts ...string) {
		t.Helper()
		for _, p := range parts {
			if uitest.Sees(r.win.Canvas(), p) != want {
				t.Errorf("%q seen is %v; there is %q", p, !want, uitest.Texts(r.win.Canvas()))
			}
		}
	}
	sees(true, "since 10:15, 42 min", "10:00 – 10:07, 7 min", "GPU error", "needs you", "not known yet")
	sees(false, "Stop the instance", "power 31 W")
	r.tap(t, "The card did nothing")
	sees(true, "Stop the instance", "power 31 W", "quiet 7 min", "almost certain (97 %)", "Rule")
	// What is unfolded stays so when the list is judged anew.
	r.now = now.Add(time.Minute)
	l.Update(append(vs[:4:4], verdicttest.Stable(vs[4].From, r.now)), 2)
	sees(true, "Stop the instance", "since 10:15, 43 min")
	r.now = now.Add(2 * time.Minute)
	l.Update(vs, 2)
	sees(true, "since 10:15, 44 min")
	r.tap(t, "10:17")
	if len(r.jumped) != 1 || r.jumped[0].Kind != judge.ThrottlePower {
		t.Errorf("jumped to %v", r.jumped)
	}
	from, to := verdict.Around(r.jumped[0], now)
	if !from.Before(vs[3].From) || !to.After(vs[3].To) {
		t.Errorf("the view is %v to %v", from, to)
	}
	r.tap(t, "The card did nothing")
	sees(false, "Stop the instance")
}

// TestTheSameVerdictsKeepTheirRows: a list that is judged anew every few seconds
// must not be built anew under the hand.
func TestTheSameVerdictsKeepTheirRows(t *testing.T) {
	r := newRig(t, texts.English, theme.Dark, fyne.NewSize(900, 700))
	l := verdict.NewList(r.p)
	r.show(container.NewVScroll(l.Content()))
	l.Update(verdicttest.Verdicts(now), 1)
	r.tap(t, "Stable; no other tenant seen")
	first := l.Content().(*fyne.Container).Objects[0]
	sees := func(want string) {
		t.Helper()
		if !uitest.Sees(r.win.Canvas(), want) {
			t.Errorf("%q is not seen; there is %q", want, uitest.Texts(r.win.Canvas()))
		}
	}
	sees("power 402 W")
	for i, k := range []struct {
		after time.Duration
		want  string
	}{{0, "power 390 W"}, {5 * time.Second, "power 390 W"}, {15 * time.Second, "power 388 W"}} {
		r.now = now.Add(k.after)
		vs := verdicttest.Verdicts(now)
		vs[4].To = r.now
		vs[4].Numbers = map[string]judge.Number{"power": {Value: 390 - float64(i), Unit: "W"}}
		l.Update(vs, uint64(i+2))
		sees(k.want)
	}
	if l.Content().(*fyne.Container).Objects[0] != first {
		t.Error("the rows are others")
	}
	vs := verdicttest.Verdicts(now)
	vs[4].Level = judge.Warn
	l.Update(vs, 9)
	sees("worth a look · almost certain")
	if l.Content().(*fyne.Container).Objects[0] == first {
		t.Error("another level keeps the row")
	}
}

func TestALongListIsAskedFor(t *testing.T) {
	r := newRig(t, texts.English, theme.Dark, fyne.NewSize(900, 700))
	l := verdict.NewList(r.p)
	r.show(container.NewVScroll(l.Content()))
	var vs []judge.Verdict
	for i := range 50 {
		from := now.Add(-time.Duration(i) * time.Minute)
		vs = append(vs, judge.Verdict{Kind: judge.Idle, Level: judge.Warn, From: from, To: from.Add(time.Second)})
	}
	l.Update(vs, 1)
	count := func() (n int) {
		for _, s := range uitest.Texts(r.win.Canvas()) {
			if strings.HasPrefix(s, "worth a look") {
				n++
			}
		}
		return n / 2 // a label and the text it draws
	}
	if n := count(); n != 20 {
		t.Errorf("%d rows at first", n)
	}
	uitest.Press(t, r.win.Canvas(), "Show 20 older")
	uitest.Press(t, r.win.Canvas(), "Show 10 older")
	if n := count(); n != 50 || l.Count() != 50 {
		t.Errorf("%d rows of %d in the end", n, l.Count())
	}
}

func TestBandsOfACard(t *testing.T) {
	c := texts.For(texts.English)
	vs := verdicttest.Verdicts(now)
	vs[2].GPU = "GPU-1" // the failure
	var b verdict.Bands
	fill := func(gpu string, version uint64, from, to, at time.Time) chart.Data {
		b.Set(c, vs, version, gpu, nil)
		var d chart.Data
		b.Fill(&d, from, to, at)
		return d
	}
	d := fill("GPU-0", 1, now.Add(-2*time.Hour), now, now)
	if len(d.Bands) != 4 || !d.Banded {
		t.Fatalf("%d bands", len(d.Bands))
	}
	d = fill("GPU-1", 1, now.Add(-2*time.Hour), now, now)
	if len(d.Bands) != 5 {
		t.Errorf("of the card that failed: %d bands", len(d.Bands))
	}
	d = fill("GPU-1", 1, now.Add(time.Minute), now.Add(2*time.Minute), now.Add(90*time.Second))
	if len(d.Bands) != 1 || d.Bands[0].To != now.Add(90*time.Second).UnixMilli() || d.Bands[0].Level != chart.Good {
		t.Errorf("what goes on is %+v", d.Bands)
	}
	if !strings.Contains(d.Bands[0].Text, "Stable; no other tenant seen") {
		t.Errorf("it says %q", d.Bands[0].Text)
	}
	d = chart.Data{Bands: make([]chart.Band, 0, 8)}
	if n := testing.AllocsPerRun(50, func() {
		d.Clear()
		b.Set(c, vs, 1, "GPU-1", nil)
		b.Fill(&d, now.Add(-2*time.Hour), now, now)
	}); n > 0 {
		t.Errorf("filling allocates %v times", n)
	}
}

// looker opens the panel with work that runs when the test says so.
type looker struct {
	r    *rig
	w    *verdict.Why
	jobs []func()
	ctx  context.Context
	seen func(verdict.Look)
	text string
	// What the look returns.
	found verdict.Found
	err   error
}

func newLooker(t *testing.T) *looker {
	k := &looker{r: newRig(t, texts.English, theme.Light, fyne.NewSize(980, 660))}
	k.r.show(container.NewVBox())
	k.w = verdict.OpenWhy(verdict.WhyParams{
		Params: k.r.p, Host: "a", Name: "Box", Do: func(f func()) { f() }, Go: func(f func()) { k.jobs = append(k.jobs, f) },
		Copy: func(s string) { k.text = s },
		Look: func(ctx context.Context, _ string, seen func(verdict.Look)) (verdict.Found, error) {
			k.ctx, k.seen = ctx, seen
			seen(verdict.Look{Elapsed: 12 * time.Second, Of: time.Minute, Readings: 12, Verdicts: verdicttest.Slow(now)[:1]})
			if ctx.Err() != nil {
				return verdict.Found{}, ctx.Err()
			}
			return k.found, k.err
		},
	})
	return k
}

// work runs what waits.
func (k *looker) work() {
	jobs := k.jobs
	k.jobs = nil
	for _, f := range jobs {
		f()
	}
}

func (k *looker) sees(t *testing.T, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !uitest.Sees(k.r.win.Canvas(), p) {
			t.Errorf("%q is not seen; there is %q", p, uitest.Texts(k.r.win.Canvas()))
		}
	}
}

func TestWhyFindsTheCause(t *testing.T) {
	k := newLooker(t)
	k.sees(t, "Why is Box slow?", "0 usable readings", "Nothing stands out yet")
	k.found = verdict.Found{
		From: now.Add(-time.Minute), To: now, Verdicts: verdicttest.Slow(now),
		Compared:    verdicttest.Words("with your run of 28 Nov", ""),
		Differences: []texts.Phrase{verdicttest.Words("50 s a picture now, 20 s then", "")},
	}
	k.work()
	k.sees(t, "VRAM is full", "Use the FP8 model", "likely (82 %)", "Also seen", "One CPU thread is at its limit", "with your run of 28 Nov", "50 s a picture now")
	uitest.Press(t, k.r.win.Canvas(), "Copy")
	for _, part := range []string{"VRAM is full", "50 s a picture", "pcie_rx"} {
		if !strings.Contains(k.text, part) {
			t.Errorf("copied is %q", k.text)
		}
	}
	uitest.Press(t, k.r.win.Canvas(), "Look again")
	k.sees(t, "Stop", "Nothing stands out yet")
	k.found = verdict.Found{}
	k.work()
	k.sees(t, "Nothing was found that slows it.", "no earlier run of yours")
}

func TestWhyCanBeStopped(t *testing.T) {
	k := newLooker(t)
	uitest.Press(t, k.r.win.Canvas(), "Stop")
	k.sees(t, "Stopped before anything could be said.")
	k.work() // what comes afterwards is dropped
	if k.ctx.Err() == nil {
		t.Error("the look was not given up")
	}
	k.sees(t, "Stopped before anything could be said.", "Look again")

	uitest.Press(t, k.r.win.Canvas(), "Look again")
	k.err = context.Canceled
	k.work()
	k.sees(t, "Stopped. What was seen until then:", "VRAM is full")
}

func TestClosingEndsTheLook(t *testing.T) {
	k := newLooker(t)
	k.w.Panel().Cancel()
	k.work()
	if k.ctx.Err() == nil || k.r.win.Canvas().Overlays().Top() != nil {
		t.Error("a closed panel looks on")
	}
}

func TestWhySaysWhatFailed(t *testing.T) {
	k := newLooker(t)
	k.err = errors.New("no connection to the host")
	k.work()
	k.sees(t, "The look ended early: no connection to the host", "Look again")
}
