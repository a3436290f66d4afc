package ui

import (
	"sync"

	"rentgen/app/settings"
)

// saver writes the settings off the UI thread, which a slow disk would hold
// up, in the order in which they were handed over.
type saver struct {
	mu      sync.Mutex // held while a file is written
	written uint64     // the newest that was, guarded by mu
	asked   uint64     // of the UI thread
	under   sync.WaitGroup
}

// save takes the settings as they are now; it belongs to the UI thread. The
// returned function writes them, unless newer ones were written meanwhile.
func (s *saver) save(of *settings.Settings) func() error {
	s.asked++
	n, now := s.asked, *of
	s.under.Add(1)
	return func() error {
		defer s.under.Done()
		s.mu.Lock()
		defer s.mu.Unlock()
		if n < s.written {
			return nil
		}
		s.written = n
		return now.Save()
	}
}

// wait returns when everything handed over is written.
func (s *saver) wait() { s.under.Wait() }
