//go:build !windows

package remote

import (
	"context"
	"net"
	"os"
)

// agentSocket returns where the key agent listens; "" without one.
func agentSocket() string { return os.Getenv("SSH_AUTH_SOCK") }

func dialAgent(ctx context.Context, socket string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "unix", socket)
}
