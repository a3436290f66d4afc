package check

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rentgen/app/guide"
)

func init() { judges[guide.GPUSMI] = judgeSMI }

var nvmlLibrary = guide.Regexp(`(?i)NVML library version:?\s+(\d[\w.]*)`)

// judgeSMI judges what nvidia-smi says of the cards: table, -q, -L, --version or
// --query-gpu.
func judgeSMI(l *look) {
	s := readSMI(l.lines, l.command)
	l.smiFacts(s)
	l.smiEvidence()
	if f, ok := l.faultOf(); ok {
		l.faultFacts(f)
		if f.code == "no-devices" {
			l.set("gpu_count", 0)
		}
		l.ofHost(l.find(guide.Fail, f.code))
	} else if l.noSMI() && len(s.cards) == 0 {
		l.set("error", "command_not_found")
		code := "missing"
		if guide.Known(l.ctx.RetriesDone, false) {
			code = "missing-everywhere"
		}
		l.ofHost(l.find(guide.Fail, code))
	}
	if !s.header && len(s.cards) == 0 {
		if len(l.found) == 0 && l.in.TimedOut {
			l.ofHost(l.find(guide.Warn, "hung"))
		}
		return // nothing more, or nothing at all, to judge
	}
	l.smiSlices(s)
	l.smiUsed(s)
	l.smiDriver(s)
	l.smiIncomplete(s)
	if len(l.found) == 0 {
		c := s.cards[0]
		l.find(guide.Pass, okCode(s), "n", len(s.cards), "name", c.name, "total", mibText(c.total), "driver", s.driver)
	}
}

// ofHost marks a finding as one that only the provider can mend: on a shared
// machine driver, kernel and card are the provider's.
func (l *look) ofHost(f *guide.Finding) { f.Provider = l.in.Track == guide.Shared }

func okCode(s smi) string {
	switch {
	case slices.ContainsFunc(s.cards, func(c card) bool { return isLabel(c.name) }):
		return "ok-label"
	case mixed(s):
		return "ok-mixed"
	case len(s.cards) > 1:
		return "ok-several"
	}
	return "ok"
}

func mixed(s smi) bool {
	return slices.ContainsFunc(s.cards, func(c card) bool { return c.name != s.cards[0].name })
}

// smiSlices judges whether only a part of a card was given. On a shared machine
// that is what was rented; on a whole machine it is not.
func (l *look) smiSlices(s smi) {
	v, whole := guide.Warn, ""
	if l.in.Track == guide.Dedicated {
		v, whole = guide.Fail, "-whole"
	}
	if n, total := s.migs(); n >= 0 {
		code := "mig"
		if total == nil {
			code = "mig-empty"
		}
		l.toProvider(v, code+whole, "n", n, "total", mibText(total), "name", s.name())
	}
	for _, c := range s.cards {
		if c.total == nil {
			continue
		}
		if of, yes := capped(c.name, *c.total); yes {
			l.toProvider(v, "capped"+whole, "name", c.name, "total", mibText(c.total), "of", mibText(&of))
			break
		}
	}
	if s.logs > 0 {
		l.toProvider(v, "soft-vgpu"+whole, "total", mibText(s.total()))
	}
	if l.in.Track == guide.Dedicated {
		if i := slices.IndexFunc(s.cards, func(c card) bool { return isLabel(c.name) }); i >= 0 {
			l.toProvider(guide.Warn, "label", "name", s.cards[i].name)
		}
	}
}

// toProvider finds what has to be taken up with the provider on either kind of
// instance.
func (l *look) toProvider(v guide.Verdict, code string, args ...any) {
	l.find(v, code, args...).Provider = true
}

// migs returns how many slices there are, -1 where MIG is off, and the VRAM of
// the first.
func (s smi) migs() (int, *float64) {
	on := len(s.slices) > 0 || slices.ContainsFunc(s.cards, func(c card) bool { return c.mig != nil && *c.mig })
	if !on {
		return -1, nil
	}
	for _, d := range s.slices {
		return len(s.slices), d.total
	}
	return 0, nil
}

func (s smi) name() string {
	if len(s.cards) == 0 {
		return ""
	}
	return s.cards[0].name
}

func (s smi) total() *float64 {
	if len(s.cards) == 0 {
		return nil
	}
	return s.cards[0].total
}

// smiUsed judges VRAM in use that is nobody's we know of.
func (l *look) smiUsed(s smi) {
	for _, c := range s.cards {
		if c.implausible {
			l.ofHost(l.find(guide.Warn, "implausible", "name", c.name))
			break
		}
	}
	if guide.Known(l.ctx.OwnProcesses, 0) > 0 {
		return
	}
	for _, c := range s.cards {
		limit := guide.Threshold("gpu.smi.idle-used")
		if c.display != nil && *c.display {
			limit = guide.Threshold("gpu.smi.desktop-used")
		}
		if c.used == nil || *c.used <= limit {
			continue
		}
		code := "in-use"
		if l.ctx.OwnProcesses == nil {
			code = "in-use-unknown" // says that none is taken to be yours
		}
		l.ofHost(l.find(guide.Warn, code, "used", mibText(c.used), "total", mibText(c.total)))
		return
	}
}

// smiDriver judges driver and CUDA.
func (l *look) smiDriver(s smi) {
	if b, ok := major(s.driver); ok && float64(b) < guide.Threshold("gpu.smi.driver-min") {
		cuda := s.cuda
		if !startsWithDigit(cuda) {
			cuda = nativeCUDA(s.driver)
		}
		code := "driver-old"
		if cuda == "" {
			code = "driver-old-cuda"
		}
		l.ofHost(l.find(guide.Warn, code, "driver", s.driver, "cuda", cuda, "least", int(guide.Threshold("gpu.smi.driver-min"))))
	}
	if s.cuda != "" && !startsWithDigit(s.cuda) {
		l.ofHost(l.find(guide.Warn, "cuda-unknown", "field", s.cuda))
	}
	if yes, _ := above(s.driver, numeric(s.cuda)); yes {
		l.find(guide.Warn, "cuda-above", "cuda", s.cuda, "native", nativeOr(s.driver), "driver", s.driver)
	}
	if l.says("inforom is corrupted") {
		l.ofHost(l.find(guide.Warn, "inforom"))
	} else if l.in.TimedOut {
		l.ofHost(l.find(guide.Warn, "hung"))
	} else if l.in.Exit != 0 && !l.piped() && len(l.found) == 0 {
		l.find(guide.Warn, "exit", "exit", l.in.Exit)
	}
}

// smiIncomplete says what a pass needs and isn't there.
func (l *look) smiIncomplete(s smi) {
	switch {
	case len(s.cards) == 0:
		l.find(guide.Warn, "no-cards")
	case s.driver == "" && s.memoryUnread():
		l.find(guide.Warn, "names-only", "n", len(s.cards))
	case s.driver == "":
		l.find(guide.Warn, "no-driver-line")
	case s.memoryUnread():
		l.find(guide.Warn, "no-vram", "name", s.name())
	}
}

// memoryUnread reports whether the VRAM of a card, or of a slice, could not be
// read.
func (s smi) memoryUnread() bool {
	if len(s.slices) > 0 {
		return slices.ContainsFunc(s.slices, func(d slice) bool { return d.total == nil })
	}
	return slices.ContainsFunc(s.cards, func(c card) bool { return c.total == nil || c.used == nil })
}

// numeric is a CUDA version, "" for a cell that holds none.
func numeric(cuda string) string {
	if startsWithDigit(cuda) {
		return cuda
	}
	return ""
}

// nativeOr is the CUDA of a driver's branch; of a branch between two of the
// table it is that of the next.
func nativeOr(driver string) string {
	if n := nativeCUDA(driver); n != "" {
		return n
	}
	b, _ := major(driver)
	next := 0
	for have := range driverTable().native {
		if have >= b && (next == 0 || have < next) {
			next = have
		}
	}
	return driverTable().native[next]
}

// mibText is a size as it is said.
func mibText(v *float64) string {
	if v == nil {
		return "?"
	}
	return fmt.Sprintf("%.0f MiB", math.Round(*v))
}

// smiEvidence notes the lines of the table that say most.
func (l *look) smiEvidence() {
	for _, s := range l.lines {
		if smiVersion.MatchString(s) || smiDriver.MatchString(s) || smiLog.MatchString(s) || smiList.MatchString(s) || busID.MatchString(s) && strings.Contains(s, "|") || strings.Contains(s, "MiB /") {
			l.use(s)
		}
	}
}
