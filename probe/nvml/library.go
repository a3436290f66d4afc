//go:build linux && cgo

package nvml

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"rentgen/probe"
)

// Library is the loaded library. Init comes first; then Inventory, Sample and
// Events may be used, Sample by one goroutine.
type Library struct {
	p     Params
	has   [fnCount]bool
	lists listFuncs
	pcie  pcieReader
	api   nvml.Interface

	driver, cuda string
	mode         probe.Mode
	devs         []*device
	generation   atomic.Uint64
	events       chan probe.Event
	procs        *procTable

	work  chan *pass // to the worker that reads the cards
	timer *time.Timer

	back       background
	lastSample atomic.Int64 // monotonic, so that nothing is read in a pause
	start      time.Time
	slowSeen   bool // the first slow reading was taken
}

func newLibrary(p Params) *Library {
	l := &Library{p: p, events: make(chan probe.Event, 256), start: time.Now()}
	l.procs = newProcTable(p.Proc)
	l.timer = time.NewTimer(time.Hour)
	l.timer.Stop()
	l.generation.Store(1)
	return l
}

// Driver is the driver's version after Init, "" unknown.
func (l *Library) Driver() string { return l.driver }

// Events is where Xids, lost cards and the like arrive. Nothing blocks on it:
// when nobody reads for a long time the newest are dropped.
func (l *Library) Events() <-chan probe.Event { return l.events }

// Generation rises when Inventory would answer differently.
func (l *Library) Generation() uint64 { return l.generation.Load() }

func (l *Library) emit(ev probe.Event) {
	ev.Time = l.p.Now()
	select {
	case l.events <- ev:
	default:
	}
}

// Init starts the library and lists the cards. It waits for the driver as long
// as that takes (seconds without persistence mode) and may be repeated after an
// error, an *InitError.
func (l *Library) Init() error {
	if ret := l.api.Init(); ret != nvml.SUCCESS {
		return l.initError(ret)
	}
	if l.has[fnDriverVersion] {
		l.driver, _ = l.api.SystemGetDriverVersion()
	}
	if l.has[fnCUDAVersion] {
		if v, ret := l.api.SystemGetCudaDriverVersion(); ret == nvml.SUCCESS && v > 0 {
			l.cuda = fmt.Sprintf("%d.%d", v/1000, v%1000/10)
		}
	}
	n, ret := l.api.DeviceGetCount()
	if ret != nvml.SUCCESS {
		return l.initError(ret)
	}
	l.list(min(n, maxDevices))
	l.mode = probe.ModeGPU
	if len(l.devs) == 0 {
		l.mode = probe.ModeNoGPU
	}
	l.reportSymbols()
	l.work = make(chan *pass)
	go l.worker(l.work)
	l.back.begin(l)
	l.pcie.start(l.devs)
	if l.has[fnEventCreate] && l.has[fnEventRegister] && l.has[fnEventWait] && len(l.devs) > 0 {
		go l.watchXids()
	}
	l.generation.Add(1)
	return nil
}

// maxDevices bounds a count that a broken driver might give.
const maxDevices = 64

// initError says what a failing start means. Without device files but with the
// kernel's driver, a platform has started the container without a card.
func (l *Library) initError(ret nvml.Return) *InitError {
	e := &InitError{Code: int(ret), Raw: returnText(ret), Mode: probe.ModeFault}
	switch ret {
	case nvml.ERROR_LIB_RM_VERSION_MISMATCH:
		e.Kind = probe.EventDriverMismatch
	case nvml.ERROR_DRIVER_NOT_LOADED:
		e.Mode = probe.ModeNoDriver
		if _, err := os.Stat(filepath.Join(l.p.Proc, "driver/nvidia/version")); err == nil {
			e.Mode, e.Kind = probe.ModeNoGPU, probe.EventNoGPU
		}
	case nvml.ERROR_GPU_NOT_FOUND, nvml.ERROR_NOT_FOUND:
		e.Mode, e.Kind = probe.ModeNoGPU, probe.EventNoGPU
	case nvml.ERROR_GPU_IS_LOST:
		e.Kind = probe.EventLost
	case nvml.ERROR_RESET_REQUIRED:
		e.Kind = probe.EventReset
	default:
		e.Kind = probe.EventAccess
	}
	return e
}

func (l *Library) reportSymbols() {
	var lacking []string
	for f := range fnCount {
		renamed := f == fnEventReasons && l.has[fnThrottleReasons] || f == fnThrottleReasons && l.has[fnEventReasons]
		if !l.has[f] && !renamed {
			lacking = append(lacking, f.names()[0])
		}
	}
	if len(lacking) > 0 {
		l.emit(probe.Event{
			Kind: probe.EventSymbol, Code: len(lacking),
			Text: "The driver lacks optional functions.", Raw: strings.Join(lacking, " "),
		})
	}
}

// list finds the cards. One that can't be opened, or whose calls do not
// return, is listed with its problem.
func (l *Library) list(n int) {
	l.devs = nil
	for i := range n {
		stuck := l.unreadable(i, probe.EventStalled)
		d, timely := guard(openPatience*l.p.StallAfter, func() []*device { return l.open(i) }, func() { stuck.busy.Store(false) })
		if !timely {
			stuck.raw = "driver call does not return"
			d = []*device{stuck}
			l.emit(probe.Event{GPU: stuck.info.UUID, Kind: probe.EventStalled, Text: "A driver call does not return.", Raw: stuck.raw})
		}
		l.devs = append(l.devs, d...)
	}
}

// openPatience is how many times StallAfter opening a card may take: without
// persistence mode the driver sets the card up first.
const openPatience = 10

// guard runs f and gives up waiting after d; f then ends by itself, unseen, and
// after calls late.
func guard[T any](d time.Duration, f func() T, late func()) (T, bool) {
	done := make(chan T, 1)
	go func() {
		v := f()
		late()
		done <- v
	}()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case v := <-done:
		return v, true
	case <-t.C:
		var none T
		return none, false
	}
}

func (l *Library) unreadable(i int, kind string) *device {
	d := &device{l: l, problem: kind, closed: true}
	d.busy.Store(kind == probe.EventStalled)
	d.info = probe.Device{Index: i, UUID: fmt.Sprintf("index-%d", i), Problem: kind}
	v := probe.Missing(probe.Pending, "")
	d.info.MemTotal, d.info.PowerCap, d.info.PowerDefault, d.info.PowerMax = v, v, v, v
	return d
}

// open returns the card and its MIG instances.
func (l *Library) open(i int) []*device {
	h, ret := l.api.DeviceGetHandleByIndex(i)
	if ret != nvml.SUCCESS {
		d := l.unreadable(i, problemOf(ret))
		d.raw = returnText(ret)
		l.emit(probe.Event{GPU: d.info.UUID, Kind: d.problem, Code: int(ret), Text: problemText(d.problem), Raw: d.raw})
		return []*device{d}
	}
	d := &device{l: l, h: h, raw0: handlePointer(h)}
	d.describe(i)
	return append([]*device{d}, d.instances()...)
}

// problemOf names what a failing call says about the whole card.
func problemOf(ret nvml.Return) string {
	switch ret {
	case nvml.ERROR_RESET_REQUIRED:
		return probe.EventReset
	case nvml.ERROR_UNKNOWN, nvml.ERROR_NO_PERMISSION, nvml.ERROR_UNINITIALIZED, nvml.ERROR_OPERATING_SYSTEM,
		nvml.ERROR_DRIVER_NOT_LOADED:
		return probe.EventAccess
	}
	return probe.EventLost
}

func problemText(kind string) string {
	switch kind {
	case probe.EventReset:
		return "The card requires a reset."
	case probe.EventAccess:
		return "The card can no longer be reached from here."
	case probe.EventStalled:
		return "A driver call does not return."
	}
	return "The card is lost."
}

// Inventory describes the cards as of now. Agent, System and Run are the
// caller's to fill.
func (l *Library) Inventory() probe.Inventory {
	inv := probe.Inventory{
		Time: l.p.Now(), Source: probe.SourceAgent, Driver: l.driver, CUDA: l.cuda, Mode: l.mode,
		GPUs: make([]probe.Device, len(l.devs)),
	}
	for i, d := range l.devs {
		d.mu.Lock()
		inv.GPUs[i] = d.info
		d.mu.Unlock()
	}
	return inv
}
