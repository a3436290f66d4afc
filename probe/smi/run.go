package smi

import (
	"errors"
	"strings"
	"time"

	"rentgen/probe"
	"rentgen/probe/procfs"
)

const (
	maxTail   = 16  // lines kept of what a loop said since its last tick
	maxNoise  = 32  // kinds of noise that events tell of
	hopeless  = 3   // starts in a row that the link refuses
	shortTick = 2   // ticks without a card until it counts as missing
	flushIn   = 250 // ms after a row that is not followed by another
)

// line takes one line of the loop.
func (s *session) line(m lineMsg) {
	n := len(s.query.cols)
	row, ok := parseRow(m.text, n)
	if ok && !m.side {
		s.rows++
		s.lastRow = s.l.p.Now()
		s.silent = 0
		quiet := max(s.l.p.Silence, 3*time.Duration(s.l.interval())*time.Millisecond)
		s.after("silence", quiet, silenceMsg{s.gen})
		if done := s.group.add(s.query.read(row)); done != nil {
			s.tick(done)
		}
		if len(s.group.rows) > 0 {
			s.after("flush", flushIn*time.Millisecond, flushMsg{s.gen, s.rows})
		}
		return
	}
	if heading(m.text, n) {
		return
	}
	note, ok := readNote(m.text)
	if !ok {
		return
	}
	if s.tail = append(s.tail, note.Raw); len(s.tail) > maxTail {
		s.tail = s.tail[1:]
	}
	if note.Kind == probe.EventNoise && ParseFailure([]byte(note.Raw), 0) != nil {
		return // the loop's end, or its silence, tells of it
	}
	s.note(note)
}

// note tells of a line that is no reading.
func (s *session) note(n Note) {
	uuid, bus := "", n.BusID
	for _, d := range s.inv.GPUs {
		if d.Profile == "" && (n.BusID != "" && busKey(n.BusID) == busKey(d.BusID) || n.BusID == "" && n.Index >= 0 && n.Index == d.Index) {
			uuid, bus = d.UUID, d.BusID
		}
	}
	e := probe.Event{GPU: uuid, Kind: n.Kind, Code: n.Code, Raw: n.Raw}
	switch n.Kind {
	case probe.EventLost, probe.EventReset:
		key := faultKey(n.Kind, uuid, bus)
		if s.told[key] {
			return
		}
		s.told[key] = true
		e.Text = "the card can't be reached"
		if n.Kind == probe.EventReset {
			e.Text = "the card requires a reset"
		}
	case probe.EventNoise:
		if n.Soft != "" {
			s.soft()
		}
		shape := strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' || r >= 'a' && r <= 'f' {
				return '0'
			}
			return r
		}, n.Raw)
		shape = shape[:min(len(shape), 48)]
		if s.noise[shape] || len(s.noise) >= maxNoise {
			return
		}
		s.noise[shape] = true
		e.Text = "a line that is no reading"
	case probe.EventXid:
		e.Text = "the driver reports an Xid"
	}
	s.event(e)
}

// faultKey is what a fault is remembered by. A card that is lost has no UUID
// to be read, so the bus id comes first.
func faultKey(kind, uuid, bus string) string {
	if k := busKey(bus); k != "" {
		return kind + " " + k
	}
	return kind + " " + uuid
}

// soft remembers that a layer of software cuts the cards: the memory shown is
// a share.
func (s *session) soft() {
	changed := false
	gpus := append([]probe.Device(nil), s.inv.GPUs...)
	for i := range gpus {
		changed = changed || !gpus[i].Virtual
		gpus[i].Virtual = true
	}
	if changed {
		s.inv.GPUs = gpus
		s.publish()
	}
}

// publish sends the inventory after a change.
func (s *session) publish() {
	s.inv.Time = s.l.p.Now().UTC()
	s.l.mu.Lock()
	s.l.facts.inv = s.inv
	s.l.mu.Unlock()
	inv := s.inv
	inv.GPUs = append([]probe.Device(nil), inv.GPUs...)
	s.emit(&inv)
}

// tick emits the rows of one tick.
func (s *session) tick(cards []card) {
	if len(cards) == 0 {
		return
	}
	identify(cards)
	if s.unexpected(cards) {
		// Of these alone a tick would say that every other card is missing.
		s.examine()
		return
	}
	if same(cards, s.last) {
		s.alike++
	} else {
		s.alike = 0
	}
	s.last = cards
	s.tail = nil
	s.fails, s.starts, s.stalled = 0, 0, false
	for _, c := range cards {
		for _, n := range c.notes {
			s.note(n)
		}
		if len(c.notes) == 0 {
			s.recovered(c)
		}
	}
	s.emit(s.sample(cards, probe.Missing(probe.Error, "nvidia-smi printed no row for it")))
	s.countMissing(cards)
	if s.strange && !s.busy {
		s.strange = false
		s.examine()
	}
}

// unexpected reports whether none of the cards is one that was readable when
// everything was asked: a card that came, or came back.
func (s *session) unexpected(cards []card) bool {
	for _, d := range s.inv.GPUs {
		if d.Problem != probe.EventLost && d.Profile == "" && find(cards, d) >= 0 {
			return false
		}
	}
	return true
}

// recovered takes back what was told of a card that reads well again.
func (s *session) recovered(c card) {
	back := false
	for _, kind := range []string{probe.EventLost, probe.EventReset} {
		key := faultKey(kind, c.gpu.UUID, c.bus)
		back = back || s.told[key]
		delete(s.told, key)
	}
	if back {
		s.event(probe.Event{GPU: c.gpu.UUID, Kind: probe.EventBack, Text: "the card reads again"})
	}
}

// countMissing tells of a card whose row stays out.
func (s *session) countMissing(cards []card) {
	for _, d := range s.inv.GPUs {
		if d.Profile != "" {
			continue
		}
		if find(cards, d) >= 0 {
			s.missing[d.UUID] = 0
			continue
		}
		s.missing[d.UUID]++
		if s.missing[d.UUID] == shortTick {
			s.note(Note{Kind: probe.EventLost, BusID: d.BusID, Index: d.Index, Raw: "no row for " + d.BusID})
		}
	}
}

// silence is called when no row came for too long.
func (s *session) silence() {
	if f := ParseFailure([]byte(strings.Join(s.tail, "\n")), 0); f != nil {
		s.fail(f, "")
		return
	}
	if s.rows == 0 {
		if s.silent++; s.silent >= 2 {
			s.poll = true // it may hold its rows back when it writes to a pipe
		}
	}
	s.fail(nil, "nvidia-smi fell silent")
}

// ended is called when the loop ended by itself.
func (s *session) ended(m endMsg) error {
	said := []byte(strings.Join(s.tail, "\n"))
	s.tick(s.group.flush())
	var start startErr
	if errors.As(m.err, &start) {
		if s.starts++; s.starts >= hopeless {
			return start.error
		}
		s.fail(nil, "no shell could be started")
		return nil
	}
	if m.err != nil {
		s.fail(nil, procfs.Clean(m.err.Error(), maxText))
		return nil
	}
	s.fail(ParseFailure(said, m.exit), "nvidia-smi's loop ended")
	return nil
}

// fail ends the loop and waits before the next try. f is nil where nothing is
// known but that it stopped.
func (s *session) fail(f *Failure, why string) {
	s.stopLoop()
	switch {
	case f != nil:
		if s.failure == nil || s.failure.Kind != f.Kind {
			s.failed(f)
		}
		s.failure = f
	case !s.stalled:
		s.stalled = true
		s.event(probe.Event{Kind: probe.EventStalled, Text: "nvidia-smi stopped and is started anew", Raw: why})
	}
	if f == nil {
		f = &Failure{Kind: FailOther, Raw: why}
	}
	if len(s.inv.GPUs) > 0 || s.sys != nil {
		s.emit(s.sample(nil, probe.Missing(f.state(), f.Raw)))
	}
	s.after("restart", s.l.backoff(s.fails), restartMsg{s.gen})
	s.fails++
}

// failed tells of a failure once and changes the mode.
func (s *session) failed(f *Failure) {
	uuid := ""
	for _, d := range s.inv.GPUs {
		if f.BusID != "" && busKey(d.BusID) == busKey(f.BusID) {
			uuid = d.UUID
		}
	}
	if f.BusID == "" || !s.told[faultKey(f.EventKind(), uuid, f.BusID)] {
		s.event(probe.Event{GPU: uuid, Kind: s.kindOf(f), Code: max(f.Exit, 0), Text: "nvidia-smi gives no readings: " + string(f.Kind), Raw: f.Raw})
	}
	s.l.mu.Lock()
	s.l.facts.failure = f
	s.l.mu.Unlock()
	if s.inv.Mode == probe.ModeGPU {
		s.inv.Mode = probe.ModeFault
		s.publish()
	}
}

// kindOf is the failure's kind of event; that there is no card is a mode of
// the platform only where nothing speaks for a card.
func (s *session) kindOf(f *Failure) string {
	kind := f.EventKind()
	switch {
	case kind != probe.EventNoGPU || s.inv.Mode == probe.ModeNoGPU:
		return kind
	case f.Kind == FailNoDevices:
		return probe.EventLost
	}
	return probe.EventSource
}

// restart starts the loop, after a failure only when a round of questions
// went well.
func (s *session) restart() {
	if s.failure != nil {
		s.examine()
		return
	}
	s.startLoop()
}

// examine asks everything anew. A card that comes up again and again without
// getting into the inventory does not make that a habit.
func (s *session) examine() {
	now := s.l.p.Now()
	if s.busy || s.failure == nil && now.Sub(s.asked) < s.l.p.ProcsEvery && !s.asked.IsZero() {
		return
	}
	s.busy, s.asked = true, now
	s.do(func() {
		f, err := s.l.examine(s.ctx)
		s.send(s.ctx, factsMsg{f, err})
	})
}

func (s *session) examined(m factsMsg) error {
	s.busy = false
	if m.err != nil {
		if s.starts++; s.starts >= hopeless {
			return m.err
		}
		if s.cancel == nil {
			s.fail(s.failure, "the host could not be asked")
		}
		return nil
	}
	if m.facts.failure != nil && s.failure != nil && s.failure.Kind == m.facts.failure.Kind {
		s.starts = 0
		s.fail(m.facts.failure, "")
		return nil
	}
	if m.facts.failure != nil && len(m.facts.inv.GPUs) == 0 {
		m.facts.inv.GPUs = s.inv.GPUs // known from before; the failure says why they are silent
	}
	s.l.mu.Lock()
	s.l.facts = m.facts
	s.l.mu.Unlock()
	s.adopt(m.facts)
	return nil
}

// system takes a reading of the machine. Without a tick to go with it, it goes
// alone.
func (s *session) system(sys *probe.System) {
	s.sys, s.shared, s.sharedAt = sys, sys, s.l.p.Now()
	late := 2*time.Duration(s.l.interval())*time.Millisecond + time.Second
	if s.cancel != nil && s.l.p.Now().Sub(s.lastRow) < late {
		return
	}
	why := probe.Missing(probe.Error, "nvidia-smi is silent")
	if s.failure != nil {
		why = probe.Missing(s.failure.state(), s.failure.Raw)
	}
	s.emit(s.sample(nil, why))
}
