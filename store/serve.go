package store

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	// maxPeers bounds the connections served at once.
	maxPeers = 64
	// askTimeout bounds one request and its answer.
	askTimeout = 30 * time.Second
)

// server listens for other processes of this user.
type server struct {
	o     *owner
	l     net.Listener
	token string
	path  string
	done  sync.WaitGroup
	slots chan struct{}

	mu      sync.Mutex
	conns   map[net.Conn]bool
	windows map[net.Conn]bool // of processes that have one
	closed  bool
}

func serve(o *owner) (*server, error) {
	dir := o.s.p.Dir
	path, err := socketPath(dir)
	if err != nil {
		return nil, fmt.Errorf("local socket: %w", err)
	}
	// We hold the lock: whatever lies there is of a process that is gone.
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("local socket: %w", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("local socket: %w", err)
	}
	srv := &server{o: o, l: l, path: path, token: rand.Text(), slots: make(chan struct{}, maxPeers), conns: map[net.Conn]bool{}, windows: map[net.Conn]bool{}}
	if err = os.Chmod(path, 0o600); err == nil {
		err = writeAddress(dir, address{path, srv.token})
	}
	if err != nil {
		_ = l.Close()
		return nil, fmt.Errorf("local socket: %w", err)
	}
	srv.done.Add(1)
	go srv.accept()
	return srv, nil
}

func (v *server) accept() {
	defer v.done.Done()
	for {
		c, err := v.l.Accept()
		if err != nil {
			return
		}
		select {
		case v.slots <- struct{}{}:
		default:
			_ = c.Close()
			continue
		}
		if !v.keep(c) {
			return
		}
		v.done.Add(1)
		go func() {
			defer v.done.Done()
			defer func() { <-v.slots }()
			defer v.drop(c)
			v.peer(c)
		}()
	}
}

func (v *server) keep(c net.Conn) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		_ = c.Close()
		return false
	}
	v.conns[c] = true
	return true
}

func (v *server) drop(c net.Conn) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.conns, c)
	_ = c.Close()
}

func (v *server) isClosed() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.closed
}

func (v *server) close() {
	v.mu.Lock()
	v.closed = true
	_ = v.l.Close()
	for c := range v.conns {
		_ = c.Close()
	}
	v.mu.Unlock()
	v.done.Wait()
	_ = os.Remove(v.path)
	_ = os.Remove(filepath.Join(v.o.s.p.Dir, addressName))
}

// peer serves one connection.
func (v *server) peer(c net.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	_ = c.SetDeadline(time.Now().Add(askTimeout))
	var q request
	if err := readFrame(c, &q); err != nil {
		return
	}
	if subtle.ConstantTimeCompare([]byte(q.Token), []byte(v.token)) != 1 {
		return
	}
	if q.Op == opRecord && q.Proto == protoVersion && q.Schema == schemaVersion && q.Start != nil {
		v.record(ctx, c, *q.Start)
		return
	}
	if q.Op == opWindow {
		v.window(c)
		return
	}
	_ = writeFrame(c, replyOf(v.answer(ctx, &q)))
}

func (v *server) answer(ctx context.Context, q *request) error {
	// Raising works between versions.
	if q.Op == opRaise {
		v.o.s.mu.Lock()
		raise := v.o.s.raise
		v.o.s.mu.Unlock()
		if raise == nil {
			return v.raiseOther()
		}
		raise()
		return nil
	}
	if q.Proto != protoVersion || q.Schema != schemaVersion {
		return ErrOtherVersion
	}
	switch {
	case q.Op == opSave && q.Host != nil:
		if err := q.Host.check(); err != nil {
			return err
		}
		return v.o.saveHost(ctx, *q.Host)
	case q.Op == opForget:
		return v.o.forgetHost(ctx, q.ID, q.With)
	case q.Op == opDelete:
		return v.o.deleteRecording(ctx, q.Number)
	case q.Op == opSavePlan && q.Plan != nil:
		if err := q.Plan.check(); err != nil {
			return err
		}
		return v.o.savePlan(ctx, *q.Plan)
	case q.Op == opDeletePlan:
		return v.o.deletePlan(ctx, q.ID)
	case q.Op == opSaveGuide:
		if err := checkGuide(q.ID, q.Guide); err != nil {
			return err
		}
		return v.o.saveGuide(ctx, q.ID, q.Guide)
	case q.Op == opDeleteGuide && q.GuideKeys != nil:
		if err := q.GuideKeys.check(); err != nil {
			return err
		}
		return v.o.deleteGuide(ctx, *q.GuideKeys)
	case q.Op == opSavePurse:
		if err := checkPurse(q.Purse); err != nil {
			return err
		}
		return v.o.savePurse(ctx, q.Purse)
	case q.Op == opDeletePurse && q.PurseKeys != nil:
		if err := q.PurseKeys.check(); err != nil {
			return err
		}
		return v.o.deletePurse(ctx, *q.PurseKeys)
	case q.Op == opSaveJudged && q.Judged != nil:
		if err := q.Judged.check(); err != nil {
			return err
		}
		return v.o.saveJudged(ctx, *q.Judged)
	case q.Op == opFill && q.Fill != nil:
		return v.o.fill(ctx, q.Fill.record())
	case q.Op == opSaveImport && q.Import != nil:
		if err := q.Import.check(); err != nil {
			return err
		}
		return v.o.saveImport(ctx, *q.Import)
	case q.Op == opSetting && (q.Key == retentionKey || q.Key == damageKey):
		if q.Key == retentionKey {
			if _, err := parseRetention(q.Value); err != nil {
				return err
			}
		}
		return v.o.saveSetting(ctx, q.Key, q.Value)
	}
	return fmt.Errorf("unknown request %q", q.Op)
}

// window keeps the connection of a process that has a window while this one,
// which writes, is a command without.
func (v *server) window(c net.Conn) {
	if writeFrame(c, reply{}) != nil {
		return
	}
	_ = c.SetDeadline(time.Time{})
	v.mu.Lock()
	v.windows[c] = true
	v.mu.Unlock()
	defer func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		delete(v.windows, c)
	}()
	_, _ = io.Copy(io.Discard, c) // it says nothing more; its end is the window's
}

// raiseOther raises the window of another process.
func (v *server) raiseOther() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	for c := range v.windows {
		_ = c.SetWriteDeadline(time.Now().Add(time.Second))
		if writeFrame(c, reply{}) == nil {
			return nil
		}
	}
	return ErrNoWindow
}

// record takes the notes of another process down. Its end without a word is
// the end of the recording.
func (v *server) record(ctx context.Context, c net.Conn, start RecordingStart) {
	k, err := v.o.startRecording(ctx, start)
	if err != nil {
		_ = writeFrame(c, replyOf(err))
		return
	}
	end := func(reason string) error { return k.close(context.Background(), reason) }
	if err := writeFrame(c, reply{Number: k.id()}); err != nil {
		_ = end(EndCrash)
		return
	}
	_ = c.SetDeadline(time.Time{})
	for {
		var n note
		if err := readFrame(c, &n); err != nil {
			reason := EndCrash
			if v.isClosed() {
				reason = EndClosed
			}
			_ = end(reason)
			return
		}
		if n.Close {
			_ = c.SetDeadline(time.Now().Add(askTimeout))
			_ = writeFrame(c, replyOf(end(clipText(n.Reason))))
			return
		}
		if n.Sync {
			_ = c.SetWriteDeadline(time.Now().Add(askTimeout))
			if f, ok := k.(flusher); !ok || writeFrame(c, replyOf(f.flush(context.Background()))) != nil {
				_ = end(EndCrash)
				return
			}
			_ = c.SetDeadline(time.Time{})
			continue
		}
		if m := n.message(); m != nil {
			k.message(m)
		}
	}
}

// Serve makes Raise of other processes call raise, from a goroutine of its
// own; nil takes it back.
func (s *Store) Serve(raise func()) {
	s.mu.Lock()
	s.raise = raise
	p, beside := s.back.(*proxy)
	s.mu.Unlock()
	if beside && raise != nil {
		p.serving.Do(func() { go p.listen() })
	}
}

// Raise asks the window that has dir open to come to the front. Where there is
// none it returns ErrNoWindow, and the caller opens one.
func Raise(ctx context.Context, dir string) error {
	_, err := ask(ctx, dir, request{Op: opRaise})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errNobody):
		return ErrNoWindow
	}
	return fmt.Errorf("raise the window: %w", err)
}
