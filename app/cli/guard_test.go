package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide"
	"rentgen/app/provider"
	"rentgen/app/purse/guard"
	"rentgen/assets/texts"
	onhost "rentgen/probe/guard"
	"rentgen/probe/remote/remotetest"
)

// TestGuardIsOneOnBothSides holds the laptop's words for the stop guard against
// those of the program on the host, which may not know each other.
func TestGuardIsOneOnBothSides(t *testing.T) {
	var actions []string
	for _, a := range onhost.Actions() {
		actions = append(actions, string(a))
	}
	if !slices.Equal(actions, provider.StopActions()) {
		t.Errorf("actions %v and %v", actions, provider.StopActions())
	}
	if guard.MinAfter != onhost.MinAfter || guard.MaxAfter != onhost.MaxAfter || guard.DefaultAfter != onhost.DefaultAfter ||
		guard.MinCountdown != onhost.MinCountdown || guard.MaxCountdown != onhost.MaxCountdown ||
		guard.DefaultCountdown != onhost.DefaultCountdown || guard.QueueQuiet != onhost.QueueQuiet {
		t.Error("the bounds differ")
	}
	// What the laptop orders is read there as it is meant.
	for _, id := range []string{"autodl", "runpod"} {
		p, _ := provider.ProfileOf(id)
		o := guard.NewOrder(guard.Eligible(p), 9000)
		o.OnQueue, o.Given = true, time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC)
		b, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := onhost.ParseOrder(b)
		want := onhost.Order{
			Action: onhost.Action(o.Action), After: o.After, OnQueue: true, QueuePort: o.QueuePort, Ports: o.Ports, DryRun: true,
			Countdown: o.Countdown, Given: o.Given,
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v\n%+v\n%+v", err, got, want)
		}
		if _, ok := onhost.CommandOf(got.Action); !ok {
			t.Errorf("%s has no command", got.Action)
		}
	}
	// What the host says is known here: each phase, refusal and signal.
	en := texts.For(texts.English)
	now := time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)
	for _, ph := range onhost.Phases() {
		s := guard.State{Phase: guard.Phase(ph), DryAt: now, StopAt: now, Order: guard.Order{After: time.Hour}}
		if off := en.Say(guard.State{}.Say(now)); (en.Say(s.Say(now)) == off) != (ph == onhost.Off) {
			t.Errorf("phase %s is said as %q", ph, en.Say(s.Say(now)))
		}
	}
	on := onhost.State{
		Phase: onhost.Counting, Time: now, Idle: 31 * time.Minute, Since: now.Add(-31 * time.Minute), StopAt: now.Add(time.Minute), Cause: onhost.CauseQueue,
		Busy: []onhost.Reason{{Signal: onhost.SignalGPU, Value: 9, Limit: 5, GPU: "GPU-a"}}, Why: onhost.WhyKey, Detail: "said", DryAt: now, DryOf: onhost.RunPod,
		Boot: "b", Order: onhost.Order{Action: onhost.RunPod, After: time.Hour, DryRun: true, Countdown: onhost.DefaultCountdown},
	}
	state, err := json.Marshal(on)
	if err != nil {
		t.Fatal(err)
	}
	stop, err := json.Marshal(onhost.StopOf(on, onhost.Peaks{}))
	if err != nil {
		t.Fatal(err)
	}
	r, err := guard.Host{Runner: printed(fmt.Sprintf("now %d\non\nstate %s\nstop %s\n", now.Unix(), state, stop)), Dir: "/r", Now: func() time.Time { return now }}.Read(t.Context())
	want := guard.State{
		Phase: guard.Counting, Time: on.Time, Idle: on.Idle, Since: on.Since, StopAt: on.StopAt, Cause: "queue", Busy: []guard.Reason{{Signal: "gpu", Value: 9, Limit: 5, GPU: "GPU-a"}},
		Why: "key", Detail: "said", DryAt: on.DryAt, DryOf: "runpodctl", Boot: "b", On: true,
		Order: guard.Order{Action: "runpodctl", After: time.Hour, DryRun: true, Countdown: guard.DefaultCountdown},
	}
	if err != nil || !reflect.DeepEqual(r.State, want) {
		t.Errorf("%v: %s is read as\n%+v, not\n%+v", err, state, r.State, want)
	}
	if s := (guard.Stop{Time: on.Time, Since: on.Since, IdleS: 1860, Cause: "queue", Action: "runpodctl", Dry: true, Boot: "b"}); len(r.Stops) != 1 || r.Stops[0] != s {
		t.Errorf("%s is read as %+v", stop, r.Stops)
	}
	for _, w := range onhost.Whys() {
		said := en.Say(guard.State{Phase: guard.Refused, Why: string(w)}.Say(now))
		if strings.HasSuffix(said, " "+string(w)) || strings.ContainsAny(said, "{}") {
			t.Errorf("refusal %s is said as %q", w, said)
		}
	}
	for _, s := range []onhost.Signal{
		onhost.SignalGPU, onhost.SignalCPU, onhost.SignalDisk, onhost.SignalNet, onhost.SignalTerminal, onhost.SignalForward, onhost.SignalQueue, onhost.SignalWatch,
	} {
		if said := en.Say(guard.Reason{Signal: string(s)}.Name()); said == string(s) || strings.ContainsAny(said, "{}") {
			t.Errorf("signal %s is said as %q", s, said)
		}
	}
}

// printed is a host on which every script prints the same.
type printed string

func (p printed) Exec(context.Context, guide.Exec) (guide.Output, error) {
	return guide.Output{Stdout: []byte(p)}, nil
}

// TestGuardOverSSH asks for what is refused, and why, over a real server.
func TestGuardOverSSH(t *testing.T) {
	_, line, env := sshHost(t, withGPU(t))
	home := t.TempDir()
	guardRun := func(want int, args ...string) result {
		t.Helper()
		r := run(t, home, env, append(append([]string{"guard", line}, args...), "--trust-new", "--lang", "en")...)
		if r.code != want {
			t.Fatalf("guard %v ended with %d, want %d: %+v", args, r.code, want, r)
		}
		return r
	}
	if r := guardRun(0); !strings.Contains(r.out, "The stop guard is off.") || !strings.Contains(r.out, "does not know this provider") {
		t.Errorf("%+v", r)
	}
	for _, c := range []struct{ args, says string }{
		{"on", "does not know this provider"},
		{"on --provider tencent", "a shutdown from inside goes on billing"},
		{"on --provider matpool", "No page of"},
		{"test --provider runpod", "runpodctl is not there"},
		{"keep", "is off"},
	} {
		if r := guardRun(ExitRefused, strings.Fields(c.args)...); !strings.Contains(r.stderr, c.says) {
			t.Errorf("%s: %+v", c.args, r)
		}
	}
	r := guardRun(ExitRefused, "on", "--provider", "tencent", "--json")
	var j guardJSON
	if err := json.Unmarshal([]byte(r.out), &j); err != nil || j.Eligible.OK || j.Eligible.Source == "" || j.State.Phase != "off" || j.Limit == "" {
		t.Errorf("%v %+v", err, j)
	}
	// Before anything is connected, so that no stage is said.
	for _, args := range [][]string{
		{"off", "--after", "20m"},
		{"on", "--until", "2030-01-01"},
		{"on", "--armed", "--dry-run"},
		{"release"},
		{"on", "--after", "4m"},
		{"on", "--countdown", "10s"},
		{"on", "--countdown", "2h"},
		{"on", "--queue-port", "0"},
		{"keep", "--until", "2020-01-01"},
	} {
		if r := guardRun(ExitUsage, args...); strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, args[min(1, len(args)-1)]) {
			t.Errorf("guard %v: %+v", args, r)
		}
	}
}

// TestGuardDryRunOverSSH switches a dry run on over a real server, holds it back,
// lets it go on and switches it off. It is never armed: nothing can be stopped.
func TestGuardDryRunOverSSH(t *testing.T) {
	_, line, env := sshHost(t, withGPU(t))
	home := t.TempDir()
	guardRun := func(args ...string) (guardJSON, result) {
		t.Helper()
		r := run(t, home, env, append(append([]string{"guard", line}, args...), "--provider", "autodl", "--trust-new", "--json", "--lang", "en")...)
		var j guardJSON
		if err := json.Unmarshal([]byte(r.out), &j); err != nil {
			t.Fatalf("guard %v: %v %+v", args, err, r)
		}
		return j, r
	}
	if _, r := guardRun("test"); r.code != 0 {
		t.Skipf("this login could not shut down a rented machine: %s", r.stderr)
	}
	t.Cleanup(func() { run(t, home, env, "recorder", "remove", line, "--trust-new") })

	if _, r := guardRun("on", "--armed"); r.code != ExitRefused || !strings.Contains(r.stderr, "The first run is always a dry one") {
		t.Fatalf("armed at once: %+v", r)
	}
	j, r := guardRun("on", "--after", "20m", "--on-queue", "--queue-port", "9")
	if r.code != 0 || !j.Recorder || j.Login == nil || !j.Login.OK {
		t.Fatalf("%+v", r)
	}
	// Nobody answers at that port: the queue can't be read, and so it is busy.
	if s := j.State; s.Phase != "watching" || !s.DryRun || s.AfterS != 1200 || !s.OnQueue ||
		!slices.ContainsFunc(s.Busy, func(b guard.Reason) bool { return b.Signal == "queue" && b.Unread }) {
		t.Errorf("%+v", s)
	}
	// What is said is of the order, not of the moment before it.
	until := func(want string, args ...string) {
		t.Helper()
		j, r := guardRun(args...)
		if j.State.Phase != want || r.code != 0 {
			t.Errorf("guard %v: %+v", args, r)
		}
	}
	until("kept", "keep", "--until", time.Now().Add(time.Hour).Format("2006-01-02T15:04:05Z07:00"))
	// Without its provider named again, what stands there isn't called impossible.
	if r := run(t, home, env, "guard", line, "--trust-new", "--lang", "en"); r.code != 0 || strings.Contains(r.out, "does not know this provider") {
		t.Errorf("%+v", r)
	}
	until("watching", "resume")
	until("off", "off")
}

// TestGuardTellsTheMorningAfter: a stop that lies on the host from another run is
// told by the next connection, once.
func TestGuardTellsTheMorningAfter(t *testing.T) {
	cache := t.TempDir()
	_, line, env := sshHost(t, remotetest.SSHDOptions{
		Config: []string{"SetEnv " + rentedMachine(t) + " XDG_CACHE_HOME=" + cache},
	})
	home := t.TempDir()
	do := func(words ...string) result {
		t.Helper()
		r := run(t, home, env, append(words, "--lang", "en")...)
		if r.code != 0 {
			t.Fatalf("%v: %+v", words, r)
		}
		return r
	}
	do("host", "add", "mycard", line)
	do("recorder", "start", "mycard", "--trust-new")
	t.Cleanup(func() { run(t, home, env, "recorder", "remove", "mycard", "--trust-new") })
	dir := filepath.Join(cache, "rentgen", "resident", onhost.Folder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-8 * time.Hour).UTC()
	b, err := json.Marshal(onhost.Stop{Time: at, Since: at.Add(-30 * time.Minute), IdleS: 1800, Cause: onhost.CauseIdle, Action: onhost.Shutdown, Boot: "another@1000"})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, onhost.StopsFile), append(b, '\n'), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{1, 0} {
		var j guardJSON
		if err := json.Unmarshal([]byte(do("guard", "mycard", "--json", "--trust-new").out), &j); err != nil {
			t.Fatal(err)
		}
		if len(j.Told) != want {
			t.Fatalf("connection %d tells of %d stops: %+v", i, len(j.Told), j.Told)
		}
		if want == 1 && (!j.Told[0].Stopped || j.Told[0].IdleS != 1800 || j.Told[0].Saved != nil) {
			t.Errorf("%+v", j.Told)
		}
	}
}
