//go:build linux

package stream

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/remote"
	"rentgen/probe/wire"
)

// TestMain makes this binary double as the program on the host.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "stdio" {
		os.Exit(fakeAgent(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// fakeAgent speaks the protocol with made-up readings at a fixed 20 ms. What it
// does wrong stands in FAKE_AGENT.
func fakeAgent(args []string) int {
	faults := os.Getenv("FAKE_AGENT")
	has := func(f string) bool { return strings.Contains(faults, f) }
	if f := os.Getenv("FAKE_PIDS"); f != "" {
		if w, err := os.OpenFile(f, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			_, _ = fmt.Fprintln(w, os.Getpid())
			_ = w.Close()
		}
	}
	if has("refuse") {
		fmt.Fprintln(os.Stderr, "cannot start: \x1b[31mversion `GLIBC_9.9' not found")
		return 3
	}
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return 4
	}
	sum := sha256.Sum256(self)
	hello := wire.Hello{Proto: wire.Proto, Version: "test", SHA: hex.EncodeToString(sum[:]), BootID: "boot", PID: os.Getpid(), Rates: Rates()}
	if has("nolib") {
		hello.NoLibrary = "libnvidia-ml.so.1 not found"
	}
	marker := args[len(args)-1]
	if err := wire.WriteHello(os.Stdout, marker, hello); err != nil {
		return 5
	}
	if has("flood") {
		go func() {
			line := bytes.Repeat([]byte("noise "), 200)
			for range 5000 {
				_, _ = os.Stderr.Write(line)
			}
		}()
	}
	var mu sync.Mutex
	start := time.Now()
	enc := wire.NewEncoder(os.Stdout)
	send := func(f wire.Frame) bool {
		mu.Lock()
		defer mu.Unlock()
		return enc.Write(f) == nil
	}
	paused := false
	go func() {
		r := wire.NewControlReader(os.Stdin)
		for {
			c, err := r.Read()
			if err != nil {
				os.Exit(0)
			}
			mu.Lock()
			paused = c.Paused
			mu.Unlock()
			if c.Ping > 0 {
				send(wire.Frame{Pong: &wire.Pong{Ping: c.Ping, Wall: time.Now(), Mono: time.Since(start)}})
			}
		}
	}()
	inv := &probe.Inventory{Driver: "550.1", Run: probe.Run{BootID: "boot", Init: time.Unix(1000, 0)}}
	if !has("nocard") {
		inv.GPUs = []probe.Device{{UUID: "GPU-1", Name: "Test Card"}}
	}
	send(wire.Frame{Inventory: inv})
	beats := time.NewTicker(20 * time.Millisecond)
	for seq := uint64(1); ; seq++ {
		mu.Lock()
		quiet := paused
		mu.Unlock()
		if !quiet {
			s := &probe.Sample{Seq: seq, Time: time.Now(), HostTime: time.Now(), Mono: time.Since(start)}
			for i := range inv.GPUs {
				g := probe.GPU{Index: i, UUID: inv.GPUs[i].UUID, Name: inv.GPUs[i].Name}
				g.Set(probe.UtilGPU, probe.Of(float64(seq%100)))
				s.GPUs = append(s.GPUs, g)
			}
			if !send(wire.Frame{Sample: s}) {
				return 0
			}
		}
		if has("die") && seq == 5 {
			fmt.Fprintln(os.Stderr, "dying as told")
			return 9
		}
		<-beats.C
	}
}

// program is this binary as it is put on a host.
var program = sync.OnceValues(func() (gz []byte, sha string) {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	raw, err := os.ReadFile(self)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(raw)
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	_, _ = w.Write(raw)
	_ = w.Close()
	return b.Bytes(), hex.EncodeToString(sum[:])
})

func agents(string) ([]byte, string, bool) {
	gz, sha := program()
	return gz, sha, true
}

// shellConn is this computer with another shell for our scripts and another
// login shell in front of it.
type shellConn struct {
	remote.Conn
	sh    string // instead of /bin/sh
	login string // printf pattern of the login shell's command line; "" none
}

func (c shellConn) Start(ctx context.Context, command string) (remote.Proc, error) {
	if c.sh != "" {
		command = strings.Replace(command, "/bin/sh", c.sh, 1)
	}
	if c.login != "" {
		command = fmt.Sprintf(c.login, command)
	}
	return c.Conn.Start(ctx, command)
}

// place is a host on this computer: a home, a way to change the environment.
type place struct {
	home string
	env  []string
	sh   string
	log  string // login shell
	pids string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{home: t.TempDir()}
	p.pids = filepath.Join(t.TempDir(), "pids")
	return p
}

func (p *place) environ() []string {
	return append([]string{
		"HOME=" + p.home, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"FAKE_PIDS=" + p.pids,
	}, p.env...)
}

func (p *place) dial(context.Context, func(string)) (remote.Conn, error) {
	return shellConn{remote.Local(remote.LocalParams{Env: p.environ(), Dir: "/"}), p.sh, p.log}, nil
}

// host returns a host at the place that keeps our program below the home only.
func (p *place) host(t *testing.T, change func(*Params)) *Host {
	t.Helper()
	params := Params{ID: "t", Name: "test", Dial: p.dial, Agents: agents, Source: SourceAgent}
	if change != nil {
		change(&params)
	}
	h := New(params)
	h.dirs = []string{quote(filepath.Join(p.home, "cache"))}
	t.Cleanup(h.Stop)
	return h
}

// next returns the next message of a type.
func next[T probe.Message](t *testing.T, c <-chan probe.Message) T {
	t.Helper()
	deadline := time.After(Patience)
	for {
		select {
		case m := <-c:
			if v, ok := m.(T); ok {
				return v
			}
		case <-deadline:
			var none T
			t.Fatalf("no %T came", none)
		}
	}
}

// needs skips the test by name when a program is not on this machine.
func needs(t *testing.T, name string) string {
	t.Helper()
	p, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("skipped %s: no %s on this machine", t.Name(), name)
	}
	return p
}

func startedPIDs(t *testing.T, file string) (pids []int) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		n, err := strconv.Atoi(s.Text())
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, n)
	}
	return pids
}

// alive reports whether a process runs; a zombie does not.
func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := bytes.Cut(b, []byte(") "))
	return len(rest) > 0 && rest[0] != 'Z' && rest[0] != 'X'
}

// gone waits until a process has ended.
func gone(t *testing.T, pid int) {
	t.Helper()
	Eventually(t, fmt.Sprintf("the end of process %d", pid), func() bool { return !alive(pid) })
}
