package board

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"rentgen/app/guide"
)

// keeper brings entries to the store, in the background and in order. What
// can't be kept stays here until Retry or the next change.
type keeper struct {
	host    string
	store   guide.Store
	run     func(func())
	changed func()

	mu      sync.Mutex
	pending []change
	busy    chan struct{} // closed when the flush under way is over; nil when there is none
	err     error
}

// change is an entry to keep or, where gone, to delete.
type change struct {
	entry guide.Entry
	gone  bool
}

func (k *keeper) start(p Params, changed func()) {
	k.host, k.store, k.run, k.changed = p.Host, p.Store, p.Go, changed
}

// add queues changes, which flush then brings to the store; one to the same entry replaces what is queued of it.
func (k *keeper) add(cs ...change) {
	if k.store == nil {
		return
	}
	k.mu.Lock()
	for _, c := range cs {
		k.pending = slices.DeleteFunc(k.pending, func(o change) bool {
			return o.entry.Kind == c.entry.Kind && o.entry.Key == c.entry.Key
		})
		k.pending = append(k.pending, c)
	}
	k.mu.Unlock()
}

// flush starts to keep what is pending unless that is under way.
func (k *keeper) flush() {
	k.mu.Lock()
	if k.store == nil || k.busy != nil || len(k.pending) == 0 {
		k.mu.Unlock()
		return
	}
	k.busy = make(chan struct{})
	k.mu.Unlock()
	k.run(k.work)
}

// patience is how long the store may take for one transaction.
const patience = 30 * time.Second

func (k *keeper) work() {
	k.mu.Lock()
	failed := k.err != nil
	for {
		batch := k.pending
		k.pending = nil
		k.mu.Unlock()
		left, err := k.write(batch)
		k.mu.Lock()
		k.err = err
		more := len(k.pending) > 0
		// What was changed meanwhile is newer than what could not be kept.
		left = slices.DeleteFunc(left, func(c change) bool {
			return slices.ContainsFunc(k.pending, func(o change) bool { return o.entry.Kind == c.entry.Kind && o.entry.Key == c.entry.Key })
		})
		k.pending = append(left, k.pending...)
		if !more {
			break
		}
	}
	told := failed != (k.err != nil)
	close(k.busy)
	k.busy = nil
	k.mu.Unlock()
	if told {
		k.changed()
	}
}

// write keeps a batch and returns what it could not. Where a part is refused, its
// entries are tried one by one, so that one that can't be kept keeps no other back.
func (k *keeper) write(batch []change) ([]change, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var left []change
	var errs []error
	for _, part := range parts(batch) {
		err := k.send(ctx, part)
		if err != nil && len(part) > 1 {
			err = nil
			for _, c := range part {
				if one := k.send(ctx, []change{c}); one != nil {
					err, left = one, append(left, c)
				}
			}
		} else if err != nil {
			left = append(left, part...)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return left, errors.Join(errs...)
}

// send brings changes of one sort, to save or to delete, to the store.
func (k *keeper) send(ctx context.Context, part []change) error {
	if part[0].gone {
		var keys []string
		for _, c := range part {
			keys = append(keys, c.entry.Key)
		}
		return k.store.DeleteGuideEntries(ctx, k.host, part[0].entry.Kind, keys...)
	}
	var list []guide.Entry
	for _, c := range part {
		list = append(list, c.entry)
	}
	return k.store.SaveGuideEntries(ctx, k.host, list)
}

// Bounds of one call.
const (
	maxPart      = 500
	maxPartBytes = 3 << 20
)

// parts cuts a batch into what one call takes: entries to save, or keys of one
// kind to delete. The order stays.
func parts(batch []change) [][]change {
	var list [][]change
	size := 0
	for _, c := range batch {
		n := len(list) - 1
		same := n >= 0 && list[n][0].gone == c.gone && (!c.gone || list[n][0].entry.Kind == c.entry.Kind)
		if size += len(c.entry.Body); !same || len(list[n]) >= maxPart || size > maxPartBytes {
			list, size = append(list, nil), len(c.entry.Body)
			n++
		}
		list[n] = append(list[n], c)
	}
	return list
}

// wait waits for the flush under way.
func (k *keeper) wait(ctx context.Context) error {
	for {
		k.mu.Lock()
		busy := k.busy
		k.mu.Unlock()
		if busy == nil {
			return nil
		}
		select {
		case <-busy:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (k *keeper) fault() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err
}
