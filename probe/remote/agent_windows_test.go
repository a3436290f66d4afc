package remote

import (
	"context"
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"github.com/Microsoft/go-winio"
)

func TestAgentPipe(t *testing.T) {
	t.Run("case 25: the key agent is a named pipe", func(t *testing.T) {
		t.Setenv("SSH_AUTH_SOCK", "")
		if agentSocket() != `\\.\pipe\openssh-ssh-agent` {
			t.Errorf("socket %q", agentSocket())
		}
		name := fmt.Sprintf(`\\.\pipe\rentgen-test-%d`, os.Getpid())
		l, err := winio.ListenPipe(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		got := make(chan net.Conn, 1)
		go func() {
			c, err := l.Accept()
			if err == nil {
				got <- c
			}
		}()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		c, err := dialAgent(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
		_ = (<-got).Close()
	})
	t.Run("case 25: no agent running", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := dialAgent(ctx, `\\.\pipe\rentgen-test-none`); err == nil {
			t.Error("an agent that is not there answered")
		}
	})
}
