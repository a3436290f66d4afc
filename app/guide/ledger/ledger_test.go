package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide/guidetest"
	"rentgen/assets/texts"
)

// entry is one prompt of a history as ComfyUI writes it.
type entry struct {
	start, end int64 // ms
	seed       int
	model      string
	pictures   int
	cached     int
	failed     bool
}

func (e entry) graph() string {
	return fmt.Sprintf(`{"1":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":%q}},
		"2":{"class_type":"KSampler","inputs":{"seed":%d,"steps":20,"cfg":7,"sampler_name":"euler","scheduler":"normal","denoise":1,"model":["1",0],"latent_image":["3",0]}},
		"3":{"class_type":"EmptyLatentImage","inputs":{"width":1024,"height":1024,"batch_size":1}},
		"4":{"class_type":"SaveImage","inputs":{"images":["2",0]}}}`, e.model, e.seed)
}

func (e entry) json() string {
	end, text := "execution_success", "success"
	if e.failed {
		end, text = "execution_error", "error"
	}
	nodes := slices.Repeat([]string{`"1"`}, e.cached)
	images := slices.Repeat([]string{`{"filename":"a.png","type":"output"}`}, e.pictures)
	return fmt.Sprintf(`{"prompt":[1,"id",%s,{},["4"]],"outputs":{"4":{"images":[%s]},"5":{"images":[{"type":"temp"}]}},
		"status":{"status_str":%q,"completed":true,"messages":[["execution_start",{"prompt_id":"x","timestamp":%d}],
		["execution_cached",{"nodes":[%s],"timestamp":%d}],[%q,{"timestamp":%d}]]}}`,
		e.graph(), strings.Join(images, ","), text, e.start, strings.Join(nodes, ","), e.start, end, e.end)
}

func historyOf(es ...entry) []byte {
	var parts []string
	for i, e := range es {
		parts = append(parts, fmt.Sprintf("%q:%s", fmt.Sprint("p", i), e.json()))
	}
	slices.Reverse(parts) // the order of the object says nothing
	return []byte("{" + strings.Join(parts, ",") + "}")
}

const t0 = int64(1_790_000_000_000)

const xl = "sd_xl_base_1.0.safetensors"

func TestFromHistory(t *testing.T) {
	b := historyOf(
		entry{start: t0, end: t0 + 96_500, seed: 1, model: xl, pictures: 1},
		entry{start: t0 + 100_000, end: t0 + 106_500, seed: 2, model: xl, pictures: 1},
		entry{start: t0 + 110_000, end: t0 + 110_040, seed: 2, model: xl, pictures: 1, cached: 4},
		entry{start: t0 + 120_000, end: t0 + 121_000, seed: 3, model: xl, failed: true},
	)
	list, untimed, err := FromHistory(b)
	if err != nil || untimed != 0 || len(list) != 4 {
		t.Fatal(len(list), untimed, err)
	}
	if p := list[0]; p.Seconds() != 96.5 || p.Pictures != 1 || p.Job.Model != "sdxl" || p.Failed || p.Cached {
		t.Errorf("%+v", p)
	}
	if list[0].Key == "" || list[0].Key != list[1].Key {
		t.Errorf("another seed is another job: %q, %q", list[0].Key, list[1].Key)
	}
	if !list[2].Cached || !list[3].Failed {
		t.Errorf("cached %v, failed %v", list[2].Cached, list[3].Failed)
	}
	for _, bad := range []string{"", "[]", "null", "<html>", `{"a":`, `"x"`} {
		if _, _, err := FromHistory([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	list, untimed, err = FromHistory([]byte(`{"a":{"prompt":[1,"a",{}],"outputs":{}},"b":{"status":{"messages":[["execution_start",{"timestamp":5}]]}}}`))
	if err != nil || len(list) != 0 || untimed != 2 {
		t.Errorf("%d prompts, %d without times, %v", len(list), untimed, err)
	}
}

func TestTake(t *testing.T) {
	es := []entry{
		{start: t0, end: t0 + 100_000, seed: 1, model: xl, pictures: 2}, // first: two pictures
		{start: t0 + 200_000, end: t0 + 212_000, seed: 2, model: xl, pictures: 2},
		{start: t0 + 220_000, end: t0 + 227_000, seed: 3, model: xl, pictures: 1},
		{start: t0 + 230_000, end: t0 + 260_000, seed: 4, model: "v1-5-pruned.safetensors", pictures: 1},
		{start: t0 + 270_000, end: t0 + 310_000, seed: 5, model: xl, pictures: 1}, // loads again: not warm
		{start: t0 + 320_000, end: t0 + 328_000, seed: 6, model: xl, pictures: 1},
		{start: t0 + 330_000, end: t0 + 331_000, seed: 7, model: xl, failed: true},
	}
	list, _, err := FromHistory(historyOf(es...))
	if err != nil {
		t.Fatal(err)
	}
	var l Ledger
	l.Take(list, time.Time{}, History)
	if l.Stages[First].Seconds != 100 || l.Stages[Warm].Seconds != 7 || l.Stages[Load].Seconds != 86 {
		t.Errorf("%+v", l.Stages)
	}
	if l.Pictures != 4 || l.Quickest != 6 || l.Slowest != 8 || l.Failed != 1 || l.Model != "sdxl" {
		t.Errorf("%+v", l)
	}
	if got := l.PerHour(); math.Abs(got-3600.0/7) > 1e-9 {
		t.Error(got)
	}
	if _, ok := l.Measured("log 3"); ok {
		t.Error("measured without a card")
	}
	l.Card = "RTX 4090"
	l.Set(Queue, 60, Waited, time.Time{})
	l.Set(Boot, 30, Host, time.Time{})
	m, ok := l.Measured("log 3")
	if !ok || *m.SecondsPerPic != 7 || *m.FirstPictureSecs != 100 || *m.StartupSeconds != 90 || m.PeakMiB != nil {
		t.Errorf("%+v", m)
	}
	// Only what was painted since the program began counts.
	var late Ledger
	late.Take(list, time.UnixMilli(t0+265_000), History)
	if late.Stages[First].Seconds != 40 || late.Stages[Warm].Seconds != 8 {
		t.Errorf("%+v", late.Stages)
	}
	var none Ledger
	none.Take(nil, time.Time{}, History)
	if len(none.Stages) != 0 || none.PerHour() != 0 {
		t.Errorf("%+v", none)
	}
	none.Set(Boot, math.NaN(), Host, time.Time{})
	none.Set(Boot, -1, Host, time.Time{})
	if len(none.Stages) != 0 {
		t.Error("nonsense was kept")
	}
}

func TestReadStart(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	st, err := ReadStart(t.Context(), guidetest.Shell{})
	if err != nil || st.Now.IsZero() || st.Instance.IsZero() || st.Instance.After(st.Now) {
		t.Errorf("%+v, %v", st, err)
	}
}

func TestParseStart(t *testing.T) {
	stat := func(start int) string {
		f := slices.Repeat([]string{"0"}, 40)
		f[0], f[19] = "S", fmt.Sprint(start)
		return strings.Join(f, " ")
	}
	st := parseStart("now 1790001000\nuptime 1000.5\nhz 100\ninit " + stat(50000) + "\npage " + stat(60000) + "\npage " + stat(55000) + "\nend\n")
	if got := st.Instance.Unix(); got != 1790001000-1000+500-1 { // 1000.5 s up, begun after 500 s
		t.Error(got)
	}
	if got := st.Page.Sub(st.Instance); got != 50*time.Second {
		t.Error(got)
	}
	for _, bad := range []string{"", "init " + stat(5), "now 1790001000\nuptime 10\ninit " + stat(999999), "now x\nuptime -1\nhz 0\ninit"} {
		if st := parseStart(bad); !st.Instance.IsZero() {
			t.Errorf("%q gave %v", bad, st.Instance)
		}
	}
}

// comfy is a ComfyUI of a test.
type comfy struct {
	queued []map[string]any
	fail   bool
	mute   bool // keeps no times
}

func (c *comfy) web(first []byte) Web {
	return Web{
		Pause: func(ctx context.Context) error { return ctx.Err() },
		Post: func(_ context.Context, path string, body []byte) ([]byte, error) {
			var q struct {
				Prompt map[string]any `json:"prompt"`
			}
			if path != "/prompt" || json.Unmarshal(body, &q) != nil {
				return nil, errors.New("bad request")
			}
			c.queued = append(c.queued, q.Prompt)
			return []byte(fmt.Sprintf(`{"prompt_id":"r%d"}`, len(c.queued))), nil
		},
		Get: func(_ context.Context, path string) ([]byte, error) {
			if path == "/history" {
				return first, nil
			}
			if c.mute {
				return []byte(`{"r1":{"prompt":[],"outputs":{}}}`), nil
			}
			e := entry{start: t0, end: t0 + 6000, model: xl, pictures: 1, failed: c.fail}
			return []byte(`{"` + strings.TrimPrefix(path, "/history/") + `":` + e.json() + "}"), nil
		},
	}
}

func TestAgain(t *testing.T) {
	first := historyOf(entry{start: t0, end: t0 + 9000, seed: 77, model: xl, pictures: 1})
	c := &comfy{}
	done, err := Again(t.Context(), c.web(first), 3)
	if err != nil || len(done) != 3 || done[0].Seconds() != 6 {
		t.Fatal(done, err)
	}
	seeds := map[string]bool{"77": true}
	for _, q := range c.queued {
		in := q["2"].(map[string]any)["inputs"].(map[string]any)
		seeds[fmt.Sprint(in["seed"])] = true
		if in["model"] == nil || fmt.Sprint(in["steps"]) != "20" {
			t.Errorf("changed more than the seed: %v", in)
		}
	}
	if len(seeds) != 4 {
		t.Errorf("seeds %v", seeds)
	}
	if _, err := Again(t.Context(), (&comfy{}).web([]byte("{}")), 1); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	if done, err := Again(t.Context(), (&comfy{fail: true}).web(first), 2); err == nil || len(done) != 0 {
		t.Error(done, err)
	}
	if _, err := Again(t.Context(), (&comfy{mute: true}).web(first), 1); err == nil {
		t.Error("a version without times gave times")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Again(ctx, c.web(first), 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	noSeed := []byte(strings.ReplaceAll(string(first), `"seed"`, `"sead"`))
	if _, err := Again(t.Context(), c.web(noSeed), 1); err == nil {
		t.Error("ran without a seed to change")
	}
}

func TestReadTorch(t *testing.T) {
	good := "warning: something\n" + `{"rentgen": 1, "seconds": 0.0074, "tflops": 148.6, "peak_mib": 512.1, "card": "NVIDIA GeForce RTX 4090"}` + "\n"
	if got, err := ReadTorch([]byte(good)); err != nil || got.TFLOPS != 148.6 || got.Card != "NVIDIA GeForce RTX 4090" {
		t.Error(got, err)
	}
	for _, bad := range []string{"", "Traceback (most recent call last):", `{"seconds": 1}`, `{"rentgen":1,"seconds":0,"tflops":1,"peak_mib":1}`, `{"rentgen":1,"seconds":1,"tflops":-1,"peak_mib":1}`} {
		if got, err := ReadTorch([]byte(bad)); err == nil {
			t.Errorf("%q gave %+v", bad, got)
		}
	}
}

func TestTexts(t *testing.T) {
	for _, l := range texts.Langs() {
		for _, s := range Stages() {
			if !texts.For(l).Has("ledger.stage." + string(s)) {
				t.Errorf("no name for %s in %s", s, l)
			}
		}
		for _, f := range []From{Waited, Host, History, Ran, Typed} {
			if !texts.For(l).Has("ledger.from." + string(f)) {
				t.Errorf("no name for %s in %s", f, l)
			}
		}
	}
}

func FuzzFromHistory(f *testing.F) {
	f.Add(historyOf(entry{start: t0, end: t0 + 9000, seed: 77, model: xl, pictures: 1}))
	f.Add([]byte(`{"a":{"prompt":[1,"a"],"status":{"messages":[["execution_start",{"timestamp":1790000000000}],["execution_success",{"timestamp":1790000000001}]]}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, _, err := FromHistory(b)
		if err != nil {
			return
		}
		var l Ledger
		l.Take(list, time.Time{}, History)
		for s, f := range l.Stages {
			if f.Seconds < 0 || math.IsNaN(f.Seconds) {
				t.Fatalf("%s %v", s, f.Seconds)
			}
		}
	})
}

func FuzzParseStart(f *testing.F) {
	f.Add("now 1790001000\nuptime 1000.5\nhz 100\ninit S 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 500 0\n")
	f.Fuzz(func(_ *testing.T, s string) { parseStart(s) })
}

func TestParseSeconds(t *testing.T) {
	for text, want := range map[string]float64{
		"90": 90, " 90 s": 90, "2 min": 120, "1:30": 90, "2 分": 120, "1.5分钟": 90, "45秒": 45, "0": 0, "3m": 180,
	} {
		if got, ok := ParseSeconds(text); !ok || got != want {
			t.Errorf("%q is %v, %v", text, got, ok)
		}
	}
	for _, bad := range []string{"", "soon", "-3", "1:99", "NaN", "1e99", "1:2:3", "-1:00"} {
		if got, ok := ParseSeconds(bad); ok {
			t.Errorf("%q is %v", bad, got)
		}
	}
}

func TestKept(t *testing.T) {
	var l Ledger
	l.Set(Queue, 30, Typed, time.UnixMilli(t0))
	c := l.Clone()
	c.Set(Queue, 60, Typed, time.UnixMilli(t0))
	if l.Stages[Queue].Seconds != 30 || Mark(l) == Mark(c) {
		t.Error("a clone shares its stages")
	}
	got, err := Read([]byte(Mark(c)))
	if err != nil || Mark(got) != Mark(c) {
		t.Error(got, err)
	}
}

func TestReadIsSlow(t *testing.T) {
	for _, c := range []struct {
		mapped, row float64
		want        bool
	}{{10, 1000, true}, {10, 30, false}, {300, 2000, false}} {
		if got := (ModelRead{Mapped: c.mapped, Row: c.row}).Slow(); got != c.want {
			t.Errorf("%v of %v: %v", c.mapped, c.row, got)
		}
	}
}

func TestLoad(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		s := 0.0074
		if i >= 30 {
			s = 0.0093 // slower when it is hot
		}
		fmt.Fprintf(&b, "load %.6f\n", s)
		if i%4 == 0 {
			fmt.Fprintf(&b, "gpu %d, %d.5, 2520, 1200\n", 50+i, 300+i)
		}
	}
	whole := b.String() + "peak 512\nend 0\n"
	l, err := readLoad([]byte(whole))
	if err != nil || math.Abs(l.TFLOPS-148.58) > 0.1 || math.Abs(l.Drop-0.204) > 0.01 || *l.TempC != 86 || *l.PowerW != 336.5 || *l.ClockMHz != 2520 || *l.UsedMiB != 1200 {
		t.Errorf("%+v, %v", l, err)
	}
	// Without a driver's tool the speed is known all the same, and what it would have
	// said is not.
	l, err = readLoad([]byte(strings.ReplaceAll(whole, "gpu ", "gpu [N/A], [N/A], [N/A], [N/A] ")))
	if err != nil || l.TempC != nil || l.ClockMHz != nil || l.TFLOPS == 0 {
		t.Errorf("%+v, %v", l, err)
	}
	for _, bad := range []string{"", b.String(), whole[:200], b.String() + "end 1\n", strings.Repeat("load NaN\n", 40) + "end 0\n"} {
		if l, err := readLoad([]byte(bad)); !errors.Is(err, ErrNoLoad) {
			t.Errorf("%.40q gave %+v", bad, l)
		}
	}
}

func TestRunLoad(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("runs a shell")
	}
	bin := t.TempDir()
	for name, text := range map[string]string{
		"python":     `case "$2" in *find_spec*) exit 0;; esac; for i in 1 2 3 4 5 6 7 8 9; do echo "load 0.007400"; done; echo "peak 512"`,
		"nvidia-smi": `echo "61, 402.10, 2520, 1210"`,
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	sh := guidetest.Shell{Env: []string{"PATH=" + bin + ":" + os.Getenv("PATH")}}
	l, err := RunLoad(t.Context(), sh, time.Now)
	if err != nil || l.TFLOPS < 148 || l.At.IsZero() {
		t.Errorf("%+v, %v", l, err)
	}
	if err := os.WriteFile(filepath.Join(bin, "python"), []byte("#!/bin/sh\ncase \"$2\" in *find_spec*) exit 0;; esac\necho 'CUDA out of memory' >&2; exit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := RunLoad(t.Context(), sh, time.Now); !errors.Is(err, ErrNoLoad) || !strings.Contains(err.Error(), "out of memory") {
		t.Error(err)
	}
}

func FuzzReadLoad(f *testing.F) {
	f.Add([]byte("load 0.0074\ngpu 61, 402.10, 2520, 1210\nend 0\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if l, err := readLoad(b); err == nil && (math.IsNaN(l.TFLOPS) || math.IsInf(l.TFLOPS, 0) || math.IsNaN(l.Drop)) {
			t.Fatalf("%+v", l)
		}
	})
}
