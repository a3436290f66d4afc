package slow

import (
	"rentgen/app/judge"
	"rentgen/app/judge/series"
	"rentgen/probe"
)

// quota finds programs that their own CPU quota stops. The counter is the
// control group's own, so nobody else is in it.
func quota(l *look) []found {
	if !l.atLeast(probe.CPUThrottled, lim.held) || !l.idlesForCPU() {
		return nil
	}
	return []found{{"slow/cpu-quota", series.Finding{
		Kind: judge.SlowCPUQuota, Level: judge.Warn, Confidence: 0.9, Next: l.next("slow.cpu-quota"),
		Numbers: l.numbers(probe.CPUThrottled, probe.CPUQuota, probe.UtilGPU, probe.PSICPU),
		Say:     sayWith(l, "slow.cpu-quota", probe.CPUQuota),
	}}}
}

// sayWith is a sentence that names a figure, or the one without it where it
// wasn't read.
func sayWith(l *look, say string, m probe.Metric) string {
	if l.Has(m) {
		return say
	}
	return say + ".plain"
}

// idlesForCPU reports whether the card waits, or a model is being loaded.
func (l *look) idlesForCPU() bool { return l.waits() || l.Kind == series.Loading }

// thread finds a card that waits for a single core: Python and the driver feed
// it from one thread. A core is also busy while a program merely waits for the
// card; that one is busy while the card works too.
func thread(l *look) []found {
	if !l.waits() {
		return nil
	}
	sure, ok := l.explains(sigCore)
	if !ok {
		return nil
	}
	f := series.Finding{
		Kind: judge.SlowCPUThread, Level: judge.Warn, Confidence: sure, Next: l.next("slow.cpu-thread"),
		Numbers: l.numbers(probe.CPUBusiest, probe.UtilGPU, probe.CPU),
	}
	if sure < 0.6 {
		f.Level = judge.Info
		f.Doubts = append(f.Doubts, series.Doubt("core-always"))
	}
	l.ours(&f, "cores-of-others", 0.15)
	return []found{{"slow/cpu-thread", f}}
}

// memory finds programs that stand still for RAM: near the limit together with
// pressure or swapping. A full limit alone is a filled cache.
func memory(l *look) []found {
	if l.Kind == series.Idle || l.Kind == series.Busy && !(l.wait >= lim.wait/2) {
		return nil
	}
	used, ok1 := l.mean(probe.RAMUsed)
	limit, ok2 := l.mean(probe.RAMLimit)
	near := ok1 && ok2 && limit > 0 && used >= lim.ramNear*limit
	pressed := l.atLeast(probe.PSIMem, lim.psiMem)
	in, _ := l.mean(probe.SwapIn)
	out, _ := l.mean(probe.SwapOut)
	swaps := in >= lim.swap || out >= lim.swap || in+out >= lim.swap
	f := series.Finding{
		Kind: judge.SlowMemory, Level: judge.Warn, Next: l.next("slow.memory"),
		Numbers: l.numbers(probe.RAMUsed, probe.RAMLimit, probe.PSIMem, probe.SwapIn, probe.SwapOut),
	}
	switch {
	case near && pressed:
		f.Confidence = 0.9
	case near && swaps: // swapping is counted for the whole machine
		f.Confidence, f.Say = 0.75, "slow.memory.swap"
		l.ours(&f, "swap-of-others", 0.15)
	case pressed && swaps && !(ok1 && ok2):
		f.Confidence, f.Say = 0.6, "slow.memory.pressure"
		f.Doubts = append(f.Doubts, series.Doubt("ram-unread"))
	default:
		return nil
	}
	return []found{{"slow/memory", f}}
}

// disk finds a model that is read slowly, from a disk of the machine or from
// one behind the network, which shows as traffic without writing.
func disk(l *look) []found {
	loading := l.Kind == series.Loading
	stalled := l.atLeast(probe.PSIIO, lim.psiIO)
	sure := 1.0
	switch {
	case loading && !stalled && !l.fills():
		return nil // somebody reads; nothing shows that it is us
	case !loading:
		var ok bool
		if sure, ok = l.explains(sigDisk); !ok || !l.waits() {
			return nil
		}
	}
	read, okRead := l.mean(probe.DiskRead)
	write, okWrite := l.mean(probe.DiskWrite)
	rx, okRx := l.mean(probe.NetRx)
	f := series.Finding{
		Kind: judge.SlowDisk, Level: judge.Warn, Next: l.next("slow.disk"),
		Numbers: l.numbers(probe.DiskRead, probe.PSIIO, probe.IOWait, probe.UtilGPU),
	}
	switch {
	case okRead && read >= lim.diskLeast && read < lim.diskFast:
		f.Confidence = 0.65
		if stalled {
			f.Confidence = 0.9
		}
		l.ours(&f, "disk-of-others", 0.1)
	case okRx && rx >= lim.net && rx < lim.diskFast && okRead && read < 0.2*rx && !(okWrite && write > 0.5*rx) && (loading || stalled):
		f.Say, f.Next = "slow.disk.network", l.next("slow.disk.network")
		f.Numbers = l.numbers(probe.NetRx, probe.DiskRead, probe.PSIIO, probe.UtilGPU)
		f.Confidence = 0.7
		if !okWrite {
			f.Confidence = 0.55
			f.Doubts = append(f.Doubts, series.Doubt("write-unread"))
		}
	case stalled && !okRead:
		f.Say, f.Confidence = "slow.disk.stalled", 0.6
		f.Doubts = append(f.Doubts, series.Doubt("read-unread"))
	default:
		return nil
	}
	f.Confidence = min(f.Confidence, sure)
	return []found{{"slow/disk", f}}
}

// network finds a card that waits while data comes or goes: a download of a
// model, or data that a job moves.
func network(l *look) []found {
	switch l.Kind {
	case series.Busy:
		if !l.waits() {
			return nil
		}
	case series.Idle: // a download, with a program there that waits for it
		if own, _ := l.mean(probe.OwnProcs); !(own > 0) && !l.atLeast(probe.GPUClients, 1) {
			return nil
		}
	default:
		return nil
	}
	for _, way := range []struct {
		sig signal
		m   probe.Metric
		say string
	}{{sigNetIn, probe.NetRx, "slow.network"}, {sigNetOut, probe.NetTx, "slow.network.out"}} {
		sure, ok := l.explains(way.sig)
		if !ok {
			continue
		}
		f := series.Finding{
			Kind: judge.SlowNetwork, Level: judge.Warn, Confidence: sure - 0.1, Say: way.say, Next: "slow.network",
			Numbers: l.numbers(way.m, probe.UtilGPU, probe.DiskWrite),
		}
		if l.Kind == series.Idle {
			f.Level, f.Confidence = judge.Info, min(f.Confidence, 0.6)
			f.Doubts = append(f.Doubts, series.Doubt("waits-unknown"))
		}
		return []found{{"slow/network", f}}
	}
	return nil
}

// queue finds pauses in which nothing was asked for.
func queue(l *look) []found {
	f := series.Finding{Kind: judge.SlowQueueEmpty, Level: judge.Info, Next: "slow.queue-empty", Numbers: l.numbers(probe.UtilGPU)}
	switch l.Kind {
	case series.Busy:
		sure, ok := l.explains(sigNoJob)
		if !l.waits() || !ok {
			return nil
		}
		f.Confidence = sure
	case series.Idle:
		o := l.t.with[sigNoJob]
		switch {
		case o.waitKnown > 0 && o.wait >= 0.9*o.waitKnown:
			f.Confidence = 0.95
		case o.waitKnown > 0:
			return nil // something is queued: it is not for want of jobs
		case l.atLeast(probe.OwnProcs, 1):
			f.Confidence, f.Say = 0.6, "slow.queue-empty.loaded"
			f.Doubts = append(f.Doubts, series.Doubt("queue-unread"))
		default:
			return nil
		}
	default:
		return nil
	}
	return []found{{"slow/queue-empty", f}}
}
