package home

import (
	"context"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/tariff"
	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/probe/demo"
	"rentgen/probe/stream"
	"rentgen/ui/chart"
	"rentgen/ui/hosts"
	"rentgen/ui/hosts/hoststest"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
	"rentgen/ui/verdict/verdicttest"
)

// past is how much was read of a host that gives readings.
var past = 3 * time.Minute

var now = time.Date(2026, 11, 30, 10, 57, 30, 0, time.Local)

// fake is a model that says what a test gives it.
type fake struct {
	verdicttest.Judge
	version  uint64
	glances  map[string]purse.Glance
	running  []purse.Running
	alerts   []purse.Alert
	next     Next
	tariffs  map[string]tariff.Tariff
	offers   []Offer
	saveErr  error
	saved    []tariff.Tariff
	budgets  map[money.Currency]*money.Rat
	recorder Recorder
	guard    Guard
	asked    []string // what was asked for by hand
	until    time.Time
	order    GuardOrder
}

func (f *fake) Version() uint64 { return f.version }

func (f *fake) Glance(host string) (purse.Glance, bool) {
	g, ok := f.glances[host]
	return g, ok
}

func (f *fake) Running() []purse.Running { return f.running }
func (f *fake) Alerts() []purse.Alert    { return f.alerts }
func (f *fake) Next(string) Next         { return f.next }

func (f *fake) Tariff(host string) (tariff.Tariff, bool) {
	t, ok := f.tariffs[host]
	return t, ok
}

func (f *fake) Offers() []Offer { return f.offers }

func (f *fake) SetTariff(_ context.Context, host string, t tariff.Tariff) error {
	if f.saveErr != nil {
		return f.saveErr
	}
	f.saved = append(f.saved, t)
	if f.tariffs == nil {
		f.tariffs = map[string]tariff.Tariff{}
	}
	f.tariffs[host] = t
	f.version++
	return nil
}

func (f *fake) Budget(_ string, c money.Currency) *money.Rat { return f.budgets[c] }

func (f *fake) SetBudget(_ context.Context, _ string, c money.Currency, limit *money.Rat) error {
	if f.saveErr != nil {
		return f.saveErr
	}
	if f.budgets == nil {
		f.budgets = map[money.Currency]*money.Rat{}
	}
	f.budgets[c] = limit
	f.version++
	return nil
}

func (f *fake) Recorder(string) Recorder   { return f.recorder }
func (f *fake) StartRecorder(host string)  { f.asked = append(f.asked, "start "+host) }
func (f *fake) StopRecorder(host string)   { f.asked = append(f.asked, "stop "+host) }
func (f *fake) RemoveRecorder(host string) { f.asked = append(f.asked, "remove "+host) }
func (f *fake) Guard(string) Guard         { return f.guard }

func (f *fake) SwitchGuard(host string, o GuardOrder) {
	say := "guard on "
	if o.DryRun {
		say = "guard dry "
	}
	f.asked, f.order = append(f.asked, say+host), o
}

func (f *fake) EndGuard(host string) { f.asked = append(f.asked, "guard off "+host) }

func (f *fake) KeepGuard(host string, until time.Time) {
	f.asked, f.until = append(f.asked, "keep "+host), until
}
func (f *fake) CancelGuard(host string) { f.asked = append(f.asked, "cancel "+host) }

func rat(s string) *money.Rat {
	v := money.MustParse(s)
	return &v
}

func sure(s string) money.Band { return money.Sure(money.MustParse(s)) }

func wide(low, high string) money.Band {
	l, h := money.MustParse(low), money.MustParse(high)
	return money.Band{Low: l, Point: l.Add(h).Quo(money.Int(2)), High: h}
}

// full is a model of a host that everything is known of.
func full() *fake {
	pace := wide("231", "258")
	f := &fake{
		version: 1,
		glances: map[string]purse.Glance{
			"a": {
				Host: "a", Priced: true, Currency: "CNY", PerHour: money.MustParse("1.88"), Running: true, Busy: true, Since: now.Add(-125 * time.Minute),
				Session: sure("3.92"), Today: sure("4.10"), TodayIdle: sure("1.06"), Month: wide("118.2", "131.5"), Pace: &pace, Budget: rat("300"),
				Say: verdicttest.Words("running for 2 h 05; today ¥4.10", "已运行 2 小时 05 分；今天 ¥4.10"),
			},
			"b": {Host: "b", Priced: true, Currency: "USD", PerHour: money.MustParse("25.52"), Running: true, Today: sure("61.2")},
		},
		running: []purse.Running{
			{Currency: "CNY", Count: 1, PerHour: money.MustParse("1.88")},
			{Currency: "USD", Count: 1, PerHour: money.MustParse("25.52"), Idle: money.MustParse("2.1")},
		},
		alerts: []purse.Alert{
			{ID: "1", Kind: purse.AlertIdle, Host: "b", HostName: "RunPod 8x", At: now.Add(-20 * time.Minute), Say: verdicttest.Words("Idle for 34 min; that cost US$14.40.", "已空闲 34 分钟，花费 US$14.40。"), Cost: verdicttest.Words("Each further hour costs US$25.52.", "之后每小时 US$25.52。")},
			{ID: "2", Kind: purse.AlertDisk, Host: "a", HostName: "AutoDL 4090", At: now.Add(-3 * time.Hour), Say: verdicttest.Words("1.2 GB of 50 GB left on /root/autodl-tmp.", "/root/autodl-tmp 只剩 1.2 GB，共 50 GB。"), Cost: verdicttest.Words("Once it is full, pictures can't be saved and the hour still costs ¥1.88.", "写满之后图存不下来，每小时仍要 ¥1.88。")},
			{ID: "3", Kind: purse.AlertBudget, At: now.Add(-26 * time.Hour), Say: verdicttest.Words("At the rate so far the month comes to ¥245; the budget is ¥300.", "照此到月底共 ¥245，预算 ¥300。")},
			{ID: "4", Kind: purse.AlertDone, At: now.Add(-30 * time.Hour), Say: verdicttest.Words("A run has finished.", "运行已完成。")},
		},
		next: Next{
			Say: verdicttest.Words("Where your models live", "模型放在哪里"), Done: 4, Of: 11,
			Why: verdicttest.Words("All disks of this instance go when it is released; only a second copy elsewhere stays.", "释放实例时磁盘全部清空，只有别处的第二份副本会留下。"),
		},
		tariffs: map[string]tariff.Tariff{
			"a": {Provider: "autodl", Currency: "CNY", PerHour: rat("1.88"), Since: now.Add(-30 * 24 * time.Hour), Offer: "AutoDL 4090", Plan: "SDXL"},
		},
		offers: []Offer{
			{Name: "SDXL · AutoDL 4090", Tariff: tariff.Tariff{Provider: "autodl", Currency: "CNY", PerHour: rat("1.98"), NoGPU: rat("0.1"), Offer: "AutoDL 4090", Plan: "SDXL"}},
			{Name: "SDXL · Month card", Tariff: tariff.Tariff{Currency: "CNY", Package: &tariff.Package{Price: money.MustParse("1180"), From: now, Until: now.AddDate(0, 1, 0)}, Offer: "Month card", Plan: "SDXL"}},
		},
		recorder: Recorder{State: RecorderOn, Since: now.Add(-2 * time.Hour), Until: now.Add(70 * time.Hour), Bytes: 2_300_000},
		guard: Guard{
			State: GuardWatching, After: 30 * time.Minute, IdleFor: 4 * time.Minute, Command: "shutdown",
			Rule:  verdicttest.Words("AutoDL: “shutdown” in the container ends billing (autodl.com/docs, 2026-11-28).", "AutoDL：容器内执行 shutdown 即停止计费（autodl.com/docs，2026-11-28）。"),
			Limit: verdicttest.Words("The only hard limit is the timer in the provider's console.", "真正可靠的上限只有平台控制台里的定时关机。"),
			Warn: []texts.Phrase{
				verdicttest.Words("A stopped instance gives its card back; starting again may have to wait for one.", "关机后显卡会被收回，再开机可能要等卡。"),
				verdicttest.Words("The provider deletes the instance after 15 days stopped in a row.", "连续关机 15 天，平台会删除实例。"),
				verdicttest.Words("Paid disk goes on billing.", "付费的磁盘继续计费。"),
			},
			Last: &Stop{At: now.Add(-33 * time.Hour), Saved: sure("11.28"), Currency: "CNY"},
		},
	}
	f.Set("a", verdicttest.Verdicts(now))
	f.Set("b", verdicttest.Verdicts(now)[1:2])
	return f
}

type rig struct {
	t       testing.TB
	w       *Place
	m       *fake
	book    *hosts.Book
	op      *hoststest.Opener
	win     fyne.Window
	now     time.Time
	done    []string // actions that were asked of the window
	from    time.Time
	waiting []func() // what takes its time
}

// start opens the place with the named hosts; a host "a" or "b" is fed with so
// many cards where cards say so.
func start(t testing.TB, m *fake, l texts.Lang, size fyne.Size, cards map[string]int, ids ...string) *rig {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Params{Ground: theme.Dark}))
	r := &rig{t: t, m: m, op: &hoststest.Opener{}, now: now}
	do := func(f func()) { f() }
	r.book = hosts.New(hosts.Params{Store: &hoststest.Store{}, Opener: r.op, Now: func() time.Time { return r.now }, Go: do})
	t.Cleanup(r.book.Close)
	names := map[string]string{"a": "AutoDL 4090", "b": "RunPod 8x", "c": "Old month card"}
	for _, id := range ids {
		h, err := r.book.Add(context.Background(), hosts.Saved{ID: id, Name: names[id], Line: "ssh a@" + id})
		if err != nil {
			t.Fatal(err)
		}
		if n := cards[id]; n > 0 {
			h.Connect()
			r.op.Stream(id).Say(stream.State{Phase: stream.Live, Mode: probe.ModeGPU, Source: probe.SourceAgent, Rate: 1, LastTick: now})
			demo.History(demo.Params{Cards: n, Start: now.Add(-past)}, now.Add(-past), now, time.Second, h.Live().Message)
		}
	}
	if len(ids) > 0 {
		r.book.Choose(ids[0])
	}
	act := func(s string) func() { return func() { r.done = append(r.done, s) } }
	r.win = test.NewTempWindow(t, nil)
	r.w = New(Params{
		Texts: texts.For(l), Book: r.book, Model: m, Window: r.win, Now: func() time.Time { return r.now },
		Do: do, Go: func(f func()) { r.waiting = append(r.waiting, f) },
		Pace: chart.Pace{After: func(_ time.Duration, f func()) { f() }, Do: do, Now: func() time.Time { return r.now }},
		Actions: Actions{
			Add: act("add"), Demo: act("demo"), Watch: act("watch"), Setup: act("setup"), Plan: act("plan"), Bill: act("bill"), Alerts: act("alerts"),
			Choose: func(id string) { r.book.Choose(id); r.done = append(r.done, "choose "+id) },
			Alert:  func(a purse.Alert) { r.done = append(r.done, "alert "+a.ID) },
			Jump:   func(from, _ time.Time) { r.from = from },
			Copy:   func(string) {},
		},
	})
	r.win.SetContent(r.w.Content())
	r.win.Resize(size)
	r.w.Shown()
	r.settle()
	return r
}

// settle lays out what is shown until wrapped texts know their height.
func (r *rig) settle() {
	c := r.win.Canvas()
	for range 3 {
		c.Content().Refresh()
		if top := c.Overlays().Top(); top != nil {
			top.Refresh()
		}
	}
}

// tick moves the clock on and brings the page up to date.
func (r *rig) tick(d time.Duration) {
	r.now = r.now.Add(d)
	r.m.version++
	r.w.Tick()
}

func (r *rig) work() {
	jobs := r.waiting
	r.waiting = nil
	for _, f := range jobs {
		f()
	}
}

func (r *rig) sees(parts ...string) {
	r.t.Helper()
	for _, p := range parts {
		if !uitest.Sees(r.win.Canvas(), p) {
			r.t.Errorf("%q is not seen; there is %q", p, uitest.Texts(r.win.Canvas()))
		}
	}
}

func (r *rig) misses(parts ...string) {
	r.t.Helper()
	for _, p := range parts {
		if uitest.Sees(r.win.Canvas(), p) {
			r.t.Errorf("%q is seen", p)
		}
	}
}

func (r *rig) press(text string) {
	r.t.Helper()
	uitest.Press(r.t, r.win.Canvas(), text)
}

func (r *rig) did() string {
	s := strings.Join(append(r.done, r.m.asked...), ", ")
	r.done, r.m.asked = nil, nil
	return s
}
