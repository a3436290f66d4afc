package guard

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"rentgen/assets/texts"
)

// Action names a command that ends billing; it is fixed in the program on the
// host. The list is provider.StopActions.
type Action string

// Bounds of an order; those of the program on the host.
const (
	MinAfter         = 5 * time.Minute
	MaxAfter         = 24 * time.Hour
	DefaultAfter     = 30 * time.Minute
	MinCountdown     = time.Minute
	MaxCountdown     = time.Hour
	DefaultCountdown = 5 * time.Minute
	// QueueQuiet is how long everything is quiet before a queue that has ended
	// counts as ended.
	QueueQuiet = 2 * time.Minute
	maxPorts   = 16
)

// The ports of programs that paint, as their own pages give them: ComfyUI, then
// AUTOMATIC1111 and Forge.
const (
	ComfyPort = 8188
	WebUIPort = 7860
)

// Order is what the user switches on for a host.
type Order struct {
	Action    Action
	After     time.Duration // how long everything must have been quiet
	OnQueue   bool          // also when the queue at QueuePort has ended
	QueuePort int
	Ports     []int // of the programs that paint: who sends to them is at work
	DryRun    bool
	Countdown time.Duration
	Given     time.Time
}

type orderJSON struct {
	Action    Action    `json:"action"`
	AfterS    int64     `json:"after_s"`
	OnQueue   bool      `json:"on_queue"`
	QueuePort int       `json:"queue_port,omitempty"`
	Ports     []int     `json:"ports,omitempty"`
	DryRun    bool      `json:"dry_run"`
	Countdown int64     `json:"countdown_s"`
	Given     time.Time `json:"given,omitzero"`
}

// MarshalJSON writes durations as whole seconds.
func (o Order) MarshalJSON() ([]byte, error) {
	return json.Marshal(orderJSON{
		o.Action, int64(o.After / time.Second), o.OnQueue, o.QueuePort, o.Ports, o.DryRun, int64(o.Countdown / time.Second), o.Given,
	})
}

// UnmarshalJSON reads what MarshalJSON writes; without a word it is a dry run.
func (o *Order) UnmarshalJSON(b []byte) error {
	j := orderJSON{DryRun: true}
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*o = Order{j.Action, seconds(j.AfterS), j.OnQueue, j.QueuePort, j.Ports, j.DryRun, seconds(j.Countdown), j.Given}
	return nil
}

// seconds turns a host's number into a duration; what is out of range is 0.
func seconds(n int64) time.Duration {
	const year = 366 * 24 * 3600
	if n < 0 || n > year {
		return 0
	}
	return time.Duration(n) * time.Second
}

// Check says in an InputError which field is out of bounds.
func (o Order) Check() error {
	bad := func(field, value string, from, to any) error {
		return &texts.InputError{Field: field, Value: value, Allowed: texts.P("guard.allowed", "from", from, "to", to)}
	}
	switch {
	case o.After < MinAfter || o.After > MaxAfter:
		return bad("after", o.After.String(), duration(MinAfter), duration(MaxAfter))
	case o.Countdown < MinCountdown || o.Countdown > MaxCountdown:
		return bad("countdown", o.Countdown.String(), duration(MinCountdown), duration(MaxCountdown))
	case o.OnQueue && (o.QueuePort < 1 || o.QueuePort > 65535):
		return bad("queue-port", strconv.Itoa(o.QueuePort), 1, 65535)
	}
	return nil
}

// With returns the order with further ports, and whether it differs: what is no port
// or there already is left out, and so is what would be too many.
func (o Order) With(ports ...int) (Order, bool) {
	all := slices.Clone(o.Ports)
	for _, p := range ports {
		if p >= 1 && p <= 65535 && len(all) < maxPorts && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	differs := len(all) != len(o.Ports)
	slices.Sort(all)
	o.Ports = all
	return o, differs
}

// NewOrder returns the order of an eligible host: a dry run with the presets. The
// ports are those at which programs paint, those that the provider opens and those
// that the user's forwards lead to.
func NewOrder(e Eligibility, forwards ...int) Order {
	ports := append([]int{ComfyPort, WebUIPort}, e.ports...)
	ports = append(ports, forwards...)
	ports = slices.DeleteFunc(ports, func(p int) bool { return p < 1 || p > 65535 })
	slices.Sort(ports)
	ports = slices.Compact(ports)
	return Order{
		Action: e.Action, After: DefaultAfter, QueuePort: ComfyPort, Ports: ports[:min(len(ports), maxPorts)], DryRun: true, Countdown: DefaultCountdown,
	}
}
