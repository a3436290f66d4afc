package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// flat is a metric that held one value.
func flat(v float64) judge.Stat {
	return judge.Stat{N: 60, Mean: v, P05: v, P25: v, P50: v, P75: v, P95: v, Peak: v}
}

// side is a card that paints, with some metrics changed; NaN takes one away.
func side(name string, change map[probe.Metric]float64) Side {
	at := map[probe.Metric]float64{
		probe.UtilGPU: 97, probe.ClockSM: 2520, probe.ClockMem: 10501, probe.Power: 410, probe.PowerCap: 450, probe.Temp: 66,
		probe.PCIeGen: 4, probe.PCIeWidth: 16, probe.PCIeRx: 40, probe.MemTotal: 24564,
		probe.CPUQuota: 16, probe.CPUThrottled: 0, probe.CPUBusiest: 70, probe.RAMLimit: 120000, probe.SwapIn: 0,
		probe.DiskRead: 2, probe.NetRx: 0.1, probe.IOWait: 1, probe.PSIIO: 1, probe.PSIMem: 0, probe.PSICPU: 1,
	}
	for m, v := range change {
		at[m] = v
	}
	s := Side{Name: name, Card: "NVIDIA GeForce RTX 4090", Driver: "550.90", CUDA: "12.4", Stats: map[string]judge.Stat{}}
	for m, v := range at {
		if !math.IsNaN(v) {
			s.Stats[m.String()] = flat(v)
		}
	}
	return s
}

type change = map[probe.Metric]float64

func TestSides(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		what   string
		a, b   change
		first  string // what explains most
		slower string
	}{
		{"the same", nil, nil, "", ""},
		{"noise", nil, change{probe.ClockSM: 2505, probe.UtilGPU: 95, probe.Temp: 68, probe.DiskRead: 5}, "", ""},
		{"a lower clock", nil, change{probe.ClockSM: 1400, probe.Power: 250}, "clock_sm_mhz", "b"},
		{"and the other way", change{probe.ClockSM: 1400, probe.Power: 250}, nil, "clock_sm_mhz", "a"},
		{"a power limit", nil, change{probe.PowerCap: 200, probe.Power: 199, probe.ClockSM: none}, "power_cap_w", "b"},
		{"the card waits", nil, change{probe.UtilGPU: 35, probe.ClockSM: 2500, probe.CPUBusiest: 100}, "cpu_busiest_pct", "b"},
		{"a CPU quota", nil, change{probe.CPUQuota: 1.5, probe.CPUThrottled: 80, probe.UtilGPU: 60}, "cpu_throttled_pct", "b"},
		{"a disk at rest", change{probe.DiskRead: 270}, change{probe.DiskRead: 0.2}, "", ""},
		{"a slow disk", change{probe.DiskRead: 900}, change{probe.DiskRead: 40, probe.IOWait: 30}, "disk_read_mb_s", "b"},
		{"RAM", nil, change{probe.PSIMem: 60, probe.SwapIn: 80}, "swap_in_mb_s", "b"},
		{"a narrow link", nil, change{probe.PCIeGen: 1, probe.PCIeWidth: 1}, "pcie", "b"},
		{"a link at rest is no difference", change{probe.UtilGPU: 0}, change{probe.PCIeGen: 1, probe.UtilGPU: 0}, "", ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			r := Sides(side("old", c.a), side("new", c.b))
			if c.first == "" {
				if len(r.Differences) > 0 || r.Say.Key != "judge.compare.same" {
					t.Errorf("%+v", r.Differences)
				}
				return
			}
			if len(r.Differences) == 0 || r.Differences[0].Metric != c.first || r.Differences[0].Slower != c.slower {
				t.Fatalf("%+v, want %s first", r.Differences, c.first)
			}
			for i, d := range r.Differences {
				if i > 0 && d.Share > r.Differences[i-1].Share || d.Share < 0 || d.Share > maxShare || math.IsNaN(d.Share) {
					t.Errorf("%s stands at %d with %v", d.Metric, i, d.Share)
				}
			}
			if r.Say.Key != "judge.compare.slower" {
				t.Errorf("the headline is %+v", r.Say)
			}
		})
	}
}

// What one side doesn't tell is said, explains nothing and is no 0.
func TestMissingIsSaid(t *testing.T) {
	a, b := side("old", nil), side("new", change{probe.ClockSM: math.NaN(), probe.DiskRead: math.NaN()})
	b.Driver = ""
	r := Sides(a, b)
	seen := map[string]bool{}
	for _, d := range r.Differences {
		seen[d.Metric] = true
		if d.B.Known || d.Share != 0 || d.Slower != "" || d.Say.Key != "judge.compare.missing" {
			t.Errorf("%+v", d)
		}
	}
	if !seen["clock_sm_mhz"] || !seen["driver"] || seen["disk_read_mb_s"] || len(seen) != 2 {
		t.Errorf("said of %v", seen)
	}
	if r.Say.Key != "judge.compare.little" {
		t.Errorf("the headline is %+v", r.Say)
	}
	r = Sides(a, Side{Name: "new"})
	if r.Say.Key != "judge.compare.unseen" {
		t.Errorf("of one that wasn't seen: %+v", r.Say)
	}
}

func TestWords(t *testing.T) {
	a, b := side("old", nil), side("new", nil)
	b.Card, b.Driver = "NVIDIA A100-SXM4-80GB", "535.54"
	a.Picture, b.Picture = 20, 50.04
	r := Sides(a, b)
	if len(r.Differences) != 2 || r.Differences[0].Metric != "card" || r.Differences[1].Metric != "driver" {
		t.Errorf("%+v", r.Differences)
	}
	en := texts.For(texts.English)
	if got := en.Say(r.Pace); !strings.Contains(got, "50.0 s a picture") || !strings.Contains(got, "20.0 s") {
		t.Errorf("pace: %s", got)
	}
	if r.Say.Key != "judge.compare.most" {
		t.Errorf("the headline is %+v", r.Say)
	}
}

func TestWithInventory(t *testing.T) {
	inv := &probe.Inventory{Driver: "550.1", CUDA: "12.4", GPUs: []probe.Device{
		{UUID: "x", Name: "one", PowerCap: probe.Of(300)}, {UUID: "y", Name: "two", PowerCap: probe.Missing(probe.Denied, "")},
	}}
	inv.System.Quota = probe.Of(8)
	a := OfPhase("old", judge.Phase{Card: "one", Stats: side("", nil).Stats}).WithInventory(inv, "x")
	b := OfPhase("new", judge.Phase{Stats: side("", nil).Stats}).WithInventory(inv, "y")
	if a.Limits["power_cap_w"] != 300 || a.Limits["cpu_quota_cores"] != 8 || b.Card != "two" {
		t.Errorf("%+v %+v", a, b)
	}
	if _, known := b.Limits["power_cap_w"]; known {
		t.Error("a limit that was denied is known")
	}
	if c := b.WithInventory(nil, ""); c.Card != "two" {
		t.Error("no inventory takes nothing away")
	}
}

// Every row has its texts in both languages, and no sentence keeps a hole.
func TestTexts(t *testing.T) {
	a, b := side("old", nil), side("new", nil)
	for m := range b.Stats {
		b.Stats[m] = flat(b.Stats[m].Mean*3 + 40)
	}
	b.Stats[probe.UtilGPU.String()] = flat(60)
	b.Stats[probe.PCIeGen.String()], b.Stats[probe.PCIeWidth.String()] = flat(5), flat(16)
	b.Card, b.Driver, b.CUDA, b.CPU, a.CPU = "x", "1", "2", "3", "4"
	r := Sides(a, b)
	if len(r.Differences) < len(figures) {
		t.Errorf("only %d differences of %d rows", len(r.Differences), len(figures)+len(words))
	}
	for _, l := range texts.Langs() {
		c := texts.For(l)
		for _, d := range r.Differences {
			for _, p := range []texts.Phrase{d.Say, d.Why} {
				if !c.Has(p.Key) || strings.ContainsAny(c.Say(p), "{}") {
					t.Errorf("%s %s: %q", l, p.Key, c.Say(p))
				}
			}
		}
	}
	if _, err := json.Marshal(r.Differences); err != nil { // a phrase may be kept, so its values are plain
		t.Error(err)
	}
}

func ExampleSides() {
	r := Sides(side("monday", nil), side("today", change{probe.ClockSM: 1410, probe.PowerCap: 225}))
	c := texts.For(texts.English)
	fmt.Println(strings.ReplaceAll(c.Say(r.Say), "\u2009", " "))
	// Output: today is slower, most likely for this: SM clock: 2,520 MHz with monday, 1,410 MHz with today
}
