//go:build linux && cgo

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/guard"
)

// standIn puts a command into a folder that writes down how it was called.
func standIn(t *testing.T, name, then string) (a *actor, log string) {
	t.Helper()
	dir := t.TempDir()
	log = filepath.Join(dir, "log")
	script := "#!/bin/sh\n{ echo \"$0 $*\"; env; } > " + log + "\n" + then + "\n"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return &actor{folders: []string{filepath.Join(dir, "none"), dir}, euid: os.Geteuid, env: func(string) string { return "" }}, log
}

func asRoot(a *actor) *actor { a.euid = func() int { return 0 }; return a }

func TestShutdownIsGivenAsItIsFixed(t *testing.T) {
	a, log := standIn(t, "shutdown", "")
	if a.euid() != 0 {
		t.Skip("the stand-in must belong to root")
	}
	t.Setenv("SECRET", "of the login")
	if why, detail := a.ready(guard.Shutdown); why != "" {
		t.Fatal(why, detail)
	}
	if err := a.act(guard.Shutdown); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	first, env, _ := strings.Cut(string(b), "\n")
	if want := filepath.Join(a.folders[1], "shutdown") + " "; first != want {
		t.Errorf("called as %q, want %q", first, want)
	}
	if strings.Contains(env, "SECRET") || !strings.Contains(env, "HOME=/root") {
		t.Errorf("environment %s", env)
	}
}

func TestRunPodNeedsThePodsOwnName(t *testing.T) {
	a, log := standIn(t, "runpodctl", "")
	for id, want := range map[string]guard.Why{"": guard.WhyPod, "-rf": guard.WhyPod, "a b": guard.WhyPod, "abc;x": guard.WhyPod, "abc123xyz456": ""} {
		a.env = func(name string) string { return map[string]string{"RUNPOD_POD_ID": id, "RUNPOD_API_KEY": "k"}[name] }
		if why, _ := a.ready(guard.RunPod); why != want {
			t.Errorf("%q: %q, want %q", id, why, want)
		}
		if err := a.act(guard.RunPod); (err == nil) != (want == "") {
			t.Errorf("%q: %v", id, err)
		}
	}
	home := t.TempDir()
	a.env = func(name string) string {
		return map[string]string{"RUNPOD_POD_ID": "abc123xyz456", "HOME": home}[name]
	}
	if why, _ := a.ready(guard.RunPod); why != guard.WhyKey {
		t.Errorf("without a key: %q", why)
	}
	if err := os.MkdirAll(filepath.Join(home, ".runpod"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".runpod", "config.toml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := a.act(guard.RunPod); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(log)
	if first, _, _ := strings.Cut(string(b), "\n"); !strings.HasSuffix(first, "/runpodctl stop pod abc123xyz456") {
		t.Errorf("called as %q", first)
	}
}

func TestRefusesToAct(t *testing.T) {
	a, log := standIn(t, "shutdown", "")
	set := func(mode os.FileMode) {
		if err := os.Chmod(filepath.Join(a.folders[1], "shutdown"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		mode os.FileMode
		euid int
		want guard.Why
	}{
		{"not root", 0o700, 1000, guard.WhyRoot},
		{"anybody may change it", 0o702, 0, guard.WhyCommand},
		{"a group may change it", 0o720, 0, guard.WhyCommand},
		{"no program", 0o600, 0, guard.WhyCommand},
	} {
		set(c.mode)
		a.euid = func() int { return c.euid }
		why, _ := a.ready(guard.Shutdown)
		if err := a.act(guard.Shutdown); err == nil || why != c.want {
			t.Errorf("%s: %q %v", c.name, why, err)
		}
	}
	asRoot(a).folders = nil
	if why, _ := a.ready(guard.Shutdown); why != guard.WhyCommand {
		t.Error("no folder:", why)
	}
	if why, _ := a.ready("rm"); why != guard.WhyOrder {
		t.Error("another action:", why)
	}
	if _, err := os.Stat(log); err == nil {
		t.Error("it was called all the same")
	}
}

func TestWhatTheCommandSays(t *testing.T) {
	a, _ := standIn(t, "runpodctl", "echo not authorised >&2; exit 3")
	a.env = func(string) string { return "abc123xyz456" }
	if err := a.act(guard.RunPod); err == nil || !strings.Contains(err.Error(), "exit status 3: not authorised") {
		t.Error(err)
	}
}

// TestGuarderGoesOnByItself feeds a guard through its channel until it has said
// what it thinks of a machine without a card.
func TestGuarderGoesOnByItself(t *testing.T) {
	dir := filepath.Join(t.TempDir(), guard.Folder)
	seen := make(chan struct{}, 1)
	w := startGuard(guard.Params{
		Dir: dir, Ready: func(guard.Action) (guard.Why, string) { return "", "" }, Act: func(guard.Action) error { t.Error("it acted"); return nil },
		Now:  time.Now,
		Mono: monotonic,
		Signals: func(time.Time, time.Duration, []int) guard.Signals {
			select {
			case seen <- struct{}{}:
			default:
			}
			return guard.Signals{}
		},
	})
	if s, ok := guard.ParseShort(w.State()); !ok || s.Phase != guard.Off {
		t.Fatalf("%s", w.State())
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, guard.OrderFile), []byte(`{"action":"shutdown","after_s":600,"countdown_s":60}`), 0o600); err != nil {
		t.Fatal(err)
	}
	w.in <- &probe.Sample{}
	<-seen
	w.in <- &probe.Sample{} // taken only after the one before was done with
	w.in <- &probe.Sample{}
	if s, ok := guard.ParseShort(w.State()); !ok || s.Phase != guard.Watching || !s.DryRun || len(s.Busy) == 0 {
		t.Errorf("%s", w.State())
	}
	close(w.in)
	<-w.done
}

// TestGuarderWithoutAnOrder: a recorder whose guard was never switched on says so
// and writes nothing.
func TestGuarderWithoutAnOrder(t *testing.T) {
	dir := t.TempDir()
	w := newGuard(dir)
	for range 3 {
		w.in <- &probe.Sample{System: &probe.System{}}
	}
	if s, ok := guard.ParseShort(w.State()); !ok || s.Phase != guard.Off {
		t.Errorf("%s", w.State())
	}
	close(w.in)
	<-w.done
	if es, err := os.ReadDir(dir); err != nil || len(es) > 0 {
		t.Error(es, err)
	}
}

// stillSample and stillSignals are a second in which nothing happens.
func stillSample() *probe.Sample {
	s := &probe.Sample{GPUs: []probe.GPU{{UUID: "GPU-x"}}, System: &probe.System{}}
	s.GPUs[0].Set(probe.UtilGPU, probe.Of(0))
	for _, m := range []probe.Metric{probe.CPU, probe.DiskRead, probe.DiskWrite, probe.NetRx, probe.NetTx} {
		s.System.Set(m, probe.Of(0))
	}
	return s
}

func stillSignals() guard.Signals {
	return guard.Signals{CPU: probe.Of(0), Disk: probe.Of(0), Terminal: probe.Of(3600), Conns: probe.Of(0)}
}
