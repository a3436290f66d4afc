package smi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

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
func (l *Look) ask(ctx context.Context, parts ...string) (asked, error) {
	got := asked{parts: make([]answer, len(parts))}
	for i := range got.parts {
		got.parts[i].exit = -1
	}
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
	if err := feed(p, once(l.where, mark, parts)); err != nil {
		return got, err
	}
	errText := make(chan string, 1)
	go func() { errText <- drain(p.Stderr()) }()
	out := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(io.LimitReader(p.Stdout(), maxOutput))
		out <- b
		_, _ = io.Copy(io.Discard, p.Stdout())
	}()
	var b []byte
	select {
	case b = <-out:
	case <-ctx.Done():
		_ = p.Close()
		b = <-out
	}
	before := split(b, mark, got.parts)
	got.extra = before
	if ctx.Err() != nil {
		if cause := context.Cause(ctx); errors.Is(cause, errTimeout) {
			return got, fmt.Errorf("ask nvidia-smi: %w", errTimeout)
		}
		return got, ctx.Err()
	}
	werr := p.Wait()
	select {
	case s := <-errText:
		got.extra += s
	case <-ctx.Done():
	}
	var exit *remote.ExitError
	if got.parts[len(parts)-1].exit < 0 && werr != nil && !errors.As(werr, &exit) {
		return got, fmt.Errorf("ask nvidia-smi: %w", werr)
	}
	return got, nil
}

// feed writes the script and leaves the input open: it is the life line.
func feed(p remote.Proc, script string) error {
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

func timer(d time.Duration) (<-chan time.Time, func() bool) {
	t := time.NewTimer(d)
	return t.C, t.Stop
}

func has(a answer, path string) bool { return strings.Contains(string(a.out), path) }
