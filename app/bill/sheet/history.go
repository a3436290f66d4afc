package sheet

import (
	"rentgen/app/bill"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// rateFromHistory takes the rate of interruptions from what the user saw, where
// no rate is given. Nothing seen is no rate of 0: its upper bound is the high
// end.
func (k *column) rateFromHistory() {
	seen, counted := k.values[offer.InterruptSeen]
	watched, timed := k.values[offer.Watched]
	if _, given := k.values[offer.InterruptRate]; given || !counted || !timed {
		return
	}
	n, _ := seen.band.Point.Int64()
	out, err := bill.RateFromHistory(bill.RateFromHistoryIn{Interruptions: n, RunningH: watched.band.Point})
	if err != nil || out.RatePerH == nil {
		return
	}
	b := money.Sure(*out.RatePerH)
	if out.RateUpper95PerH != nil {
		b.High = *out.RateUpper95PerH
	}
	k.values[offer.InterruptRate] = value{term: offer.Term{Status: Reckoned}, band: b}
	k.inferred = true
}

// rateRule is the term that the rate of interruptions stands on.
func (e *eval) rateRule() offer.TermID {
	if e.inferred {
		return offer.InterruptSeen
	}
	return offer.InterruptRate
}

// seenInputs are what an inferred rate is made of.
func (e *eval) seenInputs() []Input {
	if !e.inferred {
		return nil
	}
	return []Input{e.term("seen", offer.InterruptSeen), e.term("watched", offer.Watched)}
}

// rateSeen puts behind a line's formula how its rate was inferred.
func rateSeen(c *texts.Catalogue, l Line, formula string, pairs []any) string {
	if l.Rule != string(offer.InterruptSeen) {
		return formula
	}
	key := "bill.rate_seen"
	for _, in := range l.Inputs {
		if in.Name == "seen" && in.Value.Point.IsZero() {
			key = "bill.rate_none_seen"
		}
	}
	return c.T(key, append(pairs, "formula", formula)...)
}
