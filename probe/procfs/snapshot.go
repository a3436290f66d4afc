package procfs

import (
	"time"

	"rentgen/probe"
)

// Snapshot is one reading of the counters; two of them give the rates.
type Snapshot struct {
	at     time.Duration // since boot, or on the reader's clock
	atMiss probe.Value   // set where at is not known

	cpu     cpuTimes
	cores   []cpuTimes
	allowed []bool // the cores that count as ours; nil: all
	cpuMiss probe.Value

	ramUsed, ramLimit probe.Value

	quota        probe.Value
	periods      uint64
	throttled    uint64
	throttleMiss probe.Value

	swapIn, swapOut uint64 // pages
	swapMiss        probe.Value

	disks    []device
	diskMiss probe.Value
	nets     []device
	netMiss  probe.Value

	psi [3]probe.Value

	clients probe.Value
}

// The files of a tick that do not depend on the cgroup.
const (
	fileUptime    = "/proc/uptime"
	fileStat      = "/proc/stat"
	fileMeminfo   = "/proc/meminfo"
	fileVmstat    = "/proc/vmstat"
	fileDiskstats = "/proc/diskstats"
	fileNetDev    = "/proc/net/dev"
	fileCgroup    = "/proc/self/cgroup"
)

var psiFiles = [3]string{"cpu", "memory", "io"}

// fill reads everything but the time. The limits of the cgroup hardly change:
// the caller says when they are to be read anew.
func (s *Snapshot) fill(src source, g *groups, limits bool) {
	if limits {
		g.readLimits(src)
	}
	s.quota, s.allowed = g.quota, g.allowed
	s.fillCPU(src)
	s.fillThrottle(src, g)
	s.fillRAM(src, g)
	s.fillSwap(src)
	s.disks, s.diskMiss = fillDevices(src, fileDiskstats, s.disks[:0], parseDiskstats)
	s.nets, s.netMiss = fillDevices(src, fileNetDev, s.nets[:0], parseNetDev)
	for i, kind := range psiFiles {
		s.psi[i] = fillPSI(src, g, kind)
	}
}

func (s *Snapshot) fillThrottle(src source, g *groups) {
	if _, ok := g.quota.Ok(); !ok || g.cpuStat == "" {
		s.throttleMiss = g.quota
		if ok {
			s.throttleMiss = probe.Missing(probe.Unsupported, "no cpu.stat")
		}
		return
	}
	b, err := src.read(g.cpuStat)
	if err != nil {
		s.throttleMiss = missing(err)
		return
	}
	p, found1, ok1 := entry(b, "nr_periods")
	t, found2, ok2 := entry(b, "nr_throttled")
	switch {
	case ok1 && ok2:
		s.periods, s.throttled, s.throttleMiss = p, t, probe.Value{State: probe.OK}
	case !found1 || !found2:
		s.throttleMiss = probe.Missing(probe.Unsupported, "no nr_throttled in cpu.stat")
	default:
		s.throttleMiss = garbled(b)
	}
}

func (s *Snapshot) fillSwap(src source) {
	b, err := src.read(fileVmstat)
	if err != nil {
		s.swapMiss = missing(err)
		return
	}
	in, found1, ok1 := entry(b, "pswpin")
	out, found2, ok2 := entry(b, "pswpout")
	switch {
	case ok1 && ok2:
		s.swapIn, s.swapOut, s.swapMiss = in, out, probe.Value{State: probe.OK}
	case !found1 && !found2 && len(b) > 0 && plausibleVmstat(b):
		s.swapMiss = probe.Missing(probe.Unsupported, "no pswpin in vmstat")
	default:
		s.swapMiss = garbled(b)
	}
}

// plausibleVmstat tells a kernel built without swap from a garbled file.
func plausibleVmstat(b []byte) bool {
	l, _ := line(b)
	_, rest := field(l)
	f, _ := field(rest)
	_, ok := number(f)
	return ok
}

func fillPSI(src source, g *groups, kind string) probe.Value {
	path := g.psi[kind]
	b, err := src.read(path)
	if err != nil {
		return missing(err)
	}
	return parsePSI(b)
}

// parsePSI reads avg10 of the "some" line: the percentage of the last ten
// seconds in which at least one task waited.
func parsePSI(b []byte) probe.Value {
	for rest := b; len(rest) > 0; {
		var l []byte
		l, rest = line(rest)
		f, l := field(l)
		if string(f) != "some" {
			continue
		}
		f, _ = field(l)
		const key = "avg10="
		if len(f) > len(key) && string(f[:len(key)]) == key {
			if n, ok := decimal(f[len(key):]); ok && n <= 100 {
				return probe.Of(n)
			}
		}
		break
	}
	return garbled(b)
}

const (
	mib      = 1 << 20
	pageSize = 4096 // what pswpin and pswpout count on amd64 and on rented arm64
	sector   = 512  // what diskstats counts, whatever the disk's own sector is
	megabyte = 1e6
)

// system makes the readings out of two snapshots; prev is nil for the first.
func system(prev, cur *Snapshot) *probe.System {
	s := &probe.System{}
	s.Set(probe.CPUQuota, cur.quota)
	s.Set(probe.RAMUsed, cur.ramUsed)
	s.Set(probe.RAMLimit, cur.ramLimit)
	s.Set(probe.PSICPU, cur.psi[0])
	s.Set(probe.PSIMem, cur.psi[1])
	s.Set(probe.PSIIO, cur.psi[2])
	s.Set(probe.GPUClients, cur.clients)
	s.Set(probe.Queue, probe.Missing(probe.Unsupported, "")) // the kernel knows of no queue
	setCPU(s, prev, cur)
	s.Set(probe.CPUThrottled, throttledShare(prev, cur))

	d, bad := elapsed(prev, cur)
	in, out := rate(d, bad, cur.swapMiss, missOf(prev, func(p *Snapshot) probe.Value { return p.swapMiss })), probe.Value{}
	if in.State == probe.OK {
		in, out = perSecond(prev.swapIn, cur.swapIn, pageSize, d), perSecond(prev.swapOut, cur.swapOut, pageSize, d)
	} else {
		out = in
	}
	s.Set(probe.SwapIn, in)
	s.Set(probe.SwapOut, out)

	rd := rate(d, bad, cur.diskMiss, missOf(prev, func(p *Snapshot) probe.Value { return p.diskMiss }))
	wr := rd
	if rd.State == probe.OK {
		rd, wr = deviceRates(prev.disks, cur.disks, sector, d)
	}
	s.Set(probe.DiskRead, rd)
	s.Set(probe.DiskWrite, wr)

	rx := rate(d, bad, cur.netMiss, missOf(prev, func(p *Snapshot) probe.Value { return p.netMiss }))
	tx := rx
	if rx.State == probe.OK {
		rx, tx = deviceRates(prev.nets, cur.nets, 1, d)
	}
	s.Set(probe.NetRx, rx)
	s.Set(probe.NetTx, tx)
	return s
}

// missOf returns the state of a part of the snapshot before, or pending.
func missOf(prev *Snapshot, part func(*Snapshot) probe.Value) probe.Value {
	if prev == nil {
		return probe.Value{}
	}
	return part(prev)
}

// elapsed returns the seconds between two snapshots, or why they aren't known.
func elapsed(prev, cur *Snapshot) (float64, probe.Value) {
	if cur.atMiss.State != probe.OK {
		return 0, cur.atMiss
	}
	if prev == nil || prev.atMiss.State != probe.OK {
		return 0, probe.Value{}
	}
	d := (cur.at - prev.at).Seconds()
	if d < 0 {
		return 0, backwards
	}
	if d == 0 {
		return 0, probe.Value{}
	}
	return d, probe.Value{State: probe.OK}
}

// rate decides whether a rate can be made: of the part now, the part before
// and the time between them. The state is OK where it can.
func rate(d float64, span, cur, prev probe.Value) probe.Value {
	switch {
	case cur.State != probe.OK:
		return cur
	case span.State != probe.OK:
		return span
	case prev.State != probe.OK || d <= 0:
		return probe.Value{}
	}
	return probe.Value{State: probe.OK}
}

// perSecond returns the growth of a counter in MB/s, unit bytes each.
func perSecond(before, now, unit uint64, seconds float64) probe.Value {
	if now < before {
		return backwards
	}
	return probe.Of(float64(now-before) * float64(unit) / megabyte / seconds)
}

// throttledShare is the percentage of the scheduler's enforcement periods in
// which the quota stopped the group. The kernel's throttled time adds up over
// all processors and has no fixed whole; the share of periods has one.
func throttledShare(prev, cur *Snapshot) probe.Value {
	switch {
	case cur.throttleMiss.State != probe.OK:
		return cur.throttleMiss
	case prev == nil || prev.throttleMiss.State != probe.OK:
		return probe.Value{}
	case cur.periods < prev.periods || cur.throttled < prev.throttled:
		return backwards
	case cur.periods == prev.periods:
		return probe.Of(0) // nothing ran long enough to be counted
	}
	share := 100 * float64(cur.throttled-prev.throttled) / float64(cur.periods-prev.periods)
	return probe.Of(min(share, 100))
}
