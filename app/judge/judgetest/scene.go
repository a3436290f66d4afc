package judgetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"rentgen/app/judge"
	"rentgen/probe"
)

// Scene is a labelled course of readings.
type Scene struct {
	Name string
	// Want is the kind that must be found; "" means that all is well: nothing
	// may be warned of.
	Want judge.Kind
	// Level of the verdict wanted; "" for Warn or Fail.
	Level judge.Level
	// Quiet says that nothing may be warned of beside Want, whatever its level.
	Quiet   bool
	Setting judge.Setting

	Cards []Card
	Jobs  []Job // by card; the last one goes for the rest; none rests all along
	// Seconds is the length; zero is ten minutes.
	Seconds int
	// From and To bound the work in seconds; a zero To is the end.
	From, To int
	// Device changes what the inventory says of a card.
	Device func(i int, d *probe.Device)
	// Hook changes a tick before it is sent; nil leaves it.
	Hook func(m *Moment)
	// Body changes what the card does: limit, heat, clock.
	Body func(m *Moment, i int, b *Body)
	// More are messages before the tick.
	More func(m *Moment) []probe.Message
}

// Start is when every scene begins.
var Start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// Moment is a tick on its way out.
type Moment struct {
	T      float64 // seconds since the beginning
	First  bool    // the first tick of a second
	Rand   *rand.Rand
	Sample *probe.Sample
	Doing  []Doing // by card
}

// Doing is what a card does at a moment.
type Doing int

// What cards do.
const (
	Resting Doing = iota
	Loading
	Painting
	Saving
)

// Body is what pushes a card's readings; hooks change it.
type Body struct {
	Limit   float64 // W
	Reasons uint64  // added
	Clock   float64 // factor on the clock
	Watts   float64 // factor on the power asked for
	Air     float64 // °C at the intake
	Util    float64 // factor
}

// UUID is the name of the i-th card of a scene.
func UUID(i int) string { return fmt.Sprintf("GPU-00000000-0000-4000-8000-%012d", i) }

// body is a card in a run.
type body struct {
	Card
	job              Job
	works            bool
	from, to         float64
	stretch          float64 // this run's pictures take longer or shorter
	power, temp, mem float64
	own              float64 // a card's own clock differs a little from its product's
	idleFor          float64
}

// Messages returns the scene as a host would send it, at rate ticks a second.
// The same seed gives the same messages.
func (s *Scene) Messages(seed uint64, rate int) []probe.Message {
	r := rand.New(rand.NewPCG(seed, 0x6a75646765)) //nolint:gosec // scenes
	seconds := s.Seconds
	if seconds == 0 {
		seconds = 600
	}
	inv := &probe.Inventory{Time: Start, Source: probe.SourceAgent, Driver: "550.90.07", CUDA: "12.4", Mode: probe.ModeGPU}
	var bodies []*body
	for i, c := range s.Cards {
		b := &body{Card: c, stretch: 0.9 + 0.2*r.Float64(), power: c.IdleWatts, temp: 40, own: 0.985 + 0.02*r.Float64()}
		if len(s.Jobs) > 0 {
			b.job, b.works = s.Jobs[min(i, len(s.Jobs)-1)], true
			b.from, b.to = float64(s.From)+10*r.Float64(), float64(s.To)
			if s.To == 0 {
				b.to = math.Inf(1)
			}
		}
		bodies = append(bodies, b)
		d := probe.Device{
			Index: i, UUID: UUID(i), Name: c.Name, MemTotal: probe.Of(c.Mem), PowerCap: probe.Of(c.Limit), PowerDefault: probe.Of(c.Limit),
			PowerMax: probe.Of(c.Limit * 1.1), ClockMaxSM: probe.Of(c.ClockMax), TempSlow: probe.Of(c.TempSlow), PCIeGenMax: probe.Of(4), PCIeWidthMax: probe.Of(16),
		}
		if s.Device != nil {
			s.Device(i, &d)
		}
		inv.GPUs = append(inv.GPUs, d)
	}
	out := []probe.Message{inv}
	dt := 1 / float64(rate)
	h := host{seed: r.Float64()}
	for k := range seconds * rate {
		t := float64(k) * dt
		m := &Moment{T: t, First: k%rate == 0, Rand: r, Sample: &probe.Sample{
			Seq: uint64(k + 1), Time: Start.Add(time.Duration(k) * time.Second / time.Duration(rate)),
		}}
		for i, b := range bodies {
			do, part := b.doing(t)
			m.Doing = append(m.Doing, do)
			x := Body{Limit: b.Limit, Clock: 1, Watts: 1, Air: 27, Util: 1}
			if s.Body != nil {
				s.Body(m, i, &x)
			}
			m.Sample.GPUs = append(m.Sample.GPUs, b.read(i, do, part, dt, x, r))
		}
		if m.First {
			m.Sample.System = h.read(m, r)
		}
		if s.Hook != nil {
			s.Hook(m)
		}
		if s.More != nil {
			out = append(out, s.More(m)...)
		}
		if m.Sample != nil {
			out = append(out, m.Sample)
		}
	}
	return out
}

// doing returns what the card does, and how far it is with it.
func (b *body) doing(t float64) (Doing, float64) {
	if !b.works || t < b.from || t >= b.to {
		return Resting, 0
	}
	t -= b.from
	if t < b.job.Load {
		return Loading, t / b.job.Load
	}
	t -= b.job.Load
	picture := b.job.Picture * b.stretch
	round := float64(b.job.Batch)*(picture+b.job.Between) + b.job.Pause
	t = math.Mod(t, round)
	if t >= round-b.job.Pause {
		return Saving, 1
	}
	t = math.Mod(t, picture+b.job.Between)
	if t < picture {
		return Painting, t / picture
	}
	return Saving, (t - picture) / b.job.Between
}

func toward(v *float64, to, dt, tau float64) { *v += (to - *v) * (1 - math.Exp(-dt/tau)) }

func whole(v float64) probe.Value { return probe.Of(math.Round(max(0, v))) }

// read returns the card's readings of a tick.
func (b *body) read(i int, do Doing, part, dt float64, x Body, r *rand.Rand) probe.GPU {
	util, watts, clock, mem, rx, reasons := 0.0, b.IdleWatts, b.ClockIdle, 430.0, 0.0, x.Reasons
	full := b.Clock * b.own * x.Clock
	switch do {
	case Resting:
		b.idleFor += dt
		reasons = 0x1
		if b.works && b.mem > 1000 {
			mem = 430 + b.job.Model
		}
		if b.idleFor < 12 && b.works && b.mem > 1000 {
			watts, clock, reasons = b.IdleWatts+35, full, 0
		}
	case Loading:
		util, watts, clock = 3+4*r.Float64(), b.IdleWatts+0.1*b.Limit, full
		mem, rx = 430+600+(b.job.Model-600)*part, 1800+700*r.NormFloat64()
	case Painting:
		util, watts, clock = b.job.Util+1.2*r.NormFloat64(), b.Watts*b.job.Watts, full
		mem, rx = 430+b.job.Model+b.job.Work, 30+8*r.NormFloat64()
	case Saving:
		util, watts, clock = 3+3*r.Float64(), b.IdleWatts+0.16*b.Limit, full
		mem, rx = 430+b.job.Model+0.4*b.job.Work, 20+5*r.NormFloat64()
	}
	if do != Resting {
		b.idleFor = 0
	}
	util = min(100, max(0, util*x.Util))
	watts = b.IdleWatts + (watts-b.IdleWatts)*x.Watts
	if watts > x.Limit { // the card lowers its clock until it draws what it may
		clock *= 1 - 0.55*(1-x.Limit/watts)
		watts, reasons = x.Limit-1.5+1.5*r.NormFloat64(), reasons|0x4
	} else if do == Painting && r.Float64() < b.Flicker {
		reasons |= 0x4
	}
	watts *= x.Clock // less clock draws less
	toward(&b.power, watts+3*r.NormFloat64(), dt, 0.6)
	toward(&b.temp, x.Air+b.Heat*b.power+3, dt, 22)
	if b.mem == 0 {
		b.mem = mem
	}
	toward(&b.mem, mem, dt, 0.3)
	g := probe.GPU{Index: i, UUID: UUID(i), Name: b.Name}
	for k := range g.Values {
		g.Values[k] = probe.Missing(probe.Unsupported, "Not Supported")
	}
	pstate, gen := 2.0, 4.0
	if do == Resting && b.idleFor >= 12 || do == Resting && !b.works {
		pstate, gen = 8, 1
	}
	if b.IdleP0 {
		pstate = 0
	}
	clock = 15 * math.Round((clock+6*r.NormFloat64())/15)
	for _, p := range [...]reading{
		{probe.UtilGPU, util},
		{probe.UtilMem, 0.5 * util},
		{probe.MemUsed, b.mem},
		{probe.MemTotal, b.Mem},
		{probe.MemReserved, 400},
		{probe.Power, b.power},
		{probe.PowerCap, x.Limit},
		{probe.Temp, b.temp},
		{probe.ClockSM, min(clock, b.ClockMax)},
		{probe.ClockMem, 10501},
		{probe.PState, pstate},
		{probe.PCIeGen, gen},
		{probe.PCIeWidth, 16},
		{probe.PCIeRx, rx},
		{probe.PCIeTx, 0.5 * rx},
		{probe.OwnProcs, own(b.mem)},
		{probe.OtherProcs, 0},
		{probe.OwnMem, b.mem - 430},
		{probe.OwnUtil, util},
	} {
		g.Set(p.metric, whole(p.value))
	}
	g.Set(probe.EventReasons, probe.OfMask(reasons))
	return g
}

// reading is a metric with its value.
type reading struct {
	metric probe.Metric
	value  float64
}

func own(mem float64) float64 {
	if mem > 600 {
		return 1
	}
	return 0
}

// host is the machine beside the cards.
type host struct{ seed float64 }

func (h host) read(m *Moment, r *rand.Rand) *probe.System {
	busy, loading, saving := 0.0, 0.0, 0.0
	for _, d := range m.Doing {
		switch d {
		case Painting:
			busy++
		case Loading:
			loading++
		case Saving:
			saving++
		case Resting:
		}
	}
	s := &probe.System{}
	about := func(v, noise float64) probe.Value { return probe.Of(max(0, v+noise*r.NormFloat64())) }
	for k, v := range map[probe.Metric]probe.Value{
		probe.CPU: about(4+4*busy+5*saving, 1), probe.CPUBusiest: probe.Of(min(100, max(3, 8+max(45*min(1, busy), 60*min(1, saving))+8*r.NormFloat64()))),
		probe.CPUQuota: probe.Of(16), probe.CPUThrottled: probe.Of(0), probe.RAMUsed: about(21000+2000*h.seed, 30), probe.RAMLimit: probe.Of(96000),
		probe.SwapIn: probe.Of(0), probe.SwapOut: probe.Of(0), probe.DiskRead: about(900*loading, 40*loading+0.1), probe.DiskWrite: about(2*saving, 0.2),
		probe.IOWait: about(2*loading, 0.2), probe.NetRx: about(0.1, 0.05), probe.NetTx: about(0.3, 0.1),
		probe.PSICPU: about(0.3, 0.2), probe.PSIMem: probe.Of(0), probe.PSIIO: about(3*loading, 0.2),
		probe.GPUClients: probe.Of(clients(m)), probe.Queue: probe.Of(min(busy+loading+saving, 1)),
	} {
		s.Set(k, v)
	}
	return s
}

func clients(m *Moment) float64 {
	n := 0.0
	for _, g := range m.Sample.GPUs {
		if v, ok := g.Get(probe.OwnProcs).Ok(); ok {
			n += v
		}
	}
	return n
}

// Stream gives messages as a recording does.
func Stream(ms []probe.Message) judge.Messages {
	return func(yield func(probe.Message, error) bool) {
		for _, m := range ms {
			if !yield(m, nil) {
				return
			}
		}
	}
}
