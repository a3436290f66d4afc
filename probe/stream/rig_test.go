//go:build linux

package stream_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"rentgen/probe"
	"rentgen/probe/agent/agenttest"
	"rentgen/probe/remote"
	"rentgen/probe/remote/remotetest"
	"rentgen/probe/stream"
)

// Shared with the tests inside the package.
const patience = stream.Patience

var (
	reach      = stream.Await
	reachPhase = stream.AwaitPhase
	until      = stream.Eventually
)

// rig is a rented machine on this one: OpenSSH's own server, a home, a card
// that is made up.
type rig struct {
	t      *testing.T
	server *remotetest.SSHDServer
	home   string
	env    map[string]string
	key    string
	login  remote.Login
	known  *remote.KnownHosts
	conf   string // RENTGEN's own known hosts
	agents func(string) ([]byte, string, bool)
	change func(*remote.Params)
}

// rigOptions changes what a rig is before the server starts.
type rigOptions struct {
	env        map[string]string
	home       string // "" is a fresh folder
	config     []string
	authorized []string // instead of the key, with %s for it
	passphrase string
	scenario   string // of the made-up cards; "" is one plausible card; "none" no library
}

const plainPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// onePlain is a card that reads well.
const onePlain = `gpus 1
set 0 name NVIDIA GeForce RTX 4090
set 0 util 70
set 0 power 300
set 0 mem_used 6000
proc 0 self 512 3
`

func newRig(t *testing.T, o rigOptions) *rig {
	t.Helper()
	r := &rig{t: t, home: o.home}
	if r.home == "" {
		r.home = t.TempDir()
	}
	// The login shell starts in the home of the account, whatever HOME says.
	r.env = map[string]string{"HOME": r.home, "PATH": plainPath}
	switch o.scenario {
	case "none":
	case "":
		o.scenario = onePlain
		fallthrough
	default:
		for _, kv := range agenttest.Environ(agenttest.Library(t), agenttest.Scenario(t, o.scenario), "") {
			k, v, _ := strings.Cut(kv, "=")
			r.env[k] = v
		}
	}
	for k, v := range o.env {
		r.env[k] = v
	}
	set := "SetEnv"
	for k, v := range r.env {
		set += " " + k + `="` + v + `"`
	}
	dir := t.TempDir()
	path, signer := remotetest.Key(t, dir, "id", "ed25519", o.passphrase)
	so := remotetest.SSHDOptions{Config: append([]string{set}, o.config...)}
	if o.authorized == nil {
		so.Keys = []ssh.PublicKey{signer.PublicKey()}
	}
	for _, a := range o.authorized {
		so.Authorized = append(so.Authorized, strings.ReplaceAll(a, "%s", strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey())))))
	}
	r.server = remotetest.SSHD(t, so)
	r.key = path
	r.login = remote.Login{User: r.server.User, Host: r.server.Host, Port: r.server.Port, Identities: []string{path}}
	r.conf = filepath.Join(dir, "known_hosts")
	r.known = remote.OpenKnownHosts(r.conf, filepath.Join(dir, "none"))
	r.agents = func(string) ([]byte, string, bool) {
		gz, sha := builtAgent(t)
		return gz, sha, true
	}
	return r
}

// toolbox makes a folder with nothing but some programs in it.
func toolbox(t *testing.T, names []string) string {
	t.Helper()
	dir := t.TempDir()
	for _, n := range names {
		p, err := exec.LookPath(n)
		if err != nil {
			continue
		}
		if err := os.Symlink(p, filepath.Join(dir, n)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// plainTools is what the smallest images have.
var plainTools = []string{
	"sh", "bash", "dash", "cat", "ls", "rm", "mv", "mkdir", "rmdir", "chmod", "id", "uname", "head", "gzip", "sha256sum", "grep", "sleep", "getconf",
	"sed", "awk", "cut", "tr", "env", "stat", "readlink", "date", "kill", "mkfifo", "tail", "wc", "sort", "printf", "expr", "dd", "od", "df",
}

var agentOnce struct {
	sync.Mutex
	gz  []byte
	sha string
}

// builtAgent is our program for this machine.
func builtAgent(t *testing.T) (gz []byte, sha string) {
	t.Helper()
	agentOnce.Lock()
	defer agentOnce.Unlock()
	if agentOnce.gz == nil {
		raw, err := os.ReadFile(agenttest.Agent(t))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(raw); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(raw)
		agentOnce.gz, agentOnce.sha = b.Bytes(), hex.EncodeToString(sum[:])
	}
	return agentOnce.gz, agentOnce.sha
}

// cache is where our program is kept by the tests.
func (r *rig) cache() string { return filepath.Join(r.home, ".cache", "rentgen") }

func (r *rig) params() stream.Params {
	return stream.Params{
		ID: "rig", Name: "rig", Agents: r.agents,
		Dial: func(ctx context.Context, progress func(string)) (remote.Conn, error) {
			p := remote.Params{
				Profile: "rig", Login: r.login, Known: r.known, TrustNew: true, Agent: "none",
				Progress: func(s remote.Stage, _ string) { progress(string(s)) },
			}
			if r.change != nil {
				r.change(&p)
			}
			c, err := remote.Dial(ctx, p)
			if err != nil {
				return nil, err
			}
			return c, nil
		},
	}
}

// look starts a host and keeps what it says.
func (r *rig) look(change func(*stream.Params), dirs ...string) (*stream.Host, *log) {
	r.t.Helper()
	p := r.params()
	if change != nil {
		change(&p)
	}
	h := stream.New(p)
	if len(dirs) == 0 {
		dirs = []string{`"$HOME/.cache/rentgen"`}
	}
	h.KeepIn(dirs...)
	l := &log{}
	detach := h.Attach(l)
	h.Start()
	r.t.Cleanup(func() {
		h.Stop()
		detach()
	})
	return h, l
}

// ticks waits for n ticks more and returns them.
func ticks(t *testing.T, l *log, n int) []*probe.Sample {
	t.Helper()
	from := len(of[*probe.Sample](l))
	until(t, "ticks", func() bool { return len(of[*probe.Sample](l)) >= from+n })
	return of[*probe.Sample](l)[from:]
}

// pidsOf lists the pids of our program whose file lies in a folder, zombies
// not counted.
func pidsOf(dir string) (pids []int) {
	return processes(func(exe, _ string) bool { return strings.HasPrefix(exe, dir+"/agent-") })
}

func running(dir string) []int { return pidsOf(dir) }

// withArgument counts processes, other than shells, that were called with
// something that starts so.
func withArgument(start string) int {
	return len(processes(func(_, cmdline string) bool {
		return !strings.HasPrefix(cmdline, "/bin/sh\x00-c") && strings.Contains(cmdline, "\x00"+start) || strings.HasPrefix(cmdline, start)
	}))
}

func processes(want func(exe, cmdline string) bool) (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range all {
		exe, _ := os.Readlink(filepath.Join(dir, "exe"))
		cmdline, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || !want(exe, string(cmdline)) {
			continue
		}
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue
		}
		if _, rest, ok := strings.Cut(string(stat), ") "); !ok || rest[0] == 'Z' || rest[0] == 'X' {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// mounted makes a small file system of its own, or skips by name.
func mounted(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skipf("skipped %s: a mount needs root", t.Name())
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "rentgen-test", dir).CombinedOutput(); err != nil {
		t.Skipf("skipped %s: no mount here: %s", t.Name(), bytes.TrimSpace(out))
	}
	t.Cleanup(func() {
		var err error
		for range 200 {
			if err = syscall.Unmount(dir, 0); err == nil || !errors.Is(err, syscall.EBUSY) {
				break
			}
			pass(20 * time.Millisecond)
		}
		if err != nil {
			_ = syscall.Unmount(dir, syscall.MNT_DETACH)
		}
	})
	return dir
}
