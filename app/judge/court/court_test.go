package court

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/judgetest"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// scene finds a scene by name.
func scene(t testing.TB, name string) *judgetest.Scene {
	t.Helper()
	for _, s := range judgetest.All() {
		if s.Name == name {
			return &s
		}
	}
	t.Fatalf("no scene %q", name)
	return nil
}

// told writes verdicts out in full, in both languages.
func told(list []judge.Verdict) string {
	var b strings.Builder
	for _, v := range list {
		for _, l := range texts.Langs() {
			c := texts.For(l)
			b.WriteString(c.Say(v.Say) + "|" + c.Say(v.Next) + "|")
			for _, d := range v.Doubts {
				b.WriteString(c.Say(d) + "|")
			}
		}
		b.WriteString(show([]judge.Verdict{v}))
		for _, k := range slices.Sorted(maps.Keys(v.Numbers)) {
			b.WriteString(k + "=" + texts.Number(v.Numbers[k].Value, 6) + v.Numbers[k].Unit + " ")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestSameInputSameVerdicts(t *testing.T) {
	for _, s := range judgetest.All() {
		if a, b := told(over(t, &s, 3, 1).Verdicts), told(over(t, &s, 3, 1).Verdicts); a != b {
			t.Errorf("%s: once\n%s\nagain\n%s", s.Name, a, b)
		}
	}
}

// TestTenTicksASecond judges ten readings a second and the seconds that history
// makes of them.
func TestTenTicksASecond(t *testing.T) {
	list := judgetest.All()
	for i, s := range list {
		if i%6 != 0 { // a few at full length
			s.Seconds = 260
		}
		live := New(Params{Setting: s.Setting})
		ms := s.Messages(5, 10)
		for _, m := range ms {
			live.Add(m)
		}
		live.Close()
		k, err := Over(t.Context(), judgetest.Stream(judgetest.PerSecond(ms)), s.Setting, nil)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := told(live.Verdicts()), told(k.Verdicts); a != b {
			t.Errorf("%s: live\n%s\nover the log\n%s", s.Name, a, b)
		}
	}
}

// TestAskingOnTheWay asks for verdicts in the middle, as Watch does, and
// expects the same at the end; what was closed stays as it was.
func TestAskingOnTheWay(t *testing.T) {
	for _, name := range []string{"lowered power limit", "heat", "idle with a model in VRAM", "lost in silence", "corrected errors", "clean two runs with a rest"} {
		s := scene(t, name)
		ms := s.Messages(7, 1)
		want := told(over(t, s, 7, 1).Verdicts)
		c := New(Params{Setting: s.Setting})
		var closed []judge.Verdict
		for _, m := range ms {
			c.Add(m)
			c.Now()
			c.Verdicts()
			if told(closed) != told(c.closed[:len(closed)]) {
				t.Fatalf("%s: a closed verdict changed", name)
			}
			closed = slices.Clone(c.closed)
		}
		c.Close()
		if got := told(c.Verdicts()); got != want {
			t.Errorf("%s: asked on the way\n%s\nnot asked\n%s", name, got, want)
		}
	}
}

// TestSaid expects every sentence, next step, doubt, number and rule in both
// languages, with no placeholder left.
func TestSaid(t *testing.T) {
	for _, s := range judgetest.All() {
		for _, track := range []string{"shared", "dedicated"} {
			s.Setting.Track = track
			for _, v := range over(t, &s, 11, 1).Verdicts {
				for _, l := range texts.Langs() {
					c := texts.For(l)
					for _, p := range append([]texts.Phrase{v.Say, v.Next}, v.Doubts...) {
						text := c.Say(p)
						if strings.ContainsAny(text, "{}") || p.Key != "" && !c.Has(p.Key) {
							t.Errorf("%s: %s %q", s.Name, p.Key, text)
						}
					}
					if !c.Has("judge.rule." + v.Rule) {
						t.Errorf("rule %s has no text", v.Rule)
					}
					for n := range v.Numbers {
						if !c.Has("judge.number."+n) && !c.Has("metric."+n) {
							t.Errorf("%s: number %s has no text", v.Rule, n)
						}
					}
				}
				if v.Say.Key == "" || v.Confidence <= 0 || v.Confidence > 1 || !v.To.After(v.From) || !slices.Contains(judge.Kinds(), v.Kind) {
					t.Errorf("%s: %+v", s.Name, v)
				}
				if (v.Level == judge.Warn || v.Level == judge.Fail) && v.Next.IsZero() {
					t.Errorf("%s: %s warns and says nothing to do", s.Name, v.Say.Key)
				}
			}
		}
	}
}

func TestNoVerdictFromNothing(t *testing.T) {
	s := scene(t, "nothing readable")
	for _, v := range over(t, s, 1, 1).Verdicts {
		if v.Kind != judge.NotEnoughData {
			t.Errorf("from nothing: %s", show([]judge.Verdict{v}))
		}
	}
}

// TestNow expects the headline of the moment.
func TestNow(t *testing.T) {
	for _, c := range []struct {
		scene string
		at    int
		want  judge.Kind
	}{
		{"clean 4090 flux", 400, judge.Stable},
		{"heat", 300, judge.ThrottleThermal},
		{"heat", 190, judge.Stable},
		{"usual power limit", 400, judge.Stable},
		{"lowered power limit", 320, judge.ThrottlePower},
		{"idle with a model in VRAM", 500, judge.Idle},
		{"lost", 230, judge.FaultLost},
		{"container lost its cards", 390, judge.FaultContainer},
		{"slice without utilisation", 300, judge.NotEnoughData},
	} {
		s := scene(t, c.scene)
		ct := New(Params{Setting: s.Setting})
		for _, m := range s.Messages(2, 1) {
			if sm, ok := m.(*probe.Sample); ok && int(sm.Time.Sub(judgetest.Start)/time.Second) > c.at {
				break
			}
			ct.Add(m)
		}
		now := ct.Now()
		if len(now) == 0 || now[0].Kind != c.want || !now[0].Open {
			t.Errorf("%s at %d: want %s, got\n%s", c.scene, c.at, c.want, show(now))
		}
	}
}

func TestClosedCourtHoldsNothing(t *testing.T) {
	s := scene(t, "heat")
	c := New(Params{})
	for _, m := range s.Messages(2, 1) {
		c.Add(m)
	}
	c.Close()
	if n := c.Now(); len(n) != 0 {
		t.Errorf("after the end: %s", show(n))
	}
	for _, v := range c.Verdicts() {
		if v.Open {
			t.Errorf("open after the end: %s", show([]judge.Verdict{v}))
		}
	}
}

func TestOver(t *testing.T) {
	s := scene(t, "clean two runs with a rest")
	told := 0
	k, err := Over(t.Context(), judgetest.Stream(s.Messages(1, 1)), s.Setting, func(time.Time) { told++ })
	if err != nil || told != 1 || k.Version != Version || !k.To.Equal(judgetest.Start.Add(899*time.Second)) || len(k.Phases) != 1 {
		t.Errorf("got %+v, %v, told %d times", k, err, told)
	}
	if p := k.Phases[0]; p.Card != s.Cards[0].Name || p.Stats["clock_sm_mhz"].N == 0 || p.Stats["disk_read_mb_s"].N == 0 {
		t.Errorf("phase %+v", p)
	}
	broken := errors.New("broken")
	_, err = Over(t.Context(), func(yield func(probe.Message, error) bool) { yield(nil, broken) }, s.Setting, nil)
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = Over(ctx, judgetest.Stream(s.Messages(1, 1)), s.Setting, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestEarlierRuns compares with the user's own earlier phase of the same work.
func TestEarlierRuns(t *testing.T) {
	s := judgetest.Scene{Cards: []judgetest.Card{judgetest.A100}, Jobs: []judgetest.Job{judgetest.Training}}
	before := over(t, &s, 4, 1).Phases
	s.Body = func(_ *judgetest.Moment, _ int, b *judgetest.Body) { b.Clock = 0.75 }
	s.Setting.Earlier = before
	list := over(t, &s, 4, 1).Verdicts
	if !slices.ContainsFunc(list, func(v judge.Verdict) bool {
		return v.Kind == judge.Unstable && v.Level == judge.Warn && v.Numbers["clock_earlier"].Value > v.Numbers["clock_sm_mhz"].Value
	}) {
		t.Errorf("slower than before, but\n%s", show(list))
	}
	s.Body = nil
	list = over(t, &s, 9, 1).Verdicts
	if !slices.ContainsFunc(list, func(v judge.Verdict) bool { return v.Say.Key == "judge.say.stable.as-earlier" }) {
		t.Errorf("as before, but\n%s", show(list))
	}
}
