package alert

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"rentgen/app/judge"
	"rentgen/app/money"
	"rentgen/app/purse"
)

// record is an alert as it is kept: what it rests on rather than what it says,
// so that it can be said in the language of then.
type record struct {
	ID       string          `json:"id"`
	Kind     purse.AlertKind `json:"kind"`
	Sub      string          `json:"sub,omitempty"` // which of its kind: a card, a mount, a date
	Host     string          `json:"host"`
	HostName string          `json:"host_name"`
	GPU      string          `json:"gpu,omitempty"`
	At       time.Time       `json:"at"`
	Over     time.Time       `json:"over,omitzero"`
	Snoozed  time.Time       `json:"snoozed,omitzero"`
	Rang     time.Time       `json:"rang,omitzero"` // zero: kept back by quiet hours
	Seen     bool            `json:"seen,omitempty"`
	Facts    facts           `json:"facts"`
}

// facts are what an alert rests on. Which are set depends on its kind; what
// isn't known isn't set.
type facts struct {
	Currency money.Currency `json:"currency,omitempty"`
	PerHour  *money.Rat     `json:"per_hour,omitempty"` // while it runs
	For      time.Duration  `json:"for,omitempty"`
	Spent    *money.Band    `json:"spent,omitempty"`
	Budget   *money.Rat     `json:"budget,omitempty"`
	Pace     *money.Band    `json:"pace,omitempty"`
	Verdict  judge.Kind     `json:"verdict,omitempty"`
	Card     string         `json:"card,omitempty"`
	Temp     *float64       `json:"temp,omitempty"`
	Limit    *float64       `json:"limit,omitempty"`
	Mount    string         `json:"mount,omitempty"`
	Free     uint64         `json:"free,omitempty"`
	Total    uint64         `json:"total,omitempty"`
	Ends     time.Time      `json:"ends,omitzero"`
	After    *money.Rat     `json:"after,omitempty"`
	Since    time.Time      `json:"since,omitzero"`
	// From and To bound when a run ended where nobody watched; else To alone.
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to,omitzero"`
}

// key tells what an alert is about; of one key at most one is open.
type key struct {
	host string
	kind purse.AlertKind
	sub  string
}

func (r *record) key() key { return key{r.Host, r.Kind, r.Sub} }

func (r *record) open() bool { return r.Over.IsZero() }

// entry is the record as the purse keeps it.
func (r *record) entry() (purse.Entry, error) {
	b, err := json.Marshal(r)
	if err != nil {
		return purse.Entry{}, fmt.Errorf("encode alert %s: %w", r.ID, err)
	}
	return purse.Entry{Host: r.Host, Kind: purse.KindAlert, Key: r.ID, Time: r.At, Body: b}, nil
}

// readRecord reads a kept alert; one that can't be read is none.
func readRecord(e purse.Entry) (*record, bool) {
	var r record
	if json.Unmarshal(e.Body, &r) != nil || r.ID != e.Key || r.Host != e.Host || r.At.IsZero() || !slices.Contains(Kinds(), r.Kind) {
		return nil, false
	}
	return &r, true
}

// Read returns the alert that an entry of the purse keeps; ok is false for an
// entry that is none.
func Read(e purse.Entry) (a purse.Alert, ok bool) {
	if e.Kind != purse.KindAlert {
		return purse.Alert{}, false
	}
	r, ok := readRecord(e)
	if !ok {
		return purse.Alert{}, false
	}
	return r.alert(), true
}

// alert is the record as it is shown.
func (r *record) alert() purse.Alert {
	return purse.Alert{
		ID: r.ID, Kind: r.Kind, Host: r.Host, HostName: r.HostName, GPU: r.GPU, At: r.At, Over: r.Over,
		Snoozed: r.Snoozed, Seen: r.Seen, Say: r.say(), Cost: r.cost(), Next: r.next(),
	}
}
