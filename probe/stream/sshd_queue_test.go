//go:build linux

package stream_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"rentgen/probe"
	"rentgen/probe/stream"
)

func TestSSHDQueue(t *testing.T) {
	t.Parallel()
	var jobs atomic.Int64
	jobs.Store(3)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/prompt" || r.Method != http.MethodGet {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, `{"exec_info": {"queue_remaining": %d}}`, jobs.Load())
	}))
	t.Cleanup(srv.Close)
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	r := newRig(t, rigOptions{})
	h, _ := r.look(nil)
	reachPhase(t, h, stream.Live)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		// At the first nobody listens, at the second another program does.
		h.FollowQueue(ctx, "127.0.0.1:1", strings.TrimPrefix(other.URL, "http://"), strings.TrimPrefix(srv.URL, "http://"))
	}()
	until(t, "the queue in a tick", func() bool {
		s := h.Latest()
		return s != nil && s.System != nil && s.System.Get(probe.Queue) == probe.Of(3)
	})
	cancel()
	<-done
}
