package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// The test program is the program under test when these are set.
const (
	envMain  = "RENTGEN_TEST_MAIN"
	envAgent = "RENTGEN_TEST_AGENT" // path of a built agent for this machine
)

func TestMain(m *testing.M) {
	if os.Getenv(envMain) == "1" {
		os.Exit(Main(Params{
			Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Version: "test", Agents: testAgents,
		}))
	}
	os.Exit(m.Run())
}

// testAgents packs the agent that the environment names.
func testAgents(goarch string) ([]byte, string, bool) {
	path := os.Getenv(envAgent)
	if path == "" || goarch != runtime.GOARCH {
		return nil, "", false
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, "", false
	}
	var z bytes.Buffer
	w, _ := gzip.NewWriterLevel(&z, gzip.BestSpeed) // the level is a valid one
	if _, err := w.Write(b); err != nil {
		return nil, "", false
	}
	if err := w.Close(); err != nil {
		return nil, "", false
	}
	sum := sha256.Sum256(b)
	return z.Bytes(), hex.EncodeToString(sum[:]), true
}

// program is a started rentgen.
type program struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout *follow
	stderr *follow
}

// deadline bounds every wait of these tests.
const deadline = 60 * time.Second

// start runs rentgen in a process of its own.
func start(t *testing.T, home string, env []string, words ...string) *program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{t: t, cmd: exec.Command(self, words...), stdout: newFollow(), stderr: newFollow()}
	p.cmd.Env = append(os.Environ(), envMain+"=1", "RENTGEN_HOME="+home, "RENTGEN_KEYRING=0", "LANG=en_US.UTF-8")
	p.cmd.Env = append(p.cmd.Env, env...)
	p.cmd.Stdout, p.cmd.Stderr = p.stdout, p.stderr
	p.cmd.WaitDelay = time.Second
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
	return p
}

// wait returns the exit code and both outputs.
func (p *program) wait() result {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- p.cmd.Wait() }()
	select {
	case err := <-done:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
			p.t.Fatal(err)
		}
	case <-ctx.Done():
		_ = p.cmd.Process.Kill()
		p.t.Fatalf("%q does not end; stderr:\n%s\nstdout:\n%s", p.cmd.Args[1:], p.stderr, p.stdout)
	}
	return result{p.cmd.ProcessState.ExitCode(), p.stdout.String(), p.stderr.String()}
}

// run is start and wait.
func run(t *testing.T, home string, env []string, words ...string) result {
	t.Helper()
	return start(t, home, env, words...).wait()
}

// follow is output that can be waited for.
type follow struct {
	mu   sync.Mutex
	b    bytes.Buffer
	more chan struct{}
}

func newFollow() *follow { return &follow{more: make(chan struct{})} }

func (f *follow) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.more)
	f.more = make(chan struct{})
	return f.b.Write(b)
}

func (f *follow) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.b.String()
}

// until waits until the output holds text n times.
func (f *follow) until(t *testing.T, text string, n int) {
	t.Helper()
	timeout := time.After(deadline)
	for {
		f.mu.Lock()
		more, s := f.more, f.b.String()
		f.mu.Unlock()
		if strings.Count(s, text) >= n {
			return
		}
		select {
		case <-more:
		case <-timeout:
			t.Fatalf("%q did not come %d times in\n%s", text, n, s)
		}
	}
}

var _ io.Writer = (*follow)(nil)
