package remote_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"rentgen/probe/remote"
	"rentgen/probe/remote/remotetest"
)

func TestDialRunsACommand(t *testing.T) {
	s := remotetest.New(t, remotetest.Options{Password: "secret"})
	p := params(t, login(t, "root", s.Addr))
	p.Password = "secret"
	var stages []string
	p.Progress = func(st remote.Stage, _ string) { stages = append(stages, string(st)) }
	c := dial(t, p)
	if got := strings.Join(stages, " "); got != "resolve dial handshake hostkey auth" {
		t.Errorf("stages %q", got)
	}
	out, err := output(t, c, "echo hello; exit 3")
	var exit *remote.ExitError
	if out != "hello\n" || !errors.As(err, &exit) || exit.Code != 3 {
		t.Errorf("out %q, %v", out, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := ends(t, c); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Err = %v", err)
	}
	if _, err := c.Start(t.Context(), "true"); err == nil {
		t.Error("a command starts on a closed connection")
	}
}

func TestDialFailures(t *testing.T) {
	quick := func(t *testing.T, addr string) remote.Params {
		p := params(t, login(t, "root", addr))
		p.HandshakeTimeout = 300 * time.Millisecond
		return p
	}
	t.Run("case 19: silent after the TCP connect", func(t *testing.T) {
		refused(t, quick(t, remotetest.Silent(t)), remote.StageHandshake, remote.KindSilent)
	})
	t.Run("case 5: an error carries stage and last words", func(t *testing.T) {
		e := refused(t, params(t, login(t, "root", remotetest.Saying(t, "HTTP/1.1 400 Bad Request\r\n\r\n"))), remote.StageHandshake, remote.KindNotSSH)
		if !strings.Contains(e.Said, "400 Bad Request") || !strings.Contains(e.Error(), "handshake") {
			t.Errorf("said %q, error %v", e.Said, e)
		}
	})
	t.Run("busy", func(t *testing.T) {
		refused(t, params(t, login(t, "root", remotetest.Saying(t, "Exceeded MaxStartups\r\n"))), remote.StageHandshake, remote.KindBusy)
	})
	t.Run("closed at once", func(t *testing.T) {
		refused(t, params(t, login(t, "root", remotetest.Saying(t, ""))), remote.StageHandshake, remote.KindClosed)
	})
	t.Run("nothing listens", func(t *testing.T) {
		refused(t, params(t, login(t, "root", remotetest.Closed(t))), remote.StageDial, remote.KindRefused)
	})
	t.Run("no such name", func(t *testing.T) {
		l := remote.Login{User: "root", Host: "no-such-host.invalid"}
		refused(t, params(t, l), remote.StageResolve, remote.KindResolve)
	})
	t.Run("stuck after its version", func(t *testing.T) {
		refused(t, quick(t, remotetest.Saying(t, "SSH-2.0-stuck\r\n")+""), remote.StageHandshake, remote.KindLost)
	})
	t.Run("terminal only", func(t *testing.T) {
		refused(t, params(t, remote.Login{User: "x", Host: "ssh.runpod.io"}), remote.StageResolve, remote.KindTerminalOnly)
		alias := remote.Login{User: "x", Host: "pod", Options: map[string]string{"HostName": "ssh.runpod.io"}}
		refused(t, params(t, alias), remote.StageResolve, remote.KindTerminalOnly)
	})
}

func TestDialCancelled(t *testing.T) {
	silent := remotetest.Silent(t)
	p := params(t, login(t, "root", silent))
	ctx, cancel := context.WithCancel(t.Context())
	p.Progress = func(s remote.Stage, _ string) {
		if s == remote.StageHandshake {
			cancel()
		}
	}
	_, err := remote.Dial(ctx, p)
	var e *remote.Error
	if !errors.As(err, &e) || e.Kind != remote.KindCancelled || e.ExitCode() != 130 {
		t.Fatalf("%v", err)
	}
	_, err = remote.Dial(ctx, p)
	if !errors.As(err, &e) || e.Kind != remote.KindCancelled {
		t.Fatalf("already cancelled: %v", err)
	}
}

func TestDeadlineStandsStillWhileAsking(t *testing.T) {
	s := remotetest.New(t, remotetest.Options{Password: "secret"})
	p := params(t, login(t, "root", s.Addr))
	p.TrustNew = false
	p.Password = "secret"
	p.HandshakeTimeout = 3 * time.Second
	timer := time.NewTimer(3500 * time.Millisecond)
	defer timer.Stop()
	p.Prompt = &person{trust: true, whileAsked: func() { <-timer.C }}
	dial(t, p)
}

func TestHostKeys(t *testing.T) {
	canary := "canary-password-7f3a"
	with := func(o remotetest.Options) remotetest.Options { o.Password = canary; return o }
	t.Run("first sight asks before any secret and remembers", func(t *testing.T) {
		s := remotetest.New(t, with(remotetest.Options{}))
		p := params(t, login(t, "root", s.Addr))
		p.Password, p.TrustNew = canary, false
		refused(t, p, remote.StageHostKey, remote.KindHostKeyUnknown)
		no := &person{}
		p.Prompt = no
		e := refused(t, p, remote.StageHostKey, remote.KindHostKeyUnknown)
		if e.ExitCode() != 67 || len(s.Attempts()) != 0 {
			t.Fatalf("exit code %d, attempts %q", e.ExitCode(), s.Attempts())
		}
		if len(no.keys) != 1 || no.keys[0].Key.Fingerprint != ssh.FingerprintSHA256(s.Keys[0].PublicKey()) || no.keys[0].Key.Type != "ssh-ed25519" {
			t.Fatalf("asked %+v", no.keys)
		}
		yes := &person{trust: true}
		p.Prompt = yes
		dial(t, p)
		dial(t, p)
		if len(yes.keys) != 1 {
			t.Errorf("asked %d times", len(yes.keys))
		}
		// Another profile at the same address meets it for the first time.
		p.Profile, p.Prompt = "p2", nil
		refused(t, p, remote.StageHostKey, remote.KindHostKeyUnknown)
	})
	t.Run("case 30: a changed key blocks until it is replaced on purpose", func(t *testing.T) {
		first := remotetest.New(t, with(remotetest.Options{}))
		l := login(t, "root", first.Addr)
		l.Options = map[string]string{"HostKeyAlias": "box"}
		p := params(t, l)
		p.Password = canary
		dial(t, p)
		second := remotetest.New(t, with(remotetest.Options{}))
		p.Login = login(t, "root", second.Addr)
		p.Login.Options = l.Options
		p.Prompt = &person{trust: true} // asking is not enough
		e := refused(t, p, remote.StageHostKey, remote.KindHostKeyChanged)
		if len(e.Change.Old) != 1 || e.Change.Old[0].Fingerprint != ssh.FingerprintSHA256(first.Keys[0].PublicKey()) ||
			e.Change.New.Fingerprint != ssh.FingerprintSHA256(second.Keys[0].PublicKey()) {
			t.Fatalf("change %+v", e.Change)
		}
		if len(second.Attempts()) != 0 {
			t.Fatalf("something was sent: %q", second.Attempts())
		}
		other := p
		other.Profile = "p2"
		dial(t, other)
		if err := p.Known.Replace(e.Change); err != nil {
			t.Fatal(err)
		}
		dial(t, p)
		p.Login = l
		refused(t, p, remote.StageHostKey, remote.KindHostKeyChanged)
		if err := p.Known.Forget("p1"); err != nil {
			t.Fatal(err)
		}
		p.TrustNew, p.Prompt = false, nil
		refused(t, p, remote.StageHostKey, remote.KindHostKeyUnknown)
	})
	t.Run("nothing secret in any file", func(t *testing.T) {
		s := remotetest.New(t, with(remotetest.Options{}))
		p := params(t, login(t, "root", s.Addr))
		p.Password = canary
		dial(t, p)
		files := 0
		_ = filepath.WalkDir(p.Home, func(path string, d os.DirEntry, _ error) error {
			if b, err := os.ReadFile(path); err == nil {
				files++
				if strings.Contains(string(b), canary) {
					t.Errorf("the password stands in %s", path)
				}
			}
			return nil
		})
		if files == 0 {
			t.Error("no file was written, so nothing was checked")
		}
	})
}

func TestLinkEnds(t *testing.T) {
	s := remotetest.New(t, remotetest.Options{NoAuth: true})
	t.Run("link cut", func(t *testing.T) {
		c := dial(t, params(t, login(t, "root", s.Addr)))
		p, err := c.Start(t.Context(), "cat")
		if err != nil {
			t.Fatal(err)
		}
		s.Cut()
		var e *remote.Error
		if err := ends(t, c); !errors.As(err, &e) || e.Kind != remote.KindLost || e.Stage != remote.StageSession {
			t.Errorf("Err = %v", err)
		}
		if err := p.Wait(); err == nil {
			t.Error("the command ended well on a cut link")
		}
	})
	t.Run("case 20: a dead peer is noticed by our own timer", func(t *testing.T) {
		proxy := remotetest.NewProxy(t, s.Addr)
		pp := params(t, login(t, "root", proxy.Addr))
		pp.KeepAlive, pp.KeepAliveTimeout = 50*time.Millisecond, 2*time.Second
		c := dial(t, pp)
		p, err := c.Start(t.Context(), "cat")
		if err != nil {
			t.Fatal(err)
		}
		proxy.Stop()
		var e *remote.Error
		if err := ends(t, c); !errors.As(err, &e) || e.Kind != remote.KindLost {
			t.Errorf("Err = %v", err)
		}
		if err := p.Wait(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("Wait = %v", err)
		}
	})
}
