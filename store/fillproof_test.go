package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/resident"
	"rentgen/probe/wire"
)

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
// disk, ends the laptop's program and, in the second case, sets the laptop's
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
				if w.store != nil {
					w.leave()
				}
			case 6:
				if jumps && len(w.skews) < 7 { // as while it slept
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
