//go:build linux && cgo

package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rentgen/probe/agent/agenttest"
	"rentgen/probe/wire"
)

// eight are busy cards with a process each.
const eight = `gpus 8
wave * util 20 100 3000
wave * power 180 440 3000
wave * mem_used 6000 22000 9000
wave * clock_sm 2100 2700 5000
proc 0 self 512 30
proc 1 4100001 512 30
proc 2 4100002 512 30
proc 3 4100003 512 30
proc 4 4100004 512 30
proc 5 4100005 512 30
proc 6 4100006 512 30
proc 7 4100007 512 30
`

// TestBenchReport prints the figures of the program on the host with
// RENTGEN_BENCH=1, over RENTGEN_BENCH_SECONDS (60) for each rate. The library's
// own count of readings stands beside the rate, since a rate asked for is not a
// rate.
func TestBenchReport(t *testing.T) {
	if os.Getenv("RENTGEN_BENCH") == "" {
		t.Skip("a figure, not a test: RENTGEN_BENCH=1 prints it")
	}
	span := time.Minute
	if s := os.Getenv("RENTGEN_BENCH_SECONDS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 2 {
			t.Fatalf("RENTGEN_BENCH_SECONDS is a number from 2 on, not %q", s)
		}
		span = time.Duration(n) * time.Second
	}
	hello, first := starts(t, 11)
	figure("agent start to hello, median", hello, "ms", 50)
	figure("agent start to first sample, median", first, "ms", 50)
	for _, c := range []struct{ hz, cpu float64 }{{1, 0.25}, {10, 1}} {
		measure(t, c.hz, c.cpu, span)
	}
}

func figure(name string, value float64, unit string, limit float64) {
	fmt.Printf("figure\t%s\t%.3f\t%s\t%g\t%.2f\n", name, value, unit, limit, value/limit)
}

// starts returns the medians of n starts, in milliseconds since the process was
// asked for, of the hello and the first sample.
func starts(t *testing.T, n int) (hello, first float64) {
	t.Helper()
	agenttest.Agent(t)
	agenttest.Library(t)
	var hellos, firsts []float64
	for range n {
		begin := time.Now()
		h := launch(t, setup{scenario: eight})
		hellos = append(hellos, float64(time.Since(begin).Microseconds())/1000)
		h.first()
		firsts = append(firsts, float64(time.Since(begin).Microseconds())/1000)
		h.end()
	}
	slices.Sort(hellos)
	slices.Sort(firsts)
	return hellos[n/2], firsts[n/2]
}

func measure(t *testing.T, hz, limit float64, span time.Duration) {
	t.Helper()
	h := launch(t, setup{scenario: eight})
	h.control(wire.Control{Rate: hz})
	warm := h.first().Seq
	for range int(3*hz) + 1 { // past what the start and the collector of garbage need
		warm = h.first().Seq
	}
	before, cpu := agenttest.Counts(t, h.counts), cpuOf(t, h.cmd.Process.Pid)
	begin := time.Now()
	last := warm
	for time.Since(begin) < span {
		last = h.first().Seq
	}
	took := time.Since(begin).Seconds()
	after, used := agenttest.Counts(t, h.counts), cpuOf(t, h.cmd.Process.Pid)-cpu
	name := fmt.Sprintf("agent, 8 cards at %g Hz: ", hz)
	figure(name+"CPU of one core", used.Seconds()/took*100, "%", limit)
	figure(name+"resident", residentOf(t, h.cmd.Process.Pid), "MB", 12)
	seen := after["nvmlDeviceGetUtilizationRates"] - before["nvmlDeviceGetUtilizationRates"]
	figure(name+"readings the library saw, a card and second", float64(seen)/8/took, "/s", hz)
	figure(name+"ticks received", float64(last-warm)/took, "/s", hz)
	var calls uint64
	for f, n := range after {
		calls += n - before[f]
	}
	fmt.Printf("figure\t%s\t%.1f\t%s\n", name+"calls of the library, a card and tick", float64(calls)/8/float64(last-warm), "calls")
	h.end()
}

// cpuOf sums the time that the threads of a process ran, from schedstat.
func cpuOf(t *testing.T, pid int) time.Duration {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(files) == 0 {
		t.Fatalf("no threads of %d: %v", pid, err)
	}
	var sum time.Duration
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.ParseInt(strings.Fields(string(b))[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += time.Duration(n)
	}
	return sum
}

// residentOf returns the resident memory in MB.
func residentOf(t *testing.T, pid int) float64 {
	t.Helper()
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if rest, ok := strings.CutPrefix(sc.Text(), "VmRSS:"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				t.Fatal(err)
			}
			return kb * 1024 / 1e6
		}
	}
	t.Fatal("no VmRSS")
	return 0
}
