//go:build linux && cgo

package nvml

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"rentgen/probe"
)

// device is a card or a MIG instance. Its fields belong to whoever reads it:
// one goroutine at a time, by the passes; mu guards what others look at.
type device struct {
	l      *Library
	h      nvml.Device
	raw0   unsafe.Pointer // the handle, for the functions we call ourselves
	mig    bool
	closed bool    // could not be opened; only its problem is told
	again  *device // of a closed card: what it is, now that it could be opened

	mu      sync.Mutex
	info    probe.Device
	problem string // an event kind, "" fine
	raw     string // the words for problem
	bg      backReadings

	gpu     probe.GPU // what the current reading fills
	total   float64   // MiB, 0 unknown
	fatal   nvml.Return
	unknown int // calls of this reading that gave "Unknown Error"
	good    int // calls that succeeded

	samples  sampler
	nvlink   linkCounter
	processU []pidUtil
	lastProc uint64
	list     []byte // of the driver's process entries

	pcieDone uint32 // readings of the PCIe thread taken over

	busy    atomic.Bool // being read; stays set while a call hangs
	bgBusy  atomic.Bool // the same for the background
	stalls  int
	retryAt time.Time
}

// handlePointer takes the C handle out of go-nvml's device, which is a struct
// of one pointer.
func handlePointer(h nvml.Device) unsafe.Pointer {
	v := reflect.ValueOf(h)
	if v.Kind() != reflect.Struct || v.NumField() != 1 || v.Field(0).Kind() != reflect.Pointer {
		return nil
	}
	return v.Field(0).UnsafePointer()
}

// describe reads what stays the same.
func (d *device) describe(index int) {
	l, in := d.l, &d.info
	in.Index = index
	in.UUID = fmt.Sprintf("index-%d", index)
	if l.has[fnUUID] {
		if s, ret := d.h.GetUUID(); ret == nvml.SUCCESS && s != "" {
			in.UUID = s
		}
	}
	if l.has[fnName] {
		in.Name, _ = d.h.GetName()
	}
	if l.has[fnPCIInfo] {
		if pci, ret := d.h.GetPciInfo(); ret == nvml.SUCCESS {
			in.BusID = busID(pci)
		}
	}
	if l.has[fnPersistence] {
		if on, ret := d.h.GetPersistenceMode(); ret == nvml.SUCCESS {
			in.Persistence = onOff(int(on))
		}
	}
	if l.has[fnComputeCap] {
		if major, minor, ret := d.h.GetCudaComputeCapability(); ret == nvml.SUCCESS {
			in.ComputeCap = fmt.Sprintf("%d.%d", major, minor)
		}
	}
	if l.has[fnMIGMode] {
		if mode, _, ret := d.h.GetMigMode(); ret == nvml.SUCCESS {
			in.MIG = onOff(mode)
		}
	}
	d.limits()
	d.memory()
	in.MemTotal = d.gpu.Get(probe.MemTotal)
	in.Virtual = virtual()
}

func (d *device) limits() {
	l, in := d.l, &d.info
	absent := missing(nvml.ERROR_FUNCTION_NOT_FOUND)
	in.PowerCap, in.PowerDefault, in.PowerMax = d.powerCap(), absent, absent
	in.ClockMaxSM, in.ClockMaxMem, in.PCIeGenMax, in.PCIeWidthMax, in.TempSlow = absent, absent, absent, absent, absent
	if l.has[fnPowerDefault] {
		n, ret := d.h.GetPowerManagementDefaultLimit()
		in.PowerDefault = within(ret, float64(n), 0.001, 1, maxWatt)
	}
	if l.has[fnPowerConstraints] {
		_, n, ret := d.h.GetPowerManagementLimitConstraints()
		in.PowerMax = within(ret, float64(n), 0.001, 1, maxWatt)
	}
	if l.has[fnMaxClock] {
		sm, ret := d.h.GetMaxClockInfo(nvml.CLOCK_SM)
		in.ClockMaxSM = within(ret, float64(sm), 1, 0, maxMHz)
		mem, ret := d.h.GetMaxClockInfo(nvml.CLOCK_MEM)
		in.ClockMaxMem = within(ret, float64(mem), 1, 0, maxMHz)
	}
	if l.has[fnMaxPCIeGen] {
		n, ret := d.h.GetMaxPcieLinkGeneration()
		in.PCIeGenMax = within(ret, float64(n), 1, 1, maxPCIeGen)
	}
	if l.has[fnMaxPCIeWidth] {
		n, ret := d.h.GetMaxPcieLinkWidth()
		in.PCIeWidthMax = within(ret, float64(n), 1, 1, maxPCIeWidth)
	}
	if l.has[fnTempThreshold] {
		n, ret := d.h.GetTemperatureThreshold(nvml.TEMPERATURE_THRESHOLD_SLOWDOWN)
		in.TempSlow = within(ret, float64(int32(n)), 1, minTemp, maxTemp)
	}
}

// instances lists the MIG instances of a card that has them on.
func (d *device) instances() []*device {
	l := d.l
	if d.info.MIG != "on" || !l.has[fnMIGCount] || !l.has[fnMIGHandle] {
		return nil
	}
	n, ret := d.h.GetMaxMigDeviceCount()
	if ret != nvml.SUCCESS {
		return nil
	}
	var list []*device
	for i := range min(n, maxDevices) {
		h, ret := d.h.GetMigDeviceHandleByIndex(i)
		if ret != nvml.SUCCESS {
			continue
		}
		m := &device{l: l, h: h, raw0: handlePointer(h), mig: true}
		m.info = probe.Device{
			Index: d.info.Index, UUID: fmt.Sprintf("%s/%d", d.info.UUID, i), BusID: d.info.BusID,
			ComputeCap: d.info.ComputeCap, Persistence: d.info.Persistence, Parent: d.info.UUID,
		}
		if l.has[fnUUID] {
			if s, ret := h.GetUUID(); ret == nvml.SUCCESS && s != "" {
				m.info.UUID = s
			}
		}
		if l.has[fnName] {
			m.info.Name, _ = h.GetName()
		}
		if _, profile, ok := strings.Cut(m.info.Name, " MIG "); ok {
			m.info.Profile = profile
		}
		none := migMissing()
		for _, v := range []*probe.Value{
			&m.info.PowerCap, &m.info.PowerDefault, &m.info.PowerMax, &m.info.ClockMaxSM, &m.info.ClockMaxMem,
			&m.info.PCIeGenMax, &m.info.PCIeWidthMax, &m.info.TempSlow,
		} {
			*v = none
		}
		m.memory()
		m.info.MemTotal = m.gpu.Get(probe.MemTotal)
		list = append(list, m)
	}
	return list
}

// migMissing is the value of what only a whole card has.
func migMissing() probe.Value { return probe.Missing(probe.Unsupported, "MIG") }

func onOff(n int) string {
	if n != 0 {
		return "on"
	}
	return "off"
}

func busID(p nvml.PciInfo) string {
	b := make([]byte, 0, len(p.BusId))
	for _, c := range p.BusId {
		if c == 0 {
			break
		}
		b = append(b, byte(c))
	}
	if len(b) == 0 {
		return fmt.Sprintf("%08X:%02X:%02X.0", p.Domain, p.Bus, p.Device)
	}
	return string(b)
}

// virtual reports whether a platform's library stands between us and the driver
// and shows a slice as the card (HAMi and its like).
func virtual() bool {
	for _, kv := range os.Environ() {
		if strings.HasPrefix(kv, "CUDA_DEVICE_MEMORY_LIMIT") {
			return true
		}
	}
	return strings.Contains(os.Getenv("LD_PRELOAD"), "libvgpu")
}
