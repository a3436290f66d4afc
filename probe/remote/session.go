package remote

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

// lingering is how long output may stay open after the exit code came. A child
// left behind on the host can hold it open for ever.
const lingering = 4 * time.Second

// session is a command on a host.
type session struct {
	ch             ssh.Channel
	stdin          *sessionInput
	stdout, stderr *buffer
	done           chan struct{}
	err            error

	linger time.Duration
	lost   <-chan struct{} // closed when the connection has ended
	once   sync.Once
	ended  chan struct{}
	why    error
}

// startSession opens a channel and starts a command on it. The channel is used
// without the library's Session, whose Wait hangs while a child left behind
// holds the output open.
func startSession(client *ssh.Client, command string, linger time.Duration, lost <-chan struct{}) (*session, Kind, error) {
	ch, reqs, err := client.OpenChannel("session", nil)
	if err != nil {
		var open *ssh.OpenChannelError
		if errors.As(err, &open) {
			return nil, KindNoCommand, fmt.Errorf("open a session: %w", err)
		}
		return nil, KindLost, fmt.Errorf("open a session: %w", err)
	}
	s := &session{
		ch: ch, linger: linger, lost: lost, done: make(chan struct{}), ended: make(chan struct{}),
		stdout: newBuffer(stdoutBuffer, false), stderr: newBuffer(stderrBuffer, true),
	}
	s.stdin = &sessionInput{s: s}
	go s.run(reqs)
	ok, err := ch.SendRequest("exec", true, ssh.Marshal(struct{ Command string }{command}))
	if err == nil && ok {
		return s, "", nil
	}
	s.end(net.ErrClosed)
	if err != nil {
		return nil, KindLost, fmt.Errorf("start a command: %w", err)
	}
	return nil, KindNoCommand, errors.New("the host refuses to run a command")
}

// run drains the outputs and gathers how the command ends.
func (s *session) run(reqs <-chan *ssh.Request) {
	var drained sync.WaitGroup
	drained.Go(func() { _, _ = io.Copy(s.stdout, s.ch); s.stdout.finish() })
	drained.Go(func() { _, _ = io.Copy(s.stderr, s.ch.Stderr()); s.stderr.finish() })
	quiet := make(chan struct{})
	go func() { drained.Wait(); close(quiet) }()

	exit := &ExitError{Code: -1}
	known := false
	var late, gone <-chan time.Time
	quietNow := quietly(s.stdout, s.stderr)
	ended := s.ended
	for open := true; open; {
		select {
		case <-ended: // on a dead link no answer ever comes
			ended = nil
			timer := time.NewTimer(s.linger)
			defer timer.Stop()
			gone = timer.C
		case <-gone:
			open = false
		case r, ok := <-reqs:
			if !ok {
				open = false
				break
			}
			if exit.take(r) {
				known = true
				_ = quietNow()
				late = time.After(s.linger)
			}
			if r.WantReply {
				_ = r.Reply(false, nil)
			}
		case <-late:
			if !quietNow() { // what the command said is still on its way
				late = time.After(s.linger)
				break
			}
			_ = s.ch.Close()
			late = nil
		}
	}
	select {
	case <-quiet:
	case <-s.ended: // its reader may be gone
		s.stdout.discard()
		s.stdout.finish()
		s.stderr.finish()
	}
	if !known {
		select {
		case <-s.lost: // the channel may be gone before watch hears of it
			s.end(net.ErrClosed)
		default:
		}
	}
	select {
	case <-s.ended:
		s.err = fmt.Errorf("command ended by us: %w", s.why)
	default:
		if !known || exit.Code != 0 {
			s.err = exit
		}
	}
	close(s.done)
	s.end(net.ErrClosed)
}

// take reads an exit report.
func (e *ExitError) take(r *ssh.Request) bool {
	switch r.Type {
	case "exit-status":
		if len(r.Payload) < 4 {
			return false
		}
		e.Code = int(int32(binary.BigEndian.Uint32(r.Payload)))
		return true
	case "exit-signal":
		var msg struct {
			Signal     string
			CoreDumped bool
			Error      string
			Lang       string
		}
		_ = ssh.Unmarshal(r.Payload, &msg)
		e.Code, e.Signal = -1, Clean(msg.Signal)
		if e.Signal == "" {
			e.Signal = "UNKNOWN"
		}
		return true
	}
	return false
}

// watch ends the command with its context or its connection.
func (s *session) watch(ctx context.Context) {
	go func() {
		select {
		case <-s.ended:
		case <-ctx.Done():
			s.end(ctx.Err())
		case <-s.lost:
			s.end(net.ErrClosed)
		}
	}()
}

// end tells the command to end. Nothing here waits for the link: it may be
// dead.
func (s *session) end(why error) {
	s.once.Do(func() {
		s.why = why
		close(s.ended)
		s.stdout.discard()
		go func() {
			select {
			case <-s.done:
			default:
				_, _ = s.ch.SendRequest("signal", false, ssh.Marshal(struct{ Signal string }{"TERM"}))
			}
			_ = s.ch.Close()
		}()
	})
}

// Stdin implements Proc.
func (s *session) Stdin() io.WriteCloser { return s.stdin }

// Stdout implements Proc.
func (s *session) Stdout() io.Reader { return s.stdout }

// Stderr implements Proc.
func (s *session) Stderr() io.Reader { return s.stderr }

// Wait implements Proc.
func (s *session) Wait() error {
	<-s.done
	return s.err
}

// Close implements Proc.
func (s *session) Close() error {
	s.end(net.ErrClosed)
	return nil
}

// sessionInput is a command's input; closing it sends the end of the file.
type sessionInput struct{ s *session }

// Write implements io.Writer.
func (i *sessionInput) Write(p []byte) (int, error) { return i.s.ch.Write(p) }

// Close implements io.Closer.
func (i *sessionInput) Close() error {
	err := i.s.ch.CloseWrite()
	if errors.Is(err, io.EOF) { // closed already
		return nil
	}
	return err
}
