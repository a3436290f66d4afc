package slow

import (
	"math"
	"strings"

	"rentgen/app/judge"
	"rentgen/app/judge/series"
	"rentgen/probe"
)

// offload finds weights that don't stay in VRAM: it is full, or the program
// holds them back on purpose, and they go over the bus while the card should
// paint.
func offload(l *look) []found {
	sure := 0.8
	switch {
	case !l.atLeast(probe.PCIeRx, 0.5*lim.pcie):
		return nil
	case l.Kind == series.Loading: // while a model is loaded VRAM fills and the card hardly works
		if l.fills() || !l.atLeast(probe.UtilGPU, 10) || !l.atLeast(probe.PCIeRx, lim.pcie) {
			return nil
		}
	case l.waits():
		s, ok := l.explains(sigPCIe)
		if !ok {
			return nil
		}
		sure = max(s, sure)
	default:
		return nil
	}
	used, ok1 := l.mean(probe.MemUsed)
	total, ok2 := l.mean(probe.MemTotal)
	if !ok2 {
		total, ok2 = l.Device.MemTotal.Ok()
	}
	if !ok1 || !ok2 || total <= 0 {
		return nil
	}
	f := series.Finding{
		Kind: judge.SlowOffload, Level: judge.Warn, Confidence: sure, Next: "slow.offload",
		Numbers: l.numbers(probe.PCIeRx, probe.MemUsed, probe.UtilGPU),
	}
	f.Numbers[probe.MemTotal.String()] = judge.Number{Value: total, Unit: "MiB"}
	if used < lim.vram*total {
		f.Say, f.Next, f.Confidence = "slow.offload.setting", "slow.offload.setting", 0.6
		f.Doubts = append(f.Doubts, series.Doubt("vram-free"))
	}
	return []found{{"slow/offload", f}}
}

// fills reports whether VRAM grew within the window.
func (l *look) fills() bool {
	d := l.Dist(probe.MemUsed)
	return d != nil && d.N() > 0 && d.Quantile(0.95)-d.Quantile(0.05) >= 256
}

// link finds a PCIe link below what card and machine can do. Links sleep at a
// lower generation: only seconds at work count.
func link(l *look) []found {
	gen, width := l.Load(probe.PCIeGen), l.Load(probe.PCIeWidth)
	maxGen, ok1 := l.Device.PCIeGenMax.Ok()
	maxWidth, ok2 := l.Device.PCIeWidthMax.Ok()
	if gen == nil || width == nil || gen.N() < lim.load || width.N() < lim.load || !ok1 || !ok2 || maxGen < 1 || maxWidth < 1 {
		return nil
	}
	g, w := gen.Quantile(0.95), width.Quantile(0.95)
	have, could := bandwidth(g, w), bandwidth(maxGen, maxWidth)
	if g >= maxGen && w >= maxWidth || have <= 0 || could <= 0 || have >= 0.9*could {
		return nil
	}
	f := series.Finding{
		Kind: judge.SlowLink, Level: judge.Info, Confidence: 0.85, Next: l.next("slow.link"),
		Numbers: map[string]judge.Number{
			"pcie_gen": {Value: g}, "pcie_gen_max": {Value: maxGen}, "pcie_width": {Value: w}, "pcie_width_max": {Value: maxWidth},
			"link_gb_s": {Value: round(have), Unit: "GB/s"},
		},
	}
	rx, known := l.mean(probe.PCIeRx)
	tx, _ := l.mean(probe.PCIeTx)
	switch {
	case known && max(rx, tx) >= 300*have: // a third of what the link carries, MB/s through GB/s
		f.Level = judge.Warn
		f.Numbers["pcie_rx_mb_s"] = judge.Number{Value: round(rx), Unit: "MB/s"}
	case have <= could/8:
		f.Level = judge.Warn
	case !known:
		f.Doubts = append(f.Doubts, series.Doubt("traffic-unread"))
		f.Confidence = 0.7
	}
	return []found{{"slow/link", f}}
}

// bandwidth of a link one way, GB/s: 0.985 a lane in the third generation and
// twice that in each one after it; 0.25 and 0.5 before
// (https://en.wikipedia.org/wiki/PCI_Express, 2026-11-30).
func bandwidth(gen, width float64) float64 {
	if gen < 3 {
		return 0.25 * gen * width
	}
	return 0.985 * math.Pow(2, gen-3) * width
}

// linked are the products that are made with NVLink. On the others no link is
// missing.
var linked = []string{"V100", "A100", "A800", "H100", "H800", "H200", "H20", "B200", "B300", "RTX A6000", "RTX A5000", "A40", "RTX 3090", "RTX 8000", "RTX 6000"}

func hasNVLink(name string) bool {
	if strings.Contains(name, "PCIe") && !strings.Contains(name, "H100") && !strings.Contains(name, "A100") || strings.Contains(name, "Ada") {
		return false
	}
	for _, p := range linked {
		if strings.Contains(name, p) {
			return true
		}
	}
	return false
}

// nvlink finds a card with fewer links up than its peers, or cards that were
// made for links and talk over PCIe.
func nvlink(l *look) []found {
	t := l.t
	if l.Kind != series.Busy || 2*t.links < t.seconds || t.links == 0 {
		return nil
	}
	f := series.Finding{
		Kind: judge.SlowNVLink, Next: l.next("slow.nvlink"), Level: judge.Warn,
		Numbers: map[string]judge.Number{"nvlink_active": {Value: t.linksOwn}, "nvlink_peer": {Value: t.linksPeer}},
	}
	switch {
	case t.linksOwn < t.linksPeer:
		f.Confidence = 0.9
	case t.linksOwn == 0 && t.linksPeer == 0 && hasNVLink(l.Device.Name) && 10*t.talk >= 3*t.seconds:
		f.Say, f.Confidence = "slow.nvlink.none", 0.6
		f.Doubts = append(f.Doubts, series.Doubt("bridge-unknown"))
		for name, n := range l.numbers(probe.PCIeRx, probe.PCIeTx) {
			f.Numbers[name] = n
		}
	default:
		return nil
	}
	return []found{{"slow/nvlink", f}}
}

// straggler finds a card that the others of a job wait for: the same product,
// at work at the same time, with a clock well below theirs.
func straggler(l *look) []found {
	t := l.t
	if l.Kind != series.Busy || t.peers < lim.load || 2*t.peers < t.seconds {
		return nil
	}
	ratio := t.ratio / float64(t.peers)
	if ratio > lim.straggler || 10*t.slowest < 9*t.peers {
		return nil
	}
	f := series.Finding{
		Kind: judge.SlowStraggler, Level: judge.Info, Confidence: 0.5, Next: "slow.straggler",
		Numbers: l.numbers(probe.ClockSM, probe.Power, probe.Temp),
	}
	f.Numbers["clock_share"] = judge.Number{Value: round(100 * ratio), Unit: "%"}
	if 10*t.talk >= 3*t.seconds {
		f.Level, f.Confidence = judge.Warn, 0.85
	} else {
		f.Doubts = append(f.Doubts, series.Doubt("one-job"))
	}
	return []found{{"slow/straggler", f}}
}
