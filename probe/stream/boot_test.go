//go:build linux

package stream

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"rentgen/probe"
)

// files lists a directory.
func files(t *testing.T, dir string) []string {
	t.Helper()
	es, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range es {
		names = append(names, e.Name())
	}
	return names
}

func agentName() string {
	_, sha := program()
	return "agent-" + sha[:shortSHA]
}

// onlyProgram fails unless the directory holds our program and nothing else.
func onlyProgram(t *testing.T, dir string) {
	t.Helper()
	if got := files(t, dir); len(got) != 1 || got[0] != agentName() {
		t.Fatalf("the directory holds %q, want only %q", got, agentName())
	}
}

func TestBootstrapShells(t *testing.T) {
	noise := filepath.Join(t.TempDir(), "noise")
	if err := os.WriteFile(noise, append([]byte("\x00\xff\x1b[2J"), []byte(strings.Repeat("welcome ", 200))...), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, needs, sh, login string }{
		{"dash", "dash", "/bin/dash", ""},
		{"bash", "bash", "/bin/bash", ""},
		{"busybox", "busybox", "/usr/bin/busybox sh", ""},
		{"case 1: noise before, binary, no line end", "cat", "", "cat " + noise + " >&1; %s"},
		{"case 1: noise on both outputs", "cat", "", "cat " + noise + "; cat " + noise + " >&2; %s"},
		{"case 2: fish as login shell", "fish", "", "fish -c '%s'"},
		{"case 3: tcsh as login shell", "tcsh", "", "tcsh -c '%s'"},
		{"case 4: no shell in between", "dash", "", "exec %s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			needs(t, c.needs)
			p := newPlace(t)
			p.sh, p.log = c.sh, c.login
			for _, round := range []string{"uploaded", "found"} {
				h := p.host(t, nil)
				var uploads atomic.Int32
				cancel := h.OnState(func(s State) {
					if s.Stage == StageUpload {
						uploads.Add(1)
					}
				})
				h.Start()
				s := AwaitPhase(t, h, Live)
				cancel()
				h.Stop()
				if s.Source != probe.SourceAgent || s.Reason != "" {
					t.Fatalf("%s: %+v", round, s)
				}
				if (uploads.Load() > 0) != (round == "uploaded") {
					t.Fatalf("%s: %d uploads", round, uploads.Load())
				}
				onlyProgram(t, filepath.Join(p.home, "cache"))
			}
			for _, pid := range startedPIDs(t, p.pids) {
				gone(t, pid)
			}
		})
	}
}

func TestNoCommand(t *testing.T) {
	for _, c := range []struct{ name, login, kind, said string }{
		{"case 50: nologin", "echo This account is currently not available. # %s", KindNoCommand, "currently not available"},
		{"case 50: terminal only", "echo 'Error: Your SSH client does not support PTY' >&2; false # %s", KindTerminalOnly, "PTY"},
		{"case 50: forced command that repeats its input", "cat # %s", KindNoCommand, ""},
		{"forced command that ends without a word", "true # %s", KindNoCommand, ""},
		{"case 5: what the shell said is kept", "echo broken >&2; exit 3 # %s", KindNoCommand, "broken"},
		{"no POSIX shell", "echo \"'/bin/sh' is not recognized as an internal or external command\" >&2 # %s", KindNotLinux, "not recognized"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			p.log = c.login
			h := p.host(t, func(p *Params) { p.Source = SourceAuto })
			h.Start()
			s := AwaitPhase(t, h, Failed)
			var e *Error
			if !errors.As(s.Err, &e) || e.Kind != c.kind || !strings.Contains(e.Said, c.said) {
				t.Fatalf("error %v", s.Err)
			}
		})
	}
}

func TestTransfer(t *testing.T) {
	t.Run("case 9: cut off on the way, tried once more", func(t *testing.T) {
		p := newPlace(t)
		calls := 0
		h := p.host(t, func(p *Params) {
			p.Agents = func(string) ([]byte, string, bool) {
				gz, sha := program()
				if calls++; calls == 1 {
					gz = gz[:len(gz)/2]
				}
				return gz, sha, true
			}
		})
		h.Start()
		AwaitPhase(t, h, Live)
		if calls != 2 {
			t.Fatalf("%d transfers", calls)
		}
		onlyProgram(t, filepath.Join(p.home, "cache"))
	})
	t.Run("case 9: cut off twice", func(t *testing.T) {
		p := newPlace(t)
		h := p.host(t, func(p *Params) {
			p.Agents = func(string) ([]byte, string, bool) {
				gz, sha := program()
				return gz[:len(gz)/2], sha, true
			}
		})
		h.Start()
		s := AwaitPhase(t, h, Failed)
		var e *Error
		if !errors.As(s.Err, &e) || e.Kind != KindAgent || e.Reason != probe.ReasonUpload {
			t.Fatalf("error %v", s.Err)
		}
		if got := files(t, filepath.Join(p.home, "cache")); len(got) > 0 {
			t.Fatalf("left behind: %q", got)
		}
	})
	t.Run("case 9: what lies there is cut off", func(t *testing.T) {
		p := newPlace(t)
		dir := filepath.Join(p.home, "cache")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, agentName()), []byte("half"), 0o700); err != nil {
			t.Fatal(err)
		}
		h := p.host(t, nil)
		h.Start()
		AwaitPhase(t, h, Live)
		onlyProgram(t, dir)
	})
	t.Run("case 10: current and one previous are kept", func(t *testing.T) {
		p := newPlace(t)
		dir := filepath.Join(p.home, "cache")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, n := range []string{"agent-000000000001", "agent-000000000002", "agent-00000000000x", "agent-0000000000011", "notes.txt"} {
			if err := os.WriteFile(filepath.Join(dir, n), []byte("x"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if out, err := exec.Command("touch", "-d", "2001-01-01", filepath.Join(dir, "agent-000000000001")).CombinedOutput(); err != nil {
			t.Fatal(string(out), err)
		}
		h := p.host(t, nil)
		h.Start()
		AwaitPhase(t, h, Live)
		h.Stop() // at once: a look of a moment must not leave another one behind each time
		if got := files(t, dir); len(got) != 5 {
			t.Fatalf("the directory holds %q", got)
		}
		for _, n := range files(t, dir) {
			if n == "agent-000000000001" {
				t.Fatal("the oldest is still there")
			}
		}
	})
	t.Run("declined", func(t *testing.T) {
		p := newPlace(t)
		var q UploadQuestion
		h := p.host(t, func(p *Params) {
			p.Consent = func(_ context.Context, asked UploadQuestion) error {
				q = asked
				return ErrDeclined
			}
		})
		h.Start()
		s := AwaitPhase(t, h, Failed)
		if KindOf(s.Err) != KindDeclined || !errors.Is(s.Err, ErrDeclined) {
			t.Fatalf("error %v", s.Err)
		}
		if q.Host != "test" || q.Path != filepath.Join(p.home, "cache", agentName()) || q.Size <= q.Sent || q.Sent <= 0 {
			t.Fatalf("asked %+v", q)
		}
	})
	t.Run("a no holds until the person connects anew", func(t *testing.T) {
		p := newPlace(t)
		asked := make(chan struct{}, 9)
		h := p.host(t, func(p *Params) {
			p.Consent = func(context.Context, UploadQuestion) error {
				asked <- struct{}{}
				return ErrDeclined
			}
		})
		for range 2 { // a link that breaks
			if err := h.consent(t.Context(), UploadQuestion{}); KindOf(err) != KindDeclined || !errors.Is(err, ErrDeclined) {
				t.Fatalf("error %v", err)
			}
		}
		if len(asked) != 1 {
			t.Fatalf("asked %d times", len(asked))
		}
		<-asked
		h.Start()
		AwaitPhase(t, h, Failed)
		<-asked
		h.Retry()
		<-asked
	})
	t.Run("it does not start", func(t *testing.T) {
		p := newPlace(t)
		p.env = []string{"FAKE_AGENT=refuse"}
		h := p.host(t, nil)
		h.Start()
		s := AwaitPhase(t, h, Failed)
		var e *Error
		if !errors.As(s.Err, &e) || e.Reason != probe.ReasonStart || !strings.Contains(e.Said, "GLIBC_9.9") ||
			!strings.Contains(e.Said, "exit code 3") || strings.Contains(e.Said, "\x1b") {
			t.Fatalf("error %v", s.Err)
		}
	})
	t.Run("case 32: a flood on stderr stalls nothing", func(t *testing.T) {
		p := newPlace(t)
		p.env = []string{"FAKE_AGENT=flood"}
		h := p.host(t, nil)
		c, cancel := h.Subscribe(100)
		defer cancel()
		h.Start()
		for next[*probe.Sample](t, c).Seq < 30 {
		}
	})
}
