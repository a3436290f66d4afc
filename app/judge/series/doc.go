// Package series turns the messages of a look into what rules judge: whole
// seconds, cut into phases from the data alone (idle, loading, busy, without
// readings), with running statistics of every metric.
//
// A second comes out the same whether its readings come live at 10 Hz or out of
// history as one. A phase is judged as a whole when it ends, and in windows of a
// minute while it lasts; both are a Segment. What a rule must count beyond the
// statistics (two things at the same moment) it counts in a Tally. Memory is
// bounded: nothing but the last seconds is kept.
package series

import (
	"time"

	"rentgen/app/judge"
	"rentgen/probe"
)

// Kind says what a card does in a segment.
type Kind uint8

// The kinds. On the machine's track it is what the busiest of its cards does.
const (
	Unread  Kind = iota // neither utilisation nor power can be read
	Idle                // nothing runs; a loaded model may occupy memory
	Loading             // memory fills, or data comes from disk or over the bus, and the card is not at work
	Busy                // at work, with the short pauses between pictures
	Gap                 // no readings at all
)

// String returns the name used in tests and logs.
func (k Kind) String() string {
	return [...]string{"unread", "idle", "loading", "busy", "gap"}[min(k, Gap)]
}

// Tally counts what a rule needs of the seconds of a segment.
type Tally interface {
	// Add counts a second in. It must not keep s.
	Add(s *Second)
}

// Rule is a pure function from a segment to verdicts.
type Rule struct {
	// Name is "area/what"; text "judge.rule.<name>" explains it.
	Name string
	// Windows says that it is judged on windows of a minute, whose verdicts
	// are joined where they follow on one another; otherwise on whole phases.
	Windows bool
	// Machine says that it is judged on the machine's track, not on a card's.
	Machine bool
	// Kinds are the segments that it is asked about; nil for all but Gap.
	Kinds []Kind
	// Tally makes an empty tally; nil where the statistics are enough.
	Tally func() Tally
	// Judge returns what the segment means, nothing where the rule has no
	// opinion. It must not change the case.
	Judge func(c *Case) []judge.Verdict
}

// Case is a segment with what a rule may know beside it.
type Case struct {
	*Segment
	// Tally is the rule's own, nil where it has none.
	Tally Tally
	// Setting is what the user or the host's profile says.
	Setting judge.Setting
	// Past are the phases of the same card earlier in this recording, oldest
	// first, at most PastPhases.
	Past []judge.Phase
}

// PastPhases bounds the phases of a card that rules can look back on.
const PastPhases = 64

// Segment is a phase of a track, or a window of one.
type Segment struct {
	GPU    string       // UUID, "" for the machine
	Device probe.Device // as the inventory has it; only UUID, Index and Name where it has none
	Cards  int          // how many cards the machine has been seen with
	Kind   Kind
	Window bool // a minute of a phase, not all of it
	Open   bool // it still goes on
	From   time.Time
	To     time.Time // the end of its last second
	// Seconds counts those with readings, Active those at work. A reading of a
	// slow log counts for all the seconds that it stands for.
	Seconds, Active int
	// Step is how many seconds lie between two readings, 1 and more.
	Step   int
	Reason probe.GapReason // of a Gap, "" where nobody said
	// BestClock is the highest median of the SM clock under load that any
	// minute of this recording has shown so far, this segment included; 0 for none.
	BestClock float64
	// Floor is the lowest power of the card in this recording so far, W; 0
	// where it can't be read.
	Floor float64
	// Whole is the phase that a window belongs to, without the window itself;
	// nil for a whole phase.
	Whole *Segment
	// Tallies are by the index of Params.Rules, nil where a rule is not asked.
	Tallies []Tally

	card, load []Dist // by card metric; load holds the seconds at work
	host       []Dist
	states     []probe.State // of card metrics that had no value
	hostStates []probe.State
	from, to   int64
}

// Stat sums a metric of the card or the machine up; N is 0 where no second of
// the segment had it.
func (s *Segment) Stat(m probe.Metric) judge.Stat {
	if d := s.Dist(m); d != nil {
		return d.Stat()
	}
	return judge.Stat{}
}

// Dist returns the distribution of a metric over all seconds; nil for a metric
// the track doesn't have.
func (s *Segment) Dist(m probe.Metric) *Dist { return pick(m, s.card, s.host) }

// LoadStat sums a card metric up over the seconds at work. It knows
// utilisation, power, clocks, temperatures and memory in use.
func (s *Segment) LoadStat(m probe.Metric) judge.Stat {
	if d := s.Load(m); d != nil {
		return d.Stat()
	}
	return judge.Stat{}
}

// Load returns the distribution of a card metric over the seconds at work.
func (s *Segment) Load(m probe.Metric) *Dist { return pick(m, s.load, nil) }

// Has reports whether a metric was read in at least half of the seconds.
func (s *Segment) Has(m probe.Metric) bool {
	d := s.Dist(m)
	return d != nil && d.n > 0 && 2*d.n >= s.Seconds
}

// State says why a metric has no value; OK where it has one.
func (s *Segment) State(m probe.Metric) probe.State {
	if d := s.Dist(m); d == nil || d.n > 0 {
		if d == nil {
			return probe.Unsupported
		}
		return probe.OK
	}
	list, i := s.states, int(m)
	if m.System() {
		list, i = s.hostStates, i-firstSystem
	}
	if i < len(list) {
		return list[i]
	}
	return probe.Pending
}

func pick(m probe.Metric, card, host []Dist) *Dist {
	i := int(m)
	if m.System() {
		card, i = host, i-firstSystem
	}
	if i >= len(card) {
		return nil
	}
	return &card[i]
}

// Phase sums a whole segment up for comparison with later ones. Stats of
// utilisation, power and clocks are over the seconds at work.
func (s *Segment) Phase(set judge.Setting) judge.Phase {
	p := judge.Phase{
		GPU: s.GPU, Card: s.Device.Name, Job: set.Job, From: s.From, To: s.To, Seconds: s.Seconds,
		Stats: map[string]judge.Stat{},
	}
	for _, m := range phaseMetrics {
		st := s.LoadStat(m)
		if st.N == 0 {
			st = s.Stat(m)
		}
		if st.N > 0 {
			p.Stats[m.String()] = st
		}
	}
	return p
}

// loadMetrics are kept over the seconds at work as well.
var loadMetrics = []probe.Metric{
	probe.UtilGPU, probe.UtilMem, probe.MemUsed, probe.Power, probe.PowerCap, probe.Temp, probe.TempMem,
	probe.ClockSM, probe.ClockMem, probe.OwnUtil, probe.PCIeTx, probe.PCIeRx, probe.PCIeGen, probe.PCIeWidth,
}

// phaseMetrics are kept of a phase.
var phaseMetrics = []probe.Metric{
	probe.UtilGPU, probe.UtilMem, probe.MemUsed, probe.Power, probe.PowerCap, probe.Temp, probe.TempMem, probe.ClockSM, probe.ClockMem,
	probe.PCIeTx, probe.PCIeRx, probe.PCIeGen, probe.PCIeWidth, probe.OwnMem, probe.OwnUtil,
	probe.CPU, probe.CPUBusiest, probe.CPUQuota, probe.CPUThrottled, probe.RAMUsed, probe.DiskRead, probe.DiskWrite, probe.NetRx, probe.NetTx,
	probe.IOWait, probe.PSICPU, probe.PSIMem, probe.PSIIO,
}
