package offer

import (
	"strings"

	"rentgen/app/money"
	"rentgen/assets/texts"
)

// Name is what the page calls the term.
func (id TermID) Name() texts.Phrase { return texts.P("term." + string(id)) }

// Help is a line on what the term means.
func (id TermID) Help() texts.Phrase { return texts.P("term.help." + string(id)) }

// Question asks the provider about the term.
func (id TermID) Question() texts.Phrase { return texts.P("question." + string(id)) }

// Name is what the page calls the group.
func (g Group) Name() texts.Phrase { return texts.P("term.group." + string(g)) }

// OptionName is what the page calls an option of a choice.
func (d Def) OptionName(option string) texts.Phrase {
	return texts.P("term.option." + string(d.ID) + "." + option)
}

// UnitName is the term's unit as the page says it, "¥/(GB·month)" without its
// currency; the zero phrase for none.
func (d Def) UnitName() texts.Phrase {
	key, ok := map[string]string{
		"s": "s", "h": "h", "min": "min", "d": "d", "GB": "gb", "Mbps": "mbps", "MB/s": "mb_s", "1/h": "per_h",
		"GB·month": "gb_month", "GB·day": "gb_day", "month": "month",
	}[d.Unit]
	if !ok {
		return texts.Phrase{}
	}
	if d.Kind == KindMoney {
		return texts.P("term.per." + key)
	}
	return texts.P("term.unit." + key)
}

// Name is what the page calls the unit of payment.
func (u Unit) Name() texts.Phrase { return texts.P("offer.unit." + string(u)) }

// Per is how a price in the unit is said: "a month".
func (u Unit) Per() texts.Phrase { return texts.P("offer.per." + string(u)) }

// Name is what the page calls the machine.
func (m Machine) Name() texts.Phrase { return texts.P("offer.machine." + string(m)) }

// Name is what the page calls the part of a card.
func (p Part) Name() texts.Phrase { return texts.P("offer.part." + string(p)) }

// Name is what the page calls the status.
func (s Status) Name() texts.Phrase { return texts.P("offer.status." + string(s)) }

// Name is what the page calls the mark.
func (m Mark) Name() texts.Phrase { return texts.P("offer.mark." + string(m)) }

// When is the date of the term's page as the page says it, the zero phrase for
// none.
func (t Term) When() texts.Phrase {
	switch t.Date {
	case "":
		return texts.Phrase{}
	case Undated:
		return texts.P("offer.undated")
	}
	return texts.P("offer.date", "date", t.Date)
}

// ValueText is a value of the term as the page says it: "¥0.0066 a GB and day",
// "360 h", "yes", or the name of an option. A value that the definition doesn't
// take is returned as it stands.
func (d Def) ValueText(c *texts.Catalogue, value string, currency money.Currency) string {
	if d.Check(value) != nil {
		return value
	}
	switch d.Kind {
	case KindFlag:
		if value == "true" {
			return c.T("term.yes")
		}
		return c.T("term.no")
	case KindChoice:
		return c.Say(d.OptionName(value))
	}
	v, err := parse(value)
	if err != nil {
		return value
	}
	_, decimals, _ := strings.Cut(v.String(), ".")
	n := texts.Number(v.Float64(), len(decimals))
	unit := c.Say(d.UnitName())
	if d.Kind == KindMoney {
		n = currency.Sign() + n
		if unit != "" {
			return n + " " + unit
		}
	}
	return texts.WithUnit(n, unit)
}
