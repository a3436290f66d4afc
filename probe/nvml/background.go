//go:build linux && cgo

package nvml

import (
	"sync"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"rentgen/probe"
)

// The background reads what costs much, away from the ticks: error counters,
// retired pages and link states, every ten seconds. The ticks carry its latest
// reading, and that of the PCIe thread, while it is fresh.
type background struct {
	mu      sync.Mutex
	run     int       // the goroutine that may go on
	current *device   // the card being read
	since   time.Time // since when
	now     chan struct{}
}

const (
	slowEvery  = 10 * time.Second
	pcieFresh  = 5 * time.Second
	backStall  = 5 * time.Second
	idleAfter  = 3 * time.Second // no tick was asked for: paused
	maxNVLinks = 36
)

// backReadings are a card's values from the background, with the time until
// which they hold. Guarded by device.mu.
type backReadings struct {
	values [probe.GPUMetricCount]probe.Value
	until  [probe.GPUMetricCount]time.Duration
}

func (b *backReadings) keep(m probe.Metric, v probe.Value, now, fresh time.Duration) {
	b.values[m], b.until[m] = v, now+fresh
}

// backgroundMetrics are those that a tick may find empty and take from here.
var backgroundMetrics = []probe.Metric{
	probe.PowerCap, probe.PCIeGen, probe.PCIeWidth, probe.PCIeTx, probe.PCIeRx,
	probe.NVLinkActive, probe.ECCCorrected, probe.ECCUncorrected, probe.RetiredPages,
}

// addBackground completes a reading; an outdated value is an error, not
// repeated.
func (d *device) addBackground(g *probe.GPU, now time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.problem != "" || d.mig {
		return
	}
	for _, m := range backgroundMetrics {
		if g.Values[m].State != probe.Pending {
			continue
		}
		v := d.bg.values[m]
		if v.State == probe.OK && now > d.bg.until[m] {
			v = probe.Missing(probe.Error, "driver call does not return")
		}
		g.Values[m] = v
	}
}

func (b *background) begin(l *Library) {
	b.mu.Lock()
	b.run++
	run := b.run
	if b.now == nil {
		b.now = make(chan struct{}, 1)
	}
	b.mu.Unlock()
	go b.loop(l, run)
}

// hurry asks for a reading before its time.
func (b *background) hurry() {
	select {
	case b.now <- struct{}{}:
	default:
	}
}

// watch starts another goroutine when the present one hangs in a call; the card
// it hangs on is left out until the call returns.
func (b *background) watch(l *Library) {
	b.mu.Lock()
	hung := b.current != nil && time.Since(b.since) > backStall
	if hung {
		b.current.bgBusy.Store(true)
		b.current = nil
	}
	b.mu.Unlock()
	if hung {
		b.begin(l)
	}
}

// loop reads the cards now and every ten seconds until it is replaced.
func (b *background) loop(l *Library, run int) {
	t := time.NewTicker(slowEvery)
	defer t.Stop()
	for {
		last := time.Duration(l.lastSample.Load())
		if last == 0 || time.Since(l.start)-last < idleAfter {
			for _, d := range l.devs {
				if !b.one(l, d, run) {
					return
				}
			}
		}
		select {
		case <-t.C:
		case <-b.now:
		}
	}
}

// one reads a card and reports whether this goroutine may go on. One that hung
// has been replaced meanwhile, and its card may be read again.
func (b *background) one(l *Library, d *device, run int) bool {
	d.mu.Lock()
	skip := d.problem != "" || d.mig || d.closed
	d.mu.Unlock()
	if skip || d.bgBusy.Load() {
		return true
	}
	b.mu.Lock()
	if b.run != run {
		b.mu.Unlock()
		return false
	}
	b.current, b.since = d, time.Now()
	b.mu.Unlock()

	d.readSlow(time.Since(l.start))

	b.mu.Lock()
	defer b.mu.Unlock()
	if b.run != run {
		d.bgBusy.Store(false)
		return false
	}
	b.current = nil
	return true
}

func (d *device) readSlow(now time.Duration) {
	has := &d.l.has
	absent := missing(nvml.ERROR_FUNCTION_NOT_FOUND)
	corrected, uncorrected, retired := absent, absent, absent
	if has[fnECC] {
		n, ret := d.h.GetTotalEccErrors(nvml.MEMORY_ERROR_TYPE_CORRECTED, nvml.AGGREGATE_ECC)
		corrected = within(ret, float64(n), 1, 0, 1e15)
		n, ret = d.h.GetTotalEccErrors(nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.AGGREGATE_ECC)
		uncorrected = within(ret, float64(n), 1, 0, 1e15)
	}
	retired = d.retired()
	links := d.activeLinks()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bg.keep(probe.ECCCorrected, corrected, now, 3*slowEvery)
	d.bg.keep(probe.ECCUncorrected, uncorrected, now, 3*slowEvery)
	d.bg.keep(probe.RetiredPages, retired, now, 3*slowEvery)
	d.bg.keep(probe.NVLinkActive, links, now, 3*slowEvery)
}

// retired counts pages set aside, or rows on cards that remap rows instead.
func (d *device) retired() probe.Value {
	v := missing(nvml.ERROR_FUNCTION_NOT_FOUND)
	if d.l.has[fnRetired] {
		sum, ret := 0, nvml.SUCCESS
		for _, cause := range []nvml.PageRetirementCause{
			nvml.PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS, nvml.PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR,
		} {
			var pages []uint64
			if pages, ret = retiredPages(d.h, cause); ret != nvml.SUCCESS {
				break
			}
			sum += len(pages)
		}
		if ret == nvml.SUCCESS {
			return probe.Of(float64(sum))
		}
		v = missing(ret)
	}
	if d.l.has[fnRemapped] {
		corr, unc, _, _, ret := d.h.GetRemappedRows()
		if ret == nvml.SUCCESS {
			return within(ret, float64(corr)+float64(unc), 1, 0, 1e9)
		}
		if v.State == probe.Unsupported {
			return missing(ret)
		}
	}
	return v
}

// retiredPages guards against counts that grow or are 0 where go-nvml takes the
// address of the first entry.
func retiredPages(h nvml.Device, cause nvml.PageRetirementCause) (pages []uint64, ret nvml.Return) {
	defer func() {
		if recover() != nil {
			pages, ret = nil, nvml.ERROR_INSUFFICIENT_SIZE
		}
	}()
	return h.GetRetiredPages(cause)
}

func (d *device) activeLinks() probe.Value {
	if !d.l.has[fnNVLinkState] {
		return missing(nvml.ERROR_FUNCTION_NOT_FOUND)
	}
	active := 0
	for link := range maxNVLinks {
		on, ret := d.h.GetNvLinkState(link)
		if ret != nvml.SUCCESS {
			if link == 0 {
				return missing(ret)
			}
			break
		}
		if on == nvml.FEATURE_ENABLED {
			active++
		}
	}
	return probe.Of(float64(active))
}
