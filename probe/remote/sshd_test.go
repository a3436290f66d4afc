package remote_test

import (
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"rentgen/probe/remote"
	"rentgen/probe/remote/remotetest"
)

// sshd starts OpenSSH for one key and returns how to get in.
func sshd(t *testing.T, o remotetest.SSHDOptions) (*remotetest.SSHDServer, remote.Params) {
	t.Helper()
	key, signer := remotetest.Key(t, t.TempDir(), "key", "ed25519", "")
	if o.Authorized == nil {
		o.Keys = append(o.Keys, signer.PublicKey())
	} else {
		for i, l := range o.Authorized {
			o.Authorized[i] = strings.ReplaceAll(l, "KEY", strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey()))))
		}
	}
	s := remotetest.SSHD(t, o)
	l := login(t, s.User, s.Addr)
	l.Identities = []string{key}
	return s, params(t, l)
}

func TestOpenSSH(t *testing.T) {
	t.Run("key, command, output, exit code", func(t *testing.T) {
		_, p := sshd(t, remotetest.SSHDOptions{HostKeys: []string{"ed25519", "rsa", "ecdsa"}})
		c := dial(t, p)
		if !strings.Contains(c.ServerVersion(), "OpenSSH") {
			t.Errorf("version %q", c.ServerVersion())
		}
		out, err := output(t, c, "echo hello; exit 3")
		var ee *remote.ExitError
		if out != "hello\n" || !errors.As(err, &ee) || ee.Code != 3 {
			t.Errorf("%q, %v", out, err)
		}
		if _, err = output(t, c, "kill -9 $$"); !errors.As(err, &ee) || ee.Signal != "KILL" {
			t.Errorf("%v", err)
		}
		if err := remote.CheckCommand(t.Context(), c, 20*time.Second); err != nil {
			t.Error(err)
		}
		dial(t, p) // known now
	})
	t.Run("encrypted key made by ssh-keygen", func(t *testing.T) {
		gen, err := exec.LookPath("ssh-keygen")
		if err != nil {
			t.Skipf("skipped: %s needs ssh-keygen", t.Name())
		}
		for _, args := range [][]string{{"-t", "ed25519"}, {"-t", "rsa", "-b", "2048"}, {"-t", "rsa", "-b", "2048", "-m", "PEM"}} {
			path := filepath.Join(t.TempDir(), "k")
			if out, err := exec.Command(gen, append(args, "-q", "-N", "open sesame", "-f", path)...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			b, err := os.ReadFile(path + ".pub")
			if err != nil {
				t.Fatal(err)
			}
			pub, _, _, _, err := ssh.ParseAuthorizedKey(b)
			if err != nil {
				t.Fatal(err)
			}
			_, p := sshd(t, remotetest.SSHDOptions{Keys: []ssh.PublicKey{pub}})
			p.Login.Identities = []string{path}
			p.Prompt = &person{secrets: map[string][]string{remote.SecretPassphrase: {"wrong", "open sesame"}}}
			dial(t, p)
			if err := os.Remove(path + ".pub"); err != nil {
				t.Fatal(err)
			}
			p.Prompt = &person{secrets: map[string][]string{remote.SecretPassphrase: {"open sesame"}}}
			dial(t, p)
		}
	})
	t.Run("case 24: encrypted PKCS8 made by openssl's form", func(t *testing.T) {
		gen, err := exec.LookPath("ssh-keygen")
		if err != nil {
			t.Skipf("skipped: %s needs ssh-keygen", t.Name())
		}
		path := filepath.Join(t.TempDir(), "k")
		if out, err := exec.Command(gen, "-q", "-t", "rsa", "-b", "2048", "-m", "PKCS8", "-N", "open sesame", "-f", path).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		_, p := sshd(t, remotetest.SSHDOptions{})
		p.Login.Identities = []string{path}
		refused(t, p, remote.StageAuth, remote.KindKeyFormat)
		// What the text tells to do works.
		if out, err := exec.Command(gen, "-p", "-q", "-P", "open sesame", "-N", "open sesame", "-f", path).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		b, _ := os.ReadFile(path + ".pub")
		pub, _, _, _, err := ssh.ParseAuthorizedKey(b)
		if err != nil {
			t.Fatal(err)
		}
		_, p = sshd(t, remotetest.SSHDOptions{Keys: []ssh.PublicKey{pub}})
		p.Login.Identities = []string{path}
		p.Prompt = &person{secrets: map[string][]string{remote.SecretPassphrase: {"open sesame"}}}
		dial(t, p)
	})
	t.Run("case 28: rsa-sha2 with OpenSSH", func(t *testing.T) {
		key, signer := remotetest.Key(t, t.TempDir(), "rsa", "rsa", "")
		_, p := sshd(t, remotetest.SSHDOptions{Keys: []ssh.PublicKey{signer.PublicKey()}, HostKeys: []string{"rsa"}})
		p.Login.Identities = []string{key}
		dial(t, p)
	})
	t.Run("user and host certificates", func(t *testing.T) {
		ca := remotetest.Signer(t, "ed25519")
		dir := t.TempDir()
		trusted := filepath.Join(dir, "ca.pub")
		if err := os.WriteFile(trusted, ssh.MarshalAuthorizedKey(ca.PublicKey()), 0o644); err != nil {
			t.Fatal(err)
		}
		key, signer := remotetest.Key(t, dir, "user", "ed25519", "")
		hostKey, hostSigner := remotetest.Key(t, dir, "host", "ed25519", "")
		hostCert := filepath.Join(dir, "host-cert.pub")
		c := remotetest.Certify(t, ca, hostSigner.PublicKey(), ssh.HostCert, "127.0.0.1")
		if err := os.WriteFile(hostCert, ssh.MarshalAuthorizedKey(c), 0o644); err != nil {
			t.Fatal(err)
		}
		s, p := sshd(t, remotetest.SSHDOptions{HostKeyFiles: []string{hostKey}, Config: []string{"TrustedUserCAKeys " + trusted, "HostCertificate " + hostCert}})
		p.Login.Identities = []string{key}
		refused(t, p, remote.StageAuth, remote.KindAuth)
		user := remotetest.Certify(t, ca, signer.PublicKey(), ssh.UserCert, s.User)
		if err := os.WriteFile(key+"-cert.pub", ssh.MarshalAuthorizedKey(user), 0o644); err != nil {
			t.Fatal(err)
		}
		dial(t, p)
		p.Known = remote.OpenKnownHosts(filepath.Join(p.Home, "fresh"),
			userFile(t, p, "@cert-authority ["+s.Host+"]:"+portOf(s.Addr)+" "+strings.TrimSpace(string(ssh.MarshalAuthorizedKey(ca.PublicKey())))))
		p.TrustNew = false
		dial(t, p)
	})
	t.Run("jump host", func(t *testing.T) {
		jump, jp := sshd(t, remotetest.SSHDOptions{})
		_, p := sshd(t, remotetest.SSHDOptions{})
		hop := login(t, jump.User, jump.Addr)
		hop.Identities = jp.Login.Identities
		p.Login.Jumps = []remote.Login{hop}
		who := &person{trust: true}
		p.TrustNew, p.Prompt = false, who
		c := dial(t, p)
		if out, err := output(t, c, "echo there"); out != "there\n" || err != nil {
			t.Errorf("%q, %v", out, err)
		}
		if len(who.keys) != 2 {
			t.Errorf("asked about %d keys", len(who.keys))
		}
		jump.KillConnections()
		var e *remote.Error
		if err := ends(t, c); !errors.As(err, &e) || e.Kind != remote.KindLost {
			t.Errorf("Err = %v", err)
		}
	})
	t.Run("case 30: the instance is re-created on the same port", func(t *testing.T) {
		s, p := sshd(t, remotetest.SSHDOptions{})
		dial(t, p)
		s.Stop()
		key, signer := remotetest.Key(t, t.TempDir(), "key", "ed25519", "")
		remotetest.SSHD(t, remotetest.SSHDOptions{Port: s.Port, Keys: []ssh.PublicKey{signer.PublicKey()}})
		p.Login.Identities = []string{key}
		e := refused(t, p, remote.StageHostKey, remote.KindHostKeyChanged)
		if err := p.Known.Replace(e.Change); err != nil {
			t.Fatal(err)
		}
		dial(t, p)
	})
	t.Run("case 16: AllowTcpForwarding no", func(t *testing.T) {
		_, p := sshd(t, remotetest.SSHDOptions{Config: []string{"AllowTcpForwarding no"}})
		c := dial(t, p)
		_, err := c.Dial(t.Context(), "tcp", remotetest.Saying(t, "x"))
		var e *remote.Error
		if !errors.As(err, &e) || e.Kind != remote.KindForwardRefused {
			t.Errorf("%v", err)
		}
		if out, err := output(t, c, "echo works"); out != "works\n" || err != nil {
			t.Errorf("%q, %v", out, err)
		}
	})
	t.Run("forward", func(t *testing.T) {
		_, p := sshd(t, remotetest.SSHDOptions{})
		c := dial(t, p)
		conn, err := c.Dial(t.Context(), "tcp", remotetest.Saying(t, "through"))
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := io.ReadAll(conn); string(b) != "through" {
			t.Errorf("%q", b)
		}
		_, err = c.Dial(t.Context(), "tcp", remotetest.Closed(t))
		var e *remote.Error
		if !errors.As(err, &e) || e.Kind != remote.KindForwardFailed {
			t.Errorf("%v", err)
		}
	})
	t.Run("case 50: ForceCommand", func(t *testing.T) {
		_, p := sshd(t, remotetest.SSHDOptions{Config: []string{"ForceCommand echo This is a menu; exit 0"}})
		var e *remote.Error
		if err := remote.CheckCommand(t.Context(), dial(t, p), 20*time.Second); !errors.As(err, &e) || e.Kind != remote.KindNoCommand || !strings.Contains(e.Said, "menu") {
			t.Errorf("%v", err)
		}
	})
	t.Run("case 50: a nologin text for this key", func(t *testing.T) {
		_, p := sshd(t, remotetest.SSHDOptions{Authorized: []string{`command="echo This account is currently not available.; exit 1" KEY`}})
		var e *remote.Error
		if err := remote.CheckCommand(t.Context(), dial(t, p), 20*time.Second); !errors.As(err, &e) || e.Kind != remote.KindNoCommand || !strings.Contains(e.Said, "not available") {
			t.Errorf("%v", err)
		}
	})
	t.Run("case 1: noisy start files", func(t *testing.T) {
		_, p := sshd(t, remotetest.SSHDOptions{Authorized: []string{`command="head -c 1000 /dev/urandom; echo; echo Welcome; printf no-newline; exec $SSH_ORIGINAL_COMMAND" KEY`}})
		if err := remote.CheckCommand(t.Context(), dial(t, p), 20*time.Second); err != nil {
			t.Error(err)
		}
	})
	t.Run("case 15: a child left behind", func(t *testing.T) {
		_, p := sshd(t, remotetest.SSHDOptions{})
		c := dial(t, p)
		proc, err := c.Start(t.Context(), "sleep 30 & echo $!")
		if err != nil {
			t.Fatal(err)
		}
		if err := proc.Wait(); err != nil {
			t.Errorf("Wait = %v", err)
		}
		out, _ := io.ReadAll(proc.Stdout())
		if _, err := output(t, c, "kill "+strings.TrimSpace(string(out))); err != nil {
			t.Errorf("the child: %v", err)
		}
	})
	// OpenSSH passes no signals on to a login of root, so the end must be seen
	// from the input or the output.
	for name, command := range map[string]string{
		"reads its input":    "echo $$; exec cat",
		"writes its output":  "echo $$; while :; do echo tick; sleep 0.1; done",
		"reads from a shell": remote.Shell,
	} {
		t.Run("Close ends a command that "+name, func(t *testing.T) {
			_, p := sshd(t, remotetest.SSHDOptions{})
			c := dial(t, p)
			proc, err := c.Start(t.Context(), command)
			if err != nil {
				t.Fatal(err)
			}
			if command == remote.Shell {
				_, _ = io.WriteString(proc.Stdin(), "echo $$\n")
			}
			buf := make([]byte, 32)
			n, err := proc.Stdout().Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			pid, _, _ := strings.Cut(string(buf[:n]), "\n")
			_ = proc.Close()
			if err := proc.Wait(); !errors.Is(err, net.ErrClosed) {
				t.Errorf("Wait = %v", err)
			}
			deadline := time.NewTimer(20 * time.Second)
			defer deadline.Stop()
			for {
				if _, err := output(t, c, "kill -0 "+pid); err != nil {
					break
				}
				select {
				case <-deadline.C:
					t.Fatalf("%s lives on", pid)
				default:
				}
			}
		})
	}
	t.Run("case 20: a dead peer", func(t *testing.T) {
		s, p := sshd(t, remotetest.SSHDOptions{})
		proxy := remotetest.NewProxy(t, s.Addr)
		p.Login.Host, p.Login.Port = "127.0.0.1", portNumber(t, proxy.Addr)
		p.KeepAlive, p.KeepAliveTimeout = 50*time.Millisecond, 2*time.Second
		c := dial(t, p)
		proxy.Stop()
		var e *remote.Error
		if err := ends(t, c); !errors.As(err, &e) || e.Kind != remote.KindLost {
			t.Errorf("Err = %v", err)
		}
	})
	t.Run("case 23: too many keys for MaxAuthTries", func(t *testing.T) {
		_, p := sshd(t, remotetest.SSHDOptions{Config: []string{"MaxAuthTries 2"}})
		socket, _ := startAgent(t, 6, "")
		p.Agent = socket
		dial(t, p) // the named key comes first
		p.Login.Identities = nil
		refused(t, p, remote.StageAuth, remote.KindTooManyKeys)
	})
}

func TestOpenSSHPassword(t *testing.T) {
	account := remotetest.Account(t)
	for name, c := range map[string]struct{ config []string }{
		"password":             {[]string{"PasswordAuthentication yes"}},
		"keyboard-interactive": {[]string{"UsePAM yes", "KbdInteractiveAuthentication yes"}},
		"both":                 {[]string{"UsePAM yes", "PasswordAuthentication yes", "KbdInteractiveAuthentication yes"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := remotetest.SSHD(t, remotetest.SSHDOptions{Config: c.config})
			p := params(t, login(t, account.User, s.Addr))
			p.Password = account.Password
			conn := dial(t, p)
			if out, err := output(t, conn, "id -un"); out != account.User+"\n" || err != nil {
				t.Errorf("%q, %v\n%s", out, err, s.Log())
			}
			p.Password = "wrong"
			refused(t, p, remote.StageAuth, remote.KindPasswordWrong)
			p.Prompt = &person{secrets: map[string][]string{remote.SecretPassword: {account.Password}}}
			dial(t, p)
			p.Password = ""
			dial(t, p)
		})
	}
	t.Run("case 50: nologin shell", func(t *testing.T) {
		nologin := remotetest.AccountWithShell(t, "/usr/sbin/nologin")
		s := remotetest.SSHD(t, remotetest.SSHDOptions{Config: []string{"PasswordAuthentication yes"}})
		p := params(t, login(t, nologin.User, s.Addr))
		p.Password = nologin.Password
		var e *remote.Error
		if err := remote.CheckCommand(t.Context(), dial(t, p), 20*time.Second); !errors.As(err, &e) || e.Kind != remote.KindNoCommand || !strings.Contains(e.Said, "not available") {
			t.Errorf("%v", err)
		}
	})
}

func portOf(addr string) string {
	_, port, _ := net.SplitHostPort(addr)
	return port
}

func portNumber(t *testing.T, addr string) int { return login(t, "", addr).Port }
