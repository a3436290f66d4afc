package plan

import (
	"math"
	"slices"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/workload"
)

// columnsOf returns how each offer would be used, and its hours.
func columnsOf(cat *workload.Catalogue, p Plan, fit workload.Answer) ([]sheet.Column, []workload.Hours) {
	columns := make([]sheet.Column, 0, len(p.Offers))
	hours := make([]workload.Hours, 0, len(p.Offers))
	for _, o := range p.Offers {
		f := o.Filled()
		u, h := usageOf(cat, p, fit, f)
		columns = append(columns, sheet.Column{Offer: f, Usage: u})
		hours = append(hours, h)
	}
	return columns, hours
}

// usageOf says how an offer, filled with its rules, is used.
func usageOf(cat *workload.Catalogue, p Plan, fit workload.Answer, o offer.Offer) (sheet.Usage, workload.Hours) {
	s := onCard(cat, p, fit, o)
	seconds, use := spread(p, o, PieceOf(fit.Job, s.seconds))
	waits := waitsOf(p, fit, o, s)
	h := workload.HoursOf(use, spanOf(p), seconds, billed(waits))
	u := sheet.Usage{
		Days: spanOf(p), Machines: max(h.Machines, 1), Sessions: max(h.Sessions, 1),
		SessionH: band(h.SessionH), Busy: band(h.Busy), Rented: band(h.Rented), Pictures: rat(h.Pictures),
		Unattended: p.Use.Pattern == workload.LongRun, Waits: waits,
		ModelGB: rat(fit.Disk.Persistent), DownloadGB: rat(fit.Disk.DownloadGB), UploadGB: rat(fit.Disk.PicturesGB),
		CrossRegion: p.CrossRegion, OwnRate: p.Own.HourlyRate, SaveEvery: max(p.SaveEvery, 1),
		BusyUnknown: h.Unknown, Measured: s.measured, CardFits: s.fits, CardUnknown: s.unknown, Slower: s.slower,
	}
	if p.Use.Pattern == workload.Timetable {
		u.Heads = p.Use.Heads
	}
	if n := stepsOf(fit.Job); n > 0 {
		u.Steps, u.SaveEvery = n, n
		if p.SaveEvery > 1 {
			u.SaveEvery = min(p.SaveEvery, n)
		}
	}
	if o.Machine != offer.Container {
		u.OpsSetupH, u.OpsWeeklyH = p.Own.SetupH, p.Own.WeeklyH
	}
	return u, h
}

// PieceOf is the seconds of what a use counts: a picture, a clip, or a whole
// training, whose seconds are told by the step.
func PieceOf(j workload.Job, seconds workload.Band) workload.Band {
	n := float64(stepsOf(j))
	if n == 0 {
		return seconds
	}
	return workload.Band{Low: seconds.Low * n, Point: seconds.Point * n, High: seconds.High * n}
}

// stepsOf are the steps of a whole training; 0 for everything else.
func stepsOf(j workload.Job) int {
	if !j.Kind.Training() || j.Training == nil {
		return 0
	}
	return max(j.Training.Steps, 0)
}

// HoursOn are the hours of a plan with that answer on a card of it, starts
// aside.
func HoursOn(p Plan, fit workload.Answer, a workload.CardAnswer) workload.Hours {
	return workload.HoursOf(p.Use, spanOf(p), PieceOf(fit.Job, speedOn(a).seconds), workload.Band{})
}

// speed is how a job runs on an offer's card.
type speed struct {
	seconds  workload.Band // a picture, a clip, a step of training; zero where nobody knows
	measured bool
	fits     bool
	slower   bool // with weights in the machine's RAM
	unknown  bool // the catalogue doesn't have the card
}

// onCard finds the card's answer. Of a card that the catalogue doesn't know
// nothing is said against. A part of a card is judged by the VRAM it has, and
// is slower by its share at worst, as fast as the whole card at best: how much
// of the card's cores a part gets stands in no quotation.
func onCard(cat *workload.Catalogue, p Plan, fit workload.Answer, o offer.Offer) speed {
	name := nameOf(cat, o)
	i := slices.IndexFunc(fit.Cards, func(a workload.CardAnswer) bool { return a.Card.Name == name })
	if i < 0 {
		_, known := cat.Card(name)
		return speed{fits: true, unknown: !known && p.Job.Model != ""}
	}
	a := fit.Cards[i]
	whole := a.Card.NominalGB * 1024
	if a.Card.TotalMiB != nil {
		whole = *a.Card.TotalMiB
	}
	part := 1.0
	if v := o.Card.VRAM; v != nil && *v > 0 && *v != whole {
		a = onPart(cat, fit, a, *v)
		if o.Card.Part != offer.Whole && whole > *v {
			part = whole / *v
		}
	}
	s := speedOn(a)
	if part > 1 {
		s.seconds.Point *= math.Sqrt(part)
		s.seconds.High *= part
		s.measured = false
	}
	return s
}

// speedOn reads a card's answer.
func speedOn(a workload.CardAnswer) speed {
	s := speed{
		seconds: a.Seconds, measured: a.SecondsOrigin == workload.MeasuredBy,
		fits: a.Fit != workload.No || a.PeakOrigin == workload.Unknown,
	}
	if a.Fit == workload.Offload && !s.measured {
		s.seconds, s.slower = a.OffloadSeconds, true
	}
	return s
}

// nameOf is the catalogue's name of an offer's card, or the offer's own.
func nameOf(cat *workload.Catalogue, o offer.Offer) string {
	if k, ok := cat.Card(o.Card.Name); ok {
		return k.Name
	}
	return o.Card.Name
}

// onPart is the answer of a card with another VRAM: a slice, or a board that
// was made larger.
func onPart(cat *workload.Catalogue, fit workload.Answer, whole workload.CardAnswer, vramMiB float64) workload.CardAnswer {
	card := whole.Card
	card.TotalMiB = &vramMiB
	if card.ReservedMiB == nil {
		none := 0.0
		card.ReservedMiB = &none
	}
	a := cat.EstimateOn(fit.Job, card, 0, nil)
	if a.Fit == workload.Offload && a.OffloadSeconds.Point <= 0 {
		a.OffloadSeconds = cat.OffloadSeconds(fit.Job, card)
	}
	return a
}

// spread divides the work among the cards of a machine. An unattended run keeps
// all of them busy; cards that must work together may gain nothing. A class
// needs fewer machines.
func spread(p Plan, o offer.Offer, s workload.Band) (workload.Band, workload.Use) {
	use, n := p.Use, o.Cards
	if n < 2 {
		return s, use
	}
	switch use.Pattern {
	case workload.LongRun:
		s.Low /= float64(n)
		s.Point /= float64(n)
		if p.Questions.MultiCard < 2 {
			s.High /= float64(n)
		}
	case workload.Timetable:
		use.Machines = (use.Machines + n - 1) / n
		use.Spares = (use.Spares + n - 1) / n
	}
	return s, use
}

// most is beyond what a plan's figures reach; it keeps them exact.
const most = 1e12

// rat is a figure as an exact number, to the millionth; what is no number is 0.
func rat(v float64) money.Rat {
	if !(v > 0) {
		return money.Rat{}
	}
	return money.Frac(int64(math.Round(min(v, most)*1e6)), 1e6)
}

func band(b workload.Band) money.Band {
	p := rat(b.Point)
	return money.Band{Low: rat(b.Low).Min(p), Point: p, High: rat(b.High).Max(p)}
}
