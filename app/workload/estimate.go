package workload

import (
	"strings"

	"rentgen/assets/texts"
)

// Estimate answers everything about a job: VRAM by phase, every card of the
// catalogue, seconds, disk over a span of days. What the user measured for this
// job on a card replaces the estimate of that card.
func (c *Catalogue) Estimate(j Job, u Use, days int, measured []Measured) Answer {
	j = c.Filled(j)
	p := c.Peaks(j)
	a := Answer{
		Job: j, VRAM: p.Whole, Phases: p.Phases, Peak: p.Peak, Levers: c.Levers(j),
		Disk: c.DiskOf(j, u, days), Thin: p.Thin, Rows: p.Rows, Unproved: p.Unproved,
	}
	mine := latest(measured, j.Key())
	for _, card := range c.cards {
		a.Cards = append(a.Cards, c.answerOn(j, p, card, mine[strings.ToLower(card.Name)]))
	}
	a.Notes = c.notes(j, p)
	return a
}

// EstimateOn is the answer for one card, which may be none of the catalogue's:
// a slice, a board with other memory, one whose VRAM others hold a part of.
func (c *Catalogue) EstimateOn(j Job, card Card, othersMiB float64, measured []Measured) CardAnswer {
	j = c.Filled(j)
	m := latest(measured, j.Key())[strings.ToLower(card.Name)]
	a := c.answerOn(j, c.Peaks(j), card, m)
	if othersMiB > 0 {
		fit := c.FitOn(j, c.Peaks(j), card, othersMiB)
		a.UsableMiB, a.Fit, a.Why = fit.UsableMiB, fit.Fit, fit.Why
		if m.PeakMiB != nil {
			c.measuredFit(&a, j)
		}
	}
	return a
}

// latest picks the figures of a job by card in lower case: of several the last
// that has the figure.
func latest(measured []Measured, key string) map[string]Measured {
	out := map[string]Measured{}
	for _, m := range measured {
		if m.Job != key {
			continue
		}
		k := strings.ToLower(m.Card)
		have := out[k]
		if m.PeakMiB != nil && *m.PeakMiB > 0 {
			have.PeakMiB = m.PeakMiB
		}
		if m.SecondsPerPic != nil && *m.SecondsPerPic > 0 {
			have.SecondsPerPic = m.SecondsPerPic
		}
		out[k] = have
	}
	return out
}

// answerOn joins the fit and the speed of a card with what was measured there.
func (c *Catalogue) answerOn(j Job, p Peaks, card Card, m Measured) CardAnswer {
	a := c.FitOn(j, p, card, 0)
	if m.PeakMiB != nil {
		v := *m.PeakMiB / 1024
		a.Peak, a.PeakOrigin = Band{v, v, v}, MeasuredBy
		c.measuredFit(&a, j)
	}
	b, thin, known := c.Seconds(j, card)
	a.Thin = a.Thin || thin
	switch {
	case m.SecondsPerPic != nil:
		v := *m.SecondsPerPic
		a.Seconds, a.SecondsOrigin = Band{v, v, v}, MeasuredBy
	case known:
		a.Seconds, a.SecondsOrigin = b, Estimated
	default:
		a.SecondsOrigin = Unknown
	}
	if a.Seconds.Point > 0 {
		a.PerHour = 3600 / a.Seconds.Point
	}
	if a.Fit == Offload {
		a.OffloadSeconds = c.OffloadSeconds(j, card)
	}
	return a
}

// measuredFit judges a card by a measured peak: it ran there.
func (c *Catalogue) measuredFit(a *CardAnswer, j Job) {
	room := a.UsableMiB / 1024
	c.judge(a, j, a.Peak.Point)
	if a.Fit == Fits {
		a.Why = texts.P("fit.why.measured", "peak", gibText(a.Peak.Point), "usable", gibText(room))
	}
}

// notes say what the answer rests on where it rests on little.
func (c *Catalogue) notes(j Job, p Peaks) []texts.Phrase {
	if !p.Known {
		return []texts.Phrase{texts.P("fit.note.unknown", "model", j.Model)}
	}
	var out []texts.Phrase
	r, _ := c.usual(j, nil)
	if r.m.Thin {
		out = append(out, texts.P("fit.note.thin", "model", r.m.Name, "rows", texts.Count(int64(p.Rows))))
	}
	if j.Kind.Training() {
		out = append(out, texts.P("fit.note.training"))
	}
	if j.ControlNets > 0 || j.IPAdapter > 0 || j.Upscaler != nil || j.Hires != nil {
		out = append(out, texts.P("fit.note.parts"))
	}
	if decides, _ := r.ownTiling(); decides {
		out = append(out, texts.P("fit.note.own_tiling"))
	}
	if len(p.Unproved) > 0 {
		out = append(out, texts.P("fit.note.unproved", "parts", strings.Join(p.Unproved, ", ")))
	}
	for _, n := range p.Phases {
		if n.Phase == Loading && p.Peak == Loading {
			out = append(out, texts.P("fit.note.loading"))
		}
	}
	return out
}
