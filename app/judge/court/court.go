// Package court composes the rules: messages in, verdicts out. Live and over a
// recording it is the same code, so the same seconds give the same verdicts.
package court

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/fault"
	"rentgen/app/judge/idle"
	"rentgen/app/judge/others"
	"rentgen/app/judge/series"
	"rentgen/app/judge/slow"
	"rentgen/app/judge/steady"
	"rentgen/app/judge/throttle"
	"rentgen/probe"
)

// Version of the rules: what another one judged is judged again.
const Version = 3

// Rules returns all rules that are judged on segments. Faults are judged on
// events beside them.
func Rules() []series.Rule {
	return slices.Concat(
		steady.Rules(),
		throttle.Rules(),
		idle.Rules(),
		slow.Rules(),
		others.Rules(),
	)
}

// Bounds of what a court keeps.
const (
	maxVerdicts = 20000
	maxPhases   = 5000
	leastPhase  = 60 // seconds of a phase that later ones are compared with
)

// Params sets a court up.
type Params struct {
	Setting judge.Setting
	Rules   []series.Rule // nil takes Rules()
}

// Court judges a stream of messages. It is not safe for concurrent use.
type Court struct {
	p        Params
	s        *series.Series
	faults   *fault.Watch
	closed   []judge.Verdict
	episodes []*episode
	past     map[string][]judge.Phase
	phases   []judge.Phase
	ended    bool
}

// New returns a court that has seen nothing.
func New(p Params) *Court {
	if p.Rules == nil {
		p.Rules = Rules()
	}
	c := &Court{p: p, past: map[string][]judge.Phase{}, faults: fault.New(p.Setting)}
	c.s = series.New(series.Params{Rules: p.Rules, Closed: c.segment, Second: c.faults.Second})
	return c
}

// Add takes the next message.
func (c *Court) Add(m probe.Message) {
	c.faults.Add(m)
	c.s.Add(m)
}

// Close ends the stream: nothing is open any more.
func (c *Court) Close() {
	c.s.Close()
	c.faults.Close()
	c.ended = true
}

// segment judges a window or a phase that has ended.
func (c *Court) segment(g *series.Segment) {
	for _, v := range c.judge(g) {
		if g.Window {
			c.file(v)
		} else {
			c.keep(v)
		}
	}
	c.retire(g)
	if g.Window || g.GPU == "" || g.Kind != series.Busy || g.Seconds < leastPhase {
		return
	}
	ph := g.Phase(c.p.Setting)
	for _, t := range g.Tallies {
		slow.Sum(t, &ph) // the time of a picture, where it can be seen
	}
	c.past[g.GPU] = tail(append(c.past[g.GPU], ph), series.PastPhases)
	c.phases = tail(append(c.phases, ph), maxPhases)
}

// judge asks every rule about a segment.
func (c *Court) judge(g *series.Segment) []judge.Verdict {
	var out []judge.Verdict
	for i := range c.p.Rules {
		r := &c.p.Rules[i]
		if !r.Asked(g) {
			continue
		}
		out = append(out, r.Judge(&series.Case{Segment: g, Tally: g.Tallies[i], Setting: c.p.Setting, Past: c.past[g.GPU]})...)
	}
	for i := range out {
		seldom(&out[i], g.Step)
	}
	return out
}

// often is how many seconds may lie between two readings without a doubt: what
// happens within a picture is seen now and then.
const often = 5

// seldom doubts a verdict of readings that come seldom.
func seldom(v *judge.Verdict, step int) {
	if step <= often || v.Kind == judge.NotEnoughData {
		return
	}
	v.Confidence -= min(0.15, 0.05*math.Log2(float64(step)/often))
	every := series.Said(judge.Number{Value: float64(step), Unit: "s"})
	v.Doubts = append(slices.Clone(v.Doubts), series.Doubt("seldom", "every", every))
}

// file joins a minute's verdict to its episode, or begins one.
func (c *Court) file(v judge.Verdict) {
	for _, e := range c.episodes {
		if e.joins(&v) {
			e.join(v)
			return
		}
	}
	c.episodes = append(c.episodes, newEpisode(v))
}

func newEpisode(v judge.Verdict) *episode {
	return &episode{v: v, weight: max(1, v.To.Sub(v.From).Seconds()), sure: v.Confidence, n: 1}
}

// retire keeps the episodes that no later minute of the track can join.
func (c *Court) retire(g *series.Segment) {
	c.episodes = slices.DeleteFunc(c.episodes, func(e *episode) bool {
		if e.v.GPU != g.GPU || g.To.Sub(e.v.To) <= joinGap {
			return false
		}
		c.keep(e.v)
		return true
	})
}

// keep puts a closed verdict down. Beyond the bound the oldest that is no
// alarm goes first.
func (c *Court) keep(v judge.Verdict) {
	v.Open = false
	c.closed = append(c.closed, v)
	if len(c.closed) <= maxVerdicts {
		return
	}
	i := slices.IndexFunc(c.closed, func(v judge.Verdict) bool { return v.Level.Rank() < judge.Warn.Rank() })
	c.closed = slices.Delete(c.closed, max(i, 0), max(i, 0)+1)
}

func tail[T any](list []T, n int) []T {
	if len(list) > n {
		return slices.Delete(list, 0, len(list)-n)
	}
	return list
}

// Verdicts returns all that was found so far by their beginning, those that
// still go on at the end.
func (c *Court) Verdicts() []judge.Verdict {
	closed, open := slices.Clone(c.closed), []judge.Verdict(nil)
	sort := func(list []judge.Verdict) {
		slices.SortStableFunc(list, func(a, b judge.Verdict) int {
			return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.GPU, b.GPU), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Rule, b.Rule))
		})
	}
	for _, v := range append(c.going(), c.faults.Verdicts()...) {
		if v.Open && !c.ended {
			open = append(open, v)
		} else {
			v.Open = false
			closed = append(closed, v)
		}
	}
	sort(closed)
	sort(open)
	return append(closed, open...)
}

// going returns the episodes that may still be joined, with the minute under
// way, and what the phases under way mean as they stand.
func (c *Court) going() []judge.Verdict {
	var list []*episode
	for _, e := range c.episodes {
		one := *e
		one.v.Open = false
		list = append(list, &one)
	}
	var whole []judge.Verdict
	for _, g := range c.s.Open() {
		if !g.Window {
			whole = append(whole, c.judge(g)...)
			continue
		}
		if g.To.Sub(g.From) < time.Duration(g.Least())*time.Second {
			// Too short to say anything: what the minute before said still holds.
			for _, e := range list {
				if e.v.GPU == g.GPU && !e.v.To.Before(g.From) {
					e.v.Open = true
				}
			}
			continue
		}
		for _, v := range c.judge(g) {
			if i := slices.IndexFunc(list, func(e *episode) bool { return e.joins(&v) }); i >= 0 {
				list[i].join(v)
			} else {
				list = append(list, newEpisode(v))
			}
		}
	}
	out := make([]judge.Verdict, 0, len(list)+len(whole))
	for _, e := range list {
		out = append(out, e.v)
	}
	return append(out, whole...)
}

// Now returns what holds at this moment, most important first. The first is
// the headline. Nothing holds after Close.
func (c *Court) Now() []judge.Verdict {
	var list []judge.Verdict
	if c.ended {
		return nil
	}
	for _, v := range append(c.going(), c.faults.Verdicts()...) {
		if v.Open {
			list = append(list, v)
		}
	}
	slices.SortStableFunc(list, Compare)
	return list
}

// Compare orders verdicts by how much they matter: faults, then warnings, then
// what is uneven, what is well, and what is only told.
func Compare(a, b judge.Verdict) int {
	return cmp.Or(cmp.Compare(weight(&b), weight(&a)), cmp.Compare(order(a.Kind), order(b.Kind)), cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(a.GPU, b.GPU), a.From.Compare(b.From))
}

// weight is the level, and a little more than good for a card that is uneven:
// that it sets the speed all the same is no headline.
func weight(v *judge.Verdict) int {
	w := 2 * v.Level.Rank()
	if v.Kind == judge.Unstable && v.Level == judge.Info {
		w = 2*judge.Good.Rank() + 1
	}
	return w
}

// order ranks kinds of one level: what says most about the run comes first.
func order(k judge.Kind) int { return slices.Index(headlines, k) }

var headlines = []judge.Kind{
	judge.FaultLost, judge.FaultReset, judge.FaultContainer, judge.FaultDriver, judge.FaultECC, judge.FaultXid,
	judge.Stable, judge.Idle,
	judge.ThrottleThermal, judge.ThrottleBrake, judge.ThrottlePower, judge.ThrottleSync,
	judge.NeighbourGPU, judge.NeighbourHost,
	judge.SlowOffload, judge.SlowMemory, judge.SlowDisk, judge.SlowNetwork, judge.SlowCPUQuota, judge.SlowCPUThread,
	judge.SlowLink, judge.SlowNVLink, judge.SlowStraggler, judge.Unstable, judge.BoundGPU, judge.SlowQueueEmpty, judge.NotEnoughData,
}

// Seconds returns how many were judged; a reading of a slow log counts for all
// that it stands for.
func (c *Court) Seconds() int { return c.s.Seconds() }

// Least is the span below which nothing is judged at the pace of the readings.
func (c *Court) Least() time.Duration { return series.Least(c.s.Step()) }

// Phases returns the busy phases that have ended, oldest first.
func (c *Court) Phases() []judge.Phase { return slices.Clone(c.phases) }

// Over judges a recording from its beginning to its end. progress, unless nil,
// is called with the time that was reached, once an hour of the recording.
func Over(ctx context.Context, messages judge.Messages, set judge.Setting, progress func(time.Time)) (judge.Kept, error) {
	c := New(Params{Setting: set})
	var told, last time.Time
	for m, err := range messages {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return judge.Kept{}, fmt.Errorf("judge recording: %w", err)
		}
		c.Add(m)
		s, ok := m.(*probe.Sample)
		if !ok {
			continue
		}
		if s.Time.After(last) {
			last = s.Time
		}
		if progress != nil && s.Time.Sub(told) >= time.Hour {
			told = s.Time
			progress(told)
		}
	}
	c.Close()
	return judge.Kept{Version: Version, To: last, Verdicts: c.Verdicts(), Phases: c.Phases()}, nil
}
