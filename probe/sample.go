package probe

import (
	"encoding/json"
	"fmt"
	"time"
)

// Message is what a look produces, in order: *Inventory, *Sample, *Event or
// *Gap.
type Message interface{ message() }

func (*Inventory) message() {}
func (*Sample) message()    {}
func (*Event) message()     {}
func (*Gap) message()       {}

// Sample is one tick: every card and, at whole seconds, the machine.
type Sample struct {
	// Seq rises by one with every tick of one reader and never has a hole; a
	// hole seen by a receiver is a gap.
	Seq uint64
	// Time is when it was read, in the laptop's UTC. The reader on the host
	// fills it with the host's clock; probe/stream corrects it.
	Time time.Time
	// HostTime is the host's own wall clock at the reading.
	HostTime time.Time
	// Mono is the host's monotonic clock, which survives a step of the wall clock.
	Mono time.Duration
	GPUs []GPU
	// System is nil on ticks between whole seconds.
	System *System
}

// GPU is what one tick read from one card or MIG instance.
type GPU struct {
	Index  int // as the driver numbers it; not stable, key on UUID
	UUID   string
	Name   string
	Values [GPUMetricCount]Value
	// Spreads hold what happened between two ticks for metrics whose driver
	// buffer was drained.
	Spreads []Spread
	// Procs is nil on ticks that did not ask.
	Procs *Processes
}

// Get returns the value of a card metric; asking for a system metric returns
// an unsupported value.
func (g *GPU) Get(m Metric) Value {
	if int(m) < GPUMetricCount {
		return g.Values[m]
	}
	return Missing(Unsupported, "")
}

// Set stores the value of a card metric.
func (g *GPU) Set(m Metric, v Value) {
	if int(m) < GPUMetricCount {
		g.Values[m] = v
	}
}

// Attribute sets the metrics that follow from the list of processes: what is
// ours of the card's memory and work, and how many processes there are. Without
// a list they stay as they are; a list that could not be read makes them
// missing for its reason. What hidden processes use is in none of them.
func (g *GPU) Attribute() {
	p := g.Procs
	if p == nil {
		return
	}
	if p.State != OK {
		for _, m := range []Metric{OwnMem, OwnUtil, OwnProcs, OtherProcs} {
			g.Set(m, Missing(p.State, p.Raw))
		}
		return
	}
	var own, other int
	sum := func(pick func(*Process) Value) Value {
		total, seen := 0.0, false
		for i := range p.List {
			if x, ok := pick(&p.List[i]).Ok(); ok && p.List[i].Own {
				total, seen = total+x, true
			}
		}
		if !seen && own > 0 {
			return Missing(Unsupported, "")
		}
		return Of(total)
	}
	for i := range p.List {
		if p.List[i].Own {
			own++
		} else {
			other++
		}
	}
	g.Set(OwnProcs, Of(float64(own)))
	g.Set(OtherProcs, Of(float64(other)))
	g.Set(OwnMem, sum(func(p *Process) Value { return p.Mem }))
	g.Set(OwnUtil, sum(func(p *Process) Value { return p.Util }))
}

// Spread is the least and the greatest of N readings between two ticks; the
// tick's own value is their mean.
type Spread struct {
	Metric   Metric
	Min, Max float64
	N        int
}

// SpreadOf returns the spread of m, or one made of the single value.
func (g *GPU) SpreadOf(m Metric) (Spread, bool) {
	for _, s := range g.Spreads {
		if s.Metric == m {
			return s, true
		}
	}
	n, ok := g.Get(m).Ok()
	return Spread{Metric: m, Min: n, Max: n, N: 1}, ok
}

// System is what one tick read of the machine beside the cards.
type System struct {
	Values [SystemMetricCount]Value
}

// Get returns the value of a system metric; asking for a card metric returns
// an unsupported value.
func (s *System) Get(m Metric) Value {
	if m.System() && m.Valid() {
		return s.Values[m-firstSystem]
	}
	return Missing(Unsupported, "")
}

// Set stores the value of a system metric.
func (s *System) Set(m Metric, v Value) {
	if m.System() && m.Valid() {
		s.Values[m-firstSystem] = v
	}
}

// Processes is the process list of a card. An empty list with State OK means
// that the driver named none; memory in use all the same belongs to processes
// it hides.
type Processes struct {
	State State
	Raw   string
	List  []Process
}

// Process is one entry of the driver's list.
type Process struct {
	PID  int
	Name string // "" where it can't be read
	Mem  Value  // MiB
	Util Value  // percent of the SMs
	// Own is true where the pid is a process of this container or machine as
	// seen from the login; false means outside this container.
	Own bool
}

// Event is something that happened at a moment.
type Event struct {
	Time time.Time
	GPU  string // UUID, "" for the host
	Kind string // one of the Event constants
	Code int    // Xid number, exit code; 0 where there is none
	Text string // an English sentence; the face says it in its own words from Kind and Code
	Raw  string // what the host said, control characters stripped, bounded
}

// The kinds of events.
const (
	EventXid            = "xid"             // Code holds the number
	EventLost           = "gpu.lost"        // fell off the bus
	EventBack           = "gpu.back"        // readable again
	EventReset          = "gpu.reset"       // requires reset
	EventAccess         = "gpu.access"      // the container lost its cards; it must be restarted
	EventStalled        = "gpu.stalled"     // a driver call does not return
	EventDriverMismatch = "driver.mismatch" // library and kernel module differ
	EventSymbol         = "symbol"          // the driver lacks an optional function
	EventNoise          = "noise"           // a line that is no reading
	EventSource         = "source"          // readings come another way now; Text says why
	EventRun            = "run"             // the instance was restarted or re-created
	EventNoGPU          = "no-gpu"          // the platform started it without a card
	EventClock          = "clock"           // the host's clock was set
)

// Fill is what a recorder on the host kept while nobody listened, in the order
// in which it was read: inventories, samples, events and gaps, all in the
// laptop's UTC. Samples keep the recorder's own numbers.
type Fill struct {
	// Cursor says how far this and all before it reach. Whoever keeps a fill
	// keeps it with it, in one transaction; to others it means nothing.
	Cursor string
	// Ring and Run name the run of the recorder that all of it is from, BootID
	// the run of the machine.
	Ring     string
	Run      uint64
	BootID   string
	Messages []Message
	// Rough says that the times come from the host's wall clock of an earlier
	// boot: right to what that clock was wrong by.
	Rough bool
	// Last is set on the last fill of a connection.
	Last bool
}

// GapReason says why nothing is known of a span.
type GapReason string

// The reasons for a gap.
const (
	GapLink   GapReason = "link"
	GapHost   GapReason = "host"
	GapGPU    GapReason = "gpu"
	GapAgent  GapReason = "agent"
	GapPaused GapReason = "paused"
	GapRolled GapReason = "rolled" // only minutes or hours are kept of it, no readings
	GapLog    GapReason = "log"    // the log that was read has nothing of it
	GapDisk   GapReason = "disk"   // the recorder on the host had no space left
)

// Gap is a span without readings, of the whole host or of one card.
type Gap struct {
	From, To time.Time
	Reason   GapReason
	GPU      string // UUID, "" for the whole host
}

// processJSON and the marshalers below hold the shapes of docs/contracts.md.
type processJSON struct {
	PID  int    `json:"pid"`
	Name string `json:"name"`
	Mem  Value  `json:"mem_mib"`
	Util Value  `json:"util_pct"`
	Own  bool   `json:"own"`
}

// MarshalJSON writes the documented object.
func (p Process) MarshalJSON() ([]byte, error) {
	return json.Marshal(processJSON(p))
}

// MarshalJSON writes the documented object: every metric by its key, always
// all of them.
func (g GPU) MarshalJSON() ([]byte, error) {
	o := make(map[string]any, GPUMetricCount+6)
	o["index"], o["uuid"], o["name"] = g.Index, g.UUID, g.Name
	for _, m := range GPUMetrics() {
		v := g.Values[m]
		if bits, ok := v.Mask(); ok && m.Info().Kind == Mask {
			o[m.String()] = fmt.Sprintf("0x%016x", bits)
			continue
		}
		o[m.String()] = v
	}
	procs := []Process{}
	state, raw := Pending, ""
	if g.Procs != nil {
		state, raw = g.Procs.State, g.Procs.Raw
		procs = append(procs, g.Procs.List...)
	}
	o["processes"] = procs
	o["processes_state"] = state.String()
	if raw != "" {
		o["processes_raw"] = raw
	}
	return json.Marshal(o)
}

// MarshalJSON writes the documented object: every metric by its key.
func (s System) MarshalJSON() ([]byte, error) {
	o := make(map[string]any, SystemMetricCount)
	for _, m := range SystemMetrics() {
		o[m.String()] = s.Get(m)
	}
	return json.Marshal(o)
}
