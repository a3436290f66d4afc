package offer

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// Decode reads an offer from a YAML mapping. Unknown keys are errors, and so is
// whatever stands there wrong; what is missing isn't, so that an offer can be
// kept before it is finished. The error is an InputErrors: everything that is
// wrong, each with its line and column.
func Decode(n *yaml.Node) (Offer, error) { return decodeOffer(n, false) }

// DecodeWhole is Decode of an offer that must be finished: a missing name, card,
// machine or unit is an error too.
func DecodeWhole(n *yaml.Node) (Offer, error) { return decodeOffer(n, true) }

func decodeOffer(n *yaml.Node, whole bool) (Offer, error) {
	d := &decoder{at: map[string]*yaml.Node{}}
	o := d.offer(n)
	if len(d.errs) == 0 {
		d.check(o, whole)
	}
	return o, d.errs.or()
}

type decoder struct {
	errs InputErrors
	at   map[string]*yaml.Node // where a field was read
	top  *yaml.Node
}

// maxErrors bounds what is said of one offer.
const maxErrors = 50

func (d *decoder) add(field string, n *yaml.Node, allowed texts.Phrase) {
	if len(d.errs) >= maxErrors {
		return
	}
	value := n.Value
	switch n.Kind {
	case yaml.MappingNode:
		value = "{…}"
	case yaml.SequenceNode:
		value = "[…]"
	}
	d.errs = append(d.errs, &InputError{Field: field, Value: value, Allowed: allowed, Line: n.Line, Column: n.Column})
}

// check says where in the file each of the offer's faults stands: at its field,
// else at the nearest one around it.
func (d *decoder) check(o Offer, whole bool) {
	for _, e := range o.Check() {
		if e.Value == "" && !whole {
			continue
		}
		n := d.top
		for f := e.Field; f != ""; {
			if at := d.at[f]; at != nil {
				n = at
				break
			}
			f = f[:max(strings.LastIndexByte(f, '.'), 0)]
		}
		e.Line, e.Column = n.Line, n.Column
		d.errs = append(d.errs, e)
	}
}

// follow returns what an alias stands for.
func follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// mapping calls f with each key's value; f says whether it knows the key.
func (d *decoder) mapping(field string, n *yaml.Node, f func(key string, v *yaml.Node) bool, known []string) {
	n = follow(n)
	d.at[field] = n
	if n.Kind != yaml.MappingNode {
		d.add(field, n, texts.P("offer.allowed.mapping", "list", strings.Join(nearest(known, ""), ", ")))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content) && len(d.errs) < maxErrors; i += 2 {
		k := n.Content[i]
		key := k.Value
		name := join(field, key)
		switch {
		case k.Kind != yaml.ScalarNode || seen[key]:
			d.add(name, k, texts.P("offer.allowed.once"))
		case !f(key, follow(n.Content[i+1])):
			d.add(name, k, among(known, key))
		}
		seen[key] = true
	}
}

func join(field, key string) string {
	if field == "" {
		return key
	}
	return field + "." + key
}

// word reads a scalar's text without the blanks around it.
func (d *decoder) word(field string, v *yaml.Node, allowed texts.Phrase) (string, bool) {
	d.at[field] = v
	if v.Kind != yaml.ScalarNode || v.Tag == "!!null" || v.Tag == "!!binary" {
		d.add(field, v, allowed)
		return "", false
	}
	return tidied(v.Value), true
}

// tidied drops blanks at the ends and writes line ends in one way.
func tidied(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"))
}

func (d *decoder) text(field string, v *yaml.Node) string {
	s, _ := d.word(field, v, texts.P("offer.allowed.text", "most", maxName))
	return s
}

func (d *decoder) rat(field string, v *yaml.Node, allowed texts.Phrase) money.Rat {
	s, ok := d.word(field, v, allowed)
	if !ok {
		return money.Rat{}
	}
	r, err := parse(s)
	if err != nil {
		d.add(field, v, allowed)
	}
	return r
}

func (d *decoder) whole(field string, v *yaml.Node, most int) int {
	allowed := texts.P("offer.allowed.from_to", "low", 1, "high", most)
	s, ok := d.word(field, v, allowed)
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > most {
		d.add(field, v, allowed)
		return 0
	}
	return n
}

func (d *decoder) flag(field string, v *yaml.Node) bool {
	s, ok := d.word(field, v, texts.P("offer.allowed.flag"))
	if ok && s != "true" && s != "false" {
		d.add(field, v, texts.P("offer.allowed.flag"))
	}
	return s == "true"
}

var (
	offerKeys   = []string{"name", "provider", "currency", "count", "cards", "card", "machine", "payment", "terms", "hidden", "example", "note"}
	cardKeys    = []string{"name", "part", "vram_mib", "guaranteed"}
	paymentKeys = []string{"unit", "price", "hours", "included_hours", "overage", "draw_per_hour", "units"}
	termKeys    = []string{"value", "status", "source", "date", "mark", "also"}
)

func (d *decoder) offer(n *yaml.Node) Offer {
	d.top = follow(n)
	o := Offer{Count: 1, Cards: 1}
	d.mapping("", n, func(key string, v *yaml.Node) bool {
		switch key {
		case "name":
			o.Name = d.text(key, v)
		case "provider":
			o.Provider = d.text(key, v)
		case "currency":
			o.Currency = money.Currency(d.text(key, v))
		case "count":
			o.Count = d.whole(key, v, maxCount)
		case "cards":
			o.Cards = d.whole(key, v, maxCards)
		case "card":
			o.Card = d.card(v)
		case "machine":
			o.Machine = Machine(d.text(key, v))
		case "payment":
			o.Payment = d.payment(v)
		case "terms":
			o.Terms = d.terms(v)
		case "hidden":
			o.Hidden = d.flag(key, v)
		case "example":
			o.Example = d.flag(key, v)
		case "note":
			o.Note, _ = d.word(key, v, texts.P("offer.allowed.text", "most", maxNote))
		default:
			return false
		}
		return true
	}, offerKeys)
	return o
}

func (d *decoder) card(n *yaml.Node) Card {
	if n.Kind == yaml.ScalarNode {
		return Card{Name: d.text("card", n), Part: Whole}
	}
	c := Card{Part: Whole}
	d.mapping("card", n, func(key string, v *yaml.Node) bool {
		field := "card." + key
		switch key {
		case "name":
			c.Name = d.text(field, v)
		case "part":
			c.Part = Part(d.text(field, v))
		case "vram_mib":
			mib := d.rat(field, v, texts.P("offer.allowed.positive")).Float64()
			c.VRAM = &mib
		case "guaranteed":
			c.Guaranteed = d.flag(field, v)
		default:
			return false
		}
		return true
	}, cardKeys)
	return c
}

func (d *decoder) payment(n *yaml.Node) Payment {
	var p Payment
	number := texts.P("offer.allowed.number")
	d.mapping("payment", n, func(key string, v *yaml.Node) bool {
		field := "payment." + key
		switch key {
		case "unit":
			p.Unit = Unit(d.text(field, v))
		case "price":
			p.Price = d.rat(field, v, texts.P("offer.allowed.money"))
		case "hours":
			p.Hours = d.rat(field, v, number)
		case "included_hours":
			h := d.rat(field, v, number)
			p.IncludedHours = &h
		case "overage":
			r := d.rat(field, v, texts.P("offer.allowed.money"))
			p.Overage = &r
		case "draw_per_hour":
			p.DrawPerHour = d.rat(field, v, number)
		case "units":
			p.Units = d.rat(field, v, number)
		default:
			return false
		}
		return true
	}, paymentKeys)
	return p
}

func (d *decoder) terms(n *yaml.Node) map[TermID]Term {
	terms := map[TermID]Term{}
	d.mapping("terms", n, func(key string, v *yaml.Node) bool {
		def, ok := DefOf(TermID(key))
		if ok {
			terms[def.ID] = d.term("terms."+key, v, def, true)
		}
		return ok
	}, termIDs())
	if len(terms) == 0 {
		return nil
	}
	return terms
}

// term reads a term: a value that was typed, the word unknown, or a mapping.
// Only the outer one can have contradicting pages.
func (d *decoder) term(field string, n *yaml.Node, def Def, outer bool) Term {
	if n.Kind == yaml.ScalarNode {
		s, _ := d.word(field, n, def.Allowed())
		if s == string(Unknown) || s == "?" {
			return Term{Status: Unknown}
		}
		return Term{Value: s, Status: Typed}
	}
	var t Term
	d.mapping(field, n, func(key string, v *yaml.Node) bool {
		at := field + "." + key
		switch key {
		case "value":
			t.Value, _ = d.word(at, v, def.Allowed())
			d.at[field] = v
		case "status":
			t.Status = Status(d.text(at, v))
		case "source":
			t.Source = d.text(at, v)
		case "date":
			t.Date = d.text(at, v)
		case "mark":
			t.Mark = Mark(d.text(at, v))
		case "also":
			if !outer || v.Kind != yaml.SequenceNode {
				d.add(at, v, texts.P("offer.allowed.list"))
				return true
			}
			d.at[at] = v
			for i, c := range v.Content {
				t.Also = append(t.Also, d.term(at+"["+strconv.Itoa(i)+"]", follow(c), def, false))
			}
		default:
			return false
		}
		return true
	}, termKeys)
	t.Status = t.implied()
	return t
}

// implied is the status of a term that was read without one.
func (t Term) implied() Status {
	switch {
	case t.Status != "":
		return t.Status
	case t.Value == "":
		return Unknown
	case t.Source != "":
		return Known
	}
	return Typed
}
