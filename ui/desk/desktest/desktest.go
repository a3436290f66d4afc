// Package desktest holds plans in memory for the tests of the pages that work
// on a desk. Everything happens in the caller's goroutine.
package desktest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"rentgen/app/plan"
	"rentgen/ui/desk"
)

// Store keeps plans in memory.
type Store struct {
	mu    sync.Mutex
	all   map[string]desk.Record
	Fail  error    // every call fails with it
	Calls []string // "save ID", "delete ID"
}

// Plans implements desk.Store.
func (s *Store) Plans(context.Context) ([]desk.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]desk.Record, 0, len(s.all))
	for _, r := range s.all {
		r.Body = slices.Clone(r.Body)
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b desk.Record) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.ID, b.ID))
	})
	return out, s.Fail
}

// SavePlan implements desk.Store.
func (s *Store) SavePlan(_ context.Context, r desk.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Calls = append(s.Calls, "save "+r.ID)
	if s.Fail != nil {
		return s.Fail
	}
	if s.all == nil {
		s.all = make(map[string]desk.Record)
	}
	r.Body = slices.Clone(r.Body)
	s.all[r.ID] = r
	return nil
}

// DeletePlan implements desk.Store.
func (s *Store) DeletePlan(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Calls = append(s.Calls, "delete "+id)
	if s.Fail != nil {
		return s.Fail
	}
	delete(s.all, id)
	return nil
}

// Get returns a kept plan.
func (s *Store) Get(id string) (r desk.Record, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok = s.all[id]
	return r, ok
}

// Codec keeps plans by number, for tests that don't care for the form.
type Codec struct {
	mu    sync.Mutex
	plans []plan.Plan
}

// Encode numbers a plan.
func (c *Codec) Encode(p plan.Plan) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.plans = append(c.plans, p)
	return []byte("plan " + strconv.Itoa(len(c.plans)-1)), nil
}

// Decode returns a numbered plan.
func (c *Codec) Decode(b []byte) (plan.Plan, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var n int
	if _, err := fmt.Sscanf(string(b), "plan %d", &n); err != nil || n >= len(c.plans) {
		return plan.Plan{}, fmt.Errorf("line 1, column 1: %q is no plan", b)
	}
	return c.plans[n], nil
}

// Clock is a time that only moves when told to.
type Clock struct{ T time.Time }

// Now returns the time.
func (c *Clock) Now() time.Time { return c.T }

// Params returns those of a desk whose plans are evaluated by eval and kept in
// s; everything runs at once.
func Params(s *Store, first plan.Plan, eval func(plan.Plan) plan.Result) desk.Params {
	codec := &Codec{}
	now := func(f func()) { f() }
	clock := &Clock{T: time.Date(2026, 11, 29, 10, 57, 30, 0, time.UTC)}
	return desk.Params{
		Store: s, Evaluate: eval, Encode: codec.Encode, Decode: codec.Decode,
		First: func() plan.Plan { return first }, Now: clock.Now, Go: now, Do: now,
	}
}
