//go:build linux && cgo

package nvml

import (
	"cmp"
	"slices"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"rentgen/probe"
)

// pidUtil sums the utilisation samples of one process.
type pidUtil struct {
	pid    uint32
	sum, n float64
}

// processes reads who uses the card. An empty list with state OK means that the
// driver named none.
func (d *device) processes() {
	var entries []entry
	lists := d.l.lists
	entries, ret := lists.compute.call(d.raw0, &d.list, d.total, entries)
	entries, retG := lists.graphics.call(d.raw0, &d.list, d.total, entries)
	if ret == nvml.ERROR_NOT_FOUND {
		ret = nvml.SUCCESS
	}
	if ret != nvml.SUCCESS && retG == nvml.SUCCESS && len(entries) > 0 {
		ret = retG // graphics alone is better than nothing
	}
	d.saw(ret)
	p := &probe.Processes{State: probe.OK}
	if ret != nvml.SUCCESS {
		v := missing(ret)
		p.State, p.Raw = v.State, v.Raw
		d.gpu.Procs = p
		return
	}
	absentUtil := d.processUtil()
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.pid, b.pid) })
	p.List = make([]probe.Process, 0, len(entries))
	for i, e := range entries {
		if i > 0 && entries[i-1].pid == e.pid {
			// In both lists: a process that computes and draws. The memory is
			// the same, told twice.
			continue
		}
		name, own := d.l.procs.look(int(e.pid))
		p.List = append(p.List, probe.Process{
			PID: int(e.pid), Name: name, Own: own, Mem: processMemory(e.mem), Util: d.utilOf(e.pid, absentUtil),
		})
	}
	d.gpu.Procs = p
}

func processMemory(bytes uint64) probe.Value {
	if bytes == notAvailable64 {
		return probe.Missing(probe.Unsupported, "N/A")
	}
	return probe.Of(float64(bytes >> 20))
}

func (d *device) utilOf(pid uint32, absent probe.Value) probe.Value {
	for _, u := range d.processU {
		if u.pid == pid {
			return probe.Of(tenths(u.sum / u.n))
		}
	}
	return absent
}

// processUtil drains the driver's per-process samples into d.processU and
// returns the value of a process without any.
func (d *device) processUtil() probe.Value {
	d.processU = d.processU[:0]
	if d.mig {
		return migMissing()
	}
	if !d.l.has[fnProcUtil] {
		return missing(nvml.ERROR_FUNCTION_NOT_FOUND)
	}
	now := uint64(d.l.p.Now().UnixMicro())
	if d.lastProc == 0 {
		// With an old time the driver averages over its whole buffer and
		// names processes that ended long ago.
		d.lastProc = now - 1e6
	}
	list, ret := getProcessUtilization(d.h, d.lastProc)
	switch ret {
	case nvml.SUCCESS, nvml.ERROR_NOT_FOUND, nvml.ERROR_INSUFFICIENT_SIZE:
	default:
		return missing(ret)
	}
	d.takeUtil(list)
	return probe.Missing(probe.Pending, returnText(nvml.ERROR_NOT_FOUND))
}

// takeUtil keeps the samples that can be true; the driver also hands out
// entries without a process, old ones, and shares far above 100 %.
func (d *device) takeUtil(list []nvml.ProcessUtilizationSample) {
	newest := d.lastProc
	for _, s := range list {
		if s.Pid == 0 || s.Pid > maxPID || s.TimeStamp <= d.lastProc || s.SmUtil > 100 {
			continue
		}
		newest = max(newest, s.TimeStamp)
		i := slices.IndexFunc(d.processU, func(u pidUtil) bool { return u.pid == s.Pid })
		if i < 0 {
			d.processU = append(d.processU, pidUtil{pid: s.Pid})
			i = len(d.processU) - 1
		}
		d.processU[i].sum += float64(s.SmUtil)
		d.processU[i].n++
	}
	d.lastProc = newest
}

// getProcessUtilization guards against a count that changes between go-nvml's
// two calls.
func getProcessUtilization(h nvml.Device, seen uint64) (list []nvml.ProcessUtilizationSample, ret nvml.Return) {
	defer func() {
		if recover() != nil {
			list, ret = nil, nvml.ERROR_NOT_FOUND
		}
	}()
	return h.GetProcessUtilization(seen)
}
