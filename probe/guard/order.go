package guard

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Action names a command that ends billing. The command itself is fixed in the
// program on the host; an order only names it.
type Action string

// The actions, a closed list.
const (
	Shutdown Action = "shutdown"  // the system's own shutdown, as root
	RunPod   Action = "runpodctl" // runpodctl stop pod, of the pod we are in
)

// Actions returns the closed list.
func Actions() []Action { return []Action{Shutdown, RunPod} }

// Valid reports whether the action is in the closed list.
func (a Action) Valid() bool { return slices.Contains(Actions(), a) }

// Bounds of an order.
const (
	// MinAfter is longer than a model takes to load from a slow disk between two
	// pictures, and than a person needs to think.
	MinAfter = 5 * time.Minute
	MaxAfter = 24 * time.Hour
	// DefaultAfter is what an order without a time gets.
	DefaultAfter = 30 * time.Minute
	// QueueQuiet is how long everything must be quiet after the queue has ended:
	// the last picture is decoded and written, a result may be fetched at once.
	QueueQuiet       = 2 * time.Minute
	MinCountdown     = time.Minute
	MaxCountdown     = time.Hour
	DefaultCountdown = 5 * time.Minute
	maxPorts         = 16
)

// Order is what the user switched on for a host.
type Order struct {
	Action Action
	// After is how long everything must have been quiet.
	After time.Duration
	// OnQueue ends already QueueQuiet after the queue of the program at QueuePort
	// has been seen with jobs and then without; After still holds for the rest.
	OnQueue   bool
	QueuePort int
	// Ports are those of the programs that paint: who sends to them is a person
	// at work. The QueuePort counts as one of them.
	Ports []int
	// DryRun shows what would have happened and ends nothing.
	DryRun bool
	// KeepUntil holds the guard back until then, by the host's clock.
	KeepUntil time.Time
	// Countdown is how long a stop is announced before it comes.
	Countdown time.Duration
	// Given is when the order was given, by the laptop's clock.
	Given time.Time
}

type orderJSON struct {
	Action    Action    `json:"action"`
	AfterS    int64     `json:"after_s"`
	OnQueue   bool      `json:"on_queue"`
	QueuePort int       `json:"queue_port,omitempty"`
	Ports     []int     `json:"ports,omitempty"`
	DryRun    bool      `json:"dry_run"`
	KeepUntil time.Time `json:"keep_until,omitzero"`
	Countdown int64     `json:"countdown_s"`
	Given     time.Time `json:"given,omitzero"`
}

// MarshalJSON writes durations as whole seconds.
func (o Order) MarshalJSON() ([]byte, error) {
	return json.Marshal(orderJSON{
		Action: o.Action, AfterS: int64(o.After / time.Second), OnQueue: o.OnQueue, QueuePort: o.QueuePort, Ports: o.Ports,
		DryRun: o.DryRun, KeepUntil: o.KeepUntil, Countdown: int64(o.Countdown / time.Second), Given: o.Given,
	})
}

// UnmarshalJSON reads what MarshalJSON writes. An order that does not say that it
// is armed is a dry run.
func (o *Order) UnmarshalJSON(b []byte) error {
	j := orderJSON{DryRun: true}
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	after, err := seconds(j.AfterS)
	if err != nil {
		return fmt.Errorf("after_s: %w", err)
	}
	countdown, err := seconds(j.Countdown)
	if err != nil {
		return fmt.Errorf("countdown_s: %w", err)
	}
	*o = Order{
		Action: j.Action, After: after, OnQueue: j.OnQueue, QueuePort: j.QueuePort, Ports: j.Ports,
		DryRun: j.DryRun, KeepUntil: j.KeepUntil, Countdown: countdown, Given: j.Given,
	}
	return nil
}

// seconds turns whole seconds of a file into a duration.
func seconds(n int64) (time.Duration, error) {
	const year = 366 * 24 * 3600
	if n < 0 || n > year {
		return 0, fmt.Errorf("%d is out of range", n)
	}
	return time.Duration(n) * time.Second, nil
}

// Check says what is wrong with an order: the field and what is allowed.
func (o Order) Check() error {
	switch {
	case !o.Action.Valid():
		return fmt.Errorf("action %q is not one of %v", o.Action, Actions())
	case o.After < MinAfter || o.After > MaxAfter:
		return fmt.Errorf("after is %s: %s to %s", o.After, MinAfter, MaxAfter)
	case o.Countdown < MinCountdown || o.Countdown > MaxCountdown:
		return fmt.Errorf("countdown is %s: %s to %s", o.Countdown, MinCountdown, MaxCountdown)
	case (o.OnQueue || o.QueuePort != 0) && !port(o.QueuePort):
		return fmt.Errorf("queue port is %d: 1 to 65535", o.QueuePort)
	case len(o.Ports) > maxPorts:
		return fmt.Errorf("%d ports: at most %d", len(o.Ports), maxPorts)
	}
	for _, p := range o.Ports {
		if !port(p) {
			return fmt.Errorf("port is %d: 1 to 65535", p)
		}
	}
	return nil
}

// Watched returns the ports whose traffic is a person's, each once.
func (o Order) Watched() []int {
	ps := slices.Clone(o.Ports)
	if port(o.QueuePort) {
		ps = append(ps, o.QueuePort)
	}
	slices.Sort(ps)
	return slices.Compact(ps)
}

func port(n int) bool { return n > 0 && n <= 65535 }

// maxOrder bounds an order's file.
const maxOrder = 16 << 10

// ParseOrder reads and checks an order; a longer text than any order is refused.
func ParseOrder(b []byte) (Order, error) {
	if len(b) > maxOrder {
		return Order{}, fmt.Errorf("the order has %d bytes: at most %d", len(b), maxOrder)
	}
	var o Order
	if err := json.Unmarshal(b, &o); err != nil {
		return Order{}, fmt.Errorf("read the order: %w", err)
	}
	return o, o.Check()
}
