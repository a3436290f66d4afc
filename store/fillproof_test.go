package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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

var errLink = errors.New("the link is gone")

// connect is a connection: it reads n seconds live and fetches meanwhile; the
// link may go at any frame of that.
func (w *world) connect(n, frames int) {
	w.record()
	if w.rec == nil {
		w.begin()
	}
	w.rec.Message(w.inventory())
	w.live()
	first := w.last
	filler := testFiller(w.store)
	cursor, err := filler.Cursor(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	// The clock is measured with an error of some milliseconds.
	jitter := time.Duration(w.rnd.IntN(7)-3) * time.Millisecond
	now := resident.Clock{BootID: w.bootID(), Base: w.laptop().Add(-w.mono()).Add(withinSecond + jitter), Ahead: hostAhead - w.skew}
	c := resident.NewConverter(cursor, now, first, func(f *probe.Fill) error { return filler.Fill(w.t.Context(), f) })
	from, err := resident.ParsePosition(c.From())
	if err != nil {
		w.t.Fatal(err)
	}
	done := errors.New("done")
	err = resident.Read(w.ring, w.plan.Ring, from, func(f wire.Frame) error {
		if frames--; frames < 0 {
			return errLink
		}
		over, err := c.Frame(f)
		if over {
			return done
		}
		return err
	})
	switch {
	case errors.Is(err, errLink):
		if w.rnd.IntN(2) == 0 { // else the laptop's program goes with the link
			err = c.Flush()
		} else {
			err = nil
		}
	case err == nil, errors.Is(err, done):
		err = c.Finish()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	for range n {
		w.live()
	}
	w.kills++
}

// TestNothingIsLostWhileTheLaptopSleeps kills the link 200 times at random
// moments while a trace plays, kills the recorder, reboots the host, fills its
// disk and ends the laptop's program or, in the second case, sets the laptop's
// clock. Every second of the trace must be in history once, or in a gap that
// says why. RENTGEN_SOAK is how many such nights are played.
func TestNothingIsLostWhileTheLaptopSleeps(t *testing.T) {
	nights := 1
	if n, err := strconv.Atoi(os.Getenv("RENTGEN_SOAK")); err == nil {
		nights = n
	}
	for night := range nights {
		for _, jumps := range []bool{false, true} {
			t.Run(fmt.Sprintf("night %d, clock set %v", night, jumps), func(t *testing.T) {
				w := &world{
					t: t, rnd: rand.New(rand.NewPCG(uint64(night), 7)), dir: t.TempDir(), ring: filepath.Join(t.TempDir(), "resident"),
					zero: -1000, k: -1, skews: []time.Duration{0},
				}
				var err error
				if w.plan, err = resident.Make(w.ring, 0, 0, hourZero); err != nil {
					t.Fatal(err)
				}
				w.night(200, jumps)
				w.check(jumps)
			})
		}
	}
}

func (w *world) night(kills int, jumps bool) {
	r := w.rnd
	w.connect(5, 1<<30)
	for w.kills < kills {
		if w.kills == kills/2 { // longer than what fits in memory
			w.record()
			w.full = true
			for range 800 {
				w.second(false)
			}
			w.full = false
			for range 10 {
				w.second(false)
			}
		}
		// The link is gone; what happens meanwhile takes its time.
		for range 1 + r.IntN(4) {
			for range 1 + r.IntN(15) {
				w.second(false)
			}
			switch r.IntN(14) {
			case 0:
				w.kill()
			case 1: // reboot
				w.kill()
				w.down = true
				for range 1 + r.IntN(20) {
					w.second(false)
				}
				w.down = false
				w.boot++
				w.zero = w.k - 10 - r.IntN(20)
			case 2:
				w.full = true
			case 3, 4:
				w.full = false
			case 5:
				if w.store != nil && !jumps {
					w.leave()
				}
			case 6:
				if jumps && w.store != nil && len(w.skews) < 7 { // as while it slept
					// Longer than the trace, so that no second of the laptop stands for two.
					w.skew += 3 * time.Hour
					w.skews = append(w.skews, w.skew)
				}
			}
		}
		frames := 1 << 30
		if r.IntN(3) == 0 {
			frames = r.IntN(120)
		}
		w.connect(r.IntN(30), frames)
	}
	w.full = false
	for range 30 { // long enough for what waited in memory
		w.live()
	}
	w.connect(3, 1<<30)
	w.leave()
}

// reasons lists what a missing second may be told as. A hole of the recorder that
// holds a reboot is the host's as a whole: nobody was there to tell where it
// began. What waited in the memory of a recorder that was killed went with it.
func (w *world) reasons() [][]string {
	out := make([][]string, len(w.fate))
	for i := 0; i < len(w.fate); {
		j := i
		host := false
		for ; j < len(w.own) && w.own[j] != ""; j++ {
			host = host || w.own[j] == "host"
		}
		for k := i; k < j; k++ {
			out[k] = []string{"agent"}
			if host {
				out[k] = []string{"host"}
			}
			switch w.fate[k] {
			case "maybe disk":
				out[k] = []string{"disk", "agent", "host"}
			case "agent":
				out[k] = []string{"agent", out[k][0]}
			}
		}
		i = j + 1
	}
	return out
}

func (w *world) check(jumps bool) {
	t := w.t
	s := open(t, w.dir)
	list, err := s.Recordings(t.Context(), Filter{Host: "h1"})
	if err != nil {
		t.Fatal(err)
	}
	times := map[int]int{}
	for _, r := range list {
		for sample, err := range s.Samples(t.Context(), r.ID, time.Time{}, time.Time{}) {
			if err != nil {
				t.Fatal(err)
			}
			if len(sample.GPUs) == 0 {
				t.Fatalf("a second without the card at %v", sample.Time)
			}
			k, ok := sample.GPUs[0].Get(probe.MemUsed).Ok()
			if !ok {
				t.Fatalf("a second without its value at %v", sample.Time)
			}
			times[int(k)]++
			if !jumps && sample.Time.Unix() != hourZero.Unix()+int64(k) {
				t.Errorf("second %d stands at %v", int(k), sample.Time.Sub(hourZero))
			}
		}
	}
	gaps, err := s.Gaps(t.Context(), Span{Host: "h1"})
	if err != nil {
		t.Fatal(err)
	}
	within := func(k int) (reasons []string) {
		for _, skew := range w.skews {
			at := hourZero.Add(time.Duration(k)*time.Second + skew + withinSecond)
			for _, g := range gaps {
				if at.After(g.From) && at.Before(g.To) {
					reasons = append(reasons, string(g.Reason))
				}
			}
		}
		return reasons
	}
	may := w.reasons()
	kept, told := 0, map[string]int{}
	for k, fate := range w.fate {
		reasons := within(k)
		switch n := times[k]; {
		case n == 1:
			kept++
			if !jumps && len(reasons) > 0 {
				t.Errorf("second %d is there and in a gap: %q", k, reasons)
			}
		case n > 1:
			t.Errorf("second %d is there %d times", k, n)
		case len(reasons) == 0:
			t.Errorf("second %d (%q) is lost without a word", k, fate)
		case fate == "":
			t.Errorf("second %d was kept by somebody and is not there: %q", k, reasons)
		case !jumps && len(reasons) != 1:
			t.Errorf("second %d has %q", k, reasons)
		default:
			told[reasons[0]]++
			if !jumps && !slices.Contains(may[k], reasons[0]) {
				t.Errorf("second %d is missing for %q, told as %q", k, may[k], reasons[0])
			}
		}
	}
	t.Logf("%d kills of the link, %d boots, %d seconds: %d in history once, gaps %v; %d logs", w.kills, w.boot+1, len(w.fate), kept, told, len(list))
	if kept == 0 || !jumps && (told["agent"] == 0 || told["host"] == 0 || told["disk"] == 0) {
		t.Error("the night was too quiet")
	}
}
