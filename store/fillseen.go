package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
)

// seen remembers which seconds of a host's monotonic clock were read live and
// kept, and at which time of ours. When our clock was set in between, what a
// recorder has of them lies at another time and would be taken for something
// else. The newest of it is kept in the settings.
type seen struct {
	mu    sync.Mutex
	boots map[string][]seenSpan // by host and boot id
	hosts map[string]*seenHost
}

// seenHost is how far what is known of a host is on the disk.
type seenHost struct {
	loaded, dirty bool
	saved         time.Time
}

// seenSpan holds the monotonic seconds from Lo to Hi; Delta is our Unix time at
// the monotonic 0.
type seenSpan struct{ Lo, Hi, Delta int64 }

// savedSpan is a span in the settings.
type savedSpan struct {
	Boot string `json:"boot"`
	seenSpan
}

const (
	maxSeen      = 4096 // spans of a boot
	maxSeenBoots = 256
	maxSeenSaved = 64
	// seenSlack is how many seconds of difference rounding and drift explain.
	seenSlack = 2
	// seenKey and the host's id are the setting, written at most every seenEvery:
	// what a crash costs of it matters only if our clock is set before the next
	// connection.
	seenKey   = "seen."
	seenEvery = 10 * time.Second
)

// slotOf64 is the whole second of a monotonic clock, 0 where there is none.
func slotOf64(mono time.Duration) int64 { return int64(mono / time.Second) }

func bootKey(host, boot string) string { return host + "\x00" + boot }

func (s *seen) host(id string) *seenHost {
	if s.boots == nil || len(s.boots) > maxSeenBoots {
		s.boots, s.hosts = map[string][]seenSpan{}, map[string]*seenHost{}
	}
	h := s.hosts[id]
	if h == nil {
		h = &seenHost{}
		s.hosts[id] = h
	}
	return h
}

// add notes a second that was kept.
func (s *seen) add(host, boot string, slot, t int64) {
	if host == "" || boot == "" || slot <= 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.host(host).dirty = true
	key := bootKey(host, boot)
	list, delta := s.boots[key], t-slot
	if n := len(list); n > 0 {
		last := &list[n-1]
		if d := delta - last.Delta; d >= -seenSlack && d <= seenSlack && slot >= last.Lo && slot <= last.Hi+1 {
			last.Hi = max(last.Hi, slot)
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
	for _, p := range s.boots[bootKey(host, boot)] {
		if slot >= p.Lo && slot <= p.Hi {
			d := t - slot - p.Delta
			if d < -seenSlack || d > seenSlack {
				return true
			}
		}
	}
	return false
}

// load reads what was kept of a host, once.
func (s *seen) load(ctx context.Context, tx *sql.Tx, host string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loadLocked(ctx, tx, host, s.host(host))
}

func (s *seen) loadLocked(ctx context.Context, tx *sql.Tx, host string, h *seenHost) error {
	if h.loaded || host == "" {
		return nil
	}
	var text string
	err := tx.QueryRowContext(ctx, "SELECT value FROM settings WHERE key=?", seenKey+host).Scan(&text)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	h.loaded = true
	var list []savedSpan
	if text == "" || json.Unmarshal([]byte(text), &list) != nil {
		return nil //nolint:nilerr // what can't be read is not known
	}
	before := map[string][]seenSpan{}
	for _, p := range list[:min(len(list), maxSeenSaved)] {
		key := bootKey(host, p.Boot)
		before[key] = append(before[key], p.seenSpan)
	}
	for key, list := range before {
		s.boots[key] = append(list, s.boots[key]...)
	}
	return nil
}

// keep writes the newest of what is known of a host: now, or when it is due.
// What was kept before comes first, so that it isn't forgotten.
func (s *seen) keep(ctx context.Context, tx *sql.Tx, host string, now bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.host(host)
	if host == "" || !h.dirty || !now && time.Since(h.saved) < seenEvery {
		return nil
	}
	if err := s.loadLocked(ctx, tx, host, h); err != nil {
		return err
	}
	var list []savedSpan
	for key, spans := range s.boots {
		if boot, ok := strings.CutPrefix(key, bootKey(host, "")); ok {
			for _, p := range spans {
				list = append(list, savedSpan{boot, p})
			}
		}
	}
	slices.SortFunc(list, func(a, b savedSpan) int { return cmp.Compare(a.Hi+a.Delta, b.Hi+b.Delta) })
	list = list[max(0, len(list)-maxSeenSaved):]
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO settings (key, value) VALUES (?,?) ON CONFLICT (key) DO UPDATE SET value=excluded.value", seenKey+host, string(text))
	if err == nil {
		h.dirty, h.saved = false, time.Now() // if the rest fails it is written next time, a second later in what it says
	}
	return err
}
