package day

import (
	"strconv"
	"time"

	"rentgen/app/guide/keep"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// Part is something that a provider bills, and whether it goes on after a stop.
type Part struct {
	ID string // "compute", "system_disk", "data_disk", "ip", "bandwidth"
	// Bills is nil where no page says, or where pages differ.
	Bills   *bool
	Differs bool
	Said    []provider.Said // of each page
}

// Says puts it in words.
func (p Part) Says() texts.Phrase {
	state := "unknown"
	switch {
	case p.Differs:
		state = "differs"
	case p.Bills != nil && *p.Bills:
		state = "on"
	case p.Bills != nil:
		state = "off"
	}
	return texts.P("day.bills."+state, "part", texts.P("day.part."+p.ID))
}

// parts are what may be billed, in the order of bills.
var parts = []string{"compute", "system_disk", "data_disk", "ip", "bandwidth"}

// BillsOn says of each part whether it goes on billing while stopped.
func BillsOn(p provider.Profile) []Part {
	r, _ := p.Rules()
	var l []Part
	for _, id := range parts {
		part := Part{ID: id}
		if t, ok := r.Terms["stop_bills_"+id]; ok {
			part.Said = append(part.Said, said(t))
			v, err := strconv.ParseBool(t.Value)
			for _, a := range t.Also {
				part.Said = append(part.Said, said(a))
				part.Differs = part.Differs || a.Value != t.Value
			}
			if err == nil && !part.Differs {
				part.Bills = &v
			}
		}
		l = append(l, part)
	}
	return l
}

func said(t provider.Term) provider.Said {
	return provider.Said{Source: t.Source, Date: t.Date, Mark: t.Mark}
}

// GuestShutdown says whether a shutdown from inside ends billing; nil where no
// page says.
func GuestShutdown(p provider.Profile) (*bool, provider.Said) {
	r, _ := p.Rules()
	t, ok := r.Terms["guest_shutdown_stops_billing"]
	if !ok || len(t.Also) > 0 {
		return nil, provider.Said{}
	}
	v, err := strconv.ParseBool(t.Value)
	if err != nil {
		return nil, provider.Said{}
	}
	return &v, said(t)
}

// EveningParams is what the end of a day is made of.
type EveningParams struct {
	Profile provider.Profile
	// Queue is nil where ComfyUI could not be asked.
	Queue *Queue
	// New are the pictures that are not here yet; Listed says that it was looked.
	New    []Remote
	Listed bool
	Rows   []keep.Row
}

// Evening is where the user stands at the end of a day.
type Evening struct {
	Queue  *Queue
	New    int
	Bytes  int64 // of the new ones
	Listed bool
	// Verb is the console's own word for stopping; HasVerb is false where no page was
	// read.
	Verb    provider.Verb
	HasVerb bool
	Parts   []Part
	// Guest is whether a shutdown from inside ends billing, nil for unknown.
	Guest     *bool
	GuestSaid provider.Said
	// AtOnce are the rows with files that die with the stop; First is the first of the
	// others to die and when, zero where no page names a day.
	AtOnce []keep.Row
	First  keep.Row
	Dies   time.Time
}

// MakeEvening puts the end of a day together.
func MakeEvening(p EveningParams) Evening {
	e := Evening{Queue: p.Queue, New: len(p.New), Listed: p.Listed, Parts: BillsOn(p.Profile)}
	for _, f := range p.New {
		e.Bytes += f.Size
	}
	e.Verb, e.HasVerb = p.Profile.Verbs[provider.VerbStop]
	e.Guest, e.GuestSaid = GuestShutdown(p.Profile)
	for _, r := range p.Rows {
		c := r.At(provider.StopEvent)
		switch {
		case !r.Place.HasContent():
		case c.Fate == provider.Dies && c.Rule.Hours == 0:
			e.AtOnce = append(e.AtOnce, r)
		case !c.Dies.IsZero() && (e.Dies.IsZero() || c.Dies.Before(e.Dies)):
			e.First, e.Dies = r, c.Dies
		}
	}
	return e
}

// Ready reports whether nothing known stands against a stop.
func (e Evening) Ready() bool {
	return e.Queue != nil && e.Queue.Empty() && e.Listed && e.New == 0 && len(e.AtOnce) == 0
}

// Sentence says in one sentence whether the user can stop now, and how the
// console calls it.
func (e Evening) Sentence(l texts.Lang) texts.Phrase {
	verb := texts.P("day.verb.any")
	if e.HasVerb {
		verb = texts.P("day.verb.named", "verb", e.Verb.NameIn(l))
	}
	switch {
	case e.Queue != nil && !e.Queue.Empty():
		return texts.P("day.evening.busy", "n", e.Queue.Running+e.Queue.Pending)
	case e.New > 0:
		return texts.P("day.evening.new", "n", e.New, "size", texts.Bytes(float64(e.Bytes)))
	case len(e.AtOnce) > 0:
		return texts.P("day.evening.at_once", "n", len(e.AtOnce))
	case e.Queue == nil:
		return texts.P("day.evening.queue_unknown", "verb", verb)
	case !e.Listed:
		return texts.P("day.evening.not_listed", "verb", verb)
	case !e.Dies.IsZero():
		return texts.P("day.evening.ready_until", "verb", verb, "day", func(c *texts.Catalogue) string { return texts.DateYear(c, e.Dies) })
	}
	return texts.P("day.evening.ready", "verb", verb)
}
