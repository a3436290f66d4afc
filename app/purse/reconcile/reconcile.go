package reconcile

import (
	"cmp"
	"slices"
	"time"

	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/purse/tariff"
	"rentgen/assets/texts"
)

// Result is a bill set against this side.
type Result struct {
	Currency money.Currency
	Pairs    []Pair // by time
	// Lines compare the bill with ours and the plan, by kind of row; a kind that
	// nobody has is left out.
	Lines   []Line
	Billed  money.Rat  // all costs of the bill
	Ours    money.Band // of the sessions that have a price here
	Priced  bool       // there are such
	More    money.Rat  // what the bill asks beyond ours, 0 without a price
	Learned []Learned  // by host, of those with matched runs
	Stops   []Stop
	// Other are hosts in another currency than the bill, which were left out.
	Other []string
	Say   []texts.Phrase // what it comes to, first things first
}

// Line compares one kind of cost.
type Line struct {
	Kind     Kind
	Billed   *money.Rat  // nil: not on the bill
	Ours     *money.Band // nil: the meter doesn't count it
	Forecast *money.Band // of the plans, for the days of the bill; nil: not planned
}

// Name is what the page calls the line.
func (l Line) Name() texts.Phrase { return l.Kind.Name() }

// Name is what the page calls the kind.
func (k Kind) Name() texts.Phrase {
	switch k {
	case Compute:
		return texts.P("reconcile.kind.running")
	case Refund, TopUp:
		return texts.P("reconcile.kind." + string(k))
	}
	return texts.P("bill.line." + string(k))
}

// Compare sets a bill against the hosts.
func Compare(b Bill, here []Here) Result {
	r := Result{Currency: b.Currency}
	var mine []Here
	for _, h := range here {
		if h.Tariff != nil && h.Tariff.Currency != b.Currency {
			r.Other = append(r.Other, h.Name)
			continue
		}
		mine = append(mine, h)
	}
	r.Pairs = match(b, mine)
	rows := make(map[int]Row)
	for _, w := range b.Rows {
		rows[w.Line] = w
	}
	cent := money.Int(1)
	for range b.Currency.Scale() {
		cent = cent.Quo(money.Int(10))
	}
	for _, h := range mine {
		if slices.ContainsFunc(r.Pairs, func(p Pair) bool { return p.Kind == Matched && p.Host == h.Host }) {
			r.Learned = append(r.Learned, learn(h.Host, r.Pairs, rows, cent))
		}
	}
	_, until := span(runs(b))
	r.Stops = stops(r.Pairs, until)
	r.lines(b, mine)
	r.say(mine)
	return r
}

// lines sums the bill by kind beside ours and the plan.
func (r *Result) lines(b Bill, here []Here) {
	billed := make(map[Kind]money.Rat)
	var first, last time.Time
	for _, w := range b.Rows {
		billed[w.Kind] = billed[w.Kind].Add(w.Amount)
		if w.Kind != TopUp {
			r.Billed = r.Billed.Add(w.Amount)
		}
		if t := begin(w); first.IsZero() || t.Before(first) {
			first = t
		}
		if w.To.After(last) {
			last = w.To
		}
	}
	for _, p := range r.Pairs {
		if p.Priced {
			r.Ours, r.Priced = r.Ours.Add(p.Session.Cost), true
		}
	}
	planned := make(map[Kind]money.Band)
	any := make(map[Kind]bool)
	for _, h := range here {
		if h.Tariff == nil || h.Tariff.Forecast == nil || h.Tariff.Forecast.Days < 1 || !slices.ContainsFunc(r.Pairs, func(p Pair) bool { return p.Host == h.Host }) {
			continue
		}
		part := money.Frac(max(last.Unix()-first.Unix(), 1), int64(h.Tariff.Forecast.Days)*86400)
		for _, l := range h.Tariff.Forecast.Lines {
			k, ok := KindOfLine(l.ID)
			if ok {
				planned[k], any[k] = planned[k].Add(l.Amount.Times(part)), true
			}
		}
	}
	for _, k := range Kinds() {
		l := Line{Kind: k}
		if v, ok := billed[k]; ok {
			l.Billed = &v
		}
		if k == Compute && r.Priced {
			ours := r.Ours
			l.Ours = &ours
		}
		if any[k] {
			v := planned[k]
			l.Forecast = &v
		}
		if l.Billed != nil || l.Forecast != nil || k == Compute {
			r.Lines = append(r.Lines, l)
		}
	}
	if r.Priced {
		r.More = billed[Compute].Sub(r.Ours.Point)
	}
}

// KindOfLine is under which kind a line of the plan's bill is billed.
func KindOfLine(id string) (Kind, bool) {
	switch id {
	case sheet.LineCompute, sheet.LineIdle, sheet.LineStart, sheet.LineRounding, sheet.LineRerun, sheet.LineMaxLife:
		return Compute, true
	case sheet.LineDataDisk, sheet.LineSystemDisk, sheet.LineStopped:
		return Disk, true
	case sheet.LineSystemImage, sheet.LineSnapshot:
		return Image, true
	case sheet.LineTraffic, sheet.LineBandwidth, sheet.LineCrossRegion:
		return Traffic, true
	case sheet.LineIP:
		return IP, true
	}
	return "", false
}

// count is how many pairs are of a kind.
func (r *Result) count(k PairKind) (n int) {
	for _, p := range r.Pairs {
		if p.Kind == k {
			n++
		}
	}
	return n
}

// say puts it in words.
func (r *Result) say(here []Here) {
	amount := func(v money.Rat) any { return func(c *texts.Catalogue) string { return sheet.Money(c, v, r.Currency) } }
	add := func(key string, pairs ...any) { r.Say = append(r.Say, texts.P("reconcile."+key, pairs...)) }
	add("counts", "matched", r.count(Matched), "bill", r.count(OnlyBill), "here", r.count(OnlyHere))
	ours := r.Ours
	shown := func(c *texts.Catalogue) string { return sheet.MoneyBand(c, ours, r.Currency) }
	billed := r.Billed
	for _, l := range r.Lines {
		if l.Kind == Compute && l.Billed != nil {
			billed = *l.Billed
		}
	}
	key := "more"
	switch {
	case !r.Priced && slices.ContainsFunc(here, func(h Here) bool { return h.Tariff != nil }):
		key = "unpriced_then" // one is kept, but nothing was counted on the days of the bill
	case !r.Priced:
		key = "unpriced"
	case !billed.Less(ours.Low) && !ours.High.Less(billed):
		key = "same"
	case r.More.Sign() < 0:
		key = "less"
	}
	add(key, "billed", amount(billed), "ours", shown, "by", amount(r.More.Max(r.More.Neg())))
	name := func(id string) string {
		for _, h := range here {
			if h.Host == id {
				return cmp.Or(h.Name, id)
			}
		}
		return id
	}
	for _, l := range r.Learned {
		if l.PerHour != nil {
			key := "rate"
			if !l.Exact {
				key = "rate_about"
			}
			rate := *l.PerHour
			add(key, "host", name(l.Host), "rate", func(c *texts.Catalogue) string { return sheet.Price(c, rate, r.Currency) }, "n", l.Rows)
			if t := tariffOf(here, l.Host); t != nil && t.PerHour != nil && l.Exact && t.PerHour.Cmp(rate) != 0 {
				add("rate_differs", "host", name(l.Host), "rate", func(c *texts.Catalogue) string { return sheet.Price(c, *t.PerHour, r.Currency) })
			}
		}
		if l.GranularityS != nil {
			add("unit", "host", name(l.Host), "unit", func(c *texts.Catalogue) string { return texts.Duration(c, time.Duration(*l.GranularityS)*time.Second) })
		}
		if l.IdleShare != nil {
			add("idle", "host", name(l.Host), "share", texts.Percent(l.IdleShare.Float64()*100))
		}
	}
	if n := len(r.Stops); n > 0 {
		add("stops", "n", n)
	}
	if len(r.Other) > 0 {
		add("other", "hosts", texts.List(r.Other), "currency", string(r.Currency))
	}
}

func tariffOf(here []Here, id string) *tariff.Tariff {
	for _, h := range here {
		if h.Host == id {
			return h.Tariff
		}
	}
	return nil
}

// Says puts a pair in words.
func (p Pair) Says(currency money.Currency) texts.Phrase {
	amount := func(v money.Rat) any { return func(c *texts.Catalogue) string { return sheet.Money(c, v, currency) } }
	when := func(t time.Time) any { return func(c *texts.Catalogue) string { return texts.DateTime(c, t) } }
	switch p.Kind {
	case OnlyBill:
		key := "reconcile.pair.only_bill"
		if p.Instance == "" {
			key = "reconcile.pair.only_bill_unnamed"
		}
		return texts.P(key, "at", when(p.From), "billed", amount(p.Billed), "instance", p.Instance)
	case OnlyHere:
		if !p.Priced {
			return texts.P("reconcile.pair.only_here_unpriced", "at", when(p.Session.Start))
		}
		ours := p.Session.Cost
		return texts.P("reconcile.pair.only_here", "at", when(p.Session.Start), "ours", func(c *texts.Catalogue) string { return sheet.MoneyBand(c, ours, currency) })
	}
	key, b := "reconcile.pair.more", p.Session.Cost
	switch {
	case !p.Priced:
		key = "reconcile.pair.unpriced"
	case !p.Billed.Less(b.Low) && !b.High.Less(p.Billed):
		key = "reconcile.pair.same"
	case p.More.Sign() < 0:
		key = "reconcile.pair.less"
	}
	d := texts.Phrase{}
	if p.MoreS != nil && (*p.MoreS >= 60 || *p.MoreS <= -60) {
		longer := "reconcile.longer"
		if *p.MoreS < 0 {
			longer = "reconcile.shorter"
		}
		by := time.Duration(max(*p.MoreS, -*p.MoreS)) * time.Second
		d = texts.P(longer, "d", func(c *texts.Catalogue) string { return texts.Duration(c, by) })
	}
	return texts.P(key, "at", when(p.Session.Start), "billed", amount(p.Billed), "by", amount(p.More.Max(p.More.Neg())), "time", d)
}
