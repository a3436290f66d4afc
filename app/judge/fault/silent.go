package fault

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/series"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// card is what is known of a card from second to second.
type card struct {
	seen     int64 // the last second with the card in the readings
	reads    int   // seconds in a row with readings
	errors   int   // seconds in a row with nothing but read errors
	silent   int   // seconds in a row without the card while others were read
	counters [3]counter
	// The second under way: what its error texts say, and whether it reads all
	// the same.
	at    int64
	token string
	ok    bool
}

// counter is one that only grows. A new value counts once it was read twice: a
// single one may be another column's.
type counter struct {
	value, next float64
	known       bool
}

var counted = [3]struct {
	metric probe.Metric
	say    string
}{
	{probe.ECCUncorrected, "fault.ecc"},
	{probe.ECCCorrected, "fault.ecc.corrected"},
	{probe.RetiredPages, "fault.ecc.pages"},
}

// garbage is a growth that no counter shows within a second.
const garbage = 1e7

// grown returns by how much the counter has grown, 0 for not.
func (c *counter) grown(v float64) float64 {
	switch {
	case math.IsNaN(v) || v < 0:
		return 0
	case !c.known, v < c.value: // the first reading, or the driver was loaded anew
		*c = counter{value: v, next: v, known: true}
		return 0
	case v == c.value:
		c.next = v
		return 0
	case c.next > c.value && v >= c.next && v-c.value < garbage:
		by := v - c.value
		c.value, c.next = v, v
		return by
	}
	c.next = v
	return 0
}

func (w *Watch) card(id string) *card {
	c := w.cards[id]
	if c == nil {
		if len(w.cards) >= maxCards {
			return nil
		}
		c = &card{}
		w.cards[id] = c
	}
	return c
}

// Second takes the next whole second of a card or of the machine.
func (w *Watch) Second(s *series.Second) {
	at := time.Unix(s.T, 0).UTC()
	if s.Card == nil {
		w.silent(s, at)
		w.expire()
		return
	}
	c := w.card(s.Card.UUID)
	if c == nil {
		return
	}
	c.seen = s.T
	read, failed := 0, 0
	for _, m := range [...]probe.Metric{probe.UtilGPU, probe.Temp, probe.Power} {
		switch s.Cell(m).State {
		case probe.OK:
			read++
		case probe.Error:
			failed++
		case probe.Pending, probe.Unsupported, probe.Denied:
		}
	}
	c.reads, c.errors = run(c.reads, read > 0 && failed == 0), run(c.errors, read == 0 && failed > 1)
	if len(w.open) > 0 && c.reads >= int(limits.back/time.Second) {
		for _, key := range slices.Sorted(maps.Keys(w.open)) {
			if o := w.open[key]; o.GPU == s.Card.UUID && o.until == untilReadings && at.Sub(o.last) >= limits.back {
				w.close(key, at.Add(time.Second-limits.back))
			}
		}
	}
	if n := quiet(s); c.errors == n {
		w.missing(s.Card.UUID, at.Add(time.Duration(1-n)*time.Second), "fault.lost.errors")
	}
	if s.Held {
		return // a counter that was read once
	}
	for i, k := range counted {
		if by := c.counters[i].grown(s.V(k.metric)); by > 0 {
			w.find(found{
				kind: judge.FaultECC, gpu: s.Card.UUID, at: at, sure: 0.95, rule: "fault/counters", until: untilTime, say: k.say, add: by,
			})
		}
	}
}

func run(n int, goesOn bool) int {
	if goesOn {
		return n + 1
	}
	return 0
}

// quiet is how many seconds without a card, or with nothing but errors, make a
// loss; one reading never does.
func quiet(s *series.Second) int { return max(int(limits.silent/time.Second), series.Single(s.Step)) }

// silent looks for cards that others outlast.
func (w *Watch) silent(s *series.Second, at time.Time) {
	if len(s.Cards) == 0 && s.Host == nil {
		return
	}
	var gone []string
	n := quiet(s)
	for id, c := range w.cards {
		if c.seen == s.T {
			c.silent = 0
			continue
		}
		if c.silent++; c.silent == n && (w.listed == nil || w.listed[id]) {
			gone = append(gone, id)
		}
	}
	slices.Sort(gone)
	for _, id := range gone {
		w.missing(id, at.Add(time.Duration(1-n)*time.Second), "fault.lost.silent")
	}
}

const ruleMissing = "fault/missing"

// missing opens a loss that nobody has told of.
func (w *Watch) missing(gpu string, from time.Time, say string) {
	for _, o := range w.open {
		if o.until != untilTime && (o.GPU == gpu || o.GPU == "") {
			return // known already, and by a better witness
		}
	}
	from = from.Truncate(time.Second)
	w.find(found{
		kind: judge.FaultLost, gpu: gpu, at: from, level: judge.Warn, sure: 0.6, rule: ruleMissing, until: untilReadings,
		say: say, next: "fault.lost", doubts: []texts.Phrase{series.Doubt("no-event")},
	})
}

// tokens reads what the driver says in place of a reading. A second counts
// only if none of its readings was one.
func (w *Watch) tokens(m *probe.Sample) {
	sec := m.Time.Unix()
	for i := range m.GPUs {
		g := &m.GPUs[i]
		if g.UUID == "" {
			continue
		}
		c := w.card(g.UUID)
		if c == nil {
			continue
		}
		if sec != c.at {
			w.said(g.UUID, c)
			c.at, c.token, c.ok = sec, "", false
		}
		v := g.Get(probe.UtilGPU)
		if v.State == probe.OK {
			c.ok = true
		} else if v.State == probe.Error {
			c.token = v.Raw
		}
	}
}

// said opens what a second's text names.
func (w *Watch) said(id string, c *card) {
	if c.ok || c.token == "" {
		return
	}
	text := strings.ToLower(c.token)
	at := time.Unix(c.at, 0).UTC()
	switch {
	case strings.Contains(text, "requires reset"):
		w.told(probe.EventReset, id, at)
	case strings.Contains(text, "gpu is lost"), strings.Contains(text, "fallen off the bus"):
		w.told(probe.EventLost, id, at)
	}
}

// told opens a fault by the card's own words unless it is open already.
func (w *Watch) told(kind, id string, at time.Time) {
	want := judge.FaultLost
	if kind == probe.EventReset {
		want = judge.FaultReset
	}
	for _, o := range w.open {
		if o.GPU == id && o.Kind == want {
			o.last = later(o.last, at)
			return
		}
	}
	w.broken(kind, id, at)
}

// settle reads the second under way at the end of the stream.
func (w *Watch) settle() {
	for _, id := range slices.Sorted(maps.Keys(w.cards)) {
		w.said(id, w.cards[id])
	}
}
