// Package pursetest holds a purse.Store in memory for tests.
package pursetest

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"rentgen/app/purse"
)

// Store keeps entries in memory, with the order and the replacing of the real
// one. The zero Store is empty and ready; it is safe for use from several
// goroutines.
type Store struct {
	mu      sync.Mutex
	entries []purse.Entry
	saves   int
	fail    error
}

// Fail makes every later call return the error; nil ends that.
func (s *Store) Fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = err
}

// Saves is how often something was saved.
func (s *Store) Saves() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.saves
}

// PurseEntries implements purse.Store.
func (s *Store) PurseEntries(ctx context.Context, f purse.Filter) ([]purse.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := cmp.Or(ctx.Err(), s.fail); err != nil {
		return nil, err
	}
	var out []purse.Entry
	for _, e := range s.entries {
		switch {
		case !f.AnyHost && e.Host != f.Host, f.Kind != "" && e.Kind != f.Kind,
			!f.From.IsZero() && e.Time.Before(f.From), !f.To.IsZero() && !e.Time.Before(f.To):
			continue
		}
		e.Body = slices.Clone(e.Body)
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(a, b purse.Entry) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Key, b.Key))
	})
	return out, nil
}

// SavePurseEntries implements purse.Store.
func (s *Store) SavePurseEntries(ctx context.Context, entries ...purse.Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := cmp.Or(ctx.Err(), s.fail); err != nil {
		return err
	}
	s.saves++
	for _, e := range entries {
		e.Body = slices.Clone(e.Body)
		i := slices.IndexFunc(s.entries, func(o purse.Entry) bool {
			return o.Host == e.Host && o.Kind == e.Kind && o.Key == e.Key
		})
		if i < 0 {
			s.entries = append(s.entries, e)
		} else {
			s.entries[i] = e
		}
	}
	return nil
}

// DeletePurseEntries implements purse.Store.
func (s *Store) DeletePurseEntries(ctx context.Context, host, kind string, keys ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := cmp.Or(ctx.Err(), s.fail); err != nil {
		return err
	}
	s.entries = slices.DeleteFunc(s.entries, func(e purse.Entry) bool {
		return e.Host == host && e.Kind == kind && (len(keys) == 0 || slices.Contains(keys, e.Key))
	})
	return nil
}

var _ purse.Store = (*Store)(nil)
