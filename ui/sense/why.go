package sense

import (
	"context"
	"errors"
	"sync"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/compare"
	"rentgen/app/judge/why"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// Look is how far a look has come.
type Look struct {
	Elapsed  time.Duration
	Readings int
	Verdicts []judge.Verdict // by now, what matters most first
}

// Found is the answer of a look.
type Found struct {
	From, To    time.Time
	Verdicts    []judge.Verdict
	Compared    texts.Phrase // with what, zero for nothing
	Differences []texts.Phrase
}

// ErrNoReadings says that nothing came to look at.
var ErrNoReadings = errors.New("no readings arrive")

// noReadings is how long a look waits for the next reading.
const noReadings = 20 * time.Second

// mostDifferences is how many differences are said.
const mostDifferences = 4

// look hears a host's messages while it lasts.
type look struct {
	mu       sync.Mutex
	looker   *why.Looker
	from, to time.Time
	seconds  int
	came     chan struct{} // holds one
}

func (l *look) hear(m probe.Message) {
	l.mu.Lock()
	l.looker.Add(m)
	if s, ok := m.(*probe.Sample); ok {
		if l.from.IsZero() {
			l.from = s.Time
		}
		if s.Time.Unix() != l.to.Unix() || l.seconds == 0 {
			l.seconds++
		}
		l.to = s.Time
	}
	l.mu.Unlock()
	select {
	case l.came <- struct{}{}:
	default:
	}
}

// Why looks at a host's readings for a while and says what bounds its run. seen
// is called from this goroutine as readings come.
func (s *Sense) Why(ctx context.Context, h Host, span time.Duration, seen func(Look)) (Found, error) {
	m := s.mind(h)
	s.mu.Lock()
	set := judge.Setting{Track: h.Track, Earlier: s.phases}
	s.mu.Unlock()
	l := &look{looker: why.New(why.Params{Host: h.Name, Setting: set}), came: make(chan struct{}, 1)}
	defer m.listen(l)()
	silent := time.NewTimer(noReadings)
	defer silent.Stop()
	for {
		select {
		case <-ctx.Done():
			return Found{}, ctx.Err()
		case <-silent.C:
			return Found{}, ErrNoReadings
		case <-l.came:
			silent.Reset(noReadings)
		}
		l.mu.Lock()
		now := Look{Elapsed: l.to.Sub(l.from), Readings: l.seconds}
		l.mu.Unlock()
		now.Verdicts = s.Holding(h.ID)
		seen(now)
		if now.Elapsed >= span {
			break
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.looker.Answer()
	f := Found{From: a.From, To: a.To, Verdicts: a.Verdicts}
	if p, ok := earlierOf(set.Earlier, a.Side()); ok {
		f.Compared = texts.P("sense.compared", "date", dateOf(p.From))
		f.Differences = said(compare.Sides(compare.OfPhase("", p), a.Side()))
	}
	return f, nil
}

// listen lets a look hear what comes, and first what the host is.
func (m *mind) listen(l *look) (end func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.inv != nil {
		l.looker.Add(m.inv)
	}
	if m.looks == nil {
		m.looks = make(map[*look]struct{})
	}
	m.looks[l] = struct{}{}
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.looks, l)
	}
}

// earlierOf is the newest phase of the same product that held about as much in
// its memory: the same job, as far as that can be told.
func earlierOf(phases []judge.Phase, side compare.Side) (judge.Phase, bool) {
	const mem = "mem_used_mib"
	have, ok := side.Stats[mem]
	var best judge.Phase
	found := false
	for _, p := range phases {
		st, read := p.Stats[mem]
		if p.Card != side.Card || !ok || !read || st.P50 < have.P50*0.8 || st.P50 > have.P50*1.25 {
			continue
		}
		if !found || p.To.After(best.To) {
			best, found = p, true
		}
	}
	return best, found
}

// dateOf writes a moment in the language of then.
func dateOf(t time.Time) func(*texts.Catalogue) string {
	return func(c *texts.Catalogue) string { return texts.DateTime(c, t) }
}

// said are the differences that explain something, in words.
func said(r compare.Result) (list []texts.Phrase) {
	if !r.Pace.IsZero() {
		list = append(list, r.Pace)
	}
	for _, d := range r.Differences {
		if d.Share > 0 && len(list) < mostDifferences {
			list = append(list, d.Then())
		}
	}
	return list
}

// Differ says what differs between two logs: their longest phases at work are
// compared, of a the one that was open, of b the other.
func (s *Sense) Differ(ctx context.Context, a, b Log) ([]texts.Phrase, error) {
	var sides [2]compare.Side
	for i, log := range []Log{b, a} { // the other one is what was
		k, err := s.JudgeLog(ctx, log)
		if err != nil {
			return nil, err
		}
		var longest judge.Phase
		for _, p := range k.Phases {
			if p.Seconds > longest.Seconds {
				longest = p
			}
		}
		if longest.Seconds == 0 {
			return []texts.Phrase{texts.P("sense.nowork", "name", log.Host.Name, "date", dateOf(log.From))}, nil
		}
		sides[i] = compare.OfPhase(log.Host.Name, longest)
	}
	return said(compare.Sides(sides[0], sides[1])), nil
}
