package demo

import (
	"fmt"
	"math/rand/v2"
	"time"

	"rentgen/probe"
)

// driver is the driver's version on the demo host.
const driver = "550.90.07"

// product is a kind of card with the figures that its readings stay within.
type product struct {
	name           string
	mem, reserved  float64 // MiB
	cap, max       float64 // W
	idleW, loadW   float64 // W at rest with a model in memory, and when sampling
	clock, boost   float64 // MHz when sampling, and at most
	memClock       float64 // MHz
	slow           float64 // °C
	speed          float64 // seconds of denoising for one picture
	gen            float64 // PCIe
	bandwidthShare float64 // memory utilisation when sampling, percent
}

var (
	rtx4090 = product{
		name: "NVIDIA GeForce RTX 4090", mem: 24564, reserved: 414, cap: 450, max: 600, idleW: 19, loadW: 398,
		clock: 2595, boost: 3105, memClock: 10501, slow: 90, speed: 4.4, gen: 4, bandwidthShare: 52,
	}
	rtx3090 = product{
		name: "NVIDIA GeForce RTX 3090", mem: 24576, reserved: 359, cap: 350, max: 385, idleW: 27, loadW: 344,
		clock: 1785, boost: 2100, memClock: 9751, slow: 93, speed: 8.1, gen: 4, bandwidthShare: 64,
	}
)

// world is the demo host from Start on, stepped forward by tick. Its course
// depends on the seed and on the time since Start only.
type world struct {
	p      Params
	cards  []*card
	quiet  *rand.Rand // noise
	ram    float64
	marks  int // events told so far
	procAt time.Duration
	last   time.Duration
	begun  bool
	sysAt  time.Duration
}

func newWorld(p Params) *world {
	w := &world{p: p, quiet: rand.New(rand.NewPCG(p.Seed, 0x6465_6d6f)), ram: 9200} //nolint:gosec // a demo
	if p.Fault == FaultNoGPU || p.Fault == FaultNoDriver {
		return w
	}
	for i := range p.Cards {
		kind := rtx4090
		if p.Cards <= 2 && i == 1 {
			kind = rtx3090
		}
		w.cards = append(w.cards, newCard(i, kind, p.Seed))
	}
	return w
}

func (w *world) mode() probe.Mode {
	switch w.p.Fault {
	case FaultNoGPU:
		return probe.ModeNoGPU
	case FaultNoDriver:
		return probe.ModeNoDriver
	}
	return probe.ModeGPU
}

// start is when the demo instance was started: before the demo begins.
func (w *world) start() time.Time {
	return w.p.Start.Add(-3 * time.Hour).UTC().Truncate(10 * time.Millisecond)
}

func (w *world) inventory() *probe.Inventory {
	inv := &probe.Inventory{
		Time: w.p.Start.UTC(), Driver: driver, CUDA: "12.4", Mode: w.mode(), Demo: true,
		Run: probe.Run{BootID: fmt.Sprintf("de30de30-0000-4000-8000-%012x", w.p.Seed), Init: w.start()},
		System: probe.Machine{
			OS: "Ubuntu 22.04.4 LTS", Kernel: "5.15.0-113-generic", Arch: "x86_64", Libc: "glibc 2.35",
			Hostname: "demo-instance", User: "root", CPUModel: "AMD EPYC 7763 64-Core Processor", Cores: 128,
			Quota: probe.Of(16), RAMTotal: probe.Of(515470), RAMLimit: probe.Of(ramLimit), Container: "docker",
		},
	}
	switch w.p.Fault {
	case FaultNoGPU:
		inv.Driver, inv.CUDA = "", ""
		inv.System.Quota, inv.System.RAMLimit = probe.Of(0.5), probe.Of(2048)
	case FaultNoDriver:
		inv.Driver, inv.CUDA, inv.System.Container = "", "", ""
		inv.System.Cores, inv.System.RAMTotal = 16, probe.Of(64386)
		inv.System.Quota, inv.System.RAMLimit = probe.Missing(probe.Unsupported, "max"), probe.Of(64386)
	}
	for _, c := range w.cards {
		inv.GPUs = append(inv.GPUs, c.device(w.p.Fault))
	}
	return inv
}

// ramLimit is what the demo's container may use, MiB.
const ramLimit = 92160

// processEvery and systemEvery are how often the slower readings come.
const (
	processEvery = 2 * time.Second
	systemEvery  = time.Second
)

// tick returns the reading at a moment and the events since the last one.
// silent is a moment at which nothing arrives: the short gap of the demo.
func (w *world) tick(at time.Time, step time.Duration) (s *probe.Sample, events []*probe.Event, silent bool) {
	t := at.Sub(w.p.Start)
	if !w.begun {
		w.begun, w.last = true, t-step
		w.procAt, w.sysAt = t-time.Hour, t-time.Hour
		w.marks = marksUntil(t)
	}
	dt := max(t-w.last, time.Millisecond)
	w.last = t
	s = &probe.Sample{}
	procs := t-w.procAt >= processEvery
	if procs {
		w.procAt = t
	}
	var load machineLoad
	for _, c := range w.cards {
		g := c.read(t, dt, w.p.Fault, procs, &load)
		s.GPUs = append(s.GPUs, g)
	}
	if t-w.sysAt >= systemEvery {
		w.sysAt = t
		s.System = w.machine(t, load)
	}
	if len(w.cards) > 0 {
		events = w.events(at, t)
	}
	return s, events, len(w.cards) > 0 && w.p.Fault == FaultNone && holed(t)
}

// noise returns a value around 0, mostly within -1 and 1.
func noise(r *rand.Rand) float64 { return r.NormFloat64() / 2 }
