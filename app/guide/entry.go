package guide

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// The kinds of entries that are kept for a host.
const (
	KindTrack  = "track"  // track, profile and values that were chosen; key ""
	KindCheck  = "check"  // a Record, the latest of a check and track; key "<track>/<check>"
	KindPast   = "past"   // Records before the latest, by time; key "<track>/<check>/<unix ms>"
	KindSkip   = "skip"   // a Skipped; key "<on>/<unix ms>"
	KindTick   = "tick"   // a Tick; key is the item
	KindRun    = "run"    // a run that hasn't come to its end; key ""
	KindEdit   = "edit"   // a command as the user wrote it; key is the check
	KindProof  = "proof"  // a marker file and what it survived; key is the directory
	KindTenant = "tenant" // a reading for other tenants; key is its start, unix ms
	KindLedger = "ledger" // times of a start or of pictures; key is its start, unix ms
	KindDay    = "day"    // begin and end of a day; key is its start, unix ms
	KindMove   = "move"   // a list of what to move; key is its time, unix ms
	KindClient = "client" // a record about client data; key is its time, unix ms
	KindNet    = "net"    // network readings over time; key is "<what>/<unix ms>"
)

// Entry is something kept for a host. Body is JSON.
type Entry struct {
	Kind, Key string
	Time      time.Time
	Body      json.RawMessage
}

// Store keeps entries. Saving replaces the entry of the same kind and key, all
// or nothing. It is safe for use from several goroutines.
type Store interface {
	GuideEntries(ctx context.Context, host string) ([]Entry, error) // by kind, then time
	SaveGuideEntries(ctx context.Context, host string, entries []Entry) error
	DeleteGuideEntries(ctx context.Context, host, kind string, keys ...string) error // no keys: all of the kind
}

// Stamp is a time as keys hold it: Unix ms.
func Stamp(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

// NewEntry is a body as it is kept. The error is that of JSON.
func NewEntry(kind, key string, t time.Time, body any) (Entry, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return Entry{}, fmt.Errorf("keeping %s %q: %w", kind, key, err)
	}
	return Entry{Kind: kind, Key: key, Time: t, Body: b}, nil
}

// Kept returns the bodies of a kind that can be read and are what is asked for.
func Kept[T any](entries []Entry, kind string, is func(T) bool) []T {
	var list []T
	for _, e := range entries {
		var v T
		if e.Kind == kind && json.Unmarshal(e.Body, &v) == nil && is(v) {
			list = append(list, v)
		}
	}
	return list
}

// ReadTick reads a kept answer to a manual item.
func ReadTick(b json.RawMessage) (Tick, error) {
	var t Tick
	err := json.Unmarshal(b, &t)
	return t, err
}
