package remote_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"rentgen/probe/remote"
	"rentgen/probe/remote/remotetest"
)

func TestProxyCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("skipped: needs a POSIX shell")
	}
	helper, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := remotetest.New(t, remotetest.Options{NoAuth: true})
	with := func(t *testing.T, command string) (remote.Params, *person) {
		p := params(t, login(t, "root", s.Addr))
		p.Login.ProxyCommand = command
		who := &person{consent: true}
		p.Prompt = who
		return p, who
	}
	pipe := helper + " -test.run=^TestHelperPipe$ -- %h:%p"
	t.Run("once a host, after consent", func(t *testing.T) {
		p, who := with(t, pipe)
		t.Setenv("REMOTE_TEST_PIPE", "1")
		c := dial(t, p)
		if out, err := output(t, c, "echo through"); out != "through\n" || err != nil {
			t.Fatalf("%q, %v", out, err)
		}
		_ = c.Close()
		dial(t, p)
		if len(who.proxies) != 1 || !strings.HasSuffix(who.proxies[0], s.Addr) {
			t.Errorf("asked %q", who.proxies)
		}
		p.Login.ProxyCommand += " "
		dial(t, p)
		if len(who.proxies) != 2 {
			t.Error("another command was not asked about")
		}
	})
	t.Run("not allowed", func(t *testing.T) {
		marker := filepath.Join(t.TempDir(), "ran")
		p, who := with(t, "touch "+marker)
		who.consent = false
		refused(t, p, remote.StageProxy, remote.KindProxyConsent)
		p.Prompt = nil
		refused(t, p, remote.StageProxy, remote.KindNoOneToAsk)
		if _, err := os.Stat(marker); err == nil {
			t.Error("it ran all the same")
		}
	})
	t.Run("fails", func(t *testing.T) {
		p, _ := with(t, "sh -c 'echo no route for you >&2; exit 3'")
		e := refused(t, p, remote.StageProxy, remote.KindProxyCommand)
		if e.Said != "no route for you" {
			t.Errorf("said %q", e.Said)
		}
	})
	t.Run("silent", func(t *testing.T) {
		p, _ := with(t, "sleep 60")
		p.HandshakeTimeout = 300 * time.Millisecond
		refused(t, p, remote.StageHandshake, remote.KindSilent)
	})
}

// TestHelperPipe is no test: it is the ProxyCommand of TestProxyCommand.
func TestHelperPipe(t *testing.T) {
	if os.Getenv("REMOTE_TEST_PIPE") == "" {
		t.Skip("only runs as a ProxyCommand")
	}
	c, err := net.Dial("tcp", os.Args[len(os.Args)-1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go func() { _, _ = io.Copy(c, os.Stdin); _ = c.(*net.TCPConn).CloseWrite() }()
	_, _ = io.Copy(os.Stdout, c)
	os.Exit(0)
}
