package smi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"rentgen/probe/procfs"
	"rentgen/probe/remote"
)

// Runner starts something where nvidia-smi is. A remote.Conn is one.
type Runner interface {
	Start(ctx context.Context, command string) (remote.Proc, error)
}

// answer is what one part of a script printed.
type answer struct {
	out  []byte
	exit int // -1 where it did not end
}

// asked is what a script printed.
type asked struct {
	parts []answer
	extra string // what came beside: stderr and words before the first mark
}

// errTimeout says that the host did not finish in time; the answers so far
// are there.
var errTimeout = errors.New("no answer in time")

// ask runs the parts on the host, one after the other, and returns what came
// back, as far as it came.
func (l *Look) ask(ctx context.Context, parts ...part) (asked, error) {
	if l.direct {
		return l.askDirect(ctx, parts)
	}
	got := newAsked(len(parts))
	mark, err := l.mark()
	if err != nil {
		return got, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, l.p.Timeout, errTimeout)
	defer cancel()
	p, err := l.p.Run.Start(ctx, command)
	if err != nil {
		return got, fmt.Errorf("start a shell for nvidia-smi: %w", err)
	}
	defer p.Close()
	fed := feed(p, once(l.where, mark, parts))
	said, err := collect(ctx, p)
	got.extra = split(said.out, mark, got.parts) + said.side
	switch {
	case got.parts[len(parts)-1].exit >= 0:
		return got, nil
	case err != nil:
		return got, err
	case fed != nil || !bytes.Contains(said.out, []byte(mark)):
		return got, fmt.Errorf("%w: %s", errNoShell, procfs.Clean(got.extra, maxText))
	}
	return got, nil
}

// errNoShell says that what was started did not run our script.
var errNoShell = errors.New("the host runs no POSIX shell for this login")

func newAsked(n int) asked {
	got := asked{parts: make([]answer, n)}
	for i := range got.parts {
		got.parts[i].exit = -1
	}
	return got
}

// askDirect asks a host without a POSIX shell, one command at a time. Scripts
// stay unanswered.
func (l *Look) askDirect(ctx context.Context, parts []part) (asked, error) {
	got := newAsked(len(parts))
	ctx, cancel := context.WithTimeoutCause(ctx, l.p.Timeout, errTimeout)
	defer cancel()
	for i, q := range parts {
		line := q.direct(l.p.Path)
		if line == "" {
			continue
		}
		p, err := l.p.Run.Start(ctx, line)
		if err != nil {
			return got, fmt.Errorf("start nvidia-smi: %w", err)
		}
		said, err := collect(ctx, p)
		_ = p.Close()
		got.parts[i] = answer{out: said.out, exit: said.exit}
		if len(bytes.TrimSpace(said.out)) == 0 {
			got.parts[i].out = []byte(said.side)
		}
		if err != nil {
			return got, err
		}
	}
	return got, nil
}

// spoken is what a command printed and how it ended; exit is -1 where that is
// not known.
type spoken struct {
	out  []byte
	side string // the beginning of stderr
	exit int
}

// collect waits for a command. After its time it is ended, and what it printed
// so far comes with errTimeout.
func collect(ctx context.Context, p remote.Proc) (spoken, error) {
	s := spoken{exit: -1}
	side := make(chan string, 1)
	go func() { side <- drain(p.Stderr()) }()
	out := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(io.LimitReader(p.Stdout(), maxOutput))
		out <- b
		_, _ = io.Copy(io.Discard, p.Stdout())
	}()
	select {
	case s.out = <-out:
	case <-ctx.Done():
		_ = p.Close()
		s.out = <-out
		if cause := context.Cause(ctx); errors.Is(cause, errTimeout) {
			return s, fmt.Errorf("ask nvidia-smi: %w", errTimeout)
		}
		return s, ctx.Err()
	}
	err := p.Wait()
	select {
	case s.side = <-side:
	case <-ctx.Done(): // a child left behind holds it open
	}
	var exit *remote.ExitError
	switch {
	case err == nil:
		s.exit = 0
	case errors.As(err, &exit):
		s.exit = exit.Code
	default:
		return s, fmt.Errorf("ask nvidia-smi: %w", err)
	}
	return s, nil
}

// feed writes the script and leaves the input open: it is the life line.
func feed(p remote.Proc, script string) error {
	if script == "" {
		return nil
	}
	if _, err := io.WriteString(p.Stdin(), script); err != nil {
		return fmt.Errorf("send the script for nvidia-smi: %w", err)
	}
	return nil
}

// drain reads to the end and keeps the beginning.
func drain(r io.Reader) string {
	b, _ := io.ReadAll(io.LimitReader(r, maxRaw*64))
	_, _ = io.Copy(io.Discard, r)
	return string(b)
}

// split puts the text between the marks where it belongs and returns what
// stood before the first one.
func split(b []byte, mark string, parts []answer) (before string) {
	i, begun := -1, false
	var head bytes.Buffer
	for len(b) > 0 {
		var l []byte
		if j := bytes.IndexByte(b, '\n'); j >= 0 {
			l, b = b[:j], b[j+1:]
		} else {
			l, b = b, nil
		}
		rest, marked := bytes.CutPrefix(bytes.TrimRight(l, "\r"), []byte(mark+" "))
		n, err := strconv.Atoi(string(rest))
		switch {
		case marked && err == nil && !begun && n == i+1 && n < len(parts):
			i, begun = n, true
		case marked && err == nil && begun:
			parts[i].exit, begun = n, false
			parts[i].out = bytes.TrimSuffix(parts[i].out, []byte("\n"))
		case begun:
			parts[i].out = append(append(parts[i].out, l...), '\n')
		case head.Len() < maxText:
			head.Write(l[:min(len(l), maxText)])
			head.WriteByte('\n')
		}
	}
	return head.String()
}

// mark returns a fresh random mark.
func (l *Look) mark() (string, error) {
	m := l.p.Marker()
	if !markOK(m) {
		return "", fmt.Errorf("smi: mark %q is not 8 to 64 letters and digits", m)
	}
	return m, nil
}

// own returns the processes that can be seen from the login.
func own(a answer) map[int]string { return procfs.PIDsFromText(a.out) }

// failureOf reads an answer that holds no row.
func failureOf(a answer, extra string, err error) *Failure {
	if errors.Is(err, errTimeout) && a.exit < 0 {
		return &Failure{Kind: FailHang, Exit: -1, Raw: telling(a.out)}
	}
	out := a.out
	if len(bytes.TrimSpace(out)) == 0 {
		out = []byte(extra)
	}
	if f := ParseFailure(out, a.exit); f != nil {
		return f
	}
	return &Failure{Kind: FailOther, Exit: a.exit, Raw: telling(out)}
}

func has(a answer, path string) bool { return strings.Contains(string(a.out), path) }
