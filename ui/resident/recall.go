package resident

import (
	"context"
	"time"

	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/guard"
	"rentgen/ui/home"
)

// recall reads the last stop of a host from the purse, where none was told in this
// run; once, and again after a while where that failed. r.mu is held.
func (r *Residents) recall(id string, x *host) {
	now := r.p.Now()
	if r.p.Purse == nil || x.last != nil || !x.recalled.IsZero() && now.Sub(x.recalled) < lookEvery {
		return
	}
	x.recalled = now
	r.p.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), lookWait)
		defer cancel()
		es, err := r.p.Purse.PurseEntries(ctx, purse.Filter{Host: id, Kind: purse.KindStop})
		if err != nil {
			return
		}
		last := latest(es)
		r.set(id, func(x *host) {
			x.recalled = now.Add(forever)
			if x.last == nil {
				x.last = last
			}
		})
	})
}

// forever is longer than any run of the program.
const forever = 100 * 365 * 24 * time.Hour

// latest is the newest stop in earnest; nil for none.
func latest(es []purse.Entry) *home.Stop {
	var last *home.Stop
	for _, e := range es {
		k, ok := guard.ReadStop(e)
		if !ok || k.Dry || last != nil && !k.Time.After(last.At) {
			continue
		}
		last = &home.Stop{At: k.Time}
		if k.Saved != nil {
			last.Saved, last.Currency = money.Sure(*k.Saved), k.Currency
		}
	}
	return last
}
