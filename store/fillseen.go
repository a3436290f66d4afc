package store

import (
	"sync"
	"time"
)

// seen remembers which seconds of a host's monotonic clock were read live and
// kept, and at which time of ours. When our clock was set in between, what a
// recorder has of them lies at another time and would be taken for something
// else. It lives as long as the process.
type seen struct {
	mu    sync.Mutex
	boots map[string][]seenSpan // by host and boot id
}

// seenSpan holds the monotonic seconds from lo to hi; delta is our Unix time at
// the monotonic 0.
type seenSpan struct{ lo, hi, delta int64 }

const (
	maxSeen      = 4096 // spans of a boot
	maxSeenBoots = 256
	// seenSlack is how many seconds of difference rounding and drift explain.
	seenSlack = 2
)

// slotOf64 is the whole second of a monotonic clock, 0 where there is none.
func slotOf64(mono time.Duration) int64 { return int64(mono / time.Second) }

func seenKey(host, boot string) string { return host + "\x00" + boot }

// add notes a second that was kept.
func (s *seen) add(host, boot string, slot, t int64) {
	if host == "" || boot == "" || slot <= 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.boots == nil || len(s.boots) > maxSeenBoots {
		s.boots = map[string][]seenSpan{}
	}
	key := seenKey(host, boot)
	list, delta := s.boots[key], t-slot
	if n := len(list); n > 0 {
		last := &list[n-1]
		if d := delta - last.delta; d >= -seenSlack && d <= seenSlack && slot >= last.lo && slot <= last.hi+1 {
			last.hi = max(last.hi, slot)
			return
		}
	}
	if len(list) >= maxSeen {
		list = append(list[:0], list[1:]...)
	}
	s.boots[key] = append(list, seenSpan{slot, slot, delta})
}

// elsewhere reports whether the second slot was kept at a time far from t.
func (s *seen) elsewhere(host, boot string, slot, t int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.boots[seenKey(host, boot)] {
		if slot >= p.lo && slot <= p.hi {
			d := t - slot - p.delta
			if d < -seenSlack || d > seenSlack {
				return true
			}
		}
	}
	return false
}
