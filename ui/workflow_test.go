package ui

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"rentgen/app/workload/workflow"
	"rentgen/assets/texts"
)

const prompt = `{
 "1": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "sd_xl_base_1.0.safetensors"}},
 "2": {"class_type": "EmptyLatentImage", "inputs": {"width": 832, "height": 1216, "batch_size": 2}},
 "3": {"class_type": "KSampler", "inputs": {"steps": 28, "cfg": 7, "denoise": 1, "model": ["1", 0], "latent_image": ["2", 0], "positive": ["4", 0], "negative": ["4", 0]}},
 "4": {"class_type": "CLIPTextEncode", "inputs": {"text": "a boat", "clip": ["1", 1]}},
 "5": {"class_type": "VAEDecode", "inputs": {"samples": ["3", 0], "vae": ["1", 2]}},
 "6": {"class_type": "SaveImage", "inputs": {"images": ["5", 0]}}
}`

func TestReadsARunningComfyUI(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/queue":
			fmt.Fprintf(w, `{"queue_running": [[1, "id", %s, {}, ["6"]]], "queue_pending": []}`, prompt)
		case "/system_stats":
			fmt.Fprint(w, `{"system": {"argv": ["main.py"]}}`)
		default:
			fmt.Fprint(w, `{}`)
		}
	}))
	defer s.Close()
	f, err := workflow.Running(t.Context(), getter(s.URL))
	if err != nil {
		t.Fatal(err)
	}
	got := found(f)
	if j := got.Job; j.Model != "sdxl" || j.Width != 832 || j.Height != 1216 || j.Steps != 28 || j.Batch != 2 {
		t.Errorf("job %+v; understood %+v", j, got.Understood)
	}
	if len(got.Understood) != len(f.Understood) || len(got.Understood) == 0 || got.Program != f.Program {
		t.Errorf("understood %+v", got.Understood)
	}
}

// TestAForeignPortIsNotTrusted guards against whoever listens there instead.
func TestAForeignPortIsNotTrusted(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/queue":
			http.Redirect(w, r, other.URL, http.StatusFound)
		case "/history":
			chunk := strings.Repeat("x", 1<<20)
			for range 40 {
				fmt.Fprint(w, chunk)
			}
		default:
			http.Error(w, "no", http.StatusInternalServerError)
		}
	}))
	defer s.Close()
	get := getter(s.URL)
	for path, want := range map[string]string{"/queue": "302", "/history": "more than 32 MiB", "/x": "500"} {
		if b, err := get(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %d bytes, %v; want %q", path, len(b), err, want)
		}
	}
	if reached {
		t.Error("it led us to another address")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := get(ctx, "/x"); err == nil {
		t.Error("a stopped reading goes on")
	}
}

func TestErrorsAreSaidInTheLanguage(t *testing.T) {
	_, err := readWorkflow("cat.png", []byte("GIF89a"))
	if err == nil {
		t.Fatal("a GIF is a workflow")
	}
	en, zh := sayError(texts.For(texts.English), err), sayError(texts.For(texts.Chinese), err)
	if en == zh || !strings.Contains(zh, "工作流") {
		t.Errorf("%q and %q", en, zh)
	}
}
