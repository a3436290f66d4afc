package smi

import (
	"strings"
	"testing"

	"rentgen/probe"
)

// all is the query of a driver that knows every field.
func all() query { return negotiate(Help{}) }

// rowOf makes a row of all columns: cells by column id, [N/A] elsewhere.
func rowOf(q query, cells map[string]string) Row {
	row := make(Row, len(q.cols))
	for i, c := range q.cols {
		row[i] = "[N/A]"
		if v, ok := cells[c.id]; ok {
			row[i] = v
		}
	}
	return row
}

func readCells(cells map[string]string) *card {
	q := all()
	if cells[colUUID] == "" {
		cells[colUUID] = "GPU-1"
	}
	c := q.read(rowOf(q, cells))
	return &c
}

func number(t *testing.T, v probe.Value, want float64) {
	t.Helper()
	if n, ok := v.Ok(); !ok || n != want {
		t.Errorf("got %+v, want %v", v, want)
	}
}

func state(t *testing.T, v probe.Value, want probe.State, raw string) {
	t.Helper()
	if v.State != want || v.Num != 0 || v.Raw != raw {
		t.Errorf("got %+v, want %v %q", v, want, raw)
	}
}

// oddity 1: [N/A] among numbers is absent, the rest is kept.
func TestOddity01NAmongNumbers(t *testing.T) {
	c := readCells(map[string]string{"fan_pct": "[N/A]", "mem_total_mib": "32510", "mem_used_mib": "0", "pstate": "P0", "temp_c": "35"})
	state(t, c.gpu.Get(probe.Fan), probe.Unsupported, "[N/A]")
	number(t, c.gpu.Get(probe.MemTotal), 32510)
	number(t, c.gpu.Get(probe.MemUsed), 0)
	number(t, c.gpu.Get(probe.PState), 0)
	number(t, c.gpu.Get(probe.Temp), 35)
}

// oddities 2, 4, 6, 7, 8, 14, 16 and 17: every word that stands where a number should.
// Connection case 43.
func TestOddity02Tokens(t *testing.T) {
	for cell, want := range map[string]probe.State{
		"[Not Supported]":            probe.Unsupported,
		"[N/A]":                      probe.Unsupported,
		"N/A":                        probe.Unsupported,
		"Not Supported":              probe.Unsupported,
		"[Unknown Error]":            probe.Error,
		"[GPU requires reset]":       probe.Error,
		"[GPU is lost]":              probe.Error,
		"ERR!":                       probe.Error,
		"[Insufficient Permissions]": probe.Denied,
		"[Requested functionality has been deprecated]": probe.Unsupported,
		"Requested functionality has been deprecated":   probe.Unsupported,
		"[Function Not Found]":                          probe.Unsupported,
		"Not available in WDDM driver model":            probe.Unsupported,
		"[Not Found]":                                   probe.Error,
		"[A token of some later driver]":                probe.Error,
		"":                                              probe.Unsupported,
		"-":                                             probe.Unsupported,
	} {
		state(t, Number(cell, 0, 100), want, cell)
		state(t, mask(cell), want, cell)
		state(t, pstate(cell), want, cell)
	}
	for _, cell := range []string{"12", "P0", "0x1", "Enabled", "NVIDIA A10"} {
		if s, ok := Token(cell); ok {
			t.Errorf("%q is taken for a token: %v", cell, s)
		}
	}
}

// oddity 3: [Unknown Error] is a failed reading of one field, not "unsupported".
func TestOddity03UnknownErrorOfOneField(t *testing.T) {
	c := readCells(map[string]string{"fan_pct": "[Unknown Error]", "util_pct": "53 %", "power_w": "123.00 W", "pstate": "P2", "clock_sm_mhz": "1746 MHz"})
	state(t, c.gpu.Get(probe.Fan), probe.Error, "[Unknown Error]")
	number(t, c.gpu.Get(probe.UtilGPU), 53)
	number(t, c.gpu.Get(probe.Power), 123)
	number(t, c.gpu.Get(probe.ClockSM), 1746)
	c = readCells(map[string]string{colPowerDef: "[Unknown Error]", "power_w": "228.82"})
	state(t, c.device.PowerDefault, probe.Error, "[Unknown Error]")
	number(t, c.gpu.Get(probe.Power), 228.82)
}

// oddity 4: MIG in a container without rights.
func TestOddity04Denied(t *testing.T) {
	c := readCells(map[string]string{
		colName: "NVIDIA A100-SXM4-80GB", "temp_c": "47", "mem_total_mib": "[Insufficient Permissions]", "mem_used_mib": "[Insufficient Permissions]",
	})
	state(t, c.gpu.Get(probe.MemTotal), probe.Denied, "[Insufficient Permissions]")
	state(t, c.gpu.Get(probe.MemUsed), probe.Denied, "[Insufficient Permissions]")
	state(t, c.device.MemTotal, probe.Denied, "[Insufficient Permissions]")
	state(t, c.gpu.Get(probe.UtilGPU), probe.Unsupported, "[N/A]")
	number(t, c.gpu.Get(probe.Temp), 47)
}

// oddity 5: beside "requires reset" memory reads a plausible 0, which is none.
func TestOddity05RequiresReset(t *testing.T) {
	for _, cell := range []string{"util_pct", "pstate", "temp_c"} {
		c := readCells(map[string]string{cell: "[GPU requires reset]", "mem_used_mib": "0 MiB", "mem_total_mib": "24576", "power_w": "0"})
		state(t, c.gpu.Get(probe.MemUsed), probe.Error, "[GPU requires reset]")
		state(t, c.gpu.Get(probe.Power), probe.Error, "[GPU requires reset]")
		if len(c.notes) != 1 || c.notes[0].Kind != probe.EventReset || c.device.Problem != probe.EventReset {
			t.Errorf("%s: notes %+v, problem %q", cell, c.notes, c.device.Problem)
		}
	}
}

// oddity 6: a deprecated field is unsupported, and its words are one token.
func TestOddity06Deprecated(t *testing.T) {
	c := readCells(map[string]string{"clock_sm_mhz": "[Requested functionality has been deprecated]", "clock_mem_mhz": "2619"})
	state(t, c.gpu.Get(probe.ClockSM), probe.Unsupported, "[Requested functionality has been deprecated]")
	number(t, c.gpu.Get(probe.ClockMem), 2619)
}

// oddity 7: [Function Not Found] is unsupported.
func TestOddity07FunctionNotFound(t *testing.T) {
	state(t, count("[Function Not Found]"), probe.Unsupported, "[Function Not Found]")
}

// oddity 8: N/A with and without brackets in one row.
func TestOddity08BareNA(t *testing.T) {
	c := readCells(map[string]string{"temp_mem_c": "N/A", "power_w": "[N/A]"})
	state(t, c.gpu.Get(probe.TempMem), probe.Unsupported, "N/A")
	state(t, c.gpu.Get(probe.Power), probe.Unsupported, "[N/A]")
}

// oddity 9: units come although none are asked for, also new ones; one that
// is not known is an error and no number.
func TestOddity09Units(t *testing.T) {
	for cell, want := range map[string]float64{
		"53 %": 53, "123.00 W": 123, "1746 MHz": 1746, "8192 MiB": 8192, "16x": 16, "0 us": 0, "100 ms": 100,
		"12 seconds": 12, "3 W/s": 3, "45 C": 45, "7": 7, " 8.5 ": 8.5,
	} {
		number(t, Number(cell, 0, 1e6), want)
	}
	for _, cell := range []string{"8 GiB", "12 furlongs", "1e5", "0x10", "NaN", "Inf", "1 2", "--3", "W", "5%%"} {
		if v := Number(cell, 0, 1e6); v.State != probe.Error || v.Raw != cell {
			t.Errorf("%q: %+v", cell, v)
		}
	}
}

// oddity 10: the mask is hex; bits nobody knows yet are kept.
func TestOddity10Mask(t *testing.T) {
	for cell, want := range map[string]uint64{
		"0x0000000000000001": 1, "0x0000000000000000": 0, "0x00000000000001FF": 0x1ff, "0x0000000000040100": 0x40100,
	} {
		if bits, ok := mask(cell).Mask(); !ok || bits != want {
			t.Errorf("%q: %#x %v", cell, bits, ok)
		}
	}
	for _, cell := range []string{"1", "Active", "0xZZ", "0xFFFFFFFFFFFFFFFF", "0x1234567890abcdef12"} {
		if v := mask(cell); v.State != probe.Error || v.Raw == "" {
			t.Errorf("%q: %+v", cell, v)
		}
	}
}

// oddity 11: everything [N/A] but memory.
func TestOddity11OnlyMemory(t *testing.T) {
	c := readCells(map[string]string{"mem_total_mib": "10240", "mem_used_mib": "9029", "temp_c": "54"})
	number(t, c.gpu.Get(probe.MemUsed), 9029)
	for _, m := range []probe.Metric{probe.UtilGPU, probe.Power, probe.Fan, probe.ClockSM} {
		state(t, c.gpu.Get(m), probe.Unsupported, "[N/A]")
	}
}

// oddity 12: a vGPU profile is a slice by the platform.
func TestOddity12VGPUProfile(t *testing.T) {
	c := readCells(map[string]string{colName: "NVIDIA H100L-2-24C", "mem_total_mib": "24576"})
	if !c.device.Virtual || c.device.Name != "NVIDIA H100L-2-24C" {
		t.Errorf("device %+v", c.device)
	}
	state(t, c.gpu.Get(probe.UtilGPU), probe.Unsupported, "[N/A]")
	for name, total := range map[string]string{
		"NVIDIA A100-SXM4-80GB": "81920", "NVIDIA H100 80GB HBM3": "81559", "Tesla V100-PCIE-16GB": "16160",
		"NVIDIA GeForce RTX 4090": "24564", "NVIDIA vGPU-48GB": "49140",
	} {
		if c := readCells(map[string]string{colName: name, "mem_total_mib": total}); c.device.Virtual {
			t.Errorf("%s with %s MiB is taken for a slice", name, total)
		}
	}
}

// oddity 13: a GB10 has no memory of its own and a domain that is not 0.
// Connection case 41.
func TestOddity13SharedMemory(t *testing.T) {
	c := readCells(map[string]string{
		colName: "NVIDIA GB10", colBus: "0000000F:01:00.0", "util_pct": "0 %", "power_w": "11.17 W", "temp_c": "35",
	})
	state(t, c.gpu.Get(probe.MemTotal), probe.Unsupported, "[N/A]")
	if c.device.BusID != "0000000F:01:00.0" || !sharesMemory(c.device) {
		t.Errorf("device %+v", c.device)
	}
	number(t, c.gpu.Get(probe.Power), 11.17)
	c = readCells(map[string]string{colName: "NVIDIA GB10", "mem_total_mib": "0", "mem_used_mib": "0"})
	state(t, c.gpu.Get(probe.MemTotal), probe.Error, "0")
	if !sharesMemory(c.device) {
		t.Error("a total of 0 is taken for memory of its own")
	}
	if v := Number("Not Supported", 0, 1); v.State != probe.Unsupported {
		t.Errorf("%+v", v)
	}
	if busKey("0000000F:01:00.0") == busKey("00000000:01:00.0") {
		t.Error("the domain is lost")
	}
}

// oddity 14: a Jetson's card has a name and nothing else.
func TestOddity14Jetson(t *testing.T) {
	c := readCells(map[string]string{colUUID: "[N/A]", "index": "0", colName: "Orin (nvgpu)", colDriver: "N/A"})
	if c.device.Name != "Orin (nvgpu)" || c.driver != "" || !sharesMemory(c.device) {
		t.Errorf("%+v", c)
	}
	for m, v := range c.gpu.Values {
		if v.State == probe.OK {
			t.Errorf("%v: %+v", probe.Metric(m), v)
		}
	}
	f := ParseFailure([]byte("-bash: nvidia-smi: command not found\n"), 127)
	if f == nil || f.Kind != FailNotFound {
		t.Errorf("%+v", f)
	}
}

// oddity 15: WSL says ERR! for the load, and the tool may die of a signal.
func TestOddity15WSL(t *testing.T) {
	c := readCells(map[string]string{"util_pct": "ERR!", "temp_c": "48", "mem_used_mib": "161", "mem_total_mib": "8192"})
	state(t, c.gpu.Get(probe.UtilGPU), probe.Error, "ERR!")
	number(t, c.gpu.Get(probe.MemUsed), 161)
	f := ParseFailure(nil, 139)
	if f == nil || f.Kind != FailSignal || f.Signal != "SEGV" {
		t.Errorf("%+v", f)
	}
	v := ParseVersions([]byte("| NVIDIA-SMI 580.82.02              Driver Version: 581.15         CUDA Version: 13.0     |\n"))
	if v != (Versions{"580.82.02", "581.15", "13.0"}) {
		t.Errorf("%+v", v)
	}
}

// oddity 16: under WDDM a process has no memory figure, and never -1.
func TestOddity16WDDM(t *testing.T) {
	apps, _ := ParseApps([]byte("GPU-1, 2140, [N/A], C:\\Windows\\System32\\dwm.exe\nGPU-1, 2141, 18446744073709551615, a.exe\nGPU-1, 2142, Not available in WDDM driver model, b.exe\n"))
	if len(apps) != 3 {
		t.Fatalf("%+v", apps)
	}
	state(t, apps[0].Mem, probe.Unsupported, "[N/A]")
	state(t, apps[1].Mem, probe.Error, "18446744073709551615")
	state(t, apps[2].Mem, probe.Unsupported, "Not available in WDDM driver model")
	if apps[0].Name != `C:\Windows\System32\dwm.exe` || apps[0].PID != 2140 {
		t.Errorf("%+v", apps[0])
	}
}

// oddity 17: one ERR! is a failed reading, no broken card.
func TestOddity17OneErrIsNoFault(t *testing.T) {
	c := readCells(map[string]string{"pstate": "ERR!", "temp_c": "40", "power_w": "30"})
	state(t, c.gpu.Get(probe.PState), probe.Error, "ERR!")
	number(t, c.gpu.Get(probe.Temp), 40)
	if len(c.notes) != 0 || c.device.Problem != "" {
		t.Errorf("notes %+v, problem %q", c.notes, c.device.Problem)
	}
}

// oddity 18: power above its limit is what the card draws.
func TestOddity18PowerAboveLimit(t *testing.T) {
	c := readCells(map[string]string{"power_w": "266.25 W", "power_cap_w": "262.50 W"})
	number(t, c.gpu.Get(probe.Power), 266.25)
	number(t, c.gpu.Get(probe.PowerCap), 262.5)
	if len(c.notes) != 0 {
		t.Errorf("notes %+v", c.notes)
	}
}

// oddity 19: temperatures may be negative; headroom is not asked for as one.
func TestOddity19NegativeTemperature(t *testing.T) {
	c := readCells(map[string]string{"temp_c": "-5"})
	number(t, c.gpu.Get(probe.Temp), -5)
	for _, col := range columns {
		if strings.Contains(strings.Join(col.names, " "), "tlimit") {
			t.Errorf("column %s asks for headroom", col.id)
		}
	}
}

// oddity 20: a fan above 100 % is legal, a passive card has none.
func TestOddity20Fan(t *testing.T) {
	number(t, readCells(map[string]string{"fan_pct": "105"}).gpu.Get(probe.Fan), 105)
	state(t, readCells(map[string]string{"fan_pct": "[N/A]"}).gpu.Get(probe.Fan), probe.Unsupported, "[N/A]")
}

// oddity 25: a total far below the product's name is a virtual limit.
func TestOddity25VirtualTotal(t *testing.T) {
	c := readCells(map[string]string{colName: "Tesla V100-PCIE-16GB", "mem_used_mib": "2716", "mem_total_mib": "3000", "util_pct": "0"})
	if !c.device.Virtual {
		t.Errorf("device %+v", c.device)
	}
	number(t, c.gpu.Get(probe.MemTotal), 3000)
}

// oddity 26: more in use than there is, by more than a margin, is no reading.
func TestOddity26AbsurdMemory(t *testing.T) {
	c := readCells(map[string]string{"mem_used_mib": "17592186044134", "mem_total_mib": "23028"})
	if v := c.gpu.Get(probe.MemUsed); v.State != probe.Error || v.Raw != "17592186044134" {
		t.Errorf("%+v", v)
	}
	number(t, c.gpu.Get(probe.MemTotal), 23028)
	c = readCells(map[string]string{"mem_used_mib": "30000", "mem_total_mib": "23028"})
	state(t, c.gpu.Get(probe.MemUsed), probe.Error, "30000 / 23028")
	c = readCells(map[string]string{"mem_used_mib": "23040", "mem_total_mib": "23028"})
	number(t, c.gpu.Get(probe.MemUsed), 23040) // rounding and the driver's own share
	s := ParseSlices([]byte("|  0    2   0   0  |           17592186044134MiB / 40448MiB    | 60      0 |\n"))
	if len(s) != 1 || s[0].Used.State != probe.Error {
		t.Errorf("%+v", s)
	}
}

// oddity 51: a utilisation above 100 % is another column's number.
func TestOddity51UtilisationThatIsNone(t *testing.T) {
	for _, cell := range []string{"808334905", "2619", "1980", "101", "-1"} {
		state(t, readCells(map[string]string{"util_pct": cell}).gpu.Get(probe.UtilGPU), probe.Error, cell)
	}
}

// oddity 52: a sentinel is no temperature.
func TestOddity52Sentinel(t *testing.T) {
	state(t, readCells(map[string]string{"temp_mem_c": "9223372036854775794"}).gpu.Get(probe.TempMem), probe.Error, "9223372036854775794")
	state(t, readCells(map[string]string{"temp_c": "4294967295"}).gpu.Get(probe.Temp), probe.Error, "4294967295")
}

// oddity 54: used, reserved and total are kept as read; nothing is computed
// from a sum that is off by one or two.
func TestOddity54SumsAreOff(t *testing.T) {
	c := readCells(map[string]string{"mem_reserved_mib": "408", "mem_used_mib": "819", "mem_total_mib": "8192"})
	number(t, c.gpu.Get(probe.MemReserved), 408)
	number(t, c.gpu.Get(probe.MemUsed), 819)
	number(t, c.gpu.Get(probe.MemTotal), 8192)
	for _, col := range columns {
		if strings.Contains(strings.Join(col.names, " "), "memory.free") {
			t.Error("free memory is asked for")
		}
	}
}

// oddities 56 and 57: the counters of event reasons are not read at all, and
// the bits are handed on as they are: a verdict needs more than either.
func TestOddity56EventReasonsAsTheyAre(t *testing.T) {
	for _, col := range columns {
		if strings.Contains(strings.Join(col.names, " "), "reasons_counters") {
			t.Errorf("column %s reads a counter", col.id)
		}
	}
	if bits, ok := readCells(map[string]string{"event_reasons": "0x000000000000000C"}).gpu.Get(probe.EventReasons).Mask(); !ok || bits != 0xc {
		t.Errorf("%#x %v", bits, ok)
	}
}

// oddity 58: PCIe generation 1 at idle is a reading like any other.
func TestOddity58IdleLink(t *testing.T) {
	c := readCells(map[string]string{"pcie_gen": "1", colGenMax: "3", "pcie_width": "16"})
	number(t, c.gpu.Get(probe.PCIeGen), 1)
	number(t, c.device.PCIeGenMax, 3)
	if len(c.notes) != 0 || c.device.Problem != "" {
		t.Errorf("%+v", c)
	}
}

// oddity 59: P0 at idle is a reading like any other.
func TestOddity59P0AtIdle(t *testing.T) {
	c := readCells(map[string]string{"pstate": "P0", "power_w": "69.85", "util_pct": "0"})
	number(t, c.gpu.Get(probe.PState), 0)
	number(t, c.gpu.Get(probe.Power), 69.85)
}

// oddity 55: the query tells what is reserved apart from what is used, and the
// inventory says where memory comes from. Connection case 42.
func TestOddity55ReservedIsItsOwn(t *testing.T) {
	c := readCells(map[string]string{"mem_reserved_mib": "650", "mem_used_mib": "8", "mem_total_mib": "40960"})
	number(t, c.gpu.Get(probe.MemUsed), 8)
	number(t, c.gpu.Get(probe.MemReserved), 650)
	if c.device.MemSource != "smi" {
		t.Errorf("source %q", c.device.MemSource)
	}
}

// oddity 49: the query lists no share of a process, so there is none, not 0.
func TestOddity49NoShareOfProcesses(t *testing.T) {
	apps, _ := ParseApps([]byte("GPU-1, 77, 512, python3\n"))
	for _, p := range processes(apps, nil)["GPU-1"].List {
		if p.Util.State != probe.Unsupported {
			t.Errorf("%+v", p)
		}
	}
}
