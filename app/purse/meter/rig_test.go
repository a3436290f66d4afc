package meter

import (
	"strings"
	"testing"
	"time"

	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/pursetest"
	"rentgen/app/purse/tariff"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// bySM takes a card whose cores work for busy.
type bySM struct{}

func (bySM) Inventory(*probe.Inventory) {}

func (bySM) Second(s *probe.Sample) State {
	for i := range s.GPUs {
		switch v, ok := s.GPUs[i].Get(probe.UtilGPU).Ok(); {
		case !ok:
			return Unknown
		case v > 5:
			return Busy
		}
	}
	return Idle
}

// rig is a book with a clock that is set by hand, and a host with its messages.
type rig struct {
	t     *testing.T
	now   time.Time
	store *pursetest.Store
	book  *Book
	run   probe.Run
	skew  time.Duration // of the host's clock
	fire  []func()      // what waits to be saved
}

const host = "h"

func newRig(t *testing.T, start time.Time) *rig {
	t.Helper()
	r := &rig{t: t, now: start, store: &pursetest.Store{}}
	r.open()
	return r
}

// open starts the program anew over the same store.
func (r *rig) open() {
	r.t.Helper()
	r.fire = nil
	r.book = NewBook(BookParams{
		Store: r.store, Now: func() time.Time { return r.now }, Zone: r.now.Location(), Classify: func() Classifier { return bySM{} },
		After:  func(_ time.Duration, f func()) { r.fire = append(r.fire, f) },
		Failed: func(err error) { r.t.Errorf("not kept: %v", err) },
	})
	if err := r.book.Load(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

// save does what is due.
func (r *rig) save() {
	due := r.fire
	r.fire = nil
	for _, f := range due {
		f()
	}
}

func (r *rig) price(in tariff.Typed) {
	r.t.Helper()
	tr, err := tariff.Parse(in, r.now)
	if err == nil {
		err = r.book.SetTariff(r.t.Context(), host, tr)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// boot starts the instance; it was running for since when it is reached.
func (r *rig) boot(id string, since time.Duration) {
	r.run = probe.Run{BootID: id, Init: r.now.Add(r.skew - since)}
	r.connect(probe.ModeGPU)
}

func (r *rig) connect(mode probe.Mode) {
	r.book.Message(host, &probe.Inventory{Time: r.now.UTC(), Run: r.run, Mode: mode})
}

func sampleAt(at time.Time, skew time.Duration, util float64) *probe.Sample {
	s := &probe.Sample{Time: at.UTC(), HostTime: at.Add(skew).UTC(), GPUs: make([]probe.GPU, 1)}
	if util >= 0 {
		s.GPUs[0].Set(probe.UtilGPU, probe.Of(util))
	}
	return s
}

// look gives readings for a while: util below 0 can't be read.
func (r *rig) look(d time.Duration, util float64) {
	for end := r.now.Add(d); r.now.Before(end); {
		r.now = r.now.Add(time.Second)
		r.book.Message(host, sampleAt(r.now, r.skew, util))
	}
}

func (r *rig) glance() purse.Glance {
	g, _ := r.book.Glance(host)
	return g
}

func band(b money.Band) string { return b.Low.Fixed(2) + " " + b.High.Fixed(2) }

func (r *rig) say() string { return texts.For(texts.English).Say(r.glance().Say) }

func (r *rig) want(what, got, want string) {
	r.t.Helper()
	if got = strings.ReplaceAll(got, "\u2009", " "); got != want {
		r.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

var autodl = tariff.Typed{PerHour: "1.88", Provider: "autodl"}

func noon() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, shanghai) }
