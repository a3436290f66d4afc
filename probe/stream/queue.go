package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"rentgen/probe"
)

// QueueAddrs are where ComfyUI listens on its host unless told otherwise: its own
// port first, then those that platforms make reachable or start it at.
func QueueAddrs() []string { return []string{"127.0.0.1:8188", "127.0.0.1:6006", "127.0.0.1:18188"} }

const (
	queueEvery  = 10 * time.Second
	queueSeldom = time.Minute // where nothing answers
	queueWait   = 5 * time.Second
	queueAge    = 25 * time.Second // how long an answer holds
	queueBytes  = 64 << 10
)

// FollowQueue asks the first ComfyUI that answers at one of the addresses as seen
// from the host how many jobs run or wait, until ctx ends, and puts the answer into
// the ticks as probe.Queue. It opens no port on this computer. Where nothing answers
// it asks seldom.
func (h *Host) FollowQueue(ctx context.Context, addrs ...string) {
	at := 0 // the one that answered last
	for {
		pause := queueSeldom
		for range addrs {
			n, err := h.queueAt(ctx, addrs[at])
			if err == nil {
				h.mu.Lock()
				h.track.queue, h.track.queueAt = probe.Of(float64(n)), h.clock.Wall()
				h.mu.Unlock()
				pause = queueEvery
				break
			}
			at = (at + 1) % len(addrs)
		}
		c, stop := h.clock.After(pause)
		select {
		case <-ctx.Done():
			stop()
			return
		case <-c:
		}
		stop()
	}
}

func (h *Host) queueAt(ctx context.Context, addr string) (int, error) {
	conn, err := h.connection()
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, queueWait)
	defer cancel()
	client := &http.Client{
		Transport: &http.Transport{
			DisableKeepAlives: true,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return dialThrough(ctx, conn, addr)
			},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/prompt", nil)
	if err != nil {
		return 0, fmt.Errorf("ask for the queue: %w", err)
	}
	r, err := client.Do(req)
	if err != nil {
		return 0, fmt.Errorf("ask for the queue: %w", err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("ask for the queue: %s", r.Status)
	}
	b, err := io.ReadAll(io.LimitReader(r.Body, queueBytes))
	if err != nil {
		return 0, fmt.Errorf("read the queue: %w", err)
	}
	return parseQueue(b)
}

var errQueue = errors.New("the answer is not ComfyUI's")

// parseQueue reads ComfyUI's {"exec_info": {"queue_remaining": 3}}, which counts
// what runs and what waits.
func parseQueue(b []byte) (int, error) {
	var a struct {
		Info struct {
			Remaining *int `json:"queue_remaining"`
		} `json:"exec_info"`
	}
	if err := json.Unmarshal(b, &a); err != nil {
		return 0, fmt.Errorf("%w: %w", errQueue, err)
	}
	if n := a.Info.Remaining; n != nil && *n >= 0 && *n < 1_000_000 {
		return *n, nil
	}
	return 0, errQueue
}
