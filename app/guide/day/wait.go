// Package day is the begin and the end of a day with a rented instance: waiting
// for the card, fetching what is new, what goes on billing after a stop, when data
// dies, and what to make sure of before a release. It stops, releases and deletes
// nothing.
package day

import (
	"context"
	"slices"
	"sync"
	"time"

	"rentgen/app/guide"
)

// WaitState is where a wait for the card stands.
type WaitState string

// The states of a wait.
const (
	Dialling WaitState = "dialling" // tries, or waits for the next try
	Answered WaitState = "answered" // the instance let us in
	Refused  WaitState = "refused"  // it answered, but something has to be decided first
	GaveUp   WaitState = "gave_up"  // ended by the user
)

// Wait is one wait for the card, from the click on start at the provider. It is
// what is kept (guide.KindDay, key the start in ms).
type Wait struct {
	Begin    bool        `json:"begin"` // tells it from what else is kept of a day
	State    WaitState   `json:"state"`
	Started  time.Time   `json:"started"`
	Attempts int         `json:"attempts"`
	NoCard   []time.Time `json:"no_card,omitempty"` // when the provider said that no card is available
	Problem  string      `json:"problem,omitempty"` // of the latest try, in the field's words
	Next     time.Time   `json:"-"`                 // when the next try is due
	Answered time.Time   `json:"answered,omitzero"`
	// Queue is from the click to the start of the instance, Boot from there to our
	// login; nil where the instance's own start could not be read.
	Queue *time.Duration `json:"queue,omitempty"`
	Boot  *time.Duration `json:"boot,omitempty"`
}

// Total is how long the user waited; 0 while it isn't known.
func (w Wait) Total() time.Duration {
	if w.Answered.IsZero() {
		return 0
	}
	return w.Answered.Sub(w.Started)
}

// Entry is the wait as it is kept.
func (w Wait) Entry() (guide.Entry, error) {
	return guide.NewEntry(guide.KindDay, guide.Stamp(w.Started), w.Started, w)
}

// WaiterParams is what waiting needs.
type WaiterParams struct {
	Started time.Time // the click at the provider
	// Dial logs in once; nil means that the instance let us in.
	Dial func(ctx context.Context) error
	// Fatal says of an error that no later try will mend it: a refused login, a
	// changed identity. nil: none does.
	Fatal func(error) bool
	// Age returns how long ago the instance was started, once it answered.
	Age     func(ctx context.Context) (time.Duration, error)
	Now     func() time.Time
	Sleep   func(ctx context.Context, d time.Duration) error // nil: a timer
	Changed func(Wait)                                       // any goroutine; nil: nobody listens
	Ring    func(Wait)                                       // once, when the instance answers; nil: silent
}

// Waiter dials until an instance answers. Its methods are safe for several
// goroutines.
type Waiter struct {
	p  WaiterParams
	mu sync.Mutex
	w  Wait
}

// NewWaiter returns a waiter that Run starts.
func NewWaiter(p WaiterParams) *Waiter {
	if p.Sleep == nil {
		p.Sleep = guide.Pause
	}
	return &Waiter{p: p, w: Wait{Begin: true, State: Dialling, Started: p.Started}}
}

// pauses are between tries; the last one repeats.
var pauses = []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second}

// View returns the wait as it stands.
func (x *Waiter) View() Wait {
	x.mu.Lock()
	defer x.mu.Unlock()
	w := x.w
	w.NoCard = slices.Clone(w.NoCard)
	return w
}

func (x *Waiter) change(f func(w *Wait)) {
	x.mu.Lock()
	f(&x.w)
	x.mu.Unlock()
	if x.p.Changed != nil {
		x.p.Changed(x.View())
	}
}

// NoCard notes that the provider just said that no card is available.
func (x *Waiter) NoCard() {
	x.change(func(w *Wait) {
		if w.State == Dialling {
			w.NoCard = append(w.NoCard, x.p.Now())
		}
	})
}

// Run dials until the instance answers, a try ends in something to decide, or the
// context ends. It returns the wait as it ended; the error is the try's where
// something has to be decided, and the context's where the user gave up.
func (x *Waiter) Run(ctx context.Context) (Wait, error) {
	for n := 0; ; n++ {
		x.change(func(w *Wait) { w.Attempts++; w.Next = time.Time{} })
		err := x.p.Dial(ctx)
		switch {
		case err == nil:
			x.answered(ctx)
			return x.View(), nil
		case ctx.Err() != nil:
			x.change(func(w *Wait) { w.State = GaveUp })
			return x.View(), ctx.Err()
		case x.p.Fatal != nil && x.p.Fatal(err):
			x.change(func(w *Wait) { w.State, w.Problem = Refused, problem(err) })
			return x.View(), err
		}
		pause := pauses[min(n, len(pauses)-1)]
		x.change(func(w *Wait) { w.Problem, w.Next = problem(err), x.p.Now().Add(pause) })
		if err := x.p.Sleep(ctx, pause); err != nil {
			x.change(func(w *Wait) { w.State = GaveUp })
			return x.View(), err
		}
	}
}

func (x *Waiter) answered(ctx context.Context) {
	at := x.p.Now()
	x.change(func(w *Wait) { w.State, w.Answered, w.Problem = Answered, at, "" })
	if x.p.Ring != nil {
		x.p.Ring(x.View())
	}
	if x.p.Age == nil {
		return
	}
	age, err := x.p.Age(ctx)
	if err != nil || age < 0 {
		return
	}
	born := x.p.Now().Add(-age)
	x.change(func(w *Wait) {
		// Started before the click it ran all the time: nothing was waited for.
		if born.Before(w.Started) || born.After(at) {
			return
		}
		queue, boot := born.Sub(w.Started), at.Sub(born)
		w.Queue, w.Boot = &queue, &boot
	})
}

func problem(err error) string { return guide.Clean([]byte(err.Error()), 300) }

// Waits are the waits among the entries of a host, by time.
func Waits(entries []guide.Entry) []Wait {
	l := guide.Kept(entries, guide.KindDay, func(w Wait) bool { return w.Begin && !w.Started.IsZero() })
	slices.SortFunc(l, func(a, b Wait) int { return a.Started.Compare(b.Started) })
	return l
}

// WaitStats sums up waits, for the first picture's times and for advice.
type WaitStats struct {
	Days   int // waits that ended in an answer
	NoCard int // waits in which no card was available at least once
	// Medians over the waits of which they are known; nil without one.
	Total, Queue, Boot *time.Duration
}

// Stats sums up waits.
func Stats(waits []Wait) WaitStats {
	var s WaitStats
	var total, queue, boot []time.Duration
	for _, w := range waits {
		if len(w.NoCard) > 0 {
			s.NoCard++
		}
		if w.State != Answered {
			continue
		}
		s.Days++
		total = append(total, w.Total())
		if w.Queue != nil && w.Boot != nil {
			queue, boot = append(queue, *w.Queue), append(boot, *w.Boot)
		}
	}
	s.Total, s.Queue, s.Boot = median(total), median(queue), median(boot)
	return s
}

func median(l []time.Duration) *time.Duration {
	if len(l) == 0 {
		return nil
	}
	slices.Sort(l)
	m := l[len(l)/2]
	if len(l)%2 == 0 {
		m = (l[len(l)/2-1] + m) / 2
	}
	return &m
}
