package sheet

import (
	"strings"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// Explained is a line in words: what the cell of a bill opens.
type Explained struct {
	Title    string
	Amount   string
	Formula  string // in words, with the numbers put in
	Inputs   []ExplainedInput
	Rounding string
	Rule     string // what the provider's rule is called, "" for none
	Origin   string // where the rule is known from and what other pages say, "" for no rule
	Note     string
}

// ExplainedInput is a number of a formula and where it is known from.
type ExplainedInput struct {
	Name   string
	Value  string
	Origin string   // known, told, typed, estimated, measured, reckoned, unknown
	Source string   // with its date and whose page it is, "" for none
	Also   []string // what other pages say
}

// Explain says how a line of a bill comes about.
func Explain(c *texts.Catalogue, b Bill, l Line) Explained {
	x := Explained{
		Title: c.T("bill.line." + l.ID), Amount: AmountText(c, l, b.Currency), Note: c.Say(l.Note), Rounding: rounding(c, b, l),
	}
	raw, told := unscaled(c, b, l)
	pairs := []any{"amount", raw}
	seen := map[string]bool{}
	for _, in := range l.Inputs {
		v := inputText(c, in)
		from := source(c, in.Source, in.Date, in.Mark)
		if l.ID == LineUnknown && from != "" {
			from = c.T("bill.as_dear", "source", from)
		}
		x.Inputs = append(x.Inputs, ExplainedInput{
			Name: inputName(c, l, in), Value: v, Origin: origin(c, in.Status), Source: from, Also: also(c, in),
		})
		if !seen[in.Name] {
			seen[in.Name] = true
			pairs = append(pairs, in.Name, v)
		}
	}
	if l.Formula != "" {
		x.Formula = rateSeen(c, l, told(c.T("bill.formula."+l.Formula, pairs...)), pairs)
	}
	if l.Rule != "" {
		x.Rule = c.T("term." + l.Rule)
		x.Origin = ruleOrigin(c, b, l)
	}
	return x
}

// ruleOrigin says where a line's rule is known from. A rule that is no number,
// such as from when on the provider bills, is no input of the formula: what it
// says, and what other pages say of it, stands here.
func ruleOrigin(c *texts.Catalogue, b Bill, l Line) string {
	rule := offer.TermID(l.Rule)
	s := source(c, l.Source, l.Date, l.Mark)
	if s == "" {
		s = origin(c, b.Offer.Term(rule).Status)
	}
	if said(b, rule) {
		s = join(c, []string{valueText(c, b, rule, b.Offer.Term(rule)), s}) + others(c, b, rule)
	}
	if l.ID != LineStopped {
		return s
	}
	// Each component has a rule of its own; what pages disagree on is told of all.
	for _, id := range []offer.TermID{offer.StopCompute, offer.StopSystemDisk, offer.StopDataDisk, offer.StopIP, offer.StopBandwidth} {
		if t := b.Offer.Term(id); id != rule && said(b, id) && len(t.Also) > 0 {
			s = c.T("bill.else", "a", s, "b", join(c, []string{
				c.Say(id.Name()), valueText(c, b, id, t), source(c, t.Source, t.Date, t.Mark),
			})) + others(c, b, id)
		}
	}
	return s
}

// said reports whether a term is a yes or no or a choice, and somebody says which.
func said(b Bill, id offer.TermID) bool {
	d, ok := offer.DefOf(id)
	return ok && (d.Kind == offer.KindFlag || d.Kind == offer.KindChoice) && b.Offer.Term(id).Status != offer.Unknown
}

func valueText(c *texts.Catalogue, b Bill, id offer.TermID, t offer.Term) string {
	d, _ := offer.DefOf(id)
	return d.ValueText(c, t.Value, b.Offer.Currency)
}

// others is what other pages say of a term, behind a sign that parts it.
func others(c *texts.Catalogue, b Bill, id offer.TermID) string {
	s := ""
	for _, a := range b.Offer.Term(id).Also {
		other := join(c, []string{valueText(c, b, id, a), source(c, a.Source, a.Date, a.Mark)})
		s = c.T("bill.else", "a", s, "b", c.T("bill.md.also", "value", other))
	}
	return s
}

// unscaled says the amount as the line's formula gives it: before it was turned
// into the sheet's currency, and before the long run of a mixed bill was
// counted at the chance that it happens. What it returns beside puts those behind
// the formula.
func unscaled(c *texts.Catalogue, b Bill, l Line) (string, func(string) string) {
	amount := AmountText(c, l, b.Currency)
	share, rate := one, one
	if b.Mixed && l.ID != LineValidation {
		share = one.Sub(b.FailShare)
	}
	if b.RateDate != "" && l.ID != LineOps && l.ID != LineUnknown && l.ID != LineValidation {
		rate = b.Rate
	}
	if l.Hours != nil || share.Sign() <= 0 || rate.Sign() <= 0 || share.Cmp(one) == 0 && rate.Cmp(one) == 0 {
		return amount, func(s string) string { return s }
	}
	cur := b.Currency
	if rate.Cmp(one) != 0 {
		cur = b.Offer.Currency
	}
	raw := MoneyBand(c, l.Amount.Times(one.Quo(share.Mul(rate))), cur)
	return raw, func(s string) string {
		if rate.Cmp(one) != 0 {
			s = c.T("bill.times_rate", "formula", s, "rate", plain(rate, 6), "from", string(cur), "to", string(b.Currency), "amount",
				MoneyBand(c, l.Amount.Times(one.Quo(share)), b.Currency))
		}
		if share.Cmp(one) != 0 {
			s = c.T("bill.times_share", "formula", s, "share", percentText(share), "amount", amount)
		}
		return s
	}
}

// AmountText says a line's amount, or its hours where an hour has no price.
func AmountText(c *texts.Catalogue, l Line, cur money.Currency) string {
	if l.Hours != nil {
		return c.T("bill.own_hours", "h", hoursText(l.Hours.Point)(c))
	}
	return MoneyBand(c, l.Amount, cur)
}

// inputName is what an input is called. What unknown terms could add is listed
// by term.
func inputName(c *texts.Catalogue, l Line, in Input) string {
	if l.ID == LineUnknown {
		return c.T("term." + in.Name)
	}
	return c.T("bill.input." + in.Name)
}

func origin(c *texts.Catalogue, s offer.Status) string {
	switch s {
	case Estimated, Reckoned, Measured, Usual:
		return c.T("bill.origin." + string(s))
	case "":
		s = offer.Unknown
	}
	return c.T("offer.status." + string(s))
}

// source says where something is known from: "console.md, 2026-10-02, a third
// party's account".
func source(c *texts.Catalogue, from, date string, mark offer.Mark) string {
	if date == offer.Undated {
		date = c.T("bill.undated")
	}
	whose := ""
	if mark != "" {
		whose = c.T("offer.mark." + string(mark))
	}
	return join(c, []string{from, date, whose})
}

// join puts texts behind one another; empty ones are left out.
func join(c *texts.Catalogue, parts []string) string {
	s := ""
	for _, p := range parts {
		switch {
		case p == "":
		case s == "":
			s = p
		default:
			s = c.T("bill.join", "a", s, "b", p)
		}
	}
	return s
}

func also(c *texts.Catalogue, in Input) []string {
	var all []string
	for _, t := range in.Also {
		value := t.Value
		if v, err := money.Parse(value); err == nil {
			value = inputText(c, Input{Value: money.Sure(v), Unit: in.Unit, Status: offer.Known})
		}
		all = append(all, join(c, []string{value, source(c, t.Source, t.Date, t.Mark)}))
	}
	return all
}

// inputText says a number with its unit: "1.88 an hour", "36 to 48 h".
func inputText(c *texts.Catalogue, in Input) string {
	if in.Status == offer.Unknown && in.Value.IsZero() {
		return c.T("offer.status.unknown")
	}
	cur, per, _ := strings.Cut(in.Unit, "/")
	if m := money.Currency(cur); m.Valid() {
		if per == "" {
			return MoneyBand(c, in.Value, m)
		}
		s := Price(c, in.Value.High, m)
		if in.Value.Wide() {
			s = c.T("format.band", "low", Price(c, in.Value.Low, m), "high", s)
		}
		return c.T("bill.per."+strings.ReplaceAll(strings.ToLower(per), "·", "_"), "amount", s)
	}
	say := digits
	if in.Value.Wide() && in.Status != offer.Known && in.Status != offer.Told {
		say = tidyRat // nobody reckons along with an estimate's fourth digit
	}
	s := say(in.Value.High)
	if l := say(in.Value.Low); l != s {
		s = c.T("format.band", "low", l, "high", s)
	}
	if in.Unit == "1/h" {
		return c.T("bill.times_h", "n", s)
	}
	return texts.WithUnit(s, texts.Unit(c, in.Unit))
}

// digits says an input with enough digits to reckon along.
func digits(v money.Rat) string {
	if a := v.Max(v.Neg()); a.Cmp(money.Int(1000)) < 0 {
		return plain(v, 4)
	}
	return plain(v, 2)
}

// rounding says what was rounded where. Amounts are kept exact: only the page
// rounds, so the sum of shown lines may differ from the shown total by a cent.
func rounding(c *texts.Catalogue, b Bill, l Line) string {
	scale := money.Frac(1, pow10(b.Currency.Scale()))
	unit := Price(c, scale, b.Currency)
	key := "bill.rounding.shown"
	if l.Formula == "settlement" {
		key = "bill.rounding.settlement"
	}
	s := c.T(key, "exact", exactText(l.Amount.Point), "unit", unit)
	if b.RateDate != "" {
		s = c.T("bill.rounding.rate", "rounding", s, "date", b.RateDate)
	}
	return s
}

func pow10(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

// exactText is the whole number behind what is shown: its decimals where they
// end, else the fraction, else 15 digits.
func exactText(v money.Rat) string {
	s := v.String()
	if f := v.Fraction(); strings.Contains(f, "/") && len(f) <= 24 && len(s) > 12 {
		return f
	}
	return s
}
