package guide

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
)

func TestWorse(t *testing.T) {
	for _, c := range []struct{ a, b, want Verdict }{
		{Pass, Fail, Fail}, {Fail, Warn, Fail}, {Warn, Pass, Warn}, {Skip, Pass, Pass}, {NotRun, Skip, NotRun}, {Pass, NotRun, Pass},
	} {
		if got := Worse(c.a, c.b); got != c.want {
			t.Errorf("Worse(%q, %q) = %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

func TestRunSame(t *testing.T) {
	a := Run{Boot: "b1", PID1: "100", Driver: "550.90"}
	for _, c := range []struct {
		o    Run
		want bool
	}{
		{a, true},
		{Run{}, true},
		{Run{Boot: "b1"}, true},
		{Run{Boot: "b2"}, false},
		{Run{Boot: "b1", PID1: "200"}, false},
		{Run{Driver: "570.1"}, false},
	} {
		if got := a.Same(c.o); got != c.want {
			t.Errorf("Same(%+v) = %v", c.o, got)
		}
	}
}

func TestReadContext(t *testing.T) {
	c, err := ReadContext([]byte(`{"own_processes": 0, "dir": "/mnt/my models", "same_region": true}`))
	if err != nil || *c.OwnProcesses != 0 || *c.Dir != "/mnt/my models" || !*c.SameRegion || c.VRAMGiB != nil {
		t.Fatalf("%+v, %v", c, err)
	}
	if c, err := ReadContext([]byte(" \n")); err != nil || c != (Context{}) {
		t.Errorf("blank: %+v, %v", c, err)
	}
	for _, bad := range []string{`{"own": 1}`, `{"dir": 3}`, `[]`, `{} {}`, `{"dir": "a"`} {
		if _, err := ReadContext([]byte(bad)); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain\tline\r\nnext":                "plain\tline\nnext",
		"\x1b[31mred\x1b[0m":                 "red",
		"\x1b]0;title\x07text":               "text",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;": "link",
		"\x1b]never ended\nkept":             "\nkept",
		"10%\r20%":                           "10%\n20%",
		"a\u202egnp.exe":                     "agnp.exe",
		"bell\a null\x00 del\x7f":            "bell null del",
		"bad \xff byte":                      "bad \uFFFD byte",
		"显存 24 GiB":                          "显存 24 GiB",
		"\x1b[38;5;196\x01m":                 "m",
		"\x1b":                               "",
	} {
		if got := Clean([]byte(in), 0); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
	if got := Clean([]byte("显存"), 4); got != "显" {
		t.Errorf("cut inside a character: %q", got)
	}
}

func FuzzClean(f *testing.F) {
	f.Add([]byte("\x1b[31mred\x1b]0;t\x07\u202e显"), 7)
	f.Fuzz(func(t *testing.T, b []byte, limit int) {
		s := Clean(b, limit)
		if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
			t.Fatalf("control character in %q", s)
		}
		if again := Clean([]byte(s), 0); len(s) <= MaxOutput && again != s {
			t.Fatalf("cleaning twice: %q, then %q", s, again)
		}
	})
}

func TestThresholds(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range Limits() {
		if l.ID == "" || l.Unit == "" || !slices.Contains([]string{"rule", "proposal"}, l.Mark) {
			t.Errorf("%+v", l)
		}
		if l.Mark == "rule" && l.Source == "" {
			t.Errorf("%s is a rule without a source", l.ID)
		}
		if seen[l.ID] {
			t.Errorf("%s stands there twice", l.ID)
		}
		seen[l.ID] = true
	}
	if len(seen) < 30 || Threshold("disk.df.least") != 1 {
		t.Error("the table was not read")
	}
}

func TestEveryCheckOnce(t *testing.T) {
	c := Checks()
	slices.Sort(c)
	if len(slices.Compact(c)) != 23 {
		t.Errorf("%d checks", len(c))
	}
}

// TestVRAM holds that one job is offered one card, or one slice of it.
func TestVRAM(t *testing.T) {
	for _, c := range []struct {
		facts       Facts
		total, used float64
		ok          bool
	}{
		{Facts{"mem_total_mib": []any{24576.0, nil, 49152}, "mem_used_mib": []any{1.0, nil, 300}}, 49152, 300, true},
		{Facts{"mem_total_mib": []int{24576}}, 24576, math.NaN(), true},
		{Facts{"mem_total_mib": []int{81920}, "mem_used_mib": []int{50}, "slice_mem_total_mib": []int{9856, 19968}, "slice_mem_used_mib": []int{13, 25}}, 19968, 25, true},
		{Facts{"mig": true, "mem_total_mib": []int{81920}}, 0, math.NaN(), false},
		{Facts{"mem_total_mib": []any{nil, "24 GiB"}}, 0, math.NaN(), false},
		{nil, 0, math.NaN(), false},
	} {
		total, used, ok := c.facts.VRAM()
		if total != c.total || ok != c.ok || used != c.used && !(math.IsNaN(used) && math.IsNaN(c.used)) {
			t.Errorf("%v: %v of %v, %t", c.facts, used, total, ok)
		}
	}
}

func TestPause(t *testing.T) {
	if err := Pause(t.Context(), 0); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Pause(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
