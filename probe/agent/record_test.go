//go:build linux && cgo

package main

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/agent/agenttest"
	"rentgen/probe/resident"
	"rentgen/probe/wire"
)

// left is a program as the laptop puts it on a host, with a recorder beside it.
type left struct {
	t   *testing.T
	exe string
	dir string
	env []string
}

func leaveBehind(t *testing.T) *left {
	t.Helper()
	b, err := os.ReadFile(agenttest.Agent(t))
	if err != nil {
		t.Fatal(err)
	}
	l := &left{t: t, exe: filepath.Join(t.TempDir(), "rentgen", "agent-0123456789ab")}
	if err := os.Mkdir(filepath.Dir(l.exe), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.exe, b, 0o700); err != nil {
		t.Fatal(err)
	}
	l.dir = filepath.Join(filepath.Dir(l.exe), "resident")
	l.env = append(os.Environ(), agenttest.Environ(agenttest.Library(t), agenttest.Scenario(t, "gpus 2\nset * util 40\nset * power 200\n"), "")...)
	t.Cleanup(func() {
		if _, err := os.Stat(l.dir); err == nil {
			l.order("remove")
		}
	})
	return l
}

// order runs an order and returns what it printed.
func (l *left) order(words ...string) resident.Status {
	l.t.Helper()
	cmd := exec.Command(l.exe, append([]string{"resident"}, words...)...)
	cmd.Env = l.env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		l.t.Fatalf("%q: %v\n%s", words, err, stderr.String())
	}
	s, err := resident.ParseStatus(out)
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

// until asks until ok says so.
func (l *left) until(what string, ok func(resident.Status) bool) resident.Status {
	l.t.Helper()
	for end := time.Now().Add(wait); ; {
		s := l.order("status")
		if ok(s) {
			return s
		}
		if time.Now().After(end) {
			l.t.Fatalf("%s did not come: %+v", what, s)
		}
	}
}

// fetch returns the frames that the ring holds behind a position.
func (l *left) fetch(from string) (list []wire.Frame) {
	l.t.Helper()
	cmd := exec.Command(l.exe, "resident", "fetch", "--marker", testMarker, "--from="+from)
	cmd.Env = l.env
	out, err := cmd.Output()
	if err != nil {
		l.t.Fatal(err)
	}
	r := bufio.NewReader(bytes.NewReader(out))
	if _, _, err := wire.ScanHello(r, testMarker, 64<<10); err != nil {
		l.t.Fatal(err)
	}
	d := wire.NewDecoder(bufio.NewReader(flate.NewReader(r)))
	for {
		f, err := d.Read()
		if err != nil {
			l.t.Fatal(err)
		}
		if f.Done {
			return list
		}
		list = append(list, f)
	}
}

func samplesOf(list []wire.Frame) (out []*probe.Sample) {
	for _, f := range list {
		if f.Sample != nil {
			out = append(out, f.Sample)
		}
	}
	return out
}

func TestRecorderStaysAndGoes(t *testing.T) {
	l := leaveBehind(t)
	if s := l.order("status"); s.There {
		t.Fatalf("%+v", s)
	}
	s := l.order("start", "--life", "1h")
	if !s.Running || s.PID <= 1 {
		t.Fatalf("%+v", s)
	}
	// A session of its own, behind everybody else, with nothing open but /dev/null.
	sid, _, e := syscall.Syscall(syscall.SYS_GETSID, uintptr(s.PID), 0, 0)
	if e != 0 || int(sid) != s.PID {
		t.Errorf("session %d of %d, %v", sid, s.PID, e)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.PID))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	if nice := strings.Fields(rest)[16]; nice != "10" {
		t.Errorf("nice %s", nice)
	}
	for fd := range 3 {
		if to, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", s.PID, fd)); err != nil || to != "/dev/null" {
			t.Errorf("fd %d is %s, %v", fd, to, err)
		}
	}
	l.until("some seconds", func(s resident.Status) bool { return s.Seconds >= 4 })
	got := samplesOf(l.fetch(""))
	for i, s := range got {
		if len(s.GPUs) != 2 || s.GPUs[0].Procs != nil || s.System == nil {
			t.Fatalf("reading %d: %+v", i, s)
		}
		wantNum(t, &s.GPUs[1], probe.Power, 200)
		if i > 0 && s.Seq <= got[i-1].Seq {
			t.Errorf("number %d after %d", s.Seq, got[i-1].Seq)
		}
		// Whole seconds: the first one comes when the driver has started.
		if i > 1 && s.Mono/time.Second != got[i-1].Mono/time.Second+1 {
			t.Errorf("second %v after %v", s.Mono, got[i-1].Mono)
		}
	}
	// Only one runs; what was fetched isn't sent again.
	second := exec.Command(l.exe, "resident", "run", "--dir", l.dir)
	second.Env = l.env
	if out, err := second.CombinedOutput(); err != nil {
		t.Errorf("a second one: %v, %s", err, out)
	}
	plan, err := resident.LoadPlan(l.dir)
	if err != nil {
		t.Fatal(err)
	}
	last := got[len(got)-2]
	after := samplesOf(l.fetch(resident.Position{Ring: plan.Ring, Run: 1, Seq: last.Seq}.String()))
	if len(after) == 0 || after[0].Seq <= last.Seq {
		t.Errorf("%d behind %d", len(after), last.Seq)
	}
	// Its life is over: it waits, and goes on when a connection renews it.
	edit := func(until time.Time) {
		t.Helper()
		if _, err := resident.Edit(l.dir, func(p *resident.Plan) { p.Until = until.UnixNano() }); err != nil {
			t.Fatal(err)
		}
	}
	edit(time.Now().Add(-time.Second))
	idle := l.until("its rest", func(s resident.Status) bool { return s.Idle })
	edit(time.Now().Add(time.Hour))
	l.until("its going on", func(s resident.Status) bool { return !s.Idle && s.Seconds > idle.Seconds+1 })
	paused := false
	for _, f := range l.fetch("") {
		paused = paused || f.Hole != nil && f.Hole.Reason == string(probe.GapPaused)
	}
	if !paused {
		t.Error("the pause is not told")
	}
	// Nobody came for it: it deletes what it kept and itself.
	edit(time.Now().Add(-8 * 24 * time.Hour))
	for end := time.Now().Add(wait); ; {
		if _, err := os.Stat(filepath.Dir(l.exe)); errors.Is(err, os.ErrNotExist) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("it is still there")
		}
	}
}

// TestConnectionKeepsTheRecorder renews it, starts it again where it was killed,
// and leaves alone what was stopped.
func TestConnectionKeepsTheRecorder(t *testing.T) {
	l := leaveBehind(t)
	first := l.order("start")
	if first.PID <= 1 {
		t.Fatalf("%+v", first)
	}
	connect := func() wire.Hello {
		t.Helper()
		cmd := exec.Command(l.exe, "stdio", "--marker", testMarker)
		cmd.Env = l.env
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Wait() })
		t.Cleanup(func() { _ = in.Close() })
		hello, _, err := wire.ScanHello(bufio.NewReader(out), testMarker, 64<<10)
		if err != nil {
			t.Fatal(err)
		}
		return hello
	}
	if _, err := resident.Edit(l.dir, func(p *resident.Plan) { p.Until -= int64(time.Hour) }); err != nil {
		t.Fatal(err)
	}
	if !connect().Resident {
		t.Error("the hello does not tell of it")
	}
	l.until("its renewal", func(s resident.Status) bool { return s.Until >= first.Until })
	l.until("its first second", func(s resident.Status) bool { return s.Seconds > 0 })
	if err := syscall.Kill(first.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	killed := l.until("its end", func(s resident.Status) bool { return !s.Running })
	connect()
	again := l.until("its return", func(s resident.Status) bool { return s.Running && s.PID != first.PID && s.Seconds > killed.Seconds })
	runs := map[uint64]bool{}
	for _, f := range l.fetch("") {
		if f.Start != nil {
			runs[f.Start.Run] = true
		}
	}
	if !runs[2] {
		t.Errorf("runs %v", runs)
	}
	end := l.order("stop")
	if end.Running || !end.Stopped || end.Seconds < again.Seconds {
		t.Errorf("stopped: %+v", end)
	}
	if !connect().Resident {
		t.Error("what it kept is not told of")
	}
	if s := l.order("status"); s.Running {
		t.Errorf("started against the person's will: %+v", s)
	}
	if s := l.order("start"); !s.Running {
		t.Errorf("%+v", s)
	}
	l.until("a third run", func(s resident.Status) bool { return s.Seconds > end.Seconds })
	stopped := false
	for _, f := range l.fetch("") {
		stopped = stopped || f.Start != nil && f.Start.Stopped
	}
	if !stopped {
		t.Error("that it was stopped is not told")
	}
}

func TestRecorderWords(t *testing.T) {
	for _, words := range []string{
		"resident", "resident dance", "resident start --life 1s", "resident start --life x", "resident start --max-bytes 1", "resident fetch --from x",
		"resident status --dir here", "resident status --color red", "stdio --dir /tmp/x", "resident start --life 9000h",
	} {
		if _, err := parse(strings.Fields(words)); err == nil {
			t.Errorf("%q is taken", words)
		}
	}
	o, err := parse(strings.Fields("resident start --dir /x/y --life 5m --max-bytes " + strconv.Itoa(resident.MinBytes)))
	if err != nil || o.dir != "/x/y" || o.life != 5*time.Minute || o.maxBytes != resident.MinBytes {
		t.Errorf("%+v, %v", o, err)
	}
	if b, err := json.Marshal(resident.Status{}); err != nil || !strings.Contains(string(b), `"there":false`) {
		t.Errorf("%s, %v", b, err)
	}
}
