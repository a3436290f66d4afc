package smi

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"rentgen/probe"
	"rentgen/probe/procfs"
	"rentgen/probe/remote"
)

// MaxRate is the highest rate in Hz that nvidia-smi's loop is asked for. Its
// own readings are means over a second or a sixth of one.
const MaxRate = 2

// Params says where and how to look.
type Params struct {
	Run Runner
	// Path is nvidia-smi's absolute path of letters, digits and "._-+/"; ""
	// takes the first on the login's PATH.
	Path string
	// Rate in Hz; 0 is 1. Above MaxRate it is capped, and an event says so.
	Rate float64
	// System adds the readings of the machine beside the cards, at 1 Hz.
	System bool
	// Marker makes a fresh word of 8 to 64 letters and digits; nil makes random ones.
	Marker func() string
	// Reason and Detail go into the inventory: why not our own program.
	Reason, Detail string

	Timeout    time.Duration   // of one call; 0 is 30 s
	Silence    time.Duration   // without a row, then the loop is started anew; 0 is 5 s
	First      time.Duration   // until the first row of a loop; 0 is 30 s
	ProofEvery time.Duration   // between proofs of life; 0 is 3 min
	ProcsEvery time.Duration   // between process lists; 0 is 10 s
	Backoff    []time.Duration // between starts that fail; nil is 1, 2, 5, 15, 30 s
	Now        func() time.Time
}

func (p *Params) defaults() {
	set := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	set(&p.Timeout, 30*time.Second)
	set(&p.Silence, 5*time.Second)
	set(&p.First, 30*time.Second)
	set(&p.ProofEvery, 3*time.Minute)
	set(&p.ProcsEvery, 10*time.Second)
	if len(p.Backoff) == 0 {
		p.Backoff = []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 15 * time.Second, 30 * time.Second}
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Marker == nil {
		p.Marker = remote.Marker
	}
	if p.Rate <= 0 {
		p.Rate = 1
	}
}

// Look is a look at one host through nvidia-smi.
type Look struct {
	p      Params
	where  string // shell text that finds nvidia-smi
	direct bool   // the host has no POSIX shell; set by Open alone
	rateCh chan struct{}

	mu    sync.Mutex
	rate  float64
	facts facts
}

// facts is what one round of questions found.
type facts struct {
	inv     probe.Inventory
	query   query
	failure *Failure
	cards   []card // the first tick
	notes   []Note
	slices  []Slice
}

// Open asks the host what its cards are and which fields its driver knows. An
// error means that the host could not be asked. Where it has no card that can
// be read, the look opens all the same: Failure and the inventory's mode say
// why, and Run goes on trying.
func Open(ctx context.Context, p Params) (*Look, error) {
	p.defaults()
	where, err := locate(p.Path)
	if err != nil {
		return nil, err
	}
	l := &Look{p: p, where: where, rate: p.Rate, rateCh: make(chan struct{}, 1)}
	f, err := l.examine(ctx)
	if errors.Is(err, errNoShell) && l.hasTool(ctx) {
		l.direct = true
		f, err = l.examine(ctx)
	}
	if err != nil {
		return nil, err
	}
	l.facts = f
	return l, nil
}

// hasTool reports whether nvidia-smi answers without a shell of ours: a host
// that runs Windows.
func (l *Look) hasTool(ctx context.Context) bool {
	got, err := l.askDirect(ctx, []part{partHelp})
	return err == nil && !ParseHelp(got.parts[0].out).Empty()
}

// Inventory returns what was found last.
func (l *Look) Inventory() probe.Inventory {
	l.mu.Lock()
	defer l.mu.Unlock()
	inv := l.facts.inv
	inv.GPUs = append([]probe.Device(nil), inv.GPUs...)
	return inv
}

// Failure returns why there are no readings; nil while there are.
func (l *Look) Failure() *Failure {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.facts.failure
}

// Rate returns the rate in Hz at which the loop really runs.
func (l *Look) Rate() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return min(l.rate, MaxRate)
}

// SetRate asks for another rate in Hz; the loop is started anew. Above
// MaxRate it is capped, and an event says so.
func (l *Look) SetRate(hz float64) {
	if hz <= 0 {
		return
	}
	l.mu.Lock()
	same := l.rate == hz
	l.rate = hz
	l.mu.Unlock()
	if same {
		return
	}
	select {
	case l.rateCh <- struct{}{}:
	default:
	}
}

// interval returns the loop's pause in milliseconds, at least 500.
func (l *Look) interval() int { return max(500, int(1000/l.Rate()+0.5)) }

const maxTries = 64 // of a query, each dropping one field

// examine asks everything anew. The failure of the cards is part of the
// facts; an error is one of the link.
func (l *Look) examine(ctx context.Context) (facts, error) {
	f := facts{inv: probe.Inventory{Time: l.p.Now().UTC(), Source: probe.SourceSMI, Reason: l.p.Reason, Detail: l.p.Detail}}
	got, err := l.ask(ctx, partMachine, partDevices, partHelp, partVersion)
	if err != nil && !errors.Is(err, errTimeout) {
		return f, err
	}
	f.inv.System, f.inv.Run = procfs.MachineFromText(got.parts[0].out)
	devices, help, version := got.parts[1], got.parts[2], got.parts[3]
	f.inv.System.Hostname = procfs.Clean(f.inv.System.Hostname, 128)
	v := ParseVersions(version.out)
	f.inv.Driver, f.inv.CUDA = v.Driver, v.CUDA
	f.query = negotiate(ParseHelp(help.out))
	if bad := ParseFailure(help.out, help.exit); bad != nil && bad.Kind == FailNotFound {
		f.failure = bad
	} else if err != nil {
		f.failure = &Failure{Kind: FailHang, Exit: -1, Raw: telling(help.out)}
	} else if err := l.readCards(ctx, &f); err != nil {
		return f, err
	}
	if f.failure == nil {
		if err := l.readMore(ctx, &f); err != nil {
			return f, err
		}
	}
	f.inv.Mode = modeOf(f.failure, devices, f.inv.System)
	return f, nil
}

// readCards asks for all columns, dropping what the driver refuses.
func (l *Look) readCards(ctx context.Context, f *facts) error {
	for range maxTries {
		got, err := l.ask(ctx, partQuery(f.query))
		if err != nil && !errors.Is(err, errTimeout) {
			return err
		}
		rows, notes := ParseCSV(got.parts[0].out, len(f.query.cols))
		f.notes = notes
		for l := range lines([]byte(got.extra)) {
			if n, ok := readNote(l); ok && n.Soft != "" {
				f.notes = append(f.notes, n)
			}
		}
		if len(rows) > 0 {
			for _, r := range rows {
				f.cards = append(f.cards, f.query.read(r))
			}
			f.failure = nil
			f.list()
			return nil
		}
		f.failure = failureOf(got.parts[0], got.extra, err)
		next, ok := f.query.without(f.failure.Field)
		if f.failure.Kind != FailUsage || !ok || len(next.cols) == 0 {
			return nil
		}
		f.query = next
	}
	return nil
}

// list makes the inventory's devices of the cards and of those that are lost.
func (f *facts) list() {
	identify(f.cards)
	soft := false
	for _, n := range f.notes {
		soft = soft || n.Soft != ""
	}
	for i := range f.cards {
		c := &f.cards[i]
		if f.inv.Driver == "" {
			f.inv.Driver = c.driver
		}
		c.device.Virtual = c.device.Virtual || soft
		if sharesMemory(c.device) {
			c.device.MemSource, c.device.MemTotal = "meminfo", f.inv.System.RAMTotal
		}
		f.inv.GPUs = append(f.inv.GPUs, c.device)
	}
	for _, n := range f.notes {
		if n.Kind != probe.EventLost || n.BusID == "" {
			continue
		}
		known := false
		for _, d := range f.inv.GPUs {
			known = known || busKey(d.BusID) == busKey(n.BusID)
		}
		if !known {
			f.inv.GPUs = append(f.inv.GPUs, lostDevice(n))
		}
	}
}

// lostDevice stands for a card of which only the bus id is known.
func lostDevice(n Note) probe.Device {
	bad := probe.Missing(probe.Error, n.Raw)
	return probe.Device{
		Index: n.Index, UUID: n.BusID, BusID: n.BusID, Problem: probe.EventLost, MemSource: "smi",
		MemTotal: bad, PowerCap: bad, PowerDefault: bad, PowerMax: bad, ClockMaxSM: bad,
		ClockMaxMem: bad, PCIeGenMax: bad, PCIeWidthMax: bad, TempSlow: bad,
	}
}

// identify gives every card of a tick a name of its own: the UUID, or the bus
// id where the UUID can't be read or stands at two cards.
func identify(cards []card) {
	n := map[string]int{}
	for _, c := range cards {
		n[c.gpu.UUID]++
	}
	for i := range cards {
		c := &cards[i]
		if c.gpu.UUID == "" || n[c.gpu.UUID] > 1 {
			c.gpu.UUID = c.bus
			c.device.UUID = c.bus
		}
		c.gpu.Name = c.device.Name
	}
}

// readMore asks what only some hosts need: the instances of a card in MIG
// mode, and CUDA's version where --version does not tell.
func (l *Look) readMore(ctx context.Context, f *facts) error {
	mig := false
	for _, d := range f.inv.GPUs {
		mig = mig || d.MIG == "on"
	}
	if !mig && f.inv.CUDA != "" && f.inv.Driver != "" {
		return nil
	}
	parts := []part{partTable}
	if mig {
		parts = append(parts, partList)
	}
	got, err := l.ask(ctx, parts...)
	if err != nil && !errors.Is(err, errTimeout) {
		return err
	}
	v := ParseVersions(got.parts[0].out)
	if f.inv.CUDA == "" {
		f.inv.CUDA = v.CUDA
	}
	if f.inv.Driver == "" {
		f.inv.Driver = v.Driver
	}
	if mig {
		f.slices = ParseSlices(got.parts[0].out)
		listed, _ := ParseList(got.parts[1].out)
		f.addInstances(listed)
	}
	return nil
}

// addInstances puts each MIG instance behind its card.
func (f *facts) addInstances(listed []Listed) {
	var all []probe.Device
	for _, d := range f.inv.GPUs {
		all = append(all, d)
		if d.MIG != "on" {
			continue
		}
		for _, in := range listed {
			if in.Profile == "" || in.Parent != d.UUID {
				continue
			}
			none := probe.Missing(probe.Unsupported, "MIG instance")
			e := probe.Device{
				Index: in.Index, UUID: in.UUID, Name: strings.TrimSpace(d.Name + " MIG " + in.Profile), BusID: d.BusID,
				MemTotal: none, PowerCap: none, PowerDefault: none, PowerMax: none, ClockMaxSM: none, ClockMaxMem: none,
				PCIeGenMax: none, PCIeWidthMax: none, TempSlow: none, ComputeCap: d.ComputeCap, Persistence: d.Persistence,
				MIG: "on", Parent: d.UUID, Profile: in.Profile, MemSource: "smi",
			}
			for _, s := range f.slices {
				if s.GPU == d.Index && s.Device == in.Index {
					e.MemTotal = s.Total
				}
			}
			all = append(all, e)
		}
	}
	f.inv.GPUs = all
}

// A platform that starts a container without a card gives it little memory.
const noGPULimit = 4096 // MiB

// modeOf says whether a host without readings has no card on purpose, no
// driver, or a fault.
func modeOf(f *Failure, devices answer, m probe.Machine) probe.Mode {
	if f == nil {
		return probe.ModeGPU
	}
	card := has(devices, "/dev/nvidia0") || has(devices, "/dev/nvidia1") || has(devices, "/dev/dxg")
	for _, l := range strings.Fields(string(devices.out)) {
		if n := strings.TrimPrefix(l, "/dev/nvidia"); n != l && n != "" && strings.Trim(n, "0123456789") == "" {
			card = true
		}
	}
	limit, ok := m.RAMLimit.Ok()
	switch {
	case card:
		return probe.ModeFault
	case ok && limit <= noGPULimit:
		return probe.ModeNoGPU
	case f.Kind == FailNoDevices && m.Container != "":
		return probe.ModeNoGPU
	case f.Kind == FailNotFound, f.Kind == FailDriver, f.Kind == FailLibrary:
		return probe.ModeNoDriver
	}
	return probe.ModeFault
}
