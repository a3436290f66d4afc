package meter

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/tariff"
	"rentgen/probe"
)

// By says how the stop of a session is known.
type By string

// How stops are known. Text "purse.by.<by>".
const (
	ByUser  By = "user"  // a person said so
	ByBill  By = "bill"  // a bill of the platform
	ByGuard By = "guard" // the stop guard ended it
)

// Session is one run of the instance, from its own start.
type Session struct {
	Start time.Time
	// Known says that Start is the instance's own; else it is the first contact.
	Known       bool
	First, Last time.Time // seen to run
	// End is when it stopped; zero where that isn't known.
	End time.Time
	By  By
	// Until is when another run had begun: it had stopped by then. Zero: none has.
	Until time.Time
	NoGPU bool

	key     string
	run     probe.Run
	fixed   *tariff.Clock // of a session that is over: later prices don't change it
	clocked bool          // Start is in the laptop's clock
	dirty   bool
}

const (
	// slack is what clocks may differ by.
	slack = 2 * time.Minute
	// live is how long after a reading an instance counts as running.
	live = time.Minute
	// fresh is how old a reading may be for its cost to be that of now.
	fresh = 5 * time.Second
	// same is how long a login without a known run may be away and still be taken
	// for the same one.
	same = 10 * time.Minute
)

// Ends are the earliest, the known and the latest end: all the same where the
// stop is known. The instance is known to have run until the last reading, and
// may have run on until now or until another run began.
func (s *Session) Ends(now time.Time) [3]time.Time {
	if !s.End.IsZero() {
		return [3]time.Time{s.End, s.End, s.End}
	}
	late := s.Last
	switch {
	case !s.Until.IsZero():
		late = s.Until
	case now.Sub(s.Last) > fresh:
		late = now
	}
	return [3]time.Time{s.Last, s.Last, late}
}

// Sure reports whether the end is known, or that it runs.
func (s *Session) Sure(now time.Time) bool {
	e := s.Ends(now)
	return e[tariff.Low].Equal(e[tariff.High])
}

// span is a band of what a session costs between two moments: in each scene what
// it costs up to the second one less what it costs up to the first.
func (s *Session) span(c *tariff.Clock, from, to, now time.Time) money.Band {
	if c == nil {
		return money.Band{}
	}
	if s.fixed != nil {
		c = s.fixed
	}
	var v [3]money.Rat
	ends := s.Ends(now)
	for _, i := range [...]int{tariff.Point, tariff.Low, tariff.High} {
		end := ends[i]
		if i != tariff.Point && c.Alike(i, s.NoGPU) && end.Equal(ends[tariff.Point]) {
			v[i] = v[tariff.Point]
			continue
		}
		at := func(t time.Time) money.Rat {
			if end.Before(t) {
				t = end
			}
			return c.Cost(i, s.Start, t, s.NoGPU)
		}
		v[i] = at(to)
		if from.After(s.Start) {
			v[i] = v[i].Sub(at(from))
		}
	}
	return money.Band{Low: v[0].Min(v[1]).Min(v[2]), Point: v[1], High: v[0].Max(v[1]).Max(v[2])}
}

// overlaps reports whether some of the session may lie between two moments.
func (s *Session) overlaps(from, to, now time.Time) bool {
	return s.Start.Before(to) && s.Ends(now)[tariff.High].After(from)
}

// rented are the seconds of the session that are known to lie in a span.
func (s *Session) rented(from, to, now time.Time) int64 {
	end := s.Ends(now)[tariff.Point]
	if s.Start.After(from) {
		from = s.Start
	}
	if end.Before(to) {
		to = end
	}
	return max(to.Unix()-from.Unix(), 0)
}

type sessionJSON struct {
	Boot    string         `json:"boot,omitempty"`
	Init    time.Time      `json:"init,omitzero"`
	Start   time.Time      `json:"start"`
	Known   bool           `json:"start_known"`
	First   time.Time      `json:"first"`
	Last    time.Time      `json:"last"`
	Until   time.Time      `json:"until,omitzero"`
	End     time.Time      `json:"end,omitzero"`
	By      By             `json:"by,omitempty"`
	NoGPU   bool           `json:"no_gpu,omitempty"`
	Tariff  *tariff.Tariff `json:"tariff,omitempty"`
	Clocked bool           `json:"clocked,omitempty"`
}

func (s *Session) entry(host string) (purse.Entry, error) {
	j := sessionJSON{
		Boot: s.run.BootID, Init: s.run.Init, Start: s.Start.UTC(), Known: s.Known, First: s.First.UTC(), Last: s.Last.UTC(), Until: s.Until,
		End: s.End, By: s.By, NoGPU: s.NoGPU, Clocked: s.clocked,
	}
	if s.fixed != nil {
		t := s.fixed.Tariff()
		j.Tariff = &t
	}
	b, err := json.Marshal(j)
	return purse.Entry{Host: host, Kind: purse.KindSession, Key: s.key, Time: s.Last.UTC(), Body: b}, err
}

func readSession(e purse.Entry) (*Session, error) {
	var j sessionJSON
	if err := json.Unmarshal(e.Body, &j); err != nil {
		return nil, err
	}
	s := &Session{
		Start: j.Start, Known: j.Known, First: j.First, Last: j.Last, Until: j.Until, End: j.End, By: j.By, NoGPU: j.NoGPU,
		key: e.Key, run: probe.Run{BootID: j.Boot, Init: j.Init}, clocked: j.Clocked,
	}
	if j.Tariff != nil && j.Tariff.Check() == nil {
		s.fixed = j.Tariff.Clock()
	}
	if s.Start.IsZero() || s.Last.Before(s.Start) {
		return nil, errSession
	}
	return s, nil
}

func stamp(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

// bound says by when each session had stopped: when the next run began. Runs that
// lie over one another are instances side by side and bound nothing.
func (m *Meter) bound() {
	slices.SortStableFunc(m.sessions, func(a, b *Session) int { return a.Start.Compare(b.Start) })
	for _, s := range m.sessions {
		var until time.Time
		for _, o := range m.sessions {
			if o != s && o.Start.After(s.Start) && !o.Start.Before(s.Last.Add(-slack)) && (until.IsZero() || o.Start.Before(until)) {
				until = o.Start
			}
		}
		if !until.IsZero() && until.Before(s.Last) {
			until = s.Last
		}
		if !until.Equal(s.Until) {
			s.Until, s.dirty = until, true
		}
		if s.fixed == nil && m.clock != nil && (!s.Until.IsZero() || !s.End.IsZero()) {
			s.fixed, s.dirty = m.clock, true
		}
	}
}

// find returns the session of a run.
func (m *Meter) find(r probe.Run) *Session {
	for _, s := range slices.Backward(m.sessions) {
		if s.run.Same(r) {
			return s
		}
	}
	return nil
}
