package fleet

import (
	"context"
	"sync"

	"rentgen/app/guide"
	"rentgen/app/guide/report"
	"rentgen/assets/texts"
)

// State is how far a machine has come.
type State string

// The states.
const (
	Waiting  State = "waiting"
	Checking State = "checking"
	Done     State = "done"
	Failed   State = "failed"  // could not be checked, see Fault
	Stopped  State = "stopped" // the run was stopped before
)

// Row is a machine of the table.
type Row struct {
	Name     string
	State    State
	Verdict  guide.Verdict
	Sentence string // of the machine's report
	// First is the first thing to see to, Do what to do about it; "" where all is
	// well.
	First, Do string
	Check     guide.CheckID // that First is from
	Fault     string        // why it could not be checked, in words
	Err       error
	Report    *report.Report // nil: none
}

// Table are the rows in the order of the list.
type Table []Row

// Params is what a run over many machines needs.
type Params struct {
	Machines []Machine
	AtOnce   int // machines checked at a time; 0 is 4
	// Check checks one machine. Its error concerns that one only.
	Check func(ctx context.Context, m Machine) (*report.Report, error)
	// Say says an error of Check in words.
	Say func(error) string
	// Changed is called with the number and the new state of a row, one call at a
	// time; nil is nobody.
	Changed func(i int, r Row)
}

// Check checks all machines, a few at a time. It returns when all are done, or
// when ctx ends and what was under way has come back; the rest is Stopped then.
func Check(ctx context.Context, p Params) Table {
	if p.AtOnce < 1 {
		p.AtOnce = 4
	}
	table := make(Table, len(p.Machines))
	for i, m := range p.Machines {
		table[i] = Row{Name: m.Name, State: Waiting}
	}
	var mu sync.Mutex
	put := func(i int, r Row) {
		mu.Lock()
		defer mu.Unlock()
		table[i] = r
		if p.Changed != nil {
			p.Changed(i, r)
		}
	}
	next := make(chan int)
	var all sync.WaitGroup
	for range min(p.AtOnce, len(p.Machines)) {
		all.Go(func() {
			for i := range next {
				put(i, Row{Name: p.Machines[i].Name, State: Checking})
				put(i, p.one(ctx, p.Machines[i]))
			}
		})
	}
feed:
	for i := range p.Machines {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	all.Wait()
	for i, r := range table {
		if r.State == Waiting {
			r.State = Stopped
			put(i, r)
		}
	}
	return table
}

func (p Params) one(ctx context.Context, m Machine) Row {
	r, err := p.Check(ctx, m)
	switch {
	case err != nil && ctx.Err() != nil:
		return Row{Name: m.Name, State: Stopped, Err: err}
	case err != nil:
		return Row{Name: m.Name, State: Failed, Fault: p.Say(err), Err: err}
	}
	row := Of(r)
	row.Name = m.Name
	return row
}

// Of is the row of a report.
func Of(r *report.Report) Row {
	row := Row{Name: r.Host.Name, State: Done, Verdict: guide.Verdict(r.Verdict), Sentence: r.Sentence, Report: r}
	if c := holding(r); c != nil {
		row.First, row.Do, row.Check = c.Sentence, c.Remedy, c.Check
		return row
	}
	for _, want := range []guide.Verdict{guide.Fail, guide.Warn} {
		for _, s := range r.Steps {
			for _, c := range s.Checks {
				if guide.Verdict(c.Verdict) == want && c.Skipped == "" {
					row.First, row.Do, row.Check = c.Sentence, c.Remedy, c.Check
					return row
				}
			}
			if guide.Verdict(s.Verdict) == want && s.Skipped == "" {
				row.First = s.Line
				return row
			}
		}
	}
	return row
}

// holding is the fail that most other checks wait for, nil where none waits.
func holding(r *report.Report) *report.Check {
	waits := map[guide.CheckID]int{}
	for _, s := range r.Steps {
		for _, c := range s.Checks {
			waits[c.BlockedBy]++
		}
	}
	var best *report.Check
	for i := range r.Steps {
		for j := range r.Steps[i].Checks {
			c := &r.Steps[i].Checks[j]
			if guide.Verdict(c.Verdict) == guide.Fail && c.Skipped == "" && waits[c.Check] > 0 && (best == nil || waits[c.Check] > waits[best.Check]) {
				best = c
			}
		}
	}
	return best
}

// Verdict is the worst of all: a machine that could not be checked counts as one
// that was not run.
func (t Table) Verdict() guide.Verdict {
	var worst guide.Verdict
	for i, r := range t {
		if i == 0 {
			worst = r.Verdict
		}
		worst = guide.Worse(worst, r.Verdict)
	}
	return worst
}

// Sentence says how many machines are ready and how many are not.
func (t Table) Sentence() texts.Phrase {
	good, warn, bad, faults := 0, 0, 0, 0
	for _, r := range t {
		switch {
		case r.State == Failed || r.State == Stopped:
			faults++
		case r.Verdict == guide.Fail:
			bad++
		case r.Verdict == guide.Warn:
			warn++
		case r.Verdict == guide.Pass:
			good++
		default:
			faults++
		}
	}
	switch {
	case len(t) == 0:
		return texts.P("fleet.none")
	case good == len(t):
		return texts.P("fleet.all", "n", good)
	case faults > 0:
		return texts.P("fleet.some.faults", "good", good, "warn", warn, "bad", bad, "faults", faults, "n", len(t))
	}
	return texts.P("fleet.some", "good", good, "warn", warn, "bad", bad, "n", len(t))
}
