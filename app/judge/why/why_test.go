package why

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/probe"
)

type set = map[probe.Metric]float64

var begin = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)

// look is what a host with one card says for so many seconds.
func look(seconds int, script func(int) set) judge.Messages {
	return func(yield func(probe.Message, error) bool) {
		inv := &probe.Inventory{
			Demo: true, Driver: "550.90", Mode: probe.ModeGPU,
			GPUs: []probe.Device{{UUID: "GPU-0", Name: "NVIDIA GeForce RTX 4090", PowerCap: probe.Of(450), MemTotal: probe.Of(24564)}},
		}
		if !yield(inv, nil) {
			return
		}
		for i := range seconds {
			m := &probe.Sample{Time: begin.Add(time.Duration(i) * time.Second), System: &probe.System{}, GPUs: []probe.GPU{{UUID: "GPU-0", Name: inv.GPUs[0].Name}}}
			for metric, v := range script(i) {
				if metric.System() {
					m.System.Set(metric, probe.Of(v))
				} else {
					m.GPUs[0].Set(metric, probe.Of(v))
				}
			}
			if !yield(m, nil) {
				return
			}
		}
	}
}

// paints is a card that paints one picture every 20 s at a clock.
func paints(clock float64) func(int) set {
	return func(i int) set {
		s := set{probe.UtilGPU: 99, probe.Power: 400, probe.ClockSM: clock, probe.MemUsed: 14000, probe.CPUBusiest: 70}
		if i%20 < 2 {
			s[probe.UtilGPU], s[probe.Power] = 60, 200
		}
		return s
	}
}

func answer(t *testing.T, host string, m judge.Messages) Answer {
	t.Helper()
	a, err := Over(context.Background(), Params{Host: host, Compare: true}, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Verdicts) == 0 {
		t.Fatal("no verdict at all")
	}
	return a
}

func TestAnswer(t *testing.T) {
	a := answer(t, "demo", look(90, paints(2520)))
	if !a.Demo || a.Seconds != 90 || !a.From.Equal(begin) || !a.To.Equal(begin.Add(89*time.Second)) {
		t.Errorf("%+v", a)
	}
	if !slices.ContainsFunc(a.Verdicts, func(v judge.Verdict) bool { return v.Kind == judge.BoundGPU }) {
		t.Errorf("%+v", a.Verdicts)
	}
	if s := a.Side(); s.Name != "demo" || s.Driver != "550.90" || s.Stats["util_pct"].N == 0 || s.Picture < 19 || s.Picture > 21 {
		t.Errorf("the side is %+v", s)
	}
}

func TestNothingToJudge(t *testing.T) {
	for what, c := range map[string]struct {
		m    judge.Messages
		want string
	}{
		"no reading":      {look(0, nil), "judge.say.nodata.none"},
		"too short":       {look(12, paints(2520)), "judge.say.nodata.short"},
		"nothing is read": {look(60, func(int) set { return set{probe.MemUsed: 5000} }), ""},
		"no card":         {func(yield func(probe.Message, error) bool) { yield(&probe.Inventory{Mode: probe.ModeNoGPU}, nil) }, "judge.say.nodata.card"},
		"not even a host": {func(func(probe.Message, error) bool) {}, "judge.say.nodata.none"},
		"hours by minutes": {func(yield func(probe.Message, error) bool) {
			yield(&probe.Gap{From: begin, To: begin.Add(time.Hour)}, nil)
		}, "judge.say.nodata.none"},
		"nothing stands up": {look(60, func(int) set { return set{probe.Power: 20} }), ""},
	} {
		t.Run(what, func(t *testing.T) {
			a := answer(t, "x", c.m)
			v := a.Headline()
			if c.want != "" && (v.Kind != judge.NotEnoughData || v.Level != judge.Unknown || v.Say.Key != c.want || v.Confidence != 0) {
				t.Errorf("%+v", v)
			}
			if strings.HasPrefix(what, "nothing is read") && v.Kind != judge.NotEnoughData {
				t.Errorf("%+v", v)
			}
			if v.Rule != "why/readings" {
				return // of another room
			}
			for _, l := range texts.Langs() {
				for _, p := range []texts.Phrase{v.Say, v.Next, texts.P("judge.rule." + v.Rule)} {
					if s := texts.For(l).Say(p); !p.IsZero() && (!texts.For(l).Has(p.Key) || strings.ContainsAny(s, "{}")) {
						t.Errorf("%s: %s says %q", l, p.Key, s)
					}
				}
			}
		})
	}
}

// A look ends with the error that the readings end with, and with that of its context.
func TestBrokenOff(t *testing.T) {
	broken := errors.New("broken")
	_, err := Over(context.Background(), Params{}, func(yield func(probe.Message, error) bool) { yield(nil, broken) }, nil)
	if !errors.Is(err, broken) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Over(ctx, Params{}, look(9, paints(1)), nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	var told []time.Time
	hours := look(2*3600+10, paints(2520))
	if _, err := Over(context.Background(), Params{}, hours, func(at time.Time) { told = append(told, at) }); err != nil || len(told) != 3 {
		t.Errorf("told %v, %v", told, err)
	}
}

func TestCompare(t *testing.T) {
	fast, late := answer(t, "fast", look(90, paints(2520))), answer(t, "late", look(90, paints(1300)))
	r := Compare(fast, late)
	if len(r.Differences) == 0 || r.Differences[0].Metric != "clock_sm_mhz" || r.Differences[0].Slower != "b" || r.Pace.IsZero() {
		t.Errorf("%+v", r)
	}
	rest := answer(t, "rest", look(90, func(int) set { return set{probe.UtilGPU: 0, probe.Power: 20, probe.ClockSM: 210} }))
	if r := Compare(fast, rest); r.Say.Key != "judge.compare.unseen" {
		t.Errorf("a card at rest is compared: %+v", r.Say)
	}
}

// The same readings give the same answer, to the byte.
func TestAgain(t *testing.T) {
	say := func() string {
		b, err := json.Marshal(answer(t, "x", look(300, paints(2520))).JSON(texts.For(texts.English)))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if a, b := say(), say(); a != b {
		t.Errorf("%s\n%s", a, b)
	}
}

func TestJSON(t *testing.T) {
	a := answer(t, "x", look(5, paints(2520)))
	b, err := json.Marshal(a.JSON(texts.For(texts.English)))
	if err != nil {
		t.Fatal(err)
	}
	s := string(b)
	for _, want := range []string{
		`"gpu":null`, `"kind":"not-enough-data"`, `"from":"2026-03-02T10:00:00.000Z"`, `"confidence":0`, `"doubts":[]`,
		`"seconds":{"value":5,"unit":"s"}`, `"level":"unknown"`, `"demo":true`,
	} {
		if !strings.Contains(s, want) {
			t.Errorf("%s isn't in %s", want, s)
		}
	}
	fast, late := answer(t, "fast", look(90, paints(2520))), answer(t, "late", look(90, paints(1300)))
	late.Cards[0].Driver = ""
	b, err = json.Marshal(Comparison(texts.For(texts.English), Compare(fast, late)))
	if s = string(b); err != nil || !strings.Contains(s, `"slower":"b"`) || !strings.Contains(s, `"b":null`) || !strings.Contains(s, `"a":{"value":2520,"unit":"MHz"}`) {
		t.Errorf("%s, %v", b, err)
	}
}

// BenchmarkOver judges an hour of one card.
func BenchmarkOver(b *testing.B) {
	m := look(3600, paints(2520))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Over(context.Background(), Params{}, m, nil); err != nil {
			b.Fatal(err)
		}
	}
}
