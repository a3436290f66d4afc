package idle

import (
	"time"

	"rentgen/app/judge/series"
	"rentgen/probe"
)

// State says whether something works.
type State uint8

// The states. What can't be read is Unknown, never Idle.
const (
	Unknown State = iota
	Busy
	Idle
)

// String returns the name used in tests and logs.
func (s State) String() string { return [...]string{"unknown", "busy", "idle"}[min(s, Idle)] }

// Classifier says second by second whether the cards of a host work. A pause
// of up to 15 s between pictures, loading a model and a queue that isn't empty
// are work; a model that only lies in VRAM is not. A second is judged when the
// next one begins. It is not safe for concurrent use.
type Classifier struct {
	s     *series.Series
	cards map[string]*watched
	host  State
}

type watched struct {
	state  State
	worked int64 // the last second at work
	seen   int64
	ever   bool
}

// New returns a Classifier that has seen nothing: all is Unknown.
func New() *Classifier {
	c := &Classifier{cards: map[string]*watched{}}
	c.s = series.New(series.Params{Second: c.second})
	return c
}

// Inventory tells what the cards are: power of a slice says nothing of it, and
// a power limit tells work from idling where utilisation can't be read.
func (c *Classifier) Inventory(inv *probe.Inventory) { c.s.Add(inv) }

// Second takes a reading, at any rate from 1 to 10 Hz, and returns the state of
// the whole host: Busy if any card works or jobs wait, Unknown if one can't be
// told, Idle only if every card is.
func (c *Classifier) Second(s *probe.Sample) State {
	c.s.Add(s)
	return c.host
}

// Cards returns the state of each card by its UUID.
func (c *Classifier) Cards() map[string]State {
	m := make(map[string]State, len(c.cards))
	for k, w := range c.cards {
		m[k] = w.state
	}
	return m
}

// Worked returns the last second in which a card was at work; zero for never.
func (c *Classifier) Worked() time.Time {
	var last int64
	for _, w := range c.cards {
		if w.ever {
			last = max(last, w.worked)
		}
	}
	if last == 0 {
		return time.Time{}
	}
	return time.Unix(last, 0).UTC()
}

func (c *Classifier) second(s *series.Second) {
	if s.Card == nil {
		c.sum(s)
		return
	}
	w := c.cards[s.Card.UUID]
	if w == nil {
		w = &watched{}
		c.cards[s.Card.UUID] = w
	}
	if s.T-w.seen > int64(series.Limit("cut.hole")) {
		*w = watched{} // nothing is known of the time between
	}
	w.seen = s.T
	switch s.Raw {
	case series.Busy, series.Loading:
		w.state, w.worked, w.ever = Busy, s.T, true
	case series.Idle:
		switch {
		case w.ever && s.T-w.worked <= int64(series.Limit("cut.bridge")):
			w.state = Busy
		default:
			w.state = Idle
		}
	default:
		w.state = Unknown
		if byProcesses(s.V(probe.OwnProcs), s.V(probe.Queue)) {
			w.state = Idle
		}
	}
}

// byProcesses holds where nothing of ours has the card and nothing waits.
func byProcesses(own, queue float64) bool { return own == 0 && !(queue > 0) }

// sum works out the host once all cards of a second are known.
func (c *Classifier) sum(s *series.Second) {
	c.host = Unknown
	if len(s.Cards) == 0 {
		return
	}
	all := Idle
	for _, p := range s.Cards {
		switch st := c.cards[p.UUID].state; {
		case st == Busy:
			all = Busy
		case st == Unknown && all == Idle:
			all = Unknown
		}
	}
	// A card that is not in the readings any more can't be told.
	if all == Idle && len(s.Cards) < len(c.cards) {
		all = Unknown
	}
	if s.V(probe.Queue) > 0 {
		all = Busy
	}
	c.host = all
}
