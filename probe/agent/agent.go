//go:build linux && cgo

package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"rentgen/probe"
	"rentgen/probe/nvml"
	"rentgen/probe/procfs"
	"rentgen/probe/wire"
)

// rates are the ticks a second that may be asked for.
var rates = []float64{1, 2, 5, 10}

// helloWait is how long the hello waits for the driver's version: without
// persistence mode the driver takes seconds to start.
const helloWait = 25 * time.Millisecond

// machine is what the agent asks of the host beside the cards.
type machine interface {
	Sample() *probe.System
	Machine() probe.Machine
	Run() probe.Run
}

// outlet takes what the agent says. It never waits.
type outlet interface{ send(f wire.Frame) }

type agent struct {
	o     options
	in    io.Reader
	out   outlet
	box   *outbox // is out where there is a link
	start time.Time
	host  machine

	controls chan wire.Control
	done     chan struct{}
	once     sync.Once

	lib    *nvml.Library
	noLib  string
	inited chan error

	info chan probe.Machine // what it is, read beside the rest at the start

	mode    probe.Mode // while there is no started library
	code    int        // the exit code
	failing string     // kind of the failed start that was told

	// onSecond makes the ticks come at whole seconds of the monotonic clock,
	// so that no second of it is without one.
	onSecond bool
}

func newAgent(o options, in io.Reader, out io.Writer) *agent {
	a := idleAgent(o)
	a.in = in
	a.box = newOutbox(out, o.json, func(err error) { a.stop(err) })
	a.out = a.box
	return a
}

// idleAgent is an agent without a way out.
func idleAgent(o options) *agent {
	return &agent{
		o: o, start: time.Now(), host: procfs.New(procfs.Params{}),
		controls: make(chan wire.Control, 8), done: make(chan struct{}), inited: make(chan error, 1),
		info: make(chan probe.Machine, 1),
	}
}

// stop ends the program; the error, if any, has nobody left to be told to.
func (a *agent) stop(error) { a.once.Do(func() { close(a.done) }) }

func (a *agent) run() int {
	a.open()
	if err := a.hello(); err != nil {
		return exitOK // the link is gone already
	}
	go a.box.run()
	go a.readControls()
	go a.beat()
	go a.sample()
	go a.tend()
	<-a.done // also where a driver call never returns
	return a.code
}

// open loads the library and starts it beside the rest.
func (a *agent) open() {
	go func() { a.info <- a.host.Machine() }()
	lib, err := nvml.Open(nvml.Params{})
	if err != nil {
		a.noLib, a.code, a.mode = err.Error(), exitNoLibrary, modeWithout()
		return
	}
	a.lib = lib
	go a.forward(lib.Events())
	go func() { a.inited <- lib.Init() }()
}

// modeWithout tells a container that was started without a card, on a machine
// with a driver, from a machine without one.
func modeWithout() probe.Mode {
	if _, err := os.Stat(filepath.Join("/proc", "driver/nvidia/version")); err == nil {
		return probe.ModeNoGPU
	}
	return probe.ModeNoDriver
}

func (a *agent) hello() error {
	run := procfs.New(procfs.Params{}).Run() // a reader of its own: the other one is busy with Machine
	h := wire.Hello{
		Proto: wire.Proto, Version: version, SHA: ownHash(), BootID: run.BootID, Init: run.Init,
		PID: os.Getpid(), Rates: rates, NoLibrary: a.noLib, Resident: recorderHere(),
	}
	if a.lib != nil {
		t := time.NewTimer(helloWait)
		defer t.Stop()
		select {
		case err := <-a.inited:
			a.inited <- err // sample looks at it
			h.Driver = a.lib.Driver()
		case <-t.C:
		}
	}
	return a.box.hello(a.o.marker, h)
}

// ownHash is the content address under which the laptop installed us; "" where
// the program's file can't be read.
func ownHash() string {
	f, err := os.Open("/proc/self/exe")
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.CopyBuffer(h, struct{ io.Reader }{f}, make([]byte, 32<<10)); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (a *agent) forward(events <-chan probe.Event) {
	for {
		select {
		case ev := <-events:
			a.out.send(wire.Frame{Event: &ev})
		case <-a.done:
			return
		}
	}
}

// readControls ends the program with its input: no connection, no program.
func (a *agent) readControls() {
	defer a.stop(nil)
	r := wire.NewControlReader(bufio.NewReaderSize(a.in, 512))
	for {
		c, err := r.Read()
		if err != nil {
			return
		}
		if c.Ping != 0 {
			a.out.send(wire.Frame{Pong: &wire.Pong{Ping: c.Ping, Wall: time.Now(), Mono: monotonic()}})
		}
		select {
		case a.controls <- c:
		case <-a.done:
			return
		}
	}
}

// beat proves once a second that the program lives, also while a driver call
// hangs.
func (a *agent) beat() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		a.out.send(wire.Frame{Heartbeat: &wire.Heartbeat{Mono: monotonic(), Dropped: a.box.dropped.Load(), CPU: cpuTime()}})
		select {
		case <-t.C:
		case <-a.done:
			return
		}
	}
}

// cpuTime is what the program has used since its start.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// event tells of something that concerns the whole host.
func (a *agent) event(ev probe.Event) {
	ev.Time = time.Now()
	a.out.send(wire.Frame{Event: &ev})
}

// startFailed turns a failed start of the library into a mode and, once, an
// event.
func (a *agent) startFailed(err error) {
	a.mode = probe.ModeFault
	var ie *nvml.InitError
	if !errors.As(err, &ie) {
		return
	}
	a.mode = ie.Mode
	if ie.Kind != "" && ie.Kind != a.failing {
		a.event(probe.Event{Kind: ie.Kind, Code: ie.Code, Text: "NVML could not be started.", Raw: ie.Raw})
	}
	a.failing = ie.Kind
}
