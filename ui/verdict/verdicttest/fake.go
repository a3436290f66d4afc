// Package verdicttest makes up verdicts for tests and pictures of the window.
package verdicttest

import (
	"context"
	"sync"
	"time"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/ui/verdict"
)

// Words is a phrase that says one text in English and another in Chinese.
func Words(en, zh string) texts.Phrase {
	return texts.P("verdict.number", "name", func(c *texts.Catalogue) string {
		if c.Lang == texts.Chinese {
			return zh
		}
		return en
	}, "value", "")
}

// Stable is a verdict that all is well since then.
func Stable(from, to time.Time) judge.Verdict {
	return judge.Verdict{
		Kind: judge.Stable, Level: judge.Good, From: from, To: to, Open: true, Confidence: 0.94, Rule: "stability/bands",
		Say:     Words("Stable; no other tenant seen", "稳定；没有看到同机其他租户"),
		Numbers: map[string]judge.Number{"cv": {Value: 2.1, Unit: "%"}, "clock": {Value: 2520, Unit: "MHz"}, "power": {Value: 402, Unit: "W"}},
		Doubts:  []texts.Phrase{Words("processes outside this container are hidden", "看不到容器之外的进程")},
	}
}

// Verdicts are those of about an hour up to now: what goes on, and a past with
// one of every level.
func Verdicts(now time.Time) []judge.Verdict {
	ago := func(m float64) time.Time { return now.Add(-time.Duration(m * float64(time.Minute))) }
	return []judge.Verdict{
		{
			Kind: judge.NotEnoughData, Level: judge.Unknown, From: ago(58), To: ago(57),
			Say: Words("Too few readings to judge", "读数太少，还不能下结论"),
		},
		{
			Kind: judge.Idle, Level: judge.Warn, From: ago(57), To: ago(50), Confidence: 0.97, Rule: "idle/signals",
			Say:     Words("The card did nothing, and it was paid for", "显卡空着，仍在计费"),
			Numbers: map[string]judge.Number{"util": {Value: 0, Unit: "%"}, "power": {Value: 31, Unit: "W"}, "quiet": {Value: 420, Unit: "s"}},
			Next:    Words("Stop the instance when the queue is empty.", "队列跑完就关机。"),
		},
		{
			Kind: judge.FaultXid, Level: judge.Fail, From: ago(49), To: ago(48.5), Confidence: 1, Rule: "fault/xid",
			Say:     Words("GPU error 79: the card fell off the bus", "显卡报错 79：显卡从总线上掉线"),
			Next:    Words("Restart the instance; if it comes back, ask for another machine.", "重启实例；再次出现就让平台换一台机器。"),
			Numbers: map[string]judge.Number{"xid": {Value: 79}},
		},
		{
			Kind: judge.ThrottlePower, Level: judge.Info, From: ago(40), To: ago(31), Confidence: 0.9, Rule: "throttle/two-proofs",
			Say:     Words("Held at its power cap of 450 W, as a busy card is", "功耗到达上限 450 W，满载的卡都会这样"),
			Numbers: map[string]judge.Number{"power": {Value: 449, Unit: "W"}, "clock": {Value: 2385, Unit: "MHz"}},
		},
		Stable(ago(42), now),
	}
}

// Slow are the verdicts of a look that found something.
func Slow(now time.Time) []judge.Verdict {
	return []judge.Verdict{
		{
			Kind: judge.SlowOffload, Level: judge.Warn, From: now.Add(-time.Minute), To: now, Confidence: 0.82, Rule: "slow/offload",
			Say: Words(
				"VRAM is full and weights travel over PCIe at every picture: that is where the time goes",
				"显存已满，每张图都要经 PCIe 搬一遍权重，时间花在这里"),
			Numbers: map[string]judge.Number{
				"vram": {Value: 24120, Unit: "MiB"}, "pcie_rx": {Value: 9800, Unit: "MB/s"}, "util": {Value: 41, Unit: "%"}, "seconds": {Value: 50, Unit: "s"},
			},
			Doubts: []texts.Phrase{Words("the queue of the painting program could not be read", "读不到绘图程序的队列")},
			Next:   Words("Use the FP8 model, or halve the pictures painted at once.", "换用 FP8 模型，或者把一次出图的张数减半。"),
		},
		{
			Kind: judge.SlowCPUThread, Level: judge.Info, From: now.Add(-time.Minute), To: now, Confidence: 0.5, Rule: "slow/cpu-thread",
			Say:     Words("One CPU thread is at its limit now and then", "有一个 CPU 线程时而跑满"),
			Numbers: map[string]judge.Number{"busiest": {Value: 97, Unit: "%"}},
		},
	}
}

// Judge answers with what its fields say. It is safe for use from several
// goroutines.
type Judge struct {
	mu      sync.Mutex
	vs      map[string][]judge.Verdict
	version uint64
	// Found and Err are the answer of a look; Steps is what it says on the way.
	Found verdict.Found
	Err   error
	Steps []verdict.Look
	// Hold, where it isn't nil, keeps a look from ending until it is closed or the
	// look is given up.
	Hold chan struct{}
}

// Set gives a host its verdicts.
func (j *Judge) Set(host string, vs []judge.Verdict) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.vs == nil {
		j.vs = map[string][]judge.Verdict{}
	}
	j.vs[host] = vs
	j.version++
}

// Verdicts implements verdict.Judge.
func (j *Judge) Verdicts(host string) ([]judge.Verdict, uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.vs[host], j.version
}

// Why implements verdict.Judge.
func (j *Judge) Why(ctx context.Context, _ string, seen func(verdict.Look)) (verdict.Found, error) {
	for _, l := range j.Steps {
		seen(l)
	}
	if j.Hold != nil {
		select {
		case <-j.Hold:
		case <-ctx.Done():
			return verdict.Found{}, ctx.Err()
		}
	}
	return j.Found, j.Err
}
