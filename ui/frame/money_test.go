package frame

import (
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/assets/texts"
)

func newMoneyRig(t *testing.T, size fyne.Size, m *Money) (r *rig, opened *[2]int) {
	t.Helper()
	r, opened = &rig{t: t, m: &model{}}, &[2]int{}
	test.NewTempApp(t)
	r.w = test.NewTempWindow(t, nil)
	r.m.hosts = []Host{{ID: "a", Name: "AutoDL 4090", Status: Status{Words: "connecting: checking the login", Record: "log"}}}
	r.m.chosen = "a"
	r.f = New(Params{
		Window: r.w, Texts: texts.For(texts.English), Model: r.m, Places: []Place{&place{key: "watch", label: widget.NewLabel("")}},
		Money: func() Money { return *m }, OnAlerts: func(fyne.CanvasObject) { opened[0]++ }, OnCost: func() { opened[1]++ },
		OnLang: func(l texts.Lang) { r.f.Retext(texts.For(l)) },
	})
	r.w.SetContent(r.f.Content())
	r.w.Resize(size)
	r.f.Update()
	return r, opened
}

func glance(price string, idle time.Duration) purse.Glance {
	return purse.Glance{
		Priced: true, Currency: "CNY", PerHour: money.MustParse(price), Running: true,
		Idle: idle > 0, IdleFor: idle, IdleCost: money.MustParse("1.06"),
	}
}

func TestMoneyInTheBar(t *testing.T) {
	four := purse.Running{Currency: "USD", Count: 4, PerHour: money.MustParse("27.4"), Idle: money.MustParse("2.1")}
	one := purse.Running{Currency: "CNY", Count: 1, PerHour: money.MustParse("1.88")}
	wide, narrow := fyne.NewSize(1280, 800), fyne.NewSize(MinWidth, MinHeight)
	for name, k := range map[string]struct {
		m    Money
		size fyne.Size
		want string
	}{
		"nothing":       {Money{}, wide, ""},
		"one":           {Money{Running: []purse.Running{one}, Known: true, Chosen: glance("1.88", 0)}, wide, "¥1.88/h"},
		"one idle":      {Money{Running: []purse.Running{one}, Known: true, Chosen: glance("1.88", 34*time.Minute)}, wide, "¥1.88/h, idle 34 min, ¥1.06"},
		"several":       {Money{Running: []purse.Running{four}}, wide, "4 running, US$27.40/h, of it idle 2.10"},
		"and the own":   {Money{Running: []purse.Running{four, one}, Known: true, Chosen: glance("1.88", 0)}, fyne.NewSize(1920, 1080), "this one ¥1.88/h · 4 running, US$27.40/h, of it idle 2.10 · 1 running, ¥1.88/h"},
		"narrow":        {Money{Running: []purse.Running{four, one}, Known: true, Chosen: glance("1.88", 0)}, narrow, "US$27.40/h, idle 2.10 · ¥1.88/h"},
		"no price":      {Money{Running: []purse.Running{{Unpriced: 1}}, Known: true, Chosen: purse.Glance{Running: true}}, wide, "1 running, price not known"},
		"chosen is off": {Money{Running: []purse.Running{one}, Known: true, Chosen: purse.Glance{Priced: true, Currency: "CNY"}}, wide, "1 running, ¥1.88/h"},
	} {
		r, _ := newMoneyRig(t, k.size, &k.m)
		got := strings.NewReplacer("\u2009", " ", "\u00a0", " ").Replace(r.f.bar.purse.text.Text)
		if got != k.want || r.f.bar.purse.tap.Visible() != (k.want != "") {
			t.Errorf("%s: %q, want %q", name, got, k.want)
		}
	}
}

// TestMoneyGivesWay keeps the bar within the narrowest window.
func TestMoneyGivesWay(t *testing.T) {
	m := Money{Known: true, Chosen: glance("1.88", 0)}
	for _, cur := range []money.Currency{"USD", "CNY", "EUR", "GBP", "HKD"} {
		m.Running = append(m.Running, purse.Running{Currency: cur, Count: 12, PerHour: money.MustParse("1234.5"), Idle: money.MustParse("1000"), Unpriced: 3})
	}
	r, _ := newMoneyRig(t, fyne.NewSize(MinWidth, MinHeight), &m)
	for _, l := range texts.Langs() {
		r.f.p.OnLang(l)
		b := r.f.bar
		if w := b.row.MinSize().Width; w > MinWidth-railFolded {
			t.Errorf("%s: the bar needs %v", l, w)
		}
		if right := b.purse.tap.Position().X + b.purse.tap.Size().Width; b.purse.tap.Visible() && (right > b.row.Size().Width || b.purse.tap.Position().X < b.left.Size().Width) {
			t.Errorf("%s: the costs lie at %v, %v wide", l, b.purse.tap.Position(), b.purse.tap.Size())
		}
	}
}

func TestBellCountsAndOpens(t *testing.T) {
	m := Money{Alerts: 3, Running: []purse.Running{{Currency: "CNY", Count: 1, PerHour: money.MustParse("2")}}}
	r, opened := newMoneyRig(t, fyne.NewSize(1280, 800), &m)
	if r.f.bar.purse.bell.Text != "3" {
		t.Errorf("the bell says %q", r.f.bar.purse.bell.Text)
	}
	test.Tap(r.f.bar.purse.bell)
	test.Tap(r.f.bar.purse.tap)
	if *opened != [2]int{1, 1} {
		t.Errorf("opened %v", *opened)
	}
	m.Alerts = 0
	r.f.Update()
	if r.f.bar.purse.bell.Text != "" || !r.f.bar.purse.bell.Visible() {
		t.Error("without alerts the bell is not alone")
	}
	plain := newRigFor(t, fyne.NewSize(1280, 800))
	if plain.f.bar.purse.bell.Visible() || plain.f.bar.purse.tap.Visible() {
		t.Error("a window without a purse shows one")
	}
}
