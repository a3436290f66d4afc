package remote_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"rentgen/probe/remote"
	"rentgen/probe/remote/remotetest"
)

func open(t *testing.T, o remotetest.Options) *remote.Client {
	t.Helper()
	o.NoAuth = true
	return dial(t, params(t, login(t, "root", remotetest.New(t, o).Addr)))
}

func TestCommands(t *testing.T) {
	t.Run("case 32: stderr floods unread, stdout goes on", func(t *testing.T) {
		c := open(t, remotetest.Options{Exec: func(e *remotetest.Exec) int {
			for range 200 { // more than every window on the way
				_, _ = e.Stderr.Write(bytes.Repeat([]byte("x"), 64<<10))
			}
			fmt.Fprint(e.Stderr, "last words")
			fmt.Fprint(e.Stdout, "done")
			return 0
		}})
		p, err := c.Start(t.Context(), "flood")
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Wait(); err != nil {
			t.Fatal(err)
		}
		out, _ := io.ReadAll(p.Stdout())
		said, _ := io.ReadAll(p.Stderr())
		if string(out) != "done" || !bytes.HasSuffix(said, []byte("last words")) || len(said) > 1<<20 {
			t.Errorf("out %q, %d bytes of stderr", out, len(said))
		}
	})
	t.Run("case 32: a slow reader loses nothing", func(t *testing.T) {
		const size = 16 << 20
		c := open(t, remotetest.Options{Exec: func(e *remotetest.Exec) int {
			for range size >> 16 {
				_, _ = e.Stdout.Write(bytes.Repeat([]byte("y"), 64<<10))
			}
			return 0
		}})
		p, err := c.Start(t.Context(), "much")
		if err != nil {
			t.Fatal(err)
		}
		if out, err := output(t, c, "x"); err != nil || len(out) != size { // another command beside a full one
			t.Fatalf("%d bytes, %v", len(out), err)
		}
		out, _ := io.ReadAll(p.Stdout())
		if len(out) != size {
			t.Errorf("%d bytes", len(out))
		}
		if err := p.Wait(); err != nil {
			t.Error(err)
		}
	})
	t.Run("input and its end", func(t *testing.T) {
		c := open(t, remotetest.Options{})
		p, err := c.Start(t.Context(), "tr a-z A-Z; exit 7")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(p.Stdin(), "hello"); err != nil {
			t.Fatal(err)
		}
		_ = p.Stdin().Close()
		_ = p.Stdin().Close()
		var exit *remote.ExitError
		if err := p.Wait(); !errors.As(err, &exit) || exit.Code != 7 {
			t.Errorf("Wait = %v", err)
		}
		if out, _ := io.ReadAll(p.Stdout()); string(out) != "HELLO" {
			t.Errorf("out %q", out)
		}
	})
	t.Run("no exit code", func(t *testing.T) {
		c := open(t, remotetest.Options{Exec: func(*remotetest.Exec) int { return -1 }})
		_, err := output(t, c, "x")
		var exit *remote.ExitError
		if !errors.As(err, &exit) || exit.Code != -1 {
			t.Errorf("%v", err)
		}
	})
	t.Run("context ends the command, not the connection", func(t *testing.T) {
		told := make(chan string, 1)
		c := open(t, remotetest.Options{Exec: func(e *remotetest.Exec) int {
			if e.Command != "wait" {
				return 0
			}
			select {
			case s := <-e.Signals:
				told <- s
			case <-e.Gone:
				told <- "closed"
			}
			return -1
		}})
		ctx, cancel := context.WithCancel(t.Context())
		p, err := c.Start(ctx, "wait")
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := p.Wait(); !errors.Is(err, context.Canceled) {
			t.Errorf("Wait = %v", err)
		}
		if s := <-told; s != "TERM" && s != "closed" {
			t.Errorf("the command was told %q", s)
		}
		if _, err := output(t, c, "x"); err != nil {
			t.Error(err)
		}
	})
	t.Run("case 15: a child left behind holds the output open", func(t *testing.T) {
		hold := make(chan struct{})
		defer close(hold)
		c := open(t, remotetest.Options{Lingering: hold, Exec: func(e *remotetest.Exec) int {
			fmt.Fprint(e.Stdout, "done")
			return 0
		}})
		p, err := c.Start(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Wait(); err != nil {
			t.Errorf("Wait = %v", err)
		}
		if out, _ := io.ReadAll(p.Stdout()); string(out) != "done" {
			t.Errorf("out %q", out)
		}
	})
	t.Run("case 50: commands refused", func(t *testing.T) {
		for name, o := range map[string]remotetest.Options{"exec": {RefuseExec: true}, "session": {RefuseSession: true}} {
			t.Run(name, func(t *testing.T) {
				c := open(t, o)
				_, err := c.Start(t.Context(), "true")
				var e *remote.Error
				if !errors.As(err, &e) || e.Kind != remote.KindNoCommand || e.Stage != remote.StageSession {
					t.Errorf("%v", err)
				}
				if err := remote.CheckCommand(t.Context(), c, 20*time.Second); !errors.As(err, &e) || e.Kind != remote.KindNoCommand {
					t.Errorf("CheckCommand = %v", err)
				}
			})
		}
	})
}

func TestCheckCommand(t *testing.T) {
	says := func(out string, code int) remotetest.Options {
		return remotetest.Options{Exec: func(e *remotetest.Exec) int {
			_, _ = io.Copy(io.Discard, e.Stdin)
			fmt.Fprint(e.Stdout, out)
			return code
		}}
	}
	junk := strings.Repeat("welcome\x00\xff\x1b[31m ", 60)
	for name, c := range map[string]struct {
		o    remotetest.Options
		kind remote.Kind
		said string
	}{
		"plain": {remotetest.Options{}, "", ""},
		"case 1: junk without a newline comes first": {remotetest.Options{Exec: func(e *remotetest.Exec) int {
			fmt.Fprint(e.Stdout, junk)
			return remotetest.Shell(e)
		}}, "", ""},
		"case 2: one absolute word and a flag, the script on its input": {remotetest.Options{Exec: func(e *remotetest.Exec) int {
			if e.Command != "/bin/sh -s" {
				return 127
			}
			return remotetest.Shell(e)
		}}, "", ""},
		"case 3: the marker decides, not the exit code": {remotetest.Options{Exec: func(e *remotetest.Exec) int {
			remotetest.Shell(e)
			return 1
		}}, "", ""},
		"case 3: exit code 0 without the marker": {says("", 0), remote.KindNoCommand, ""},
		"case 4: run without a shell": {remotetest.Options{Exec: func(e *remotetest.Exec) int {
			if strings.ContainsAny(e.Command, ";&|$'\"") || !filepath.IsAbs(strings.Fields(e.Command)[0]) {
				return 127
			}
			return remotetest.Shell(e)
		}}, "", ""},
		"case 50: nologin":        {says("This account is currently not available.\n", 1), remote.KindNoCommand, "not available"},
		"case 50: RunPod's way":   {says("Error: Your SSH client doesn't support PTY\n", 1), remote.KindTerminalOnly, "PTY"},
		"case 50: forced command": {says("Welcome to the menu\n", 0), remote.KindNoCommand, "menu"},
	} {
		t.Run(name, func(t *testing.T) {
			err := remote.CheckCommand(t.Context(), open(t, c.o), 20*time.Second)
			if c.kind == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var e *remote.Error
			if !errors.As(err, &e) || e.Kind != c.kind || !strings.Contains(e.Said, c.said) {
				t.Errorf("%v", err)
			}
		})
	}
	t.Run("never answers", func(t *testing.T) {
		c := open(t, remotetest.Options{Exec: func(e *remotetest.Exec) int { <-e.Gone; return -1 }})
		var e *remote.Error
		if err := remote.CheckCommand(t.Context(), c, 200*time.Millisecond); !errors.As(err, &e) || e.Kind != remote.KindTimeout {
			t.Errorf("%v", err)
		}
	})
	t.Run("case 49: English whatever the host's language", func(t *testing.T) {
		c := open(t, remotetest.Options{Exec: func(e *remotetest.Exec) int {
			e.Command = "LC_ALL=zh_CN.UTF-8 LD_BIND_NOW=1; export LC_ALL LD_BIND_NOW; exec " + e.Command
			return remotetest.Shell(e)
		}})
		p, err := c.Start(t.Context(), remote.Shell)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(p.Stdin(), remote.Prelude+"echo $LC_ALL ${LD_BIND_NOW-unset}; umask\n")
		_ = p.Stdin().Close()
		if out, _ := io.ReadAll(p.Stdout()); string(out) != "C unset\n0077\n" {
			t.Errorf("out %q", out)
		}
	})
}

func TestForwards(t *testing.T) {
	echo := remotetest.Saying(t, "through")
	t.Run("direct", func(t *testing.T) {
		c := open(t, remotetest.Options{})
		conn, err := c.Dial(t.Context(), "tcp", echo)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(conn); string(b) != "through" || err != nil {
			t.Errorf("%q, %v", b, err)
		}
		_ = conn.Close()
		_, err = c.Dial(t.Context(), "tcp", remotetest.Closed(t))
		var e *remote.Error
		if !errors.As(err, &e) || e.Kind != remote.KindForwardFailed || e.Subject == "" {
			t.Errorf("%v", err)
		}
		if _, err = c.Dial(t.Context(), "udp", echo); !errors.As(err, &e) || e.Kind != remote.KindInput {
			t.Errorf("%v", err)
		}
	})
	t.Run("case 16: refused; commands work all the same", func(t *testing.T) {
		c := open(t, remotetest.Options{RefuseForward: true})
		_, err := c.Dial(t.Context(), "tcp", echo)
		var e *remote.Error
		if !errors.As(err, &e) || e.Kind != remote.KindForwardRefused {
			t.Errorf("%v", err)
		}
		if out, err := output(t, c, "echo works"); out != "works\n" || err != nil {
			t.Errorf("%q, %v", out, err)
		}
	})
}

func TestKex(t *testing.T) {
	old := remotetest.Options{NoAuth: true, Config: func(c *ssh.ServerConfig) {
		c.KeyExchanges = []string{ssh.InsecureKeyExchangeDH14SHA1}
		c.Ciphers = []string{ssh.InsecureCipherAES128CBC}
	}}
	s := remotetest.New(t, old)
	p := params(t, login(t, "root", s.Addr))
	t.Run("case 29: both offers are named", func(t *testing.T) {
		e := refused(t, p, remote.StageHandshake, remote.KindKex)
		if !strings.Contains(strings.Join(e.Offered, " "), ssh.InsecureKeyExchangeDH14SHA1) || len(e.Tried) < 3 {
			t.Errorf("tried %q, offered %q", e.Tried, e.Offered)
		}
	})
	t.Run("case 29: old algorithms are opened for one host by name", func(t *testing.T) {
		p.Login.Options = map[string]string{"KexAlgorithms": "+diffie-hellman-group14-sha1", "Ciphers": "+aes128-*"}
		dial(t, p)
	})
}

func TestKeepAlive(t *testing.T) {
	s := remotetest.New(t, remotetest.Options{NoAuth: true})
	p := params(t, login(t, "root", s.Addr))
	p.KeepAlive = 20 * time.Millisecond
	c := dial(t, p)
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for strings.Count(strings.Join(s.Requests(), " "), "keepalive@openssh.com") < 3 {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("requests %q", s.Requests())
		}
	}
	if c.Err() != nil {
		t.Error(c.Err())
	}
}

func TestCryptoIsNewEnough(t *testing.T) {
	t.Run("case 48: x/crypto v0.59.0 or later", func(t *testing.T) {
		b, err := os.ReadFile("../../go.mod")
		if err != nil {
			t.Fatal(err)
		}
		var minor int
		for line := range strings.Lines(string(b)) {
			if v, ok := strings.CutPrefix(strings.TrimSpace(line), "golang.org/x/crypto v0."); ok {
				_, _ = fmt.Sscanf(v, "%d", &minor)
			}
		}
		if minor < 59 {
			t.Errorf("v0.%d in go.mod", minor)
		}
		if info, ok := debug.ReadBuildInfo(); ok {
			for _, d := range info.Deps {
				if d.Path == "golang.org/x/crypto" && d.Replace != nil {
					t.Errorf("replaced by %v", d.Replace)
				}
			}
		}
	})
}
