//go:build linux

package stream_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/remote"
	"rentgen/probe/remote/remotetest"
	"rentgen/probe/smi/smitest"
	"rentgen/probe/stream"
)

// TestSSHDAgent is the main road: a real server, our real program, a made-up
// card.
func TestSSHDAgent(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{})
	var asked []stream.UploadQuestion
	h, l := r.look(func(p *stream.Params) {
		p.Consent = func(_ context.Context, q stream.UploadQuestion) error {
			asked = append(asked, q)
			return nil
		}
	})
	reachPhase(t, h, stream.Live)
	got := ticks(t, l, 3)
	inv := h.Inventory()
	if inv.Source != probe.SourceAgent || inv.Reason != "" || inv.Mode != probe.ModeGPU || inv.Demo ||
		len(inv.GPUs) != 1 || inv.GPUs[0].Name != "NVIDIA GeForce RTX 4090" || inv.Agent == "" || inv.Run.BootID == "" {
		t.Fatalf("inventory %+v", inv)
	}
	s := got[len(got)-1]
	if v, ok := s.GPUs[0].Get(probe.UtilGPU).Ok(); !ok || v != 70 {
		t.Fatalf("utilisation %+v", s.GPUs[0].Get(probe.UtilGPU))
	}
	if s.System == nil || s.GPUs[0].Procs == nil || s.GPUs[0].Get(probe.PowerCap).State == probe.Pending {
		t.Fatal("the machine, processes or slow readings are missing")
	}
	if age := time.Since(s.Time); age < -50*time.Millisecond || age > 5*time.Second {
		t.Fatalf("the tick is %v old", age)
	}
	until(t, "the round trip", func() bool { return h.State().RTT > 0 })
	if len(asked) != 1 || asked[0].Path == "" || asked[0].Sent == 0 {
		t.Fatalf("asked %+v", asked)
	}
	if n := len(running(r.cache())); n != 1 {
		t.Fatalf("%d programs run", n)
	}
	h.Stop()
	until(t, "the program's end", func() bool { return len(running(r.cache())) == 0 })
	if log := r.server.Log(); strings.Contains(log, "sftp") || strings.Contains(log, "scp") {
		t.Fatal("case 11, 12: sftp or scp was asked for")
	}

	t.Run("the second time it is found", func(t *testing.T) {
		asked = nil
		r.t = t
		h, l := r.look(func(p *stream.Params) {
			p.Consent = func(context.Context, stream.UploadQuestion) error { return errors.New("must not be asked") }
		})
		reachPhase(t, h, stream.Live)
		ticks(t, l, 1)
	})
}

func TestSSHDPlaces(t *testing.T) {
	t.Parallel()
	t.Run("case 1: .bashrc prints, binary too, without a line end", func(t *testing.T) {
		home := t.TempDir()
		rc := "printf 'Welcome\\n\\000\\377\\033[31m'; printf '%01000d' 7; echo complaint >&2; printf junk\n"
		for _, f := range []string{".bashrc", ".profile", ".bash_profile"} {
			if err := os.WriteFile(filepath.Join(home, f), []byte(rc), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r := newRig(t, rigOptions{home: home})
		h, l := r.look(nil)
		if s := reachPhase(t, h, stream.Live); s.Source != probe.SourceAgent {
			t.Fatalf("state %+v", s)
		}
		ticks(t, l, 1)
	})
	t.Run("case 6: noexec, the next directory", func(t *testing.T) {
		bad, good := mounted(t, "noexec,size=16m"), t.TempDir()
		r := newRig(t, rigOptions{})
		h, _ := r.look(nil, stream.Quote(bad+"/rentgen"), stream.Quote(good+"/rentgen"))
		if s := reachPhase(t, h, stream.Live); s.Source != probe.SourceAgent {
			t.Fatalf("state %+v", s)
		}
		if es, _ := os.ReadDir(bad); len(es) > 0 {
			t.Fatalf("left behind: %v", es)
		}
	})
	t.Run("case 6: noexec everywhere, memory", func(t *testing.T) {
		bad := mounted(t, "noexec,size=16m")
		r := newRig(t, rigOptions{})
		var q stream.UploadQuestion
		h, l := r.look(func(p *stream.Params) {
			p.Consent = func(_ context.Context, asked stream.UploadQuestion) error {
				q = asked
				return nil
			}
		}, stream.Quote(bad+"/rentgen"))
		s := reachPhase(t, h, stream.Live)
		if s.Source != probe.SourceAgent || q.Path != "" || q.Sent == 0 {
			t.Fatalf("state %+v, asked %+v", s, q)
		}
		ticks(t, l, 2)
		if es, _ := os.ReadDir(bad); len(es) > 0 {
			t.Fatalf("left behind: %v", es)
		}
	})
	t.Run("case 6: noexec everywhere, no python: simple readings say why", func(t *testing.T) {
		bad := mounted(t, "noexec,size=16m")
		bin := smitest.Install(t, smitest.Healthy(1))
		box := toolbox(t, plainTools)
		r := newRig(t, rigOptions{env: map[string]string{"PATH": bin + ":" + box}, scenario: "none"})
		h, l := r.look(nil, stream.Quote(bad+"/rentgen"))
		s := reachPhase(t, h, stream.Live)
		if s.Source != probe.SourceSMI || s.Reason != probe.ReasonNoExec || !strings.Contains(s.Detail, "noexec") {
			t.Fatalf("state %+v", s)
		}
		ticks(t, l, 2)
		if inv := h.Inventory(); inv.Source != probe.SourceSMI || inv.Reason != probe.ReasonNoExec || len(inv.GPUs) != 1 {
			t.Fatalf("inventory %+v", inv)
		}
	})
	t.Run("case 7: home read-only", func(t *testing.T) {
		home, good := mounted(t, "ro,size=1m"), t.TempDir()
		r := newRig(t, rigOptions{home: home})
		h, _ := r.look(nil, `"$HOME/.cache/rentgen"`, stream.Quote(good+"/rentgen"))
		if s := reachPhase(t, h, stream.Live); s.Source != probe.SourceAgent {
			t.Fatalf("state %+v", s)
		}
	})
	t.Run("case 8: disk full, the next directory", func(t *testing.T) {
		full, good := mounted(t, "size=256k"), t.TempDir()
		r := newRig(t, rigOptions{})
		h, _ := r.look(nil, stream.Quote(full+"/rentgen"), stream.Quote(good+"/rentgen"))
		if s := reachPhase(t, h, stream.Live); s.Source != probe.SourceAgent {
			t.Fatalf("state %+v", s)
		}
		if es, _ := os.ReadDir(full); len(es) > 0 {
			t.Fatalf("left behind: %v", es)
		}
	})
	t.Run("case 8: disk full everywhere", func(t *testing.T) {
		full := mounted(t, "size=256k")
		bin := smitest.Install(t, smitest.Healthy(1))
		box := toolbox(t, plainTools)
		r := newRig(t, rigOptions{env: map[string]string{"PATH": bin + ":" + box}, scenario: "none"})
		h, _ := r.look(nil, stream.Quote(full+"/rentgen"))
		s := reachPhase(t, h, stream.Live)
		if s.Source != probe.SourceSMI || s.Reason != probe.ReasonDisk {
			t.Fatalf("state %+v", s)
		}
		if es, _ := os.ReadDir(full); len(es) > 0 {
			t.Fatalf("left behind: %v", es)
		}
	})
	t.Run("a directory that others may write to", func(t *testing.T) {
		open, good := t.TempDir(), t.TempDir()
		if err := os.Chmod(open, 0o777); err != nil {
			t.Fatal(err)
		}
		r := newRig(t, rigOptions{})
		h, _ := r.look(nil, stream.Quote(open), stream.Quote(good+"/rentgen"))
		reachPhase(t, h, stream.Live)
		if es, _ := os.ReadDir(open); len(es) > 0 {
			t.Fatalf("used all the same: %v", es)
		}
	})
	t.Run("case 49: another locale", func(t *testing.T) {
		r := newRig(t, rigOptions{env: map[string]string{"LC_ALL": "de_DE.UTF-8", "LANG": "zh_CN.GB18030"}})
		h, l := r.look(nil)
		reachPhase(t, h, stream.Live)
		ticks(t, l, 1)
	})
	t.Run("LD_BIND_NOW is set by the image", func(t *testing.T) {
		r := newRig(t, rigOptions{env: map[string]string{"LD_BIND_NOW": "1"}})
		h, _ := r.look(nil)
		if s := reachPhase(t, h, stream.Live); s.Source != probe.SourceAgent {
			t.Fatalf("state %+v", s)
		}
	})
}

func TestSSHDLogins(t *testing.T) {
	t.Parallel()
	t.Run("encrypted key", func(t *testing.T) {
		r := newRig(t, rigOptions{passphrase: "correct horse"})
		asks := 0
		r.change = func(p *remote.Params) {
			p.Prompt = prompter{secret: func(q remote.SecretQuestion) (string, error) {
				asks++
				return "correct horse", nil
			}}
			p.Secrets = memory
		}
		h, l := r.look(nil)
		reachPhase(t, h, stream.Live)
		ticks(t, l, 1)
		if asks != 1 {
			t.Fatalf("asked %d times", asks)
		}
	})
	t.Run("encrypted key, nobody to ask: failed and left alone", func(t *testing.T) {
		r := newRig(t, rigOptions{passphrase: "correct horse"})
		h, _ := r.look(nil)
		s := reachPhase(t, h, stream.Failed)
		var e *remote.Error
		if !errors.As(s.Err, &e) || e.Stage != remote.StageAuth {
			t.Fatalf("error %v", s.Err)
		}
	})
	t.Run("case 27: through a jump host", func(t *testing.T) {
		jump := newRig(t, rigOptions{})
		r := newRig(t, rigOptions{})
		r.login.Jumps = []remote.Login{jump.login}
		h, l := r.look(nil)
		reachPhase(t, h, stream.Live)
		ticks(t, l, 1)
		if len(jump.server.Connections()) == 0 {
			t.Fatal("not through the jump host")
		}
	})
	t.Run("case 30: the key changed", func(t *testing.T) {
		r := newRig(t, rigOptions{})
		h, l := r.look(nil)
		reachPhase(t, h, stream.Live)
		ticks(t, l, 1)
		h.Stop()
		port := r.server.Port
		r.server.Stop()
		remotetest.SSHD(t, remotetest.SSHDOptions{Port: port})
		h.Start()
		s := reachPhase(t, h, stream.Failed)
		var e *remote.Error
		if !errors.As(s.Err, &e) || e.Kind != remote.KindHostKeyChanged || e.Change == nil || len(e.Change.Old) == 0 {
			t.Fatalf("error %v", s.Err)
		}
	})
	for _, c := range []struct{ name, option string }{
		{"case 50: forced command", `command="echo only backups here" %s`},
		{"case 50: nologin", `command="/usr/sbin/nologin" %s`},
		{"case 50: a menu that waits", `command="echo choose 1 or 2; read x; echo bye" %s`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, rigOptions{authorized: []string{c.option}})
			h, _ := r.look(nil)
			s := reachPhase(t, h, stream.Failed)
			said := ""
			var near *stream.Error
			var far *remote.Error
			switch {
			case errors.As(s.Err, &near) && near.Kind == stream.KindNoCommand:
				said = near.Said
			case errors.As(s.Err, &far) && (far.Kind == remote.KindNoCommand || far.Kind == remote.KindTerminalOnly):
				said = far.Said
			default:
				t.Fatalf("error %v", s.Err)
			}
			if said == "" {
				t.Fatal("what the host said is lost")
			}
		})
	}
}

// memory keeps secrets for the tests of one run.
var memory = remote.NewMemory()

// prompter answers what it was made for and declines the rest.
type prompter struct {
	secret func(remote.SecretQuestion) (string, error)
}

func (p prompter) HostKey(context.Context, remote.HostKeyQuestion) (remote.HostKeyAnswer, error) {
	return remote.HostKeyAnswer{}, errors.New("declined")
}

func (p prompter) Secret(_ context.Context, q remote.SecretQuestion) (remote.SecretAnswer, error) {
	s, err := p.secret(q)
	return remote.SecretAnswer{Secret: s, Remember: true}, err
}

func (p prompter) ProxyCommand(context.Context, string, string) (bool, error) { return false, nil }
