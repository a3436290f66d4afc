package guard

import (
	"math"
	"strconv"

	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// Eligibility says whether the stop guard may act on a provider's instances.
type Eligibility struct {
	OK     bool
	Action Action
	Say    texts.Phrase  // what ends the billing there, or why nothing does
	Said   provider.Said // where that was read; zero where no page says anything
	// Warn is what a stop costs there beside the time.
	Warn []texts.Phrase
	// Limit names the only hard limit: the console's own timer, or that none is
	// known.
	Limit texts.Phrase

	ports []int
}

// shutdownTerm is the rule about a shutdown from inside.
const shutdownTerm = "guest_shutdown_stops_billing"

// Eligible reads the rules of a profile. It is the closed world of what pages say:
// a provider that is not known, or of which no page says that a command ends the
// billing, is refused.
func Eligible(p provider.Profile) Eligibility {
	name := func(c *texts.Catalogue) string { return p.NameIn(c.Lang) }
	r, known := p.Rules()
	e := Eligibility{Limit: limit(p), Warn: warnings(p, r)}
	for _, s := range p.Services {
		if s.Port > 0 {
			e.ports = append(e.ports, s.Port)
		}
	}
	guest, said := r.Terms[shutdownTerm]
	switch c := p.StopCommand; {
	case !known:
		e.Say = texts.P("guard.cannot.unknown")
	case c != nil:
		e.OK, e.Action, e.Said = true, Action(c.Action), c.Said
		e.Say = texts.P("guard.can", "provider", name, "command", texts.P("guard.command."+c.Action), "source", c.Source, "date", dated(c.Date))
	case said && guest.Value == "false" && len(guest.Also) == 0:
		e.Said = provider.Said{Source: guest.Source, Date: guest.Date, Mark: guest.Mark}
		e.Say = texts.P("guard.cannot.guest", "provider", name, "source", guest.Source, "date", dated(guest.Date))
	default:
		e.Say = texts.P("guard.cannot.nothing", "provider", name)
	}
	return e
}

// dated is the date of a page, or that it bears none.
func dated(date string) any {
	if date == provider.Undated {
		return texts.P("guard.undated")
	}
	return date
}

func limit(p provider.Profile) texts.Phrase {
	v, ok := p.Verbs[provider.VerbTimer]
	if !ok {
		return texts.P("guard.limit.none")
	}
	return texts.P("guard.limit", "verb", func(c *texts.Catalogue) string { return v.NameIn(c.Lang) })
}

// warnings are what the rules say of a stopped instance.
func warnings(p provider.Profile, r provider.Rules) []texts.Phrase {
	var ws []texts.Phrase
	if t, ok := r.Terms["stop_keeps_gpu"]; ok && t.Value == "false" {
		ws = append(ws, texts.P("guard.warn.card"))
	}
	if h, _, ok := p.TermHours("wipe_after_stopped_h"); ok {
		if h == 0 {
			ws = append(ws, texts.P("guard.warn.wipe.now"))
		} else {
			ws = append(ws, texts.P("guard.warn.wipe", "h", strconv.FormatFloat(h, 'g', -1, 64)))
		}
	}
	if h, _, ok := p.TermHours("release_after_stopped_h"); ok {
		ws = append(ws, texts.P("guard.warn.release", "n", int(math.Floor(h/24))))
	}
	if t, ok := r.Terms["stop_bills_data_disk"]; ok && t.Value == "true" {
		ws = append(ws, texts.P("guard.warn.disk"))
	}
	return ws
}
