package watch

import (
	"strings"
	"testing"
	"time"

	"rentgen/assets/texts"
	"rentgen/probe"
)

func TestARebuiltPageStaysWithTheCard(t *testing.T) {
	r := newPlace(t, 3, time.Minute)
	second := r.w.front.cards[1].UUID
	r.w.front.choose(second)
	r.w.front.more.flip()
	r.w.Retext(texts.For(texts.Chinese))
	if b := r.w.front; b.open != second || !b.more.open {
		t.Errorf("another language: open is %s, more %v", b.open, b.more.open)
	}

	inv := *r.h.Live().Inventory()
	inv.GPUs = append([]probe.Device(nil), inv.GPUs...)
	inv.GPUs[2].Problem = probe.EventLost
	r.h.Live().Message(&inv)
	r.w.Tick()
	if b := r.w.front; b.open != second || !b.more.open {
		t.Errorf("a lost card: open is %s, more %v", b.open, b.more.open)
	}
	if b := r.w.front; !b.banner.box.Hidden {
		t.Errorf("a healthy card: %q", b.banner.text.Text)
	}
	r.w.front.choose(inv.GPUs[2].UUID)
	if b := r.w.front; b.banner.box.Hidden || !strings.Contains(b.banner.text.Text, b.w.c.T("event."+probe.EventLost)) {
		t.Errorf("the lost card: %q", b.banner.text.Text)
	}
	r.w.front.more.flip()
	r.w.Retext(texts.For(texts.English))
	if r.w.front.more.open {
		t.Error("what was folded unfolds")
	}
}

func TestASliceOfACard(t *testing.T) {
	d := probe.Device{Name: "NVIDIA A100-SXM4-40GB MIG 1g.5gb", Profile: "1g.5gb", Parent: "GPU-1"}
	if s := modelName(d); s != "A100-SXM4-40GB MIG 1g.5gb" {
		t.Errorf("named %q", s)
	}
	d.Name = "NVIDIA A100-SXM4-40GB"
	if s := modelName(d); s != "A100-SXM4-40GB 1g.5gb" {
		t.Errorf("named %q", s)
	}
	r := newPlace(t, 1, time.Minute)
	b := r.w.front
	b.cards[0].Parent = "GPU-1"
	if s := b.missing(b.open, probe.Missing(probe.Unsupported, "")); s != "not read for a slice of a card" {
		t.Errorf("missing says %q", s)
	}
}
