package series

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"rentgen/probe"
)

// Bounds of what a host can make us keep.
const (
	maxTracks = 65 // cards, instances of cards and the machine: eight cards of seven instances are 57
	maxGaps   = 64
	maxLate   = 30 // readings from before the second under way, until the clock is believed
)

// Params sets a Series up.
type Params struct {
	// Rules whose tallies are kept with every segment.
	Rules []Rule
	// Closed is called with every window and every phase as it ends. The
	// segment is only good during the call: the next window takes its room.
	Closed func(*Segment)
	// Second is called with every whole second before it is counted, nil for
	// nobody. It must not keep the second.
	Second func(*Second)
}

// Series cuts a stream of messages. It is not safe for concurrent use.
type Series struct {
	p       Params
	now     int64 // the second under way
	started bool
	late    int
	seconds int // judged
	pace    pace
	parts   []*gather // cards by index and name
	host    *gather
	tracks  map[string]*track
	order   []*track // the machine's first, then as parts
	devices map[string]probe.Device
	gaps    []probe.Gap
	snap    *Second // of the second under way, made when somebody must keep it
}

// New returns an empty Series.
func New(p Params) *Series {
	s := &Series{p: p, tracks: map[string]*track{}, devices: map[string]probe.Device{}, host: newGather("", probe.SystemMetricCount)}
	t := newTrack(s, "")
	s.tracks[""], s.order = t, []*track{t}
	return s
}

// Add takes the next message. A second is judged when the next one begins.
func (s *Series) Add(m probe.Message) {
	switch m := m.(type) {
	case *probe.Inventory:
		s.inventory(m)
	case *probe.Gap:
		s.gaps = append(s.gaps, *m)
		if len(s.gaps) > maxGaps {
			s.gaps = slices.Delete(s.gaps, 0, 1)
		}
	case *probe.Sample:
		s.sample(m)
	}
}

func (s *Series) inventory(inv *probe.Inventory) {
	for _, d := range inv.GPUs {
		name := trackName(d.UUID, d.Index)
		if _, ok := s.devices[name]; !ok && len(s.devices) >= maxTracks {
			continue
		}
		s.devices[name] = d
		if t := s.tracks[name]; t != nil {
			t.device = d
		}
	}
}

func (s *Series) sample(m *probe.Sample) {
	t := m.Time.Unix()
	switch {
	case !s.started:
	case t < s.now:
		// Readings of a second that is over come late; many in a row mean
		// that the clock was set back.
		if s.late++; s.late <= maxLate {
			return
		}
		s.finish()
		s.closeAll()
	case t > s.now:
		s.finish()
		s.pass(t)
	}
	if !s.started || t != s.now {
		s.begin(t)
	}
	s.late = 0
	s.read(m)
}

// pass goes on to the second t, over those without a reading of their own.
func (s *Series) pass(t int64) {
	d := t - s.now
	first := s.pace.n == 0
	if first {
		s.pace.add(d) // there is nothing else to go by
	}
	switch told := s.gap("", s.now+1, t) != nil; {
	case d > s.pace.silent(), d > int64(lim.hole) && told:
		s.hole(s.now+1, t)
	case d > 1 && s.pace.holds(d):
		for s.now < t-1 {
			s.now++
			s.judge(true)
		}
	}
	if !first {
		s.pace.add(d)
	}
}

// step is how many seconds a reading stands for.
func (s *Series) step() int { return int(s.pace.usual()) }

func (s *Series) begin(t int64) {
	s.now, s.started = t, true
	for _, g := range s.parts {
		g.seen = false
	}
	s.host.seen = false
}

func (s *Series) read(m *probe.Sample) {
	for i := range m.GPUs {
		g := &m.GPUs[i]
		p := s.part(g)
		if p == nil {
			continue
		}
		if !p.seen {
			p.begin()
		}
		for k := range g.Values {
			p.accs[k].add(&g.Values[k])
		}
		for _, sp := range g.Spreads {
			if int(sp.Metric) < probe.GPUMetricCount {
				p.accs[sp.Metric].spread(sp)
			}
		}
	}
	if m.System != nil {
		if !s.host.seen {
			s.host.begin()
		}
		for i := range m.System.Values {
			s.host.accs[i].add(&m.System.Values[i])
		}
	}
}

func (s *Series) part(g *probe.GPU) *gather {
	name := trackName(g.UUID, g.Index)
	for _, p := range s.parts {
		if p.UUID == name {
			return p
		}
	}
	if len(s.parts) >= maxTracks-1 {
		return nil
	}
	p := newGather(name, probe.GPUMetricCount)
	p.Index, p.Name = g.Index, g.Name
	s.parts = append(s.parts, p)
	slices.SortFunc(s.parts, func(a, b *gather) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.UUID, b.UUID))
	})
	t := newTrack(s, name)
	t.device = probe.Device{UUID: g.UUID, Index: g.Index, Name: g.Name}
	if d, ok := s.devices[name]; ok {
		t.device = d
	}
	s.tracks[name] = t
	s.order = s.order[:1]
	for _, p := range s.parts {
		s.order = append(s.order, s.tracks[p.UUID])
	}
	return p
}

// trackName is the UUID, or a stand-in for a card that tells none; as the
// store's.
func trackName(uuid string, index int) string {
	if uuid == "" {
		return "#" + strconv.Itoa(index)
	}
	return uuid
}

// finish judges the second under way.
func (s *Series) finish() {
	if !s.started {
		return
	}
	if s.host.seen {
		s.host.finish(hostForms)
	}
	for _, g := range s.parts {
		if g.seen {
			g.finish(cardForms)
		}
	}
	s.snap = nil
	s.judge(false)
}

// judge counts the second that is now, with the readings of its own, or held
// with those before.
func (s *Series) judge(held bool) {
	sec := Second{T: s.now, Step: s.step(), Held: held}
	s.seconds++
	if s.host.seen {
		sec.Host = &s.host.Part
	}
	for _, g := range s.parts {
		if g.seen {
			sec.Cards = append(sec.Cards, &g.Part)
		}
	}
	most := Unread
	raws := make([]Kind, len(s.parts))
	for i, g := range s.parts {
		t := s.tracks[g.UUID]
		one := sec
		if g.seen {
			one.Card = &g.Part
		}
		if raws[i] = t.raw(&one); held {
			raws[i] = t.last
		}
		t.last = raws[i]
		g.Active = raws[i] == Busy
		most = max(most, raws[i])
	}
	for i, g := range s.parts {
		one := sec
		if g.seen {
			one.Card = &g.Part
		}
		one.Raw, one.Active = raws[i], raws[i] == Busy
		if s.p.Second != nil && one.Card != nil {
			s.p.Second(&one)
		}
		s.tracks[g.UUID].step(&one, raws[i])
	}
	sec.Raw, sec.Active = most, most == Busy
	if s.p.Second != nil {
		s.p.Second(&sec)
	}
	s.order[0].step(&sec, most)
}

// kept returns a copy of a second that outlives it; the parts are copied once.
func (s *Series) kept(sec *Second) Second {
	if s.snap == nil {
		c := Second{T: sec.T, Host: sec.Host.clone()}
		for _, p := range sec.Cards {
			c.Cards = append(c.Cards, p.clone())
		}
		s.snap = &c
	}
	c := *s.snap
	c.T, c.Step, c.Held = sec.T, sec.Step, sec.Held
	c.Raw, c.Active = sec.Raw, sec.Active
	if sec.Card != nil {
		for _, p := range c.Cards {
			if p.UUID == sec.Card.UUID {
				c.Card = p
			}
		}
	}
	return c
}

// hole closes everything before a span without readings and tells of it.
func (s *Series) hole(from, to int64) {
	s.closeAll()
	for _, t := range s.order {
		g := t.newSegment(Gap, from, false)
		g.to, g.Reason = to, s.reason(t.uuid, from, to)
		t.emit(g)
	}
}

func (s *Series) reason(gpu string, from, to int64) probe.GapReason {
	if g := s.gap(gpu, from, to); g != nil {
		return g.Reason
	}
	return ""
}

// gap returns what was told of a span without readings of a card, nil for nothing.
func (s *Series) gap(gpu string, from, to int64) *probe.Gap {
	for i := len(s.gaps) - 1; i >= 0; i-- {
		g := &s.gaps[i]
		if (g.GPU == "" || g.GPU == gpu) && g.From.Unix() < to && g.To.Unix() >= from {
			return g
		}
	}
	return nil
}

func (s *Series) closeAll() {
	for _, t := range s.order {
		t.close()
	}
}

// Close ends the stream: the last second is judged and every segment closed.
func (s *Series) Close() {
	s.finish()
	s.closeAll()
	s.started = false
}

// Open returns the phases that go on and their last windows, the machine's
// first. They are copies; nothing is changed by asking.
func (s *Series) Open() []*Segment {
	var list []*Segment
	for _, t := range s.order {
		list = append(list, t.open()...)
	}
	return list
}

// Seconds returns how many were judged: those with a reading and those for which
// the reading before stood.
func (s *Series) Seconds() int { return s.seconds }

// Step is the time between two readings as it was of late.
func (s *Series) Step() time.Duration { return time.Duration(s.step()) * time.Second }

// Now is the end of the last second that was judged; zero before the first.
func (s *Series) Now() time.Time {
	if !s.started {
		return time.Time{}
	}
	return time.Unix(s.now, 0).UTC()
}

// track is one card, or the machine, on its way.
type track struct {
	s       *Series
	uuid    string
	device  probe.Device
	kind    Kind
	last    Kind // what the second before looked like on its own
	begun   bool
	pend    []pending
	whole   *Segment
	window  *Segment
	spare   *Segment // whose room the next window takes
	mem     climb    // VRAM in use
	ram     climb
	procs   [2]float64 // programs of ours at the last second
	seen    bool
	sign    int64 // the last second with a sign of our own
	denied  int64 // the last second whose power denied that it was at rest
	denials int   // such seconds, in a row but for pauses
	floor   float64
	best    float64
}

// pending is a second that doesn't go with the phase; later ones decide where
// it belongs.
type pending struct {
	sec Second
	raw Kind
}

func newTrack(s *Series, uuid string) *track {
	return &track{s: s, uuid: uuid}
}
