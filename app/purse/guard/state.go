package guard

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Phase is what the guard on the host is doing.
type Phase string

// The phases.
const (
	Off      Phase = "off"
	Watching Phase = "watching"
	Counting Phase = "counting" // StopAt says until when
	Kept     Phase = "kept"     // held back by the user
	Would    Phase = "would"    // a dry run came to its end
	Stopping Phase = "stopping"
	Refused  Phase = "refused"
	Silent   Phase = "silent" // switched on, and nothing on the host watches
)

// phases are those that a host says.
var phases = []Phase{Off, Watching, Counting, Kept, Would, Stopping, Refused}

// Reason is a signal that is not quiet. Signal is one of gpu, cpu, disk, net,
// terminal, forward, queue, watch.
type Reason struct {
	Signal string  `json:"signal"`
	Unread bool    `json:"unread"`
	State  string  `json:"state"`
	Raw    string  `json:"raw"`
	Value  float64 `json:"value"`
	Limit  float64 `json:"limit"`
	GPU    string  `json:"gpu"`
}

// State is how the guard on the host stands, in the laptop's time.
type State struct {
	Phase     Phase
	Time      time.Time // when it said so
	Idle      time.Duration
	Since     time.Time // quiet since then
	StopAt    time.Time
	Cause     string    // idle or queue
	KeepUntil time.Time // of Kept; zero: until the user lets go
	Busy      []Reason
	Why       string // of Refused
	Detail    string
	DryAt     time.Time // when a dry run of DryOf last came to its end
	DryOf     Action
	Boot      string
	Order     Order
	On        bool // there is an order on the host
}

type stateJSON struct {
	Phase     Phase     `json:"phase"`
	Time      time.Time `json:"time"`
	IdleS     int64     `json:"idle_s"`
	Since     time.Time `json:"since"`
	StopAt    time.Time `json:"stop_at"`
	Cause     string    `json:"cause"`
	KeepUntil time.Time `json:"keep_until"`
	Busy      []Reason  `json:"busy"`
	Why       string    `json:"why"`
	Detail    string    `json:"detail"`
	DryAt     time.Time `json:"dry_at"`
	DryOf     Action    `json:"dry_of"`
	Boot      string    `json:"boot"`
	Order     *Order    `json:"order"`
}

// Stop is a record of the guard: a stop, or a dry run that came to its end.
type Stop struct {
	Time   time.Time `json:"time"`
	Since  time.Time `json:"idle_since"`
	IdleS  int64     `json:"idle_s"`
	Cause  string    `json:"cause"`
	Action Action    `json:"action"`
	Dry    bool      `json:"dry_run"`
	Boot   string    `json:"boot,omitempty"`
}

// Idle is how long everything had been quiet.
func (s Stop) Idle() time.Duration { return seconds(s.IdleS) }

// Report is what was read of the guard's files on a host.
type Report struct {
	State State
	Stops []Stop // in the laptop's time, oldest first
	Held  bool   // a KEEP file lies there
	// Ahead is what was added to the host's times to make them the laptop's.
	Ahead time.Duration
}

// lateAfter is how old a state may be: the program on the host writes it every ten
// seconds at least.
const lateAfter = time.Minute

// Bounds of what a host says.
const (
	maxReasons = 32
	maxStops   = 64
	maxWord    = 80
)

// word bounds foreign text.
func word(s string) string {
	n := 0
	return strings.Map(func(r rune) rune {
		if n++; n > maxWord || r < ' ' || r == 0x7f || r == 0xfffd {
			return -1
		}
		return r
	}, s)
}

// parse reads what the script prints: lines "now", "keep", "on", "state", "stop".
// now is the laptop's clock at the answer; all times are moved into it.
func parse(out []byte, now time.Time) Report {
	var r Report
	var host time.Time
	r.State.Phase = Off
	for line := range bytes.Lines(out) {
		k, rest, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(" "))
		switch string(k) {
		case "now":
			var n int64
			if json.Unmarshal(rest, &n) == nil && n > 0 && n < 253402300799 {
				host = time.Unix(n, 0)
			}
		case "keep":
			r.Held = true
		case "on":
			r.State.On = true
		case "state":
			on := r.State.On
			r.State = stateOf(rest)
			r.State.On = on
		case "stop":
			var s Stop
			if json.Unmarshal(rest, &s) == nil && !s.Time.IsZero() && s.IdleS >= 0 && len(r.Stops) < maxStops {
				s.Cause, s.Action, s.Boot = word(s.Cause), Action(word(string(s.Action))), word(s.Boot)
				r.Stops = append(r.Stops, s)
			}
		}
	}
	switch s := &r.State; {
	case !s.On:
		s.Phase = Off
	case s.Time.IsZero(), host.IsZero(), host.Sub(s.Time) > lateAfter:
		s.Phase = Silent
	}
	if !host.IsZero() {
		r.Ahead = now.Sub(host).Truncate(time.Second)
		r.move(r.Ahead)
	}
	return r
}

// move puts the host's times into the laptop's.
func (r *Report) move(by time.Duration) {
	ts := []*time.Time{&r.State.Time, &r.State.Since, &r.State.StopAt, &r.State.KeepUntil, &r.State.DryAt}
	for i := range r.Stops {
		ts = append(ts, &r.Stops[i].Time, &r.Stops[i].Since)
	}
	for _, t := range ts {
		if !t.IsZero() {
			*t = t.Add(by).UTC()
		}
	}
}

func stateOf(b []byte) State {
	var j stateJSON
	if json.Unmarshal(b, &j) != nil || !slices.Contains(phases, j.Phase) {
		return State{Phase: Silent}
	}
	s := State{
		Phase: j.Phase, Time: j.Time, Idle: seconds(j.IdleS), Since: j.Since, StopAt: j.StopAt, Cause: word(j.Cause), KeepUntil: j.KeepUntil,
		Busy: j.Busy[:min(len(j.Busy), maxReasons)], Why: word(j.Why), Detail: word(j.Detail), DryAt: j.DryAt, DryOf: Action(word(string(j.DryOf))), Boot: word(j.Boot),
	}
	for i := range s.Busy {
		b := &s.Busy[i]
		b.Signal, b.State, b.Raw, b.GPU = word(b.Signal), word(b.State), word(b.Raw), word(b.GPU)
	}
	if j.Order != nil {
		s.Order = *j.Order
	}
	return s
}

// Practised reports whether a dry run of the action came to its end on this host:
// before, nothing is armed.
func (s State) Practised(a Action) bool { return !s.DryAt.IsZero() && s.DryOf == a }
