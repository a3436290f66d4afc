package plan

import (
	"strings"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/workload"
)

// usual are the seconds that the parts of a start take where neither the offer
// nor a measurement says: a container is queued for and its system image is
// pulled, a machine boots. They are our estimates, wide on purpose, and are
// shown as estimates; a queue of minutes or of tens of minutes is the
// difference that only measuring tells.
var usual = map[offer.Machine][]estimate{
	offer.Container: {{"queue", 0, 30, 1200}, {"boot", 10, 30, 120}, {"pull", 0, 60, 600}},
	offer.VM:        {{"queue", 0, 0, 300}, {"boot", 45, 90, 240}},
	offer.BareMetal: {{"queue", 0, 0, 300}, {"boot", 240, 480, 1800}},
}

type estimate struct {
	id               string
	low, point, high float64
}

// Speeds of a disk that nobody stated, in MB/s: a network disk at worst, a
// local solid-state disk at best.
const (
	slowDisk  = 100
	usualDisk = 500
	fastDisk  = 2000
)

// Parts of a picture's seconds that the first one takes beyond the later ones:
// kernels are chosen and compiled. At worst it takes twice as long.
const (
	firstPoint = 0.3
	firstHigh  = 1
)

// waitsOf are the parts of a start: what was measured for this job and card,
// else what the offer's terms say, else what is usual. Only queueing is taken
// to be free where nobody says from when on the provider bills.
func waitsOf(p Plan, fit workload.Answer, o offer.Offer, s speed) sheet.Waits {
	parts := usual[o.Machine]
	if parts == nil {
		parts = usual[offer.Container]
	}
	m := measuredOf(p, fit, o)
	var ws sheet.Waits
	for _, e := range parts {
		w := sheet.Wait{ID: e.id, Seconds: band(workload.Band{Low: e.low, Point: e.point, High: e.high}), Billed: e.id != "queue"}
		if e.id == "boot" && m.StartupSeconds != nil {
			w.Seconds, w.Measured = money.Sure(rat(*m.StartupSeconds)), true // from the click to ready, pull and load within
		}
		if e.id == "pull" && m.StartupSeconds != nil {
			continue
		}
		ws = append(ws, said(w, o, offer.TermID(e.id+"_s")))
	}
	if m.StartupSeconds == nil {
		ws = append(ws, said(loading(fit, o), o, offer.LoadWait))
	}
	ws = append(ws, first(o, s, m))
	if from, known, _ := o.Choice(offer.BilledFrom); known {
		for i := range ws {
			ws[i].Billed = sheet.Clocked(from, ws[i].ID)
		}
	}
	return ws
}

// said puts the offer's own figure in.
func said(w sheet.Wait, o offer.Offer, id offer.TermID) sheet.Wait {
	if b, t, ok := o.Rat(id); ok && !w.Measured {
		w.Seconds, w.Measured = b, t.Mark == offer.Seen
	}
	return w
}

// loading is reading the model from the disk.
func loading(fit workload.Answer, o offer.Offer) sheet.Wait {
	w := sheet.Wait{ID: "load", Billed: true}
	mb := fit.Disk.Persistent * 1000
	if mb <= 0 {
		w.Unknown = true
		return w
	}
	slow, mid, fast := float64(slowDisk), float64(usualDisk), float64(fastDisk)
	if b, _, ok := o.Rat(offer.DiskSpeed); ok && b.Low.Sign() > 0 {
		slow, mid, fast = b.Low.Float64(), b.Point.Float64(), b.High.Float64()
	}
	w.Seconds = band(workload.Band{Low: mb / fast, Point: mb / mid, High: mb / slow})
	return w
}

// first is what the first picture takes beyond the later ones, so that no
// second counts both as start and as busy.
func first(o offer.Offer, s speed, m workload.Measured) sheet.Wait {
	w := sheet.Wait{ID: "first", Billed: true}
	b := s.seconds
	if b.Point <= 0 {
		w.Unknown = true
		return w
	}
	if v := m.FirstPictureSecs; v != nil {
		w.Seconds, w.Measured = money.Sure(rat(*v-b.Point)), true
		return w
	}
	if v, t, ok := o.Rat(offer.FirstPicture); ok {
		beyond := func(r money.Rat) money.Rat { return r.Sub(rat(b.Point)).Max(money.Rat{}) }
		w.Seconds, w.Measured = money.Band{Low: beyond(v.Low), Point: beyond(v.Point), High: beyond(v.High)}, t.Mark == offer.Seen
		return w
	}
	w.Seconds = band(workload.Band{Point: firstPoint * b.Point, High: firstHigh * b.High})
	return w
}

// measuredOf is the latest measurement of the plan's job on the offer's card.
func measuredOf(p Plan, fit workload.Answer, o offer.Offer) workload.Measured {
	var m workload.Measured
	if o.Card.VRAM != nil {
		return m
	}
	key := fit.Job.Key()
	for _, x := range p.Measured {
		if strings.EqualFold(x.Card, o.Card.Name) && x.Job == key && x.Date >= m.Date {
			m = x
		}
	}
	return m
}

// billed is what a start adds to the rented time, in seconds.
func billed(ws sheet.Waits) workload.Band {
	var b workload.Band
	for _, w := range ws {
		if w.Billed && !w.Unknown {
			b.Low += w.Seconds.Low.Float64()
			b.Point += w.Seconds.Point.Float64()
			b.High += w.Seconds.High.Float64()
		}
	}
	return b
}
