package demo

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"

	"rentgen/probe/remote"
)

// conn is a connection to a host in memory.
type conn struct {
	p     Params
	world *world
	done  chan struct{}
	mu    sync.Mutex
	err   error
	procs map[*proc]struct{}
}

func newConn(p Params, w *world) *conn {
	return &conn{p: p, world: w, done: make(chan struct{}), procs: make(map[*proc]struct{})}
}

// Start implements remote.Conn: a shell that understands our scripts only.
func (c *conn) Start(ctx context.Context, command string) (remote.Proc, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return nil, c.err
	}
	p := newProc()
	c.procs[p] = struct{}{}
	stop := context.AfterFunc(ctx, func() { _ = p.Close() })
	go func() {
		defer stop()
		err := c.shell(p, command)
		p.finish(err)
		c.mu.Lock()
		delete(c.procs, p)
		c.mu.Unlock()
	}()
	return p, nil
}

// Dial implements remote.Conn.
func (c *conn) Dial(_ context.Context, _, addr string) (net.Conn, error) { return dial(addr) }

// Done implements remote.Conn.
func (c *conn) Done() <-chan struct{} { return c.done }

// Err implements remote.Conn.
func (c *conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close implements remote.Conn.
func (c *conn) Close() error {
	c.end(fmt.Errorf("demo connection: %w", net.ErrClosed))
	return nil
}

func (c *conn) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = err
	for p := range c.procs {
		_ = p.Close()
	}
	close(c.done)
}

// maxScript is how much of a script is looked at.
const maxScript = 1 << 20

// shell answers a script that was sent to "/bin/sh -s".
func (c *conn) shell(p *proc, command string) error {
	if c.p.Fault == FaultNoCommand {
		return noCommand(p)
	}
	in := bufio.NewReader(p.stdinR)
	if !strings.HasSuffix(command, "/bin/sh -s") {
		return &remote.ExitError{Code: 127}
	}
	marker, boot, before := "", false, ""
	var text strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil
		}
		if text.Len() < maxScript {
			text.WriteString(line)
		}
		if m, ok := strings.CutPrefix(line, "m="); ok && marker == "" {
			marker, boot = strings.TrimSpace(m), true
		}
		if _, rest, ok := strings.Cut(line, `printf '\n`); ok && marker == "" {
			marker, _, _ = strings.Cut(rest, " ")
		}
		if line == "}\n" && before == "exit 0\n" { // how our scripts end
			break
		}
		before = line
	}
	if !boot {
		c.script(p, in, readScript(marker, text.String()))
		return nil
	}
	return c.boot(p, in, marker)
}

// proc is a command of the host in memory.
type proc struct {
	stdinR  *io.PipeReader
	stdinW  *io.PipeWriter
	stdout  *io.PipeReader
	stdoutW *io.PipeWriter
	stderr  *io.PipeReader
	stderrW *io.PipeWriter
	ended   chan struct{} // Close was called
	done    chan struct{}
	once    sync.Once
	err     error
}

func newProc() *proc {
	p := &proc{ended: make(chan struct{}), done: make(chan struct{})}
	p.stdinR, p.stdinW = io.Pipe()
	p.stdout, p.stdoutW = io.Pipe()
	p.stderr, p.stderrW = io.Pipe()
	return p
}

func (p *proc) finish(err error) {
	p.err = err
	_ = p.stdoutW.Close()
	_ = p.stderrW.Close()
	_ = p.stdinR.Close()
	close(p.done)
}

// Stdin implements remote.Proc.
func (p *proc) Stdin() io.WriteCloser { return p.stdinW }

// Stdout implements remote.Proc.
func (p *proc) Stdout() io.Reader { return p.stdout }

// Stderr implements remote.Proc.
func (p *proc) Stderr() io.Reader { return p.stderr }

// Wait implements remote.Proc.
func (p *proc) Wait() error {
	<-p.done
	return p.err
}

// Close implements remote.Proc.
func (p *proc) Close() error {
	p.once.Do(func() {
		close(p.ended)
		_ = p.stdinW.Close()
		_ = p.stdout.CloseWithError(io.EOF)
		_ = p.stderr.CloseWithError(io.EOF)
	})
	return nil
}
