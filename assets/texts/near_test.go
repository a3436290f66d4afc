package texts

import (
	"reflect"
	"testing"
)

func TestNearest(t *testing.T) {
	cards := []string{"A10", "A40", "H100 SXM", "RTX 3090", "RTX 4090", "RTX 4090 D", "L40S", "RTX 5090"}
	for said, want := range map[string][]string{
		"rtx4090": {"RTX 4090", "RTX 4090 D"}, "4090": {"RTX 4090", "RTX 4090 D"}, "RTX-5090": {"RTX 5090", "RTX 3090"}, "l40": {"L40S", "A40"},
	} {
		if got := Nearest(cards, said, 2); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", said, got, want)
		}
	}
	if got := Nearest(cards, "x", 99); len(got) != len(cards) {
		t.Error(got)
	}
	if got := Nearest(nil, "x", 3); got != nil {
		t.Error(got)
	}
}

// TestOneOrMore: a text picks the form of a word by the number before it.
func TestOneOrMore(t *testing.T) {
	const s = "{n} {n|day|days}"
	for n, want := range map[any]string{1: "1 day", 2: "2 days", "1": "1 day", "0.5": "0.5 days", int64(1): "1 day"} {
		if got := fill(s, []any{"n", n}, false); got != want {
			t.Errorf("%v: %q", n, got)
		}
	}
	if got := fill(s, nil, false); got != s {
		t.Errorf("without a number: %q", got)
	}
}

func TestChance(t *testing.T) {
	for p, want := range map[float64]string{1: "> 99\u2009%", 0.995: "> 99\u2009%", 0.99: "99\u2009%", 0.5: "50\u2009%", 0.01: "1\u2009%", 0.009: "< 1\u2009%", 0: "< 1\u2009%"} {
		if got := Chance(p); got != want {
			t.Errorf("%v: %q", p, got)
		}
	}
}

func TestUnit(t *testing.T) {
	for unit, want := range map[string]string{"h": "小时", "min": "分钟", "s": "秒", "GB": "GB", "": ""} {
		if got := Unit(For(Chinese), unit); got != want {
			t.Errorf("%s: %q", unit, got)
		}
	}
	if got := Unit(For(English), "h"); got != "h" {
		t.Error(got)
	}
}
