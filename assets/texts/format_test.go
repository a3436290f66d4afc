package texts

import (
	"math"
	"testing"
	"time"
)

// t9 writes thin spaces as underscores, so that a table can be read.
func t9(s string) string {
	var b []rune
	for _, r := range s {
		if r == '\u2009' {
			r = '_'
		}
		b = append(b, r)
	}
	return string(b)
}

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		v    float64
		d    int
		want string
	}{
		{0, 0, "0"},
		{999, 0, "999"},
		{1000, 0, "1,000"},
		{1234567.891, 2, "1,234,567.89"},
		{-1234.5, 1, "−1,234.5"},
		{-0.04, 1, "0.0"},
		{0.05, 1, "0.1"},
		{1e15, 0, "1,000,000,000,000,000"},
		{math.NaN(), 3, Dash},
		{math.Inf(-1), 0, Dash},
		{5, -3, "5"},
	} {
		if got := Number(c.v, c.d); got != c.want {
			t.Errorf("Number(%v, %d) = %q, want %q", c.v, c.d, got, c.want)
		}
	}
}

func TestUnits(t *testing.T) {
	c := For(English)
	for _, k := range []struct{ got, want string }{
		{Percent(97.4), "97_%"},
		{Percent(math.NaN()), Dash},
		{MiB(512), "512_MiB"},
		{MiB(18637), "18.2_GiB"},
		{MiB(24564), "24.0_GiB"},
		{MiB(1536 * 1024), "1.50_TiB"},
		{MiBOf(c, 18637, 24564), "18.2 of 24.0_GiB"},
		{MiBOf(c, 300, 24564), "0.3 of 24.0_GiB"},
		{MiBOf(c, math.NaN(), 24564), "– of 24.0_GiB"},
		{MiBOf(c, 512, math.NaN()), "512_MiB"},
		{MiBOf(For(Chinese), 18637, 24564), "18.2 / 24.0_GiB"},
		{Bytes(0), "0_B"},
		{Bytes(999), "999_B"},
		{Bytes(30e9), "30_GB"},
		{Bytes(1.55e9), "1.6_GB"},
		{Bytes(4.2e18), "4,200_PB"},
		{Rate(0), "0_MB/s"},
		{Rate(0.1), "0.1_MB/s"},
		{Rate(25.3), "25_MB/s"},
		{Rate(1234), "1.2_GB/s"},
		{Watts(402.4), "402_W"},
		{Celsius(71), "71_°C"},
		{Value(c, 2.5, "%"), "2.5_%"},
		{Value(c, 31.2, "%"), "31_%"},
		{Value(c, 100, "MiB"), "100_MiB"},
		{Value(c, 0.2, "MB/s"), "0.2_MB/s"},
		{Value(c, 7, "cores"), "7_cores"},
		{Value(For(Chinese), 7.5, "cores"), "7.5_核"},
		{Value(c, 1800, "J"), "1,800_J"},
		{Value(c, 36000, "J"), "10_Wh"},
		{Value(c, 7.2e6, "J"), "2.00_kWh"},
		{Value(c, 4, ""), "4"},
		{Value(c, math.NaN(), "W"), Dash},
		{Value(c, 3.21, "l"), "3.21_l"},
		{Value(c, 3.5, ""), "3.5"},
		{Band(c, 18432, 21504, "MiB"), "18.0 to 21.0_GiB"},
		{Band(c, 18.2, 20.7, "%"), "18 to 21_%"},
		{Band(c, 6.1, 7.9, "s"), "6.1 to 7.9_s"},
		{Band(c, 5, 5, "s"), "5_s"},
		{Band(For(Chinese), 18, 21, "s"), "18–21_s"},
		{Missing(c, "denied", ""), "denied in this container"},
		{Missing(c, "error", "[Unknown Error]"), "read error: [Unknown Error]"},
		{Missing(c, "error", ""), "read error"},
		{Missing(For(Chinese), "unsupported", "N/A"), "这张卡不提供"},
	} {
		if got := t9(k.got); got != k.want {
			t.Errorf("got %q, want %q", got, k.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for _, c := range []struct {
		d      time.Duration
		en, zh string
	}{
		{-time.Second, "0_s", "0_秒"},
		{0, "0_s", "0_秒"},
		{350 * time.Millisecond, "350_ms", "350_毫秒"},
		{45 * time.Second, "45_s", "45_秒"},
		{34*time.Minute + 59*time.Second, "34_min", "34_分钟"},
		{2*time.Hour + 5*time.Minute, "2_h_05", "2_小时_05_分"},
		{3 * time.Hour, "3_h", "3_小时"},
		{76 * time.Hour, "3_d 4_h", "3_天_4_小时"},
		{48 * time.Hour, "2_d", "2_天"},
	} {
		if got := t9(Duration(For(English), c.d)); got != c.en {
			t.Errorf("%v: %q, want %q", c.d, got, c.en)
		}
		if got := t9(Duration(For(Chinese), c.d)); got != c.zh {
			t.Errorf("%v: %q, want %q", c.d, got, c.zh)
		}
	}
	if got := t9(Age(For(English), 12*time.Second)); got != "12_s ago" {
		t.Error(got)
	}
	if got := t9(Age(For(Chinese), 12*time.Second)); got != "12_秒前" {
		t.Error(got)
	}
	if got := Age(For(Chinese), 0); got != "刚刚" {
		t.Error(got)
	}
}

func TestTimes(t *testing.T) {
	old := time.Local
	time.Local = time.FixedZone("x", 8*3600)
	defer func() { time.Local = old }()
	at := time.Date(2026, 11, 29, 2, 40, 7, 250e6, time.UTC)
	en, zh := For(English), For(Chinese)
	for _, k := range []struct{ got, want string }{
		{Clock(at), "10:40:07"},
		{ClockMillis(at), "10:40:07.250"},
		{Minute(at), "10:40"},
		{Date(en, at), "29 Nov"},
		{Date(zh, at), "11_月_29_日"},
		{DateYear(en, at), "29 Nov 2026"},
		{DateYear(zh, at), "2026_年_11_月_29_日"},
		{DateTime(en, at), "29 Nov 10:40"},
		{Zone(at), "UTC+08:00"},
		{Span(en, at, at.Add(85*time.Minute)), "29 Nov 10:40 – 12:05"},
		{Span(en, at, at.Add(24*time.Hour)), "29 Nov 10:40 – 30 Nov 10:40"},
	} {
		if got := t9(k.got); got != k.want {
			t.Errorf("got %q, want %q", got, k.want)
		}
	}
}

func TestEvents(t *testing.T) {
	c := For(English)
	for _, k := range []struct{ got, want string }{
		{Event(c, "xid", 79, "NVRM: Xid 79"), "GPU error 79: " + c.T("xid.79")},
		{Event(c, "xid", 4242, ""), "GPU error 4242: " + c.T("xid.other")},
		{Event(c, "noise", 0, "hello"), "The host printed something that is no reading: hello"},
		{Event(c, "new kind", 0, "hello"), "Something happened: new kind hello"},
		{Gap(c, "paused"), "paused by you"},
		{Metric(For(Chinese), "mem_used_mib"), "显存"},
	} {
		if k.got != k.want {
			t.Errorf("got %q, want %q", k.got, k.want)
		}
	}
	if !XidGrave(79) || XidGrave(13) {
		t.Error("79 is the card's, 13 the program's")
	}
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		env    map[string]string
		system string
		want   Lang
	}{
		{map[string]string{"LANG": "zh_CN.UTF-8"}, "", Chinese},
		{map[string]string{"LANG": "en_US.UTF-8"}, "zh-CN", English},
		{map[string]string{"LC_ALL": "de_DE", "LANG": "zh_CN.UTF-8"}, "", English},
		{map[string]string{"LC_MESSAGES": "zh_TW", "LANG": "en_US"}, "", Chinese},
		{map[string]string{"LANG": "C.UTF-8"}, "zh-Hans-CN", Chinese},
		{map[string]string{"LANG": "POSIX"}, "", English},
		{nil, "zh-CN", Chinese},
		{nil, "zhx", English},
		{nil, "", English},
	} {
		got := detect(func(k string) string { return c.env[k] }, func() string { return c.system })
		if got != c.want {
			t.Errorf("%v, system %q: %s, want %s", c.env, c.system, got, c.want)
		}
	}
}

func TestListsAndHoles(t *testing.T) {
	if got := fill("PyTorch {v} computed, {v}.", []any{"v", ""}, false); got != "PyTorch computed, ." {
		t.Error(got)
	}
	for l, want := range map[Lang]string{English: "LOGINLINE can't be used: a, b", Chinese: "LOGINLINE" + thin + "不能用：a、b"} {
		if got := For(l).Say(P("cli.bad.login", "why", List{"a", "b"})); got != want {
			t.Errorf("%s: %s", l, got)
		}
	}
}

// TestGapsBesideValues: a path, a flag or code stands apart from Chinese beside it,
// the unit of a price doesn't.
func TestGapsBesideValues(t *testing.T) {
	for value, want := range map[string]string{
		"/root": "设成" + thin + "/root，在", "/": "设成" + thin + "/，在", "--exit": "设成" + thin + "--exit，在", "~/x": "设成" + thin + "~/x，在", "/月": "设成/月，在", "盘": "设成盘，在", "GPU": "设成" + thin + "GPU，在",
	} {
		if got := fill("设成{v}，在", []any{"v", value}, true); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
	for value, want := range map[string]string{"/data/": "/data/" + thin + "在", "元/": "元/在", "{}": "{}" + thin + "在"} {
		if got := fill("{v}在", []any{"v", value}, true); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}
