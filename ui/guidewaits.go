package ui

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"rentgen/app/bill/offer"
	"rentgen/app/guide/day"
	core "rentgen/app/plan"
)

// takeWaits puts what the waits for the card came to into the offers of the
// host's provider in the open plan, as measured terms. It reports whether there
// was one.
func (w *Window) takeWaits(host string, s day.WaitStats) bool {
	if w.desk == nil || w.guides == nil {
		return false
	}
	id := w.guides.board(host).Provider()
	mine := func(o offer.Offer) bool { return o.Provider == id && o.Payment.Metered() }
	if id == "" || !slices.ContainsFunc(w.desk.Plan().Offers, mine) {
		return false
	}
	seen := func(value string) offer.Term {
		return offer.Term{Value: value, Status: offer.Typed, Mark: offer.Seen, Date: w.p.Now().Format(time.DateOnly)}
	}
	seconds := func(d time.Duration) offer.Term { return seen(strconv.Itoa(int(d.Round(time.Second) / time.Second))) }
	w.desk.Edit("", func(p *core.Plan) {
		p.Offers = slices.Clone(p.Offers)
		for i := range p.Offers {
			if !mine(p.Offers[i]) {
				continue
			}
			o := p.Offers[i]
			o.Terms = maps.Clone(o.Terms)
			if o.Terms == nil {
				o.Terms = make(map[offer.TermID]offer.Term)
			}
			if s.Queue != nil {
				o.Terms[offer.QueueWait] = seconds(*s.Queue)
			}
			if s.Boot != nil {
				o.Terms[offer.BootWait] = seconds(*s.Boot)
			}
			if s.Days > 0 {
				o.Terms[offer.NoCardShare] = seen(strconv.FormatFloat(min(1, float64(s.NoCard)/float64(s.Days)), 'f', 3, 64))
			}
			p.Offers[i] = o
		}
	})
	return true
}
