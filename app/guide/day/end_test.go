package day

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/guidetest"
	"rentgen/app/guide/keep"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

func profile(t *testing.T, id string) provider.Profile {
	t.Helper()
	p, ok := provider.ProfileOf(id)
	if !ok {
		t.Fatal(id)
	}
	return p
}

func place(kind keep.Kind, path, mount string, files int) keep.Place {
	n, size := files, int64(files)*100
	return keep.Place{
		Kind: kind, Path: path, Real: path, State: keep.Seen, Files: &n, Bytes: &size,
		Mount: keep.Mount{Point: mount, FS: "xfs"}, Newest: keep.File{Path: path + "/x", Time: noon},
	}
}

func TestBillsOn(t *testing.T) {
	get := func(id, part string) Part {
		for _, p := range BillsOn(profile(t, id)) {
			if p.ID == part {
				return p
			}
		}
		t.Fatal(part)
		return Part{}
	}
	for _, c := range []struct{ id, part, want string }{
		{"autodl", "compute", "day.bills.off"},
		{"autodl", "data_disk", "day.bills.on"},
		{"autodl", "ip", "day.bills.unknown"},
		{"aliyun", "compute", "day.bills.differs"},
		{"lanrui", "compute", "day.bills.unknown"},
		{"generic-container", "compute", "day.bills.unknown"},
	} {
		p := get(c.id, c.part)
		if p.Says().Key != c.want || (p.Bills == nil) != (c.want == "day.bills.unknown" || c.want == "day.bills.differs") {
			t.Errorf("%s %s: %+v", c.id, c.part, p)
		}
		if p.Bills != nil && (len(p.Said) == 0 || p.Said[0].Source == "") {
			t.Errorf("%s %s has no source", c.id, c.part)
		}
	}
	if v, s := GuestShutdown(profile(t, "tencent")); v == nil || *v || s.Source == "" {
		t.Error("Tencent's shutdown from inside goes on billing")
	}
	if v, _ := GuestShutdown(profile(t, "autodl")); v == nil || !*v {
		t.Error("AutoDL's ends it")
	}
	if v, _ := GuestShutdown(profile(t, "vast")); v != nil {
		t.Error("no page says")
	}
}

func TestEvening(t *testing.T) {
	p := EveningParams{Profile: profile(t, "autodl"), Queue: &Queue{}, Listed: true}
	s := keep.Survey{Whole: true, Places: []keep.Place{place(keep.Models, "/root/autodl-tmp/models", "/root/autodl-tmp", 3)}}
	p.Rows = keep.Table(keep.TableParams{Survey: s, Profile: p.Profile, Now: noon})
	check := func(want string, ready bool) {
		t.Helper()
		e := MakeEvening(p)
		if got := e.Sentence(texts.English); got.Key != want || e.Ready() != ready {
			t.Errorf("%s %v, want %s", got.Key, e.Ready(), want)
		}
		for _, l := range texts.Langs() {
			if s := texts.For(l).Say(e.Sentence(l)); s == "" || strings.ContainsAny(s, "{}") {
				t.Errorf("%q", s)
			}
		}
	}
	check("day.evening.ready_until", true)
	if e := MakeEvening(p); !e.Dies.Equal(noon.AddDate(0, 0, 15)) || e.Verb.NameIn(texts.Chinese) != "关机" {
		t.Errorf("%+v", e)
	}
	p.Listed = false
	check("day.evening.not_listed", false)
	p.Queue = nil
	check("day.evening.queue_unknown", false)
	p.Queue = &Queue{Pending: 2}
	check("day.evening.busy", false)
	p.Queue, p.New = &Queue{}, []Remote{{Size: 10}}
	check("day.evening.new", false)
	p.New, p.Listed, p.Profile = nil, true, profile(t, "runpod")
	s.Places = []keep.Place{place(keep.Models, "/root/m", "/", 1)}
	p.Rows = keep.Table(keep.TableParams{Survey: s, Profile: p.Profile, Now: noon})
	check("day.evening.at_once", false)
	p.Rows, p.Profile = nil, profile(t, "generic-vm")
	check("day.evening.ready", true)
}

var here = guide.Run{Boot: "b", PID1: "1", Instance: "i1"}

func guard(t *testing.T) GuardParams {
	t.Helper()
	p := profile(t, "autodl")
	empty := place(keep.Inputs, "/root/ComfyUI/input", "/", 0)
	empty.Newest = keep.File{}
	unread := place(keep.Other, "/root/secret", "/", 0)
	unread.Files, unread.Bytes, unread.State, unread.Newest = nil, nil, keep.Denied, keep.File{}
	s := keep.Survey{
		Whole: true, Run: here, Mounts: []keep.Mount{{Point: "/"}},
		Places: []keep.Place{
			place(keep.Models, "/root/autodl-tmp/models", "/root/autodl-tmp", 3),
			place(keep.Pictures, "/root/ComfyUI/output", "/", 5),
			place(keep.Pictures, "/root/autodl-fs/out", "/root/autodl-fs", 5),
			{Kind: keep.Cache, Path: "/root/.cache/torch", State: keep.None, Mount: keep.Mount{Point: "/"}},
			empty, unread,
		},
	}
	return GuardParams{
		Profile: p, Survey: s, Rows: keep.Table(keep.TableParams{Survey: s, Profile: p, Now: noon}), Run: here, Ticks: map[string]guide.Tick{},
	}
}

func TestGuard(t *testing.T) {
	p := guard(t)
	g := MakeGuard(p)
	var open []string
	for _, i := range g.Items {
		open = append(open, i.Row.Place.Path)
	}
	if want := []string{"/root/autodl-tmp/models", "/root/ComfyUI/output", "/root/secret"}; !slices.Equal(open, want) {
		t.Fatalf("%q", open)
	}
	if g.Ready || len(g.Missing) != 2 || len(g.Stays) != 1 || g.Stays[0].Place.Path != "/root/autodl-fs/out" {
		t.Errorf("%+v", g)
	}
	tick := func(id string, run guide.Run) { p.Ticks[id] = guide.Tick{Item: id, Done: true, Run: run} }
	tick(TickImage, here)
	tick(g.Items[0].Tick, here)
	tick(g.Items[2].Tick, here)
	p.Copies = []Copy{{Dir: "/root/ComfyUI/output", Files: 5, Bytes: 500, Newest: noon, Verified: true, Run: here}}
	if g = MakeGuard(p); !g.Ready || g.Items[1].State != Safe || g.Items[0].State != Dropped || g.Verb.NameIn(texts.Chinese) != "释放" {
		t.Errorf("%+v", g)
	}
	// each of these, alone, keeps it from being ready
	for name, breakIt := range map[string]func(p *GuardParams){
		"unverified copy":       func(p *GuardParams) { p.Copies[0].Verified = false },
		"a new picture":         func(p *GuardParams) { p.Copies[0].Newest = noon.Add(-time.Second) },
		"a file more":           func(p *GuardParams) { p.Copies[0].Files = 4 },
		"other size":            func(p *GuardParams) { p.Copies[0].Bytes = 501 },
		"copy of another host":  func(p *GuardParams) { p.Copies[0].Run.Instance = "i2" },
		"no copy":               func(p *GuardParams) { p.Copies = nil },
		"image not saved":       func(p *GuardParams) { delete(p.Ticks, TickImage) },
		"image of another host": func(p *GuardParams) { p.Ticks[TickImage] = guide.Tick{Done: true, Run: guide.Run{Instance: "i2"}} },
		"tick taken back":       func(p *GuardParams) { p.Ticks[g.Items[0].Tick] = guide.Tick{Run: here} },
		"tick of another host": func(p *GuardParams) {
			p.Ticks[g.Items[0].Tick] = guide.Tick{Done: true, Run: guide.Run{Instance: "i2"}}
		},
		"survey cut off":           func(p *GuardParams) { p.Survey.Whole = false },
		"survey without mounts":    func(p *GuardParams) { p.Survey.Mounts = nil },
		"survey of another host":   func(p *GuardParams) { p.Survey.Run.Instance = "i2" },
		"instance is not known":    func(p *GuardParams) { p.Run.Instance, p.Survey.Run.Instance = "", "" },
		"connected to another one": func(p *GuardParams) { p.Run.Instance = "i2" },
	} {
		q := p
		q.Copies = slices.Clone(p.Copies)
		q.Ticks = map[string]guide.Tick{}
		for k, v := range p.Ticks {
			q.Ticks[k] = v
		}
		breakIt(&q)
		b := MakeGuard(q)
		if b.Ready || len(b.Missing) == 0 {
			t.Errorf("%s: the guard says ready", name)
		}
		for _, l := range texts.Langs() {
			for _, m := range append(b.Missing, b.Sentence(l)) {
				if s := texts.For(l).Say(m); s == "" || s == m.Key || strings.ContainsAny(s, "{}") {
					t.Errorf("%s: %q", name, s)
				}
			}
		}
	}
}

func TestLeftovers(t *testing.T) {
	ids := func(id string) (s []string) {
		for _, l := range MakeGuard(GuardParams{Profile: profile(t, id)}).Left {
			s = append(s, l.ID)
			for _, lang := range texts.Langs() {
				if said := texts.For(lang).Say(l.Says); said == l.Says.Key || strings.ContainsAny(said, "{}") {
					t.Errorf("%s: %q", id, said)
				}
			}
		}
		return s
	}
	for id, want := range map[string][]string{
		"autodl": {"image", "network"}, "huawei": {"image", "disk", "ip"}, "runpod": {"image", "network"}, "generic-vm": {"image", "disk", "ip"},
	} {
		if got := ids(id); !slices.Equal(got, want) {
			t.Errorf("%s: %v", id, got)
		}
	}
}

// TestCopyIsTheFolder fetches a folder and settles the guard with it.
func TestCopyIsTheFolder(t *testing.T) {
	far, near := t.TempDir(), t.TempDir()
	put(t, filepath.Join(far, "a.png"), []byte("picture"))
	sh := guidetest.Shell{}
	l := list(t, sh, far)
	r, err := Fetch(t.Context(), FetchParams{Runner: sh, Dir: l.Dir, Into: near, Files: l.Files})
	if err != nil {
		t.Fatal(err)
	}
	c := CopyOf(l, r, near, here, noon)
	if !c.Verified || c.Files != 1 || c.Bytes != 7 || !c.Newest.Equal(l.Files[0].Time) {
		t.Errorf("%+v", c)
	}
	n, size := 1, int64(7)
	if p := (keep.Place{Real: l.Dir, Files: &n, Bytes: &size, Newest: keep.File{Time: l.Files[0].Time}}); !c.covers(p, here) {
		t.Error("the copy doesn't cover its folder")
	}
	e, err := c.Entry()
	if got := Copies([]guide.Entry{e}); err != nil || len(got) != 1 || got[0].Dir != c.Dir || len(Waits([]guide.Entry{e})) != 0 {
		t.Errorf("%+v %v", got, err)
	}
	c.Dir += "2"
	if e2, _ := c.Entry(); e2.Key == e.Key {
		t.Error("two folders copied in one go are kept as one")
	}
	for name, other := range map[string]Listing{
		"cut":      {Dir: l.Dir, Files: l.Files},
		"odd":      {Dir: l.Dir, Files: l.Files, Whole: true, Odd: true},
		"new only": {Dir: l.Dir, Files: append(slices.Clone(l.Files), Remote{Rel: "b"}), Whole: true},
	} {
		if CopyOf(other, r, near, here, noon).Verified {
			t.Errorf("%s: called verified", name)
		}
	}
}
