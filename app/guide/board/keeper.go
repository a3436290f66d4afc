package board

import (
	"context"
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
	for {
		k.mu.Lock()
		batch := k.pending
		k.pending = nil
		k.mu.Unlock()

		left, err := k.write(batch)

		k.mu.Lock()
		// What was changed meanwhile is newer than what could not be kept.
		for i := len(left) - 1; i >= 0; i-- {
			c := left[i]
			if !slices.ContainsFunc(k.pending, func(o change) bool { return o.entry.Kind == c.entry.Kind && o.entry.Key == c.entry.Key }) {
				k.pending = slices.Insert(k.pending, 0, c)
			}
		}
		told := (k.err == nil) != (err == nil)
		k.err = err
		if err == nil && len(k.pending) > 0 {
			k.mu.Unlock()
			continue
		}
		close(k.busy)
		k.busy = nil
		k.mu.Unlock()
		if told {
			k.changed()
		}
		return
	}
}

// write keeps a batch and returns what it could not.
func (k *keeper) write(batch []change) ([]change, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var save []guide.Entry
	for _, c := range batch {
		if !c.gone {
			save = append(save, c.entry)
		}
	}
	if len(save) > 0 {
		if err := k.store.SaveGuideEntries(ctx, k.host, save); err != nil {
			return batch, err
		}
	}
	for i, c := range batch {
		if !c.gone {
			continue
		}
		if err := k.store.DeleteGuideEntries(ctx, k.host, c.entry.Kind, c.entry.Key); err != nil {
			return slices.DeleteFunc(batch[i:], func(o change) bool { return !o.gone }), err
		}
	}
	return nil, nil
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
