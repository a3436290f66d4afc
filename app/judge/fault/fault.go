// Package fault says what is broken: errors of the driver, of VRAM, cards that
// are gone or need a reset, a driver that doesn't fit, a container that lost its
// cards. Events say most of it; counters that grow and cards that fall silent
// say the rest.
package fault

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/series"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// Bounds of what a host can make us keep.
const (
	maxClosed = 2000
	maxOpen   = 512
	maxCards  = 65
)

// Watch keeps the faults of a host. It is not safe for concurrent use.
type Watch struct {
	set    judge.Setting
	now    time.Time
	open   map[string]*standing
	closed []judge.Verdict
	cards  map[string]*card
	listed map[string]bool // by the last inventory; nil before the first
	ended  bool
}

// standing is a fault that may go on.
type standing struct {
	judge.Verdict
	last  time.Time
	until string // what ends it: "time", "readings" or "word"
	count float64
}

// What ends a fault.
const (
	untilTime     = "time"     // it happened at a moment and is old after a while
	untilReadings = "readings" // the card reads again
	untilWord     = "word"     // a reader says that the cards are back
)

// New returns a Watch that has seen nothing.
func New(set judge.Setting) *Watch {
	return &Watch{set: set, open: map[string]*standing{}, cards: map[string]*card{}}
}

// Add takes the next message.
func (w *Watch) Add(m probe.Message) {
	switch m := m.(type) {
	case *probe.Event:
		w.event(m)
	case *probe.Inventory:
		w.inventory(m)
	case *probe.Sample:
		if m.Time.After(w.now) {
			w.now = m.Time.Truncate(time.Second)
		}
		w.tokens(m)
	}
}

func (w *Watch) event(e *probe.Event) {
	at := e.Time.Truncate(time.Second)
	if at.IsZero() {
		at = w.now
	}
	switch e.Kind {
	case probe.EventXid:
		w.xid(e.GPU, e.Code, at)
	case probe.EventLost, probe.EventReset, probe.EventAccess, probe.EventDriverMismatch, probe.EventStalled:
		w.broken(e.Kind, e.GPU, at)
	case probe.EventBack:
		w.back(e.GPU, at)
	case probe.EventRun:
		w.back("", at) // another run of the instance has other readers
	}
}

// inventory opens what a listed card's problem says, and ends what a reader
// that sees the cards again disproves.
func (w *Watch) inventory(inv *probe.Inventory) {
	at := inv.Time.Truncate(time.Second)
	w.listed = map[string]bool{}
	for _, d := range inv.GPUs {
		w.listed[d.UUID] = true
		if d.Problem != "" && !at.IsZero() {
			w.broken(d.Problem, d.UUID, at)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(w.open)) {
		s := w.open[key]
		again := inv.Mode == probe.ModeGPU && len(inv.GPUs) > 0 && s.until == untilWord && s.GPU == ""
		// Another set of cards: the silence of one that isn't listed means nothing.
		gone := s.Rule == ruleMissing && !w.listed[s.GPU]
		if (again || gone) && at.After(s.last) {
			w.close(key, at)
		}
	}
}

// broken opens a fault that lasts, or counts it again.
func (w *Watch) broken(kind, gpu string, at time.Time) {
	f := found{gpu: gpu, at: at, level: judge.Fail, sure: 0.97, rule: "fault/events", until: untilWord}
	switch kind {
	case probe.EventLost:
		f.kind, f.until = judge.FaultLost, untilReadings
	case probe.EventReset:
		f.kind, f.until = judge.FaultReset, untilReadings
	case probe.EventAccess:
		f.kind = judge.FaultContainer
	case probe.EventDriverMismatch:
		f.kind = judge.FaultDriver
	case probe.EventStalled:
		f.kind, f.say, f.level, f.sure = judge.FaultDriver, "fault.driver.stalled", judge.Warn, 0.85
	default:
		return
	}
	if gpu == "" {
		f.until = untilWord
	}
	w.find(f)
}

func (w *Watch) xid(gpu string, code int, at time.Time) {
	n, known := lookup(code)
	f := found{
		kind: judge.FaultXid, gpu: gpu, at: at, level: n.Level, sure: 0.97, rule: "fault/xid", until: untilTime, id: code,
		next:    "fault.xid." + string(n.Part),
		numbers: map[string]judge.Number{"xid": {Value: float64(code)}},
		args:    []any{"what", func(c *texts.Catalogue) string { return texts.Xid(c, code) }},
	}
	if !known {
		f.sure = 0.6
		f.doubts = append(f.doubts, series.Doubt("xid-unknown"))
	}
	w.find(f)
}

// back ends what a card, or with gpu "" the host and all its cards, had.
func (w *Watch) back(gpu string, at time.Time) {
	for id, c := range w.cards {
		if gpu == "" || id == gpu {
			c.token = "" // said before it came back
		}
	}
	for _, key := range slices.Sorted(maps.Keys(w.open)) {
		s := w.open[key]
		if s.until != untilTime && (gpu == "" || s.GPU == gpu || s.GPU == "" && s.Kind == judge.FaultDriver) {
			w.close(key, at)
		}
	}
}

// Verdicts returns all faults so far by their beginning.
func (w *Watch) Verdicts() []judge.Verdict {
	list := slices.Clone(w.closed)
	for _, s := range w.open {
		v := s.Verdict
		if s.until != untilTime && w.now.After(v.To) {
			v.To = w.now
		}
		v.Open = !w.ended && (s.until != untilTime || w.now.Sub(s.last) <= limits.fresh)
		list = append(list, v)
	}
	slices.SortStableFunc(list, func(a, b judge.Verdict) int {
		return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.GPU, b.GPU), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Say.Key, b.Say.Key),
			cmp.Compare(a.Numbers["xid"].Value, b.Numbers["xid"].Value))
	})
	return list
}

// Close ends the stream: nothing is open any more.
func (w *Watch) Close() {
	w.settle()
	w.ended = true
}

func (w *Watch) close(key string, at time.Time) {
	s := w.open[key]
	delete(w.open, key)
	if at.After(s.To) {
		s.To = at
	}
	s.Open = false
	w.closed = append(w.closed, s.Verdict)
	if len(w.closed) > maxClosed {
		w.closed = slices.Delete(w.closed, 0, 1)
	}
}

// expire closes errors of a moment that none can join any more.
func (w *Watch) expire() {
	if len(w.open) == 0 {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(w.open)) {
		if s := w.open[key]; s.until == untilTime && w.now.Sub(s.last) > limits.rejoin {
			w.close(key, s.To)
		}
	}
}
