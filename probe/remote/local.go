package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"time"
)

// LocalParams says how commands run on this computer.
type LocalParams struct {
	Dir string   // working directory; "" for this program's
	Env []string // environment as "NAME=value"; nil for this program's
	// Grace is how long a command may take to end after it was told to, before
	// it is killed, and how long its output may stay open after it ended.
	// 0 means 2 s.
	Grace time.Duration
}

// Local is this computer behind the interface of a host. Commands run through
// /bin/sh (cmd on Windows) in a process group of their own.
func Local(params LocalParams) Conn {
	if params.Grace <= 0 {
		params.Grace = 2 * time.Second
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &local{params: params, ctx: ctx, cancel: cancel}
}

type local struct {
	params LocalParams
	ctx    context.Context
	cancel context.CancelFunc
	procs  sync.WaitGroup
	mu     sync.Mutex
}

// Start implements Conn.
func (l *local) Start(ctx context.Context, command string) (Proc, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.Err(); err != nil {
		return nil, &Error{Stage: StageSession, Kind: KindLost, Err: err}
	}
	if err := ctx.Err(); err != nil {
		return nil, &Error{Stage: StageSession, Kind: ctxKind(ctx), Err: err}
	}
	p, err := startLocal(l.params, command)
	if err != nil {
		return nil, &Error{Stage: StageSession, Kind: KindNoCommand, Err: err}
	}
	l.procs.Add(1)
	go func() {
		defer l.procs.Done()
		select {
		case <-p.done:
		case <-ctx.Done():
			p.end(ctx.Err())
		case <-l.ctx.Done():
			p.end(net.ErrClosed)
		}
		<-p.done
	}()
	return p, nil
}

// Dial implements Conn.
func (l *local) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, network, addr)
	if err != nil {
		return nil, &Error{Stage: StageSession, Kind: KindForwardFailed, Subject: addr, Err: err}
	}
	return c, nil
}

// Done implements Conn.
func (l *local) Done() <-chan struct{} { return l.ctx.Done() }

// Err implements Conn.
func (l *local) Err() error {
	if l.ctx.Err() != nil {
		return fmt.Errorf("this computer: %w", net.ErrClosed)
	}
	return nil
}

// Close implements Conn. It returns when every command has ended.
func (l *local) Close() error {
	l.mu.Lock()
	l.cancel()
	l.mu.Unlock()
	l.procs.Wait()
	return nil
}

// localProc is a command of this computer.
type localProc struct {
	cmd            *exec.Cmd
	grace          time.Duration
	stdin          io.WriteCloser
	stdout, stderr *buffer
	done           chan struct{}
	err            error // set before done is closed

	once  sync.Once
	ended chan struct{} // closed when it was told to end
	why   error         // set before ended is closed
}

// startLocal starts the command with pipes of our own: those of os/exec would
// be closed under a reader as soon as the command has ended.
func startLocal(params LocalParams, command string) (*localProc, error) {
	cmd := shellCommand(command)
	cmd.Dir, cmd.Env = params.Dir, params.Env
	p := &localProc{
		cmd: cmd, grace: params.Grace, done: make(chan struct{}), ended: make(chan struct{}),
		stdout: newBuffer(stdoutBuffer, false), stderr: newBuffer(stderrBuffer, true),
	}
	var files []*os.File
	closeAll := func() {
		for _, f := range files {
			_ = f.Close()
		}
	}
	pipe := func() (*os.File, *os.File, error) {
		r, w, err := os.Pipe()
		if err == nil {
			files = append(files, r, w)
		}
		return r, w, err
	}
	inR, inW, err1 := pipe()
	outR, outW, err2 := pipe()
	errR, errW, err3 := pipe()
	if err := errors.Join(err1, err2, err3); err != nil {
		closeAll()
		return nil, fmt.Errorf("open pipes: %w", err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inR, outW, errW
	if err := cmd.Start(); err != nil {
		closeAll()
		return nil, fmt.Errorf("start command: %w", err)
	}
	for _, f := range []*os.File{inR, outW, errW} {
		_ = f.Close()
	}
	p.stdin = inW
	var drained sync.WaitGroup
	for _, s := range []struct {
		from *os.File
		to   *buffer
	}{{outR, p.stdout}, {errR, p.stderr}} {
		drained.Go(func() {
			_, _ = io.Copy(s.to, s.from)
			s.to.finish()
		})
	}
	go p.wait(&drained, outR, errR)
	return p, nil
}

// wait reaps the command and collects its last words. A child left behind may
// hold the pipes open; it gets the grace, then they are closed.
func (p *localProc) wait(drained *sync.WaitGroup, pipes ...*os.File) {
	err := p.cmd.Wait()
	_ = p.stdin.Close()
	quiet := make(chan struct{})
	go func() {
		drained.Wait()
		close(quiet)
	}()
	quietNow := quietly(p.stdout, p.stderr)
	_ = quietNow()
	tick := time.NewTicker(p.grace)
	defer tick.Stop()
	for waiting := true; waiting; {
		select {
		case <-quiet:
			waiting = false
		case <-tick.C:
			if quietNow() {
				for _, f := range pipes {
					_ = f.Close()
				}
			}
		}
	}
	for _, f := range pipes {
		_ = f.Close()
	}
	p.err = p.result(err)
	close(p.done)
}

func (p *localProc) result(err error) error {
	select {
	case <-p.ended:
		return fmt.Errorf("command ended by us: %w", p.why)
	default:
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &ExitError{Code: exit.ExitCode(), Signal: exitSignal(exit.ProcessState)}
	}
	if err != nil {
		return fmt.Errorf("wait for command: %w", err)
	}
	return nil
}

// end tells the command's process group to terminate and kills it after the
// grace.
func (p *localProc) end(why error) {
	p.once.Do(func() {
		p.why = why
		close(p.ended)
		p.stdout.discard()
		_ = p.stdin.Close()
		terminate(p.cmd)
		go func() {
			timer := time.NewTimer(p.grace)
			defer timer.Stop()
			select {
			case <-p.done:
			case <-timer.C:
				kill(p.cmd)
			}
		}()
	})
}

// Stdin implements Proc.
func (p *localProc) Stdin() io.WriteCloser { return p.stdin }

// Stdout implements Proc.
func (p *localProc) Stdout() io.Reader { return p.stdout }

// Stderr implements Proc.
func (p *localProc) Stderr() io.Reader { return p.stderr }

// Wait implements Proc.
func (p *localProc) Wait() error {
	<-p.done
	return p.err
}

// Close implements Proc.
func (p *localProc) Close() error {
	select {
	case <-p.done:
	default:
		p.end(net.ErrClosed)
	}
	return nil
}
