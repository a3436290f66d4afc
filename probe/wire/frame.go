// Package wire is the language between our program on the host and the laptop:
// one hello line in ASCII, then frames, each a uvarint length and one CBOR map
// with integer keys. The other side is never trusted: lengths, counts and depth
// are bounded, text is cleaned, and a frame that breaks a rule ends the stream.
//
// Both ends keep the values of the frame before: a tick carries only what has
// changed since. An inventory starts anew. Eight cards take about 500 bytes a
// tick this way, whatever they do not support.
package wire

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"rentgen/probe"
)

// Proto is the version of the language. Another one means another build of the
// program on the host; the laptop then installs its own.
const Proto = 1

// Bounds of a stream. A sender cuts text and lists to them; a receiver refuses
// what exceeds them.
const (
	MaxFrame     = 1 << 20 // bytes of one frame
	MaxText      = 4096    // bytes of one string
	MaxDevices   = 256     // cards and MIG instances
	MaxProcesses = 1024    // of one card
	MaxSpreads   = 2 * probe.GPUMetricCount
	MaxDepth     = 16  // nesting of a frame
	maxPairs     = 256 // of one map
)

// Hello is the first thing our program says.
type Hello struct {
	Proto     int       `json:"proto"`
	Version   string    `json:"agent"`
	SHA       string    `json:"sha,omitempty"` // of the running program, hexadecimal
	Driver    string    `json:"driver,omitempty"`
	BootID    string    `json:"boot_id,omitempty"`
	Init      time.Time `json:"init,omitzero"` // start of PID 1
	PID       int       `json:"pid"`
	Rates     []float64 `json:"rates"` // Hz that Control.Rate may ask for
	NoLibrary string    `json:"no_library,omitempty"`
	// NoLibrary says why NVML could not be opened; "" where it could.
	Resident bool `json:"resident,omitempty"` // a recorder was started on this host and holds readings
}

// Control is what the laptop asks. Every control replaces the settings of the
// one before; a Ping other than 0 is answered at once.
type Control struct {
	Rate   float64 `cbor:"1,keyasint,omitempty"` // ticks a second; 0 leaves it
	Paused bool    `cbor:"2,keyasint,omitempty"` // no ticks; heartbeats go on
	Ping   uint64  `cbor:"3,keyasint,omitempty"` // 0 for none
	Slow   bool    `cbor:"4,keyasint,omitempty"` // read the metrics of the 10 s group now
}

// Pong answers a ping with the host's clocks.
type Pong struct {
	Ping uint64
	Wall time.Time
	Mono time.Duration
}

// Heartbeat says that the program lives, also when a driver call hangs.
type Heartbeat struct {
	Mono    time.Duration `cbor:"1,keyasint"`
	Dropped uint64        `cbor:"2,keyasint,omitempty"` // ticks not sent because the link was blocked
	CPU     time.Duration `cbor:"3,keyasint,omitempty"` // used by the program since its start
}

// Start heads what one run of the resident recorder wrote. Seq of its records
// rises by one from 1 on.
type Start struct {
	Ring    string        `cbor:"1,keyasint"` // of all runs since the recorder was switched on
	Run     uint64        `cbor:"2,keyasint"` // rises with every run of the ring
	BootID  string        `cbor:"3,keyasint,omitempty"`
	Init    int64         `cbor:"4,keyasint,omitempty"` // start of PID 1, Unix nanoseconds
	Wall    int64         `cbor:"5,keyasint"`           // the host's clocks at the start
	Mono    time.Duration `cbor:"6,keyasint"`
	Version string        `cbor:"7,keyasint,omitempty"`
	Stopped bool          `cbor:"8,keyasint,omitempty"` // the run before was ended by the person
}

// Hole is a span that the recorder itself could not keep, on the host's
// monotonic clock.
type Hole struct {
	From   time.Duration `cbor:"1,keyasint"`
	To     time.Duration `cbor:"2,keyasint"`
	Reason string        `cbor:"3,keyasint"` // a probe.GapReason
}

// Frame is one message of the host; usually one field is set.
type Frame struct {
	Inventory *probe.Inventory
	Sample    *probe.Sample
	Event     *probe.Event
	Pong      *Pong
	Heartbeat *Heartbeat
	Error     string // why the program ends
	// What the recorder kept comes with the three below; Done is the last.
	Start *Start
	Hole  *Hole
	Done  bool
}

// Clean strips what a host could use to forge a line or a direction: control
// and format characters; invalid UTF-8 becomes U+FFFD.
func Clean(s string) string {
	plain := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c >= 0x7f {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError {
			return utf8.RuneError
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			return -1
		}
		return r
	}, s)
}
