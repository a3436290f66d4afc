package cost

import (
	"strings"
	"testing"
	"time"

	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/assets/texts"
)

func plain(s string) string {
	return strings.NewReplacer("\u2009", " ", "\u00a0", " ").Replace(s)
}

func TestWordsOfAHost(t *testing.T) {
	r := money.MustParse
	priced := purse.Glance{Priced: true, Busy: true, Currency: "CNY", PerHour: r("1.88"), Today: money.Sure(r("4.1"))}
	idle := priced
	idle.Busy, idle.Idle, idle.IdleFor, idle.IdleCost = false, true, 34*time.Minute, r("1.06")
	wide := priced
	wide.Today = money.Band{Low: r("3"), Point: r("4"), High: r("5.5")}
	bare := purse.Glance{Idle: true, IdleFor: 2 * time.Hour}
	for name, k := range map[string]struct {
		g                  purse.Glance
		price, idle, today string
		zhIdle             string
	}{
		"busy":      {priced, "¥1.88/h", "idle 0 min", "today ¥4.10", "空闲 0 分钟"},
		"idle":      {idle, "¥1.88/h", "idle 34 min, ¥1.06", "today ¥4.10", "空闲 34 分钟，¥1.06"},
		"not known": {purse.Glance{Running: true}, "–", "idle –", "today –", "空闲时间未知"},
		"a band":    {wide, "¥1.88/h", "idle 0 min", "today ¥3.00 to 5.50", "空闲 0 分钟"},
		// What nobody has said is no price of 0.
		"no price": {bare, "–", "idle 2 h", "today –", "空闲 2 小时"},
	} {
		c := texts.For(texts.English)
		if got := [3]string{plain(Price(c, k.g)), plain(Idle(c, k.g)), plain(Today(c, k.g))}; got != [3]string{k.price, k.idle, k.today} {
			t.Errorf("%s: %q", name, got)
		}
		if got := plain(Idle(texts.For(texts.Chinese), k.g)); got != k.zhIdle {
			t.Errorf("%s in Chinese: %q", name, got)
		}
	}
}

func TestWhatRuns(t *testing.T) {
	r := money.MustParse
	four := purse.Running{Currency: "USD", Count: 4, PerHour: r("27.4"), Idle: r("2.1")}
	for _, k := range []struct {
		all         []purse.Running
		long, short string
		zh          string
	}{
		{nil, "", "", ""},
		{[]purse.Running{four}, "4 running, US$27.40/h, of it idle 2.10", "US$27.40/h, idle 2.10", "运行 4 台，US$27.40/小时，其中空闲 2.10"},
		{
			[]purse.Running{four, {Currency: "CNY", Count: 1, PerHour: r("1.88")}},
			"4 running, US$27.40/h, of it idle 2.10 · 1 running, ¥1.88/h", "US$27.40/h, idle 2.10 · ¥1.88/h",
			"运行 4 台，US$27.40/小时，其中空闲 2.10 · 运行 1 台，¥1.88/小时",
		},
		{[]purse.Running{{Unpriced: 2}}, "2 running, price not known", "2 running, price not known", "运行 2 台，价格未知"},
		{[]purse.Running{{Currency: "CNY", Count: 1, PerHour: r("1.88"), Unpriced: 1}}, "1 running, ¥1.88/h, 1 without a price", "¥1.88/h", "运行 1 台，¥1.88/小时，另有 1 台未知价格"},
	} {
		en, zh := texts.For(texts.English), texts.For(texts.Chinese)
		if got := plain(Running(en, k.all, false)); got != k.long {
			t.Errorf("long: %q, want %q", got, k.long)
		}
		if got := plain(Running(en, k.all, true)); got != k.short {
			t.Errorf("short: %q, want %q", got, k.short)
		}
		if got := plain(Running(zh, k.all, false)); got != k.zh {
			t.Errorf("Chinese: %q, want %q", got, k.zh)
		}
	}
}
