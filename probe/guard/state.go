package guard

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Phase is what the guard is doing; text "guard.phase.<phase>".
type Phase string

// The phases.
const (
	Off      Phase = "off"      // no order
	Watching Phase = "watching" // not idle long enough
	Counting Phase = "counting" // idle long enough; StopAt is when it ends
	Kept     Phase = "kept"     // held back by the user
	Would    Phase = "would"    // a dry run has come to its end: it would have stopped
	Stopping Phase = "stopping" // the command is being given
	Refused  Phase = "refused"  // it can't; Why says why
)

// Phases returns all of them.
func Phases() []Phase { return []Phase{Off, Watching, Counting, Kept, Would, Stopping, Refused} }

// Why is the reason of a refusal; text "guard.why.<why>".
type Why string

// The reasons why the program on the host refuses.
const (
	WhyOrder   Why = "order"   // the order can't be read or is out of bounds
	WhyRoot    Why = "root"    // the login is not root
	WhyCommand Why = "command" // the command is not there
	WhyPod     Why = "pod"     // the pod's name can't be read
	WhyKey     Why = "key"     // the command has no key to ask the provider with
	WhyNoDry   Why = "no-dry"  // armed without a dry run that came to its end
	WhyRecord  Why = "record"  // the record of the stop could not be written
	WhyFailed  Why = "failed"  // the command said no
	WhyNothing Why = "nothing" // the command was given and the machine still runs
)

// Whys returns all of them.
func Whys() []Why {
	return []Why{WhyOrder, WhyRoot, WhyCommand, WhyPod, WhyKey, WhyNoDry, WhyRecord, WhyFailed, WhyNothing}
}

// Cause is what brought the countdown about.
type Cause string

// The causes.
const (
	CauseIdle  Cause = "idle"
	CauseQueue Cause = "queue" // the queue has ended
)

// State is what the guard's file on the host says; written each second that it
// changes.
type State struct {
	Phase Phase
	Time  time.Time // of this state, by the host's clock
	// Idle is how long everything has been quiet; Since when, by the host's clock.
	Idle  time.Duration
	Since time.Time
	// StopAt is when the countdown ends (Counting).
	StopAt time.Time
	Cause  Cause
	// KeepUntil is when Kept ends; zero: when the user lets go.
	KeepUntil time.Time
	Busy      []Reason // what is not quiet now
	Why       Why      // of Refused
	Detail    string   // what the system said to it
	// DryAt is when a dry run on this host last came to its end, DryOf of which
	// action.
	DryAt time.Time
	DryOf Action
	Boot  string // of the host
	Order Order  // zero for Off
	// Queued says that the queue was seen with jobs since it last ended.
	Queued bool
}

type stateJSON struct {
	Phase     Phase     `json:"phase"`
	Time      time.Time `json:"time"`
	IdleS     int64     `json:"idle_s"`
	Since     time.Time `json:"since,omitzero"`
	StopAt    time.Time `json:"stop_at,omitzero"`
	Cause     Cause     `json:"cause,omitempty"`
	KeepUntil time.Time `json:"keep_until,omitzero"`
	Busy      []Reason  `json:"busy"`
	Why       Why       `json:"why,omitempty"`
	Detail    string    `json:"detail,omitempty"`
	DryAt     time.Time `json:"dry_at,omitzero"`
	DryOf     Action    `json:"dry_of,omitempty"`
	Boot      string    `json:"boot,omitempty"`
	Queued    bool      `json:"queued,omitempty"`
	Order     *Order    `json:"order,omitempty"`
}

// MarshalJSON writes durations as whole seconds.
func (s State) MarshalJSON() ([]byte, error) {
	j := stateJSON{
		Phase: s.Phase, Time: s.Time, IdleS: int64(s.Idle / time.Second), Since: s.Since, StopAt: s.StopAt, Cause: s.Cause,
		KeepUntil: s.KeepUntil, Busy: s.Busy, Why: s.Why, Detail: s.Detail, DryAt: s.DryAt, DryOf: s.DryOf, Boot: s.Boot, Queued: s.Queued,
	}
	if j.Busy == nil {
		j.Busy = []Reason{}
	}
	if s.Order.Action != "" {
		j.Order = &s.Order
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *State) UnmarshalJSON(b []byte) error {
	var j stateJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	idle, err := seconds(j.IdleS)
	if err != nil {
		return fmt.Errorf("idle_s: %w", err)
	}
	*s = State{
		Phase: j.Phase, Time: j.Time, Idle: idle, Since: j.Since, StopAt: j.StopAt, Cause: j.Cause,
		KeepUntil: j.KeepUntil, Busy: j.Busy, Why: j.Why, Detail: clip(j.Detail), DryAt: j.DryAt, DryOf: Action(clip(string(j.DryOf))), Boot: clip(j.Boot), Queued: j.Queued,
	}
	if j.Order != nil {
		s.Order = *j.Order
	}
	return nil
}

// maxState bounds the file of a state: 64 cards that can't be read are 16 KiB.
const maxState = 64 << 10

// maxReasons bounds what a state says of why it is busy.
const maxReasons = 32

// ParseState reads a state's file. What it does not know is an error: a state
// that can't be trusted is none.
func ParseState(b []byte) (State, error) {
	if len(b) > maxState {
		return State{}, fmt.Errorf("the state has %d bytes: at most %d", len(b), maxState)
	}
	var s State
	if err := json.Unmarshal(b, &s); err != nil {
		return State{}, fmt.Errorf("read the guard's state: %w", err)
	}
	if !slices.Contains(Phases(), s.Phase) {
		return State{}, fmt.Errorf("read the guard's state: no phase is called %q", clip(string(s.Phase)))
	}
	if s.Why != "" && !slices.Contains(Whys(), s.Why) {
		return State{}, fmt.Errorf("read the guard's state: no refusal is called %q", clip(string(s.Why)))
	}
	if len(s.Busy) > maxReasons {
		s.Busy = s.Busy[:maxReasons]
	}
	for i := range s.Busy {
		r := &s.Busy[i]
		r.Signal, r.State, r.Raw, r.GPU = Signal(clip(string(r.Signal))), clip(r.State), clip(r.Raw), clip(r.GPU)
	}
	return s, nil
}
