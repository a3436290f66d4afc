package alert

import (
	"time"

	"rentgen/app/judge"
	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/guard"
	"rentgen/probe"
)

// Input is what is known of a host now. What is left out isn't known.
type Input struct {
	Host, HostName string
	Glance         *purse.Glance
	// Verdicts are those of now; nil where nothing was judged, empty where judging
	// found nothing. Only open ones count.
	Verdicts []judge.Verdict
	GPUs     []GPU
	Disks    []Disk
	// Busy says whether work goes on. Nil is not known; then Glance says it, and
	// where that doesn't know either, an open verdict on work that goes on.
	Busy *bool
	// Queue counts jobs that wait or run on the host, nil where nothing tells.
	Queue *int
	// Stopped says that the instance is known to be stopped; false proves nothing.
	Stopped bool
	// PackageEnds is when what was paid ahead ends. AfterPackage is what an hour
	// costs then, in the currency of Glance, nil where the terms don't say.
	PackageEnds  time.Time
	AfterPackage *money.Rat
	// Releases is when the provider deletes the instance if it stays as it is.
	// DataSince is since when data has been put on it, zero where that isn't known.
	Releases, DataSince time.Time
	// Stops are what the stop guard did lately.
	Stops []Stop
}

// GPU is what a card's newest reading says.
type GPU struct {
	UUID, Name string
	Temp       *float64 // °C
	TempSlow   *float64 // °C at which the card slows itself down
}

// Disk is a file system of the host; sizes in bytes.
type Disk struct {
	Mount       string
	Free, Total uint64
}

// Stop is one act of the stop guard.
type Stop struct {
	At    time.Time
	Idle  time.Duration // how long the machine had been idle
	Saved *money.Band   // what it saved until it was told, nil where no price was known
	// Currency is that of Saved; "" is that of Glance.
	Currency money.Currency
}

// Stops reads what the purse keeps of the stop guard (purse.KindStop). What was a
// dry run or can't be read is left out.
func Stops(entries []purse.Entry) []Stop {
	var out []Stop
	for _, e := range entries {
		k, ok := guard.ReadStop(e)
		if !ok || k.Dry || k.Time.IsZero() || k.IdleS < 0 || k.IdleS > 1e9 {
			continue
		}
		stop := Stop{At: k.Time, Idle: k.Idle()}
		if k.Saved != nil && k.Currency.Valid() {
			b := money.Sure(*k.Saved)
			stop.Saved, stop.Currency = &b, k.Currency
		}
		out = append(out, stop)
	}
	return out
}

// GPUs takes temperatures out of a reading. A card whose temperature could not
// be read is in the list without one. Either argument may be nil.
func GPUs(inv *probe.Inventory, s *probe.Sample) []GPU {
	if s == nil {
		return nil
	}
	var out []GPU
	for i := range s.GPUs {
		g := &s.GPUs[i]
		one := GPU{UUID: g.UUID, Name: g.Name, Temp: reading(g.Get(probe.Temp))}
		if inv != nil {
			for _, d := range inv.GPUs {
				if d.UUID == g.UUID {
					one.TempSlow = reading(d.TempSlow)
				}
			}
		}
		out = append(out, one)
	}
	return out
}

func reading(v probe.Value) *float64 {
	n, ok := v.Ok()
	if !ok {
		return nil
	}
	return &n
}

// busy is what is known of work going on.
func (in *Input) busy() *bool {
	if in.Busy != nil {
		return in.Busy
	}
	if g := in.Glance; g != nil && (g.Idle || g.Busy) {
		return &g.Busy
	}
	so := false
	for i := range in.Verdicts {
		if v := &in.Verdicts[i]; v.Open && works(v.Kind) {
			so = true
			return &so
		}
	}
	return nil
}

// works reports whether a verdict is on work that goes on.
func works(k judge.Kind) bool {
	switch k {
	case judge.Stable, judge.Unstable, judge.BoundGPU, judge.ThrottlePower, judge.SlowCPUThread, judge.SlowCPUQuota, judge.SlowMemory,
		judge.SlowDisk, judge.SlowNetwork, judge.SlowOffload, judge.SlowLink, judge.SlowNVLink, judge.SlowStraggler:
		return true
	}
	return false
}

func (in *Input) running() bool { return in.Glance != nil && in.Glance.Running }

func (in *Input) idleFor() time.Duration {
	if in.Glance != nil && in.Glance.Idle {
		return in.Glance.IdleFor
	}
	return 0
}
