//go:build linux && cgo

package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rentgen/probe/agent/agenttest"
	"rentgen/probe/guard"
	"rentgen/probe/resident"
)

// TestGuardInTheRecorder gives an order to the program that stays behind and reads
// how it stands, in its file and in what the recorder says. The order is one of
// runpodctl, which this machine does not have: nothing could be stopped.
func TestGuardInTheRecorder(t *testing.T) {
	program, dir := agenttest.Agent(t), filepath.Join(t.TempDir(), "resident")
	env := slices.Concat(os.Environ(), agenttest.Environ(agenttest.Library(t), "", ""))
	order := func(what string) resident.Status {
		t.Helper()
		cmd := exec.Command(program, "resident", what, "--dir", dir)
		cmd.Env = env
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		s, err := resident.ParseStatus(out)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	order("start")
	removed := false
	defer func() {
		if !removed {
			order("remove")
		}
	}()
	files := filepath.Join(dir, guard.Folder)
	if _, err := os.Stat(files); err == nil {
		t.Error("a recorder without an order has a folder for the guard")
	}
	give := func(text string) {
		t.Helper()
		if err := os.MkdirAll(files, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(files, guard.OrderFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// until asks the recorder until it says so.
	until := func(what string, good func(guard.Short, guard.State) bool) {
		t.Helper()
		var short guard.Short
		var state guard.State
		for end := time.Now().Add(wait); time.Now().Before(end); {
			short, _ = guard.ParseShort(order("status").Guard)
			if b, err := os.ReadFile(filepath.Join(files, guard.StateFile)); err == nil {
				state, _ = guard.ParseState(b)
			}
			if good(short, state) {
				return
			}
		}
		t.Fatalf("%s: %+v\n%+v", what, short, state)
	}
	until("off", func(s guard.Short, _ guard.State) bool { return s.Phase == guard.Off })
	give(`{"action":"runpodctl","after_s":300,"countdown_s":60,"dry_run":true}`)
	until("refused", func(s guard.Short, st guard.State) bool {
		return s.Phase == guard.Refused && s.Why == guard.WhyCommand && st.Phase == guard.Refused && st.Order.Action == guard.RunPod
	})
	give(`{"action":"erase","after_s":300,"countdown_s":60}`)
	until("an order that isn't known", func(s guard.Short, st guard.State) bool {
		return s.Phase == guard.Refused && st.Why == guard.WhyOrder
	})
	if err := os.Remove(filepath.Join(files, guard.OrderFile)); err != nil {
		t.Fatal(err)
	}
	until("off again", func(s guard.Short, _ guard.State) bool { return s.Phase == guard.Off })
	order("remove")
	removed = true
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("something stays on the host:", err)
	}
}

// TestGuardFromReadingsToCommand goes from a second's readings to a stand-in of the
// command, with a clock that runs as fast as it is asked.
func TestGuardFromReadingsToCommand(t *testing.T) {
	a, log := standIn(t, "shutdown", "")
	if a.euid() != 0 {
		t.Skip("the stand-in must belong to root")
	}
	dir := filepath.Join(t.TempDir(), guard.Folder)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var second time.Duration
	g, err := guard.Open(guard.Params{
		Dir: dir, Ready: a.ready, Act: a.act, Mono: func() time.Duration { return second },
		Now:     func() time.Time { return time.Unix(1796000000, 0).Add(second) },
		Signals: func(time.Time, time.Duration, []int) guard.Signals { return stillSignals() },
	})
	if err != nil {
		t.Fatal(err)
	}
	give := func(o guard.Order) {
		t.Helper()
		b, err := json.Marshal(o)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, guard.OrderFile), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	run := func(seconds int) (s guard.State) {
		for range seconds {
			s = g.Second(stillSample())
			second += time.Second
		}
		return s
	}
	o := guard.Order{Action: guard.Shutdown, After: guard.MinAfter, Countdown: guard.MinCountdown, DryRun: true}
	give(o)
	if s := run(600); s.Phase != guard.Would {
		t.Fatalf("%+v", s)
	}
	if _, err := os.Stat(log); err == nil {
		t.Fatal("a dry run ran the command")
	}
	o.DryRun, o.Given = false, time.Unix(1796000600, 0)
	give(o)
	if s := run(360); s.Phase != guard.Counting {
		t.Fatalf("%+v", s)
	}
	if s := run(1); s.Phase != guard.Stopping {
		t.Fatalf("%+v", s)
	}
	if _, err := os.Stat(log); err != nil {
		t.Error(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, guard.StopsFile))
	if rs := guard.ParseStops(b); err != nil || len(rs) != 2 || rs[1].Dry || rs[1].IdleS != 360 {
		t.Errorf("%v %+v", err, rs)
	}
}
