//go:build linux && cgo

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"rentgen/probe/resident"
)

// residentOrders are the orders to the recorder.
var residentOrders = map[string]func(o options) error{
	"start": orderStart, "status": orderStatus, "stop": orderStop, "remove": orderRemove,
	"fetch": orderFetch, "run": orderRun,
}

func runResident(o options) int {
	if err := residentOrders[o.resident](o); err != nil {
		fmt.Fprintf(os.Stderr, "rentgen-agent: %v\n", err)
		return exitError
	}
	return exitOK
}

func (o *options) residentOption(name, value string) error {
	switch name {
	case "--dir":
		if !filepath.IsAbs(value) {
			return fmt.Errorf("--dir is an absolute path, not %q", value)
		}
		o.dir = filepath.Clean(value)
	case "--life":
		d, err := time.ParseDuration(value)
		if err != nil || d < resident.MinLife || d > resident.MaxLife {
			return fmt.Errorf("--life is a time from %v to %v, not %q", resident.MinLife, resident.MaxLife, value)
		}
		o.life = d
	case "--max-bytes":
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < resident.MinBytes || n > resident.MaxBytes {
			return fmt.Errorf("--max-bytes is a number from %d to %d, not %q", resident.MinBytes, resident.MaxBytes, value)
		}
		o.maxBytes = n
	case "--from":
		if _, err := resident.ParsePosition(value); err != nil {
			return fmt.Errorf("--from: %w", err)
		}
		o.from = value
	default:
		return fmt.Errorf("unknown option %s", name)
	}
	return nil
}

// place makes dir the folder beside the program where none was named.
func (o *options) place() error {
	if o.dir != "" {
		return nil
	}
	if o.dir = recorderDir(); o.dir == "" {
		return errors.New("the program lies in memory only, so there is no place for a recorder")
	}
	return nil
}

// recorderDir is the folder of the recorder beside the program, "" where that
// has no place of its own.
func recorderDir() string {
	exe, err := os.Executable()
	if err != nil || !filepath.IsAbs(exe) || strings.HasPrefix(exe, "/memfd:") || strings.HasPrefix(exe, "/proc/") {
		return ""
	}
	return filepath.Join(filepath.Dir(exe), "resident")
}

// recorderHere reports whether a recorder was switched on.
func recorderHere() bool {
	dir := recorderDir()
	if dir == "" {
		return false
	}
	_, err := resident.LoadPlan(dir)
	return err == nil
}

// endWait is how long an order waits for the recorder to end or to begin.
const endWait = 15 * time.Second

// ended waits for the recorder's end.
func ended(dir string) bool { return await(func() bool { return !resident.Running(dir) }) }

// await looks until it is so.
func await(so func() bool) bool {
	for end := time.Now().Add(endWait); ; time.Sleep(20 * time.Millisecond) {
		if so() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

func orderStart(o options) error {
	if _, err := resident.Make(o.dir, o.life, o.maxBytes, time.Now()); err != nil {
		return err
	}
	if err := ensure(o.dir); err != nil {
		return err
	}
	return orderStatus(o)
}

// ensure has the recorder run, from this program.
func ensure(dir string) error {
	sha := ownHash()
	if _, err := resident.Edit(dir, func(p *resident.Plan) { p.Wanted = sha }); err != nil {
		return err
	}
	if resident.Running(dir) {
		if st := resident.LoadState(dir); sha == "" || st.SHA == sha {
			return nil
		}
		if !ended(dir) {
			return errors.New("the recorder of another version does not end")
		}
	}
	before := time.Now()
	if err := spawn(dir); err != nil {
		return err
	}
	// It says who it is once it holds the folder.
	if !await(func() bool { return resident.Running(dir) && resident.LoadState(dir).Started >= before.UnixNano() }) {
		return errors.New("the recorder did not start")
	}
	return nil
}

// spawn starts this program as the recorder: in a session of its own, with
// nothing of ours open, and behind everybody else for the processor.
func spawn(dir string) error {
	if fds, err := os.ReadDir("/proc/self/fd"); err == nil {
		for _, f := range fds {
			if n, err := strconv.Atoi(f.Name()); err == nil && n > 2 {
				syscall.CloseOnExec(n)
			}
		}
	}
	cmd := exec.Command("/proc/self/exe", "resident", "run", "--dir", dir)
	cmd.Args[0] = "rentgen-agent"
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	// A child is as nice as the thread that made it.
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never let go of: the thread ends with its goroutine
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10)
		started <- cmd.Start()
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start the recorder: %w", err)
	}
	return cmd.Process.Release()
}

func orderStatus(o options) error {
	if p, err := resident.LoadPlan(o.dir); err == nil && p.Expired(time.Now()) && !resident.Running(o.dir) {
		// It was ended before it could delete what it kept.
		if err := resident.Erase(o.dir); err != nil {
			return err
		}
	}
	s, err := resident.Look(o.dir)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(s)
}

func orderStop(o options) error {
	_, err := resident.Edit(o.dir, func(p *resident.Plan) { p.Stopped = true })
	if err != nil && !errors.Is(err, resident.ErrNone) && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if !ended(o.dir) {
		return errors.New("the recorder does not end")
	}
	return orderStatus(o)
}

func orderRemove(o options) error {
	if _, err := os.Lstat(o.dir); errors.Is(err, os.ErrNotExist) {
		return orderStatus(o)
	}
	_, err := resident.Edit(o.dir, func(p *resident.Plan) { p.Stopped = true })
	if err != nil && !errors.Is(err, resident.ErrNone) {
		return err
	}
	if !ended(o.dir) {
		return errors.New("the recorder does not end")
	}
	if err := resident.Erase(o.dir); err != nil {
		return err
	}
	return orderStatus(o)
}

// renewEvery is how often a connection gives the recorder its whole life back.
const renewEvery = 10 * time.Minute

// tend lets a connection keep the recorder: it renews its life, and starts it
// again where it was killed, the host was restarted or another version came.
func (a *agent) tend() {
	dir := recorderDir()
	if dir == "" {
		return
	}
	t := time.NewTicker(renewEvery)
	defer t.Stop()
	for {
		p, err := resident.LoadPlan(dir)
		switch {
		case err != nil || p.Stopped:
		case p.Expired(time.Now()) && !resident.Running(dir):
			_ = resident.Erase(dir) // nobody was there to do it
		default:
			p, err = resident.Edit(dir, func(p *resident.Plan) {
				if !p.Stopped {
					*p = p.Renewed(time.Now())
				}
			})
			if err == nil && !p.Stopped { // it may have been stopped meanwhile
				err = ensure(dir)
			}
			if err != nil {
				fmt.Fprintf(os.Stderr, "rentgen-agent: keep the recorder: %v\n", err)
			}
		}
		select {
		case <-t.C:
		case <-a.done:
			return
		}
	}
}
