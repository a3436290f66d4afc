package offer

import "rentgen/assets/texts"

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
