// Package tenant looks for other tenants of a machine while nothing of the
// user's runs: what the card does by itself, and how long the same small piece
// of work of processor, disk and network takes from second to second. Where a
// container has a whole card, these are what gets squeezed.
//
// Who the others are it never says: their processes can't be seen.
package tenant

import (
	"encoding/json"
	"time"
)

// Reading is one moment. Nil is not readable.
type Reading struct {
	At   time.Duration `json:"at"` // since the first reading
	GPUs []GPU         `json:"gpus,omitempty"`
	// Own counts the processes on the cards that are ours, Foreign those that the
	// driver lists and that aren't. Both are nil where it lists none at all.
	Own     *int `json:"own,omitempty"`
	Foreign *int `json:"foreign,omitempty"`
	// OthersCores are the processor cores in use on the machine beyond our own
	// use, since the reading before.
	OthersCores *float64 `json:"others_cores,omitempty"`
	Cores       *float64 `json:"cores,omitempty"` // of the machine
	StealPct    *float64 `json:"steal_pct,omitempty"`
	// The same small piece of work, in ms.
	CPUWorkMs  *float64 `json:"cpu_ms,omitempty"`
	DiskWorkMs *float64 `json:"disk_ms,omitempty"`
	NetRTTMs   *float64 `json:"net_ms,omitempty"`
	NetLost    bool     `json:"net_lost,omitempty"` // the packet did not come back
}

// GPU is what one card shows.
type GPU struct {
	Util     *float64 `json:"util,omitempty"` // %
	UsedMiB  *float64 `json:"used,omitempty"`
	TotalMiB *float64 `json:"total,omitempty"`
}

// Test is one reading for other tenants as it is kept.
type Test struct {
	Start    time.Time `json:"start"`
	Readings []Reading `json:"readings"`
	// Where are the directory of the small writes and the target of the round
	// trips, "" for none.
	Dir    string `json:"dir,omitempty"`
	Target string `json:"target,omitempty"`
	// Ended says that it ran for as long as it should.
	Ended bool `json:"ended"`
}

// ReadTest reads a kept test.
func ReadTest(b json.RawMessage) (Test, error) {
	var t Test
	err := json.Unmarshal(b, &t)
	return t, err
}
