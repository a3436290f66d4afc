package sheet

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"rentgen/app/bill"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
)

// stream is the second half of the generator's seed, so that a seed typed by
// the user is enough.
const stream = 0x52656e7467656e

// Chances draws the doubtful inputs so many times and says how often each bill
// is the cheapest. Hours follow the PERT distribution of their band, terms on
// which pages disagree and unknown prices are even over theirs, unknown yes or
// no is a coin. What is one thing is drawn once: the seconds of a card for all
// its offers, a provider's term for all of the provider's.
//
// The same seed gives the same answer. progress may be nil. The error is the
// context's.
func Chances(ctx context.Context, p Params, draws int, seed uint64, progress func(done int)) (Chance, error) {
	c := compile(p)
	draws = max(draws, 1)
	n := len(c.bills)
	ch := Chance{
		Draws: draws, Seed: seed, Cheapest: make([]float64, n), P10: make([]float64, n), P90: make([]float64, n), Mean: make([]float64, n),
	}
	src := rand.NewPCG(seed, stream)
	u := make([]uint32, len(c.kinds)+1)
	totals := make([]float64, n)
	wins := make([]float64, n)
	sums := make([]float64, n)
	hists := make([][bins]int32, n)
	for d := range draws {
		if d&4095 == 0 {
			if err := ctx.Err(); err != nil {
				return Chance{}, err
			}
			if progress != nil && d > 0 {
				progress(d)
			}
		}
		for i := 0; i < len(c.kinds); i += 2 {
			x := src.Uint64()
			u[i], u[i+1] = uint32(x), uint32(x>>32)
		}
		best, ties := math.Inf(1), 0
		for i := range c.bills {
			b := &c.bills[i]
			if !b.ok {
				continue
			}
			v := b.at(u, totals)
			totals[i] = v
			sums[i] += v
			hists[i][b.bin(v)]++
			if b.hidden {
				continue
			}
			switch {
			case v < best-b.tiny:
				best, ties = v, 1
			case v <= best+b.tiny:
				ties++
			}
		}
		for i := range c.bills {
			if b := &c.bills[i]; b.ok && !b.hidden && totals[i] <= best+b.tiny {
				wins[i] += 1 / float64(ties)
			}
		}
	}
	for i := range c.bills {
		b := &c.bills[i]
		if !b.ok {
			continue
		}
		ch.Cheapest[i], ch.Mean[i] = wins[i]/float64(draws), sums[i]/float64(draws)
		ch.P10[i], ch.P90[i] = b.percentile(&hists[i], draws, 0.1), b.percentile(&hists[i], draws, 0.9)
	}
	if progress != nil {
		progress(draws)
	}
	return ch, nil
}

const bins = 4096

// compiled are all bills as tables of floats.
type compiled struct {
	bills []fast
	kinds map[string]int // what is drawn -> its place
	seen  map[float64]*bill.PertDist
}

// fast is a bill that is worked out from draws without exact arithmetic: the
// total over the quantiles of the hours, worked out exactly at its nodes, and
// what each other doubtful input adds.
type fast struct {
	ok, hidden bool
	hours      int // place of the draw, -1 for sure hours
	table      []float64
	base       float64
	adds       []add
	from, per  float64 // of the histogram
	tiny       float64 // totals this near are equal
	// Of a mixed bill: a share of another.
	of         int
	share      float64
	mixed      bool
	minV, maxV float64
}

// add is what a doubtful input adds to the point.
type add struct {
	at        int // place of the draw
	low, high float64
	coin      bool
}

// at works a draw out.
func (b *fast) at(u []uint32, totals []float64) float64 {
	if b.mixed {
		return b.base + b.share*totals[b.of]
	}
	v := b.base
	if b.hours >= 0 {
		x := u[b.hours]
		i := x >> (32 - quantileBits)
		f := float64(x&(1<<(32-quantileBits)-1)) * (1.0 / (1 << (32 - quantileBits)))
		v = b.table[i] + (b.table[i+1]-b.table[i])*f
	}
	for i := range b.adds {
		a := &b.adds[i]
		x := u[a.at]
		switch {
		case a.coin:
			if x>>31 == 1 {
				v += a.high
			} else {
				v += a.low
			}
		default:
			v += a.low + (a.high-a.low)*float64(x)*(1.0/(1<<32))
		}
	}
	return v
}

func (b *fast) bin(v float64) int {
	i := int((v - b.from) * b.per)
	return min(max(i, 0), bins-1)
}

// percentile reads the histogram, within a bin by even spread.
func (b *fast) percentile(h *[bins]int32, draws int, p float64) float64 {
	if b.per == 0 {
		return b.minV
	}
	want, seen := p*float64(draws), 0.0
	for i, n := range h {
		if n > 0 && seen+float64(n) >= want {
			return b.from + (float64(i)+(want-seen)/float64(n))/b.per
		}
		seen += float64(n)
	}
	return b.maxV
}

// frame lays the histogram over what a bill can come to.
func (b *fast) frame() {
	b.minV, b.maxV = b.base, b.base
	for i, v := range b.table {
		if i == 0 {
			b.minV, b.maxV = v, v
		}
		b.minV, b.maxV = min(b.minV, v), max(b.maxV, v)
	}
	for _, a := range b.adds {
		b.minV, b.maxV = b.minV+min(a.low, a.high), b.maxV+max(a.low, a.high)
	}
	b.from, b.tiny = b.minV, 1e-9*max(1, math.Abs(b.maxV))
	if b.maxV > b.minV {
		b.per = bins / (b.maxV - b.minV)
	}
}

// nodes is how many exact totals stand on each side of the point.
const nodes = 16

func compile(p Params) *compiled {
	m := newMaker(p)
	c := &compiled{kinds: make(map[string]int), seen: make(map[float64]*bill.PertDist)}
	bills := make([]Bill, 0, len(m.columns))
	for i, k := range m.columns {
		b := m.bill(k)
		bills = append(bills, b)
		f := fast{hours: -1, hidden: k.offer.Hidden}
		if b.Status == OK {
			f.ok = true
			c.compileColumn(&f, k, m.points[i], b)
			f.frame()
		}
		c.bills = append(c.bills, f)
	}
	if b, ok := m.mixedBill(bills); ok {
		mp, _ := m.mixedParts(bills)
		q := mp.pass.Float64()
		of := m.params.Mixed.Dedicated
		f := fast{
			ok: true, mixed: true, of: of, share: q, hours: -1, hidden: b.Offer.Hidden,
			base: mp.validation.Point.Float64() + q*mp.transfer.Point.Float64(),
		}
		f.minV, f.maxV = f.base+q*c.bills[of].minV, f.base+q*c.bills[of].maxV
		f.from, f.tiny = f.minV, 1e-9*max(1, math.Abs(f.maxV))
		if f.maxV > f.minV {
			f.per = bins / (f.maxV - f.minV)
		}
		c.bills = append(c.bills, f)
	}
	return c
}

// place returns where a thing is drawn.
func (c *compiled) place(name string) int {
	i, ok := c.kinds[name]
	if !ok {
		i = len(c.kinds)
		c.kinds[name] = i
	}
	return i
}

func (c *compiled) compileColumn(f *fast, k *column, e *eval, b Bill) {
	f.base = e.total().Float64()
	lead := k.use.Busy
	if !lead.Wide() {
		lead = k.use.SessionH
	}
	if lead.Wide() {
		f.hours = c.place("card/" + k.offer.Card.Name + "/" + string(k.offer.Card.Part))
		f.table = c.quantiles(lead, k.overHours(f.base))
	}
	// Terms on which pages disagree.
	for _, id := range slices.Sorted(maps.Keys(k.values)) {
		if a, ok := k.disagreement(id, k.values[id], f.base); ok {
			a.at = c.place(k.subject(id))
			f.adds = append(f.adds, a)
		}
	}
	for _, l := range b.Lines {
		if l.ID != LineUnknown {
			continue
		}
		for _, in := range l.Inputs {
			d, _ := offer.DefOf(offer.TermID(in.Name))
			a := add{low: in.Value.Low.Float64(), high: in.Value.High.Float64(), coin: d.Kind == offer.KindFlag || d.Kind == offer.KindChoice}
			if a.low != a.high {
				a.at = c.place(k.subject(d.ID))
				f.adds = append(f.adds, a)
			}
		}
	}
}

// subject names what a term is a fact of: a provider, or this offer alone.
func (k *column) subject(id offer.TermID) string {
	who := "provider/" + k.offer.Provider
	if k.offer.Provider == "" {
		who = "offer/" + k.offer.Name
	}
	return who + "/" + string(id)
}

// overHours returns the totals from the low end of the hours to the high, worked
// out exactly at each node; a half of the band that runs straight through a
// quarter, a half and three quarters of it is filled in between.
func (k *column) overHours(pt float64) []float64 {
	t := make([]float64, 2*nodes+1)
	work := func(i int) {
		s := sceneAt(point)
		s.hours = hoursAt{at: money.Frac(int64(i-nodes), nodes)}
		e := k.run(s)
		t[i] = pt
		if e.status == OK {
			t[i] = e.total().Float64()
		}
	}
	t[nodes] = pt
	for _, half := range [][2]int{{0, nodes}, {nodes, 2 * nodes}} {
		a, b := half[0], half[1]
		work(a + b - nodes)
		line := func(i int) float64 { return t[a] + (t[b]-t[a])*float64(i-a)/nodes }
		runs := true
		for _, i := range []int{a + nodes/4, a + nodes/2, a + 3*nodes/4} {
			work(i)
			runs = runs && math.Abs(t[i]-line(i)) <= 1e-4*math.Abs(pt)
		}
		for i := a + 1; i < b; i++ {
			switch {
			case (i-a)%(nodes/4) == 0:
			case runs:
				t[i] = line(i)
			default:
				work(i)
			}
		}
	}
	return t
}

// disagreement is how far a term moves the total between what pages say.
func (k *column) disagreement(id offer.TermID, v value, base float64) (add, bool) {
	low3, high3 := v, v
	d, _ := offer.DefOf(id)
	switch d.Kind {
	case offer.KindFlag:
		low3.flag, high3.flag = [3]bool{v.flag[low], v.flag[low], v.flag[low]}, [3]bool{v.flag[high], v.flag[high], v.flag[high]}
	case offer.KindChoice:
		low3.choice = [3]string{v.choice[low], v.choice[low], v.choice[low]}
		high3.choice = [3]string{v.choice[high], v.choice[high], v.choice[high]}
	default:
		if !v.band.Wide() {
			return add{}, false
		}
		low3.band, high3.band = money.Sure(v.band.Low), money.Sure(v.band.High)
	}
	if d.Kind == offer.KindFlag && v.flag[low] == v.flag[high] || d.Kind == offer.KindChoice && v.choice[low] == v.choice[high] {
		return add{}, false
	}
	s := sceneAt(point)
	s.sub = map[offer.TermID]value{id: low3}
	a := add{low: k.run(s).total().Float64() - base, coin: d.Kind == offer.KindFlag || d.Kind == offer.KindChoice}
	s.sub = map[offer.TermID]value{id: high3}
	a.high = k.run(s).total().Float64() - base
	return a, a.low != a.high
}
