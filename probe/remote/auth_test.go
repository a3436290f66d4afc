package remote_test

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"rentgen/probe/remote"
	"rentgen/probe/remote/remotetest"
)

// startAgent serves a key agent that holds n keys, the last of them wanted.
func startAgent(t *testing.T, n int, wanted string) (socket string, keys []ssh.PublicKey) {
	t.Helper()
	ring := agent.NewKeyring()
	for i := range n {
		name := filepath.Join(t.TempDir(), "k")
		path, signer := remotetest.Key(t, filepath.Dir(name), "k", "ed25519", "")
		if i == n-1 && wanted != "" {
			path = wanted
			b, err := os.ReadFile(wanted + ".pub")
			if err != nil {
				t.Fatal(err)
			}
			pub, _, _, _, err := ssh.ParseAuthorizedKey(b)
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, pub)
		} else {
			keys = append(keys, signer.PublicKey())
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		key, err := ssh.ParseRawPrivateKey(b)
		if err != nil {
			t.Fatal(err)
		}
		if err := ring.Add(agent.AddedKey{PrivateKey: key}); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := os.MkdirTemp("", "agent") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Skipf("skipped: %s needs unix sockets: %v", t.Name(), err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _ = agent.ServeAgent(ring, c); _ = c.Close() }()
		}
	}()
	return l.Addr().String(), keys
}

func counted(all []string, prefix string) int {
	n := 0
	for _, a := range all {
		if strings.HasPrefix(a, prefix) {
			n++
		}
	}
	return n
}

func TestKeys(t *testing.T) {
	dir := t.TempDir()
	plain, plainKey := remotetest.Key(t, dir, "plain", "ed25519", "")
	locked, lockedKey := remotetest.Key(t, dir, "locked", "ed25519", "open sesame")
	rsaPath, rsaKey := remotetest.Key(t, dir, "rsa", "rsa", "")
	all := []ssh.PublicKey{plainKey.PublicKey(), lockedKey.PublicKey(), rsaKey.PublicKey()}
	with := func(t *testing.T, s *remotetest.Server, ids ...string) remote.Params {
		l := login(t, "root", s.Addr)
		l.Identities = ids
		return params(t, l)
	}
	t.Run("named key", func(t *testing.T) {
		dial(t, with(t, remotetest.New(t, remotetest.Options{Keys: all}), plain))
	})
	t.Run("case 28: rsa key, sha2 signatures only", func(t *testing.T) {
		s := remotetest.New(t, remotetest.Options{Keys: all, Config: func(c *ssh.ServerConfig) {
			c.PublicKeyAuthAlgorithms = []string{ssh.KeyAlgoRSASHA256, ssh.KeyAlgoRSASHA512}
		}})
		dial(t, with(t, s, rsaPath))
	})
	t.Run("encrypted key asks until it is right", func(t *testing.T) {
		s := remotetest.New(t, remotetest.Options{Keys: all})
		p := with(t, s, locked)
		who := &person{secrets: map[string][]string{remote.SecretPassphrase: {"wrong", "open sesame"}}, remember: true}
		p.Prompt, p.Secrets = who, remote.NewMemory()
		dial(t, p)
		if q := who.asked(); len(q) != 2 || q[0].File != locked || q[0].Attempt != 1 || q[1].Attempt != 2 || q[0].Kind != remote.SecretPassphrase {
			t.Fatalf("asked %+v", q)
		}
		p.Prompt = nil
		dial(t, p) // remembered
	})
	t.Run("encrypted key that the host does not take asks nothing", func(t *testing.T) {
		s := remotetest.New(t, remotetest.Options{Keys: []ssh.PublicKey{plainKey.PublicKey()}})
		p := with(t, s, locked)
		who := &person{secrets: map[string][]string{remote.SecretPassphrase: {"open sesame"}}}
		p.Prompt = who
		refused(t, p, remote.StageAuth, remote.KindAuth)
		if len(who.asked()) != 0 {
			t.Errorf("asked %+v", who.asked())
		}
	})
	t.Run("wrong passphrase three times", func(t *testing.T) {
		p := with(t, remotetest.New(t, remotetest.Options{Keys: all}), locked)
		who := &person{secrets: map[string][]string{remote.SecretPassphrase: {"wrong"}}}
		p.Prompt = who
		e := refused(t, p, remote.StageAuth, remote.KindPassphrase)
		if e.ExitCode() != 66 || e.Subject != locked || len(who.asked()) != 3 {
			t.Errorf("exit code %d, subject %q, asked %d times", e.ExitCode(), e.Subject, len(who.asked()))
		}
	})
	t.Run("nobody to ask for the passphrase", func(t *testing.T) {
		p := with(t, remotetest.New(t, remotetest.Options{Keys: all}), locked)
		if e := refused(t, p, remote.StageAuth, remote.KindNoOneToAsk); e.Subject != locked {
			t.Errorf("subject %q", e.Subject)
		}
	})
	t.Run("declined", func(t *testing.T) {
		p := with(t, remotetest.New(t, remotetest.Options{Keys: all, Password: "x"}), locked)
		p.Prompt = &person{declines: true}
		refused(t, p, remote.StageAuth, remote.KindCancelled)
	})
	t.Run("default key", func(t *testing.T) {
		s := remotetest.New(t, remotetest.Options{})
		p := with(t, s)
		ssh := filepath.Join(p.Home, ".ssh")
		if err := os.MkdirAll(ssh, 0o700); err != nil {
			t.Fatal(err)
		}
		_, k := remotetest.Key(t, ssh, "id_ecdsa", "ecdsa", "")
		s2 := remotetest.New(t, remotetest.Options{Keys: []gossh{k.PublicKey()}})
		p.Login = login(t, "root", s2.Addr)
		dial(t, p)
	})
	t.Run("forms that can't be read", func(t *testing.T) {
		s := remotetest.New(t, remotetest.Options{Keys: all})
		for name, c := range map[string]struct {
			text, notice string
			kind         remote.Kind
		}{
			"case 24: encrypted PKCS8": {"-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n", "key-format-pkcs8", remote.KindKeyFormat},
			"putty":                    {"PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n", "key-format-ppk", remote.KindKeyFormat},
			"public":                   {string(ssh.MarshalAuthorizedKey(plainKey.PublicKey())), "key-format-public", remote.KindKeyFormat},
			"junk":                     {"hello", "key-format-unknown", remote.KindKeyFormat},
			"missing":                  {"", "key-missing", remote.KindKeyMissing},
		} {
			t.Run(name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "k")
				if c.text != "" {
					if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				p := with(t, s, path)
				e := refused(t, p, remote.StageAuth, c.kind)
				if e.Subject != path || e.ExitCode() != 66 {
					t.Errorf("subject %q, exit code %d", e.Subject, e.ExitCode())
				}
				// With another way in it is worth a word only.
				both := remotetest.New(t, remotetest.Options{Password: "x"})
				var notices []string
				p.Login = login(t, "root", both.Addr)
				p.Login.Identities = []string{path}
				p.Password = "x"
				p.Notice = func(n remote.Notice) { notices = append(notices, n.Code) }
				both2 := remotetest.New(t, remotetest.Options{Password: "x", Keys: all})
				p.Login.Port = both2.Port
				dial(t, p)
				if !slices.Contains(notices, c.notice) {
					t.Errorf("notices %q, want %s", notices, c.notice)
				}
			})
		}
	})
	t.Run("a key that others may read is used with a notice", func(t *testing.T) {
		path, k := remotetest.Key(t, t.TempDir(), "open", "ed25519", "")
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
		p := with(t, remotetest.New(t, remotetest.Options{Keys: []gossh{k.PublicKey()}}), path)
		var notices []string
		p.Notice = func(n remote.Notice) { notices = append(notices, n.Code) }
		dial(t, p)
		if !slices.Equal(notices, []string{"key-permissions"}) {
			t.Errorf("notices %q", notices)
		}
	})
	t.Run("a key with Windows line ends", func(t *testing.T) {
		b, err := os.ReadFile(plain)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "crlf")
		if err := os.WriteFile(path, bytes.ReplaceAll(b, []byte("\n"), []byte(" \r\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		dial(t, with(t, remotetest.New(t, remotetest.Options{Keys: all}), path))
	})
	t.Run("certificate", func(t *testing.T) {
		ca := remotetest.Signer(t, "ed25519")
		cert := remotetest.Certify(t, ca, plainKey.PublicKey(), ssh.UserCert, "root")
		check := &ssh.CertChecker{IsUserAuthority: func(k ssh.PublicKey) bool { return bytes.Equal(k.Marshal(), ca.PublicKey().Marshal()) }}
		s := remotetest.New(t, remotetest.Options{Config: func(c *ssh.ServerConfig) { c.PublicKeyCallback = check.Authenticate }})
		named := filepath.Join(t.TempDir(), "c.pub")
		if err := os.WriteFile(named, ssh.MarshalAuthorizedKey(cert), 0o600); err != nil {
			t.Fatal(err)
		}
		p := with(t, s, plain)
		refused(t, p, remote.StageAuth, remote.KindAuth)
		p.Login.Certificates = []string{named}
		dial(t, p)
		p.Login.Certificates = nil
		if err := os.WriteFile(plain+"-cert.pub", ssh.MarshalAuthorizedKey(cert), 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(plain + "-cert.pub")
		dial(t, p)
	})
	t.Run("case 23: ten keys in the agent, the named one first", func(t *testing.T) {
		socket, keys := startAgent(t, 10, plain)
		s := remotetest.New(t, remotetest.Options{Keys: []gossh{keys[9]}})
		p := with(t, s, plain)
		p.Agent = socket
		dial(t, p)
		if got := s.Attempts(); len(got) == 0 || !strings.HasPrefix(got[0], "publickey "+ssh.FingerprintSHA256(keys[9])) {
			t.Errorf("attempts %q", got)
		}
		// Unnamed: at most four are shown, and the password still has its turn.
		s = remotetest.New(t, remotetest.Options{Keys: []gossh{keys[9]}, Password: "x"})
		p = with(t, s)
		p.Agent, p.Password = socket, "x"
		dial(t, p)
		if n := counted(s.Attempts(), "publickey"); n == 0 || n > 4 {
			t.Errorf("%d keys shown: %q", n, s.Attempts())
		}
		// A host of little patience: the keys nobody named are left out then.
		s = remotetest.New(t, remotetest.Options{Keys: []gossh{keys[9]}, Password: "x", MaxTries: 2})
		p.Login = login(t, "root", s.Addr)
		dial(t, p)
		// Nothing but keys: it says what happened.
		s = remotetest.New(t, remotetest.Options{Keys: []gossh{keys[9]}, MaxTries: 2})
		p.Login, p.Password = login(t, "root", s.Addr), ""
		refused(t, p, remote.StageAuth, remote.KindTooManyKeys)
		// IdentitiesOnly keeps the agent's others out.
		s = remotetest.New(t, remotetest.Options{Keys: []gossh{keys[0]}})
		p.Login = login(t, "root", s.Addr)
		p.Login.Options = map[string]string{"IdentitiesOnly": "yes"}
		refused(t, p, remote.StageAuth, remote.KindAuth)
	})
	t.Run("the agent opens an encrypted key", func(t *testing.T) {
		// Only the public half is on disk; the agent holds the private one.
		path := filepath.Join(t.TempDir(), "half")
		if err := os.WriteFile(path+".pub", ssh.MarshalAuthorizedKey(plainKey.PublicKey()), 0o600); err != nil {
			t.Fatal(err)
		}
		socket, _ := startAgent(t, 2, plain)
		p := with(t, remotetest.New(t, remotetest.Options{Keys: all}), path)
		p.Agent = socket
		dial(t, p)
	})
	t.Run("an agent that is gone costs nothing", func(t *testing.T) {
		p := with(t, remotetest.New(t, remotetest.Options{Keys: all}), plain)
		p.Agent = filepath.Join(t.TempDir(), "no")
		dial(t, p)
	})
}

// gossh keeps the lines above short.
type gossh = ssh.PublicKey
