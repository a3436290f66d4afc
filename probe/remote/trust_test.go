package remote_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"
	xknownhosts "golang.org/x/crypto/ssh/knownhosts"
	"rentgen/probe/remote"
	"rentgen/probe/remote/remotetest"
)

// userFile writes the user's known_hosts of a fresh home.
func userFile(t *testing.T, p remote.Params, lines ...string) string {
	t.Helper()
	path := p.Home + "/known_hosts"
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestUserKnownHosts(t *testing.T) {
	three := []ssh.Signer{remotetest.Signer(t, "ed25519"), remotetest.Signer(t, "rsa"), remotetest.Signer(t, "ecdsa")}
	other := remotetest.Signer(t, "ed25519").PublicKey()
	ca := remotetest.Signer(t, "ed25519")
	strict := func(t *testing.T, s *remotetest.Server) remote.Params {
		p := params(t, login(t, "root", s.Addr))
		p.TrustNew = false
		return p
	}
	for i, name := range []string{"ed25519", "rsa", "ecdsa"} {
		t.Run("case 17: three keys offered, only "+name+" known", func(t *testing.T) {
			s := remotetest.New(t, remotetest.Options{NoAuth: true, HostKeys: three})
			p := strict(t, s)
			userFile(t, p, "# comment", "broken line", knownhosts.Line([]string{s.Addr}, three[i].PublicKey()))
			dial(t, p)
		})
		t.Run("case 17: three keys offered, our own file knows "+name, func(t *testing.T) {
			one := remotetest.New(t, remotetest.Options{NoAuth: true, HostKeys: three[i : i+1]})
			all := remotetest.New(t, remotetest.Options{NoAuth: true, HostKeys: three})
			p := params(t, login(t, "root", one.Addr))
			p.Login.Options = map[string]string{"HostKeyAlias": "box"}
			dial(t, p)
			p.Login.Port, p.TrustNew = all.Port, false
			dial(t, p)
		})
	}
	t.Run("case 18: an authority's line beside a plain key", func(t *testing.T) {
		s := remotetest.New(t, remotetest.Options{NoAuth: true, HostKeys: three})
		p := strict(t, s)
		userFile(t, p, "@cert-authority *.example.com "+string(bytes.TrimSpace(ssh.MarshalAuthorizedKey(ca.PublicKey()))),
			"@cert-authority "+knownhosts.Line([]string{s.Addr}, ca.PublicKey()), knownhosts.Line([]string{s.Addr}, three[1].PublicKey()))
		dial(t, p)
	})
	t.Run("case 18: an authority's line alone is no key of the machine", func(t *testing.T) {
		s := remotetest.New(t, remotetest.Options{NoAuth: true, HostKeys: three})
		p := strict(t, s)
		userFile(t, p, "@cert-authority "+knownhosts.Line([]string{s.Addr}, ca.PublicKey()))
		refused(t, p, remote.StageHostKey, remote.KindHostKeyUnknown)
	})
	t.Run("host certificate", func(t *testing.T) {
		cert, err := ssh.NewCertSigner(remotetest.Certify(t, ca, three[0].PublicKey(), ssh.HostCert, "127.0.0.1"), three[0])
		if err != nil {
			t.Fatal(err)
		}
		s := remotetest.New(t, remotetest.Options{NoAuth: true, HostKeys: []ssh.Signer{cert, three[0]}})
		p := strict(t, s)
		userFile(t, p, "@cert-authority "+knownhosts.Line([]string{s.Addr}, ca.PublicKey()))
		dial(t, p)
		userFile(t, p, "@cert-authority "+knownhosts.Line([]string{s.Addr}, other))
		refused(t, p, remote.StageHostKey, remote.KindHostKeyUnknown)
	})
	t.Run("revoked", func(t *testing.T) {
		s := remotetest.New(t, remotetest.Options{NoAuth: true, HostKeys: three[:1]})
		p := strict(t, s)
		p.TrustNew = true
		dial(t, p) // known in our own file
		userFile(t, p, "@revoked * "+string(bytes.TrimSpace(ssh.MarshalAuthorizedKey(three[0].PublicKey()))))
		if e := refused(t, p, remote.StageHostKey, remote.KindHostKeyRevoked); e.ExitCode() != 67 {
			t.Errorf("exit code %d", e.ExitCode())
		}
	})
	t.Run("changed against the user's file; replaced in ours only", func(t *testing.T) {
		s := remotetest.New(t, remotetest.Options{NoAuth: true, HostKeys: three[:1]})
		p := strict(t, s)
		p.TrustNew = true // never accepts a changed one
		file := userFile(t, p, knownhosts.Line([]string{s.Addr}, other))
		before, _ := os.ReadFile(file)
		e := refused(t, p, remote.StageHostKey, remote.KindHostKeyChanged)
		if len(e.Change.Old) != 1 || e.Change.Old[0].Fingerprint != ssh.FingerprintSHA256(other) || !strings.Contains(e.Change.Old[0].Where, "known_hosts:1") {
			t.Fatalf("change %+v", e.Change)
		}
		if err := p.Known.Replace(e.Change); err != nil {
			t.Fatal(err)
		}
		dial(t, p)
		if after, _ := os.ReadFile(file); !bytes.Equal(before, after) {
			t.Error("the user's file was written")
		}
	})
	t.Run("a machine that lost the known kind of key is a changed one", func(t *testing.T) {
		s := remotetest.New(t, remotetest.Options{NoAuth: true, HostKeys: three[:1]})
		p := strict(t, s)
		userFile(t, p, knownhosts.Line([]string{s.Addr}, three[1].PublicKey()))
		refused(t, p, remote.StageHostKey, remote.KindHostKeyChanged)
	})
	t.Run("hashed and wildcard lines", func(t *testing.T) {
		s := remotetest.New(t, remotetest.Options{NoAuth: true, HostKeys: three[:1]})
		p := strict(t, s)
		key := string(bytes.TrimSpace(ssh.MarshalAuthorizedKey(three[0].PublicKey())))
		userFile(t, p, "127.0.0.* "+key)
		dial(t, p)
		userFile(t, p, xknownhosts.HashHostname(knownhosts.Normalize(s.Addr))+" "+key)
		dial(t, p)
	})
	t.Run("a user's file that can't be read is worth a word", func(t *testing.T) {
		s := remotetest.New(t, remotetest.Options{NoAuth: true, HostKeys: three[:1]})
		p := strict(t, s)
		userFile(t, p, "broken")
		p.TrustNew = true
		var notices []string
		p.Notice = func(n remote.Notice) { notices = append(notices, n.Code) }
		dial(t, p)
		if strings.Join(notices, " ") != "known-hosts-unreadable" {
			t.Errorf("notices %q", notices)
		}
	})
	t.Run("lines of ours that we can't read stay", func(t *testing.T) {
		s := remotetest.New(t, remotetest.Options{NoAuth: true})
		p := params(t, login(t, "root", s.Addr))
		own := p.Home + "/known"
		if err := os.WriteFile(own, []byte("future p1 something\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		p.Known = remote.OpenKnownHosts(own, "")
		p.Profile = "a profile/with space"
		dial(t, p)
		keys, err := p.Known.Keys(p.Profile)
		if err != nil || len(keys[s.Addr]) != 1 || keys[s.Addr][0].Fingerprint != ssh.FingerprintSHA256(s.Keys[0].PublicKey()) {
			t.Fatalf("keys %+v, %v", keys, err)
		}
		if err := p.Known.Forget(p.Profile); err != nil {
			t.Fatal(err)
		}
		b, _ := os.ReadFile(own)
		if !strings.Contains(string(b), "future p1 something") || strings.Contains(string(b), "ssh-ed25519") {
			t.Errorf("file %q", b)
		}
	})
}

func TestJumpHosts(t *testing.T) {
	chain := func(t *testing.T) (jump, target *remotetest.Server, p remote.Params) {
		jump = remotetest.New(t, remotetest.Options{Password: "one"})
		target = remotetest.New(t, remotetest.Options{Password: "two"})
		l := login(t, "root", target.Addr)
		l.Jumps = []remote.Login{login(t, "hop", jump.Addr)}
		p = params(t, l)
		p.Password = "two"
		p.Secrets = remote.NewMemory()
		if err := p.Secrets.Set("p1", remote.SecretPassword, l.Jumps[0].Hop(), "one"); err != nil {
			t.Fatal(err)
		}
		return jump, target, p
	}
	t.Run("through one", func(t *testing.T) {
		jump, _, p := chain(t)
		c := dial(t, p)
		if out, err := output(t, c, "echo there"); out != "there\n" || err != nil {
			t.Fatalf("%q, %v", out, err)
		}
		jump.Cut()
		if err := ends(t, c); err == nil {
			t.Error("no reason")
		}
	})
	t.Run("case 27: every hop under its own name", func(t *testing.T) {
		jump, target, p := chain(t)
		who := &person{trust: true}
		p.TrustNew, p.Prompt = false, who
		dial(t, p)
		if len(who.keys) != 2 || who.keys[0].Addr != jump.Addr || !who.keys[0].Jump || who.keys[1].Addr != target.Addr || who.keys[1].Jump {
			t.Fatalf("asked %+v", who.keys)
		}
	})
	for _, wrong := range []string{"jump host", "target"} {
		t.Run("case 27: wrong key of the "+wrong, func(t *testing.T) {
			jump, target, p := chain(t)
			addr := jump.Addr
			if wrong == "target" {
				addr = target.Addr
			}
			userFile(t, p, knownhosts.Line([]string{addr}, remotetest.Signer(t, "ed25519").PublicKey()))
			e := refused(t, p, remote.StageHostKey, remote.KindHostKeyChanged)
			if e.Change.Addr != addr || !strings.HasSuffix(e.Hop, addr) {
				t.Errorf("change of %s at %s, want %s", e.Change.Addr, e.Hop, addr)
			}
			if wrong == "jump host" && (len(jump.Attempts()) != 0 || target.Accepted() != 0) {
				t.Error("something was sent past the wrong key")
			}
			if len(target.Attempts()) != 0 {
				t.Error("the target got a secret")
			}
		})
	}
	t.Run("a password goes to its own hop only", func(t *testing.T) {
		_, target, p := chain(t)
		p.Secrets = nil
		e := refused(t, p, remote.StageAuth, remote.KindNoOneToAsk)
		if !strings.HasPrefix(e.Hop, "hop@") || target.Accepted() != 0 {
			t.Errorf("hop %s", e.Hop)
		}
	})
	t.Run("case 16: a jump host that does not forward", func(t *testing.T) {
		jump := remotetest.New(t, remotetest.Options{NoAuth: true, RefuseForward: true})
		l := login(t, "root", "127.0.0.1:22")
		l.Jumps = []remote.Login{login(t, "hop", jump.Addr)}
		refused(t, params(t, l), remote.StageDial, remote.KindForwardRefused)
	})
	t.Run("nothing behind the jump host", func(t *testing.T) {
		jump := remotetest.New(t, remotetest.Options{NoAuth: true})
		l := login(t, "root", remotetest.Closed(t))
		l.Jumps = []remote.Login{login(t, "hop", jump.Addr)}
		e := refused(t, params(t, l), remote.StageDial, remote.KindForwardFailed)
		if !strings.Contains(e.Said, "refused") {
			t.Errorf("said %q", e.Said)
		}
	})
	t.Run("a circle", func(t *testing.T) {
		l := login(t, "root", "127.0.0.1:22")
		l.Jumps = []remote.Login{l}
		refused(t, params(t, l), remote.StageResolve, remote.KindJumpLoop)
	})
}
