package smi

import (
	"testing"

	"rentgen/probe"
)

// A platform's mode without a card is no fault, and a fault is no such mode.
func TestMode(t *testing.T) {
	small, large := probe.Of(2048), probe.Of(92160)
	for _, c := range []struct {
		kind      FailureKind
		devices   string
		limit     probe.Value
		container string
		want      probe.Mode
	}{
		{FailNotFound, "", small, "docker", probe.ModeNoGPU},
		{FailNoDevices, "", small, "docker", probe.ModeNoGPU},
		{FailNoDevices, "", large, "docker", probe.ModeNoGPU},
		{FailDriver, "", small, "docker", probe.ModeNoGPU},
		{FailNotFound, "", large, "docker", probe.ModeNoDriver},
		{FailNotFound, "", large, "", probe.ModeNoDriver},
		{FailDriver, "", large, "", probe.ModeNoDriver},
		{FailLibrary, "", large, "", probe.ModeNoDriver},
		{FailNoDevices, "", large, "", probe.ModeFault},
		{FailNoDevices, "/dev/nvidia3\n/dev/nvidiactl\n", small, "docker", probe.ModeFault},
		{FailAccess, "/dev/nvidia0\n", large, "docker", probe.ModeFault},
		{FailMismatch, "/dev/nvidiactl\n", large, "", probe.ModeFault},
		{FailHang, "/dev/dxg\n", small, "", probe.ModeFault},
		{FailNotFound, "/dev/nvidia-uvm\n", probe.Missing(probe.Denied, ""), "", probe.ModeNoDriver},
	} {
		got := modeOf(&Failure{Kind: c.kind}, answer{out: []byte(c.devices)}, probe.Machine{RAMLimit: c.limit, Container: c.container})
		if got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if modeOf(nil, answer{}, probe.Machine{}) != probe.ModeGPU {
		t.Error("no failure is a mode without a card")
	}
}
