package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/resident"
	"rentgen/probe/wire"
)

// world plays a rented machine with a recorder, a laptop that comes and goes,
// and a trace: in its k-th second the card holds k MiB. Time is what second
// says; nothing waits.
type world struct {
	t      *testing.T
	rnd    *rand.Rand
	k      int // the second now
	store  *Store
	dir    string // of the store
	ring   string // folder of the recorder
	plan   resident.Plan
	skew   time.Duration // of the laptop's clock, which jumps
	skews  []time.Duration
	boot   int
	zero   int  // second at which the boot's monotonic clock was 0
	down   bool // the host
	full   bool // its disk
	writer *resident.Writer
	last   time.Time // of the last live reading, laptop's time
	lastIn string    // boot of it
	rec    *Recorder
	seq    uint64
	fate   []string // why a second may be missing, by second; "" is kept
	own    []string // the same of the recorder alone
	kills  int
}

const (
	hostAhead = 37 * time.Second
	// withinSecond is where in its second a reading is taken.
	withinSecond = 300 * time.Millisecond
)

func (w *world) bootID() string      { return fmt.Sprintf("boot-%d", w.boot) }
func (w *world) mono() time.Duration { return time.Duration(w.k-w.zero) * time.Second }
func (w *world) utc() time.Time      { return hourZero.Add(time.Duration(w.k) * time.Second) }
func (w *world) laptop() time.Time   { return w.utc().Add(w.skew) }

func (w *world) inventory() *probe.Inventory {
	return &probe.Inventory{
		Source: probe.SourceAgent, Agent: "test", Run: probe.Run{BootID: w.bootID(), Init: hourZero.Add(time.Duration(w.zero) * time.Second)},
		GPUs: []probe.Device{{UUID: cardA, Name: "NVIDIA GeForce RTX 4090"}},
	}
}

func (w *world) sample() *probe.Sample {
	s := &probe.Sample{Time: w.utc().Add(hostAhead), HostTime: w.utc().Add(hostAhead), Mono: w.mono(), GPUs: []probe.GPU{{UUID: cardA}}}
	s.GPUs[0].Set(probe.MemUsed, probe.Of(float64(w.k)))
	s.System = &probe.System{}
	s.System.Set(probe.CPU, probe.Of(float64(w.k%100)))
	return s
}

// record starts the recorder, as every connection does where it does not run.
func (w *world) record() {
	if w.writer != nil || w.down {
		return
	}
	inv := w.inventory()
	r, err := resident.OpenRing(resident.Params{
		Dir: w.ring, MaxBytes: 8 << 20,
		Start: wire.Start{
			Ring: w.plan.Ring, BootID: w.bootID(), Init: inv.Run.Init.UnixNano(), Version: "test",
			Wall: w.utc().Add(hostAhead).UnixNano(), Mono: w.mono(),
		},
		Write: func(f *os.File, b []byte) (int, error) {
			if !w.full {
				return f.Write(b)
			}
			n, _ := f.Write(b[:len(b)/2]) // a full disk takes a part
			return n, syscall.ENOSPC
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.writer = r
	w.writer.Write(wire.Frame{Inventory: inv}, w.mono())
}

// kill ends the recorder at once, perhaps in the middle of a record.
func (w *world) kill() {
	if w.writer == nil {
		return
	}
	w.writer = nil // what it held in memory is gone; what it wrote is not
	list, _ := filepath.Glob(filepath.Join(w.ring, "*.seg"))
	if len(list) == 0 || w.rnd.IntN(2) == 0 {
		return
	}
	slices.Sort(list)
	f, err := os.OpenFile(list[len(list)-1], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	half := make([]byte, 1+w.rnd.IntN(40))
	half[0] = 100
	if _, err := f.Write(half); err != nil {
		w.t.Fatal(err)
	}
}

// second goes on by one and says why it may be missing where nobody looks.
func (w *world) second(live bool) {
	w.k++
	fate := ""
	switch {
	case w.down:
		fate = string(probe.GapHost)
	case w.writer == nil:
		fate = string(probe.GapAgent)
	case w.full:
		fate = "maybe " + string(probe.GapDisk) // it may still wait in memory
	}
	if w.writer != nil {
		w.writer.Write(wire.Frame{Sample: w.sample()}, w.mono())
	}
	if fate == "" && w.writer.Trouble() != nil {
		fate = "maybe " + string(probe.GapDisk) // it is tried again every few seconds
	}
	w.own = append(w.own, fate)
	if live {
		fate = ""
	}
	w.fate = append(w.fate, fate)
}

// live is a second with a connection.
func (w *world) live() {
	w.second(true)
	s := w.sample()
	s.Time = w.laptop().Add(withinSecond)
	w.seq++
	s.Seq = w.seq
	if !w.last.IsZero() && s.Time.Sub(w.last) > 1500*time.Millisecond {
		reason := probe.GapLink
		if w.lastIn != w.bootID() {
			reason = probe.GapHost
		}
		w.rec.Message(&probe.Gap{From: w.last, To: s.Time, Reason: reason})
	}
	w.last, w.lastIn = s.Time, w.bootID()
	w.rec.Message(s)
}

// begin opens the history and a recording.
func (w *world) begin() {
	if w.store == nil {
		s, err := Open(w.t.Context(), Params{Dir: w.dir, Now: testNow})
		if err != nil {
			w.t.Fatal(err)
		}
		w.store = s
	}
	r, err := w.store.StartRecording(w.t.Context(), RecordingStart{HostID: "h1", HostName: "box"})
	if err != nil {
		w.t.Fatal(err)
	}
	w.rec, w.last = r, time.Time{}
}

// leave ends the laptop's program.
func (w *world) leave() {
	if w.rec != nil {
		if err := w.rec.Close("end"); err != nil {
			w.t.Fatal(err)
		}
		w.rec = nil
	}
	if err := w.store.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.store = nil
}
