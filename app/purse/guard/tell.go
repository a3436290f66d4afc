package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// Price is what an hour of the instance costs; without a Currency it isn't known.
type Price struct {
	PerHour  money.Rat
	Currency money.Currency
}

// Told is a record of the guard as the next connection tells it.
type Told struct {
	Stop Stop
	Say  texts.Phrase
	// Entry is what the purse keeps of it, so that it is told once; nil where the
	// machine is not known to have stopped.
	Entry *purse.Entry
	// Saved is what the stop saved until Until, nil without a price.
	Saved *money.Rat
	Until time.Time
}

// stopJSON is the body of a purse.KindStop entry.
type stopJSON struct {
	Stop
	Until    time.Time      `json:"until"`
	PerHour  *money.Exact   `json:"per_hour,omitempty"`
	Currency money.Currency `json:"currency,omitempty"`
	Saved    *money.Exact   `json:"saved,omitempty"`
}

// Tell says what the guard did since it was last told, by the report of a host.
// run is the machine's present run, by the host's clock: a record of the same run proves that the machine went on. until is
// when the user came; a run that began between a stop and then ended what was
// saved. price says what an hour cost at a moment, nil where nobody knows. Stops that
// known holds are left out.
func Tell(host string, r Report, run probe.Run, until time.Time, price func(time.Time) Price, known []purse.Entry) []Told {
	had := map[string]bool{}
	for _, e := range known {
		if e.Kind == purse.KindStop {
			had[e.Key] = true
		}
	}
	var all []Told
	for _, s := range r.Stops {
		key := strconv.FormatInt(s.Time.UnixMilli(), 10)
		if had[key] || s.Time.After(until) {
			continue
		}
		t := Told{Stop: s, Until: until}
		if !s.Dry {
			same, sure := sameRun(s.Boot, run)
			if same || !sure {
				code := "guard.tell.asked"
				if same {
					code = "guard.tell.went_on"
				}
				t.Say = texts.P(code, "at", moment(s.Time, until), "idle", duration(s.Idle()))
				all = append(all, t)
				continue
			}
			if began := run.Init.Add(r.Ahead); began.After(s.Time) && began.Before(until) {
				t.Until = began
			}
		}
		var p Price
		if price != nil {
			p = price(s.Time)
		}
		j := stopJSON{Stop: s, Until: t.Until.UTC()}
		if p.Currency != "" && p.PerHour.Sign() > 0 {
			v := p.PerHour.Mul(money.Frac(int64(t.Until.Sub(s.Time)/time.Second), 3600))
			t.Saved, j.PerHour, j.Currency, j.Saved = &v, &money.Exact{Rat: p.PerHour}, p.Currency, &money.Exact{Rat: v}
		}
		if b, err := json.Marshal(j); err == nil {
			t.Entry = &purse.Entry{Host: host, Kind: purse.KindStop, Key: key, Time: s.Time.UTC(), Body: b}
		}
		t.Say = t.sentence(p.Currency)
		all = append(all, t)
	}
	return all
}

// Collect reads the guard of a host and what it has recorded, tells what was not
// told yet, and keeps that, so that it is told once. Without a store nothing is
// kept, and all is told.
func (h Host) Collect(ctx context.Context, st purse.Store, host string, run probe.Run, price func(time.Time) Price) (Report, []Told, error) {
	r, err := h.Read(ctx)
	if err != nil || len(r.Stops) == 0 {
		return r, nil, err
	}
	var known []purse.Entry
	if st != nil {
		if known, err = st.PurseEntries(ctx, purse.Filter{Host: host, Kind: purse.KindStop}); err != nil {
			return r, nil, fmt.Errorf("read the stops that were told: %w", err)
		}
	}
	told := Tell(host, r, run, h.now(), price, known)
	var es []purse.Entry
	for _, t := range told {
		if t.Entry != nil {
			es = append(es, *t.Entry)
		}
	}
	if st == nil || len(es) == 0 {
		return r, told, nil
	}
	if err := st.SavePurseEntries(ctx, es...); err != nil {
		return r, told, fmt.Errorf("keep the stops that were told: %w", err)
	}
	return r, told, nil
}

// Saving is a purse.KindStop entry, read again.
type Saving struct {
	Stop
	Until    time.Time
	Saved    *money.Rat // until then; nil without a price
	Currency money.Currency
}

// ReadStop reads an entry of the purse; ok is false for one that is no stop.
func ReadStop(e purse.Entry) (k Saving, ok bool) {
	var j stopJSON
	if e.Kind != purse.KindStop || json.Unmarshal(e.Body, &j) != nil || j.Time.IsZero() {
		return Saving{}, false
	}
	k = Saving{Stop: j.Stop, Until: j.Until, Currency: j.Currency}
	if j.Saved != nil {
		k.Saved = &j.Saved.Rat
	}
	return k, true
}

func (t Told) sentence(cur money.Currency) texts.Phrase {
	key := "guard.tell.stopped"
	if t.Stop.Dry {
		key = "guard.tell.dry"
	}
	if t.Stop.Cause == "queue" {
		key += ".queue"
	}
	args := []any{"at", moment(t.Stop.Time, t.Until), "idle", duration(t.Stop.Idle()), "until", moment(t.Until, t.Until)}
	if t.Saved == nil {
		return texts.P(key, args...)
	}
	v := *t.Saved
	args = append(args, "saved", func(c *texts.Catalogue) string { return sheet.Money(c, v, cur) })
	return texts.P(key+".saved", args...)
}

// sameRun reports whether a record's run, "boot id@start in seconds", is the
// present one, and whether both are known. The start is known to two seconds.
func sameRun(boot string, run probe.Run) (same, sure bool) {
	id, text, found := strings.Cut(boot, "@")
	start, err := strconv.ParseInt(text, 10, 64)
	if !found || err != nil || id == "" || run.BootID == "" {
		return false, false
	}
	if id != run.BootID {
		return false, true
	}
	if run.Init.IsZero() {
		return false, false
	}
	d := run.Init.Unix() - start
	return d >= -2 && d <= 2, true
}
