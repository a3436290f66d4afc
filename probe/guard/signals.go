package guard

import (
	"time"

	"rentgen/probe"
)

// Signal names what the guard looks at; text "guard.signal.<signal>".
type Signal string

// The signals.
const (
	SignalGPU      Signal = "gpu"
	SignalCPU      Signal = "cpu"
	SignalDisk     Signal = "disk"
	SignalNet      Signal = "net"
	SignalTerminal Signal = "terminal" // somebody types
	SignalForward  Signal = "forward"  // somebody works with the program that paints
	SignalQueue    Signal = "queue"    // it has jobs
	SignalWatch    Signal = "watch"    // the guard itself missed some time
)

// Above these a signal is busy.
const (
	// GPULimit in percent of a card, in any second. A card that only holds a model
	// stands at 0; asking it for readings costs a percent or two.
	GPULimit = 5.0
	// CPULimit in cores, mean of Window. A program that paints and waits, a
	// notebook and our own program together stay below a tenth of a core; anything
	// that computes takes half of one at least.
	CPULimit = 0.2
	// DiskLimit in MB/s, mean of Window. Logs and journals write less; copying or
	// unpacking at this pace would take a quarter of an hour a gigabyte.
	DiskLimit = 1.0
	// NetLimit in MB/s, mean of Window, in both directions together. Our own
	// readings need 0.02 at ten a second of eight cards; a download at this pace
	// takes five and a half hours a gigabyte.
	NetLimit = 0.05
	// Window smooths CPU, disk and network: jobs of the system that run for a
	// second each minute are no work, and work that lasts shows within it.
	Window = time.Minute
	// TypedLimit in seconds: the kernel notes the last key at a terminal to 8 s.
	TypedLimit = 10.0
	// SentLimit in seconds since the last byte from who is connected to the
	// program that paints.
	SentLimit = 10.0
)

// Signals are what a second's readings don't hold. A zero Value is unreadable,
// and so busy.
type Signals struct {
	// CPU is the use in cores and Disk the traffic in MB/s of everything that can
	// be seen from here, by the control group. Where they are missing the machine's
	// own readings count, which hold what other tenants do as well.
	CPU, Disk probe.Value
	// Cores is how many the machine's CPU reading is a share of; 0 unknown.
	Cores int
	// Terminal is how many seconds ago a key was last struck at any terminal.
	Terminal probe.Value
	// Conns is how many connections the watched ports have from elsewhere, Sent
	// how many seconds ago the last of them sent something. Without Sent any
	// connection is a person.
	Conns, Sent probe.Value
	// Queue is how many jobs run or wait; looked at only where the order says so.
	Queue probe.Value
}

// Reason is one signal that is not quiet.
type Reason struct {
	Signal Signal `json:"signal"`
	// Unread says that it could not be read; State and Raw why.
	Unread bool   `json:"unread,omitempty"`
	State  string `json:"state,omitempty"`
	Raw    string `json:"raw,omitempty"`
	// Value is what was read and Limit what is still quiet, in the signal's unit:
	// percent, cores, MB/s, seconds ago, jobs, seconds missed.
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
	GPU   string  `json:"gpu,omitempty"` // UUID
}

func unread(s Signal, v probe.Value) *Reason {
	return &Reason{Signal: s, Unread: true, State: v.State.String(), Raw: clip(v.Raw)}
}

// above is the reason of a value over its limit, nil for a quiet one.
func above(s Signal, v probe.Value, limit float64) *Reason {
	n, ok := v.Ok()
	switch {
	case !ok:
		return unread(s, v)
	case n > limit:
		return &Reason{Signal: s, Value: n, Limit: limit}
	}
	return nil
}

// recent is the reason of something that happened less than limit seconds ago.
func recent(s Signal, v probe.Value, limit float64) *Reason {
	n, ok := v.Ok()
	switch {
	case !ok:
		return unread(s, v)
	case n < limit:
		return &Reason{Signal: s, Value: n, Limit: limit}
	}
	return nil
}

// cards returns the reasons of the cards. No card is no proof of quiet. The
// video engines count where they can be read.
func cards(s *probe.Sample) []Reason {
	if s == nil || len(s.GPUs) == 0 {
		return []Reason{*unread(SignalGPU, probe.Missing(probe.Error, "no card"))}
	}
	var rs []Reason
	for i := range s.GPUs {
		g := &s.GPUs[i]
		r := above(SignalGPU, g.Get(probe.UtilGPU), GPULimit)
		for _, m := range []probe.Metric{probe.UtilEnc, probe.UtilDec} {
			if n, ok := g.Get(m).Ok(); ok && n > GPULimit && r == nil {
				r = &Reason{Signal: SignalGPU, Value: n, Limit: GPULimit}
			}
		}
		if r != nil {
			r.GPU = clip(g.UUID)
			rs = append(rs, *r)
		}
	}
	return rs
}

// load is what a second took of CPU (cores), disk and network (MB/s).
type load struct{ cpu, disk, net probe.Value }

// loadOf prefers what can be seen from here to the whole machine's readings.
func loadOf(s *probe.Sample, sig Signals) load {
	none := probe.Missing(probe.Error, "no reading")
	l := load{cpu: sig.CPU, disk: sig.Disk, net: none}
	var sys *probe.System
	if s != nil {
		sys = s.System
	}
	if sys != nil {
		l.net = probe.Sum(sys.Get(probe.NetRx), sys.Get(probe.NetTx))
	}
	if l.cpu.State != probe.OK && sys != nil {
		pct := sys.Get(probe.CPU)
		switch n, ok := pct.Ok(); {
		case ok && sig.Cores > 0:
			l.cpu = probe.Of(n / 100 * float64(sig.Cores))
		case !ok:
			l.cpu = pct
		}
	}
	if l.disk.State != probe.OK && sys != nil {
		l.disk = probe.Sum(sys.Get(probe.DiskRead), sys.Get(probe.DiskWrite))
	}
	return l
}

// person returns the reasons that somebody is there.
func person(sig Signals) []Reason {
	var rs []Reason
	if r := recent(SignalTerminal, sig.Terminal, TypedLimit); r != nil {
		rs = append(rs, *r)
	}
	n, ok := sig.Conns.Ok()
	switch {
	case !ok:
		rs = append(rs, *unread(SignalForward, sig.Conns))
	case n > 0:
		if _, told := sig.Sent.Ok(); !told {
			rs = append(rs, Reason{Signal: SignalForward, Value: 0, Limit: SentLimit, Raw: "connected"})
		} else if r := recent(SignalForward, sig.Sent, SentLimit); r != nil {
			rs = append(rs, *r)
		}
	}
	return rs
}

// clip bounds foreign text in a state.
func clip(s string) string {
	const most = 80
	out := make([]rune, 0, most)
	for _, r := range s {
		if r < ' ' || r == 0x7f || r == 0xfffd {
			r = ' '
		}
		if len(out) == most {
			break
		}
		out = append(out, r)
	}
	return string(out)
}
