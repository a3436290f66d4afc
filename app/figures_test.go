package main

import (
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// figure prints a line for make bench.
func figure(name string, value float64, unit string, limit float64) {
	fmt.Printf("figure\t%s\t%.2f\t%s\t%g\t%.2f\n", name, value, unit, limit, value/limit)
}

// cpuTime is what the process used so far, of a core. Linux counts in
// hundredths of a second.
func cpuTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	f := strings.Fields(rest)
	user, err1 := strconv.Atoi(f[11])
	system, err2 := strconv.Atoi(f[12])
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}

// resident is the process's memory in MB.
func resident(t *testing.T, pid int) float64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range strings.Split(string(b), "\n") {
		if v, ok := strings.CutPrefix(l, "VmRSS:"); ok {
			kb, err := strconv.Atoi(strings.Fields(v)[0])
			if err != nil {
				t.Fatal(err)
			}
			return float64(kb) * 1024 / 1e6
		}
	}
	t.Fatal("no VmRSS")
	return 0
}

// share is the part of a core that the process uses over a span, in percent.
func share(t *testing.T, pid int, span time.Duration) float64 {
	t.Helper()
	before, start := cpuTime(t, pid), time.Now()
	<-time.After(span)
	return 100 * float64(cpuTime(t, pid)-before) / float64(time.Since(start))
}

// drawn reports whether a picture holds more than an empty window.
func drawn(img image.Image) bool {
	seen := make(map[any]bool)
	r := img.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y += 3 {
		for x := r.Min.X; x < r.Max.X; x += 3 {
			seen[img.At(x, y)] = true
		}
	}
	return len(seen) > 8
}

// TestWindowFigures measures the window under Xvfb with software GL.
func TestWindowFigures(t *testing.T) {
	if os.Getenv("RENTGEN_BENCH") == "" {
		t.Skip("RENTGEN_BENCH is not set; make bench sets it")
	}
	display := startDisplay(t)
	// The first start of all also indexes the system's fonts, once.
	best, home := time.Hour, t.TempDir()
	for range 4 {
		start := time.Now()
		s := openScreen(t, display, home, nil, "--demo")
		for !drawn(s.shot("")) {
		}
		best = min(best, time.Since(start))
		s.quit()
	}
	figure("window: start to first frame, best of 4", best.Seconds(), "s", 1)

	home = t.TempDir()
	settings := `{"rate_hz": 10, "welcomed": true}`
	if err := os.WriteFile(filepath.Join(home, "settings.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	command(t, home, "host", "add", "asleep", "root@192.0.2.7")
	s := openScreen(t, display, home, nil)
	for !drawn(s.shot("")) {
	}
	<-time.After(3 * time.Second)
	figure("window: idle, part of a core", share(t, s.cmd.Process.Pid, 10*time.Second), "%", 2)
	s.quit()

	cards := "gpus 8\n"
	for i := range 8 {
		cards += fmt.Sprintf("set %d name NVIDIA GeForce RTX 4090\nwave %d util 20 100 %d\nwave %d power 180 440 8000\n", i, i, 3000+i*700, i)
	}
	line, env := rented(t, cards)
	home = t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "settings.json"), []byte(`{"rate_hz": 10}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s = openScreen(t, display, home, env)
	connectTo(s, home, line)
	<-time.After(5 * time.Second)
	figure("window: 8 cards at 10 Hz, part of a core", share(t, s.cmd.Process.Pid, 20*time.Second), "%", 25)
	s.shot("eight-cards")
	fmt.Printf("figure\twindow: 8 cards at 10 Hz, resident, with the test's code\t%.2f\tMB\t\t\n", resident(t, s.cmd.Process.Pid))
	s.quit()

	// The program itself, not the test's, after an hour of eight cards.
	program := filepath.Join(t.TempDir(), "rentgen")
	build := exec.Command("go", "build", "-tags=migrated_fynedo,no_emoji,bench_hour", "-ldflags=-s -w", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s = openProgram(t, program, display, t.TempDir(), nil, "--demo")
	for !drawn(s.shot("")) {
	}
	<-time.After(30 * time.Second)
	s.shot("an-hour-of-eight")
	figure("window: resident after an hour of 8 cards at 1 Hz", resident(t, s.cmd.Process.Pid), "MB", 200)
	s.quit()
}
