package remote_test

import (
	"bytes"
	"crypto/rand"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"rentgen/probe/remote"
	"rentgen/probe/remote/remotetest"
)

func TestPasswords(t *testing.T) {
	t.Run("wrong", func(t *testing.T) {
		s := remotetest.New(t, remotetest.Options{Password: "right", Interactive: []string{"Password: ", "right"}})
		p := params(t, login(t, "root", s.Addr))
		p.Password = "wrong"
		e := refused(t, p, remote.StageAuth, remote.KindPasswordWrong)
		if e.ExitCode() != 66 || counted(s.Attempts(), "keyboard-interactive") != 0 {
			t.Errorf("exit code %d, attempts %q", e.ExitCode(), s.Attempts())
		}
		if !slices.Equal(e.Tried, []string{"password"}) || !slices.Equal(e.Offered, []string{"password", "keyboard-interactive"}) {
			t.Errorf("tried %q, offered %q", e.Tried, e.Offered)
		}
	})
	t.Run("asked again, remembered when asked to", func(t *testing.T) {
		s := remotetest.New(t, remotetest.Options{Password: "right"})
		p := params(t, login(t, "root", s.Addr))
		who := &person{secrets: map[string][]string{remote.SecretPassword: {"wrong", "right"}}}
		p.Prompt, p.Secrets = who, remote.NewMemory()
		dial(t, p)
		if q := who.asked(); len(q) != 2 || q[1].Attempt != 2 || q[0].Hop != p.Login.Hop() || !q[0].CanRemember {
			t.Fatalf("asked %+v", q)
		}
		p.Prompt = nil
		dial(t, p)                     // typed a moment ago: a broken link mends by itself
		p.Secrets = remote.NewMemory() // another run of the program
		if e := refused(t, p, remote.StageAuth, remote.KindNoOneToAsk); e.Subject != remote.SecretPassword || e.ExitCode() != 66 {
			t.Errorf("subject %q", e.Subject)
		}
	})
	t.Run("a remembered one that is wrong is dropped", func(t *testing.T) {
		s := remotetest.New(t, remotetest.Options{Password: "right"})
		p := params(t, login(t, "root", s.Addr))
		p.Secrets = remote.NewMemory()
		if err := p.Secrets.Set("p1", remote.SecretPassword, p.Login.Hop(), "old"); err != nil {
			t.Fatal(err)
		}
		refused(t, p, remote.StageAuth, remote.KindPasswordWrong)
		if _, ok := p.Secrets.Get("p1", remote.SecretPassword, p.Login.Hop()); ok {
			t.Error("still there")
		}
	})
	t.Run("case 21: keyboard-interactive only", func(t *testing.T) {
		s := remotetest.New(t, remotetest.Options{Interactive: []string{"Password: ", "right"}})
		p := params(t, login(t, "root", s.Addr))
		p.Password = "right"
		dial(t, p)
		p.Password = "wrong"
		refused(t, p, remote.StageAuth, remote.KindPasswordWrong)
		p.Password = ""
		p.Prompt = &person{secrets: map[string][]string{remote.SecretPassword: {"wrong", "right"}}}
		dial(t, p)
	})
	t.Run("case 22: keyboard-interactive advertised beside the password", func(t *testing.T) {
		s := remotetest.New(t, remotetest.Options{Password: "right", Interactive: []string{"Code: ", "42"}})
		p := params(t, login(t, "root", s.Addr))
		p.Password = "wrong"
		e := refused(t, p, remote.StageAuth, remote.KindPasswordWrong)
		if strings.Contains(e.Error(), "unexpected message") || len(s.Attempts()) != 1 {
			t.Errorf("%v; attempts %q", e, s.Attempts())
		}
		// Where the password may not be tried, the questions are the way in.
		p.Password = ""
		p.Login.Options = map[string]string{"PasswordAuthentication": "no"}
		who := &person{secrets: map[string][]string{remote.SecretInteractive: {"42"}}}
		p.Prompt = who
		dial(t, p)
		if q := who.asked(); len(q) != 1 || q[0].Prompt != "Code:" || q[0].CanRemember || q[0].Echo {
			t.Errorf("asked %+v", q)
		}
		p.Prompt = nil
		if e := refused(t, p, remote.StageAuth, remote.KindNoOneToAsk); e.Subject != remote.SecretInteractive {
			t.Errorf("subject %q", e.Subject)
		}
	})
	t.Run("echo", func(t *testing.T) {
		s := remotetest.New(t, remotetest.Options{Interactive: []string{"Name:\x1b[31m", "me"}, Echo: true})
		p := params(t, login(t, "root", s.Addr))
		who := &person{secrets: map[string][]string{remote.SecretInteractive: {"me"}}}
		p.Prompt = who
		dial(t, p)
		if q := who.asked(); len(q) != 1 || !q[0].Echo || q[0].Prompt != "Name:" {
			t.Errorf("asked %+v", q)
		}
	})
	t.Run("key and password", func(t *testing.T) {
		path, k := remotetest.Key(t, t.TempDir(), "k", "ed25519", "")
		s := remotetest.New(t, remotetest.Options{Keys: []gossh{k.PublicKey()}, Password: "right", PasswordAfterKey: true})
		p := params(t, login(t, "root", s.Addr))
		p.Login.Identities = []string{path}
		p.Password = "right"
		dial(t, p)
	})
	t.Run("no way offered", func(t *testing.T) {
		_, k := remotetest.Key(t, t.TempDir(), "k", "ed25519", "")
		s := remotetest.New(t, remotetest.Options{Keys: []gossh{k.PublicKey()}, Banner: "Authorised \x1b]0;x\x07users only\n"})
		p := params(t, login(t, "root", s.Addr))
		p.Password = "x"
		e := refused(t, p, remote.StageAuth, remote.KindAuth)
		if e.Said != "Authorised users only" || !slices.Equal(e.Offered, []string{"publickey"}) {
			t.Errorf("said %q, offered %q", e.Said, e.Offered)
		}
	})
}

// The secrets of a login appear in no log and no error, whatever happens.
func TestNoSecretIsLogged(t *testing.T) {
	canary := "canary-" + rand.Text()
	dir := t.TempDir()
	path, k := remotetest.Key(t, dir, "k", "ed25519", canary)
	s := remotetest.New(t, remotetest.Options{Password: canary, Keys: []gossh{k.PublicKey()}, PasswordAfterKey: true})
	p := params(t, login(t, "root", s.Addr))
	p.Login.Identities = []string{path}
	p.Login.Password = canary
	var log bytes.Buffer
	p.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	p.Prompt = &person{secrets: map[string][]string{remote.SecretPassphrase: {canary}}}
	c := dial(t, p)
	_ = c.Close()
	p.Login.Password = canary + "x"
	p.Prompt = &person{secrets: map[string][]string{remote.SecretPassphrase: {canary}, remote.SecretPassword: {canary + "y"}}}
	e := refused(t, p, remote.StageAuth, remote.KindPasswordWrong)
	for what, text := range map[string]string{"log": log.String(), "error": e.Error(), "line": p.Login.Line()} {
		if strings.Contains(text, canary) {
			t.Errorf("the secret stands in the %s: %s", what, text)
		}
	}
	if log.Len() == 0 {
		t.Error("nothing was logged, so nothing was checked")
	}
}
