package stream

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"rentgen/probe/remote"
)

const (
	runTime  = 60 * time.Second
	runLimit = 1 << 20
	// runNoise is how much of login scripts' output may come before ours.
	runNoise = 256 << 10
)

// Run runs a script through the host's connection, in a POSIX shell with
// LC_ALL=C and the login's environment. What login scripts print is kept out
// of the result. The error is an Error: KindOffline without a connection,
// KindNoCommand, KindTimeout (Result holds what came), KindLink. A script's own
// failure is no error: see Result.Exit.
func (h *Host) Run(ctx context.Context, c Command) (Result, error) {
	conn, err := h.connection()
	if err != nil {
		return Result{}, err
	}
	return h.runOn(ctx, conn, c)
}

// connection returns the connection, or why there is none.
func (h *Host) connection() (remote.Conn, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.conn == nil {
		return nil, &Error{Kind: KindOffline, Err: h.st.Err}
	}
	return h.conn, nil
}

//go:embed run.sh
var runScript string

// runText wraps a script so that its output stands between markers on both
// outputs and its exit code behind the last one, and so that it ends with the
// channel.
func runText(marker string, c Command) string {
	words := []string{quote(c.Script), "rentgen"}
	for _, a := range c.Args {
		words = append(words, quote(a))
	}
	feed := "no"
	if c.In != nil {
		feed = "yes"
	}
	return strings.NewReplacer("@MARKER@", marker, "@SIZE@", strconv.Itoa(len(c.Stdin)), "@FEED@", feed,
		"@WORDS@", strings.Join(words, " ")).Replace(runScript)
}

func (h *Host) runOn(ctx context.Context, conn remote.Conn, c Command) (Result, error) {
	if c.Timeout <= 0 {
		c.Timeout = runTime
	}
	if c.Limit <= 0 {
		c.Limit = runLimit
	}
	began := h.clock.Mono()
	proc, err := conn.Start(ctx, shell)
	if err != nil {
		return Result{}, fmt.Errorf("start the script: %w", err)
	}
	marker := random128()
	g := newGuard(ctx, h.clock, proc)
	defer g.stop()
	g.set(c.Timeout)
	out, errs := newSlice(marker, c.Limit), newSlice(marker, c.Limit)
	out.live, errs.live = c.Out, c.Err
	errDone := make(chan struct{})
	go func() {
		defer close(errDone)
		_, _ = io.Copy(errs, proc.Stderr())
	}()
	wrote := make(chan struct{})
	go func() {
		defer close(wrote)
		if _, err := io.WriteString(proc.Stdin(), runText(marker, c)); err != nil {
			return
		}
		// The shell reads ahead: input follows only once the script runs.
		select {
		case <-out.begun:
		case <-errDone:
			return
		}
		if len(c.Stdin) > 0 {
			_, _ = proc.Stdin().Write(c.Stdin) // a script need not read it all
		}
		feed(proc.Stdin(), marker, c.In, out.ended, errDone)
		// What the script left running may go on: this is no end by force.
		select {
		case <-out.ended:
			_, _ = io.WriteString(proc.Stdin(), "\n"+marker+"\n")
		case <-errDone:
		}
		_ = proc.Stdin().Close()
	}()
	_, _ = io.Copy(out, proc.Stdout())
	<-errDone
	out.flush()
	errs.flush()
	h.settle(wrote, proc)
	_ = proc.Close()
	res := Result{
		Stdout: out.body(), Stderr: errs.body(), Exit: -1,
		Duration: h.clock.Mono() - began, Truncated: out.cut || errs.cut,
	}
	if code, ok := out.end(); ok {
		res.Exit = code
		return res, nil
	}
	cause := g.cause()
	switch {
	case errors.Is(cause, errTimedOut):
		res.TimedOut = true
		return res, &Error{Kind: KindTimeout, Said: said(out, errs), Err: fmt.Errorf("not done within %v", c.Timeout)}
	case cause != nil:
		return res, cause
	}
	if lost := h.linkLost(conn); lost != nil {
		return res, lost
	}
	if !out.started() {
		return res, &Error{Kind: KindNoCommand, Said: said(out, errs)}
	}
	return res, &Error{Kind: KindBootstrap, Said: said(out, errs), Err: errors.New("the shell ended before the script")}
}

// feed passes lines on until there are no more or nobody reads them.
func feed(to io.Writer, marker string, in <-chan string, ended, gone <-chan struct{}) {
	for in != nil {
		select {
		case <-ended:
			return
		case <-gone:
			return
		case line, ok := <-in:
			if !ok {
				line = marker + " eof"
				in = nil
			}
			if _, err := io.WriteString(to, line+"\n"); err != nil {
				return
			}
		}
	}
}

func said(parts ...*slice) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(clip(string(p.buf), saidLimit))
		b.WriteByte('\n')
	}
	return clip(remote.Clean(b.String()), saidLimit)
}

// slice collects what stands between the markers of one output.
type slice struct {
	begin, stop []byte
	limit       int
	buf         []byte // from before the begin marker on, bounded
	at          int    // where the script's output starts in buf; -1 before
	cut         bool
	last        []byte // the end of what came, where the end marker is sought
	begun       chan struct{}
	ended       chan struct{} // the end marker came
	done        bool
	live        func([]byte) // gets the body as it comes, may be nil
	held        []byte       // of the body, may begin the end marker
	over        bool         // the end marker came, live gets no more
}

func newSlice(marker string, limit int) *slice {
	return &slice{
		begin: []byte("\n" + marker + " begin\n"), stop: []byte("\n" + marker + " end"),
		limit: limit, at: -1, begun: make(chan struct{}), ended: make(chan struct{}),
	}
}

const endRoom = 64 // longer than the end line

// Write implements io.Writer; it never fails and never keeps more than the
// limit.
func (s *slice) Write(p []byte) (int, error) {
	n := len(p)
	s.last = append(s.last, p...)
	if over := len(s.last) - 2*endRoom; over > 0 {
		s.last = append(s.last[:0], s.last[over:]...)
	}
	s.buf = append(s.buf, p...)
	if s.at < 0 {
		if i := bytes.Index(s.buf, s.begin); i >= 0 {
			s.buf, s.at = append([]byte(nil), s.buf[i+len(s.begin):]...), 0
			s.pass(s.buf)
			close(s.begun)
		} else if over := len(s.buf) - runNoise; over > 0 {
			s.buf = append(s.buf[:0], s.buf[over:]...)
		}
	} else {
		s.pass(p)
	}
	if s.at >= 0 && len(s.buf) > s.limit+2*endRoom {
		s.buf, s.cut = s.buf[:s.limit+2*endRoom], true
	}
	if _, ok := s.end(); ok && !s.done && s.last[len(s.last)-1] == '\n' {
		s.done = true
		close(s.ended)
	}
	return n, nil
}

// pass gives on what belongs to the body for sure: what may be the beginning of
// the end marker is held back.
func (s *slice) pass(p []byte) {
	if s.live == nil || s.over {
		return
	}
	s.held = append(s.held, p...)
	n := len(s.held)
	if i := bytes.Index(s.held, s.stop); i >= 0 {
		n, s.over = i, true
	} else {
		for k := min(n, len(s.stop)-1); k > 0; k-- {
			if bytes.HasSuffix(s.held, s.stop[:k]) {
				n -= k
				break
			}
		}
	}
	if n > 0 {
		s.live(bytes.Clone(s.held[:n]))
	}
	s.held = append(s.held[:0], s.held[n:]...)
}

// flush gives on what was held back when no more comes.
func (s *slice) flush() {
	if s.live != nil && !s.over && len(s.held) > 0 {
		s.live(s.held)
	}
	s.over = true
}

func (s *slice) started() bool { return s.at >= 0 }

// body returns the script's output, at most the limit.
func (s *slice) body() []byte {
	if s.at < 0 {
		return nil
	}
	b := s.buf
	if i := bytes.LastIndex(b, s.stop); i >= 0 && !s.cut {
		b = b[:i]
	}
	if len(b) > s.limit {
		b, s.cut = b[:s.limit], true
	}
	return b
}

// end returns the exit code from the end marker.
func (s *slice) end() (code int, ok bool) {
	i := bytes.LastIndex(s.last, s.stop)
	if i < 0 || s.at < 0 {
		return -1, false
	}
	code, err := strconv.Atoi(strings.TrimSpace(string(s.last[i+len(s.stop):])))
	return code, err == nil
}
