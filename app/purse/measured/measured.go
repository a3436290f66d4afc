// Package measured turns what was seen of rented hosts into what a plan is
// reckoned with: the parts of a start, seconds a picture, how much of the rented
// time is used, and interruptions. Each keeps where and when it was measured.
package measured

import (
	"cmp"
	"slices"
	"time"

	"rentgen/app/guide/ledger"
	"rentgen/app/money"
	"rentgen/app/purse/meter"
	"rentgen/app/workload"
)

// Host is where something was measured.
type Host struct {
	ID, Name string
	Provider string // id of its rules, "" for not known
	Card     string // as the catalogue names it, "" for not known
}

// Kind is what was measured.
type Kind string

// The kinds.
const (
	Start         Kind = "start"         // a part of a start, in seconds
	Job           Kind = "job"           // what a job took on a card
	Utilisation   Kind = "utilisation"   // busy seconds of those that are known, 0 to 1
	Interruptions Kind = "interruptions" // runs that ended at work, over running hours
	Pace          Kind = "pace"          // seconds from picture to picture of a job that isn't known
)

// Measured is one figure with where it comes from.
type Measured struct {
	Kind Kind
	Host Host
	// Part is that of a start: queue, boot, pull or load.
	Part    string
	Seconds float64
	Job     workload.Measured
	Pace    bool      // Job is a Pace that the user took for the plan's job
	Share   money.Rat // utilisation
	Seen    int64     // interruptions
	Watched money.Rat // hours
	// From and To are when it was measured.
	From, To time.Time
	Source   string // "log 12", or the host's name
}

// FromLedger takes the times of a start. log names the log that they stand in, ""
// for none. A stage that isn't there gives nothing.
func FromLedger(h Host, l ledger.Ledger, log string) []Measured {
	source := cmp.Or(log, h.Name)
	h.Card = cmp.Or(l.Card, h.Card)
	var ms []Measured
	part := func(name string, stages ...ledger.Stage) {
		sum, any := 0.0, false
		for _, s := range stages {
			if f, ok := l.Stages[s]; ok && f.From != ledger.Typed {
				sum, any = sum+f.Seconds, true
			}
		}
		if any {
			ms = append(ms, Measured{Kind: Start, Host: h, Part: name, Seconds: sum, From: l.Started, To: l.Started, Source: source})
		}
	}
	part("queue", ledger.Queue)
	part("boot", ledger.Boot, ledger.Page)
	part("pull", ledger.Pull)
	part("load", ledger.Load)
	if m, ok := l.Measured(source); ok {
		if q, ok := l.Stages[ledger.Queue]; ok && m.StartupSeconds != nil {
			// A plan counts the queue by itself: it isn't billed everywhere.
			if s := *m.StartupSeconds - q.Seconds; s > 0 {
				m.StartupSeconds = &s
			} else {
				m.StartupSeconds = nil
			}
		}
		ms = append(ms, Measured{Kind: Job, Host: h, Job: m, From: l.Started, To: l.Started, Source: source})
	}
	return ms
}

// enough is how many seconds must be known before a share says anything.
const enough = 3600

// FromSessions takes how much of the rented time was used, and how often a run
// ended at work without a known stop: what a person, the stop guard or a bill says
// of is none. Hours in which the card wasn't there are left out.
func FromSessions(h Host, sessions []meter.SessionCost) []Measured {
	var busy, idle, seen int64
	var watched time.Duration
	var from, to time.Time
	for _, s := range sessions {
		if s.NoGPU {
			continue
		}
		busy, idle = busy+s.BusyS, idle+s.IdleS
		watched += s.Last.Sub(s.Start)
		if s.By == "" && !s.Until.IsZero() && s.Worked != nil && *s.Worked {
			seen++
		}
		if from.IsZero() || s.Start.Before(from) {
			from = s.Start
		}
		if s.Last.After(to) {
			to = s.Last
		}
	}
	base := Measured{Host: h, From: from, To: to, Source: h.Name}
	var ms []Measured
	if known := busy + idle; known >= enough && busy > 0 {
		m := base
		m.Kind, m.Share = Utilisation, money.Frac(busy, known)
		ms = append(ms, m)
	}
	if watched >= enough*time.Second {
		m := base
		m.Kind, m.Seen, m.Watched = Interruptions, seen, money.Frac(int64(watched/time.Second), 3600)
		ms = append(ms, m)
	}
	return ms
}

// on reports whether a figure of a host holds for an offer of a provider and card.
func (m Measured) on(provider, card string, same func(a, b string) bool) bool {
	return m.Host.Provider != "" && m.Host.Provider == provider && (m.Host.Card == "" || same(m.Host.Card, card))
}

// byTime orders figures from old to new.
func byTime(ms []Measured) []Measured {
	ms = slices.Clone(ms)
	slices.SortStableFunc(ms, func(a, b Measured) int { return a.To.Compare(b.To) })
	return ms
}
