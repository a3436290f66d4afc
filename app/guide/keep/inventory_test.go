package keep

import (
	"testing"

	"rentgen/app/guide/guidetest"
	"rentgen/app/provider"
)

func TestInventory(t *testing.T) {
	for _, sh := range guidetest.Shells() {
		h := newHost(t, sh)
		h.comfy("root/ComfyUI")
		h.write("root/ComfyUI/output/a.png", "1234")
		h.write("root/training/run 1/lora.safetensors", "12345678")
		h.write("root/notes.txt", "12")
		h.write("root/disk/data.bin", "1")
		h.write("root/disk/sub/more.bin", "123")
		h.mount(h.path("root/disk"), "ext4", "/dev/sdb")
		h.mount("/etc/hosts", "ext4", "/dev/sda")
		s, err := Inventory(t.Context(), sh, h.look(h.home))
		if err != nil || !s.Whole {
			t.Fatalf("%+v %v", s, err)
		}
		want := map[string]int64{"/root/ComfyUI": 4, "/root/training": 8, "/root/disk/sub": 3, "/root": 2, "/root/disk": 1}
		got := 0
		for _, p := range s.Places {
			if p.Kind != Other {
				continue
			}
			got++
			rel := p.Path[len(h.dir):]
			if p.Bytes == nil || *p.Bytes != want[rel] || p.Newest.Path == "" {
				t.Errorf("%v: %s: %+v", sh.Command, rel, p)
			}
			if p.Holds != (rel == "/root/ComfyUI") || p.Loose != (rel == "/root" || rel == "/root/disk") {
				t.Errorf("%v: %s: %+v", sh.Command, rel, p)
			}
			if (p.Mount.Point == h.path("root/disk")) != (rel == "/root/disk" || rel == "/root/disk/sub") {
				t.Errorf("%v: %s lies on %s", sh.Command, rel, p.Mount.Point)
			}
		}
		if got != len(want) {
			t.Errorf("%v: %d others", sh.Command, got)
		}
		rows := Table(TableParams{Survey: s, Profile: profile(t, "autodl"), Now: noon})
		if last := rows[len(rows)-1]; last.Place.Kind != Other || last.At(provider.Release).Fate == provider.Lives {
			t.Errorf("%+v", last)
		}
	}
}
