package store

import (
	"context"
	"fmt"
	"net"
	"time"
)

// flusher is a sink that can be waited for.
type flusher interface {
	flush(ctx context.Context) error
}

// Flush waits until what was handed over is on the disk, and seals hours that
// are over: for who hands over faster than time goes by, since Message never
// waits and throws away what there is no room for.
func (r *Recorder) Flush(ctx context.Context) error {
	f, ok := r.sink.(flusher)
	if !ok {
		return nil
	}
	if err := f.flush(ctx); err != nil {
		return fmt.Errorf("write a recording: %w", err)
	}
	return nil
}

func (t *tape) flush(ctx context.Context) error {
	var err error
	callErr := t.o.call(ctx, func() { err = t.flushNow(context.WithoutCancel(ctx)) })
	if callErr != nil {
		return callErr
	}
	return named(err)
}

// flushNow runs on the writer.
func (t *tape) flushNow(ctx context.Context) error {
	if err := t.o.flush(ctx, []*tape{t}); err != nil {
		return err
	}
	t.mu.Lock()
	current := hourOf(t.newest)
	t.mu.Unlock()
	for h := range t.hours {
		if h >= current {
			continue
		}
		if err := t.o.seal(ctx, t.recording, []int64{h}); err != nil {
			return err
		}
		delete(t.hours, h)
		if err := t.o.flush(ctx, t.o.all()); err != nil { // of the other recordings
			return err
		}
	}
	return nil
}

// flush of a recording that another process writes asks it and waits.
func (t *remoteTape) flush(ctx context.Context) error {
	done := make(chan error, 1)
	t.mu.Lock()
	if t.closing {
		err := t.finished
		t.mu.Unlock()
		return err
	}
	t.syncs = append(t.syncs, done)
	t.mu.Unlock()
	t.poke()
	select {
	case err := <-done:
		return err
	case <-t.done:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answer makes the writer flush and tells those that wait; an error is of the
// way there, and they wait on.
func (t *remoteTape) answer(waiting []chan error, c net.Conn, local sink) error {
	if len(waiting) == 0 {
		return nil
	}
	var said error
	if local != nil {
		if f, ok := local.(flusher); ok {
			said = f.flush(context.Background())
		}
	} else {
		_ = c.SetDeadline(time.Now().Add(askTimeout))
		if err := writeFrame(c, note{Sync: true}); err != nil {
			return err
		}
		var r reply
		if err := readFrame(c, &r); err != nil {
			return err
		}
		_ = c.SetDeadline(time.Time{})
		said = r.err()
	}
	for _, w := range waiting {
		w <- said
	}
	return nil
}
