package stream

import (
	"context"

	"rentgen/probe/remote"
)

func (h *Host) simple(ctx context.Context, conn remote.Conn, r *report, f *fallback) error {
	return &Error{Kind: KindSimple, Reason: f.reason, Said: f.detail}
}
