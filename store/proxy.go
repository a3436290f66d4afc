package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// errNobody says that no process listens for this folder.
var errNobody = errors.New("nobody listens")

// openPatience is how long Open waits for a writer that is just starting.
const openPatience = 5 * time.Second

// dial connects to the writer and sends the first frame.
func dial(ctx context.Context, dir string, q request) (net.Conn, error) {
	a, err := readAddress(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNobody, err)
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", a.Path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNobody, err)
	}
	q.Proto, q.Schema, q.Token = protoVersion, schemaVersion, a.Token
	deadline := time.Now().Add(askTimeout)
	if t, ok := ctx.Deadline(); ok && t.Before(deadline) {
		deadline = t
	}
	_ = c.SetDeadline(deadline)
	if err := writeFrame(c, q); err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("%w: %w", errNobody, err)
	}
	return c, nil
}

// ask sends one request and returns the answer.
func ask(ctx context.Context, dir string, q request) (reply, error) {
	c, err := dial(ctx, dir, q)
	if err != nil {
		return reply{}, err
	}
	defer c.Close()
	var r reply
	if err := readFrame(c, &r); err != nil {
		// It went away before it answered; whether it did what was asked is
		// not known, but everything that is asked can be asked twice.
		return reply{}, fmt.Errorf("%w: %w", errNobody, err)
	}
	return r, r.err()
}

// proxy is the backend of a process that does not hold the lock.
type proxy struct {
	s       *Store
	serving sync.Once
	stop    chan struct{} // closed by close

	mu    sync.Mutex
	tapes map[*remoteTape]bool
}

// openBeside opens the folder of another writer: reads are direct.
func (s *Store) openBeside(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, openPatience)
	defer cancel()
	for {
		read, err := openReader(s.path)
		if err != nil {
			return err
		}
		s.read = read
		if err = s.checkVersion(ctx); err == nil {
			s.back = &proxy{s: s, stop: make(chan struct{}), tapes: map[*remoteTape]bool{}}
			return nil
		}
		_ = read.Close()
		s.read = nil
		// The writer may have made the file a moment ago, or be gone again.
		if lock, lockErr := tryLock(s.p.Dir); lockErr == nil && lock != nil {
			if err := s.openAsWriter(ctx, lock); err != nil {
				_ = lock.Unlock()
				return err
			}
			return nil
		}
		if !pause(ctx, 50*time.Millisecond) {
			return err
		}
	}
}

// pause waits; false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// do asks the writer; where it is gone this process takes the folder over, and
// local does the work here.
func (p *proxy) do(ctx context.Context, q request, local func(backend) error) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	for {
		if b := p.heir(); b != nil {
			return local(b)
		}
		_, err := ask(ctx, p.s.p.Dir, q)
		if !errors.Is(err, errNobody) {
			return err
		}
		if took, takeErr := p.takeOver(ctx); takeErr != nil {
			return takeErr
		} else if took {
			continue
		}
		if !pause(ctx, 50*time.Millisecond) {
			return err
		}
	}
}

// heir is the writer in this process after a take-over, nil before.
func (p *proxy) heir() backend {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if o, ok := p.s.back.(*owner); ok {
		return o
	}
	return nil
}

// takeOver makes this process the writer if the folder is free.
func (p *proxy) takeOver(ctx context.Context) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.heir() != nil {
		return true, nil
	}
	p.s.mu.Lock()
	closed := p.s.closed
	p.s.mu.Unlock()
	if closed {
		return false, ErrClosed
	}
	lock, err := tryLock(p.s.p.Dir)
	if err != nil || lock == nil {
		return false, err
	}
	if err := p.s.openAsWriter(ctx, lock); err != nil {
		_ = lock.Unlock()
		return false, err
	}
	p.s.p.Log.Info("took the history folder over")
	return true, nil
}

func (p *proxy) saveHost(ctx context.Context, h Host) error {
	return p.do(ctx, request{Op: opSave, Host: &h}, func(b backend) error { return b.saveHost(ctx, h) })
}

func (p *proxy) forgetHost(ctx context.Context, id string, withRecordings bool) error {
	return p.do(ctx, request{Op: opForget, ID: id, With: withRecordings}, func(b backend) error {
		return b.forgetHost(ctx, id, withRecordings)
	})
}

func (p *proxy) deleteRecording(ctx context.Context, id int64) error {
	return p.do(ctx, request{Op: opDelete, Number: id}, func(b backend) error { return b.deleteRecording(ctx, id) })
}

func (p *proxy) saveSetting(ctx context.Context, key, value string) error {
	return p.do(ctx, request{Op: opSetting, Key: key, Value: value}, func(b backend) error {
		return b.saveSetting(ctx, key, value)
	})
}

// listen lets the writer raise the window of this process. A writer that goes
// away is followed by the next one, or by this process.
func (p *proxy) listen() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-p.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	for ctx.Err() == nil && p.heir() == nil {
		if c, err := dial(ctx, p.s.p.Dir, request{Op: opWindow}); err == nil {
			p.raised(ctx, c)
		} else if _, err := p.takeOver(ctx); err != nil && !errors.Is(err, ErrClosed) {
			p.s.tell(err)
		}
		pause(ctx, time.Second)
	}
}

// raised raises the window as often as the writer says so.
func (p *proxy) raised(ctx context.Context, c net.Conn) {
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	defer c.Close()
	for first := true; ; first = false {
		var r reply
		if err := readFrame(c, &r); err != nil || r.err() != nil {
			return
		}
		_ = c.SetDeadline(time.Time{})
		p.s.mu.Lock()
		raise := p.s.raise
		p.s.mu.Unlock()
		if !first && raise != nil {
			raise()
		}
	}
}

func (p *proxy) close(ctx context.Context) error {
	close(p.stop)
	p.mu.Lock()
	tapes := keys(p.tapes)
	p.mu.Unlock()
	var errs []error
	for _, t := range tapes {
		errs = append(errs, t.close(ctx, EndClosed))
	}
	p.mu.Lock() // a take-over that began before ends first
	defer p.mu.Unlock()
	if o := p.heir(); o != nil {
		errs = append(errs, o.close(ctx))
	}
	return errors.Join(errs...)
}
