package measured

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/ledger"
	"rentgen/app/judge"
	"rentgen/app/judge/slow"
	"rentgen/app/provider"
	"rentgen/app/purse/meter"
	"rentgen/app/purse/tariff"
	"rentgen/app/workload"
	"rentgen/probe"
)

// Log is a kept log of a host.
type Log struct {
	ID       int64
	From, To time.Time
	Card     string // see CardOf
}

// Of is what is kept of a host.
type Of struct {
	Host     Host
	Sessions []meter.SessionCost
	Entries  []guide.Entry
	Logs     []Log // newest first
	Phases   []judge.Phase
}

// paces is how many logs of a card are asked how long a picture took.
const paces = 3

// Gather makes figures of what is kept of a host: of its starts, of its sessions,
// and of logs whose steady phases show the rhythm of pictures. A host whose card
// isn't given has that of its newest log.
func Gather(o Of) []Measured {
	h := o.Host
	for _, l := range o.Logs {
		h.Card = cmp.Or(h.Card, l.Card)
	}
	var ms []Measured
	for _, e := range o.Entries {
		if e.Kind != guide.KindLedger {
			continue
		}
		if l, err := ledger.Read(e.Body); err == nil && !l.Started.IsZero() {
			ms = append(ms, FromLedger(h, l, logOf(o.Logs, l))...)
		}
	}
	ms = append(ms, FromSessions(h, o.Sessions)...)
	return append(ms, fromPhases(h, o.Logs, o.Phases)...)
}

// logOf names the log that was kept while a start was measured, "" for none.
func logOf(logs []Log, l ledger.Ledger) string {
	var at time.Time
	for _, f := range l.Stages {
		if f.At.After(at) {
			at = f.At
		}
	}
	i := slices.IndexFunc(logs, func(g Log) bool { return !at.IsZero() && !g.From.IsZero() && !at.Before(g.From) && !at.After(g.To) })
	if i < 0 {
		return ""
	}
	return logName(logs[i].ID)
}

func logName(id int64) string { return fmt.Sprintf("log %d", id) }

// fromPhases takes the rhythm of the longest phase of a log that shows one: other
// phases of it may be other jobs. What ran isn't known, so that it is a Pace.
func fromPhases(h Host, logs []Log, phases []judge.Phase) []Measured {
	best := make(map[int64]judge.Phase)
	for _, p := range phases {
		known := slices.ContainsFunc(logs, func(l Log) bool { return l.ID == p.Recording })
		if p.Recording == 0 || !known && p.Host != h.ID {
			continue
		}
		if s := p.Stats[slow.PictureKey]; s.N == 0 || s.Mean <= 0 {
			continue
		}
		if b, ok := best[p.Recording]; !ok || p.Seconds > b.Seconds {
			best[p.Recording] = p
		}
	}
	var ms []Measured
	for id, p := range best {
		card := ""
		if i := slices.IndexFunc(logs, func(l Log) bool { return l.ID == id }); i >= 0 {
			card = logs[i].Card
		}
		if card == "" {
			card = cardNamed(p.Card, 0)
		}
		on := h
		on.Card = card
		ms = append(ms, Measured{Kind: Pace, Host: on, Seconds: p.Stats[slow.PictureKey].Mean, From: p.From, To: p.To, Source: logName(id)})
	}
	slices.SortFunc(ms, func(a, b Measured) int { return cmp.Or(b.To.Compare(a.To), cmp.Compare(b.Source, a.Source)) })
	of := make(map[string]int)
	return slices.DeleteFunc(ms, func(m Measured) bool {
		of[m.Host.Card]++
		return m.Host.Card == "" || of[m.Host.Card] > paces
	})
}

// CardOf is the first card of devices as the catalogue names it, as the driver
// does where the catalogue lacks it, "" for none.
func CardOf(devices []probe.Device) string {
	if len(devices) == 0 {
		return ""
	}
	total, _ := devices[0].MemTotal.Ok()
	return cardNamed(devices[0].Name, total)
}

func cardNamed(name string, totalMiB float64) string {
	if c, ok := workload.Load().CardByNVML(name, totalMiB); ok {
		return c.Name
	}
	return guide.Clean([]byte(name), 80)
}

// ProviderOf is the provider of a host: the one that was chosen in Set up, that of
// its price, or the one that its login host points to; "" for none.
func ProviderOf(entries []guide.Entry, t *tariff.Tariff, login string) string {
	for _, e := range entries {
		var chosen struct {
			Provider string `json:"provider"`
		}
		if e.Kind != guide.KindTrack || json.Unmarshal(e.Body, &chosen) != nil {
			continue
		}
		if _, ok := provider.ProfileOf(chosen.Provider); ok {
			return chosen.Provider
		}
	}
	if t != nil && t.Provider != "" {
		return t.Provider
	}
	id, _ := provider.GuessProfile(login, nil)
	return id
}
