//go:build linux && cgo

package main

import (
	"strings"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/agent/agenttest"
	"rentgen/probe/wire"
)

// What real drivers answer, one scenario each. "oddity N" is the number in the
// project's list of odd inputs, "remote N" in its list of failures.

// both runs until a tick has process lists and the background's readings.
func full(s *probe.Sample) bool {
	return len(s.GPUs) > 0 && s.GPUs[0].Procs != nil && s.GPUs[0].Get(probe.PCIeTx).State != probe.Pending
}

func anyTick(*probe.Sample) bool { return true }

func TestOddReadings(t *testing.T) {
	for _, c := range []struct {
		name, scenario string
		when           func(*probe.Sample) bool
		check          func(t *testing.T, g *probe.GPU)
	}{
		{"oddity 3 unknown error of one metric", "rc 0 nvmlDeviceGetFanSpeed 999\n", anyTick, func(t *testing.T, g *probe.GPU) {
			wantState(t, g, probe.Fan, probe.Error, "Unknown Error")
			wantNum(t, g, probe.UtilGPU, 37)
		}},
		{"oddity 4 insufficient permissions", "rc 0 nvmlDeviceGetMemoryInfo_v2 4\nrc 0 nvmlDeviceGetMemoryInfo 4\n", anyTick, func(t *testing.T, g *probe.GPU) {
			wantState(t, g, probe.MemUsed, probe.Denied, "Insufficient Permissions")
			wantState(t, g, probe.MemTotal, probe.Denied, "Insufficient Permissions")
			wantNum(t, g, probe.Temp, 61)
		}},
		{"oddity 6 deprecated", "rc 0 nvmlDeviceGetPerformanceState 26\n", anyTick, func(t *testing.T, g *probe.GPU) {
			wantState(t, g, probe.PState, probe.Unsupported, "Requested functionality has been deprecated")
		}},
		{"oddity 7 function not found", "rc 0 nvmlDeviceGetEncoderUtilization 13\n", anyTick, func(t *testing.T, g *probe.GPU) {
			wantState(t, g, probe.UtilEnc, probe.Unsupported, "Function Not Found")
		}},
		{"oddity 10 unknown bits of the mask are kept", "set 0 reasons 4294967809\n", anyTick, func(t *testing.T, g *probe.GPU) {
			if bits, ok := g.Get(probe.EventReasons).Mask(); !ok || bits != 0x100000201 {
				t.Errorf("mask %x %v", bits, ok)
			}
		}},
		{"oddity 13 remote 41 unified memory", "set 0 name NVIDIA GB10\nset 0 bus 0000000F:01:00.0\nrc 0 nvmlDeviceGetMemoryInfo_v2 3\nrc 0 nvmlDeviceGetMemoryInfo 3\n", anyTick, wantShared},
		{"oddity 13 success with a total of nothing", "set 0 mem_total 0\nset 0 mem_used 0\nset 0 mem_reserved 0\n", anyTick, wantShared},
		{"oddity 16 memory of a process not available", "proc 0 self -1 5\n", full, func(t *testing.T, g *probe.GPU) {
			if p := g.Procs.List[0].Mem; p.State != probe.Unsupported || p.Raw != "N/A" {
				t.Errorf("memory %+v", p)
			}
		}},
		{"oddity 18 power above its limit", "set 0 power 266.25\nset 0 power_cap 262.5\n", anyTick, func(t *testing.T, g *probe.GPU) {
			if n, _ := g.Get(probe.Power).Ok(); n < 266 {
				t.Errorf("power is %v: cut to the limit", g.Get(probe.Power))
			}
			wantNum(t, g, probe.PowerCap, 262.5)
		}},
		{"oddity 19 temperatures under zero", "set 0 temp -5\n", anyTick, func(t *testing.T, g *probe.GPU) { wantNum(t, g, probe.Temp, -5) }},
		{"oddity 20 fan over 100 %", "set 0 fan 105\n", anyTick, func(t *testing.T, g *probe.GPU) { wantNum(t, g, probe.Fan, 105) }},
		{"oddity 20 no fan", "rc 0 nvmlDeviceGetFanSpeed 3\n", anyTick, func(t *testing.T, g *probe.GPU) {
			wantState(t, g, probe.Fan, probe.Unsupported, "Not Supported")
		}},
		{"oddity 26 used beyond total", "set 0 mem_used 17592186044134\n", anyTick, func(t *testing.T, g *probe.GPU) {
			wantState(t, g, probe.MemUsed, probe.Error, "18446744073")
			wantNum(t, g, probe.MemTotal, 24564)
		}},
		{"oddity 43 memory in use and no process", "set 0 mem_used 11637\nset 0 util 14\n", full, func(t *testing.T, g *probe.GPU) {
			if g.Procs.State != probe.OK || len(g.Procs.List) != 0 {
				t.Errorf("processes %+v", g.Procs)
			}
			wantNum(t, g, probe.MemUsed, 11637)
		}},
		{"oddity 43 the list is denied", "rc 0 nvmlDeviceGetComputeRunningProcesses_v3 4\n", full, func(t *testing.T, g *probe.GPU) {
			if g.Procs.State != probe.Denied || g.Procs.Raw != "Insufficient Permissions" {
				t.Errorf("processes %+v", g.Procs)
			}
		}},
		{"oddity 44 remote 39 pid of nobody here", "proc 0 4100001 20340 100\n", full, func(t *testing.T, g *probe.GPU) {
			p := g.Procs.List[0]
			if p.PID != 4100001 || p.Own || p.Name != "" {
				t.Errorf("process %+v", p)
			}
		}},
		{"oddity 46 computes and draws", "proc 0 self 100 5 compute\nproc 0 self 100 5 graphics\n", full, func(t *testing.T, g *probe.GPU) {
			if len(g.Procs.List) != 1 || g.Procs.List[0].Mem.Num != 100 {
				t.Errorf("processes %+v", g.Procs.List)
			}
		}},
		{"oddity 48 remote 35 entries of 24 bytes", "layout 24\n" + threeProcs, full, wantThree},
		{"oddity 48 remote 35 entries of 32 bytes", "layout 32\n" + threeProcs, full, wantThree},
		{"oddity 49 remote 34 impossible shares", "proc 0 self 100 50 hidden\nproc 0 self 100 4000000000\nproc 0 0 1 30 hidden\n", full, func(t *testing.T, g *probe.GPU) {
			if len(g.Procs.List) != 1 || g.Procs.List[0].Util.Num != 50 {
				t.Errorf("processes %+v", g.Procs.List)
			}
		}},
		{"oddity 49 remote 34 not found when idle", "proc 0 self 100\n", full, func(t *testing.T, g *probe.GPU) {
			if u := g.Procs.List[0].Util; u.State == probe.OK || u.Raw != "Not Found" {
				t.Errorf("utilisation %+v", u)
			}
		}},
		{"oddity 49 not supported", "proc 0 self 100 3\nrc 0 nvmlDeviceGetProcessUtilization 3\n", full, func(t *testing.T, g *probe.GPU) {
			if u := g.Procs.List[0].Util; u.State != probe.Unsupported {
				t.Errorf("utilisation %+v", u)
			}
		}},
		{"oddity 50 share of 0 beside a busy card", "set 0 util 90\nproc 0 self 100 0\n", full, func(t *testing.T, g *probe.GPU) {
			if u, ok := g.Procs.List[0].Util.Ok(); !ok || u != 0 {
				t.Errorf("utilisation %+v: what the driver says stands", g.Procs.List[0].Util)
			}
			wantNum(t, g, probe.UtilGPU, 90)
		}},
		{"oddity 51 another column's number", "set 0 util 808334905\nset 0 util_mem 2619\n", anyTick, func(t *testing.T, g *probe.GPU) {
			wantState(t, g, probe.UtilGPU, probe.Error, "808334905")
			wantState(t, g, probe.UtilMem, probe.Error, "2619")
		}},
		{"oddity 52 not available as a number", "set 0 power 4294967.295\nset 0 clock_sm 4294967295\nset 0 temp_mem 4294967295\n", anyTick, func(t *testing.T, g *probe.GPU) {
			wantState(t, g, probe.Power, probe.Unsupported, "N/A")
			wantState(t, g, probe.ClockSM, probe.Unsupported, "N/A")
			wantState(t, g, probe.TempMem, probe.Unsupported, "N/A")
		}},
		{"oddity 53 energy near 2^64", "set 0 energy 18446744073709.22\n", anyTick, func(t *testing.T, g *probe.GPU) {
			wantState(t, g, probe.Energy, probe.Error, "")
		}},
		{"oddity 54 parts and total differ by 1 MiB", "set 0 mem_total 8192\nset 0 mem_used 6967\nset 0 mem_reserved 408\n", anyTick, func(t *testing.T, g *probe.GPU) {
			wantNum(t, g, probe.MemUsed, 6967)
			wantNum(t, g, probe.MemTotal, 8192)
		}},
		{"oddity 58 PCIe generation 1 at idle", "set 0 pcie_gen 1\n", anyTick, func(t *testing.T, g *probe.GPU) { wantNum(t, g, probe.PCIeGen, 1) }},
		{"oddity 59 P0 at idle", "set 0 pstate 0\nset 0 util 0\nset 0 power 69.85\n", anyTick, func(t *testing.T, g *probe.GPU) {
			wantNum(t, g, probe.PState, 0)
			wantNum(t, g, probe.UtilGPU, 0)
			wantNum(t, g, probe.Power, 69.9)
		}},
		{"P-state unknown", "set 0 pstate 32\n", anyTick, func(t *testing.T, g *probe.GPU) { wantState(t, g, probe.PState, probe.Error, "32") }},
		{"oddity 60 idle empties the buffer", "set 0 util 0\nrc 0 nvmlDeviceGetSamples 6\n", full, func(t *testing.T, g *probe.GPU) {
			wantNum(t, g, probe.UtilGPU, 0)
			if len(g.Spreads) != 0 {
				t.Errorf("spreads %+v of nothing", g.Spreads)
			}
		}},
		{"oddity 63 entries never filled", "set 0 util 80\nset 0 sample_zeros 5\n", func(s *probe.Sample) bool { return s.Seq > 2 && len(s.GPUs[0].Spreads) > 0 }, func(t *testing.T, g *probe.GPU) {
			wantNum(t, g, probe.UtilGPU, 80)
			if s, ok := g.SpreadOf(probe.UtilGPU); !ok || s.Min != 80 || s.Max != 80 {
				t.Errorf("spread %+v", s)
			}
		}},
		{"oddity 65 single field fails in a good call", "field 0 82 3\nset 0 nvlinks 4\nfield 0 138 999\n", anyTick, func(t *testing.T, g *probe.GPU) {
			wantState(t, g, probe.TempMem, probe.Unsupported, "Not Supported")
			wantState(t, g, probe.NVLinkTx, probe.Error, "Unknown Error")
		}},
		{"oddity 67 no PCIe counters in a guest", "rc 0 nvmlDeviceGetPcieThroughput 3\n", full, func(t *testing.T, g *probe.GPU) {
			wantState(t, g, probe.PCIeTx, probe.Unsupported, "Not Supported")
			wantState(t, g, probe.PCIeRx, probe.Unsupported, "Not Supported")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := launch(t, setup{scenario: "gpus 1\n" + c.scenario})
			s := h.sample("the tick", func(s *probe.Sample) bool { return len(s.GPUs) == 1 && c.when(s) })
			c.check(t, &s.GPUs[0])
		})
	}
}

const threeProcs = "proc 0 self 1000 10\nproc 0 4100001 2000 20\nproc 0 4100002 3000 30\n"

func wantThree(t *testing.T, g *probe.GPU) {
	t.Helper()
	if len(g.Procs.List) != 3 {
		t.Fatalf("processes %+v", g.Procs.List)
	}
	for i, p := range g.Procs.List {
		if i > 0 && p.PID != 4100000+i {
			t.Errorf("process %d is %+v", i, p)
		}
		if n := p.Mem.Num; n != 1000 && n != 2000 && n != 3000 {
			t.Errorf("process %d has %v MiB", i, p.Mem)
		}
	}
}

func wantShared(t *testing.T, g *probe.GPU) {
	t.Helper()
	total, ok := g.Get(probe.MemTotal).Ok()
	used, ok2 := g.Get(probe.MemUsed).Ok()
	if !ok || !ok2 || total < 64 || used <= 0 || used > total {
		t.Errorf("memory %+v of %+v", g.Get(probe.MemUsed), g.Get(probe.MemTotal))
	}
	wantState(t, g, probe.MemReserved, probe.Unsupported, "Not Supported")
}

func TestMemorySource(t *testing.T) {
	for _, c := range []struct {
		name, scenario, source string
		without                []string
		used                   float64
	}{
		{"remote 42 version 2", "gpus 1\n", "v2", nil, 6000},
		{"remote 42 oddity 55 version 1 counts reserved", "gpus 1\n", "v1", []string{"nvmlDeviceGetMemoryInfo_v2"}, 6300},
		{"version 2 refuses", "gpus 1\nrc 0 nvmlDeviceGetMemoryInfo_v2 25\n", "v1", nil, 6300},
		{"remote 41 the machine's own", "gpus 1\nrc 0 nvmlDeviceGetMemoryInfo_v2 3\nrc 0 nvmlDeviceGetMemoryInfo 3\n", "meminfo", nil, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := launch(t, setup{scenario: c.scenario, lib: agenttest.LibraryWithout(t, c.without...)})
			if d := h.inventory().GPUs[0]; d.MemSource != c.source {
				t.Errorf("source %q, want %q", d.MemSource, c.source)
			}
			if s := h.first(); c.used >= 0 {
				wantNum(t, &s.GPUs[0], probe.MemUsed, c.used)
				if c.source == "v1" {
					wantState(t, &s.GPUs[0], probe.MemReserved, probe.Unsupported, "Function Not Found")
				}
			}
		})
	}
}

// An older driver lacks functions; calling one would end the process.
func TestMissingFunctions(t *testing.T) {
	old := []string{
		"nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetFieldValues",
		"nvmlDeviceGetSamples", "nvmlDeviceGetProcessUtilization", "nvmlDeviceGetComputeRunningProcesses_v3",
		"nvmlDeviceGetComputeRunningProcesses_v2", "nvmlDeviceGetGraphicsRunningProcesses_v3",
		"nvmlDeviceGetGraphicsRunningProcesses_v2", "nvmlDeviceGetMigMode", "nvmlDeviceGetRemappedRows",
		"nvmlDeviceGetTotalEnergyConsumption", "nvmlDeviceGetNvLinkState", "nvmlDeviceGetPcieThroughput",
		"nvmlInit_v2", "nvmlDeviceGetCount_v2", "nvmlDeviceGetHandleByIndex_v2", "nvmlEventSetWait_v2",
		"nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2",
	}
	t.Run("remote 33 oddity 64 an old driver", func(t *testing.T) {
		h := launch(t, setup{scenario: "gpus 1\nset 0 reasons 4\nproc 0 self 100 5\nxid 0 31 1000\n", lib: agenttest.LibraryWithout(t, old...)})
		s := h.sample("a whole tick", full)
		g := &s.GPUs[0]
		wantNum(t, g, probe.MemUsed, 6300)
		wantNum(t, g, probe.EventReasons, 4) // by its old name
		for _, m := range []probe.Metric{probe.TempMem, probe.NVLinkTx, probe.Energy, probe.PCIeTx, probe.PCIeRx} {
			wantState(t, g, m, probe.Unsupported, "Function Not Found")
		}
		if len(g.Procs.List) != 1 || g.Procs.List[0].Mem.Num != 100 || g.Procs.List[0].Util.State != probe.Unsupported {
			t.Errorf("processes %+v", g.Procs.List)
		}
		if ev := h.event(probe.EventXid); ev.Code != 31 {
			t.Errorf("event %+v", ev)
		}
	})
	t.Run("oddity 64 the lacking ones are told once", func(t *testing.T) {
		h := launch(t, setup{scenario: "gpus 1\n", lib: agenttest.LibraryWithout(t, "nvmlDeviceGetFieldValues")})
		if ev := h.event(probe.EventSymbol); ev.Code != 1 || ev.Raw != "nvmlDeviceGetFieldValues" {
			t.Errorf("event %+v", ev)
		}
	})
	// Every optional function alone, since one forgotten guard ends the process.
	for _, name := range []string{
		"nvmlDeviceGetName", "nvmlDeviceGetUUID", "nvmlDeviceGetPersistenceMode", "nvmlDeviceGetCudaComputeCapability",
		"nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetPowerManagementDefaultLimit", "nvmlDeviceGetPowerManagementLimitConstraints",
		"nvmlDeviceGetMaxClockInfo", "nvmlDeviceGetMaxPcieLinkGeneration", "nvmlDeviceGetTemperatureThreshold",
		"nvmlDeviceGetMemoryInfo", "nvmlDeviceGetUtilizationRates", "nvmlDeviceGetEncoderUtilization", "nvmlDeviceGetDecoderUtilization",
		"nvmlDeviceGetPowerUsage", "nvmlDeviceGetTemperature", "nvmlDeviceGetFanSpeed", "nvmlDeviceGetClockInfo",
		"nvmlDeviceGetPerformanceState", "nvmlDeviceGetCurrPcieLinkGeneration", "nvmlDeviceGetCurrPcieLinkWidth",
		"nvmlDeviceGetTotalEccErrors", "nvmlDeviceGetRetiredPages", "nvmlSystemGetDriverVersion", "nvmlSystemGetCudaDriverVersion",
		"nvmlEventSetCreate", "nvmlDeviceRegisterEvents", "nvmlDeviceGetSupportedEventTypes", "nvmlErrorString",
	} {
		t.Run("oddity 64 without "+name, func(t *testing.T) {
			t.Parallel()
			h := launch(t, setup{scenario: "gpus 1\n", lib: agenttest.LibraryWithout(t, name)})
			h.sample("a whole tick", full)
		})
	}
}

func TestInstances(t *testing.T) {
	t.Parallel()
	h := launch(t, setup{scenario: `gpus 2
set 0 name NVIDIA A100-SXM4-80GB
mig 0 1g.10gb 9856 512
mig 0 3g.40gb 40192 20000
proc 0 self 512
`})
	inv := h.inventory()
	if len(inv.GPUs) != 4 {
		t.Fatalf("devices %+v", inv.GPUs)
	}
	parent, small, big := inv.GPUs[0], inv.GPUs[1], inv.GPUs[2]
	if parent.MIG != "on" || small.Parent != parent.UUID || small.Profile != "1g.10gb" || big.Profile != "3g.40gb" || small.MemTotal.Num != 9856 {
		t.Errorf("devices %+v", inv.GPUs)
	}
	s := h.first()
	t.Run("remote 40 oddity 62 utilisation of nothing", func(t *testing.T) {
		wantState(t, &s.GPUs[0], probe.UtilGPU, probe.Unsupported, "Not Supported")
		wantState(t, &s.GPUs[1], probe.UtilGPU, probe.Unsupported, "MIG")
	})
	t.Run("remote 40 memory per instance", func(t *testing.T) {
		wantNum(t, &s.GPUs[1], probe.MemUsed, 512)
		wantNum(t, &s.GPUs[2], probe.MemUsed, 20000)
		wantNum(t, &s.GPUs[3], probe.UtilGPU, 37)
		if p := s.GPUs[1].Procs; p == nil || len(p.List) != 1 || p.List[0].Util.State != probe.Unsupported {
			t.Errorf("processes %+v", p)
		}
	})
}

// A burst between two ticks is in the driver's buffer.
func TestSpikesBetweenTicks(t *testing.T) {
	t.Parallel()
	h := launch(t, setup{scenario: "gpus 1\nset 0 util 5 100@3400 5@3600\nset 0 sample_ms 50\nset 0 power 100 400@3400 100@3600\nset 0 power_sample_ms 20\n"})
	s := h.sample("the burst", func(s *probe.Sample) bool {
		sp, ok := s.GPUs[0].SpreadOf(probe.UtilGPU)
		return ok && sp.Max == 100
	})
	g := &s.GPUs[0]
	util, _ := g.SpreadOf(probe.UtilGPU)
	power, _ := g.SpreadOf(probe.Power)
	if util.Min != 5 || util.N < 5 || power.Max != 400 || power.Min != 100 || power.N < 10 {
		t.Errorf("spreads %+v", g.Spreads)
	}
	if mean, ok := g.Get(probe.UtilGPU).Ok(); !ok || mean <= 5 || mean >= 100 {
		t.Errorf("mean %+v", g.Get(probe.UtilGPU))
	}
}

func TestXid(t *testing.T) {
	t.Parallel()
	h := launch(t, setup{scenario: "gpus 2\nxid 1 79 300\nxid 0 48 600\n"})
	uuid := h.inventory().GPUs[1].UUID
	t.Run("oddity 68 Xid", func(t *testing.T) {
		if ev := h.event(probe.EventXid); ev.Code != 79 || ev.GPU != uuid || ev.Time.IsZero() {
			t.Errorf("event %+v", ev)
		}
		if ev := h.event(probe.EventXid); ev.Code != 48 {
			t.Errorf("event %+v", ev)
		}
	})
	t.Run("oddity 68 registering refused", func(t *testing.T) {
		h := launch(t, setup{scenario: "gpus 1\nrc * nvmlDeviceRegisterEvents 4\nxid 0 79 100\n"})
		h.sample("a tick", full)
	})
}

// Counters restart with the driver: what is read is passed on, never made up.
func TestEnergyRestarts(t *testing.T) {
	t.Parallel()
	t.Run("oddity 66", func(t *testing.T) {
		h := launch(t, setup{scenario: "gpus 1\nset 0 energy 500000 10@4000\n"})
		h.sample("the counter", func(s *probe.Sample) bool { n, ok := s.GPUs[0].Get(probe.Energy).Ok(); return ok && n == 500000 })
		h.sample("the counter anew", func(s *probe.Sample) bool { n, ok := s.GPUs[0].Get(probe.Energy).Ok(); return ok && n == 10 })
	})
}

// Shared hosts put a library in between that prints.
func TestNoiseOnStdout(t *testing.T) {
	t.Parallel()
	t.Run("oddity 24", func(t *testing.T) {
		h := launch(t, setup{scenario: "gpus 1\nnoise [HAMI-core Msg(187:140077780113216:libvgpu.c:836)]: Initializing.....\n", env: []string{"CUDA_DEVICE_MEMORY_LIMIT_0=3000m"}})
		h.control(wire.Control{Rate: 10})
		h.sample("a hundred ticks' worth", func(s *probe.Sample) bool { return s.Seq > 15 })
		if !strings.Contains(h.stderr.text(), "HAMI-core") {
			t.Error("the noise is nowhere")
		}
	})
	t.Run("oddity 25 a virtual total", func(t *testing.T) {
		h := launch(t, setup{scenario: "gpus 1\nset 0 mem_total 3000\nset 0 mem_used 2716\n", env: []string{"CUDA_DEVICE_MEMORY_LIMIT_0=3000m"}})
		if d := h.inventory().GPUs[0]; !d.Virtual || d.MemTotal.Num != 3000 {
			t.Errorf("device %+v", d)
		}
	})
}

// Blocking counters must not delay ticks: eight cards take 320 ms a round.
func TestPCIeOffTheTickPath(t *testing.T) {
	t.Run("oddity 67", func(t *testing.T) {
		h := launch(t, setup{scenario: "gpus 8\n"})
		h.control(wire.Control{Rate: 10})
		h.sample("PCIe throughput", func(s *probe.Sample) bool {
			n, ok := s.GPUs[7].Get(probe.PCIeRx).Ok()
			return ok && n == 340
		})
		before := agenttest.Counts(t, h.counts)
		s := h.first()
		end := h.sample("fifty more", func(x *probe.Sample) bool { return x.Seq >= s.Seq+50 })
		after := agenttest.Counts(t, h.counts)
		span := end.Mono - s.Mono
		ticks := after["nvmlDeviceGetUtilizationRates"] - before["nvmlDeviceGetUtilizationRates"]
		rounds := after["nvmlDeviceGetPcieThroughput"] - before["nvmlDeviceGetPcieThroughput"]
		if rounds == 0 || ticks < 8*45 {
			t.Errorf("in %v the library saw %d readings and %d of PCIe", span, ticks, rounds)
		}
		if float64(rounds)/16 > span.Seconds()*1.5+2 {
			t.Errorf("PCIe was read %d times in %v, more than once a second", rounds/16, span)
		}
	})
}

// The metrics of the 10 s group are not read every tick.
func TestSlowMetricsAreSlow(t *testing.T) {
	t.Parallel()
	h := launch(t, setup{scenario: "gpus 1\n"})
	h.control(wire.Control{Rate: 10})
	h.sample("ticks", func(s *probe.Sample) bool { return s.Seq > 30 })
	n := agenttest.Counts(t, h.counts)
	for _, name := range []string{"nvmlDeviceGetTotalEccErrors", "nvmlDeviceGetRetiredPages", "nvmlDeviceGetCurrPcieLinkWidth", "nvmlDeviceGetEnforcedPowerLimit"} {
		if n[name] == 0 || n[name] > 6 {
			t.Errorf("%s was called %d times in three seconds", name, n[name])
		}
	}
	if n["nvmlErrorString"] != 0 {
		t.Error("nvmlErrorString was called")
	}
	h.control(wire.Control{Rate: 10, Slow: true})
	deadline := time.Now().Add(wait)
	for agenttest.Counts(t, h.counts)["nvmlDeviceGetCurrPcieLinkWidth"] == n["nvmlDeviceGetCurrPcieLinkWidth"] {
		h.first()
		if time.Now().After(deadline) {
			t.Fatal("asking for the slow metrics did nothing")
		}
	}
}
