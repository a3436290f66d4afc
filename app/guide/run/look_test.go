package run

import (
	"strings"
	"testing"

	"rentgen/app/guide"
)

func TestLook(t *testing.T) {
	l := readLook([]byte(strings.Join([]string{
		"boot 0A1B2C3D-1111-4000-8000-000000000000",
		"driver NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build  (dvs-builder)",
		"machine 5f7c", "stat1 1 (weird ) name) S 0 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 2 3", "name box", "uid 0", "omp 8",
		"hub https://hf-mirror.com/", "cgroup 12:memory:/docker/abc", "cgroup 4:cpu,cpuacct:/other", "looked", "holds 12", "holds 31", "holds 12", "",
	}, "\n")))
	if want := (guide.Run{Boot: "0a1b2c3d-1111-4000-8000-000000000000", PID1: "4711", Driver: "580.65.06", Instance: l.run.Instance}); l.run != want || len(want.Instance) != 16 {
		t.Errorf("%+v", l.run)
	}
	if guide.Known(l.know.OMPNumThreads, 0) != 8 || guide.Known(l.know.OwnCgroup, "") != "/docker/abc" || guide.Known(l.know.OwnProcesses, -1) != 2 ||
		guide.Known(l.know.HFEndpoint, "") != "https://hf-mirror.com" {
		t.Errorf("%+v", l.know)
	}
	if strings.Contains(l.run.Instance, "box") || l.run.Instance == readLook([]byte("name box\nmachine other")).run.Instance {
		t.Error("the instance is not told by name and machine")
	}
	if d := readLook([]byte("driver NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.256.02  Thu May  2")).run.Driver; d != "470.256.02" {
		t.Errorf("driver %q", d)
	}
	// Nothing told is nothing known.
	if e := readLook(nil); !e.run.IsZero() || e.know != (guide.Context{}) {
		t.Errorf("%+v", e)
	}
	if e := readLook([]byte("looked\n")); guide.Known(e.know.OwnProcesses, -1) != 0 {
		t.Error("none of yours holds the card")
	}
}

func TestLearn(t *testing.T) {
	c := learn(guide.Outcome{Check: guide.GPUSMI, Facts: guide.Facts{"gpu_count": 2, "mem_total_mib": []any{24576.0, nil, 49152}}})
	if guide.Known(c.SMIGPUCount, 0) != 2 || guide.Known(c.VRAMGiB, 0) != 48 {
		t.Errorf("%+v", c)
	}
	c = learn(guide.Outcome{Check: guide.GPUSMI, Facts: guide.Facts{"gpu_count": 0, "mem_total_mib": []any{nil}, "slice_mem_total_mib": []int{11008}}})
	if c.SMIGPUCount != nil || guide.Known(c.VRAMGiB, 0) != 10.75 {
		t.Errorf("%+v", c)
	}
	if c = learn(guide.Outcome{Check: guide.MemCgroup, Facts: guide.Facts{"host_total_gib": 754.5}}); guide.Known(c.HostTotalGiB, 0) != 754.5 {
		t.Errorf("%+v", c)
	}
}
