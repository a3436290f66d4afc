package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rentgen/probe/remote/remotetest"
)

// TestForgetOverSSH keeps a host whole while something stands against
// forgetting it, and removes everything once nothing does.
func TestForgetOverSSH(t *testing.T) {
	cache := t.TempDir()
	_, line, env := sshHost(t, remotetest.SSHDOptions{
		Config: []string{"SetEnv " + rentedMachine(t) + " XDG_CACHE_HOME=" + cache},
	})
	home := t.TempDir()
	ours := filepath.Join(cache, "rentgen")
	if r := run(t, home, env, "host", "add", "mycard", line); r.code != 0 {
		t.Fatalf("%+v", r)
	}

	// Not met before, and nobody can be asked.
	r := run(t, home, env, "host", "forget", "mycard", "--remove-helper", "--lang", "en")
	if r.code != 67 || !strings.Contains(r.stderr, "mycard stays saved") {
		t.Errorf("an unknown machine: %+v", r)
	}

	p := start(t, home, env, "probe", "mycard", "--record", "--json", "--trust-new")
	p.stdout.until(t, `"type":"tick"`, 1)
	for _, more := range [][]string{nil, {"--remove-helper"}} {
		r = run(t, home, env, append([]string{"host", "forget", "mycard", "--with-logs", "--lang", "en"}, more...)...)
		if r.code != 64 || !strings.Contains(r.stderr, "--with-logs") {
			t.Errorf("while its log is kept, %q: %+v", more, r)
		}
	}
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	p.wait()
	// Its identity is still known.
	if r := run(t, home, env, "probe", "mycard", "--for", "1s", "--json"); r.code != 0 {
		t.Errorf("after a forget that failed: %+v", r)
	}

	if _, err := os.Stat(ours); err != nil {
		t.Fatal(err)
	}
	r = run(t, home, env, "host", "forget", "mycard", "--remove-helper", "--with-logs", "--lang", "en")
	if r.code != 0 || r.out != "" || strings.Contains(r.stderr, ".cache") {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(ours); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("our folder is still on the host: %v", err)
	}
	if list := logs(t, home); len(list) != 0 {
		t.Errorf("logs %v", list)
	}
	if r := run(t, home, env, "host", "list", "--json"); r.out != "[]\n" {
		t.Errorf("still listed: %+v", r)
	}
}

func TestForgetSaysWhatStays(t *testing.T) {
	home := t.TempDir()
	for name, line := range map[string]string{"far": "root@" + remotetest.Closed(t), "here": "local", "show": "demo"} {
		if r := runLine(t, home, "host", "add", name, line); r.code != 0 {
			t.Fatalf("%+v", r)
		}
	}
	r := runLine(t, home, "host", "forget", "far", "--remove-helper", "--trust-new", "--lang", "en")
	if r.code != 65 || !strings.Contains(r.stderr, "far stays saved") {
		t.Errorf("a host that is off: %+v", r)
	}
	r = runLine(t, home, "host", "forget", "far", "--lang", "zh")
	if r.code != 0 || !strings.Contains(r.stderr, "~/.cache/rentgen") || !strings.Contains(r.stderr, "--remove-helper") {
		t.Errorf("%+v", r)
	}
	r = runLine(t, home, "host", "forget", "here", "--json")
	if r.code != 0 || !strings.Contains(r.stderr, filepath.Join(home, "agent")) || !strings.HasPrefix(r.out, "{") {
		t.Errorf("%+v", r)
	}
	r = runLine(t, home, "host", "forget", "show", "--remove-helper")
	if r.code != 0 || strings.Contains(r.stderr, "rentgen") {
		t.Errorf("the demo has nothing of ours: %+v", r)
	}
}
