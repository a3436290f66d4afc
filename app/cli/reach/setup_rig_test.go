//go:build linux

package reach_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"rentgen/app/cli/reach"
	"rentgen/app/guide"
	"rentgen/app/guide/run"
	"rentgen/probe/remote"
	"rentgen/probe/remote/remotetest"
	"rentgen/probe/smi/smitest"
	"rentgen/probe/stream"
)

// patience is how long a test waits for something that must come.
const patience = 60 * time.Second

// cases are the outputs that real instances gave.
func caseOf(t *testing.T, number string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join("..", "..", "guide", "testdata", "cases", "checks", number+"-*"))
	if err != nil || len(all) != 1 {
		t.Fatalf("case %s: %v, %v", number, all, err)
	}
	path, err := filepath.Abs(all[0])
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// instance is a rented machine on this one: OpenSSH's own server and made-up tools.
type instance struct {
	t      *testing.T
	server *remotetest.SSHDServer
	host   *stream.Host
	tools  string // folder of the made-up tools, first on the login's PATH
	home   string
	disk   string // a directory that persists
}

// newInstance starts one. programs are shell texts by name; env is added to the
// login's environment.
func newInstance(t *testing.T, programs, env map[string]string) *instance {
	t.Helper()
	i := &instance{t: t, tools: t.TempDir(), home: t.TempDir(), disk: dataDisk(t)}
	readings := smitest.Install(t, smitest.Healthy(1))
	for name, text := range programs {
		i.program(name, text)
	}
	// What is watched meanwhile asks the same name; without a question it is the
	// check.
	table := programs["nvidia-smi"]
	i.program("nvidia-smi", `case "$*" in
"" | -L | *timestamp,utilization.gpu,memory.used*)
	:
`+table+`
	;;
*) exec `+readings+`/nvidia-smi "$@" ;;
esac`)
	all := map[string]string{
		"HOME": i.home, "PATH": i.tools + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DISK": i.disk,
	}
	maps.Copy(all, env)
	set := "SetEnv"
	for k, v := range all {
		set += fmt.Sprintf(" %s=%q", k, strings.ReplaceAll(v, "$DISK", i.disk))
	}
	dir := t.TempDir()
	key, signer := remotetest.Key(t, dir, "id", "ed25519", "")
	i.server = remotetest.SSHD(t, remotetest.SSHDOptions{Config: []string{set}, Keys: []ssh.PublicKey{signer.PublicKey()}})
	known := remote.OpenKnownHosts(filepath.Join(dir, "known"), filepath.Join(dir, "none"))
	i.host = stream.New(stream.Params{
		ID: "rig", Name: "rig", Source: stream.SourceSMI,
		Agents: func(string) ([]byte, string, bool) { return nil, "", false },
		Dial: func(ctx context.Context, _ func(string)) (remote.Conn, error) {
			c, err := remote.Dial(ctx, remote.Params{
				Profile: "rig", Known: known, TrustNew: true, Agent: "none",
				Login: remote.Login{User: i.server.User, Host: i.server.Host, Port: i.server.Port, Identities: []string{key}},
			})
			if err != nil {
				return nil, err
			}
			return c, nil
		},
	})
	i.host.Start()
	t.Cleanup(i.host.Stop)
	i.await(stream.Live)
	return i
}

// dataDisk is a folder where a data disk may be mounted: not below /tmp, which is
// the system's.
func dataDisk(t *testing.T) string {
	t.Helper()
	bases := []string{"/srv", "/mnt"}
	if home, err := os.UserHomeDir(); err == nil {
		bases = append(bases, home)
	}
	for _, base := range bases {
		if dir, err := os.MkdirTemp(base, "rentgen-test-"); err == nil {
			t.Cleanup(func() {
				if err := os.RemoveAll(dir); err != nil {
					t.Error(err)
				}
			})
			return dir
		}
	}
	t.Skipf("skipped %s: no folder for a data disk", t.Name())
	return ""
}

// program puts a tool there.
func (i *instance) program(name, text string) {
	i.t.Helper()
	if name == "dd" { // what the shell itself needs of it
		text = "case $1 in bs=256) exec /bin/dd \"$@\" ;; esac\n" + text
	}
	if err := os.WriteFile(filepath.Join(i.tools, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		i.t.Fatal(err)
	}
}

// await waits for a phase of the connection.
func (i *instance) await(p stream.Phase) {
	i.t.Helper()
	i.awaitAfter(p, time.Time{})
}

// awaitAfter waits for a phase that was entered after a moment: the state may still
// be that of before.
func (i *instance) awaitAfter(p stream.Phase, moment time.Time) {
	i.t.Helper()
	got := make(chan struct{}, 1)
	cancel := i.host.OnState(func(s stream.State) {
		if s.Phase == p && s.Since.After(moment) {
			select {
			case got <- struct{}{}:
			default:
			}
		}
	})
	defer cancel()
	select {
	case <-got:
	case <-time.After(patience):
		i.t.Fatalf("phase %s did not come; the state is %+v", p, i.host.State())
	}
}

// params of a run on it.
func (i *instance) params(t guide.Track, ids []guide.CheckID, b *book) run.Params {
	return run.Params{
		Runner: reach.Runner(i.host), Forwarder: reach.Forwarder(i.host), Track: t, Checks: ids, Level: guide.Thorough, Event: b.take,
		Values: run.Values{run.ValueDir: i.disk, run.ValueUIDir: i.home, run.ValuePeer: "10.0.0.5", run.ValueURL: "https://files.example.org/100m.bin", run.ValueHost: "192.0.2.10"},
	}
}

// book keeps what runs told.
type book struct {
	mu     sync.Mutex
	events []run.Event
	on     func(run.Event)
}

func (b *book) take(e run.Event) {
	b.mu.Lock()
	b.events = append(b.events, e)
	b.mu.Unlock()
	if b.on != nil {
		b.on(e)
	}
}

// ended are the checks that were told of, in order.
func (b *book) ended() (ids []guide.CheckID) {
	for _, e := range b.events {
		if e.Kind != run.Started {
			ids = append(ids, e.Check)
		}
	}
	return ids
}

func (b *book) record(id guide.CheckID) *guide.Record {
	for _, e := range b.events {
		if e.Check == id && e.Record != nil {
			return e.Record
		}
	}
	return nil
}

// hangs is a tool that writes its pid and never ends.
func (i *instance) hangs() (text, pidFile string) {
	pidFile = filepath.Join(i.home, "pid")
	return "echo first words\necho $$ >" + pidFile + "\nexec sleep 1000.0411", pidFile
}

// gone waits until the process whose pid a tool wrote has ended.
func gone(t *testing.T, pidFile string) {
	t.Helper()
	b, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the end of what ran there", func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return true
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		return rest == "" || rest[0] == 'Z' || rest[0] == 'X'
	})
}

// until waits for something that has no event of its own.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.After(patience)
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for !is() {
		select {
		case <-look.C:
		case <-deadline:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
