package smi

import (
	"strings"
	"testing"
	"unicode"

	"rentgen/probe"
	"rentgen/probe/smi/smitest"
)

// tame fails on what must never come out of foreign text.
func tame(t *testing.T, what, s string, limit int) {
	t.Helper()
	if len(s) > limit {
		t.Errorf("%s: %d bytes", what, len(s))
	}
	if strings.ContainsFunc(s, unicode.IsControl) {
		t.Errorf("%s: control characters in %q", what, s)
	}
}

func tameNotes(t *testing.T, notes []Note) {
	t.Helper()
	if len(notes) > maxRows {
		t.Errorf("%d notes", len(notes))
	}
	for _, n := range notes {
		tame(t, "note", n.Raw, maxText)
		tame(t, "bus id", n.BusID, 32)
	}
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{
		rowText(map[string]string{"util_pct": "97", "mem_used_mib": "1", "mem_total_mib": "2"}),
		"uuid, index\n[HAMI-core Msg(1:2:x.c:3)]: Initializing.....\nGPU-1, 0, " + strings.Repeat("[N/A], ", 30),
		"Unable to determine the device handle for GPU1: 0000:34:00.0: Unknown Error\n",
		"NVRM: Xid (PCI:0000:3b:00): 79, pid=1\n",
		rowText(map[string]string{"util_pct": "[GPU requires reset]", "event_reasons": "0xFFFFFFFFFFFFFFFF"}),
	} {
		f.Add([]byte(s))
	}
	q := all()
	ticks := q.ticks()
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, q := range []query{q, ticks} {
			rows, notes := ParseCSV(b, len(q.cols))
			tameNotes(t, notes)
			if len(rows) > maxRows {
				t.Errorf("%d rows", len(rows))
			}
			var cards []card
			for _, r := range rows {
				c := q.read(r)
				tame(t, "uuid", c.gpu.UUID, 128)
				tame(t, "name", c.device.Name, maxRaw)
				tame(t, "bus id", c.bus, 32)
				for m, v := range c.gpu.Values {
					tame(t, "raw", v.Raw, maxRaw)
					if v.State == probe.Pending {
						t.Errorf("%v is pending", probe.Metric(m))
					}
					if i := probe.Metric(m).Info(); v.State == probe.OK && i.Unit == "%" && probe.Metric(m) != probe.Fan && (v.Num < 0 || v.Num > 100) {
						t.Errorf("%v is %v", probe.Metric(m), v.Num)
					}
				}
				cards = append(cards, c)
			}
			identify(cards)
		}
	})
}

func FuzzHelp(f *testing.F) {
	f.Add([]byte(smitest.Help(smitest.AllFields)))
	f.Add([]byte("\"a\" or \"b\"\n\"\n\"\"\n\"x\" or"))
	f.Fuzz(func(t *testing.T, b []byte) {
		q := negotiate(ParseHelp(b))
		known := map[string]bool{}
		for _, c := range columns {
			for _, n := range c.names {
				known[n] = true
			}
		}
		// Nothing that the host printed gets into a command.
		for _, n := range q.names {
			if !known[n] {
				t.Errorf("%q is asked for", n)
			}
		}
	})
}

func FuzzFailure(f *testing.F) {
	f.Add([]byte("Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.144\n"), 18)
	f.Add([]byte("Field \"x\x1b[1m\" is not a valid field to query.\n"), 2)
	f.Add([]byte("Unable to determine the device handle for GPU0000:CB:00.0: Unknown Error\n"), 255)
	f.Fuzz(func(t *testing.T, b []byte, exit int) {
		fail := ParseFailure(b, exit)
		if fail == nil {
			return
		}
		if fail.Kind == "" || fail.EventKind() == "" {
			t.Errorf("%+v", fail)
		}
		tame(t, "raw", fail.Raw, maxText)
		tame(t, "field", fail.Field, maxFieldName)
		tame(t, "bus id", fail.BusID, 32)
		tame(t, "error", fail.Error(), 2*maxText)
		if next, ok := all().without(fail.Field); ok && len(next.names) == 0 {
			t.Error("everything was dropped")
		}
	})
}

func FuzzList(f *testing.F) {
	f.Add([]byte(smitest.H100MIG().List))
	f.Add([]byte(smitest.H100MIG().Table))
	f.Add([]byte(smitest.Version610))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, notes := ParseList(b)
		tameNotes(t, notes)
		for _, l := range all {
			tame(t, "name", l.Name+l.UUID+l.Profile+l.Parent, 1024)
		}
		for _, s := range ParseSlices(b) {
			tame(t, "slice", s.Used.Raw+s.Total.Raw, 4*maxRaw)
		}
		v := ParseVersions(b)
		tame(t, "versions", v.SMI+v.Driver+v.CUDA, 128)
	})
}

func FuzzApps(f *testing.F) {
	f.Add([]byte("GPU-1, 77, 512, /opt/app, with a comma\nGPU-1, 524, [N/A], [Insufficient Permissions]\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		apps, notes := ParseApps(b)
		tameNotes(t, notes)
		for uuid, p := range processes(apps, map[int]string{77: "x"}) {
			tame(t, "uuid", uuid, 128)
			for _, e := range p.List {
				tame(t, "name", e.Name, 256)
				if e.PID <= 0 {
					t.Errorf("process %+v", e)
				}
			}
		}
	})
}
