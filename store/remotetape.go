package store

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"rentgen/probe"
)

// maxWaiting bounds what waits for the writing process, in bytes.
const maxWaiting = 64 << 20

// remoteTape hands the messages of a recording to the process that writes.
// Where that goes away it finds the next one, or this process becomes it, and
// goes on in a new recording.
type remoteTape struct {
	p     *proxy
	start RecordingStart
	limit int

	mu       sync.Mutex
	queue    [][]byte // frames
	bytes    int
	inv      *probe.Inventory
	number   int64
	dropped  int64
	gapFrom  time.Time
	gapTo    time.Time
	reason   string
	closing  bool
	finished error
	syncs    []chan error // of who waits for the disk

	wake chan struct{}
	quit context.CancelFunc
	done chan struct{}
}

func (p *proxy) startRecording(ctx context.Context, start RecordingStart) (sink, error) {
	t := &remoteTape{p: p, start: start, limit: maxWaiting, wake: make(chan struct{}, 1), done: make(chan struct{})}
	conn, local, err := t.begin(ctx)
	if err != nil {
		return nil, err
	}
	if local != nil {
		return local, nil
	}
	run, cancel := context.WithCancel(context.Background())
	t.quit = cancel
	p.mu.Lock()
	p.tapes[t] = true
	p.mu.Unlock()
	go t.run(run, conn)
	return t, nil
}

// begin starts a recording with whoever writes: a connection to another
// process, or a tape of this one.
func (t *remoteTape) begin(ctx context.Context) (net.Conn, sink, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	for {
		if b := t.p.heir(); b != nil {
			k, err := b.startRecording(ctx, t.start)
			return nil, k, err
		}
		c, err := dial(ctx, t.p.s.p.Dir, request{Op: opRecord, Start: &t.start})
		if err == nil {
			var r reply
			if err = readFrame(c, &r); err == nil {
				if err := r.err(); err != nil {
					_ = c.Close()
					return nil, nil, err
				}
				_ = c.SetDeadline(time.Time{})
				t.mu.Lock()
				t.number = r.Number
				t.mu.Unlock()
				return c, nil, nil
			}
			_ = c.Close()
		}
		if took, takeErr := t.p.takeOver(ctx); takeErr != nil {
			return nil, nil, takeErr
		} else if took {
			continue
		}
		if !pause(ctx, 50*time.Millisecond) {
			return nil, nil, err
		}
	}
}

func (t *remoteTape) id() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.number
}

func (t *remoteTape) lost() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dropped
}

func (t *remoteTape) message(m probe.Message) {
	frame, err := appendFrame(nil, noteOf(m))
	t.mu.Lock()
	if t.closing {
		t.mu.Unlock()
		return
	}
	if inv, ok := m.(*probe.Inventory); ok && inv != nil {
		t.inv = inv
	}
	if err != nil || t.bytes+len(frame) > t.limit {
		t.drop(m)
	} else {
		t.flushGap()
		t.queue = append(t.queue, frame)
		t.bytes += len(frame)
	}
	t.mu.Unlock()
	t.poke()
}

// drop counts what there is no room for.
func (t *remoteTape) drop(m probe.Message) {
	t.dropped++
	s, ok := m.(*probe.Sample)
	if !ok || s == nil {
		return
	}
	if t.gapFrom.IsZero() {
		t.gapFrom = s.Time
	}
	t.gapTo = s.Time.Add(time.Second)
}

// flushGap queues the gap of what was dropped before.
func (t *remoteTape) flushGap() {
	if t.gapFrom.IsZero() {
		return
	}
	frame, err := appendFrame(nil, note{Gap: &probe.Gap{From: t.gapFrom, To: t.gapTo, Reason: GapStore}})
	if err == nil {
		t.queue = append(t.queue, frame)
		t.bytes += len(frame)
	}
	t.gapFrom, t.gapTo = time.Time{}, time.Time{}
}

func (t *remoteTape) poke() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// take hands over what waits and says whether that is all there will be.
func (t *remoteTape) take() (frames [][]byte, waiting []chan error, last bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closing {
		t.flushGap()
	}
	frames, t.queue, t.bytes = t.queue, nil, 0
	waiting, t.syncs = t.syncs, nil
	return frames, waiting, t.closing
}

// run sends until the recording is closed.
func (t *remoteTape) run(ctx context.Context, c net.Conn) {
	defer close(t.done)
	defer func() {
		t.p.mu.Lock()
		delete(t.p.tapes, t)
		t.p.mu.Unlock()
	}()
	var local sink
	for {
		frames, waiting, last := t.take()
		err := t.deliver(frames, c, local)
		if err == nil {
			err = t.answer(waiting, c, local)
		}
		if err == nil && last {
			// If who writes went away just now, it or its heir ends the recording.
			t.end(t.finish(c, local))
			return
		}
		if err != nil {
			// Who wrote is gone.
			_ = c.Close()
			t.mu.Lock()
			t.syncs = append(waiting, t.syncs...)
			t.mu.Unlock()
			if c, local, err = t.again(ctx, frames); err != nil {
				t.p.s.tell(err)
				t.end(err)
				return
			}
			continue
		}
		select {
		case <-t.wake:
		case <-ctx.Done():
			t.end(ctx.Err())
			return
		}
	}
}

func (t *remoteTape) end(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.finished, t.closing = err, true
}

// again finds the next writer and queues what was not delivered before what
// came since, with the inventory in front.
func (t *remoteTape) again(ctx context.Context, frames [][]byte) (net.Conn, sink, error) {
	c, local, err := t.begin(ctx)
	if err != nil {
		return nil, nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if local != nil {
		t.number = local.id()
	}
	if t.inv != nil {
		if frame, err := appendFrame(nil, note{Inventory: t.inv}); err == nil {
			frames = append([][]byte{frame}, frames...)
		}
	}
	t.queue = append(frames, t.queue...)
	t.bytes = 0
	for _, f := range t.queue {
		t.bytes += len(f)
	}
	return c, local, nil
}

// deliver sends frames to the other process, or plays them to a local tape.
func (t *remoteTape) deliver(frames [][]byte, c net.Conn, local sink) error {
	if local != nil {
		for _, f := range frames {
			var n note
			if err := frameDec.Unmarshal(f[4:], &n); err != nil {
				continue
			}
			if m := n.message(); m != nil {
				local.message(m)
			}
		}
		return nil
	}
	for _, f := range frames {
		_ = c.SetWriteDeadline(time.Now().Add(askTimeout))
		if _, err := c.Write(f); err != nil {
			return err
		}
	}
	return nil
}

func (t *remoteTape) finish(c net.Conn, local sink) error {
	t.mu.Lock()
	reason := t.reason
	t.mu.Unlock()
	if local != nil {
		return local.close(context.Background(), reason)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(askTimeout))
	if err := writeFrame(c, note{Close: true, Reason: reason}); err != nil {
		return err
	}
	var r reply
	if err := readFrame(c, &r); err != nil {
		return err
	}
	return r.err()
}

func (t *remoteTape) close(ctx context.Context, reason string) error {
	t.mu.Lock()
	if !t.closing {
		t.closing, t.reason = true, reason
	}
	t.mu.Unlock()
	t.poke()
	select {
	case <-t.done:
	case <-ctx.Done():
		t.quit()
		return ctx.Err()
	}
	t.quit()
	t.mu.Lock()
	defer t.mu.Unlock()
	if errors.Is(t.finished, context.Canceled) {
		return nil
	}
	return t.finished
}
