package fault

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/series"
	"rentgen/assets/texts"
	"rentgen/probe"
)

var begin = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

const a, b = "GPU-a", "GPU-b"

// look is a watch with a series that feeds it seconds.
type look struct {
	*Watch
	s *series.Series
	t int
}

func watch(set judge.Setting) *look {
	w := New(set)
	return &look{Watch: w, s: series.New(series.Params{Second: w.Second})}
}

func (l *look) add(ms ...probe.Message) {
	for _, m := range ms {
		l.Watch.Add(m)
		l.s.Add(m)
	}
}

func (l *look) at() time.Time { return begin.Add(time.Duration(l.t) * time.Second) }

// run lets seconds pass in which the cards say what set gives.
func (l *look) run(seconds int, set func(g *probe.GPU), cards ...string) {
	for range seconds {
		s := &probe.Sample{Time: l.at(), System: &probe.System{}}
		for i, id := range cards {
			g := probe.GPU{Index: i, UUID: id}
			g.Set(probe.UtilGPU, probe.Of(50))
			g.Set(probe.Temp, probe.Of(60))
			g.Set(probe.Power, probe.Of(200))
			if set != nil {
				set(&g)
			}
			s.GPUs = append(s.GPUs, g)
		}
		l.add(s)
		l.t++
	}
}

func (l *look) event(kind string, code int, gpu string) {
	l.add(&probe.Event{Time: l.at(), Kind: kind, Code: code, GPU: gpu})
}

// list writes the faults in short.
func list(vs []judge.Verdict) string {
	var out []string
	for _, v := range vs {
		s := fmt.Sprintf("%s %s %s %d-%d x%g", v.Kind, v.Level, v.GPU, int(v.From.Sub(begin).Seconds()), int(v.To.Sub(begin).Seconds()), v.Numbers["count"].Value)
		if v.Open {
			s += " open"
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func all(text string) func(g *probe.GPU) {
	return func(g *probe.GPU) {
		for k := range g.Values {
			g.Values[k] = probe.Missing(probe.Error, text)
		}
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name   string
		script func(l *look)
		want   string
	}{
		{"nothing", func(l *look) { l.run(100, nil, a) }, ""},
		{"an error number twice", func(l *look) {
			l.run(10, nil, a)
			l.event(probe.EventXid, 31, a)
			l.run(50, nil, a)
			l.event(probe.EventXid, 31, a)
			l.run(50, nil, a)
		}, "fault.xid warn GPU-a 10-61 x2 open"},
		{"two numbers", func(l *look) {
			l.event(probe.EventXid, 43, a)
			l.event(probe.EventXid, 79, a)
			l.run(10, nil, a)
		}, "fault.xid info GPU-a 0-1 x1 open; fault.xid fail GPU-a 0-1 x1 open"},
		{"an error number is old news", func(l *look) {
			l.event(probe.EventXid, 79, a)
			l.run(700, nil, a)
		}, "fault.xid fail GPU-a 0-1 x1"},
		{"the same number hours later", func(l *look) {
			l.event(probe.EventXid, 79, a)
			l.run(2, nil, a)
			l.t += 7200
			l.event(probe.EventXid, 79, a)
			l.run(2, nil, a)
		}, "fault.xid fail GPU-a 0-1 x1; fault.xid fail GPU-a 7202-7203 x1 open"},
		{"a number that nobody knows", func(l *look) { l.event(probe.EventXid, 9999, a); l.run(2, nil, a) }, "fault.xid warn GPU-a 0-1 x1 open"},
		{"lost and back", func(l *look) {
			l.run(10, nil, a)
			l.event(probe.EventLost, 79, a)
			l.run(30, all("GPU is lost"), a)
			l.event(probe.EventBack, 0, a)
			l.run(30, nil, a)
		}, "fault.lost fail GPU-a 10-40 x1"},
		{"lost, and it reads again", func(l *look) {
			l.event(probe.EventLost, 79, a)
			l.run(30, all("GPU is lost"), a)
			l.run(30, nil, a)
		}, "fault.lost fail GPU-a 0-30 x1"},
		{"needs a reset, with VRAM in use of 0", func(l *look) {
			l.run(10, nil, a)
			l.run(30, func(g *probe.GPU) {
				all("[GPU requires reset]")(g)
				g.Set(probe.MemUsed, probe.Of(0))
			}, a)
		}, "fault.reset fail GPU-a 10-39 x1 open"},
		{"one token is no proof", func(l *look) {
			l.run(10, nil, a)
			l.run(60, func(g *probe.GPU) { g.Set(probe.UtilGPU, probe.Missing(probe.Error, "ERR!")) }, a)
		}, ""},
		{"nothing but errors", func(l *look) {
			l.run(10, nil, a)
			l.run(60, all("Unknown Error"), a)
		}, "fault.lost warn GPU-a 10-69 x1 open"},
		{"denied is no fault", func(l *look) {
			l.run(60, func(g *probe.GPU) {
				for k := range g.Values {
					g.Values[k] = probe.Missing(probe.Denied, "[Insufficient Permissions]")
				}
			}, a)
		}, ""},
		{"a card falls silent and others don't", func(l *look) {
			l.run(20, nil, a, b)
			l.run(60, nil, b)
		}, "fault.lost warn GPU-a 20-79 x1 open"},
		{"all fall silent", func(l *look) {
			l.run(20, nil, a, b)
			l.t += 60
			l.run(20, nil, a, b)
		}, ""},
		{"another set of cards", func(l *look) {
			l.run(20, nil, a)
			l.add(&probe.Inventory{Time: l.at(), Mode: probe.ModeGPU, GPUs: []probe.Device{{UUID: b}}})
			l.run(60, nil, b)
		}, ""},
		{"a running loop of readings does not prove that the container has its cards", func(l *look) {
			l.event(probe.EventAccess, 255, "")
			l.run(100, nil, a)
		}, "fault.container fail  0-99 x1 open"},
		{"the container has them again", func(l *look) {
			l.event(probe.EventAccess, 255, "")
			l.run(100, nil, a)
			l.add(&probe.Inventory{Time: l.at(), Mode: probe.ModeGPU, GPUs: []probe.Device{{UUID: a}}})
			l.run(5, nil, a)
		}, "fault.container fail  0-100 x1"},
		{"the driver does not fit", func(l *look) { l.event(probe.EventDriverMismatch, 18, ""); l.run(3, nil) }, "fault.driver fail  0-2 x1 open"},
		{"the driver stands still and answers again", func(l *look) {
			l.event(probe.EventStalled, 0, a)
			l.run(30, nil, a)
			l.event(probe.EventBack, 0, "")
		}, "fault.driver warn GPU-a 0-30 x1"},
		{"started without a card on purpose", func(l *look) { l.event(probe.EventNoGPU, 0, ""); l.run(30, nil) }, ""},
		{"a card that is listed with its problem", func(l *look) {
			l.add(&probe.Inventory{Time: l.at(), Mode: probe.ModeFault, GPUs: []probe.Device{{UUID: a, Problem: probe.EventLost}}})
			l.run(5, all("GPU is lost"), a)
		}, "fault.lost fail GPU-a 0-4 x1 open"},
		{"errors of VRAM", func(l *look) {
			for i := range 40 {
				l.run(1, func(g *probe.GPU) { g.Set(probe.ECCUncorrected, probe.Of(float64(7+i/20))) }, a)
			}
		}, "fault.ecc fail GPU-a 21-22 x1 open"},
		{"the counter begins anew", func(l *look) {
			l.run(10, func(g *probe.GPU) { g.Set(probe.ECCUncorrected, probe.Of(900)) }, a)
			l.run(10, func(g *probe.GPU) { g.Set(probe.ECCUncorrected, probe.Of(0)) }, a)
		}, ""},
		{"one reading of another column", func(l *look) {
			for i := range 40 {
				l.run(1, func(g *probe.GPU) {
					g.Set(probe.ECCUncorrected, probe.Of(0))
					if i == 20 {
						g.Set(probe.ECCUncorrected, probe.Of(1980))
					}
				}, a)
			}
		}, ""},
		{"pages taken out of use", func(l *look) {
			l.run(10, func(g *probe.GPU) { g.Set(probe.RetiredPages, probe.Of(1)) }, a)
			l.run(10, func(g *probe.GPU) { g.Set(probe.RetiredPages, probe.Of(5)) }, a)
		}, "fault.ecc warn GPU-a 11-12 x4 open"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := watch(judge.Setting{})
			c.script(l)
			l.s.Add(&probe.Sample{Time: l.at().Add(-time.Second)})
			if got := list(l.Verdicts()); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			l.s.Close()
			l.Close()
			for _, v := range l.Verdicts() {
				if v.Open {
					t.Errorf("open after the end: %s", list([]judge.Verdict{v}))
				}
			}
		})
	}
}

func TestFloodOfEvents(t *testing.T) {
	l := watch(judge.Setting{})
	for i := range 20000 {
		l.event(probe.EventXid, i, fmt.Sprint("GPU-", i))
		l.event(probe.EventLost, 0, fmt.Sprint("GPU-", i))
		if i%100 == 0 {
			l.t += 7200
			l.run(1, nil, fmt.Sprint("GPU-", i))
		}
	}
	if n := len(l.Verdicts()); n > maxOpen+maxClosed {
		t.Errorf("%d faults are kept", n)
	}
	if len(l.cards) > maxCards {
		t.Errorf("%d cards are kept", len(l.cards))
	}
}

// TestNumbers holds the dictionary against the texts: every number has its
// sentence, and what the texts call grave is a failure here.
func TestNumbers(t *testing.T) {
	seen := map[int]bool{}
	for _, n := range Numbers() {
		if seen[n.Code] || n.Source == "" || !slices.Contains([]Part{Program, Card, VRAM, Link, Driver}, n.Part) {
			t.Errorf("row %+v", n)
		}
		seen[n.Code] = true
		if _, err := time.Parse(time.DateOnly, n.Date); err != nil && n.Date != "unverified" {
			t.Errorf("%d: %v", n.Code, err)
		}
		if !slices.Contains([]judge.Level{judge.Info, judge.Warn, judge.Fail}, n.Level) || (n.Level == judge.Fail) != texts.XidGrave(n.Code) {
			t.Errorf("%d is %s", n.Code, n.Level)
		}
		for _, l := range texts.Langs() {
			if !texts.For(l).Has(fmt.Sprint("xid.", n.Code)) {
				t.Errorf("%d has no text in %s", n.Code, l)
			}
			if key := "judge.next.fault.xid." + string(n.Part); !texts.For(l).Has(key) {
				t.Errorf("%s has no text", key)
			}
		}
	}
	for _, k := range texts.For(texts.English).Keys() {
		var code int
		if _, err := fmt.Sscanf(k, "xid.%d", &code); err == nil && !seen[code] {
			t.Errorf("%d has a sentence and no row", code)
		}
	}
}

func TestSentenceOfAnError(t *testing.T) {
	l := watch(judge.Setting{Track: "dedicated"})
	l.event(probe.EventXid, 79, a)
	l.run(2, nil, a)
	v := l.Verdicts()[0]
	c := texts.For(texts.English)
	if got := c.Say(v.Say); got != "GPU error 79, 1 time: The card fell off the bus; the instance must be restarted or moved" {
		t.Errorf("got %q", got)
	}
	if v.Next.Key != "judge.next.fault.xid.card.dedicated" {
		t.Errorf("next is %s", v.Next.Key)
	}
}
