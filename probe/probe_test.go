package probe

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
)

func TestZeroValueIsNotZero(t *testing.T) {
	var v Value
	if n, ok := v.Ok(); ok {
		t.Fatalf("an unset value reads as %v", n)
	}
	if !math.IsNaN(v.Float()) {
		t.Fatalf("an unset value draws as %v", v.Float())
	}
	b, err := json.Marshal(v)
	if err != nil || string(b) != `{"state":"pending","raw":""}` {
		t.Fatalf("%s, %v", b, err)
	}
}

func TestSumIsNoBetterThanItsParts(t *testing.T) {
	for _, c := range []struct{ a, b, want Value }{
		{Of(1), Of(2), Of(3)},
		{Of(0), Of(0), Of(0)},
		{Value{}, Of(2), Value{}},
		{Of(1), Missing(Denied, "no"), Missing(Denied, "no")},
		{Missing(Unsupported, "[N/A]"), Missing(Denied, "no"), Missing(Unsupported, "[N/A]")},
		{Of(math.MaxFloat64), Of(math.MaxFloat64), Value{State: Error, Raw: "+Inf"}},
	} {
		if got := Sum(c.a, c.b); got != c.want {
			t.Errorf("%+v + %+v is %+v, not %+v", c.a, c.b, got, c.want)
		}
	}
}

func TestValueJSON(t *testing.T) {
	cases := []struct {
		v    Value
		want string
	}{
		{Of(0), `0`},
		{Of(97.5), `97.5`},
		{Of(math.NaN()), `{"state":"error","raw":"NaN"}`},
		{Of(math.Inf(1)), `{"state":"error","raw":"+Inf"}`},
		{Missing(Unsupported, "[N/A]"), `{"state":"unsupported","raw":"[N/A]"}`},
		{Missing(Denied, "[Insufficient Permissions]"), `{"state":"denied","raw":"[Insufficient Permissions]"}`},
		{Missing(OK, "x"), `{"state":"error","raw":"x"}`},
	}
	for _, c := range cases {
		b, err := json.Marshal(c.v)
		if err != nil || string(b) != c.want {
			t.Errorf("%+v -> %s (%v), want %s", c.v, b, err, c.want)
			continue
		}
		var back Value
		if err := json.Unmarshal(b, &back); err != nil || back != c.v {
			t.Errorf("%s -> %+v (%v), want %+v", b, back, err, c.v)
		}
	}
	var v Value
	if err := json.Unmarshal([]byte(`{"state":"fine"}`), &v); err == nil {
		t.Error("an unknown state was taken")
	}
}

func TestMask(t *testing.T) {
	v := OfMaskText("0x00000000000001FF")
	if bits, ok := v.Mask(); !ok || bits != 0x1ff {
		t.Errorf("%x %v", bits, ok)
	}
	for _, bad := range []string{"", "0x", "1FF", "0xzz", "0xFFFFFFFFFFFFFFFF"} {
		v := OfMaskText(bad)
		if v.State != Error {
			t.Errorf("%q -> %+v", bad, v)
		}
	}
	if v := OfMaskText("0xFFFFFFFFFFFFFFFF"); !strings.Contains(v.Raw, "ffffffff") {
		t.Errorf("an unholdable mask lost its text: %+v", v)
	}
}

func TestEveryMetricIsDescribed(t *testing.T) {
	seen := map[string]bool{}
	all := append(GPUMetrics(), SystemMetrics()...)
	for _, m := range all {
		i := m.Info()
		if i.Key == "" || i.Step <= 0 || seen[i.Key] {
			t.Errorf("metric %d: key %q, step %v", m, i.Key, i.Step)
		}
		seen[i.Key] = true
		if back, ok := ParseMetric(i.Key); !ok || back != m {
			t.Errorf("%q parses to %v", i.Key, back)
		}
		if !m.Valid() {
			t.Errorf("%v is not valid", m)
		}
	}
	if Metric(100).Valid() || Metric(250).Valid() {
		t.Error("an unknown metric is valid")
	}
}

func TestGetAndSetKeepToTheirSide(t *testing.T) {
	var g GPU
	g.Set(Power, Of(300))
	g.Set(CPU, Of(5))
	if g.Get(Power) != Of(300) || g.Get(CPU).State != Unsupported {
		t.Errorf("%+v %+v", g.Get(Power), g.Get(CPU))
	}
	var s System
	s.Set(CPU, Of(5))
	s.Set(Power, Of(300))
	if s.Get(CPU) != Of(5) || s.Get(Power).State != Unsupported {
		t.Errorf("%+v %+v", s.Get(CPU), s.Get(Power))
	}
}

func TestSampleJSONHasEveryKey(t *testing.T) {
	g := GPU{UUID: "GPU-1", Procs: &Processes{State: OK, List: []Process{{PID: 7, Name: "python", Mem: Of(100), Own: true}}}}
	g.Set(EventReasons, OfMask(4))
	var o map[string]any
	remarshal(t, g, &o)
	for _, m := range GPUMetrics() {
		if _, ok := o[m.String()]; !ok {
			t.Errorf("key %s is missing", m)
		}
	}
	if o["event_reasons"] != "0x0000000000000004" {
		t.Errorf("event_reasons = %v", o["event_reasons"])
	}
	p := o["processes"].([]any)[0].(map[string]any)
	if p["own"] != true || p["mem_mib"] != 100.0 {
		t.Errorf("process %v", p)
	}
	if u := p["util_pct"].(map[string]any); u["state"] != "pending" {
		t.Errorf("an unread utilisation is %v", u)
	}
	var s map[string]any
	remarshal(t, System{}, &s)
	for _, m := range SystemMetrics() {
		if v, ok := s[m.String()].(map[string]any); !ok || v["state"] != "pending" {
			t.Errorf("%s = %v", m, s[m.String()])
		}
	}
}

func remarshal(t *testing.T, v any, to any) {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, to); err != nil {
		t.Fatal(err)
	}
}

func TestSpreadFallsBackToTheValue(t *testing.T) {
	var g GPU
	if _, ok := g.SpreadOf(UtilGPU); ok {
		t.Error("a spread of nothing")
	}
	g.Set(UtilGPU, Of(40))
	if s, ok := g.SpreadOf(UtilGPU); !ok || s.Min != 40 || s.Max != 40 {
		t.Errorf("%+v", s)
	}
	g.Spreads = []Spread{{Metric: UtilGPU, Min: 3, Max: 99, N: 6}}
	if s, _ := g.SpreadOf(UtilGPU); s.Max != 99 {
		t.Errorf("%+v", s)
	}
}

func TestRunSame(t *testing.T) {
	at := time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)
	a := Run{"b1", at}
	if !a.Same(Run{"b1", at.Add(time.Second)}) {
		t.Error("a tick of jitter is another run")
	}
	for _, o := range []Run{{"b2", at}, {"b1", at.Add(time.Minute)}, {"", at}} {
		if a.Same(o) {
			t.Errorf("%+v is the same run", o)
		}
	}
	if (Run{}).Same(Run{}) {
		t.Error("two unknown runs are the same")
	}
}

func TestAttributeTellsOursFromTheRest(t *testing.T) {
	g := GPU{Procs: &Processes{State: OK, List: []Process{
		{PID: 1, Mem: Of(300), Util: Of(40), Own: true},
		{PID: 2, Mem: Of(200), Util: Missing(Unsupported, "-"), Own: true},
		{PID: 3, Mem: Of(5000), Util: Of(50)},
	}}}
	g.Attribute()
	for m, want := range map[Metric]float64{OwnMem: 500, OwnUtil: 40, OwnProcs: 2, OtherProcs: 1} {
		if g.Get(m) != Of(want) {
			t.Errorf("%v = %+v, want %v", m, g.Get(m), want)
		}
	}
	g = GPU{Procs: &Processes{State: OK, List: []Process{{PID: 1, Mem: Missing(Denied, "?"), Own: true}}}}
	g.Attribute()
	if g.Get(OwnMem).State != Unsupported || g.Get(OwnProcs) != Of(1) {
		t.Errorf("unread memory of ours became %+v", g.Get(OwnMem))
	}
	g = GPU{Procs: &Processes{State: Denied, Raw: "no"}}
	g.Attribute()
	if g.Get(OwnMem) != Missing(Denied, "no") || g.Get(OtherProcs).State != Denied {
		t.Errorf("%+v", g.Get(OwnMem))
	}
	g = GPU{}
	g.Attribute()
	if g.Get(OwnMem).State != Pending {
		t.Errorf("%+v", g.Get(OwnMem))
	}
}
