package workflow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rentgen/assets/texts"
)

// Running reads the prompt that a running ComfyUI works on, else the next in its
// queue, else the latest of its history, and how the program was started. get
// asks the program for a path, as "/queue"; the errors are its own and *Error.
func Running(ctx context.Context, get func(ctx context.Context, path string) ([]byte, error)) (Found, error) {
	ask := func(path string) (map[string]any, error) {
		b, err := get(ctx, path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		v, err := parseJSON(decodeText(b))
		if err != nil || object(v) == nil {
			return nil, bad("workflow.bad.answer", "path", path)
		}
		return object(v), nil
	}
	queue, err := ask("/queue")
	if err != nil {
		return Found{}, err
	}
	if _, ok := queue["queue_running"]; !ok {
		return Found{}, bad("workflow.bad.answer", "path", "/queue")
	}
	item := firstItem(queue["queue_running"])
	if item == nil {
		item = firstItem(queue["queue_pending"])
	}
	if item == nil {
		history, err := ask("/history?max_items=1")
		if err != nil {
			return Found{}, err
		}
		item = latest(history)
	}
	if item == nil {
		return Found{}, bad("workflow.bad.idle")
	}
	g, err := readPrompt(object(item[2]))
	if err != nil {
		return Found{}, err
	}
	if len(item) > 4 {
		for _, id := range list(item[4]) {
			g.ends = append(g.ends, word(id))
		}
	}
	f := g.read(nil)
	stats, err := ask("/system_stats")
	switch {
	case ctx.Err() != nil:
		return Found{}, ctx.Err()
	case err != nil: // an older one; only how it was started stays unknown
		n := notes{f.Understood, f.Missed}
		n.miss("argv", "", "/system_stats", texts.P("workflow.miss.started"))
		f.Missed = n.missed
		return f, nil
	}
	started(&f, object(stats["system"]))
	return f, nil
}

// firstItem is the one with the lowest number of a queue: [number, id, prompt,
// extra, outputs].
func firstItem(v any) []any {
	var best []any
	lowest := 0.0
	for _, i := range list(v) {
		item := list(i)
		if len(item) < 3 || !isPrompt(object(item[2])) {
			continue
		}
		if n, _ := number(item[0]); best == nil || n < lowest {
			best, lowest = item, n
		}
	}
	return best
}

// latest is the prompt of a history with the highest number.
func latest(history map[string]any) []any {
	var best []any
	highest := 0.0
	for _, id := range sortedNames(history) {
		item := list(object(history[id])["prompt"])
		if len(item) < 3 || !isPrompt(object(item[2])) {
			continue
		}
		if n, _ := number(item[0]); best == nil || n > highest {
			best, highest = item, n
		}
	}
	return best
}

// started reads the options that the program was started with.
func started(f *Found, system map[string]any) {
	if v := text(system["comfyui_version"]); v != "" {
		f.Program = "ComfyUI " + short(v)
	}
	n := notes{f.Understood, f.Missed}
	var args []string
	for _, a := range list(system["argv"]) {
		args = append(args, text(a))
	}
	has := func(names ...string) string {
		for _, name := range names {
			if slices.Contains(args, name) {
				return name
			}
		}
		return ""
	}
	j := &f.Job
	if a := has("--lowvram"); a != "" {
		j.Offload = "lowvram"
		n.saw("offload", j.Offload, a)
	}
	if a := has("--novram"); a != "" {
		j.Offload = "sequential"
		n.saw("offload", j.Offload, a)
	}
	if a := has("--gpu-only", "--highvram"); a != "" {
		j.Offload = "none"
		n.saw("offload", j.Offload, a)
	}
	if a := has("--fp8_e4m3fn-unet", "--fp8_e5m2-unet", "--fp16-unet", "--bf16-unet", "--fp32-unet"); a != "" && (j.Quant == "" || plainType(j.Quant)) {
		j.Quant, _ = quantOf(strings.TrimPrefix(a, "--"))
		n.saw("precision", j.Quant, a)
	}
	if a := has("--fp8_e4m3fn-text-enc", "--fp8_e5m2-text-enc", "--fp16-text-enc", "--bf16-text-enc", "--fp32-text-enc"); a != "" {
		j.TEQuant, _ = quantOf(strings.TrimPrefix(a, "--"))
		n.saw("te_precision", j.TEQuant, a)
	}
	if a := has("--use-split-cross-attention", "--use-quad-cross-attention"); a != "" {
		n.miss(a, "", "argv", texts.P("workflow.miss.attention"))
	}
	if a := has("--use-flash-attention", "--use-pytorch-cross-attention", "--use-sage-attention"); a != "" {
		j.Attention = "flash"
		n.saw("attention", strings.TrimPrefix(a, "--use-"), a)
	}
	f.Understood, f.Missed = n.understood, n.missed
}

// plainType reports whether weights are kept as they are rather than quantised.
func plainType(q string) bool { return q == "fp16" || q == "bf16" || q == "fp32" }
