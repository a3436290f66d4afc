package guard

import (
	"encoding/json"
	"slices"
	"time"
)

// Short is what a connection is told of the guard without asking for its file; by
// the host's clock. Nothing in it moves while nothing happens.
type Short struct {
	Phase     Phase     `json:"phase"`
	DryRun    bool      `json:"dry_run"`
	Action    Action    `json:"action,omitempty"`
	AfterS    int64     `json:"after_s,omitempty"`
	OnQueue   bool      `json:"on_queue,omitempty"`
	Since     time.Time `json:"since,omitzero"` // quiet since then; not while busy
	StopAt    time.Time `json:"stop_at,omitzero"`
	KeepUntil time.Time `json:"keep_until,omitzero"`
	DryAt     time.Time `json:"dry_at,omitzero"`
	DryOf     Action    `json:"dry_of,omitempty"`
	Why       Why       `json:"why,omitempty"`
	Detail    string    `json:"detail,omitempty"`
	Busy      []Signal  `json:"busy,omitempty"` // each once, also those that can't be read
}

// Brief puts a state in short: at most some hundred bytes.
func Brief(s State) json.RawMessage {
	o := s.Order
	j := Short{
		Phase: s.Phase, DryRun: o.DryRun, Action: o.Action, AfterS: int64(o.After / time.Second), OnQueue: o.OnQueue,
		StopAt: s.StopAt, KeepUntil: s.KeepUntil, DryAt: s.DryAt, DryOf: s.DryOf, Why: s.Why, Detail: clip(s.Detail),
	}
	if j.Phase == "" {
		j.Phase = Off
	}
	seen := map[Signal]bool{}
	for _, r := range s.Busy {
		if !seen[r.Signal] {
			seen[r.Signal] = true
			j.Busy = append(j.Busy, r.Signal)
		}
	}
	if len(s.Busy) == 0 && s.Phase != Kept && s.Phase != Off {
		j.Since = s.Since.UTC().Truncate(time.Second)
	}
	b, err := json.Marshal(j)
	if err != nil {
		return nil // nothing in it can fail
	}
	return b
}

// ParseShort reads what Brief writes; it is bounded like a state.
func ParseShort(b []byte) (Short, bool) {
	var j Short
	if len(b) == 0 || len(b) > maxState || json.Unmarshal(b, &j) != nil {
		return Short{}, false
	}
	j.Detail, j.Action, j.DryOf, j.Why = clip(j.Detail), Action(clip(string(j.Action))), Action(clip(string(j.DryOf))), Why(clip(string(j.Why)))
	j.Busy = j.Busy[:min(len(j.Busy), maxReasons)]
	for i := range j.Busy {
		j.Busy[i] = Signal(clip(string(j.Busy[i])))
	}
	return j, slices.Contains(Phases(), j.Phase)
}
