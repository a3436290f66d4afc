//go:build unix

package run

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rentgen/app/guide"
)

// machine runs scripts on this computer as a link to an instance would.
type machine struct {
	shell []string // {"/bin/sh"} when nil
	path  string   // PATH of the login
	env   []string
	execs int
	// cut, where not nil, is closed when the link breaks.
	cut chan struct{}
	mu  sync.Mutex
}

var errLink = errors.New("the link broke")

func (m *machine) Exec(ctx context.Context, e guide.Exec) (guide.Output, error) {
	m.mu.Lock()
	m.execs++
	m.mu.Unlock()
	argv := m.shell
	if argv == nil {
		argv = []string{"/bin/sh"}
	}
	cmd := exec.Command(argv[0], append(append(argv[1:len(argv):len(argv)], "-c", e.Script, "sh"), e.Args...)...)
	cmd.Env = append([]string{"PATH=" + m.path, "HOME=/nonexistent", "M=x"}, m.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		return guide.Output{}, err
	}
	var out guide.Output
	var mu sync.Mutex
	take := func(to *[]byte, live func([]byte)) io.Writer {
		return writer(func(p []byte) {
			mu.Lock()
			*to = append(*to, p[:min(len(p), max(0, guide.MaxOutput-len(*to)))]...)
			mu.Unlock()
			if live != nil {
				live(p)
			}
		})
	}
	cmd.Stdout, cmd.Stderr = take(&out.Stdout, e.Out), take(&out.Stderr, e.Err)
	if err := cmd.Start(); err != nil {
		return guide.Output{}, err
	}
	ended := make(chan struct{})
	go func() {
		defer in.Close()
		if _, err := in.Write(e.Stdin); err != nil {
			return
		}
		for e.In != nil {
			select {
			case l, ok := <-e.In:
				if !ok {
					return
				}
				if _, err := io.WriteString(in, l+"\n"); err != nil {
					return
				}
			case <-ended:
				return
			}
		}
	}()
	timer := time.NewTimer(e.Timeout)
	defer timer.Stop()
	why := make(chan error, 1)
	go func() {
		select {
		case <-ended:
			why <- nil
			return
		case <-ctx.Done():
			why <- ctx.Err()
		case <-timer.C:
			out.TimedOut = true
			why <- nil
		case <-m.cut:
			why <- errors.Join(guide.ErrOffline, errLink)
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}()
	err = cmd.Wait()
	close(ended)
	link := <-why
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		out.Exit = exit.ExitCode()
	}
	return out, link
}

type writer func([]byte)

func (w writer) Write(p []byte) (int, error) { w(p); return len(p), nil }

// tools makes a PATH of made-up programs and the plain ones of this computer.
func tools(t *testing.T, programs map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{
		"sh", "bash", "cat", "head", "tail", "sed", "id", "uname", "find", "sleep", "touch", "rm", "df", "mount", "findmnt", "nproc", "free", "lscpu",
		"printf", "tr", "dd", "timeout", "ls", "du", "sort", "readlink", "grep", "kill", "env", "echo", "python3",
	} {
		if p, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(p, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, text := range programs {
		file := filepath.Join(dir, name)
		_ = os.Remove(file)
		if text == "" { // missing
			continue
		}
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// logbook keeps what a run told.
type logbook struct {
	mu     sync.Mutex
	events []Event
	on     func(Event)
}

func (l *logbook) take(e Event) {
	l.mu.Lock()
	l.events = append(l.events, e)
	l.mu.Unlock()
	if l.on != nil {
		l.on(e)
	}
}

func (l *logbook) of(id guide.CheckID, k EventKind) *guide.Record {
	for _, e := range l.events {
		if e.Check == id && e.Kind == k {
			if e.Record == nil {
				return &guide.Record{}
			}
			return e.Record
		}
	}
	return nil
}

func (l *logbook) told() string {
	var b strings.Builder
	for _, e := range l.events {
		if e.Kind != Started {
			b.WriteString(string(e.Check) + " " + string(e.Kind) + "\n")
		}
	}
	return b.String()
}

var shells = map[string][]string{"dash": {"dash"}, "busybox": {"busybox", "sh"}, "bash": {"bash"}}

// edits run texts of the tests in place of real commands.
func edits(m map[guide.CheckID]string) (list []guide.CheckID, edited map[guide.CheckID]string) {
	for _, id := range guide.Checks() {
		if _, ok := m[id]; ok {
			list = append(list, id)
		}
	}
	return list, m
}
