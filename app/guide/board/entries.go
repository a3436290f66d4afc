package board

import (
	"maps"
	"slices"
	"strings"

	"rentgen/app/guide"
)

// Entries returns what is kept of a kind, by time.
func (b *Board) Entries(kind string) []guide.Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.entriesLocked(kind)
}

func (b *Board) entriesLocked(kind string) []guide.Entry {
	list := slices.Collect(maps.Values(b.entries[kind]))
	slices.SortFunc(list, func(x, y guide.Entry) int {
		if c := x.Time.Compare(y.Time); c != 0 {
			return c
		}
		return strings.Compare(x.Key, y.Key)
	})
	return list
}

// Put keeps an entry of the rooms beside the board; body becomes JSON, which is
// the only way in which it can fail. What the store says is in Fault.
func (b *Board) Put(kind, key string, body any) error {
	b.mu.Lock()
	err := b.putLocked(kind, key, body)
	b.mu.Unlock()
	if err != nil {
		return err
	}
	b.changed()
	return nil
}

// Drop deletes entries of a kind; without keys, all of it.
func (b *Board) Drop(kind string, keys ...string) error {
	b.mu.Lock()
	b.dropLocked(kind, keys...)
	b.mu.Unlock()
	b.changed()
	return nil
}

func (b *Board) putLocked(kind, key string, body any) error {
	e, err := guide.NewEntry(kind, key, b.p.Now(), body)
	if err != nil {
		return err
	}
	b.noteLocked(e)
	b.keep.add(change{entry: e})
	return nil
}

func (b *Board) dropLocked(kind string, keys ...string) {
	if len(keys) == 0 {
		keys = slices.Sorted(maps.Keys(b.entries[kind]))
	}
	var cs []change
	for _, k := range keys {
		if _, ok := b.entries[kind][k]; ok {
			delete(b.entries[kind], k)
			cs = append(cs, change{guide.Entry{Kind: kind, Key: k}, true})
		}
	}
	b.keep.add(cs...)
}

// noteLocked takes an entry into memory.
func (b *Board) noteLocked(e guide.Entry) {
	if b.entries[e.Kind] == nil {
		b.entries[e.Kind] = map[string]guide.Entry{}
	}
	b.entries[e.Kind][e.Key] = e
}

// Fault returns why the latest changes could not be kept, nil when they are. They
// stay in memory and are tried again with the next change, or by Retry.
func (b *Board) Fault() error { return b.keep.fault() }

// Retry tries again to keep what could not be kept.
func (b *Board) Retry() { b.keep.flush() }
