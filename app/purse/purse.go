// Package purse is the vocabulary of the meter: what an instance costs by the
// hour, what it has cost, and what is worth an alert. The meter, the alerts, the
// ways to push them and the stop guard stand in the rooms below.
package purse

import (
	"context"
	"encoding/json"
	"time"

	"rentgen/app/money"
	"rentgen/assets/texts"
)

// Entry is something the purse keeps: of a host, or of all ("").
type Entry struct {
	Host, Kind, Key string
	Time            time.Time
	Body            json.RawMessage
}

// The kinds of entries.
const (
	KindTariff  = "tariff"  // what a host costs; key ""
	KindSession = "session" // a run of the instance and what is known of its cost; key is its start, unix ms
	KindDay     = "day"     // seconds busy, idle and unknown of a local day; key is "2026-11-30"
	KindBudget  = "budget"  // a limit by month; key is the currency
	KindAlert   = "alert"   // an alert; key is its ID
	KindBill    = "bill"    // an imported platform bill; key is its time, unix ms
	KindStop    = "stop"    // a stop by the guard and what it saved; key is its time, unix ms
	KindSetting = "setting" // of alerts and pushes; key is its name
)

// Filter narrows entries; zero fields don't.
type Filter struct {
	Host     string
	AnyHost  bool // of all hosts; Host is ignored
	Kind     string
	From, To time.Time // To excluded
}

// Store keeps entries. Saving replaces the entry of the same host, kind and key,
// all or nothing. It is safe for use from several goroutines.
type Store interface {
	PurseEntries(ctx context.Context, f Filter) ([]Entry, error) // by time, then key
	SavePurseEntries(ctx context.Context, entries ...Entry) error
	DeletePurseEntries(ctx context.Context, host, kind string, keys ...string) error // no keys: all of the kind
}

// Glance is what every place shows of a host's purse at a moment.
type Glance struct {
	Host     string
	Priced   bool // a price is known; without it only times are
	Currency money.Currency
	PerHour  money.Rat // of now: without a card it is that mode's price
	Running  bool      // known to run
	NoGPU    bool
	Busy     bool // work is known to go on; neither Busy nor Idle is not known
	// Idle span under way.
	Idle     bool
	IdleFor  time.Duration
	IdleCost money.Rat
	// Cost so far. A wide band says that the end of a session isn't known.
	Since                 time.Time // the instance's own start
	Session, Today, Month money.Band
	TodayIdle             money.Band
	// Forecast is the plan's cost of the month for this host, Pace what the month
	// comes to at the rate so far; nil without.
	Forecast, Pace *money.Band
	Budget         *money.Rat   // of the month, in Currency
	BudgetOfAll    bool         // the budget is that of all hosts together
	Say            texts.Phrase // "idle for 34 min: ¥1.06; today ¥4.10"
}

// Running sums up what runs now, of one currency.
type Running struct {
	Currency money.Currency
	Count    int
	PerHour  money.Rat
	Idle     money.Rat // of it, an hour
	Unpriced int       // running hosts without a price
}

// AlertKind is what an alert is about; text "alert.<kind>".
type AlertKind string

// The kinds of alerts.
const (
	AlertIdle    AlertKind = "idle"
	AlertBudget  AlertKind = "budget"
	AlertLost    AlertKind = "gpu-lost"
	AlertHeat    AlertKind = "heat"
	AlertDisk    AlertKind = "disk"
	AlertPackage AlertKind = "package" // ends soon
	AlertRelease AlertKind = "release" // the provider deletes soon
	AlertDone    AlertKind = "done"    // a run has finished
	AlertStopped AlertKind = "stopped" // the stop guard ended billing
)

// Alert is something that a person should hear of.
type Alert struct {
	ID       string
	Kind     AlertKind
	Host     string // ID, "" for all
	HostName string
	GPU      string
	At       time.Time
	Over     time.Time // when what it says ended; zero while it holds
	Snoozed  time.Time // not shown until then
	Seen     bool
	Say      texts.Phrase // what is so
	Cost     texts.Phrase // what it costs to ignore it
	Next     texts.Phrase // what to do
}
