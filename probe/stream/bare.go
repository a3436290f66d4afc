package stream

import (
	"context"

	"rentgen/probe/remote"
)

// bare holds a connection for what is asked of it and reads nothing.
func (h *Host) bare(ctx context.Context, conn remote.Conn) error {
	h.update(func(s *State) { s.Phase, s.Stage, s.Err = Live, "", nil })
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-conn.Done():
		return &Error{Kind: KindLink, Err: conn.Err()}
	}
}
