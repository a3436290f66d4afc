package day

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Doer asks over HTTP, usually through a local forward. *http.Client is one.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Queue is what ComfyUI still has to do.
type Queue struct{ Running, Pending int }

// Empty reports whether nothing is left to do.
func (q Queue) Empty() bool { return q.Running == 0 && q.Pending == 0 }

// maxQueue bounds the answer, in bytes: a waiting workflow is some 50 KB.
const maxQueue = 32 << 20

// ErrQueue says that the answer isn't ComfyUI's: whether it is busy isn't known.
var ErrQueue = errors.New("not an answer of ComfyUI's queue")

// AskQueue asks a ComfyUI for its queue; base is "http://127.0.0.1:49152".
func AskQueue(ctx context.Context, d Doer, base string) (Queue, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(base, "/")+"/queue", nil)
	if err != nil {
		return Queue{}, fmt.Errorf("asking for the queue: %w", err)
	}
	resp, err := d.Do(req)
	if err != nil {
		return Queue{}, fmt.Errorf("asking for the queue: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return Queue{}, fmt.Errorf("%w: HTTP %d", ErrQueue, resp.StatusCode)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxQueue+1))
	if err != nil {
		return Queue{}, fmt.Errorf("reading the queue: %w", err)
	}
	if len(b) > maxQueue {
		return Queue{}, fmt.Errorf("%w: longer than %d bytes", ErrQueue, maxQueue)
	}
	return readQueue(b)
}

func readQueue(b []byte) (Queue, error) {
	var v struct {
		Running *[]json.RawMessage `json:"queue_running"`
		Pending *[]json.RawMessage `json:"queue_pending"`
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return Queue{}, fmt.Errorf("%w: %w", ErrQueue, err)
	}
	if v.Running == nil || v.Pending == nil {
		return Queue{}, ErrQueue
	}
	return Queue{Running: len(*v.Running), Pending: len(*v.Pending)}, nil
}
