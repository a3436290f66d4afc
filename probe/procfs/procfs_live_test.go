package procfs

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"rentgen/probe"
)

// The script's text and the reader read the same machine, so every value has
// the same state and the levels are close.
func TestScriptAgreesWithReader(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	for _, shell := range [][]string{{"/bin/sh"}, {"dash"}, {"bash", "--posix"}, {"busybox", "sh"}} {
		t.Run(shell[0], func(t *testing.T) {
			if _, err := exec.LookPath(shell[0]); err != nil {
				t.Skipf("no %s here", shell[0])
			}
			out := func(script string) []byte {
				cmd := exec.Command(shell[0], shell[1:]...)
				cmd.Stdin = bytes.NewReader([]byte(script))
				b, err := cmd.Output()
				if err != nil && len(b) == 0 {
					t.Fatalf("run the script: %v", err)
				}
				return b
			}
			r := New(Params{})
			defer r.Close()
			first := r.Sample()
			r.cards.wait.Wait()
			first.Set(probe.GPUClients, r.Sample().Get(probe.GPUClients))
			snap, text := FromText(out(Script()), nil)
			_, text2 := FromText(out(Script()), snap)
			for _, m := range probe.SystemMetrics() {
				a, b := first.Get(m), text.Get(m)
				if a.State != b.State {
					t.Errorf("%v: reader %+v, script %+v", m, a, b)
				}
				if x, ok := a.Ok(); ok && (m == probe.RAMLimit || m == probe.CPUQuota) && b.Num != x {
					t.Errorf("%v: reader %v, script %v", m, a, b)
				}
			}
			if _, ok := text2.Get(probe.CPU).Ok(); !ok && text2.Get(probe.CPU).State != probe.Pending {
				t.Errorf("second reading: %+v", text2.Get(probe.CPU))
			}
			m, run := MachineFromText(out(MachineScript()))
			want := r.Machine()
			wantRun := r.Run()
			a, _ := json.Marshal(m)
			b, _ := json.Marshal(want)
			if !bytes.Equal(a, b) {
				t.Errorf("machine\n%s\n%s", a, b)
			}
			if run.BootID == "" || !run.Same(wantRun) {
				t.Errorf("run %+v, want %+v", run, wantRun)
			}
			comm, err := os.ReadFile("/proc/self/comm")
			if err != nil {
				t.Fatal(err)
			}
			own := strings.TrimSpace(string(comm))
			if pids := PIDsFromText(out(PIDScript())); pids[os.Getpid()] != own || own == "" {
				t.Errorf("own process missing: %v", pids[os.Getpid()])
			}
		})
	}
}

func TestReaderHere(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	clock := time.Unix(1700000000, 0)
	r := New(Params{Now: func() time.Time { return clock }})
	defer r.Close()
	r.Sample()
	clock = clock.Add(time.Second)
	s := r.Sample()
	for _, m := range []probe.Metric{probe.RAMUsed, probe.RAMLimit, probe.NetRx, probe.NetTx, probe.SwapIn} {
		if _, ok := s.Get(m).Ok(); !ok {
			t.Errorf("%v: %+v", m, s.Get(m))
		}
	}
}

func BenchmarkSample(b *testing.B) {
	clock := time.Unix(1700000000, 0)
	r := New(Params{Now: func() time.Time { return clock }})
	defer r.Close()
	b.ReportAllocs()
	for b.Loop() {
		clock = clock.Add(time.Second)
		r.Sample()
	}
}
