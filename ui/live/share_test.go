package live

import (
	"testing"

	"rentgen/probe"
)

func TestWhatProcessesHoldIsMissingAsTheListIs(t *testing.T) {
	list := func(mem probe.Value) *probe.Processes {
		return &probe.Processes{State: probe.OK, List: []probe.Process{{PID: 1, Own: true, Mem: mem}}}
	}
	for name, c := range map[string]struct {
		procs *probe.Processes
		want  probe.Value
	}{
		"none yet":         {nil, probe.Missing(probe.Pending, "")},
		"list denied":      {&probe.Processes{State: probe.Denied, Raw: "Insufficient Permissions"}, probe.Missing(probe.Denied, "Insufficient Permissions")},
		"list broken":      {&probe.Processes{State: probe.Error, Raw: "GPU is lost"}, probe.Missing(probe.Error, "GPU is lost")},
		"a memory unknown": {list(probe.Missing(probe.Unsupported, "[N/A]")), probe.Missing(probe.Unsupported, "[N/A]")},
		"readable":         {list(probe.Of(70)), probe.Of(70)},
	} {
		h := New()
		s := sample(start, 1, 1, 5)
		s.GPUs[0].Procs = c.procs
		h.Message(s)
		if v := h.Value("GPU-0", MemOwn); v.State != c.want.State || v.Raw != c.want.Raw {
			t.Errorf("%s: own is %+v, want %+v", name, v, c.want)
		}
		if v := h.Value("GPU-0", MemOther); v.State != c.want.State {
			t.Errorf("%s: other is %+v, want %+v", name, v, c.want)
		}
	}
}
