package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"rentgen/probe/agent/agenttest"
	"rentgen/probe/remote/remotetest"
	"rentgen/probe/smi/smitest"
)

// scenario is what the fake library plays in these tests: two cards, one of
// which can't say its power.
func rentedMachine(t *testing.T) (env string) {
	t.Helper()
	lib := agenttest.Library(t)
	return "LD_LIBRARY_PATH=" + lib
}

// sshHost starts a server that plays a rented machine and returns the login
// line and the environment of the program under test.
func sshHost(t *testing.T, o remotetest.SSHDOptions) (srv *remotetest.SSHDServer, line string, env []string) {
	t.Helper()
	dir := t.TempDir()
	key, signer := remotetest.Key(t, dir, "key", "ed25519", "")
	o.Keys = append(o.Keys, signer.PublicKey())
	srv = remotetest.SSHD(t, o)
	line = fmt.Sprintf("ssh -i %s -p %d %s@%s", key, srv.Port, srv.User, srv.Host)
	// A home of its own keeps the machine's ssh configuration out.
	return srv, line, []string{envAgent + "=" + agenttest.Agent(t), "HOME=" + dir, "SSH_AUTH_SOCK="}
}

func withGPU(t *testing.T, more ...string) remotetest.SSHDOptions {
	t.Helper()
	set := append([]string{rentedMachine(t), "XDG_CACHE_HOME=" + t.TempDir()}, more...)
	return remotetest.SSHDOptions{Config: []string{"SetEnv " + strings.Join(set, " ")}}
}

func TestProbeOverSSH(t *testing.T) {
	_, line, env := sshHost(t, withGPU(t))
	home := t.TempDir()

	// Nobody can be asked, so an unknown machine ends it before any login.
	r := run(t, home, env, "probe", line, "--for", "1s", "--json", "--lang", "en")
	if r.code != 67 || !strings.Contains(r.stderr, "SHA256:") || !strings.Contains(r.stderr, "--trust-new") {
		t.Fatalf("first sight: %+v", r)
	}

	r = run(t, home, env, "probe", line, "--for", "2s", "--json", "--trust-new", "--record", "--lang", "en")
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	all := checkLines(t, r.out)
	inv := all[0]
	if inv["source"] != "agent" || inv["reason"] != "" || inv["demo"] != false || len(inv["gpus"].([]any)) == 0 {
		t.Errorf("inventory %v", inv)
	}
	if list := logs(t, home); len(list) != 1 || list[0]["demo"] != false {
		t.Errorf("%v", list)
	}

	// Saved under a name, its identity is its own.
	if r := run(t, home, env, "host", "add", "mycard", line); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if r := run(t, home, env, "probe", "mycard", "--for", "1s", "--json"); r.code != 67 {
		t.Errorf("a new profile trusts at once: %+v", r)
	}
	if r := run(t, home, env, "probe", "mycard", "--for", "1s", "--json", "--trust-new"); r.code != 0 {
		t.Errorf("%+v", r)
	}
	if r := run(t, home, env, "probe", "mycard", "--for", "1s", "--lang", "zh"); r.code != 0 || !strings.Contains(r.out, "采集小程序") {
		t.Errorf("known by now: %+v", r)
	}
	log, err := os.ReadFile(filepath.Join(home, "logs", "rentgen.log"))
	if err != nil || strings.Contains(string(log), "127.0.0.1") {
		t.Errorf("the log names the host (%v):\n%s", err, log)
	}
}

func TestChangedKey(t *testing.T) {
	srv, line, env := sshHost(t, withGPU(t))
	home := t.TempDir()
	if r := run(t, home, env, "probe", line, "--for", "1s", "--json", "--trust-new"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	srv.Stop()
	dir := env[1][len("HOME="):]
	key, err := os.ReadFile(filepath.Join(dir, "key"))
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.ParsePrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	remotetest.SSHD(t, remotetest.SSHDOptions{Keys: []ssh.PublicKey{signer.PublicKey()}, Port: srv.Port})
	r := run(t, home, env, "probe", line, "--for", "1s", "--json", "--trust-new", "--lang", "en")
	if r.code != 67 || strings.Count(r.stderr, "SHA256:") < 2 {
		t.Errorf("a changed key: %+v", r)
	}
}

func TestCannotGetIn(t *testing.T) {
	srv, line, env := sshHost(t, remotetest.SSHDOptions{})
	home := t.TempDir()
	other, _ := remotetest.Key(t, t.TempDir(), "other", "ed25519", "")
	locked, _ := remotetest.Key(t, t.TempDir(), "locked", "ed25519", "passphrase")
	for _, c := range []struct {
		what, line string
		code       int
	}{
		{"wrong key", fmt.Sprintf("ssh -i %s -p %d %s@%s", other, srv.Port, srv.User, srv.Host), 66},
		{"key with a passphrase and nobody to ask", fmt.Sprintf("ssh -i %s -p %d %s@%s", locked, srv.Port, srv.User, srv.Host), 66},
		{"nothing listens", "root@" + remotetest.Closed(t), 65},
		{"not ssh", "root@" + remotetest.Saying(t, "HTTP/1.1 400 Bad Request\r\n\r\n"), 65},
		{"bad port", "ssh -p 0x root@a", 64},
		{"no driver", line, 68},
	} {
		r := run(t, home, env, "probe", c.line, "--for", "1s", "--json", "--trust-new", "--lang", "en")
		if r.code != c.code || r.stderr == "" || strings.Contains(r.stderr, "remote.") || strings.Contains(r.stderr, "stream.") {
			t.Errorf("%s: want %d: %+v", c.what, c.code, r)
		}
		if c.code == 68 {
			checkLines(t, r.out)
		}
	}
}

func TestPasswordFromStdin(t *testing.T) {
	srv := remotetest.New(t, remotetest.Options{Password: "s3cret word"})
	home := t.TempDir()
	line := "someone@" + srv.Addr
	good := runWith(t.Context(), home, "s3cret word\n", "probe", line, "--for", "1s", "--json", "--trust-new", "--password-stdin")
	if good.code == 66 || good.code == 67 {
		t.Errorf("the right password: %+v", good)
	}
	bad := runWith(t.Context(), home, "wrong\n", "probe", line, "--for", "1s", "--json", "--trust-new", "--password-stdin")
	if bad.code != 66 {
		t.Errorf("the wrong password: %+v", bad)
	}
	none := runWith(t.Context(), home, "", "probe", line, "--for", "1s", "--json", "--trust-new", "--lang", "en")
	if none.code != 66 || !strings.Contains(none.stderr, "--password-stdin") {
		t.Errorf("no password and nobody to ask: %+v", none)
	}
	empty := runWith(t.Context(), home, "", "probe", line, "--password-stdin")
	if empty.code != 64 {
		t.Errorf("an empty stdin: %+v", empty)
	}
}

func TestProbeLocal(t *testing.T) {
	agent := envAgent + "=" + agenttest.Agent(t)
	home := t.TempDir()
	r := run(t, home, []string{agent, rentedMachine(t), "HOME=" + t.TempDir()}, "probe", "local", "--for", "1s", "--json", "--record")
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if all := checkLines(t, r.out); all[0]["source"] != "agent" || all[0]["host"] != "local" {
		t.Errorf("%v", all[0])
	}
	found := false
	err := filepath.WalkDir(filepath.Join(home, "agent"), func(path string, d os.DirEntry, err error) error {
		found = found || err == nil && !d.IsDir()
		return err
	})
	if err != nil || !found {
		t.Errorf("the probe for this computer does not lie in the home: %v", err)
	}
	if list := logs(t, home); len(list) != 1 || list[0]["host"] != "local" {
		t.Errorf("%v", list)
	}
}

func TestSimpleReadings(t *testing.T) {
	bin := smitest.Install(t, smitest.Healthy(2))
	_, line, env := sshHost(t, remotetest.SSHDOptions{
		Config: []string{"SetEnv PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin XDG_CACHE_HOME=" + t.TempDir()},
	})
	home := t.TempDir()
	r := run(t, home, env, "probe", line, "--source", "smi", "--for", "2s", "--json", "--trust-new", "--lang", "en")
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	inv := checkLines(t, r.out)[0]
	if inv["source"] != "smi" || inv["reason"] != "asked" || len(inv["gpus"].([]any)) != 2 {
		t.Errorf("inventory %v", inv)
	}
	// No program for the host in this build: simple readings come by themselves
	// and say why.
	r = run(t, home, env[1:], "probe", line, "--for", "1s", "--trust-new", "--lang", "zh")
	if r.code != 0 || !strings.Contains(r.out, "简易读数") || !strings.Contains(r.stderr, "简易读数") {
		t.Errorf("%+v", r)
	}
}

// TestLinkCutMidStream ends the server's connections while readings run: the
// command goes on, the missing span is a gap line and seq has no hole.
func TestLinkCutMidStream(t *testing.T) {
	srv, line, env := sshHost(t, withGPU(t))
	p := start(t, t.TempDir(), env, "probe", line, "--json", "--trust-new", "--rate", "2", "--lang", "en")
	p.stdout.until(t, `"type":"tick"`, 3)
	srv.KillConnections()
	p.stdout.until(t, `"type":"gap"`, 1)
	before := strings.Count(p.stdout.String(), `"type":"tick"`)
	p.stdout.until(t, `"type":"tick"`, before+2)
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	r := p.wait()
	if r.code != 130 {
		t.Fatalf("%+v", r)
	}
	for _, o := range checkLines(t, r.out) {
		if o["type"] == "gap" && (o["reason"] != "link" || o["from"].(string) >= o["to"].(string)) {
			t.Errorf("gap %v", o)
		}
	}
}
