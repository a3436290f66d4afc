package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// comfy serves what a ComfyUI answers.
func comfy(t *testing.T, answers map[string]string) func(ctx context.Context, path string) ([]byte, error) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := answers[r.URL.RequestURI()]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, a)
	}))
	t.Cleanup(s.Close)
	return func(ctx context.Context, path string) ([]byte, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
		if err != nil {
			return nil, err
		}
		resp, err := s.Client().Do(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("status %d", resp.StatusCode)
		}
		return io.ReadAll(resp.Body)
	}
}

const (
	noQueue = `{"queue_running": [], "queue_pending": []}`
	stats   = `{"system": {"os": "posix", "ram_total": 134868811776, "comfyui_version": "0.3.60", "python_version": "3.12.3", "argv": ["main.py", "--listen", "--lowvram", "--use-sage-attention", "--fp8_e4m3fn-text-enc"]}, "devices": [{"name": "cuda:0 NVIDIA GeForce RTX 4090", "type": "cuda", "vram_total": 25386352640}]}`
)

func TestRunning(t *testing.T) {
	api := string(testFile(t, "default-api.json"))
	other := strings.ReplaceAll(api, `"steps": 20`, `"steps": 33`)
	item := func(n int, graph string) string {
		return fmt.Sprintf(`[%d, "id-%d", %s, {"client_id": "c"}, ["9"]]`, n, n, graph)
	}
	wantSteps := func(answers map[string]string, steps int) Found {
		t.Helper()
		f, err := Running(t.Context(), comfy(t, answers))
		if err != nil || f.Job.Steps != steps {
			t.Errorf("%v: steps %d, want %d", err, f.Job.Steps, steps)
		}
		return f
	}
	f := wantSteps(map[string]string{"/queue": `{"queue_running": [` + item(7, api) + `], "queue_pending": [` + item(8, other) + `]}`, "/system_stats": stats}, 20)
	want := defaultJob
	want.Offload, want.Attention, want.TEQuant = "lowvram", "flash", "fp8"
	wantJob(t, f, want)
	if f.Program != "ComfyUI 0.3.60" {
		t.Errorf("program %q", f.Program)
	}
	wantSteps(map[string]string{"/queue": `{"queue_running": [], "queue_pending": [` + item(9, api) + `,` + item(8, other) + `]}`, "/system_stats": stats}, 33)
	f = wantSteps(map[string]string{"/queue": noQueue, "/history?max_items=1": `{"a": {"prompt": ` + item(1, api) + `, "outputs": {}}, "b": {"prompt": ` + item(2, other) + `}}`}, 33)
	wantMissed(t, f, "argv started")
}

func TestRunningOnlyCountsItsOutputs(t *testing.T) {
	graph := strings.TrimSuffix(strings.TrimSpace(string(testFile(t, "default-api.json"))), "}") +
		`,"20":{"class_type":"UpscaleModelLoader","inputs":{"model_name":"4x-UltraSharp.pth"}},"21":{"class_type":"ImageUpscaleWithModel","inputs":{"upscale_model":["20",0],"image":["8",0]}},"22":{"class_type":"SaveImage","inputs":{"images":["21",0]}}}`
	for outputs, upscaled := range map[string]bool{`["9"]`: false, `["9","22"]`: true} {
		f, err := Running(t.Context(), comfy(t, map[string]string{"/queue": `{"queue_running": [[1,"i",` + graph + `,{},` + outputs + `]], "queue_pending": []}`, "/system_stats": stats}))
		if err != nil || (f.Job.Upscaler != nil) != upscaled {
			t.Errorf("%s: %v, upscaler %+v", outputs, err, f.Job.Upscaler)
		}
	}
}

func TestRunningErrors(t *testing.T) {
	for name, c := range map[string]struct {
		answers map[string]string
		want    string
	}{
		"idle":    {map[string]string{"/queue": noQueue, "/history?max_items=1": "{}"}, "workflow.bad.idle"},
		"another": {map[string]string{"/queue": "<html>"}, "workflow.bad.answer"},
		"a kin":   {map[string]string{"/queue": "{}"}, "workflow.bad.answer"},
	} {
		_, err := Running(t.Context(), comfy(t, c.answers))
		var e *Error
		if !errors.As(err, &e) || e.Reason.Key != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Running(t.Context(), comfy(t, nil)); err == nil || !strings.Contains(err.Error(), "/queue") {
		t.Errorf("no answer: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Running(ctx, comfy(t, map[string]string{"/queue": noQueue})); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
