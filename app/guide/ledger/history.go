// Package ledger keeps the times of a start and of the first pictures: queue,
// pull of the system image, boot, page up, model load, first and warm pictures.
// It reads them from what a running ComfyUI remembers, without a benchmark.
package ledger

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"rentgen/app/guide"
	"rentgen/app/workload"
	"rentgen/app/workload/workflow"
)

// MaxHistory is the longest history that is read, in bytes.
const MaxHistory = 32 << 20

// maxPrompts of a history are read, the latest ones.
const maxPrompts = 2000

// Prompt is one run of a workflow.
type Prompt struct {
	ID         string
	Start, End time.Time // ComfyUI's clock, that of the host
	Failed     bool
	// Cached says that the program gave a picture it had: nothing was painted.
	Cached   bool
	Pictures int             // kept ones, previews aside
	Job      workload.Job    // as far as the workflow tells
	Key      string          // of the job
	Graph    json.RawMessage // as it was queued
}

// Seconds is how long it took.
func (p Prompt) Seconds() float64 { return p.End.Sub(p.Start).Seconds() }

// item is an entry of /history.
type item struct {
	Prompt  []json.RawMessage `json:"prompt"`
	Outputs map[string]struct {
		Images []struct {
			Type string `json:"type"`
		} `json:"images"`
	} `json:"outputs"`
	Status *struct {
		Text     string              `json:"status_str"`
		Messages [][]json.RawMessage `json:"messages"`
	} `json:"status"`
}

// FromHistory reads the answer of ComfyUI's /history, oldest first. Entries
// without both times are left out and counted: older versions keep none.
func FromHistory(b []byte) (prompts []Prompt, untimed int, err error) {
	if len(b) > MaxHistory {
		return nil, 0, fmt.Errorf("history of ComfyUI: more than %d MiB", MaxHistory>>20)
	}
	var all map[string]item
	if err := json.Unmarshal(bytes.TrimSpace(b), &all); err != nil {
		return nil, 0, fmt.Errorf("history of ComfyUI: %w", err)
	}
	if all == nil {
		return nil, 0, errors.New("history of ComfyUI: not an object")
	}
	for id, it := range all {
		p, ok := it.read()
		if !ok {
			untimed++
			continue
		}
		p.ID = guide.Clean([]byte(id), 80)
		prompts = append(prompts, p)
	}
	slices.SortFunc(prompts, func(a, b Prompt) int {
		return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.ID, b.ID))
	})
	if n := len(prompts) - maxPrompts; n > 0 {
		prompts = prompts[n:]
	}
	jobs(prompts)
	return prompts, untimed, nil
}

func (it item) read() (Prompt, bool) {
	var p Prompt
	if it.Status == nil {
		return p, false
	}
	cached := 0
	for _, m := range it.Status.Messages {
		if len(m) != 2 {
			continue
		}
		var kind string
		var said struct {
			Timestamp float64           `json:"timestamp"`
			Nodes     []json.RawMessage `json:"nodes"`
		}
		if json.Unmarshal(m[0], &kind) != nil || json.Unmarshal(m[1], &said) != nil {
			continue
		}
		at, ok := milli(said.Timestamp)
		switch kind {
		case "execution_start":
			if ok {
				p.Start = at
			}
		case "execution_cached":
			cached = len(said.Nodes)
		case "execution_success":
			if ok {
				p.End = at
			}
		case "execution_error", "execution_interrupted":
			p.Failed = true
			if ok {
				p.End = at
			}
		}
	}
	if p.Start.IsZero() || p.End.Before(p.Start) {
		return p, false
	}
	p.Failed = p.Failed || it.Status.Text == "error"
	for _, o := range it.Outputs {
		for _, i := range o.Images {
			if i.Type != "temp" {
				p.Pictures++
			}
		}
	}
	nodes := 0
	if len(it.Prompt) > 2 {
		p.Graph = it.Prompt[2]
		var graph map[string]json.RawMessage
		if json.Unmarshal(p.Graph, &graph) == nil {
			nodes = len(graph)
		}
	}
	// A node that only shows or saves runs again; everything else was there.
	p.Cached = nodes > 0 && cached >= nodes-1
	return p, true
}

// milli is a time in milliseconds of the Unix clock, within this and the next
// lives of a program.
func milli(v float64) (time.Time, bool) {
	if math.IsNaN(v) || v < 1e12 || v > 1e13 {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(v)).UTC(), true
}

// jobs reads what each prompt paints; the same text is read once.
func jobs(prompts []Prompt) {
	type known struct {
		job workload.Job
		key string
	}
	seen := map[string]known{}
	for i := range prompts {
		g := string(prompts[i].Graph)
		k, ok := seen[g]
		if !ok {
			if f, err := workflow.Read("", prompts[i].Graph); err == nil {
				k = known{f.Job, f.Job.Key()}
			}
			seen[g] = k
		}
		prompts[i].Job, prompts[i].Key = k.job, k.key
	}
}
