package cli

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rentgen/probe/remote/remotetest"
)

// recorderOf reads what a recorder command printed.
func recorderOf(t *testing.T, r result) recorderJSON {
	t.Helper()
	var out recorderJSON
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if err := json.Unmarshal([]byte(r.out), &out); err != nil {
		t.Fatalf("%v: %+v", err, r)
	}
	return out
}

// TestRecorderOverSSH leaves one behind, kills it, and finds every second of the
// time in between in the history or in a gap with its reason.
func TestRecorderOverSSH(t *testing.T) {
	cache := t.TempDir()
	_, line, env := sshHost(t, remotetest.SSHDOptions{
		Config: []string{"SetEnv " + rentedMachine(t) + " XDG_CACHE_HOME=" + cache},
	})
	home := t.TempDir()
	dir := filepath.Join(cache, "rentgen", "resident")
	if r := run(t, home, env, "host", "add", "mycard", line); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	do := func(order string, more ...string) recorderJSON {
		t.Helper()
		return recorderOf(t, run(t, home, env, append([]string{"recorder", order, "mycard", "--json", "--trust-new"}, more...)...))
	}
	t.Cleanup(func() {
		if _, err := os.Stat(dir); err == nil {
			run(t, home, env, "recorder", "remove", "mycard", "--json", "--trust-new")
		}
	})
	if r := do("status"); r.There || r.Running {
		t.Fatalf("before: %+v", r)
	}
	r := do("start", "--life", "2h", "--max-mb", "8")
	if !r.There || !r.Running || r.PID <= 1 || r.Dir != dir || r.LifeS != 7200 || r.MaxBytes != 8<<20 || r.Until == nil || r.Gone == nil || r.BootID == "" {
		t.Fatalf("started: %+v", r)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("%v, %v", info, err)
	}
	first := r.PID
	awaitSeconds := func(n int64) recorderJSON {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; {
			if r := do("status"); r.Seconds >= n || time.Now().After(end) {
				return r
			}
		}
	}
	if r = awaitSeconds(5); r.Seconds < 5 || r.Oldest == nil || r.PID != first {
		t.Fatalf("%+v", r)
	}
	p, err := os.FindProcess(first)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	// The next connection starts it again; another one cannot come beside it.
	for end := time.Now().Add(time.Minute); r.PID == first || !r.Running; {
		if r = do("status"); time.Now().After(end) {
			t.Fatalf("not started again: %+v", r)
		}
	}
	before := r.Seconds
	awaitSeconds(before + 3)
	r = do("fetch")
	// Up to the second of this connection's first reading, which may be the newest of those three.
	if r.Fetched == nil || *r.Fetched < before+2 {
		b, _ := json.Marshal(r)
		t.Fatalf("there were %d seconds 3 seconds ago: %s", before, b)
	}
	list := logs(t, home)
	if len(list) != 1 || list[0]["gaps"].(float64) > 1 {
		t.Fatalf("logs %v", list)
	}
	// What is there doesn't come twice.
	if r := do("fetch"); r.Fetched == nil || *r.Fetched > 60 {
		t.Fatalf("fetched again: %+v", r)
	}
	if list := logs(t, home); len(list) != 1 {
		t.Fatalf("logs %v", list)
	}
	text := run(t, home, env, "recorder", "status", "mycard", "--lang", "en")
	if text.code != 0 || !strings.Contains(text.out, dir) || !strings.Contains(text.out, "rentgen recorder remove mycard") {
		t.Errorf("%+v", text)
	}
	if r := do("stop"); r.Running || !r.There || !r.Stopped || r.Seconds == 0 {
		t.Errorf("stopped: %+v", r)
	}
	if r := do("status"); r.Running {
		t.Errorf("a connection started what was stopped: %+v", r)
	}
	do("start")
	if r := do("remove"); r.There || r.Running {
		t.Errorf("removed: %+v", r)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	do("start")
	if r := run(t, home, env, "host", "forget", "mycard", "--remove-helper", "--with-logs"); r.code != 0 {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Dir(dir)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("forgetting left the recorder: %v", err)
	}
}

func TestRecorderWords(t *testing.T) {
	home := t.TempDir()
	for _, c := range []struct {
		words []string
		code  int
		says  string
	}{
		{[]string{"recorder", "start", "demo"}, 64, "made up"},
		{[]string{"recorder", "start", "demo", "--life", "1s"}, 64, "--life"},
		{[]string{"recorder", "start", "demo", "--max-mb", "0"}, 64, "--max-mb"},
		{[]string{"recorder", "start"}, 64, "TARGET"},
		{[]string{"recorder", "status", "root@" + remotetest.Closed(t)}, 65, ""},
	} {
		r := runLine(t, home, append(c.words, "--lang", "en")...)
		if r.code != c.code || !strings.Contains(r.stderr, c.says) {
			t.Errorf("%q: %+v", c.words, r)
		}
	}
}
