package reconcile

import (
	"cmp"
	"slices"
	"time"

	"rentgen/app/money"
	"rentgen/app/purse/meter"
	"rentgen/app/purse/tariff"
)

// Here is what is known of one host on this side.
type Here struct {
	Host     string // id
	Name     string
	Sessions []meter.SessionCost
	Tariff   *tariff.Tariff // nil: nobody has said
}

// PairKind says on which sides a run stands.
type PairKind string

// The kinds of pairs; text "reconcile.pair.<kind>".
const (
	Matched  PairKind = "matched"
	OnlyBill PairKind = "only-bill"
	OnlyHere PairKind = "only-here"
)

// Pair is a run of the bill, one of ours, or both.
type Pair struct {
	Kind     PairKind
	Host     string // id, "" where it is only on the bill
	Instance string // as the bill names it
	Lines    []int  // of the file
	// Of the bill: when, how long, how much.
	From, To time.Time
	BilledS  *int64 // nil: the bill doesn't say
	Billed   money.Rat
	// Session is ours; nil where it is only on the bill. Priced says that it has a
	// cost here.
	Session *meter.SessionCost
	Priced  bool
	// More is what the bill asks beyond ours, at its point; MoreS likewise in
	// seconds, nil where the bill says no time.
	More  money.Rat
	MoreS *int64
}

// run is what a bill says of one run of an instance: rows that follow one another.
type run struct {
	instance string
	from, to time.Time
	lines    []int
	rows     []Row
	amount   money.Rat
	seconds  int64
	timed    bool // the bill says how long
}

const (
	// near is what clocks of both sides may differ by.
	near = 5 * time.Minute
	// joined is how far apart rows of one run may stand.
	joined = 2 * time.Minute
	// afterwards is how long after a stop the last settlement may come.
	afterwards = 70 * time.Minute
)

// runs puts the rows of running time together, by instance, in order.
func runs(b Bill) []*run {
	rows := slices.DeleteFunc(slices.Clone(b.Rows), func(r Row) bool { return r.Kind != Compute })
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Instance, b.Instance), begin(a).Compare(begin(b)), cmp.Compare(a.Line, b.Line))
	})
	var list []*run
	for _, r := range rows {
		timed := !r.From.IsZero() && !r.To.IsZero()
		var last *run
		if n := len(list); n > 0 && list[n-1].instance == r.Instance && list[n-1].timed && timed && !begin(r).After(list[n-1].to.Add(joined)) {
			last = list[n-1]
		}
		if last == nil {
			last = &run{instance: r.Instance, from: begin(r), to: begin(r), timed: timed}
			list = append(list, last)
		}
		if r.To.After(last.to) {
			last.to = r.To
		}
		last.lines = append(last.lines, r.Line)
		last.rows = append(last.rows, r)
		last.amount = last.amount.Add(r.Amount)
		switch {
		case r.Seconds != nil:
			last.seconds += *r.Seconds
		case timed:
			last.seconds += int64(r.To.Sub(r.From) / time.Second)
		default:
			last.timed = false
		}
	}
	return list
}

func begin(r Row) time.Time {
	if r.From.IsZero() {
		return r.To
	}
	return r.From
}

// overlap is how long a run and a session may have been one, and how much of both
// together that is.
func overlap(r *run, s *meter.SessionCost) (d time.Duration, share float64) {
	from, to := s.Start.Add(-near), s.Ends[tariff.High].Add(near)
	if !r.timed {
		if r.from.Before(from) || r.from.After(to.Add(afterwards)) {
			return 0, 0
		}
		return time.Second, 1
	}
	a, b := r.from, r.to
	if from.After(a) {
		a = from
	}
	if to.Before(b) {
		b = to
	}
	if !a.Before(b) {
		return 0, 0
	}
	whole := max(r.to.Sub(r.from), s.Ends[tariff.Point].Sub(s.Start), time.Second)
	return b.Sub(a), min(float64(b.Sub(a))/float64(whole), 1)
}

// match pairs the runs of a bill with sessions. An instance of the bill belongs to
// the one host that it shares the most time with.
func match(b Bill, here []Here) []Pair {
	all := runs(b)
	owner := owners(all, here)
	type key struct{ host, session int }
	groups := make(map[key][]*run)
	var pairs []Pair
	for _, r := range all {
		h, ok := owner[r.instance]
		best, most := -1, 0.0
		if ok {
			for i := range here[h].Sessions {
				if _, share := overlap(r, &here[h].Sessions[i]); share > most {
					best, most = i, share
				}
			}
		}
		if best < 0 {
			pairs = append(pairs, pairOf(OnlyBill, []*run{r}))
			continue
		}
		k := key{h, best}
		groups[k] = append(groups[k], r)
	}
	from, to := span(all)
	for h := range here {
		for i := range here[h].Sessions {
			s := &here[h].Sessions[i]
			g := groups[key{h, i}]
			if len(g) == 0 {
				// A bill of another month says nothing of it.
				if s.Start.Before(to) && s.Ends[tariff.Point].After(from) {
					pairs = append(pairs, Pair{Kind: OnlyHere, Host: here[h].Host, Session: s, Priced: here[h].Tariff != nil, More: s.Cost.Point.Neg()})
				}
				continue
			}
			p := pairOf(Matched, g)
			p.Host, p.Session, p.Priced = here[h].Host, s, here[h].Tariff != nil
			if p.Priced {
				p.More = p.Billed.Sub(s.Cost.Point)
			}
			if p.BilledS != nil {
				n := *p.BilledS - int64(s.Ends[tariff.Point].Sub(s.Start)/time.Second)
				p.MoreS = &n
			}
			pairs = append(pairs, p)
		}
	}
	slices.SortStableFunc(pairs, func(a, b Pair) int { return a.when().Compare(b.when()) })
	return pairs
}

func (p Pair) when() time.Time {
	if p.Session != nil {
		return p.Session.Start
	}
	return p.From
}

func pairOf(kind PairKind, rs []*run) Pair {
	p := Pair{Kind: kind, Instance: rs[0].instance, From: rs[0].from, To: rs[0].to}
	seconds, timed := int64(0), true
	for _, r := range rs {
		p.Lines = append(p.Lines, r.lines...)
		p.Billed = p.Billed.Add(r.amount)
		seconds, timed = seconds+r.seconds, timed && r.timed
		if r.from.Before(p.From) {
			p.From = r.from
		}
		if r.to.After(p.To) {
			p.To = r.to
		}
	}
	if timed {
		p.BilledS = &seconds
	}
	return p
}

// span is from when to when the bill is.
func span(all []*run) (from, to time.Time) {
	for i, r := range all {
		if i == 0 || r.from.Before(from) {
			from = r.from
		}
		if i == 0 || r.to.After(to) {
			to = r.to
		}
	}
	return from, to
}

// owners says to which host each instance of the bill belongs.
func owners(all []*run, here []Here) map[string]int {
	shared := make(map[string]map[int]float64)
	for _, r := range all {
		for h := range here {
			for i := range here[h].Sessions {
				if d, share := overlap(r, &here[h].Sessions[i]); d > 0 {
					if shared[r.instance] == nil {
						shared[r.instance] = make(map[int]float64)
					}
					shared[r.instance][h] += share
				}
			}
		}
	}
	owner := make(map[string]int)
	for instance, by := range shared {
		best, most := -1, 0.0
		for h := range here {
			if by[h] > most {
				best, most = h, by[h]
			}
		}
		if best >= 0 {
			owner[instance] = best
		}
	}
	return owner
}
