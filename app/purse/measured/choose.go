package measured

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/assets/texts"
)

// Change is one replacement in a plan.
type Change struct {
	// ID names what is replaced, the same each time: "start.boot/AutoDL 4090".
	ID    string
	Kind  Kind
	Host  Host
	Part  string // of a start
	Offer string // "" where it isn't one offer's
	// Seconds are those of a picture or of a part of a start, Ready those until the
	// instance is ready, Share the used part of rented time, from 0 to 1; 0 for none.
	Seconds, Ready, Share float64
	Seen                  int64   // interruptions
	Hours                 float64 // that they were seen in
	// Say tells what is measured, where and when, and what it takes the place of.
	Say texts.Phrase
	// Sure is false where only the user can say that it is right: of a pace, whose job
	// nobody knows, and of a share that makes other hours of the plan altogether.
	Sure bool
	// At and Source are of the latest measurement behind it.
	At     time.Time
	Source string
}

// Apply puts what was measured in the place of estimates, and says what it
// replaced. The plan that is given stays as it is. What the user typed into a term
// stays too: only estimates, rules and older measurements give way. What isn't sure is
// left out, see Choose.
func Apply(p plan.Plan, ms []Measured) (plan.Plan, []texts.Phrase) {
	got, changes := Choose(p, ms, func(c Change) bool { return c.Sure })
	var said []texts.Phrase
	for _, c := range changes {
		said = append(said, c.Say)
	}
	return got, said
}

// Offered returns what would be replaced in a plan, the sure first. Nothing that
// stands in the plan already is among it. r is what the plan comes to, nil where that
// isn't known yet.
func Offered(p plan.Plan, r *plan.Result, ms []Measured) []Change {
	_, list := choose(p, &r, ms, func(c Change) bool { return c.Sure || c.Kind == Utilisation })
	for _, m := range ms {
		if m.Kind == Pace {
			_, one := choose(p, &r, []Measured{m}, func(Change) bool { return true })
			list = append(list, one...)
		}
	}
	slices.SortStableFunc(list, func(a, b Change) int {
		switch {
		case a.Sure == b.Sure:
			return 0
		case a.Sure:
			return -1
		}
		return 1
	})
	return list
}

// Choose is Apply for those changes that are wanted; of a change that is asked for
// only ID, Kind and Sure are known. It returns what was replaced.
func Choose(p plan.Plan, ms []Measured, want func(Change) bool) (plan.Plan, []Change) {
	var r *plan.Result
	return choose(p, &r, ms, want)
}

func choose(p plan.Plan, r **plan.Result, ms []Measured, want func(Change) bool) (plan.Plan, []Change) {
	a := &applier{cat: workload.Load(), plan: p, old: p, want: want, was: r}
	a.key = a.cat.Filled(p.Job).Key()
	a.plan.Measured = slices.Clone(p.Measured)
	a.plan.Offers = slices.Clone(p.Offers)
	for i := range a.plan.Offers {
		a.plan.Offers[i].Terms = maps.Clone(p.Offers[i].Terms)
	}
	ms = a.mine(byTime(ms))
	for i, m := range ms {
		if m.Kind == Job {
			last := !slices.ContainsFunc(ms[i+1:], func(o Measured) bool { return o.Kind == Job && a.same(o.Job.Card, m.Job.Card) })
			a.job(m, last)
		}
	}
	for i := range a.plan.Offers {
		a.starts(&a.plan.Offers[i], ms)
		a.interruptions(&a.plan.Offers[i], ms)
	}
	a.utilisation(ms)
	return a.plan, a.made
}

type applier struct {
	cat  *workload.Catalogue
	plan plan.Plan
	old  plan.Plan
	key  string // of the plan's job
	want func(Change) bool
	made []Change
	was  **plan.Result // of the old plan, once it is asked for
}

// mine keeps what can change this plan: of jobs only its own, under its own name. A
// pace that is wanted is a measurement of the plan's job; one rhythm is one run, which
// makes as many pictures as are painted at once.
func (a *applier) mine(ms []Measured) []Measured {
	var list []Measured
	for _, m := range ms {
		switch m.Kind {
		case Job:
			if a.plan.Job.Model == "" || m.Job.Job != a.key && m.Job.Job != a.plan.Job.Key() || !a.wants("job/"+m.Job.Card, Job, true) {
				continue
			}
			m.Job.Job = a.key
		case Pace:
			if a.plan.Job.Model == "" || !a.wants(m.paceID(), Pace, false) {
				continue
			}
			s := math.Round(m.Seconds/float64(max(a.plan.Job.Batch, 1))*100) / 100
			m.Kind, m.Pace = Job, true
			m.Job = workload.Measured{Job: a.key, Card: m.Host.Card, SecondsPerPic: &s, Source: m.Source, Date: m.To.Format(time.DateOnly)}
		case Start, Utilisation, Interruptions:
		}
		list = append(list, m)
	}
	return list
}

func (m Measured) paceID() string { return "pace/" + m.Host.Card + "/" + m.Source }

func (a *applier) wants(id string, k Kind, sure bool) bool {
	return a.want(Change{ID: id, Kind: k, Sure: sure})
}

// add notes a change, with what it says of what was measured and of what was there;
// an empty phrase says nothing.
func (a *applier) add(c Change, m Measured, what ...texts.Phrase) {
	c.Host, c.At, c.Source = m.Host, m.To, m.Source
	for _, p := range slices.Backward(what) {
		switch {
		case p.IsZero():
		case c.Say.IsZero():
			c.Say = p
		default:
			c.Say = texts.P("measured.and", "a", p, "b", c.Say)
		}
	}
	a.made = append(a.made, c)
}

// phrase says a figure with its log and date.
func phrase(key string, m Measured, pairs ...any) texts.Phrase {
	pairs = append(pairs, "source", func(c *texts.Catalogue) string { return SourceIn(c, m.Source) }, "date", func(c *texts.Catalogue) string { return texts.DateYear(c, m.To) })
	return texts.P("measured."+key, pairs...)
}

// SourceIn says in a language where something was measured: a log by its number,
// else a name as it is.
func SourceIn(c *texts.Catalogue, s string) string {
	if id, ok := strings.CutPrefix(s, "log "); ok {
		return c.T("measured.log", "id", id)
	}
	return s
}
