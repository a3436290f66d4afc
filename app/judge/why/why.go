// Package why answers "why is it slow?" from a look of a minute or a whole
// log: the verdict that matters most, the others, and what to do. Of several
// looks it says what differs.
package why

import (
	"context"
	"fmt"
	"slices"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/compare"
	"rentgen/app/judge/court"
	"rentgen/app/judge/series"
	"rentgen/app/judge/slow"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// Answer is what a look means.
type Answer struct {
	Host     string
	Demo     bool
	From, To time.Time // of the readings; zero without any
	Seconds  int       // with readings; one of a slow log counts for all that it stands for
	// Verdicts are those of the look, what matters most first; there is always one.
	Verdicts []judge.Verdict
	// Devices are the cards as the host names them.
	Devices []probe.Device
	// Cards are the cards of the look as they are compared, what worked most
	// first; only where Params asked for them.
	Cards []compare.Side
	// Phases are kept to compare later runs with.
	Phases []judge.Phase
}

// Headline is the verdict that matters most.
func (a Answer) Headline() judge.Verdict { return a.Verdicts[0] }

// Side is the card that worked most, as it is compared.
func (a Answer) Side() compare.Side {
	if len(a.Cards) == 0 {
		return compare.Side{Name: a.Host}
	}
	return a.Cards[0]
}

// Params sets a Looker up.
type Params struct {
	Host    string // how it is told
	Setting judge.Setting
	// Compare keeps what Compare needs. Of a long log it costs half as much again.
	Compare bool
}

// Looker takes the messages of a look. It is not safe for concurrent use.
type Looker struct {
	p     Params
	court *court.Court
	cut   *series.Series // nil where nothing is to be compared
	inv   *probe.Inventory
	best  map[string]*work
	order []string
	from  time.Time
	to    time.Time
}

// work is the longest time at work of a card.
type work struct {
	phase judge.Phase
	busy  bool
}

// New returns a Looker that has seen nothing.
func New(p Params) *Looker {
	l := &Looker{p: p, court: court.New(court.Params{Setting: p.Setting}), best: map[string]*work{}}
	if p.Compare {
		l.cut = series.New(series.Params{Rules: slow.Rules(), Closed: l.segment})
	}
	return l
}

// segment keeps the longest phase at work of each card.
func (l *Looker) segment(g *series.Segment) {
	if g.Window || g.GPU == "" || g.Kind == series.Gap {
		return
	}
	w := l.best[g.GPU]
	if w == nil {
		w = &work{}
		l.best[g.GPU] = w
		l.order = append(l.order, g.GPU)
	}
	busy := g.Kind == series.Busy
	if w.busy && (!busy || g.Seconds <= w.phase.Seconds) {
		return
	}
	w.busy = busy
	w.phase = g.Phase(l.p.Setting)
	for _, t := range g.Tallies {
		slow.Sum(t, &w.phase)
	}
}

// Add takes the next message.
func (l *Looker) Add(m probe.Message) {
	switch m := m.(type) {
	case *probe.Inventory:
		l.inv = m
	case *probe.Sample:
		if l.from.IsZero() {
			l.from = m.Time
		}
		if m.Time.After(l.to) {
			l.to = m.Time
		}
	}
	l.court.Add(m)
	if l.cut != nil {
		l.cut.Add(m)
	}
}

// Answer ends the look and says what it means.
func (l *Looker) Answer() Answer {
	l.court.Close()
	if l.cut != nil {
		l.cut.Close()
	}
	a := Answer{Host: l.p.Host, From: l.from, To: l.to, Seconds: l.court.Seconds(), Verdicts: l.court.Verdicts(), Phases: l.court.Phases()}
	if l.inv != nil {
		a.Demo, a.Devices = l.inv.Demo, l.inv.GPUs
	}
	slices.SortStableFunc(a.Verdicts, court.Compare)
	if len(a.Verdicts) == 0 {
		a.Verdicts = []judge.Verdict{l.nothing()}
	}
	a.Cards = l.sides()
	return a
}

// least is the seconds with readings below which nothing is judged.
var least = int(series.Limit("cut.window-least"))

// nothing says what a look lacks to a verdict.
func (l *Looker) nothing() judge.Verdict {
	n, least := l.court.Seconds(), int(l.court.Least()/time.Second)
	v := judge.Verdict{
		Kind: judge.NotEnoughData, Level: judge.Unknown, From: l.from, To: l.to, Rule: "why/readings",
		Numbers: map[string]judge.Number{"seconds": {Value: float64(n), Unit: "s"}},
	}
	say := func(key string, pairs ...any) {
		v.Say, v.Next = texts.P("judge.say."+key, pairs...), texts.P("judge.next."+key)
	}
	switch {
	case l.inv != nil && l.inv.Mode != "" && l.inv.Mode != probe.ModeGPU && len(l.inv.GPUs) == 0:
		say("nodata.card")
	case n == 0:
		say("nodata.none")
	case n > 1 && l.to.Sub(l.from)/time.Duration(n-1) > series.Slowest:
		every := judge.Number{Value: (l.to.Sub(l.from) / time.Duration(n-1)).Seconds(), Unit: "s"}
		say("nodata.seldom", "every", series.Said(every))
	case n < least:
		say("nodata.short", "n", n, "least", least)
	default:
		say("nodata.quiet", "n", n)
	}
	return v
}

// sides are the cards of the look, those that worked longest first.
func (l *Looker) sides() []compare.Side {
	order := slices.Clone(l.order)
	slices.SortStableFunc(order, func(a, b string) int {
		return l.best[b].seconds() - l.best[a].seconds()
	})
	var list []compare.Side
	for _, gpu := range order {
		w := l.best[gpu]
		s := compare.OfPhase(l.p.Host, w.phase)
		if w.seconds() < least { // a card at rest, or a moment, says nothing of speed
			s.Stats = nil
		}
		s.Picture = w.phase.Stats[slow.PictureKey].Mean
		list = append(list, s.WithInventory(l.inv, gpu))
	}
	if len(list) == 0 && l.inv != nil && len(l.inv.GPUs) > 0 {
		list = append(list, compare.Side{Name: l.p.Host}.WithInventory(l.inv, l.inv.GPUs[0].UUID))
	}
	return list
}

func (w *work) seconds() int {
	if !w.busy {
		return 0
	}
	return w.phase.Seconds
}

// Over answers of a recording. progress, unless nil, is called with the time
// that was reached, once an hour of the recording.
func Over(ctx context.Context, p Params, messages judge.Messages, progress func(time.Time)) (Answer, error) {
	l := New(p)
	var told time.Time
	for m, err := range messages {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return Answer{}, fmt.Errorf("look at %s: %w", p.Host, err)
		}
		l.Add(m)
		if s, ok := m.(*probe.Sample); ok && progress != nil && s.Time.Sub(told) >= time.Hour {
			told = s.Time
			progress(told)
		}
	}
	return l.Answer(), nil
}

// Compare says what differs between two looks, by the cards that worked most.
func Compare(a, b Answer) compare.Result { return compare.Sides(a.Side(), b.Side()) }
