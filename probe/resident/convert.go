package resident

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"rentgen/probe"
	"rentgen/probe/wire"
)

const (
	// fillSeconds is how many readings go into one fill: a quarter of an hour.
	fillSeconds = 900
	// fillWeight bounds what a host can put into one: a card of a reading weighs
	// one.
	fillWeight = 16_000
	// maxBootID is more than any kernel's; a longer one is none.
	maxBootID = 64
)

// baseSlack is how far the measured time of a boot may be from the one used
// before: within it the old one holds, so that a second fetched twice is the
// same second and none is left out between two fetches.
const baseSlack = 800 * time.Millisecond

// maxBoots bounds the boots whose times are remembered.
const maxBoots = 8

// cursor says how far the history of a host reaches and how its times were
// found. To the one who keeps it, it is text.
type cursor struct {
	At string `json:"at"` // Position
	// Base is the laptop's UTC at the host's monotonic 0, by boot id, Unix
	// nanoseconds.
	Base map[string]int64 `json:"base,omitempty"`
	Last *reached         `json:"last,omitempty"` // the last reading before At
}

// reached is the last reading that history has.
type reached struct {
	Run  uint64 `json:"run"`
	Boot string `json:"boot"`
	Init int64  `json:"init,omitempty"` // Unix nanoseconds
	Slot int64  `json:"slot"`           // whole second of the monotonic clock
	T    int64  `json:"t"`              // the same in the laptop's Unix time
}

func parseCursor(text string) cursor {
	var c cursor
	if json.Unmarshal([]byte(text), &c) != nil {
		return cursor{}
	}
	if _, err := ParsePosition(c.At); err != nil {
		return cursor{}
	}
	return c
}

// Clock is what a connection knows of the host's clocks.
type Clock struct {
	BootID string // of the host now
	// Base is the laptop's UTC at the host's monotonic 0; zero where it was not
	// measured.
	Base time.Time
	// Ahead is how far the host's wall clock is ahead of the laptop's.
	Ahead time.Duration
}

// Converter turns what a recorder kept into fills with the laptop's times.
//
// The time of a reading comes from the monotonic clock, so steps of either wall
// clock don't matter within a boot. What an earlier boot holds that was never
// connected is told by the host's wall clock, and marked Rough.
type Converter struct {
	cur   cursor
	pos   Position
	clock Clock
	limit int64 // Unix second of the first live reading
	keep  func(*probe.Fill) error

	start    *wire.Start
	base     int64
	rough    bool
	hole     probe.GapReason // of the hole that the next reading ends
	holeFrom int64           // its first second, on the monotonic clock
	wallMono int64           // host's wall clock at its monotonic 0
	fill     *probe.Fill
	samples  int
	weight   int
	seconds  int64
}

// NewConverter goes on behind the fill with the cursor text, "" for the
// beginning, up to the first reading that was taken live. keep takes each fill;
// its error ends the conversion.
func NewConverter(text string, clock Clock, first time.Time, keep func(*probe.Fill) error) *Converter {
	c := &Converter{cur: parseCursor(text), clock: clock, limit: first.Unix(), keep: keep}
	c.pos, _ = ParsePosition(c.cur.At) // parseCursor looked at it
	if c.cur.Base == nil {
		c.cur.Base = map[string]int64{}
	}
	return c
}

// From returns the position from which the ring is to be read.
func (c *Converter) From() string { return c.cur.At }

// Seconds returns how many seconds were converted.
func (c *Converter) Seconds() int64 { return c.seconds }

// Frame takes one frame of the host; over says that what follows was read live.
func (c *Converter) Frame(f wire.Frame) (over bool, err error) {
	switch {
	case f.Start != nil:
		if !RingName(f.Start.Ring) {
			return false, fmt.Errorf("a recorder called %.40q: %w", f.Start.Ring, wire.ErrFrame)
		}
		if len(f.Start.BootID) > maxBootID {
			f.Start.BootID = ""
		}
		if c.start == nil || c.start.Run != f.Start.Run || c.start.Ring != f.Start.Ring {
			if err := c.flush(false); err != nil {
				return false, err
			}
			c.begin(f.Start)
		}
	case c.start == nil:
		return false, fmt.Errorf("what the recorder kept has no beginning: %w", wire.ErrFrame)
	case f.Inventory != nil:
		inv := *f.Inventory
		inv.Source, inv.Agent = probe.SourceAgent, c.start.Version
		inv.Time = c.wall(inv.Time)
		c.add(&inv, 16+4*len(inv.GPUs))
	case f.Event != nil:
		e := *f.Event
		if e.Time = c.wall(e.Time); e.Time.Unix() < c.limit {
			c.add(&e, 2)
		}
	case f.Hole != nil:
		if c.cur.Last == nil || int64(f.Hole.To/time.Second) > c.cur.Last.Slot || c.cur.Last.Run != c.start.Run {
			c.hole, c.holeFrom = holeReason(f.Hole.Reason), int64(f.Hole.From/time.Second)
		}
	case f.Sample != nil:
		if over, err = c.sample(f.Sample); over || err != nil {
			return over, err
		}
	}
	if c.samples >= fillSeconds || c.weight >= fillWeight {
		return false, c.flush(false)
	}
	return false, nil
}

func holeReason(r string) probe.GapReason {
	switch r := probe.GapReason(r); r {
	case probe.GapDisk, probe.GapPaused, probe.GapHost, probe.GapGPU:
		return r
	}
	return probe.GapAgent
}

// begin finds out what the clocks of a run mean here.
func (c *Converter) begin(s *wire.Start) {
	c.start, c.hole = s, ""
	if c.pos.Ring != s.Ring {
		c.cur.Last = nil
	}
	if c.pos.Ring != s.Ring || c.pos.Run != s.Run {
		c.pos = Position{Ring: s.Ring, Run: s.Run}
	}
	c.wallMono = s.Wall - int64(s.Mono)
	key := s.BootID
	if key == "" {
		key = fmt.Sprintf("%s.%x", s.Ring, s.Run) // each run by itself
	}
	known, ok := c.cur.Base[key]
	c.rough = false
	switch {
	case s.BootID != "" && s.BootID == c.clock.BootID && !c.clock.Base.IsZero():
		now := c.clock.Base.UnixNano()
		if !ok || time.Duration(known-now).Abs() > baseSlack {
			known = now
		}
	case ok: // measured while that boot was connected
	default:
		known, c.rough = c.wallMono-int64(c.clock.Ahead), true
	}
	if len(c.cur.Base) >= maxBoots && !ok {
		for k := range c.cur.Base {
			if k != c.clock.BootID {
				delete(c.cur.Base, k)
				break
			}
		}
	}
	c.cur.Base[key], c.base = known, known
}

// wall turns a moment of the host's wall clock into the laptop's time.
func (c *Converter) wall(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return time.Unix(0, c.base+t.UnixNano()-c.wallMono).UTC()
}

// earliest is a second before which nothing can have been kept.
const earliest = 946684800 // 2000-01-01

func (c *Converter) sample(s *probe.Sample) (over bool, err error) {
	if s.Mono <= 0 {
		return false, fmt.Errorf("a reading without its time: %w", wire.ErrFrame)
	}
	slot := int64(s.Mono / time.Second)
	at := time.Unix(0, c.base+slot*int64(time.Second)).UTC()
	t := at.Unix()
	if t >= c.limit {
		return true, nil
	}
	if t < earliest {
		return false, fmt.Errorf("a reading of %v: %w", at, wire.ErrFrame)
	}
	last := c.cur.Last
	if last != nil && last.Run == c.start.Run && slot <= last.Slot {
		c.pos.Seq = max(c.pos.Seq, s.Seq)
		return false, nil // a second reading of one second
	}
	for _, g := range c.gaps(last, slot, t) {
		c.add(g, 1)
	}
	c.hole = ""
	if !s.HostTime.IsZero() {
		c.wallMono = s.HostTime.UnixNano() - int64(s.Mono)
	}
	out := *s
	out.Time, out.HostTime = at, s.HostTime
	c.add(&out, 1+len(out.GPUs))
	c.samples++
	c.seconds++
	c.pos.Seq = s.Seq
	c.cur.Last = &reached{Run: c.start.Run, Boot: c.start.BootID, Init: c.start.Init, Slot: slot, T: t}
	return false, nil
}

// gaps are the holes between the last reading and the one at slot.
func (c *Converter) gaps(last *reached, slot, t int64) (list []*probe.Gap) {
	if last == nil {
		return nil
	}
	tell := func(from, to int64, reason probe.GapReason) {
		if from < to {
			list = append(list, &probe.Gap{From: time.Unix(from, 0).UTC(), To: time.Unix(to, 0).UTC(), Reason: reason})
		}
	}
	if last.Run == c.start.Run {
		if c.hole == "" {
			c.hole = probe.GapHost // the machine stood still
		}
		tell(t-(slot-last.Slot-1), t, c.hole)
		return list
	}
	from := last.T + 1
	if last.Boot == c.start.BootID && last.Boot != "" && slot > last.Slot {
		from = t - (slot - last.Slot - 1)
	}
	// A run may begin with what it had to let go of.
	ran := t
	if c.hole != "" && c.holeFrom <= slot {
		ran = max(from, t-(slot-c.holeFrom))
	}
	tell(from, ran, c.between(last))
	tell(ran, t, c.hole)
	return list
}

// between says why nothing was read between the last run and this one.
func (c *Converter) between(last *reached) probe.GapReason {
	same := last.Boot == c.start.BootID && time.Duration(last.Init-c.start.Init).Abs() < 2*time.Second
	switch {
	case c.start.Stopped:
		return probe.GapPaused
	case !same:
		return probe.GapHost
	}
	return probe.GapAgent
}

func (c *Converter) add(m probe.Message, weight int) {
	c.weight += weight
	if c.fill == nil {
		c.fill = &probe.Fill{Ring: c.start.Ring, Run: c.start.Run, BootID: c.start.BootID, Rough: c.rough}
	}
	c.fill.Messages = append(c.fill.Messages, m)
}

// Flush gives on what came whole, where no more comes.
func (c *Converter) Flush() error { return c.flush(false) }

func (c *Converter) flush(last bool) error {
	f := c.fill
	if f == nil {
		if !last {
			return nil
		}
		f = &probe.Fill{Ring: c.pos.Ring, Run: c.pos.Run, BootID: c.clock.BootID}
	}
	f.Last = last
	c.cur.At = ""
	if c.pos.Ring != "" {
		c.cur.At = c.pos.String()
	}
	text, err := json.Marshal(cursor{At: c.cur.At, Base: maps.Clone(c.cur.Base), Last: c.cur.Last})
	if err != nil {
		return fmt.Errorf("pack the cursor: %w", err)
	}
	f.Cursor = string(text)
	c.fill, c.samples, c.weight = nil, 0, 0
	if err := c.keep(f); err != nil {
		return fmt.Errorf("keep what the recorder had: %w", err)
	}
	return nil
}

// Finish ends with the hole before the first live reading, if there is one.
func (c *Converter) Finish() error {
	if last := c.cur.Last; last != nil && c.start != nil && last.T+1 < c.limit {
		reason := probe.GapAgent
		switch {
		case c.start.Run != last.Run:
			reason = c.between(last)
		case c.hole != "":
			reason = c.hole
		case last.Boot != c.clock.BootID:
			reason = probe.GapHost
		}
		c.add(&probe.Gap{From: time.Unix(last.T+1, 0).UTC(), To: time.Unix(c.limit, 0).UTC(), Reason: reason}, 1)
	}
	return c.flush(true)
}
