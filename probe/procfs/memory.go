package procfs

import "rentgen/probe"

// parseMeminfo returns total and used bytes of the machine. Kernels before
// 3.14 lack MemAvailable: free memory and caches stand in for it.
func parseMeminfo(b []byte) (total, used uint64, ok bool) {
	total, _, ok = entry(b, "MemTotal")
	if !ok || total == 0 || total > 1<<44 {
		return 0, 0, false
	}
	free, found, ok := entry(b, "MemAvailable")
	if !found {
		free, _, ok = entry(b, "MemFree")
		for _, key := range [...]string{"Buffers", "Cached", "SReclaimable"} {
			if n, _, ok := entry(b, key); ok {
				free += n
			}
		}
	}
	if !ok {
		return 0, 0, false
	}
	return total << 10, (total - min(free, total)) << 10, true
}

// hostTotal returns the machine's memory in bytes, 0 where it is not known.
func hostTotal(src source) uint64 {
	b, err := src.read(fileMeminfo)
	if err != nil {
		return 0
	}
	total, _, _ := parseMeminfo(b)
	return total
}

// fillRAM sets memory in use and its limit: of the group that limits us, else
// of the machine. Page cache that the kernel can drop at once is not in use.
func (s *Snapshot) fillRAM(src source, g *groups) {
	switch limit := g.memLimit; limit.State {
	case probe.OK:
		s.ramLimit, s.ramUsed = limit, groupUsed(src, g.memDir)
		return
	case probe.Unsupported:
	default:
		s.ramLimit, s.ramUsed = limit, limit
		return
	}
	b, err := src.read(fileMeminfo)
	if err != nil {
		s.ramUsed = missing(err)
		s.ramLimit = s.ramUsed
		return
	}
	total, used, ok := parseMeminfo(b)
	if !ok {
		s.ramUsed = garbled(b)
		s.ramLimit = s.ramUsed
		return
	}
	s.ramUsed, s.ramLimit = probe.Of(float64(used)/mib), probe.Of(float64(total)/mib)
}

// groupUsed returns the memory of a control group in MiB.
func groupUsed(src source, l level) probe.Value {
	b, err := src.read(l.name("memory.current", "memory.usage_in_bytes"))
	if err != nil {
		return missing(err)
	}
	f, _ := field(b)
	used, ok := number(f)
	if !ok || used >= 1<<60 {
		return garbled(b)
	}
	b, err = src.read(l.name("memory.stat", "memory.stat"))
	if err != nil {
		return missing(err)
	}
	key := "inactive_file"
	if l.v1 {
		key = "total_inactive_file"
	}
	cache, _, ok := entry(b, key)
	if !ok {
		return garbled(b)
	}
	return probe.Of(float64(used-min(cache, used)) / mib)
}
