package offer

import (
	"strconv"

	"go.yaml.in/yaml/v3"
	"rentgen/app/money"
)

// Encode writes the offer as Decode reads it; what is the usual is left out. It
// doesn't check: a plan keeps an offer that isn't finished. The error is always
// nil today.
func (o Offer) Encode() (*yaml.Node, error) {
	m := &mapper{}
	m.text("name", o.Name)
	m.text("provider", o.Provider)
	m.text("currency", string(o.Currency))
	m.plain("count", strconv.Itoa(max(o.Count, 1)))
	if o.Cards > 1 {
		m.plain("cards", strconv.Itoa(o.Cards))
	}
	m.node("card", o.Card.encode())
	m.text("machine", string(o.Machine))
	m.node("payment", o.Payment.encode())
	terms := &mapper{}
	for _, d := range Defs() {
		if t, ok := o.Terms[d.ID]; ok {
			terms.node(string(d.ID), t.encode(d))
		}
	}
	if len(terms.content) > 0 {
		m.node("terms", terms.mapping(0))
	}
	if o.Hidden {
		m.plain("hidden", "true")
	}
	if o.Example {
		m.plain("example", "true")
	}
	m.text("note", o.Note)
	return m.mapping(0), nil
}

func (c Card) encode() *yaml.Node {
	m := &mapper{}
	m.text("name", c.Name)
	part := c.Part
	if part == "" {
		part = Whole
	}
	m.text("part", string(part))
	if c.VRAM != nil {
		m.plain("vram_mib", strconv.FormatFloat(*c.VRAM, 'f', -1, 64))
	}
	if c.Guaranteed {
		m.plain("guaranteed", "true")
	}
	return m.mapping(yaml.FlowStyle)
}

func (p Payment) encode() *yaml.Node {
	m := &mapper{}
	m.text("unit", string(p.Unit))
	rat := func(key string, v money.Rat) {
		if !v.IsZero() {
			m.node(key, quoted(v.String()))
		}
	}
	rat("price", p.Price)
	rat("hours", p.Hours)
	if p.IncludedHours != nil {
		m.node("included_hours", quoted(p.IncludedHours.String()))
	}
	if p.Overage != nil {
		m.node("overage", quoted(p.Overage.String()))
	}
	rat("draw_per_hour", p.DrawPerHour)
	rat("units", p.Units)
	return m.mapping(yaml.FlowStyle)
}

func (t Term) encode(d Def) *yaml.Node {
	bare := t.Source == "" && t.Date == "" && t.Mark == "" && len(t.Also) == 0
	status := t.implied()
	switch {
	case bare && status == Unknown && t.Value == "":
		return scalar(string(Unknown))
	case bare && status == Typed:
		return t.value(d)
	}
	m := &mapper{}
	if t.Value != "" {
		m.node("value", t.value(d))
	}
	m.text("status", string(status))
	m.text("source", t.Source)
	m.text("date", t.Date)
	m.text("mark", string(t.Mark))
	if len(t.Also) > 0 {
		also := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, a := range t.Also {
			also.Content = append(also.Content, a.encode(d))
		}
		m.node("also", also)
		return m.mapping(0)
	}
	return m.mapping(yaml.FlowStyle)
}

// value is the term's value: money as text, so that no reader makes a float of
// it.
func (t Term) value(d Def) *yaml.Node {
	if d.Kind == KindMoney || d.Check(t.Value) != nil {
		return quoted(t.Value)
	}
	return scalar(t.Value)
}

// mapper collects the pairs of a mapping.
type mapper struct{ content []*yaml.Node }

func (m *mapper) node(key string, v *yaml.Node) { m.content = append(m.content, scalar(key), v) }

// text adds a word unless it is empty.
func (m *mapper) text(key, s string) {
	if s != "" {
		m.node(key, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s})
	}
}

func (m *mapper) plain(key, s string) { m.node(key, scalar(s)) }

func (m *mapper) mapping(style yaml.Style) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: style, Content: m.content}
}

func scalar(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }

func quoted(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: s}
}
