//go:build linux && cgo

package main

import (
	"bufio"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"rentgen/probe"
	"rentgen/probe/procfs"
	"rentgen/probe/resident"
	"rentgen/probe/wire"
)

// Watcher sees every second that the recorder reads, from one goroutine, and
// says in at most some hundred bytes how it stands; nil for nothing.
type Watcher interface {
	Second(s *probe.Sample)
	State() json.RawMessage
}

// newWatcher returns who watches the seconds of a recorder in dir.
func newWatcher(dir string) Watcher { return newGuard(dir) }

// recorder is the program that stays behind.
type recorder struct {
	dir    string
	sha    string
	plan   resident.Plan
	ring   *resident.Writer
	tidy   resident.Tidy
	watch  Watcher
	a      *agent
	frames chan wire.Frame
	state  resident.State
	paused bool
	last   time.Duration // mono of the last reading
	end    ending
}

// ending says why the recorder ends.
type ending int

const (
	goOn    ending = iota
	endNow         // stopped, another version wanted, or the host goes down
	endGone        // its time is over: everything is deleted
)

// send implements outlet. What the driver's threads say while the disk hangs is
// bounded; ticks come once a second.
func (r *recorder) send(f wire.Frame) {
	if f.Inventory == nil && f.Sample == nil && f.Event == nil {
		return
	}
	select {
	case r.frames <- f:
	default: // the disk has hung for minutes: the hole is told by its neighbours
	}
}

// orderRun is the recorder itself.
func orderRun(o options) error {
	lock, err := resident.Lock(o.dir)
	if err != nil {
		return err
	}
	if lock == nil {
		return nil // another one runs
	}
	defer func() { _ = lock.Unlock() }()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	r := &recorder{dir: o.dir, sha: ownHash(), frames: make(chan wire.Frame, 1024), watch: newWatcher(o.dir)}
	if err := r.open(); err != nil {
		return err
	}
	r.a = idleAgent(options{retry: 30 * time.Second})
	r.a.out, r.a.onSecond = r, true
	r.a.open()
	go r.a.sample()
	r.loop(signals)
	r.a.stop(nil)
	if err := r.ring.Close(); err != nil {
		fmt.Fprintf(os.Stderr, "rentgen-agent: %v\n", err)
	}
	if r.end == endGone {
		_ = lock.Unlock()
		return leave(o.dir)
	}
	return nil
}

// open begins a run of the ring.
func (r *recorder) open() error {
	paused := false
	plan, err := resident.Edit(r.dir, func(p *resident.Plan) { paused, p.Paused = p.Paused, false })
	if err != nil {
		return err
	}
	r.plan = plan
	now := time.Now()
	run := procfs.New(procfs.Params{}).Run()
	r.state = resident.State{PID: os.Getpid(), Version: version, SHA: r.sha, BootID: run.BootID, Started: now.UnixNano()}
	_ = r.state.Save(r.dir) // on a full disk it says less
	start := wire.Start{
		Ring: plan.Ring, BootID: run.BootID, Wall: now.UnixNano(), Mono: monotonic(), Version: version, Stopped: paused,
	}
	if !run.Init.IsZero() {
		start.Init = run.Init.UnixNano()
	}
	r.ring, err = resident.OpenRing(resident.Params{Dir: r.dir, MaxBytes: plan.MaxBytes, Start: start})
	return err
}

// loop keeps what is read until the recorder ends.
func (r *recorder) loop(signals <-chan os.Signal) {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for r.end == goOn {
		select {
		case <-signals:
			r.end = endNow
		case f := <-r.frames:
			r.keep(f)
		case <-look.C:
			r.look()
		}
	}
}

// keep writes one frame down.
func (r *recorder) keep(f wire.Frame) {
	now := monotonic()
	if f.Sample != nil {
		if r.paused {
			return
		}
		r.watch.Second(f.Sample)
		f.Sample = r.tidy.Sample(f.Sample)
		if f.Sample.HostTime.IsZero() {
			f.Sample.HostTime = f.Sample.Time
		}
		r.last = f.Sample.Mono
	}
	r.ring.Write(f, now)
}

// look obeys what was asked for meanwhile and says how it stands.
func (r *recorder) look() {
	plan, err := resident.LoadPlan(r.dir)
	now := time.Now()
	switch {
	case err != nil:
		r.end = endNow // the folder is gone
		return
	case plan.Stopped, plan.Wanted != "" && r.sha != "" && plan.Wanted != r.sha:
		r.end = endNow
		return
	case plan.Expired(now):
		r.end = endGone
		return
	}
	r.plan = plan
	if over := plan.Over(now); over != r.paused {
		r.pause(over)
	}
	before := r.state
	r.state.Idle, r.state.DiskFull, r.state.Trouble = r.paused, errors.Is(r.ring.Trouble(), syscall.ENOSPC), ""
	if err := r.ring.Trouble(); err != nil {
		r.state.Trouble = fmt.Sprintf("%.200s", err.Error())
	}
	r.state.Guard = r.watch.State()
	if !sameState(before, r.state) {
		_ = r.state.Save(r.dir)
	}
}

func sameState(a, b resident.State) bool {
	return a.Idle == b.Idle && a.DiskFull == b.DiskFull && a.Trouble == b.Trouble && string(a.Guard) == string(b.Guard)
}

// pause stops reading when the life is over, and goes on when a connection
// gave it another one.
func (r *recorder) pause(on bool) {
	r.paused = on
	select {
	case r.a.controls <- wire.Control{Paused: on}:
	default:
	}
	if !on && r.last > 0 {
		now := monotonic()
		r.ring.Write(wire.Frame{Hole: &wire.Hole{From: r.last, To: now, Reason: string(probe.GapPaused)}}, now)
	}
}

// ours is the name of our program where it was put by the laptop.
var ours = regexp.MustCompile(`^agent-[0-9a-f]{12}$`)

// leave deletes what was kept and this program: nobody has come for both.
func leave(dir string) error {
	if err := resident.Erase(dir); err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil || !ours.MatchString(filepath.Base(exe)) || filepath.Dir(exe) != filepath.Dir(dir) {
		return nil //nolint:nilerr // it was put there by somebody else
	}
	if err := os.Remove(exe); err != nil {
		return fmt.Errorf("remove the program: %w", err)
	}
	_ = os.Remove(filepath.Dir(exe)) // where nothing else lies there
	return nil
}

// flushEvery is after how many frames of a fetch what is packed is sent.
const flushEvery = 256

// orderFetch writes what the ring holds behind a position: a hello line, then
// frames, packed, the last one of them Done.
func orderFetch(o options) error {
	plan, err := resident.LoadPlan(o.dir)
	if err != nil {
		return err
	}
	from, err := resident.ParsePosition(o.from)
	if err != nil {
		return err
	}
	run := procfs.New(procfs.Params{}).Run()
	h := wire.Hello{Proto: wire.Proto, Version: version, BootID: run.BootID, Init: run.Init, PID: os.Getpid(), Resident: true}
	if err := wire.WriteHello(os.Stdout, o.marker, h); err != nil {
		return err
	}
	out := bufio.NewWriterSize(os.Stdout, 32<<10)
	z, err := flate.NewWriter(out, flate.BestSpeed)
	if err != nil {
		return err
	}
	enc := wire.NewEncoder(z)
	n := 0
	err = resident.Read(o.dir, plan.Ring, from, func(f wire.Frame) error {
		if n++; n%flushEvery == 0 {
			if err := errors.Join(z.Flush(), out.Flush()); err != nil {
				return err
			}
		}
		return enc.Write(f)
	})
	if err != nil {
		return err
	}
	return errors.Join(enc.Write(wire.Frame{Done: true}), z.Close(), out.Flush())
}
