package workload

import (
	"math"
	"slices"
	"strings"
)

// Seconds returns how long a picture takes when the model is loaded: the share
// of one in a batch; a clip for video. It is thin where few measured rows speak
// of the card or of the model's family, and the band is wide then. Of a LoRA in
// training it is a step of the whole batch, wide and thin. It is not known where
// no source tells the card's rate or the operations of the model, and for other
// trainings.
func (c *Catalogue) Seconds(j Job, card Card) (b Band, thin, known bool) {
	j = c.Filled(j)
	terms, ok := c.termsOf(j, card)
	if !ok {
		return Band{}, true, false
	}
	spread, thin := c.spread(j, terms, card)
	if j.Kind.Training() {
		spread, thin = math.Hypot(spread, spreadTraining), true
	}
	return around(terms.seconds(fitted.constants.exp), spread), thin, true
}

// around is a point with a doubt in logarithms.
func around(point, spread float64) Band {
	f := math.Exp(spread)
	return Band{point / f, point, point * f}
}

// What offloading costs, as published: SD3 6.9 times (model, A100), FLUX.1 6.4
// times (sequential, RTX 4090), SDXL 5.9 times (sequential); the range of all
// rows is 2 to 30.
const (
	leastOffload = 2.0
	mostOffload  = 30.0
)

// OffloadSeconds returns how long a picture takes where the weights don't stay
// on the card: from moving whole components once to streaming them for each
// pass. The point is at least twice that of the loaded model, as no published
// pair differs by less; a long clip, whose operations outlast all moving, may
// take hardly longer than loaded, so the band begins there. It is zero where
// Seconds isn't known.
func (c *Catalogue) OffloadSeconds(j Job, card Card) Band {
	j = c.Filled(j)
	j.Offload = "none"
	all, _, known := c.Seconds(j, card)
	if !known {
		return Band{}
	}
	j.Offload = "model"
	once, _, _ := c.Seconds(j, card)
	j.Offload = "sequential"
	each, _, _ := c.Seconds(j, card)
	point := math.Sqrt(once.Point * each.Point)
	point = max(leastOffload*all.Point, min(mostOffload*all.Point, point))
	below, above := all.Point/all.Low, all.High/all.Point // the doubt of the loaded model stays
	least := max(all.Low, min(once.Low, each.Low))
	most := min(max(once.High, each.High), mostOffload*all.High)
	return Band{min(least, point/below), point, max(most, point*above)}
}

// Slice returns a part of a card: shares of its operations and of its bandwidth
// and memory. NVIDIA's MIG profile "3g.40gb" has 3 of 7 of the first.
func (c Card) Slice(operations, memory float64) Card {
	times := func(v *float64, f float64) *float64 {
		if v == nil {
			return nil
		}
		p := *v * f
		return &p
	}
	c.TFLOPS = times(c.TFLOPS, operations)
	c.BandwidthGB = times(c.BandwidthGB, memory)
	c.TotalMiB = times(c.TotalMiB, memory)
	c.NominalGB *= memory
	return c
}

// spread returns the doubt of an estimate in logarithms, and whether few rows
// stand behind it. Doubts of what has no rows join as independent errors do.
func (c *Catalogue) spread(j Job, s *speedTerms, card Card) (float64, bool) {
	t := fitted
	sum := sq(t.constants[spreadSource])
	thin := false
	if t.rows["card:"+card.Name] == 0 {
		sum += sq(t.constants[spreadCard])
		thin = t.rows["class:"+card.class()] < thinRows
	}
	f, _ := c.factsOf(j.Model)
	if t.rows["family:"+f.family()] < thinRows {
		sum += sq(t.constants[spreadFamily])
		thin = true
	}
	if card.BandwidthGB == nil {
		sum += sq(unseen)
	}
	for _, name := range s.names() {
		if strings.HasPrefix(name, "quant:") && strings.Count(name, "/") == 1 && t.rows[name] == 0 || slices.Contains(rare, name) && t.rows[name] == 0 {
			sum += sq(unseen)
			thin = true
		}
	}
	if j.Upscaler != nil || j.Hires != nil { // no row holds them
		sum += sq(unseen)
		thin = true
	}
	return math.Sqrt(sum), thin
}

// unseen is the doubt that a way to run adds when no row has it: the ways that
// have rows differ from plain running by less than a third mostly.
const unseen = 0.3

// rare are constants of ways to run that may have no row.
var rare = []string{"controlnet", "ip-adapter", "lora", "fbcache", "vae:video", "stream", "swap"}

func sq(v float64) float64 { return v * v }
