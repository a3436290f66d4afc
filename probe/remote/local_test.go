//go:build !windows

package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestLocalRunsCommands(t *testing.T) {
	c := Local(LocalParams{})
	defer c.Close()
	p, err := c.Start(t.Context(), "cat; echo said >&2; exit 3")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(p.Stdin(), "hello"); err != nil {
		t.Fatal(err)
	}
	_ = p.Stdin().Close()
	err = p.Wait()
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code != 3 || exit.Signal != "" {
		t.Fatalf("Wait = %v", err)
	}
	out, _ := io.ReadAll(p.Stdout())
	said, _ := io.ReadAll(p.Stderr())
	if string(out) != "hello" || string(said) != "said\n" {
		t.Errorf("out %q, err %q", out, said)
	}
}

func TestLocalSignal(t *testing.T) {
	c := Local(LocalParams{})
	defer c.Close()
	p, err := c.Start(t.Context(), "kill -9 $$")
	if err != nil {
		t.Fatal(err)
	}
	var exit *ExitError
	if err := p.Wait(); !errors.As(err, &exit) || exit.Signal != "KILL" || exit.Code != -1 {
		t.Fatalf("Wait = %v", err)
	}
}

// case 32: a flood on stderr that nobody reads stalls nothing.
func TestLocalStderrFlood(t *testing.T) {
	c := Local(LocalParams{})
	defer c.Close()
	p, err := c.Start(t.Context(), "head -c 3000000 /dev/zero >&2; echo tail >&2; echo end")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	out, _ := io.ReadAll(p.Stdout())
	said, _ := io.ReadAll(p.Stderr())
	if string(out) != "end\n" || !strings.HasSuffix(string(said), "tail\n") || len(said) > stderrBuffer {
		t.Errorf("out %q, %d bytes of stderr", out, len(said))
	}
}

func TestLocalEnds(t *testing.T) {
	start := func(t *testing.T, ctx context.Context, c Conn) (Proc, int) {
		t.Helper()
		// The child sleeps in the same group; its pid is printed.
		p, err := c.Start(ctx, "sleep 600 & echo $!; wait")
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 16)
		n, err := p.Stdout().Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
		if err != nil || pid <= 1 {
			t.Fatalf("pid %q: %v", buf[:n], err)
		}
		return p, pid
	}
	gone := func(t *testing.T, p Proc, pid int, want error) {
		t.Helper()
		if err := p.Wait(); !errors.Is(err, want) {
			t.Errorf("Wait = %v, want %v", err, want)
		}
		deadline := time.NewTimer(20 * time.Second)
		defer deadline.Stop()
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for syscall.Kill(pid, 0) == nil && !zombie(pid) { // dying takes its moment
			select {
			case <-deadline.C:
				t.Fatalf("the child %d of the command lives on", pid)
			case <-tick.C:
			}
		}
	}
	t.Run("close", func(t *testing.T) {
		c := Local(LocalParams{})
		p, pid := start(t, t.Context(), c)
		_ = p.Close()
		_ = p.Close()
		gone(t, p, pid, net.ErrClosed)
		_ = c.Close()
	})
	t.Run("context", func(t *testing.T) {
		c := Local(LocalParams{})
		ctx, cancel := context.WithCancel(t.Context())
		p, pid := start(t, ctx, c)
		cancel()
		gone(t, p, pid, context.Canceled)
		_ = c.Close()
	})
	t.Run("connection", func(t *testing.T) {
		c := Local(LocalParams{})
		p, pid := start(t, t.Context(), c)
		_ = c.Close()
		<-c.Done()
		gone(t, p, pid, net.ErrClosed)
		if _, err := c.Start(t.Context(), "true"); !errors.Is(err, net.ErrClosed) {
			t.Errorf("Start after Close = %v", err)
		}
		if !errors.Is(c.Err(), net.ErrClosed) {
			t.Errorf("Err = %v", c.Err())
		}
	})
}

// A reader that comes late still gets everything, though the command is gone.
func TestLocalLateReader(t *testing.T) {
	const size = stdoutBuffer + 40<<10 // the rest fits into the pipe
	c := Local(LocalParams{Grace: 30 * time.Millisecond})
	defer c.Close()
	p, err := c.Start(t.Context(), fmt.Sprintf("head -c %d /dev/zero; echo end >&2", size))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Stderr().Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	timer := time.NewTimer(100 * time.Millisecond)
	defer timer.Stop()
	<-timer.C
	out, _ := io.ReadAll(p.Stdout())
	if len(out) != size {
		t.Errorf("%d bytes of %d", len(out), size)
	}
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
}

// case 15: a child left behind holds the output open; Wait returns all the same.
func TestLocalBackgroundChild(t *testing.T) {
	c := Local(LocalParams{Grace: 300 * time.Millisecond})
	defer c.Close()
	p, err := c.Start(t.Context(), "sleep 60 & echo $$")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	out, _ := io.ReadAll(p.Stdout())
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil || pid <= 1 { // 0 and 1 would name other groups than the command's
		t.Fatalf("out %q: %v", out, err)
	}
	if err := syscall.Kill(-pid, syscall.SIGKILL); err != nil {
		t.Errorf("the child: %v", err)
	}
}
