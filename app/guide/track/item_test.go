package track

import (
	"slices"
	"testing"

	"rentgen/app/guide"
	"rentgen/app/provider"
)

func TestRegions(t *testing.T) {
	for _, c := range []struct {
		data, inst, store string
		verdict           guide.Verdict
		key               string
		same              any
	}{
		{"Shanghai", "cn-shanghai", "上海", guide.Warn, "track.region.storage", true},
		{"上海", "华东2（上海）", "上海", guide.Pass, "track.region.same", true},
		{"cn-east-1", "CN East 1", "east-1", guide.Pass, "track.region.same", true},
		{"cn-east-1", "cn-east-2", "", guide.Warn, "track.region.data", false},
		{"Shanghai", "Beijing", "Beijing", guide.Warn, "track.region.data", false},
		{"Shanghai", "Shanghai", "", guide.NotRun, "track.region.ask", true},
		{"", "Shanghai", "Shanghai", guide.NotRun, "track.region.ask", nil},
		{"Shanghai", "", "Shanghai", guide.NotRun, "", nil},
		{"", "", "", guide.NotRun, "", nil},
		{" - ", "Shanghai", "Shanghai", guide.NotRun, "track.region.ask", nil},
	} {
		h := on(guide.Shared)
		values := map[string]string{"data": c.data, "instance": c.inst, "storage": c.store}
		h.p.Ticks[ItemRegion] = guide.Tick{Item: ItemRegion, Values: values}
		it := itemOf(t, h.view(), ItemRegion)
		if it.Verdict != c.verdict || it.Finding.Key != c.key {
			t.Errorf("%v: %q, %s", values, it.Verdict, it.Finding.Key)
		}
		if same := SameRegion(values); (same == nil) != (c.same == nil) || same != nil && *same != c.same {
			t.Errorf("%v: same %v", values, same)
		}
		said(t, h.view())
	}
	h := on(guide.Shared)
	h.p.Ticks[ItemRegion] = guide.Tick{Values: map[string]string{"data": "Shanghai", "instance": "Beijing", "storage": "Beijing"}}
	h.sentence(t, "but", guide.Warn, "a", "track.item.region")
	if it := itemOf(t, on(guide.Network).view(), ItemSync); it.Verdict != guide.NotRun {
		t.Errorf("%+v", it)
	}
	h.p.Ticks[ItemSync] = guide.Tick{Done: true}
	h.sentence(t, "ok", guide.Pass)
}

func itemOf(t *testing.T, v View, id string) ItemView {
	t.Helper()
	for _, s := range v.Steps {
		for _, it := range s.Items {
			if it.Item.ID == id {
				return it
			}
		}
	}
	t.Fatalf("no item %s", id)
	return ItemView{}
}

func TestPrefilled(t *testing.T) {
	h := on(guide.Shared)
	h.p.Profile, _ = provider.ProfileOf("autodl")
	h.p.LoginHost = "connect.westb.seetacloud.com"
	h.p.Values = map[string]string{"hf_endpoint": "https://mirror.example.org"}
	it := itemOf(t, h.view(), ItemRegion)
	if it.Value["instance"] != "westb" || it.Filled["instance"].IsZero() || it.Value["storage"] != "westb" || it.Value["data"] != "mirror.example.org" {
		t.Errorf("%v, %v", it.Value, it.Filled)
	}
	if it.Verdict != guide.NotRun {
		t.Error("what we filled in counts as an answer")
	}
	if it := itemOf(t, h.view(), "saved"); it.Hint.IsZero() {
		t.Error("the provider's word for saving is not named")
	}
	h.p.Ticks[ItemRegion] = guide.Tick{Values: map[string]string{"instance": "westc"}}
	if it = itemOf(t, h.view(), ItemRegion); it.Value["instance"] != "westc" || !it.Filled["instance"].IsZero() {
		t.Errorf("what the user wrote was filled over: %v", it.Value)
	}
	h.set(guide.TorchCUDA, guide.Pass, guide.Facts{"torch_version": "2.8.0+cu128\x1b[31m", "torch_cuda": nil})
	if it = itemOf(t, h.view(), "image"); it.Value["torch"] != "2.8.0+cu128" || it.Value["cuda"] != "" {
		t.Errorf("%v", it.Value)
	}
	said(t, h.view())

	d := on(guide.Dedicated)
	d.set(guide.SecPorts, guide.Warn, guide.Facts{"public_ports": []int{22, 8188}})
	d.set(guide.GPUSMI, guide.Pass, guide.Facts{"names": []string{"NVIDIA A10"}})
	d.set(guide.CPUCgroup, guide.Pass, guide.Facts{"effective_cores": 7.5})
	d.set(guide.MemCgroup, guide.Pass, guide.Facts{"effective_gib": 64})
	if it := itemOf(t, d.view(), "group"); it.Value["ports"] != "22, 8188" {
		t.Errorf("%v", it.Value)
	}
	if it := itemOf(t, d.view(), "size"); it.Value["card"] != "NVIDIA A10" || it.Value["cores"] != "7.5" || it.Value["ram"] != "64\u2009GiB" || it.Value["disk"] != "" {
		t.Errorf("%v", it.Value)
	}
}

func TestRegionOfLoginHost(t *testing.T) {
	p := provider.Profile{Hosts: []string{"ssh.example.org", "*.example.com"}}
	for host, want := range map[string]string{
		"connect.westb.example.com": "westb", "Region-9.Example.com.": "region-9", "a.b.example.com": "", "example.com": "",
		"ssh.example.org": "", "ssh.example.com": "", "connect.example.com": "", "192.0.2.1": "", "": "", "evilexample.com": "",
	} {
		if got := regionOf(host, p); got != want {
			t.Errorf("%s: %q, want %q", host, got, want)
		}
	}
}

func TestTickOfAnotherInstance(t *testing.T) {
	h := on(guide.Dedicated)
	h.p.Ticks["monitoring"] = guide.Tick{Done: true, Run: guide.Run{Instance: "i0"}}
	it := itemOf(t, h.view(), "monitoring")
	if it.Verdict != guide.NotRun || it.StaleWhy.IsZero() {
		t.Errorf("%+v", it)
	}
	h = on(guide.Shared)
	h.p.Ticks["verified"] = guide.Tick{Done: true, Run: guide.Run{Instance: "i0"}}
	if it = itemOf(t, h.view(), "verified"); it.Verdict != guide.Pass {
		t.Error("an account stays verified on another instance")
	}
}

func TestClientsFiles(t *testing.T) {
	h := on(guide.Shared)
	if itemOf(t, h.view(), itemEncrypt).Item.Needed {
		t.Error("asked for without a contract")
	}
	h.p.Needs.UnderContract = true
	if v := h.view(); !slices.Contains(v.Open, itemEncrypt) || v.Sentence.Key != "track.say.ok" {
		t.Errorf("open %v, %v", v.Open, v.Sentence)
	}
}
