package smi

import (
	"testing"

	"rentgen/probe"
)

// TestBindNamesOfLogs binds columns that logs have and our own query does not
// ask for.
func TestBindNamesOfLogs(t *testing.T) {
	r := "clocks_throttle_reasons."
	for _, c := range []struct {
		what         string
		names, cells []string
		metric       probe.Metric
		want         float64 // -1 for none
		state        probe.State
	}{
		{"graphics clock", []string{"index", "clocks.gr [MHz]"}, []string{"0", "1905 MHz"}, probe.ClockSM, 1905, probe.OK},
		{"both clocks", []string{"clocks.current.graphics [MHz]", "clocks.sm [MHz]"}, []string{"1900 MHz", "1905 MHz"}, probe.ClockSM, 1905, probe.OK},
		{"reasons one by one", []string{r + "gpu_idle", r + "sw_power_cap", "clocks_event_reasons.hw_thermal_slowdown"}, []string{"Not Active", "Active", "Active"}, probe.EventReasons, 0x44, probe.OK},
		{"none holds", []string{r + "sw_power_cap", r + "hw_slowdown"}, []string{"Not Active", "Not Active"}, probe.EventReasons, 0, probe.OK},
		{"one is not offered", []string{r + "sync_boost", r + "sw_thermal_slowdown"}, []string{"[N/A]", "Active"}, probe.EventReasons, 0x20, probe.OK},
		{"none is offered", []string{r + "sync_boost", r + "hw_slowdown"}, []string{"[N/A]", "[Not Supported]"}, probe.EventReasons, -1, probe.Unsupported},
		{"no word of it", []string{r + "hw_slowdown"}, []string{"perhaps"}, probe.EventReasons, -1, probe.Error},
		{"a short row", []string{"index", r + "hw_slowdown"}, []string{"0"}, probe.EventReasons, -1, probe.Unsupported},
		{"the mask counts before the single ones", []string{r + "hw_slowdown", r + "active"}, []string{"Active", "0x0000000000000004"}, probe.EventReasons, 4, probe.OK},
		{"the card is lost", []string{"utilization.gpu [%]", r + "hw_slowdown"}, []string{"[GPU is lost]", "Active"}, probe.EventReasons, -1, probe.Unsupported},
	} {
		b, unknown := Bind(c.names)
		if len(unknown) > 0 || b.Metrics() == 0 {
			t.Errorf("%s: %d readings, unknown %q", c.what, b.Metrics(), unknown)
		}
		rd := b.Read(c.cells)
		v := rd.GPU.Get(c.metric)
		if n, ok := v.Ok(); ok != (c.want >= 0) || ok && n != c.want || v.State != c.state {
			t.Errorf("%s: %+v", c.what, v)
		}
	}
	if _, unknown := Bind([]string{r + "supported"}); len(unknown) != 1 {
		t.Error("what the card supports is no reason")
	}
}

// TestBindTellsInstances infers that a card is cut where its log doesn't say so.
func TestBindTellsInstances(t *testing.T) {
	for _, c := range []struct {
		what         string
		names, cells []string
		want         string
	}{
		{"no utilisation of a card that can be cut", []string{"name", "utilization.gpu", "power.draw"}, []string{"NVIDIA A100-SXM4-80GB", "[N/A]", "180.12 W"}, "on"},
		{"the log tells the mode", []string{"name", "utilization.gpu", "power.draw", "mig.mode.current"}, []string{"NVIDIA A100-SXM4-80GB", "[N/A]", "180.12 W", "Disabled"}, "off"},
		{"a column that isn't there", []string{"name", "power.draw"}, []string{"NVIDIA A100-SXM4-80GB", "180.12 W"}, ""},
		{"nothing is told at all", []string{"name", "utilization.gpu", "power.draw"}, []string{"NVIDIA A100-SXM4-80GB", "[N/A]", "[N/A]"}, ""},
		{"a card that can't be cut", []string{"name", "utilization.gpu", "power.draw"}, []string{"NVIDIA GeForce RTX 4090", "[N/A]", "180.12 W"}, ""},
		{"it works", []string{"name", "utilization.gpu", "power.draw"}, []string{"NVIDIA H100 80GB HBM3", "97 %", "680.12 W"}, ""},
	} {
		b, _ := Bind(c.names)
		if got := b.Read(c.cells).Device.MIG; got != c.want {
			t.Errorf("%s: MIG %q, want %q", c.what, got, c.want)
		}
	}
}
