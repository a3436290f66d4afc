package home

import (
	"context"
	"time"

	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/tariff"
	"rentgen/assets/texts"
	"rentgen/ui/verdict"
)

// Model is what the place shows and what it can ask for. All methods but Why,
// SetTariff and SetBudget are called on the UI thread and must not wait; those that start
// something return at once and say through their state how it goes. Hosts and
// their readings come from the book.
type Model interface {
	verdict.Judge
	// Version rises whenever an answer of this model changes, time alone aside.
	Version() uint64
	// Glance returns the meter of a host; false where nothing is known of it.
	Glance(host string) (purse.Glance, bool)
	// Running sums up what runs now, one of each currency.
	Running() []purse.Running
	// Alerts returns those that hold and are not snoozed, newest first.
	Alerts() []purse.Alert
	// Next returns the next step of the host's checklist; the zero Next where
	// there is none to name.
	Next(host string) Next

	// Tariff returns what the host costs, false where nobody has said.
	Tariff(host string) (tariff.Tariff, bool)
	// Offers are those of the user's plans that a host's price can be taken from.
	Offers() []Offer
	// SetTariff keeps what a host costs. It is called off the UI thread.
	SetTariff(ctx context.Context, host string, t tariff.Tariff) error
	// Budget is what the host may cost a month, nil where nobody has said it of
	// this host alone.
	Budget(host string, c money.Currency) *money.Rat
	// SetBudget keeps it; nil takes it away. It is called off the UI thread.
	SetBudget(ctx context.Context, host string, c money.Currency, limit *money.Rat) error

	Recorder(host string) Recorder
	StartRecorder(host string)
	StopRecorder(host string)
	RemoveRecorder(host string) // the program and what it holds on the host

	Guard(host string) Guard
	// SwitchGuard turns the stop guard on, as a dry run or in earnest; what it refuses
	// is said in Guard.Why.
	SwitchGuard(host string, o GuardOrder)
	// EndGuard turns it off.
	EndGuard(host string)
	// KeepGuard leaves the instance running until then, whatever it does; the zero
	// time lets go of that.
	KeepGuard(host string, until time.Time)
	// CancelGuard stops a countdown; it begins anew when the instance is idle again.
	CancelGuard(host string)
}

// Next is the next thing to do on a host.
type Next struct {
	Say  texts.Phrase // what to do: "Where your models live"
	Why  texts.Phrase // one line of why, may be zero
	Open func()       // opens it, nil where there is nothing to open
	// Done and Of count the items of its list; Of is 0 where they aren't known.
	Done, Of int
}

// Offer is one of the user's offers.
type Offer struct {
	Name   string // with its plan: "SDXL · AutoDL 4090"
	Tariff tariff.Tariff
}

// RecorderState is how it stands with the program that keeps reading while the
// laptop sleeps.
type RecorderState string

// The states of the recorder.
const (
	RecorderUnknown RecorderState = ""        // not asked yet, or no connection
	RecorderOff     RecorderState = "off"     // not on the host
	RecorderOn      RecorderState = "on"      // reads
	RecorderEnded   RecorderState = "ended"   // its time is over; what it holds is there
	RecorderBusy    RecorderState = "busy"    // being started, stopped or removed
	RecorderRefused RecorderState = "refused" // this host can't; Why says why
)

// Recorder is the recorder of a host.
type Recorder struct {
	State        RecorderState
	Since, Until time.Time
	Bytes        int64        // that it holds on the host
	Why          texts.Phrase // why it can't, or why the last wish failed
}

// GuardState is how it stands with the stop guard; those that the host itself
// reports are named as guard.Phase.
type GuardState string

// The states of the guard.
const (
	GuardUnknown  GuardState = ""         // not asked yet, or no connection
	GuardOff      GuardState = "off"      // not switched on
	GuardWatching GuardState = "watching" // busy, or idle for less than its limit
	GuardCounting GuardState = "counting" // will end billing at StopAt
	GuardKept     GuardState = "kept"     // told to leave it until KeptUntil
	GuardWould    GuardState = "would"    // a dry run came to its end: it would have stopped
	GuardStopping GuardState = "stopping" // the command is being given
	GuardRefused  GuardState = "refused"  // it can't; Why says why
	GuardStopped  GuardState = "stopped"  // has ended billing
	GuardBusy     GuardState = "busy"     // being switched
)

// Guard is the stop guard of a host.
type Guard struct {
	State     GuardState
	DryRun    bool          // it only says what it would do
	DryDone   bool          // a dry run came to its end here: it may be switched on in earnest
	After     time.Duration // idle for so long, it counts down
	OnQueue   bool          // also when the queue at QueuePort has ended
	QueuePort int
	Countdown time.Duration
	IdleFor   time.Duration // of now
	// Busy names the signals that are not quiet now, Unread those that can't be
	// read: they count as busy, and as long as that is so it never acts.
	Busy, Unread []texts.Phrase
	StopAt       time.Time
	KeptUntil    time.Time      // zero while Kept: until the user lets go
	Command      string         // what it would run
	Rule         texts.Phrase   // the provider's rule, with its date
	Limit        texts.Phrase   // the console's own timer: the only hard limit
	Warn         []texts.Phrase // what a stop costs there beside the time; none: not known
	Why          texts.Phrase   // why it refuses, or why the last wish failed
	Last         *Stop          // its last stop
}

// GuardOrder is what a stop guard is switched on with; the bounds are those of
// guard.Order.
type GuardOrder struct {
	DryRun           bool
	After, Countdown time.Duration
	OnQueue          bool // also when the queue at QueuePort has ended
	QueuePort        int
}

// Stop is a stop by the guard and what it saved.
type Stop struct {
	At       time.Time
	Saved    money.Band
	Currency money.Currency
}
