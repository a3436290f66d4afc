package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"rentgen/probe"
)

// The keys of docs/contracts.md, written down here a second time on purpose.
var (
	inventoryKeys = strings.Fields("type host demo source reason agent driver cuda_max gpus system")
	deviceKeys    = strings.Fields("index uuid name bus_id mem_total_mib power_cap_w mig")
	tickKeys      = strings.Fields("type host demo source seq time gpus system")
	gpuKeys       = strings.Fields(`index uuid name util_pct util_mem_pct util_enc_pct util_dec_pct mem_used_mib mem_reserved_mib
		mem_total_mib power_w power_cap_w energy_j temp_c temp_mem_c fan_pct clock_sm_mhz clock_mem_mhz pstate pcie_gen
		pcie_width pcie_tx_mb_s pcie_rx_mb_s nvlink_tx_mb_s nvlink_rx_mb_s event_reasons processes`)
	systemKeys = strings.Fields(`cpu_pct cpu_busiest_pct cpu_quota_cores cpu_throttled_pct ram_used_mib ram_limit_mib
		swap_in_mb_s swap_out_mb_s disk_read_mb_s disk_write_mb_s io_wait_pct net_rx_mb_s net_tx_mb_s psi_cpu_pct psi_mem_pct psi_io_pct`)
	processKeys = strings.Fields("pid name mem_mib util_pct own")
	eventKeys   = strings.Fields("type host time gpu kind text raw")
	gapKeys     = strings.Fields("type host from to reason")
	timeShape   = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	maskShape   = regexp.MustCompile(`^0x[0-9a-f]+$`)
)

type object = map[string]any

// need complains about keys that are not there.
func need(t *testing.T, what string, o object, keys []string) {
	t.Helper()
	for _, k := range keys {
		if _, ok := o[k]; !ok {
			have := make([]string, 0, len(o))
			for h := range o {
				have = append(have, h)
			}
			sort.Strings(have)
			t.Errorf("%s lacks %q; it has %v", what, k, have)
		}
	}
}

// metric complains about a value that is neither a number nor a missing one.
func metric(t *testing.T, what, key string, v any) {
	t.Helper()
	switch v := v.(type) {
	case float64:
	case string:
		if key != "event_reasons" || !maskShape.MatchString(v) {
			t.Errorf("%s: %s is the text %q", what, key, v)
		}
	case object:
		state, _ := v["state"].(string)
		_, raw := v["raw"].(string)
		if !raw || !slices.Contains([]string{"unsupported", "denied", "error", "pending"}, state) {
			t.Errorf("%s: %s is %v", what, key, v)
		}
	default:
		t.Errorf("%s: %s is %T", what, key, v)
	}
}

// checkLines reads what "probe --json" printed and holds it against the
// contract. It returns the objects.
func checkLines(t *testing.T, out string) []object {
	t.Helper()
	var all []object
	var seq float64
	for i, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		var o object
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("line %d: %v: %q", i, err, line)
		}
		typ, _ := o["type"].(string)
		what := fmt.Sprintf("line %d (%s)", i, typ)
		if _, ok := o["demo"].(bool); !ok {
			t.Errorf("%s: demo is %v", what, o["demo"])
		}
		switch typ {
		case "inventory":
			need(t, what, o, inventoryKeys)
			for _, g := range o["gpus"].([]any) {
				need(t, what, g.(object), deviceKeys)
			}
			if s := o["source"]; s != "agent" && s != "smi" {
				t.Errorf("%s: source %v", what, s)
			}
		case "tick":
			need(t, what, o, tickKeys)
			if n := o["seq"].(float64); seq != 0 && n != seq+1 {
				t.Errorf("%s: seq %v after %v", what, n, seq)
			} else {
				seq = n
			}
			if !timeShape.MatchString(o["time"].(string)) {
				t.Errorf("%s: time %v", what, o["time"])
			}
			for _, g := range o["gpus"].([]any) {
				checkGPU(t, what, g.(object))
			}
			sys := o["system"].(object)
			need(t, what, sys, systemKeys)
			for k, v := range sys {
				metric(t, what, k, v)
			}
		case "event":
			need(t, what, o, eventKeys)
		case "gap":
			need(t, what, o, gapKeys)
			if !slices.Contains([]any{"link", "host", "gpu", "agent", "paused"}, o["reason"]) {
				t.Errorf("%s: reason %v", what, o["reason"])
			}
		case "end":
			need(t, what, o, []string{"type", "host", "time", "reason", "ticks"})
			if o["ticks"].(float64) != seq {
				t.Errorf("%s: %v ticks, last seq %v", what, o["ticks"], seq)
			}
		default:
			t.Errorf("%s: a kind of line that is not documented: %s", what, line)
		}
		all = append(all, o)
	}
	for i, o := range all {
		if o["type"] == "inventory" && i != 0 && all[0]["type"] != "inventory" {
			t.Errorf("an inventory on line %d, but not on the first", i)
		}
	}
	if len(all) == 0 || all[len(all)-1]["type"] != "end" {
		t.Error("the last line is no end line")
	}
	return all
}

func checkGPU(t *testing.T, what string, g object) {
	t.Helper()
	need(t, what, g, gpuKeys)
	for k, v := range g {
		switch k {
		case "index", "uuid", "name", "processes_state", "processes_raw":
		case "processes":
			for _, p := range v.([]any) {
				need(t, what, p.(object), processKeys)
			}
		default:
			metric(t, what, k, v)
		}
	}
}

func TestLineShapes(t *testing.T) {
	var b bytes.Buffer
	l := newJSONLines(&b, "a <host>", false)
	at := time.Date(2026, 11, 29, 20, 0, 0, 5e6, time.FixedZone("x", 3600))
	g := probe.GPU{Index: 0, UUID: "GPU-1", Name: "RTX"}
	g.Set(probe.UtilGPU, probe.Of(0))
	g.Set(probe.EventReasons, probe.OfMask(4))
	g.Set(probe.Power, probe.Missing(probe.Denied, "[N/A]"))
	g.Procs = &probe.Processes{State: probe.OK, List: []probe.Process{{PID: 7, Mem: probe.Of(10)}}}
	for _, m := range []probe.Message{
		&probe.Inventory{Time: at, Source: probe.SourceSMI, Reason: "asked"},
		&probe.Inventory{Time: at, Source: probe.SourceSMI, GPUs: []probe.Device{{Name: "RTX"}}},
		&probe.Sample{Seq: 90, Time: at},
		&probe.Gap{From: at, To: at.Add(time.Second), Reason: probe.GapLink},
		&probe.Sample{Seq: 1, Time: at, GPUs: []probe.GPU{g}, System: &probe.System{}},
		&probe.Event{Time: at, Kind: probe.EventXid, Code: 79},
	} {
		if err := l.message(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.end(endFor, at); err != nil {
		t.Fatal(err)
	}
	all := checkLines(t, b.String())
	if got := all[2]["time"]; got != "2026-11-29T19:00:00.005Z" {
		t.Errorf("time %v", got)
	}
	if got := all[2]["system"].(object)["cpu_pct"].(object)["state"]; got != "pending" {
		t.Errorf("a machine that was not read: %v", got)
	}
	tick := all[4]["gpus"].([]any)[0].(object)
	if tick["util_pct"] != 0.0 || tick["event_reasons"] != "0x0000000000000004" || tick["power_w"].(object)["state"] != "denied" {
		t.Errorf("values: %v", tick)
	}
	if !strings.Contains(b.String(), `"a <host>"`) {
		t.Error("the host's name is escaped")
	}
}

func TestTableSaysWhyANumberIsMissing(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		var b bytes.Buffer
		tb := newTable(&b, catalogue(lang), "mycard", true)
		g := probe.GPU{Index: 0, UUID: "GPU-1", Name: "RTX"}
		for _, m := range probe.GPUMetrics() {
			g.Set(m, probe.Of(50))
		}
		g.Set(probe.Power, probe.Missing(probe.Unsupported, "[N/A]"))
		for _, m := range []probe.Message{
			&probe.Inventory{Source: probe.SourceAgent, Driver: "550.90", CUDA: "12.4", GPUs: []probe.Device{{Name: "RTX", MemTotal: probe.Of(24564)}}},
			&probe.Sample{GPUs: []probe.GPU{g}}, &probe.Sample{GPUs: []probe.GPU{g}},
			&probe.Gap{Reason: probe.GapLink}, &probe.Event{Kind: probe.EventLost},
		} {
			if err := tb.message(m); err != nil {
				t.Fatal(err)
			}
		}
		if err := tb.end(endFor, time.Time{}); err != nil {
			t.Fatal(err)
		}
		out := b.String()
		if strings.Contains(out, "cli.") || strings.Contains(out, "\x1b") {
			t.Errorf("keys or sequences in\n%s", out)
		}
		heading := catalogue(lang).T("cli.col.clockmem")
		if strings.Count(out, heading) != 1 || strings.Count(out, "–") < 2 {
			t.Errorf("want one heading and dashes:\n%s", out)
		}
	}
}

func TestCells(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "显存": 4, "GPU：": 5, "°C": 2} {
		if got := cells(s); got != want {
			t.Errorf("%q takes %d, want %d", s, got, want)
		}
	}
}
