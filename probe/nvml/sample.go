//go:build linux && cgo

package nvml

import (
	"math"
	"strconv"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"rentgen/probe"
)

// What a card can be; beyond it a number is an error. Fans over 100 % are legal,
// power over its limit is real, temperatures can be under zero.
const (
	maxWatt      = 20000
	maxMHz       = 20000
	minTemp      = -60
	maxTemp      = 200
	maxFan       = 300
	maxMiB       = 1 << 26 // 64 TiB
	maxJoule     = 1e13
	maxPCIeGen   = 10
	maxPCIeWidth = 64
	maxMBs       = 4e6
	memoryMargin = 1.05 // used may exceed total by rounding, not by more
)

// Options choose what a reading holds beside the fast metrics.
type Options struct {
	Procs bool // the process lists
	Slow  bool // limits and the PCIe link
}

// read takes one reading of the card into d.gpu. It returns early when the
// card turns out to be lost.
func (d *device) read(opt Options) {
	d.gpu = probe.GPU{Index: d.info.Index, UUID: d.info.UUID, Name: d.info.Name}
	d.fatal, d.unknown, d.good, d.again = nvml.SUCCESS, 0, 0, nil
	if d.closed {
		d.fill(probe.Missing(probe.Error, d.raw))
		if opt.Slow {
			d.tryAgain()
		}
		return
	}
	if d.mig {
		d.readInstance(opt)
	} else {
		d.readCard(opt)
	}
	if d.fatal != nvml.SUCCESS {
		d.fill(missing(d.fatal))
	}
}

// tryAgain opens a card that could not be opened at the start. It is part of a
// pass, so that a call that hangs costs the other cards nothing.
func (d *device) tryAgain() {
	h, ret := d.l.api.DeviceGetHandleByIndex(d.info.Index)
	if d.fatal = ret; ret != nvml.SUCCESS {
		return
	}
	card := &device{l: d.l, h: h, raw0: handlePointer(h)}
	card.describe(d.info.Index)
	d.again = card
}

func (d *device) fill(v probe.Value) {
	for i := range d.gpu.Values {
		d.gpu.Values[i] = v
	}
	d.gpu.Spreads, d.gpu.Procs = nil, nil
}

// saw takes note of what a call says about the whole card.
func (d *device) saw(ret nvml.Return) nvml.Return {
	switch ret {
	case nvml.SUCCESS:
		d.good++
	case nvml.ERROR_UNKNOWN:
		d.unknown++
	case nvml.ERROR_GPU_IS_LOST, nvml.ERROR_RESET_REQUIRED, nvml.ERROR_UNINITIALIZED, nvml.ERROR_DRIVER_NOT_LOADED:
		d.fatal = ret
	}
	return ret
}

// set stores the reading of a metric read by one call.
func (d *device) set(m probe.Metric, ret nvml.Return, n, scale, lo, hi float64) {
	d.gpu.Values[m] = within(d.saw(ret), n, scale, lo, hi)
}

// absent marks metrics whose function the driver lacks.
func (d *device) absent(ms ...probe.Metric) {
	for _, m := range ms {
		d.gpu.Values[m] = missing(nvml.ERROR_FUNCTION_NOT_FOUND)
	}
}

func (d *device) readInstance(opt Options) {
	none := migMissing()
	for i := range d.gpu.Values {
		d.gpu.Values[i] = none
	}
	d.memory()
	if opt.Procs && d.fatal == nvml.SUCCESS {
		d.processes()
	}
}

func (d *device) readCard(opt Options) {
	has := &d.l.has
	if has[fnUtilization] {
		u, ret := d.h.GetUtilizationRates()
		d.set(probe.UtilGPU, ret, float64(u.Gpu), 1, 0, 100)
		d.set(probe.UtilMem, ret, float64(u.Memory), 1, 0, 100)
	} else {
		d.absent(probe.UtilGPU, probe.UtilMem)
	}
	if d.fatal != nvml.SUCCESS {
		return
	}
	d.memory()
	if d.fatal != nvml.SUCCESS {
		return
	}
	d.readSensors()
	if d.fatal != nvml.SUCCESS {
		return
	}
	d.readFields()
	d.drain()
	if opt.Slow {
		d.readLink()
	}
	if opt.Procs && d.fatal == nvml.SUCCESS {
		d.processes()
	}
}

func (d *device) readSensors() {
	has := &d.l.has
	d.absent(probe.UtilEnc, probe.UtilDec, probe.Power, probe.Energy, probe.Temp, probe.Fan,
		probe.ClockSM, probe.ClockMem, probe.PState, probe.EventReasons)
	if has[fnEncoder] {
		n, _, ret := d.h.GetEncoderUtilization()
		d.set(probe.UtilEnc, ret, float64(n), 1, 0, 100)
	}
	if has[fnDecoder] {
		n, _, ret := d.h.GetDecoderUtilization()
		d.set(probe.UtilDec, ret, float64(n), 1, 0, 100)
	}
	if has[fnPower] {
		n, ret := d.h.GetPowerUsage()
		d.set(probe.Power, ret, float64(n), 0.001, 0, maxWatt)
		d.round(probe.Power)
	}
	if has[fnEnergy] {
		n, ret := d.h.GetTotalEnergyConsumption()
		d.set(probe.Energy, ret, float64(n), 0.001, 0, maxJoule)
		if v, ok := d.gpu.Values[probe.Energy].Ok(); ok {
			d.gpu.Values[probe.Energy] = probe.Of(math.Floor(v))
		}
	}
	if has[fnTemperature] {
		n, ret := d.h.GetTemperature(nvml.TEMPERATURE_GPU)
		d.set(probe.Temp, ret, float64(int32(n)), 1, minTemp, maxTemp)
	}
	if has[fnFan] {
		n, ret := d.h.GetFanSpeed()
		d.set(probe.Fan, ret, float64(n), 1, 0, maxFan)
	}
	if has[fnClock] {
		n, ret := d.h.GetClockInfo(nvml.CLOCK_SM)
		d.set(probe.ClockSM, ret, float64(n), 1, 0, maxMHz)
		n, ret = d.h.GetClockInfo(nvml.CLOCK_MEM)
		d.set(probe.ClockMem, ret, float64(n), 1, 0, maxMHz)
	}
	if has[fnPState] {
		n, ret := d.h.GetPerformanceState()
		d.set(probe.PState, ret, float64(n), 1, 0, 15)
	}
	switch { // renamed with driver 535; the old name may be gone one day
	case has[fnEventReasons]:
		n, ret := d.h.GetCurrentClocksEventReasons()
		d.mask(ret, n)
	case has[fnThrottleReasons]:
		n, ret := d.h.GetCurrentClocksThrottleReasons()
		d.mask(ret, n)
	}
}

func (d *device) mask(ret nvml.Return, bits uint64) {
	if d.saw(ret) != nvml.SUCCESS {
		d.gpu.Values[probe.EventReasons] = missing(ret)
		return
	}
	d.gpu.Values[probe.EventReasons] = probe.OfMask(bits)
}

func (d *device) round(m probe.Metric) {
	if v, ok := d.gpu.Values[m].Ok(); ok {
		d.gpu.Values[m] = probe.Of(tenths(v))
	}
}

func (d *device) powerCap() probe.Value {
	if !d.l.has[fnPowerLimit] {
		return missing(nvml.ERROR_FUNCTION_NOT_FOUND)
	}
	n, ret := d.h.GetEnforcedPowerLimit()
	return within(d.saw(ret), float64(n), 0.001, 1, maxWatt)
}

// readLink reads what changes seldom; the pass keeps it for the ticks between.
func (d *device) readLink() {
	d.absent(probe.PCIeGen, probe.PCIeWidth)
	d.gpu.Values[probe.PowerCap] = d.powerCap()
	if d.l.has[fnPCIeGen] {
		n, ret := d.h.GetCurrPcieLinkGeneration()
		d.set(probe.PCIeGen, ret, float64(n), 1, 1, maxPCIeGen)
	}
	if d.l.has[fnPCIeWidth] {
		n, ret := d.h.GetCurrPcieLinkWidth()
		d.set(probe.PCIeWidth, ret, float64(n), 1, 1, maxPCIeWidth)
	}
	d.mu.Lock()
	for _, m := range []probe.Metric{probe.PowerCap, probe.PCIeGen, probe.PCIeWidth} {
		d.bg.keep(m, d.gpu.Values[m], time.Since(d.l.start), 3*slowEvery)
	}
	d.mu.Unlock()
}

// memory reads version 2, which keeps what the driver reserves apart, or
// version 1, which counts it as used; a card that shares the machine's memory
// offers neither, and the machine's stands for it.
func (d *device) memory() {
	has, source := &d.l.has, ""
	ret := nvml.ERROR_FUNCTION_NOT_FOUND
	var total, used uint64
	reserved := missing(nvml.ERROR_FUNCTION_NOT_FOUND)
	if has[fnMemory2] {
		var m nvml.Memory_v2
		if m, ret = d.h.GetMemoryInfo_v2(); ret == nvml.SUCCESS {
			source, total, used = "v2", m.Total, m.Used
			reserved = within(ret, float64(m.Reserved>>20), 1, 0, maxMiB)
		}
	}
	if source == "" && has[fnMemory] && d.saw(ret) != nvml.ERROR_GPU_IS_LOST {
		var m nvml.Memory
		var first nvml.Return
		if m, first = d.h.GetMemoryInfo(); first == nvml.SUCCESS {
			ret, source, total, used = first, "v1", m.Total, m.Used
		} else if ret == nvml.ERROR_FUNCTION_NOT_FOUND || ret == nvml.ERROR_ARGUMENT_VERSION_MISMATCH {
			ret = first
		}
	}
	d.saw(ret)
	if shared := ret == nvml.ERROR_NOT_SUPPORTED || (ret == nvml.SUCCESS && total == 0); shared && !d.mig {
		if totalMiB, usedMiB, ok := d.l.procs.meminfo(); ok {
			d.source("meminfo")
			d.total = totalMiB
			d.gpu.Values[probe.MemTotal], d.gpu.Values[probe.MemUsed] = probe.Of(totalMiB), probe.Of(usedMiB)
			d.gpu.Values[probe.MemReserved] = missing(nvml.ERROR_NOT_SUPPORTED)
			return
		}
	}
	if ret != nvml.SUCCESS {
		v := missing(ret)
		d.gpu.Values[probe.MemTotal], d.gpu.Values[probe.MemUsed], d.gpu.Values[probe.MemReserved] = v, v, v
		return
	}
	d.source(source)
	d.gpu.Values[probe.MemTotal] = within(ret, float64(total>>20), 1, 1, maxMiB)
	d.gpu.Values[probe.MemReserved] = reserved
	d.total = float64(total >> 20)
	if float64(used) > float64(total)*memoryMargin {
		d.gpu.Values[probe.MemUsed] = probe.Missing(probe.Error, strconv.FormatUint(used, 10))
		return
	}
	d.gpu.Values[probe.MemUsed] = probe.Of(float64(used >> 20))
}

func (d *device) source(s string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.info.MemSource != s {
		if d.info.MemSource != "" {
			d.l.generation.Add(1)
		}
		d.info.MemSource = s
	}
}
