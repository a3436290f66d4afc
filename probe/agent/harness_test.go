//go:build linux && cgo

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/agent/agenttest"
	"rentgen/probe/wire"
)

// within is how long a test waits for something that should come; a busy
// machine may be slow, and nothing is judged by it.
const wait = 30 * time.Second

// host is a running program under test.
type host struct {
	t       *testing.T
	cmd     *exec.Cmd
	in      io.WriteCloser
	ctl     *wire.ControlWriter
	hello   wire.Hello
	frames  chan wire.Frame
	readErr error
	stderr  *lockedBuffer
	counts  string
	exited  chan struct{}
	code    int

	events []*probe.Event   // passed over while something else was waited for
	last   *probe.Inventory // the newest
}

// lockedBuffer keeps what a program prints. It embeds nothing, so that no copy
// goes past its lock.
type lockedBuffer struct {
	mu sync.Mutex
	b  []byte
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.b = append(b.b, p...)
	return len(p), nil
}

func (b *lockedBuffer) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.b)
}

// setup says what to start.
type setup struct {
	scenario string
	lib      string   // folder of the library; "" for the complete fake
	args     []string // beside stdio --marker
	env      []string
	noLib    bool
}

const testMarker = "RENTGEN-TEST-4b1d"

// launch starts the program and reads its hello; it ends with the test.
func launch(t *testing.T, s setup) *host {
	t.Helper()
	h := &host{t: t, stderr: &lockedBuffer{}, frames: make(chan wire.Frame, 4096), exited: make(chan struct{})}
	h.counts = filepath.Join(t.TempDir(), "counts")
	h.cmd = exec.Command(agenttest.Agent(t), append([]string{"stdio", "--marker", testMarker}, s.args...)...)
	h.cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH=/nonexistent")
	if !s.noLib {
		if s.lib == "" {
			s.lib = agenttest.Library(t)
		}
		h.cmd.Env = append(h.cmd.Env, agenttest.Environ(s.lib, agenttest.Scenario(t, s.scenario), h.counts)...)
	}
	h.cmd.Env = append(h.cmd.Env, s.env...)
	h.cmd.Stderr = h.stderr
	var err error
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h.ctl = wire.NewControlWriter(h.in)
	ready := make(chan error, 1)
	go func() {
		defer close(h.exited)
		defer h.reap()
		r := bufio.NewReader(out)
		hello, before, err := wire.ScanHello(r, testMarker, 64<<10)
		if err == nil && len(before) > 0 {
			err = fmt.Errorf("%q before the hello", before)
		}
		h.hello = hello
		ready <- err
		if err != nil {
			return
		}
		h.read(wire.NewDecoder(r))
	}()
	t.Cleanup(h.end)
	select {
	case err := <-ready:
		if err != nil {
			t.Fatalf("hello: %v\n%s", err, h.stderr.text())
		}
	case <-time.After(wait):
		t.Fatal("no hello")
	}
	return h
}

func (h *host) read(d *wire.Decoder) {
	defer close(h.frames)
	for {
		f, err := d.Read()
		if err != nil {
			h.readErr = err
			return
		}
		select {
		case h.frames <- f:
		default: // a test that stopped looking must not stop the reader
		}
	}
}

func (h *host) reap() {
	err := h.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		h.code = exit.ExitCode()
	}
}

func (h *host) end() {
	h.in.Close()
	select {
	case <-h.exited:
	case <-time.After(wait):
		h.cmd.Process.Kill()
		<-h.exited
		h.t.Error("the program did not end with its input")
	}
}

func (h *host) control(c wire.Control) {
	h.t.Helper()
	if err := h.ctl.Write(c); err != nil {
		h.t.Fatal(err)
	}
}

// until reads frames until one satisfies ok.
func (h *host) until(what string, ok func(wire.Frame) bool) wire.Frame {
	h.t.Helper()
	deadline := time.After(wait)
	for {
		select {
		case f, open := <-h.frames:
			if !open {
				h.t.Fatalf("%s did not come before the end: %v\n%s", what, h.readErr, h.stderr.text())
			}
			if f.Inventory != nil {
				h.last = f.Inventory
			}
			if ok(f) {
				return f
			}
			if f.Event != nil {
				h.events = append(h.events, f.Event)
			}
		case <-deadline:
			h.t.Fatalf("%s did not come within %v\n%s", what, wait, h.stderr.text())
		}
	}
}

func (h *host) inventory() *probe.Inventory {
	h.t.Helper()
	return h.until("an inventory", func(f wire.Frame) bool { return f.Inventory != nil }).Inventory
}

// inventoryWhere returns the newest inventory or a later one that satisfies ok.
func (h *host) inventoryWhere(what string, ok func(*probe.Inventory) bool) *probe.Inventory {
	h.t.Helper()
	if h.last != nil && ok(h.last) {
		return h.last
	}
	return h.until(what, func(f wire.Frame) bool { return f.Inventory != nil && ok(f.Inventory) }).Inventory
}

func (h *host) sample(what string, ok func(*probe.Sample) bool) *probe.Sample {
	h.t.Helper()
	return h.until(what, func(f wire.Frame) bool { return f.Sample != nil && ok(f.Sample) }).Sample
}

func (h *host) first() *probe.Sample {
	h.t.Helper()
	return h.sample("a tick", func(*probe.Sample) bool { return true })
}

func (h *host) event(kind string) *probe.Event {
	h.t.Helper()
	for i, ev := range h.events {
		if ev.Kind == kind {
			h.events = append(h.events[:i:i], h.events[i+1:]...)
			return ev
		}
	}
	return h.until("event "+kind, func(f wire.Frame) bool { return f.Event != nil && f.Event.Kind == kind }).Event
}

// wantNum and wantState judge one value.
func wantNum(t *testing.T, g *probe.GPU, m probe.Metric, want float64) {
	t.Helper()
	if n, ok := g.Get(m).Ok(); !ok || n != want {
		t.Errorf("card %d %v is %+v, want %v", g.Index, m, g.Get(m), want)
	}
}

func wantState(t *testing.T, g *probe.GPU, m probe.Metric, s probe.State, raw string) {
	t.Helper()
	if v := g.Get(m); v.State != s || !strings.Contains(v.Raw, raw) {
		t.Errorf("card %d %v is %+v, want %v with %q", g.Index, m, v, s, raw)
	}
}
