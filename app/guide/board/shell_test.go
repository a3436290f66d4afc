//go:build !windows

package board

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"rentgen/app/guide"
	"rentgen/app/guide/run"
	"rentgen/app/guide/track"
)

// shell runs scripts on this computer, with tools of the test in front. After
// some commands its link breaks.
type shell struct {
	path string
	mu   sync.Mutex
	left int // bytes of output until the link breaks; below 0: it holds
}

type writer func([]byte)

func (w writer) Write(p []byte) (int, error) { w(p); return len(p), nil }

func (s *shell) Exec(ctx context.Context, e guide.Exec) (guide.Output, error) {
	ctx, cancel := context.WithTimeout(ctx, e.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", e.Script, "sh"}, e.Args...)...)
	cmd.Env = []string{"PATH=" + s.path + ":/usr/bin:/bin", "HOME=" + s.path}
	in, err := cmd.StdinPipe()
	if err != nil {
		return guide.Output{}, err
	}
	var out, errs bytes.Buffer
	broken := false
	take := func(to *bytes.Buffer, live func([]byte)) io.Writer {
		return writer(func(p []byte) {
			s.mu.Lock()
			if s.left >= 0 {
				if s.left -= len(p); s.left <= 0 {
					s.left, broken = 0, true
					cancel()
				}
			}
			lost := broken
			s.mu.Unlock()
			if lost {
				return
			}
			to.Write(p)
			if live != nil {
				live(p)
			}
		})
	}
	cmd.Stdout, cmd.Stderr = take(&out, e.Out), take(&errs, e.Err)
	if err := cmd.Start(); err != nil {
		return guide.Output{}, err
	}
	over := make(chan struct{})
	go func() {
		defer in.Close()
		if _, err := in.Write(e.Stdin); err != nil || e.In == nil {
			return
		}
		for {
			select {
			case l, ok := <-e.In:
				if !ok {
					return
				}
				if _, err := io.WriteString(in, l+"\n"); err != nil {
					return
				}
			case <-over:
				return
			}
		}
	}()
	_ = cmd.Wait() // a script's own failure is no error
	close(over)
	s.mu.Lock()
	defer s.mu.Unlock()
	o := guide.Output{Stdout: out.Bytes(), Stderr: errs.Bytes(), Exit: cmd.ProcessState.ExitCode()}
	if broken {
		return o, fmt.Errorf("link lost: %w", guide.ErrOffline)
	}
	return o, nil
}

// TestThroughTheShell runs the quick checks of a whole machine with real commands:
// its driver is broken, its link breaks once, and the program is closed meanwhile.
func TestThroughTheShell(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"nvidia-smi": "echo \"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\"; exit 9",
		"tmux":       "[ \"$1\" = -V ] && echo 'tmux 3.2a' && exit; echo 'no server running on /tmp/tmux-0/default' >&2; exit 1",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	sh := &shell{path: dir, left: 4000}
	b := &bench{clock: &clock{}, store: &memory{}}
	open := func() {
		b.Board = newBoard(Params{Host: "host", Store: b.store, Now: b.clock.now, Runner: func() guide.Runner { return sh }}, run.Do)
		t.Cleanup(b.Close)
		if err := b.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	open()
	b.ran(t, Scope{Track: guide.Dedicated}, guide.Quick)
	v := b.View(guide.Dedicated)
	if v.Fault.Key != "track.fault.link" || v.Missing == 0 || v.Missing == len(v.Levels[0].Checks) {
		t.Fatalf("fault %v, %d missing of %d", v.Fault, v.Missing, len(v.Levels[0].Checks))
	}
	open()
	if got := b.View(guide.Dedicated).Missing; got != v.Missing {
		t.Errorf("%d missing after a restart, want %d", got, v.Missing)
	}
	sh.mu.Lock()
	sh.left = -1
	sh.mu.Unlock()
	if err := b.Resume(); err != nil {
		t.Fatal(err)
	}
	b.wait(t)
	v = b.View(guide.Dedicated)
	if v.Missing != 0 || !v.Fault.IsZero() || v.Verdict != guide.Fail {
		t.Errorf("missing %d, fault %v, %s", v.Missing, v.Fault, v.Verdict)
	}
	if c := b.check(t, guide.Dedicated, guide.GPUSMI); c.Verdict != guide.Fail || c.Record.Exit != 9 || c.Outcome.Facts["error"] != "driver_not_loaded" {
		t.Errorf("%s, exit %d: %v", c.Verdict, c.Record.Exit, c.Outcome.Facts)
	}
	if c := b.check(t, guide.Dedicated, guide.TorchCUDA); c.State != track.Blocked || c.BlockedBy != guide.GPUSMI {
		t.Errorf("torch.cuda is %s", c.State)
	}
	if c := b.check(t, guide.Dedicated, guide.SessionTmux); c.Verdict != guide.Pass {
		t.Errorf("tmux: %+v", c.Outcome.Worst())
	}
	for _, s := range v.Steps {
		for _, c := range s.Checks {
			if c.Def.Level == guide.Quick && c.State != track.Done && c.State != track.Blocked {
				t.Errorf("%s is %s", c.ID, c.State)
			}
		}
	}
}
