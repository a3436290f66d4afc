package history

import (
	"context"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/store"
	"rentgen/ui/chart"
	"rentgen/ui/uitest"
	"rentgen/ui/widgets"
)

var en = texts.For(texts.English)

// sees fails unless a text that holds part is on screen.
func (f *fixture) sees(t *testing.T, part string) {
	t.Helper()
	if !uitest.Sees(f.w.Canvas(), plain(part)) {
		t.Errorf("%q is not seen; there is %q", part, uitest.Texts(f.w.Canvas()))
	}
}

func (f *fixture) misses(t *testing.T, part string) {
	t.Helper()
	if uitest.Sees(f.w.Canvas(), plain(part)) {
		t.Errorf("%q is seen", part)
	}
}

// plain writes thin spaces as uitest does.
func plain(s string) string { return strings.ReplaceAll(s, "\u2009", " ") }

// press presses the button that says text.
func (f *fixture) press(t *testing.T, text string) {
	t.Helper()
	var found *widgets.Button
	uitest.Visible(f.w.Canvas(), func(o fyne.CanvasObject) {
		if b, ok := o.(*widgets.Button); ok && b.Text == text && !b.Disabled() {
			found = b
		}
	})
	if found == nil {
		t.Fatalf("no button %q", text)
	}
	test.Tap(found)
}

func TestFirstUse(t *testing.T) {
	f := newFixture(t, &fake{}, texts.English)
	f.Shown()
	f.sees(t, en.T("history.empty.title"))
	f.misses(t, en.T("history.csv"))
	f.press(t, en.T("history.empty.next"))
	if f.watched != 1 {
		t.Error("the next action does nothing")
	}
}

func TestListSaysWhatALogIs(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()}, texts.English)
	f.Shown()
	for _, part := range []string{
		"AutoDL 4090", "Demo (demo)", "Big machine", "8 × RTX 4090", "12 gaps", "1 gap", "still going on",
		texts.Span(en, now.Add(-50*time.Hour), now.Add(-45*time.Hour)), texts.Bytes(3 * 86400 * 9),
		en.T("history.sum", "n", "5", "size", texts.Bytes(float64(sumBytes(f.s.logs)))),
	} {
		f.sees(t, part)
	}
	if f.board.id() != 5 {
		t.Errorf("log %d is open, want the newest", f.board.id())
	}
}

func sumBytes(logs []store.Recording) (n int64) {
	for _, r := range logs {
		n += r.Bytes
	}
	return n
}

func TestOpeningALog(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()}, texts.English)
	f.Shown()
	f.list.view.Select(2)
	if f.board.id() != 3 {
		t.Fatalf("log %d is open, want 3", f.board.id())
	}
	from, to := f.board.group.View()
	if !from.Equal(now.Add(-50*time.Hour)) || to.Before(now.Add(-45*time.Hour)) {
		t.Errorf("the view is %v to %v, want the whole log", from, to)
	}
	if !f.board.cards.Hidden {
		t.Error("with one card there is no card to choose")
	}
	f.board.group.SetCursor(now.Add(-48 * time.Hour))
	if got := strings.Join(f.board.rows[1].chart.Values(), " "); !strings.Contains(got, "GiB") {
		t.Errorf("the VRAM chart says %q", got)
	}
}

func TestZoomAsksForFinerPoints(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()}, texts.English)
	f.Shown()
	f.choose(2)
	if s := f.board.have.step; s < 60*time.Second {
		t.Fatalf("three days come in points of %v", s)
	}
	before := len(f.s.queries)
	for range 20 {
		f.board.zoom(0.5)
	}
	if f.board.have.step != time.Second {
		t.Errorf("zoomed in, points are %v wide", f.board.have.step)
	}
	if n := len(f.s.queries) - before; n == 0 {
		t.Error("nothing was asked")
	}
	from, to := f.board.group.View()
	if to.Sub(from) > 2*time.Second {
		t.Errorf("zoomed in to %v", to.Sub(from))
	}
	f.press(t, en.T("history.whole"))
	if a, b := f.board.group.View(); b.Sub(a) < 3*24*time.Hour {
		t.Errorf("the whole log is %v", b.Sub(a))
	}
}

func TestPanningInsideWhatThereIsAsksNothing(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()}, texts.English)
	f.Shown()
	f.choose(2)
	from := now.Add(-8 * 24 * time.Hour)
	f.board.group.SetView(from, from.Add(6*time.Hour))
	before := len(f.s.queries)
	f.board.group.Pan(time.Hour)
	if len(f.s.queries) != before {
		t.Error("the points at hand were asked for again")
	}
	f.board.group.Pan(20 * time.Hour)
	if len(f.s.queries) == before {
		t.Error("points beyond what is at hand were not asked for")
	}
}

func TestOldContentStaysAndLatestWins(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()}, texts.English)
	f.Shown()
	f.choose(2)
	before := f.board.have
	f.hold = true
	start := now.Add(-9 * 24 * time.Hour)
	for i := range 30 { // thirty turns of the wheel
		f.board.group.SetView(start.Add(time.Duration(i)*time.Hour), start.Add(time.Duration(i)*time.Hour+10*time.Minute))
	}
	if f.board.have.from != before.from {
		t.Error("the old points went before new ones came")
	}
	if len(f.queue) != 1 {
		t.Errorf("%d questions run at a time, want 1", len(f.queue))
	}
	for _, g := range f.timers {
		g()
	}
	if f.board.bar.rect.FillColor == nil || !f.board.bar.on {
		t.Error("the bar does not say that something is read")
	}
	queries := len(f.s.queries)
	f.release()
	from, _ := f.board.group.View()
	if !f.board.have.from.Equal(from.Add(-5 * time.Minute)) {
		t.Errorf("shown is %v, want the last view asked", f.board.have.from)
	}
	if n := len(f.s.queries) - queries; n > 50 {
		t.Errorf("%d queries for what nobody sees any more", n)
	}
	if f.board.bar.on {
		t.Error("the bar stays lit")
	}
}

func TestChoosingMetricAndCard(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()}, texts.English)
	f.Shown()
	f.choose(2)
	if f.board.cards.Hidden || len(f.board.cards.Options) != 9 {
		t.Fatalf("eight cards give the choices %q", f.board.cards.Options)
	}
	f.s.queries = nil
	f.board.cards.SetSelectedIndex(2)
	for _, q := range f.s.queries {
		if q.GPU != "GPU-1" {
			t.Errorf("asked for card %q, want GPU-1", q.GPU)
		}
	}
	f.s.queries = nil
	f.board.rows[0].pick.SetSelected(en.T("metric.cpu_busiest_pct"))
	if q := f.s.queries[0]; q.Metric != probe.CPUBusiest || q.GPU != "" {
		t.Errorf("asked for %v of %q", q.Metric, q.GPU)
	}
	f.press(t, en.T("history.chart.add"))
	if len(f.board.rows) != mostCharts || !f.board.add.Disabled() {
		t.Errorf("%d charts", len(f.board.rows))
	}
	for len(f.board.rows) > 1 {
		f.board.dropChart(f.board.rows[0])
	}
	f.board.dropChart(f.board.rows[0])
	if len(f.board.rows) != 1 || !f.board.rows[0].close.Hidden {
		t.Error("the last chart must stay")
	}
}

func TestEveryChartableMetricHasAName(t *testing.T) {
	for _, m := range chartable() {
		for _, l := range texts.Langs() {
			if !texts.For(l).Has("metric." + m.String()) {
				t.Errorf("%s: %s has no name", l, m)
			}
		}
	}
}

func TestMissingMetricSaysWhy(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs(), denied: true}, texts.English)
	f.Shown()
	f.sees(t, texts.Missing(en, "denied", ""))
	f.misses(t, "mean")
}

func TestGapsAndEventsReachTheCharts(t *testing.T) {
	s := &fake{logs: someLogs()}
	s.gaps = []probe.Gap{
		{From: now.Add(-80 * time.Minute), To: now.Add(-75 * time.Minute), Reason: probe.GapLink},
		{From: now.Add(-70 * time.Minute), To: now.Add(-65 * time.Minute), Reason: store.GapStore},
		{From: now.Add(-60 * time.Minute), To: now.Add(-55 * time.Minute), Reason: probe.GapGPU, GPU: "another card"},
	}
	s.events = []probe.Event{{Time: now.Add(-50 * time.Minute), Kind: probe.EventXid, Code: 79}}
	f := newFixture(t, s, texts.English)
	f.Shown()
	says := func(at time.Time) string {
		f.board.group.SetCursor(at)
		return strings.Join(f.board.rows[0].chart.Values(), " ")
	}
	for at, want := range map[time.Duration]string{
		-77 * time.Minute: texts.Gap(en, "link"), -67 * time.Minute: texts.Gap(en, "store"),
	} {
		if got := says(now.Add(at)); !strings.Contains(got, want) {
			t.Errorf("at %v the chart says %q, want %q", at, got, want)
		}
	}
	if got := says(now.Add(-57 * time.Minute)); strings.Contains(got, texts.Gap(en, "gpu")) {
		t.Error("another card's gap is shown")
	}
	if got := says(now.Add(-50 * time.Minute)); !strings.Contains(got, "GPU error 79") {
		t.Errorf("near the event the chart says %q", got)
	}
}

// file is what an export writes to.
type file struct {
	strings.Builder
	done func(string)
}

func (f *file) Close() error {
	f.done(f.String())
	return nil
}

func TestAGrowingLogIsFollowed(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()}, texts.English)
	f.Shown()
	grow := func() {
		f.s.logs[0].To = f.s.logs[0].To.Add(time.Minute)
		for _, g := range f.timers {
			g()
		}
	}
	grow()
	if _, to := f.board.group.View(); !to.After(f.s.logs[0].To) {
		t.Error("the whole of a growing log ends before its end")
	}
	from := now.Add(-time.Hour)
	f.board.group.SetView(from, from.Add(time.Minute))
	f.load()
	f.s.logs[0].To = f.s.logs[0].To.Add(time.Minute)
	f.load()
	if a, b := f.board.group.View(); !a.Equal(from) || b.Sub(a) != time.Minute {
		t.Errorf("a view into the past moved to %v..%v", a, b)
	}
}

func TestALogWithoutReadings(t *testing.T) {
	s := &fake{logs: someLogs()}
	s.logs[0].From, s.logs[0].To = time.Time{}, time.Time{}
	f := newFixture(t, s, texts.English)
	f.Shown()
	f.sees(t, en.T("history.none"))
	f.sees(t, en.T("history.noreadings"))
	if len(s.queries) != 0 {
		t.Error("nothing can be asked of it")
	}
	s.logs[0].From, s.logs[0].To = now.Add(-time.Minute), now
	f.load()
	f.misses(t, en.T("history.noreadings"))
	if a, _ := f.board.group.View(); !a.Equal(s.logs[0].From) {
		t.Errorf("the first readings are not shown: the view begins %v", a)
	}
}

// TestLoaderWithRealGoroutines asks fast and checks that only the last answer
// is shown, on the goroutine of the UI.
func TestLoaderWithRealGoroutines(t *testing.T) {
	ui := make(chan func(), 1000)
	p := &Params{Go: func(f func()) { go f() }, Do: func(f func()) { ui <- f }}
	l := loader{p: p}
	var answers []int
	lit := 0
	l.onBusy = func(on bool) {
		if on {
			lit++
		} else {
			lit--
		}
	}
	for i := range 100 {
		ask(&l, func(ctx context.Context) (int, error) {
			<-ctx.Done() // all but the last wait until they are overtaken
			return i, ctx.Err()
		}, func(n int, _ error) { answers = append(answers, n) })
	}
	ask(&l, func(context.Context) (int, error) { return 100, nil }, func(n int, _ error) { answers = append(answers, n) })
	for deadline := time.After(10 * time.Second); len(answers) == 0; {
		select {
		case f := <-ui:
			f()
		case <-deadline:
			t.Fatal("no answer came")
		}
	}
	if len(answers) != 1 || answers[0] != 100 || lit != 0 || l.busy {
		t.Errorf("answers %v, bar lit %d, busy %v", answers, lit, l.busy)
	}
}

func TestHiddenPlaceReadsNothing(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()}, texts.English)
	f.Shown()
	timers := f.timers
	f.Hidden()
	before := len(f.s.queries)
	f.s.logs[0].To = f.s.logs[0].To.Add(time.Hour)
	for _, g := range timers {
		g()
	}
	if len(f.s.queries) != before {
		t.Error("a hidden place reads on")
	}
}

func TestLanguageKeepsWhatIsOpen(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()}, texts.English)
	f.Shown()
	f.choose(2)
	f.board.dropChart(f.board.rows[1])
	from := now.Add(-8 * 24 * time.Hour)
	f.board.group.SetView(from, from.Add(time.Hour))
	f.Retext(texts.For(texts.Chinese))
	f.sees(t, texts.For(texts.Chinese).T("history.csv"))
	a, b := f.board.group.View()
	if f.board.id() != 2 || len(f.board.rows) != 2 || !a.Equal(from) || b.Sub(a) != time.Hour {
		t.Errorf("open is log %d with %d charts at %v..%v", f.board.id(), len(f.board.rows), a, b)
	}
}

func TestStrip(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()}, texts.English)
	f.Shown()
	if len(f.strip.days) != leastDays {
		t.Fatalf("%d days", len(f.strip.days))
	}
	last := f.strip.days[len(f.strip.days)-1]
	if last.watched != 2*time.Hour || last.newest != 5 {
		t.Errorf("today is %+v", last)
	}
	if d := f.strip.days[len(f.strip.days)-2]; !d.demo {
		t.Errorf("yesterday only the demo was watched: %+v", d)
	}
	f.strip.TypedKey(&fyne.KeyEvent{Name: fyne.KeyLeft})
	f.strip.TypedKey(&fyne.KeyEvent{Name: fyne.KeyLeft})
	if f.board.id() != 3 {
		t.Errorf("two days back is log %d, want 3", f.board.id())
	}
	f.strip.TypedKey(&fyne.KeyEvent{Name: fyne.KeyRight})
	if f.board.id() != 4 {
		t.Errorf("forth again is log %d, want 4", f.board.id())
	}
	i := f.strip.index(now.Add(-8 * 24 * time.Hour))
	w := f.strip.Size().Width / float32(len(f.strip.days))
	f.strip.Tapped(&fyne.PointEvent{Position: fyne.NewPos(w*(float32(i)+0.5), 5)})
	if f.board.id() != 2 {
		t.Errorf("a tap opens log %d, want 2", f.board.id())
	}
	f.strip.hover = i
	if got := f.strip.say(); !strings.Contains(got, texts.Duration(en, 24*time.Hour)) {
		t.Errorf("the day under the hand is said as %q", got)
	}
}

// TestRealHistory shows what the store itself holds.
func TestRealHistory(t *testing.T) {
	ctx := context.Background()
	s, err := store.Open(ctx, store.Params{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.StartRecording(ctx, store.RecordingStart{HostID: "h", HostName: "Real host", Source: probe.SourceAgent})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now().Add(-time.Minute).Truncate(time.Second)
	r.Message(&probe.Inventory{Time: start, GPUs: []probe.Device{card(0)}})
	for i := range 50 {
		g := probe.GPU{Index: 0, UUID: "GPU-0", Name: "RTX 4090"}
		g.Set(probe.UtilGPU, probe.Of(42))
		r.Message(&probe.Sample{Seq: uint64(i), Time: start.Add(time.Duration(i) * time.Second), GPUs: []probe.GPU{g}})
	}
	if err := r.Close("done"); err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, &fake{}, texts.English)
	p := f.p
	p.Store, p.Pace = s, chart.Immediate
	w := New(p)
	f.Place = w
	f.w.SetContent(w.Content())
	w.Shown()
	f.sees(t, "Real host")
	w.board.group.SetCursor(start.Add(20 * time.Second))
	if got := strings.Join(w.board.rows[0].chart.Values(), " "); !strings.Contains(got, "42") {
		t.Errorf("the chart says %q", got)
	}
	f.sees(t, en.T("history.value", "mean", texts.Percent(42), "high", texts.Percent(42)))
}
