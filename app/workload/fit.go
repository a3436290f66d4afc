package workload

import (
	"math"

	"rentgen/assets/texts"
)

// FitOn answers whether a job runs on a card on which others already hold
// othersMiB: fits where the top of the band lies under what is usable, tight
// where the bottom does, offload where it does once weights are moved to the
// machine's RAM. p is Peaks of the same job.
func (c *Catalogue) FitOn(j Job, p Peaks, card Card, othersMiB float64) CardAnswer {
	usable, known := usableMiB(card, othersMiB)
	a := CardAnswer{Card: card, UsableMiB: usable, UsableKnown: known, Peak: p.Whole, PeakOrigin: Estimated, Thin: p.Thin}
	if !p.Known {
		a.Fit, a.PeakOrigin = No, Unknown
		a.Why = texts.P("fit.why.unknown", "model", j.Model)
		return a
	}
	r, ok := c.usual(j, &card)
	if !ok {
		a.Fit, a.PeakOrigin = No, Unknown
		a.Why = texts.P("fit.why.unknown", "model", j.Model)
		return a
	}
	e := c.estimator()
	own := e.peaks(r)
	a.Peak = own.Whole
	c.judge(&a, j, own.FloorGiB)
	if a.Fit == Tight && othersMiB <= 0 {
		a.Peak = e.peaksOnCard(r).Whole
	}
	return a
}

// judge sets Fit and Why from the peak and what is usable. floor is the least
// the job needs, GiB.
func (c *Catalogue) judge(a *CardAnswer, j Job, floor float64) {
	room := a.UsableMiB / 1024
	switch {
	case a.Peak.High < room:
		a.Fit = Fits
		a.Why = texts.P("fit.why.fits", "free", gibText(room-a.Peak.High))
	case math.Min(a.Peak.Low, floor) < room:
		a.Fit = Tight
		a.Why = c.tightWhy(j, room, a.Peak)
	default:
		c.offloadWhy(a, j, room)
	}
}

// tightWhy names the first lever that makes the job fit.
func (c *Catalogue) tightWhy(j Job, room float64, peak Band) texts.Phrase {
	r, _ := c.usual(j, nil)
	for _, l := range levers {
		if l.id != "offload_sequential" && l.can(r) && c.Peaks(l.apply(j)).Whole.High < room {
			return texts.P("fit.why.tight_lever", "high", gibText(peak.High), "usable", gibText(room), "lever", texts.P("lever."+l.id))
		}
	}
	return texts.P("fit.why.tight", "high", gibText(peak.High), "usable", gibText(room))
}

// offloaded are the ways of moving weights to the machine's RAM, the fastest
// first; where that alone isn't enough, pictures are decoded in tiles as well.
var offloaded = []struct {
	way   string
	tiled bool
}{{"model", false}, {"model", true}, {"block", true}, {"sequential", false}, {"sequential", true}}

func (c *Catalogue) offloadWhy(a *CardAnswer, j Job, room float64) {
	a.Fit = No
	a.Why = texts.P("fit.why.no", "low", gibText(a.Peak.Low), "usable", gibText(room))
	if j.Offload != "" && j.Offload != "none" || j.Kind == Upscale {
		return
	}
	for _, o := range offloaded {
		k := j
		k.Offload = o.way
		key := "fit.why.offload"
		if o.tiled {
			k.VAETiling = yes(true)
			key = "fit.why.offload_tiled"
		}
		if j.Kind.Training() && o.way != "block" {
			continue
		}
		if p := c.Peaks(k); p.Known && p.Whole.Point < room {
			a.Fit = Offload
			a.Why = texts.P(key, "low", gibText(a.Peak.Low), "usable", gibText(room),
				"way", texts.P("lever.offload_"+o.way), "then", gibText(p.Whole.Point))
			return
		}
	}
}

// gibText is a size with one decimal.
func gibText(v float64) string { return texts.WithUnit(texts.Number(v, 1), "GiB") }
