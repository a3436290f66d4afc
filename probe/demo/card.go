package demo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"rentgen/probe"
)

// Reasons for a lower clock, as the driver's mask has them.
const (
	reasonIdle     = 0x1
	reasonPowerCap = 0x4
	reasonHeat     = 0x20
)

// roomTemp is the air at the card's intake, °C.
const roomTemp = 31

// card is one card with what changes slowly.
type card struct {
	product
	index     int
	uuid, bus string
	r         *rand.Rand
	seed      uint64
	job       job
	jobN      int64
	hasJob    bool
	temp      float64 // °C
	fan       float64 // percent
	power     float64 // W, smoothed as the driver does
	energy    float64 // J
	mem       float64 // MiB
	listed    float64 // MiB in use when the last process list was made
	fallen    bool
	idleFor   time.Duration
	started   bool
}

func newCard(i int, kind product, seed uint64) *card {
	r := rand.New(rand.NewPCG(seed, uint64(i)+1)) //nolint:gosec // a demo
	return &card{
		product: kind, index: i, r: r, seed: seed,
		uuid: fmt.Sprintf("GPU-de30%04x-%04x-4%03x-8%03x-%012x", r.IntN(1<<16), r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12), r.Int64N(1<<48)),
		bus:  fmt.Sprintf("00000000:%02X:00.0", 0x1a+0x11*i),
		temp: 44, fan: 0, power: kind.idleW, energy: 3.1e6 + 1e5*r.Float64(), mem: contextMem + foreignMem(i) + 120,
	}
}

func (c *card) device(f Fault) probe.Device {
	d := probe.Device{
		Index: c.index, UUID: c.uuid, Name: c.name, BusID: c.bus, MemTotal: probe.Of(c.product.mem),
		PowerCap: probe.Of(c.cap), PowerDefault: probe.Of(c.cap), PowerMax: probe.Of(c.max),
		ClockMaxSM: probe.Of(c.boost), ClockMaxMem: probe.Of(c.memClock), PCIeGenMax: probe.Of(c.gen),
		PCIeWidthMax: probe.Of(16), TempSlow: probe.Of(c.slow), ComputeCap: "8.9", Persistence: "on", MemSource: "v2",
	}
	if c.name == rtx3090.name {
		d.ComputeCap = "8.6"
	}
	if f == FaultDenied {
		denied := probe.Missing(probe.Denied, "[Insufficient Permissions]")
		d.PowerCap, d.PowerDefault, d.PowerMax, d.ClockMaxSM, d.ClockMaxMem = denied, denied, denied, denied, denied
	}
	return d
}

// toward moves a value towards another one with a time constant.
func toward(v *float64, to float64, dt, tau time.Duration) {
	*v += (to - *v) * (1 - math.Exp(-dt.Seconds()/tau.Seconds()))
}

// read returns the readings at a moment.
func (c *card) read(t, dt time.Duration, fault Fault, procs bool, load *machineLoad) probe.GPU {
	own := t
	if c.index > 0 {
		own += time.Duration(c.index) * secondShift
	}
	inSlot, n := in(own, slot)
	if !c.hasJob || n != c.jobN {
		c.job, c.jobN, c.hasJob = newJob(c.seed, c.index, n, c.product), n, true
	}
	ph, part := c.job.at(inSlot)
	g := probe.GPU{Index: c.index, UUID: c.uuid, Name: c.name}
	if c.fallen {
		for m := range g.Values {
			g.Values[m] = probe.Missing(probe.Error, "GPU is lost")
		}
		g.Procs = &probe.Processes{State: probe.Error, Raw: "GPU is lost"}
		return g
	}
	now := c.work(ph, part, t, dt)
	load.add(ph, part, c.job)
	c.settle(now, dt)
	c.fill(&g, now)
	// A list is old until the next one. When memory falls below what the last
	// list holds, a new one comes at once: processes never hold more than is in use.
	if procs || c.used() < c.listed {
		g.Procs = c.processes(ph, now)
		c.listed = c.used()
	}
	if fault == FaultDenied {
		deny(&g, g.Procs != nil)
	}
	return g
}

// moment is what the work of a phase asks of the card.
type moment struct {
	util, memUtil float64
	watt, clock   float64
	mem           float64
	tx, rx        float64
	reasons       uint64
	pstate        float64
	limit         float64
	spread        float64 // how far util swings within a tick
}

func (c *card) work(ph phase, part float64, t, dt time.Duration) moment {
	base := contextMem + foreignMem(c.index)
	m := moment{limit: c.cap, pstate: 2, clock: c.clock + 15*math.Round(2*noise(c.r))}
	if ph == idle {
		c.idleFor += dt
	} else {
		c.idleFor = 0
	}
	switch ph {
	case loading:
		m.util, m.memUtil = 3+4*c.r.Float64(), 2+3*c.r.Float64()
		m.watt, m.mem = 72+6*noise(c.r), base+600+(c.job.model-600)*part
		m.tx, m.rx, m.spread = 12+4*c.r.Float64(), 2600+900*noise(c.r), 12
	case sample:
		m.util, m.memUtil = 99-c.r.Float64()*2, c.bandwidthShare+4*noise(c.r)
		m.watt, m.mem = c.loadW+8*noise(c.r), base+c.job.model+c.job.work
		m.tx, m.rx, m.spread = 20+6*c.r.Float64(), 34+10*c.r.Float64(), 3
	case decode:
		m.util, m.memUtil = 88+5*noise(c.r), c.bandwidthShare+17
		m.watt, m.mem = c.loadW*0.8+10*noise(c.r), base+c.job.model+c.job.work+c.job.peak*math.Min(1, 2.2*part)
		m.tx, m.rx, m.spread = 160+40*c.r.Float64(), 24+8*c.r.Float64(), 9
	case saving:
		m.util, m.memUtil = 4+5*c.r.Float64(), 1+c.r.Float64()
		m.watt, m.mem = c.loadW*0.3+5*noise(c.r), base+c.job.model+c.job.work*0.4
		m.tx, m.rx, m.spread = 55+20*c.r.Float64(), 18+5*c.r.Float64(), 22
	default:
		m.watt, m.mem, m.reasons = c.idleW+1.5*noise(c.r), base+c.job.model, reasonIdle
		m.clock, m.pstate = 210, 8
		if c.idleFor < 15*time.Second { // the driver steps down slowly
			m.clock, m.pstate, m.watt, m.reasons = c.clock, 2, c.idleW+48, 0
		}
	}
	last := c.name == rtx3090.name || c.index > 0
	if last && within(t, capFrom, capTo) {
		m.limit = math.Round(c.cap * 0.74)
		if ph == sample || ph == decode {
			m.watt = m.limit - 1 + noise(c.r)
			m.clock -= 15 * math.Round(c.clock*0.22/15)
			m.reasons |= reasonPowerCap
		}
	} else if m.watt > m.limit-8 {
		m.watt, m.reasons = math.Min(m.watt, m.limit+2), m.reasons|reasonPowerCap
		m.clock -= 30
	}
	if c.index == 0 && within(t, heatFrom, heatTo) && c.temp > 82 && (ph == sample || ph == decode) {
		m.reasons |= reasonHeat
		m.clock -= 15 * math.Round(c.clock*0.17/15)
		m.watt *= 0.82
	}
	c.blocked(t)
	return m
}

// blocked notes whether the air of the card is blocked.
func (c *card) blocked(t time.Duration) {
	c.started = c.index == 0 && within(t, heatFrom-20*time.Second, heatTo)
}

// settle lets what is slow follow.
func (c *card) settle(m moment, dt time.Duration) {
	toward(&c.power, m.watt, dt, 700*time.Millisecond)
	c.energy += c.power * dt.Seconds()
	toward(&c.mem, m.mem, dt, 120*time.Millisecond)
	cooling := 0.098 - 0.00028*c.fan // °C a watt
	if c.name == rtx3090.name {
		cooling = 0.126 - 0.00035*c.fan
	}
	if c.started {
		cooling *= 2.3
	}
	toward(&c.temp, roomTemp+c.power*cooling, dt, 24*time.Second)
	c.temp = math.Min(c.temp, c.slow-1)
	fan := 0.0 // fans stand still on a cool card and never turn slower than 30 %
	if c.temp > 46 {
		fan = math.Max(30, math.Min(100, 30+(c.temp-52)*1.9))
	}
	toward(&c.fan, fan, dt, 6*time.Second)
}

func whole(v float64) probe.Value { return probe.Of(math.Round(math.Max(0, v))) }

func (c *card) fill(g *probe.GPU, m moment) {
	no := probe.Missing(probe.Unsupported, "Not Supported")
	for i := range g.Values {
		g.Values[i] = no
	}
	util := math.Min(100, m.util)
	g.Set(probe.UtilGPU, whole(util))
	g.Set(probe.UtilMem, whole(math.Min(100, m.memUtil)))
	g.Set(probe.UtilEnc, probe.Of(0))
	g.Set(probe.UtilDec, probe.Of(0))
	g.Set(probe.MemUsed, whole(c.used()))
	g.Set(probe.MemReserved, probe.Of(c.reserved))
	g.Set(probe.MemTotal, probe.Of(c.product.mem))
	g.Set(probe.Power, probe.Of(math.Round(c.power*100)/100))
	g.Set(probe.PowerCap, probe.Of(m.limit))
	g.Set(probe.Energy, probe.Of(math.Round(c.energy)))
	g.Set(probe.Temp, whole(c.temp))
	g.Set(probe.Fan, whole(c.fan))
	g.Set(probe.ClockSM, whole(m.clock))
	mem := c.memClock
	gen := c.gen
	if m.pstate == 8 {
		mem, gen = 405, 1
	}
	g.Set(probe.ClockMem, probe.Of(mem))
	g.Set(probe.PState, probe.Of(m.pstate))
	g.Set(probe.PCIeGen, probe.Of(gen))
	g.Set(probe.PCIeWidth, probe.Of(16))
	g.Set(probe.PCIeTx, whole(m.tx))
	g.Set(probe.PCIeRx, whole(m.rx))
	g.Set(probe.EventReasons, probe.OfMask(m.reasons))
	if m.spread > 0 {
		lo, hi := math.Max(0, math.Round(util-m.spread*c.r.Float64())), math.Min(100, math.Round(util+m.spread*c.r.Float64()))
		g.Spreads = append(g.Spreads, probe.Spread{Metric: probe.UtilGPU, Min: lo, Max: hi, N: 6})
	}
}

// contextMem is what is in use beside what the processes are said to hold, MiB.
const contextMem = 420

// used is the memory in use, MiB.
func (c *card) used() float64 { return math.Min(c.mem, c.product.mem-c.reserved-20) }

// foreignMem is the memory of a process outside the container, MiB.
func foreignMem(card int) float64 {
	if card == 1 {
		return 1126
	}
	return 0
}

func (c *card) processes(ph phase, m moment) *probe.Processes {
	p := &probe.Processes{State: probe.OK}
	util := whole(m.util)
	if ph == idle {
		util = probe.Of(0)
	}
	p.List = append(p.List, probe.Process{
		PID: 4121 + 56*c.index, Name: "python3", Own: true, Util: util,
		Mem: whole(math.Max(0, c.used()-contextMem-foreignMem(c.index))),
	})
	if f := foreignMem(c.index); f > 0 {
		p.List = append(p.List, probe.Process{PID: 281733, Mem: probe.Of(f), Util: probe.Of(0)})
	}
	return p
}

// deny is what a container without the permission reads.
func deny(g *probe.GPU, procs bool) {
	no := probe.Missing(probe.Denied, "Insufficient Permissions")
	for _, m := range []probe.Metric{
		probe.UtilMem, probe.UtilEnc, probe.UtilDec, probe.Power, probe.PowerCap, probe.Energy, probe.Fan, probe.ClockSM,
		probe.ClockMem, probe.PCIeTx, probe.PCIeRx, probe.EventReasons, probe.PState,
	} {
		g.Set(m, no)
	}
	if procs {
		g.Procs = &probe.Processes{State: probe.Denied, Raw: "Insufficient Permissions"}
	}
}
