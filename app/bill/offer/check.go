package offer

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"rentgen/app/money"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// Bounds of what is taken.
const (
	maxCount = 1000
	maxCards = 64
	maxName  = 200  // characters
	maxNote  = 4000 // characters
)

// Check returns what is wrong with the offer, each with its field, value and
// what is allowed. A missing price or an unknown term is no error: the bill says
// so.
func (o Offer) Check() []*InputError {
	c := &checker{}
	c.text("name", o.Name, maxName, true)
	c.text("note", o.Note, maxNote, false)
	f := o.Filled()
	if _, ok := provider.Find(o.Provider); o.Provider != "" && !ok {
		c.add("provider", o.Provider, texts.P("offer.allowed.provider", "list", strings.Join(nearest(ids(), o.Provider), ", ")))
	}
	if !f.Currency.Valid() {
		c.add("currency", string(f.Currency), texts.P("offer.allowed.currency"))
	}
	c.whole("count", f.Count, maxCount)
	c.whole("cards", f.Cards, maxCards)
	c.text("card.name", o.Card.Name, maxName, true)
	choose(c, "card.part", f.Card.Part, Parts())
	if v := o.Card.VRAM; v != nil && !(*v > 0 && *v < 1e9) {
		c.add("card.vram_mib", strconv.FormatFloat(*v, 'f', -1, 64), texts.P("offer.allowed.positive"))
	}
	choose(c, "machine", f.Machine, Machines())
	c.payment(o.Payment)
	for _, id := range slices.Sorted(maps.Keys(o.Terms)) {
		c.term(id, o.Terms[id])
	}
	return c.errs
}

type checker struct{ errs InputErrors }

func (c *checker) add(field, value string, allowed texts.Phrase) {
	c.errs = append(c.errs, &InputError{Field: field, Value: value, Allowed: allowed})
}

func (c *checker) text(field, s string, most int, needed bool) {
	if needed && strings.TrimSpace(s) == "" {
		c.add(field, s, texts.P("offer.allowed.text", "most", most))
		return
	}
	bad := strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) && (r != '\n' || field != "note") || r == utf8.RuneError
	})
	if bad || !utf8.ValidString(s) || utf8.RuneCountInString(s) > most {
		c.add(field, s, texts.P("offer.allowed.text", "most", most))
	}
}

func (c *checker) whole(field string, n, most int) {
	if n < 1 || n > most {
		c.add(field, strconv.Itoa(n), texts.P("offer.allowed.from_to", "low", 1, "high", most))
	}
}

func choose[T ~string](c *checker, field string, v T, options []T) {
	if !slices.Contains(options, v) {
		c.add(field, string(v), oneOf(options))
	}
}

func (c *checker) payment(p Payment) {
	choose(c, "payment.unit", p.Unit, Units())
	money0 := texts.P("offer.allowed.money")
	notBelow := func(field string, v money.Rat, allowed texts.Phrase) {
		if v.Sign() < 0 {
			c.add("payment."+field, v.String(), allowed)
		}
	}
	notBelow("price", p.Price, money0)
	notBelow("hours", p.Hours, texts.P("offer.allowed.number"))
	notBelow("draw_per_hour", p.DrawPerHour, texts.P("offer.allowed.number"))
	notBelow("units", p.Units, texts.P("offer.allowed.number"))
	if p.IncludedHours != nil {
		notBelow("included_hours", *p.IncludedHours, texts.P("offer.allowed.number"))
	}
	if p.Overage != nil {
		notBelow("overage", *p.Overage, money0)
	}
	needs := func(field string, v money.Rat) {
		if v.IsZero() {
			c.add("payment."+field, "", texts.P("offer.allowed.positive"))
		}
	}
	if p.Unit == Pack {
		needs("hours", p.Hours)
	}
	if p.Unit == Quota {
		needs("draw_per_hour", p.DrawPerHour)
		needs("units", p.Units)
	}
}

func (c *checker) term(id TermID, t Term) {
	field := "terms." + string(id)
	d, ok := DefOf(id)
	if !ok {
		c.add(field, t.Value, among(termIDs(), string(id)))
		return
	}
	choose(c, field+".status", t.Status, Statuses())
	if t.Status == Unknown && t.Value == "" {
		c.origin(field, t)
		return
	}
	if d.Check(t.Value) != nil {
		c.add(field, t.Value, d.Allowed())
	}
	c.origin(field, t)
	for i, a := range t.Also {
		at := field + ".also[" + strconv.Itoa(i) + "]"
		choose(c, at+".status", a.Status, Statuses())
		if d.Check(a.Value) != nil {
			c.add(at, a.Value, d.Allowed())
		}
		if len(a.Also) > 0 {
			c.add(at+".also", strconv.Itoa(len(a.Also)), texts.P("offer.allowed.nothing"))
		}
		c.origin(at, a)
	}
}

var dateForm = regexp.MustCompile(`^\d{4}-\d{2}(-\d{2})?$`)

// origin checks where a term is known from.
func (c *checker) origin(field string, t Term) {
	c.text(field+".source", t.Source, maxName, t.Status == Known)
	if t.Mark != "" {
		choose(c, field+".mark", t.Mark, Marks())
	}
	if t.Date == "" && t.Status != Known || t.Date == Undated {
		return
	}
	layout := time.DateOnly
	if len(t.Date) == len("2006-01") {
		layout = "2006-01"
	}
	if _, err := time.Parse(layout, t.Date); err != nil || !dateForm.MatchString(t.Date) {
		c.add(field+".date", t.Date, texts.P("offer.allowed.date"))
	}
}

func ids() []string {
	var all []string
	for _, r := range provider.All() {
		all = append(all, r.ID)
	}
	return all
}
