package meter

import (
	"testing"
	"time"

	"rentgen/probe"
)

// TestJudged asks Judge's own classifier: a minute at work, then ten at rest.
func TestJudged(t *testing.T) {
	now := noon()
	b := NewBook(BookParams{Now: func() time.Time { return now }, Zone: shanghai})
	b.Message(host, &probe.Inventory{
		Time: now, Run: probe.Run{BootID: "a", Init: now}, Mode: probe.ModeGPU, Source: probe.SourceAgent,
		GPUs: []probe.Device{{UUID: "u", Name: "NVIDIA GeForce RTX 4090", PowerCap: probe.Of(450)}},
	})
	look := func(seconds int, util, watts float64) {
		for range seconds {
			now = now.Add(time.Second)
			g := probe.GPU{UUID: "u", Name: "NVIDIA GeForce RTX 4090"}
			g.Set(probe.UtilGPU, probe.Of(util))
			g.Set(probe.Power, probe.Of(watts))
			b.Message(host, &probe.Sample{Time: now, HostTime: now, GPUs: []probe.GPU{g}, System: &probe.System{}})
		}
	}
	look(60, 99, 400)
	look(600, 0, 20)
	a, _ := b.Account(host)
	if s := a.Sessions[0]; s.BusyS < 55 || s.BusyS > 80 || s.IdleS < 570 || s.IdleS > 600 {
		t.Errorf("busy %d s, idle %d s, unknown %d s", s.BusyS, s.IdleS, s.UnknownS)
	}
	if g, _ := b.Glance(host); !g.Idle || g.IdleFor < 570*time.Second || g.IdleFor > 600*time.Second {
		t.Errorf("idle %v for %s", g.Idle, g.IdleFor)
	}
}
