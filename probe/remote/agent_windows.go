package remote

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"time"

	"github.com/Microsoft/go-winio"
	"golang.org/x/sys/windows"
)

const openSSHPipe = `\\.\pipe\openssh-ssh-agent`

// agentSocket returns where the key agent listens.
func agentSocket() string {
	if s := os.Getenv("SSH_AUTH_SOCK"); s != "" {
		return s
	}
	return openSSHPipe
}

// dialAgent opens the agent's pipe. All instances of the pipe may be taken for
// a moment; then it is tried again until the context ends.
func dialAgent(ctx context.Context, socket string) (net.Conn, error) {
	if !strings.HasPrefix(socket, `\\`) && !strings.HasPrefix(socket, "//") {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}
	for {
		c, err := winio.DialPipeContext(ctx, socket)
		if !errors.Is(err, windows.ERROR_PIPE_BUSY) {
			return c, err
		}
		timer := time.NewTimer(50 * time.Millisecond)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, err
		case <-timer.C:
		}
	}
}
