package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Web asks the program that paints, through a forward.
type Web struct {
	Get  func(ctx context.Context, path string) ([]byte, error)
	Post func(ctx context.Context, path string, body []byte) ([]byte, error)
	// Pause waits a moment between two questions; its error ends the run.
	Pause func(ctx context.Context) error
}

// ErrNothing says that the program remembers no workflow that could be run again.
var ErrNothing = errors.New("no workflow to run again")

// Again runs the latest workflow that ended well n more times, each with other
// seeds, so that nothing is taken from what the program kept. It queues pictures
// on the instance, so it must be asked for.
func Again(ctx context.Context, w Web, n int) ([]Prompt, error) {
	b, err := w.Get(ctx, "/history")
	if err != nil {
		return nil, err
	}
	before, _, err := FromHistory(b)
	if err != nil {
		return nil, err
	}
	var graph json.RawMessage
	for _, p := range before {
		if !p.Failed && p.Pictures > 0 && len(p.Graph) > 0 {
			graph = p.Graph
		}
	}
	if graph == nil {
		return nil, ErrNothing
	}
	var done []Prompt
	for range n {
		p, err := once(ctx, w, graph)
		if err != nil {
			return done, err
		}
		done = append(done, p)
	}
	return done, nil
}

// once queues a workflow and waits for its end.
func once(ctx context.Context, w Web, graph json.RawMessage) (Prompt, error) {
	seeded, err := reseed(graph)
	if err != nil {
		return Prompt{}, err
	}
	body, err := json.Marshal(map[string]any{"prompt": seeded, "client_id": "rentgen"})
	if err != nil {
		return Prompt{}, err
	}
	b, err := w.Post(ctx, "/prompt", body)
	if err != nil {
		return Prompt{}, fmt.Errorf("queue the workflow: %w", err)
	}
	var said struct {
		ID string `json:"prompt_id"`
	}
	if json.Unmarshal(b, &said) != nil || said.ID == "" || strings.ContainsAny(said.ID, "/?#% \n") || len(said.ID) > 80 {
		return Prompt{}, errors.New("queue the workflow: the answer names no run")
	}
	for {
		if err := w.Pause(ctx); err != nil {
			return Prompt{}, err
		}
		b, err := w.Get(ctx, "/history/"+said.ID)
		if err != nil {
			return Prompt{}, err
		}
		list, untimed, err := FromHistory(b)
		if err != nil {
			return Prompt{}, err
		}
		if untimed > 0 {
			return Prompt{}, errors.New("this version of ComfyUI keeps no times")
		}
		if len(list) == 0 {
			continue
		}
		if p := list[0]; !p.End.IsZero() {
			if p.Failed {
				return p, errors.New("the workflow ended in an error")
			}
			return p, nil
		}
	}
}

// reseed returns a workflow whose seeds are other ones; links to other nodes
// stay.
func reseed(graph json.RawMessage) (map[string]any, error) {
	var g map[string]any
	d := json.NewDecoder(strings.NewReader(string(graph)))
	d.UseNumber()
	if err := d.Decode(&g); err != nil {
		return nil, fmt.Errorf("workflow: %w", err)
	}
	found := false
	for _, n := range g {
		node, _ := n.(map[string]any)
		in, _ := node["inputs"].(map[string]any)
		for name, v := range in {
			if _, ok := v.(json.Number); ok && (name == "seed" || name == "noise_seed") {
				in[name] = rand.Int64N(1 << 50)
				found = true
			}
		}
	}
	if !found {
		return nil, errors.New("the workflow has no seed: it would be taken from what ComfyUI kept")
	}
	return g, nil
}
