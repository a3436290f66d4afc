package costs

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/meter"
	"rentgen/app/purse/pursetest"
	"rentgen/app/purse/tariff"
	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
)

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.Local)

// bySM takes a card whose cores work for busy.
type bySM struct{}

func (bySM) Inventory(*probe.Inventory) {}

func (bySM) Second(s *probe.Sample) meter.State {
	if v, ok := s.GPUs[0].Get(probe.UtilGPU).Ok(); ok && v > 5 {
		return meter.Busy
	}
	return meter.Idle
}

// rig is a book over a store, with a clock that is set by hand, and the page.
type rig struct {
	*Page
	t       *testing.T
	now     time.Time
	store   *pursetest.Store
	book    *meter.Book
	win     fyne.Window
	c       *texts.Catalogue
	file    string // what the person opens
	changed int
}

// run is a session of an hour, of which the last 20 minutes are idle.
func (r *rig) run(host, boot string, start time.Time) {
	r.now = start
	r.book.Message(host, &probe.Inventory{Time: start.UTC(), Run: probe.Run{BootID: boot, Init: start}, Mode: probe.ModeGPU})
	for i := range 3600 {
		r.now = start.Add(time.Duration(i+1) * time.Second)
		s := &probe.Sample{Time: r.now.UTC(), HostTime: r.now.UTC(), GPUs: make([]probe.GPU, 1)}
		util := 90.0
		if i >= 2400 {
			util = 0
		}
		s.GPUs[0].Set(probe.UtilGPU, probe.Of(util))
		r.book.Message(host, s)
	}
}

func (r *rig) price(host string, forecast bool) {
	r.t.Helper()
	t, err := tariff.Parse(tariff.Typed{PerHour: "1.88", Provider: "autodl"}, r.now)
	if err != nil {
		r.t.Fatal(err)
	}
	if forecast {
		t.Plan, t.Offer = "SDXL", "AutoDL 4090"
		t.Forecast = &tariff.Forecast{Days: 30, Lines: []tariff.Line{
			{ID: "compute", Amount: money.Sure(money.MustParse("41.36"))},
			{ID: "idle", Amount: money.Sure(money.MustParse("6.20"))},
			{ID: "data_disk", Amount: money.Sure(money.MustParse("9.90"))},
			{ID: "rerun", Amount: money.Band{Low: money.MustParse("0.40"), Point: money.MustParse("1"), High: money.MustParse("2.10")}},
		}}
	}
	if err := r.book.SetTariff(r.t.Context(), host, t); err != nil {
		r.t.Fatal(err)
	}
}

func newRig(t *testing.T, l texts.Lang, g theme.Ground) *rig {
	t.Helper()
	a := test.NewTempApp(t)
	a.Settings().SetTheme(theme.New(theme.Params{Ground: g}))
	r := &rig{t: t, now: noon, store: &pursetest.Store{}, c: texts.For(l)}
	r.book = meter.NewBook(meter.BookParams{
		Store: r.store, Now: func() time.Time { return r.now }, Zone: time.Local, Classify: func() meter.Classifier { return bySM{} },
		After: func(time.Duration, func()) {},
	})
	r.win = test.NewTempWindow(t, nil)
	r.win.SetPadded(false)
	r.win.Resize(fyne.NewSize(1024, 700))
	return r
}

// full is a host with three runs, of which nobody saw two end, and another one.
func full(t *testing.T, l texts.Lang, g theme.Ground) *rig {
	t.Helper()
	r := newRig(t, l, g)
	r.price("h1", true)
	r.run("h1", "a", noon)
	r.run("h1", "b", noon.Add(5*time.Hour))
	r.run("h2", "x", noon.Add(20*time.Hour))
	r.run("h1", "c", noon.Add(24*time.Hour))
	r.now = r.now.Add(2 * time.Hour)
	r.open("h1")
	return r
}

func (r *rig) open(host string) {
	r.Page = Open(Params{
		Texts: r.c, Window: r.win, Book: r.book, Store: r.store, Host: host,
		Names:   func(id string) string { return map[string]string{"h1": "AutoDL 4090", "h2": "RunPod A100"}[id] },
		Changed: func() { r.changed++ }, Now: func() time.Time { return r.now },
		Do: func(f func()) { f() }, Go: func(f func()) { f() },
		AskFile: func(open func(string, io.ReadCloser, error)) {
			open("bill.csv", io.NopCloser(strings.NewReader(r.file)), nil)
		},
	})
}

func (r *rig) press(key string, pairs ...any) {
	r.t.Helper()
	uitest.Press(r.t, r.win.Canvas(), r.c.T(key, pairs...))
}

// sees expects parts of what is shown; blanks between number and unit don't count.
func (r *rig) sees(parts ...string) {
	r.t.Helper()
	all := strings.NewReplacer("\r", "", "\u2009", " ", "\u00a0", " ").Replace(strings.Join(uitest.Texts(r.win.Canvas()), "\n"))
	for _, p := range parts {
		if !strings.Contains(all, strings.NewReplacer("\u2009", " ", "\u00a0", " ").Replace(p)) {
			r.t.Errorf("%q is not shown:\n%s", p, all)
		}
	}
}

func TestSumOfTheMonth(t *testing.T) {
	for _, l := range texts.Langs() {
		r := full(t, l, theme.Light)
		a, _ := r.book.Account("h1")
		r.sees(r.c.T("costs.session"), r.c.T("costs.lines"), why(r.c, "bill"), why(r.c, "running"), "SDXL · AutoDL 4090", r.c.T("costs.doubts"), "9.90")
		for _, d := range a.Doubts {
			r.sees(r.c.Say(d))
		}
		if a.IdleS != 3600 { // three runs of 20 minutes
			t.Errorf("idle for %d s", a.IdleS)
		}
		r.sees(texts.Duration(r.c, time.Hour))
		for _, s := range uitest.Texts(r.win.Canvas()) {
			if strings.Contains(s, "costs.") || strings.Contains(s, "{") {
				t.Errorf("%s: %q", l, s)
			}
		}
	}
}

func TestAHostWithoutAPrice(t *testing.T) {
	r := newRig(t, texts.English, theme.Light)
	r.run("h2", "x", noon)
	r.open("h2")
	r.sees("No price is known", "This month busy 40 min, idle 20 min", "No price is known, so there are no lines")
	r.press("costs.view.runs")
	r.sees("running")
	r = newRig(t, texts.English, theme.Light)
	r.open("h1")
	r.sees("Nothing was counted for this host yet")
	for _, v := range views() {
		r.Show(v)
	}
}

func TestARunThatNobodySawEnd(t *testing.T) {
	for _, l := range texts.Langs() {
		r := full(t, l, theme.Light)
		r.press("costs.view.runs")
		a, _ := r.book.Account("h1")
		if len(a.Sessions) != 3 {
			t.Fatalf("%d runs", len(a.Sessions))
		}
		s := a.Sessions[0]
		r.sees(runText(r.c, s))
		r.press("costs.stop") // the newest comes first
		example := s.Last.Local().Format("2006-01-02 15:04")
		f := uitest.Field(t, r.win.Canvas(), example)
		for _, bad := range []string{"", "soon", s.Last.Add(-time.Hour).Format("2006-01-02 15:04"), r.now.Add(time.Hour).Format("2006-01-02 15:04")} {
			f.SetText(bad)
			r.press("costs.stop.save")
			first, _, _ := strings.Cut(r.c.T("costs.stop.bad", "allowed", "|"), "|")
			r.sees(first)
		}
		if r.changed != 0 {
			t.Error("a bad time was kept")
		}
		at := s.Last.Add(30 * time.Minute)
		r.store.Fail(errors.New("disk I/O error"))
		f.SetText(at.Format("2006-01-02 15:04"))
		r.press("costs.stop.save")
		r.sees("disk I/O error")
		r.store.Fail(nil)
		r.press("costs.stop.save")
		a, _ = r.book.Account("h1")
		if s := a.Sessions[0]; s.By != meter.ByUser || s.End.Sub(at).Abs() > time.Minute || r.changed != 1 {
			t.Errorf("%v by %q, changed %d times", s.End, s.By, r.changed)
		}
		r.sees(r.c.T("costs.stop.change"), r.c.T("purse.by.user"))
	}
}

func TestStopIsRead(t *testing.T) {
	last := time.Date(2026, 11, 29, 23, 30, 20, 0, time.Local)
	for text, want := range map[string]string{
		"2026-11-29 23:40": "2026-11-29 23:40:00", "2026/11/29 23:40:05": "2026-11-29 23:40:05", "2026年11月29日 23:40": "2026-11-29 23:40:00",
		"2026-11-29T23:40": "2026-11-29 23:40:00", " 23：40 ": "2026-11-29 23:40:00", "00:10": "2026-11-30 00:10:00", "23:30": "2026-11-29 23:30:00",
		"": "", "noon": "", "2026-13-01 10:00": "", "2026-11-29": "", "25:00": "",
	} {
		at, ok := parseStop(text, last)
		if got := at.Format(time.DateTime); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %s %v, want %q", text, got, ok, want)
		}
	}
}

// bill asks for the first run, ten minutes longer than seen, and one of nobody.
const bill = "开始时间,结束时间,实例ID,金额(元)\n2026-11-28 12:00:00,2026-11-28 13:10:00,x1,2.19\n2026-11-25 10:00:00,2026-11-25 11:00:00,x9,1.88\n"

func TestABillIsTakenIn(t *testing.T) {
	for _, l := range texts.Langs() {
		r := full(t, l, theme.Light)
		r.press("costs.view.bill")
		r.file = bill
		r.press("costs.bill.open")
		r.sees(r.c.T("costs.bill.matched", "n", 1), r.c.T("costs.bill.only-bill", "n", 1), "2.19", r.c.T("costs.bill.done", "name", "bill.csv", "n", 2))
		a, _ := r.book.Account("h1")
		if s := a.Sessions[2]; s.By != meter.ByBill || s.End.Sub(noon) != 70*time.Minute {
			t.Errorf("%v by %q", s.End, s.By)
		}
		es, err := r.store.PurseEntries(t.Context(), purse.Filter{AnyHost: true, Kind: purse.KindBill})
		if err != nil || len(es) != 1 || !strings.Contains(string(es[0].Body), `"bill.csv"`) || es[0].Host != "" || r.changed != 1 {
			t.Errorf("%+v %v", es, err)
		}
		r.Show(viewSum)
		r.Show(viewBill)
		r.sees("2.19") // it stays
	}
}

func TestABillThatCantBeRead(t *testing.T) {
	r := full(t, texts.English, theme.Light)
	r.Show(viewBill)
	for file, want := range map[string]string{
		"start,end,amount\n2026-11-30 12:00,2026-11-30 13:00,much\n": "Line 2, column 3: ",
		"":                 "This is no bill that can be read",
		"no bill at all\n": "This is no bill that can be read",
	} {
		r.file = file
		r.press("costs.bill.open")
		r.sees("bill.csv was not taken in; nothing has changed.", want)
	}
	uitest.Visible(r.win.Canvas(), func(fyne.CanvasObject) {})
	r.bill.currency, r.bill.chosen = "", true
	r.file = "start,end,amount\n2026-11-30 12:00,2026-11-30 13:00,1.88\n"
	r.press("costs.bill.open")
	r.sees("or choose the currency above")
	r.file = bill
	r.store.Fail(errors.New("disk I/O error"))
	r.press("costs.bill.open")
	r.sees("bill.csv could not be read or kept", "disk I/O error")
	if es, _ := r.store.PurseEntries(t.Context(), purse.Filter{AnyHost: true, Kind: purse.KindBill}); len(es) != 0 {
		t.Errorf("kept: %v", es)
	}
}

func TestBudgetOfAHostAndOfAll(t *testing.T) {
	for _, l := range texts.Langs() {
		r := full(t, l, theme.Light)
		r.Show(viewBudget)
		entries := r.entries()
		if len(entries) != 2 {
			t.Fatalf("%d fields", len(entries))
		}
		entries[0].SetText("a lot")
		r.press("costs.budget.save")
		r.sees(r.c.T("costs.stop.bad", "allowed", r.c.T("offer.allowed.positive")))
		entries[0].SetText("120.50")
		entries[1].SetText("300")
		r.press("costs.budget.save")
		r.sees(r.c.T("costs.budget.kept"))
		own, ok := r.book.Budget("h1", "CNY")
		all, okAll := r.book.Budget("", "CNY")
		if !ok || !okAll || own.String() != "120.5" || all.String() != "300" {
			t.Errorf("%v %v", own, all)
		}
		a, _ := r.book.Account("h1")
		if g := a.Glance; g.Budget == nil || g.Budget.String() != "120.5" || g.BudgetOfAll {
			t.Errorf("%v %v", g.Budget, g.BudgetOfAll)
		}
		r.Show(viewSum)
		r.sees(r.c.T("costs.limit"), "120.50", r.c.T("costs.forecast"))
		r.Show(viewBudget)
		entries = r.entries()
		if entries[0].Text != "120.5" || entries[1].Text != "300" {
			t.Errorf("%q %q", entries[0].Text, entries[1].Text)
		}
		entries[0].SetText("")
		r.press("costs.budget.save")
		a, _ = r.book.Account("h1")
		if g := a.Glance; g.Budget == nil || g.Budget.String() != "300" || !g.BudgetOfAll {
			t.Errorf("%v %v", g.Budget, g.BudgetOfAll)
		}
		r.store.Fail(errors.New("disk I/O error"))
		r.press("costs.budget.save")
		r.sees("disk I/O error")
	}
}
