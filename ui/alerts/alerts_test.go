package alerts

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/judge"
	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/alert"
	"rentgen/app/purse/pursetest"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
	"rentgen/ui/widgets"
)

var (
	en  = texts.For(texts.English)
	now = time.Date(2026, 11, 30, 20, 0, 0, 0, time.Local)
)

// fake is a real engine behind the list, so that what is seen is what is said.
type fake struct {
	*alert.Engine
	t       *testing.T
	now     time.Time
	snoozed []time.Time
}

func (f *fake) Alerts() []purse.Alert { return f.List() }

func (f *fake) Snooze(id string, until time.Time) {
	f.snoozed = append(f.snoozed, until)
	if err := f.Engine.Snooze(f.t.Context(), id, until); err != nil {
		f.t.Error(err)
	}
}

func (f *fake) Seen(id string) {
	if err := f.Engine.Seen(f.t.Context(), id); err != nil {
		f.t.Error(err)
	}
}

func (f *fake) tell(ins ...alert.Input) {
	for _, in := range ins {
		if err := f.Update(f.t.Context(), in); err != nil {
			f.t.Error(err)
		}
		f.now = f.now.Add(time.Minute)
	}
}

type fixture struct {
	*List
	s      *fake
	w      fyne.Window
	chosen int
}

func newFixture(t *testing.T, lang texts.Lang, ground theme.Ground) *fixture {
	t.Helper()
	a := test.NewTempApp(t)
	a.Settings().SetTheme(theme.New(theme.Params{Ground: ground}))
	f := &fixture{s: &fake{t: t, now: now}}
	e, err := alert.New(t.Context(), alert.Params{Store: &pursetest.Store{}, Now: func() time.Time { return f.s.now }})
	if err != nil {
		t.Fatal(err)
	}
	f.s.Engine = e
	f.w = test.NewTempWindow(t, nil)
	f.w.SetPadded(false)
	f.List = New(Params{
		Texts: texts.For(lang), Model: f.s, Canvas: f.w.Canvas(), Now: func() time.Time { return f.s.now },
		Rules: func() { f.chosen++ }, Guard: func() { f.chosen += 100 },
	})
	f.w.SetContent(f.Content())
	f.w.Resize(fyne.NewSize(760, 620))
	return f
}

func ptr[T any](v T) *T { return &v }

func glance() *purse.Glance {
	return &purse.Glance{Priced: true, Currency: "CNY", PerHour: money.Frac(188, 100), Running: true}
}

func idle() alert.Input {
	g := glance()
	g.Idle, g.IdleFor, g.IdleCost = true, 34*time.Minute, money.Frac(106, 100)
	return alert.Input{Host: "h1", HostName: "AutoDL 4090", Glance: g}
}

func busy() alert.Input {
	return alert.Input{Host: "h1", HostName: "AutoDL 4090", Glance: glance(), Busy: ptr(true)}
}

// some is one of most kinds.
func some(f *fake) {
	budget := busy()
	budget.Host, budget.HostName, budget.Busy = "h2", "RunPod A100 for the comic series", nil
	budget.Glance.Budget, budget.Glance.Month = ptr(money.Int(100)), money.Band{Low: money.Int(101), Point: money.Int(104), High: money.Int(112)}
	f.tell(budget)
	f.tell(alert.Input{Host: "h3", HostName: "Big machine", Glance: glance(), Disks: []alert.Disk{{Mount: "/root/autodl-tmp", Free: 4e9, Total: 50e9}}})
	f.tell(alert.Input{Host: "h4", HostName: "Studio", Stopped: true, Releases: now.Add(50 * time.Hour), DataSince: now.Add(-700 * time.Hour)})
	f.tell(alert.Input{Host: "h3", HostName: "Big machine", Verdicts: []judge.Verdict{{Kind: judge.FaultLost, GPU: "GPU-3", Open: true}}, GPUs: []alert.GPU{{UUID: "GPU-3", Name: "RTX 4090"}}, Glance: glance()})
	f.tell(alert.Input{Host: "h5", HostName: "Night shift", Stopped: true, Glance: &purse.Glance{Priced: true, Currency: "CNY"}, Stops: []alert.Stop{{At: now.Add(-9 * time.Hour), Idle: 20 * time.Minute, Saved: ptr(money.Sure(money.Frac(1692, 100)))}}})
	f.tell(idle(), busy())
	f.now = f.now.Add(30 * time.Minute)
	f.tell(idle())
}

func plain(s string) string { return strings.ReplaceAll(s, "\u2009", " ") }

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

// menuItems are the lines of the menu that is open.
func (f *fixture) menuItems() (out []fyne.Tappable) {
	if f.w.Canvas().Overlays().Top() == nil {
		return nil
	}
	uitest.Visible(f.w.Canvas(), func(o fyne.CanvasObject) {
		if tap, ok := o.(fyne.Tappable); ok && fmt.Sprintf("%T", o) == "*widget.menuItem" {
			out = append(out, tap)
		}
	})
	return out
}

func TestFirstUse(t *testing.T) {
	f := newFixture(t, texts.English, theme.Dark)
	f.sees(t, en.T("alert.empty.title"))
	f.sees(t, "Nothing rings while this computer sleeps")
	uitest.Press(t, f.w.Canvas(), en.T("alert.list.rules"))
	if f.chosen != 1 || f.Badge() != 0 {
		t.Errorf("pressed %d, badge %d", f.chosen, f.Badge())
	}
}

func TestListSaysWhatIgnoringCosts(t *testing.T) {
	f := newFixture(t, texts.English, theme.Dark)
	some(f.s)
	f.Refresh()
	for _, part := range []string{
		"AutoDL 4090: idle", "Idle for 34 min; that cost ¥1.06.", "Each further hour costs ¥1.88.", en.T("alert.next.idle"),
		"Big machine: GPU lost", "RTX 4090 is gone", "Data of 31 days is deleted on", "over since", "Nothing rings while",
	} {
		f.sees(t, part)
	}
	f.misses(t, en.T("alert.empty.title"))
	if f.Badge() != 6 {
		t.Errorf("badge %d, want 6 that hold", f.Badge())
	}
	if len(f.order) != 7 {
		t.Fatalf("%d rows", len(f.order))
	}
	for i, a := range f.s.Alerts() {
		if f.order[i] != a.ID || f.byID[a.ID].shape != Shape(a) {
			t.Errorf("row %d is %s as %s", i, f.order[i], f.byID[f.order[i]].shape)
		}
	}
	uitest.Press(t, f.w.Canvas(), en.T("alert.sleep.guard"))
	if f.chosen != 100 {
		t.Error("the stop guard isn't opened")
	}
}

func TestShapes(t *testing.T) {
	for want, a := range map[theme.Verdict]purse.Alert{
		theme.Skip: {Kind: purse.AlertLost, Over: now}, theme.Fail: {Kind: purse.AlertRelease}, theme.Pass: {Kind: purse.AlertStopped}, theme.Warn: {Kind: purse.AlertPackage},
	} {
		if got := Shape(a); got != want {
			t.Errorf("%s is %s, want %s", a.Kind, got, want)
		}
	}
}

func TestSeenAndSnooze(t *testing.T) {
	f := newFixture(t, texts.English, theme.Dark)
	f.s.tell(idle())
	f.Refresh()
	r := f.byID[f.order[0]]
	f.w.Canvas().Focus(r.seen)
	r.seen.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	f.sees(t, en.T("alert.state.seen"))
	if f.Badge() != 0 || r.title.TextStyle.Bold || f.w.Canvas().Focused() != r.sleep {
		t.Errorf("badge %d, bold %v, the keyboard is at %T", f.Badge(), r.title.TextStyle.Bold, f.w.Canvas().Focused())
	}
	for i, want := range []time.Time{f.s.now.Add(time.Hour), alert.UntilTomorrow(f.s.now, alert.DefaultRules()), alert.UntilOver} {
		r.sleep.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
		items := f.menuItems()
		if len(items) != 3 {
			t.Fatalf("%d items in the menu", len(items))
		}
		test.Tap(items[i])
		if got := f.s.snoozed[i]; !got.Equal(want) {
			t.Errorf("snoozed until %v, want %v", got, want)
		}
	}
	f.sees(t, en.T("alert.state.snoozed.over"))
	if f.Badge() != 0 {
		t.Errorf("badge %d", f.Badge())
	}
	f.s.tell(busy())
	f.Refresh()
	f.sees(t, "over since")
	f.misses(t, en.T("alert.snooze"))
	f.misses(t, "Each further hour")
	if f.byID[f.order[0]] != r {
		t.Error("the row was made anew")
	}
}

func TestManyAlerts(t *testing.T) {
	f := newFixture(t, texts.English, theme.Dark)
	for i := range 50 {
		in := idle()
		in.Host, in.HostName = fmt.Sprint("h", i), fmt.Sprint("Seat ", i)
		f.s.tell(in)
	}
	f.Refresh()
	if len(f.order) != shown {
		t.Errorf("%d rows are drawn", len(f.order))
	}
	last := f.byID[f.order[shown-1]]
	f.w.Canvas().Focus(last.seen)
	if f.roll.Offset.Y == 0 {
		t.Error("a row that has the keyboard isn't scrolled to")
	}
	uitest.Press(t, f.w.Canvas(), en.T("alert.list.more"))
	if len(f.order) != 50 {
		t.Errorf("%d rows", len(f.order))
	}
	f.Retext(texts.For(texts.Chinese))
	f.sees(t, "空闲")
	f.misses(t, "Each further hour")
}

func TestPanel(t *testing.T) {
	f := newFixture(t, texts.English, theme.Dark)
	f.w.SetContent(widget.NewLabel(""))
	some(f.s)
	p := f.Open()
	f.sees(t, en.T("alert.list.title"))
	f.sees(t, "Idle for 34 min")
	if !widgets.Dismiss(f.w.Canvas()) || !p.Closed() {
		t.Error("Escape doesn't close it")
	}
	p = f.Open()
	uitest.Press(t, f.w.Canvas(), en.T("alert.close"))
	if !p.Closed() {
		t.Error("it can't be closed")
	}
}

// TestPanelGoesWhereItLeads: what it leads to would stand behind it.
func TestPanelGoesWhereItLeads(t *testing.T) {
	for _, full := range []bool{false, true} {
		f := newFixture(t, texts.English, theme.Dark)
		f.w.SetContent(widget.NewLabel("behind"))
		keys := map[string]int{"alert.list.rules": 1}
		if full {
			some(f.s)
			keys["alert.sleep.guard"] = 100
		}
		for key, want := range keys {
			f.chosen = 0
			panel := f.Open()
			uitest.Press(t, f.w.Canvas(), texts.For(texts.English).T(key))
			if f.chosen != want || !panel.Closed() {
				t.Errorf("%s: led to %d, closed is %v", key, f.chosen, panel.Closed())
			}
		}
	}
}

func TestNotifications(t *testing.T) {
	var said []string
	var further int
	ring := Ring(NotifyFunc(func(title, body string) { said = append(said, title+"|"+plain(body)) }),
		func() *texts.Catalogue { return en }, func(purse.Alert) { further++ })
	f := newFixture(t, texts.English, theme.Dark)
	f.s.tell(idle())
	ring(f.s.Alerts()[0])
	Ring(nil, nil, nil)(f.s.Alerts()[0])
	want := []string{"AutoDL 4090: idle|Idle for 34 min; that cost ¥1.06. Each further hour costs ¥1.88."}
	if !slices.Equal(said, want) || further != 1 {
		t.Errorf("%q, %d", said, further)
	}
	title, body := Words(texts.For(texts.Chinese), f.s.Alerts()[0])
	if title != "AutoDL 4090：空闲" || strings.Contains(body, "。 ") {
		t.Errorf("%q %q", title, body)
	}
}
