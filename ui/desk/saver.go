package desk

import (
	"context"
	"sync"
)

// task is what is to be done about a plan.
type task func(ctx context.Context) error

// saver keeps plans off the UI thread, in the order in which they changed; of
// several changes of one plan that wait, the latest is written.
type saver struct {
	d  *Desk
	mu sync.Mutex // guards the rest
	// order are the plans that wait, tasks what is to be done about each.
	order []string
	tasks map[string]task
	busy  bool
	idle  *sync.Cond
}

func newSaver(d *Desk) *saver {
	s := &saver{d: d, tasks: make(map[string]task)}
	s.idle = sync.NewCond(&s.mu)
	return s
}

// put hands over what is to be done about a plan.
func (s *saver) put(id string, t task) {
	s.mu.Lock()
	if _, waits := s.tasks[id]; !waits {
		s.order = append(s.order, id)
	}
	s.tasks[id] = t
	start := !s.busy
	s.busy = true
	s.mu.Unlock()
	if start {
		s.d.p.Go(s.run)
	}
}

// run works until nothing waits.
func (s *saver) run() {
	for {
		s.mu.Lock()
		if len(s.order) == 0 {
			s.busy = false
			s.idle.Broadcast()
			s.mu.Unlock()
			return
		}
		id := s.order[0]
		t := s.tasks[id]
		s.order = s.order[1:]
		delete(s.tasks, id)
		s.mu.Unlock()
		err := t(context.Background()) // not the desk's: Close waits for it
		s.d.p.Do(func() { s.d.saved(id, t, err) })
	}
}

// wait returns when everything handed over is kept.
func (s *saver) wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.busy {
		s.idle.Wait()
	}
}
