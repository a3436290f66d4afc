package keep

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/guidetest"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.Local)

func profile(t *testing.T, id string) provider.Profile {
	t.Helper()
	p, ok := provider.ProfileOf(id)
	if !ok {
		t.Fatal(id)
	}
	return p
}

// autodl is an instance with both disks, as the page describes it.
func autodl() Survey {
	size, n := int64(5<<30), 12
	system := Mount{Point: "/", FS: "overlay"}
	data := Mount{Point: "/root/autodl-tmp", FS: "xfs"}
	file := File{Path: "x", Time: noon}
	return Survey{
		Whole: true, Mounts: []Mount{system, data, {Point: "/dev/shm", FS: "tmpfs"}},
		Places: []Place{
			{Kind: Cache, Name: "HF_HOME", Default: true, Path: "/root/.cache/huggingface", Real: "/root/.cache/huggingface", State: Seen, Mount: system, Bytes: &size, Files: &n, Newest: file},
			{Kind: Models, Path: "/root/ComfyUI/models", Real: "/root/autodl-tmp/models", State: Seen, Mount: data, Bytes: &size, Files: &n, Newest: file},
			{Kind: Pictures, Path: "/dev/shm/out", Real: "/dev/shm/out", State: Seen, Mount: Mount{Point: "/dev/shm", FS: "tmpfs"}, Newest: file},
		},
	}
}

func fates(r Row) string {
	var s []string
	for _, c := range r.Cells {
		f := string(c.Fate)
		if f == "" {
			f = "?"
		}
		s = append(s, f)
	}
	return strings.Join(s, " ")
}

func TestTableOfAutoDL(t *testing.T) {
	p := TableParams{Survey: autodl(), Profile: profile(t, "autodl"), Now: noon}
	rows := Table(p)
	var got []string
	for _, r := range rows {
		got = append(got, string(r.Place.Kind)+": "+fates(r))
	}
	want := []string{
		"models: lives lives lives dies dies",
		"pictures: dies dies dies dies dies",
		"cache: lives lives dies lives dies",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	stop := rows[0].At(provider.StopEvent)
	if want := noon.AddDate(0, 0, 15); !stop.Dies.Equal(want) || stop.DiesBy.Source == "" || stop.DiesBy.Date == "" {
		t.Errorf("%+v, want %s", stop, want)
	}
	en, zh := texts.For(texts.English), texts.For(texts.Chinese)
	if s := en.Say(stop.Says()); !strings.Contains(s, "15 Dec 2026") && !strings.Contains(s, "December 15, 2026") && !strings.Contains(s, "15 December 2026") {
		t.Errorf("%q", s)
	}
	if s := zh.Say(stop.Says()); !strings.Contains(s, "12") || !strings.Contains(s, "15") {
		t.Errorf("%q", s)
	}
	for _, r := range rows {
		for _, c := range r.Cells {
			if c.Fate != provider.FateUnknown && (c.Rule.Source == "" || c.Rule.Date == "" || c.Rule.Mark == "") {
				t.Errorf("%s %s has no source", r.Place.Path, c.Event)
			}
		}
	}
	if s := Sentence(rows); s.Key != "keep.sentence.at_once" { // what lies in RAM
		t.Errorf("%+v", s)
	}
	rows = slices.DeleteFunc(rows, func(r Row) bool { return r.Place.Kind == Pictures })
	if s := Sentence(rows); s.Key != "keep.sentence.later" {
		t.Errorf("%+v", s)
	}
}

func TestUnknownStaysUnknown(t *testing.T) {
	s := autodl()
	s.Places = append(s.Places, Place{Kind: Inputs, Path: "/x", Newest: File{Path: "f"}}) // its mount isn't known
	for _, id := range []string{"lanrui", "lambda"} {
		rows := Table(TableParams{Survey: s, Profile: profile(t, id), Now: noon})
		for _, r := range rows {
			if r.Place.Mount.InRAM() {
				continue
			}
			if f := fates(r); f != "? ? ? ? ?" {
				t.Errorf("%s %s: %s", id, r.Place.Path, f)
			}
			if !r.At(provider.StopEvent).Dies.IsZero() || r.At(provider.StopEvent).Says().Key != "keep.fate.unknown" {
				t.Errorf("%s %s", id, r.Place.Path)
			}
		}
	}
	rows := Table(TableParams{Survey: Survey{Places: []Place{s.Places[3]}}, Profile: profile(t, "autodl"), Now: noon})
	if f := fates(rows[0]); f != "? ? ? ? ?" {
		t.Error(f)
	}
	if s := Sentence(rows); s.Key != "keep.sentence.unknown" {
		t.Errorf("%+v", s)
	}
}

func TestNothingFoundIsNoPromise(t *testing.T) {
	empty := Place{Kind: Models, Path: "/root/models", Real: "/root/models", State: Seen, Mount: Mount{Point: "/", FS: "overlay"}}
	rows := Table(TableParams{Survey: Survey{Places: []Place{empty}}, Profile: profile(t, provider.GenericContainer), Now: noon})
	if s := Sentence(rows); s.Key != "keep.sentence.nothing" {
		t.Errorf("%+v", s)
	}
}

func TestDiesLater(t *testing.T) {
	s := Survey{Places: []Place{{Kind: Models, Path: "/hy-tmp/m", Real: "/hy-tmp/m", State: Seen, Mount: Mount{Point: "/hy-tmp", FS: "ext4"}, Newest: File{Path: "x"}}}}
	c := Table(TableParams{Survey: s, Profile: profile(t, "gpushare"), Now: noon})[0].At(provider.StopEvent)
	if !c.Dies.Equal(noon.Add(24*time.Hour)) || c.Says().Key != "keep.fate.dies_on" {
		t.Errorf("%+v", c)
	}
}

func codes(l []guide.Finding) (s []string) {
	for _, f := range l {
		s = append(s, f.Code)
	}
	return s
}

func TestFindings(t *testing.T) {
	p := TableParams{Survey: autodl(), Profile: profile(t, "autodl"), Now: noon}
	got := codes(Findings(p, Table(p)))
	if !slices.Equal(got, []string{"dies", "cache_system"}) {
		t.Error(got)
	}
	// RunPod: whatever isn't on /workspace is lost at every stop.
	p.Profile = profile(t, "runpod")
	p.Survey.Mounts[1].Point = "/workspace"
	p.Survey.Places = []Place{
		{Kind: Cache, Name: "HF_HOME", Path: "/root/hf", Real: "/root/hf", State: Seen, Mount: Mount{Point: "/", FS: "overlay"}},
		{Kind: Cache, Name: "TORCH_HOME", Default: true, Path: "/root/.cache/torch", State: None, Mount: Mount{Point: "/", FS: "overlay"}},
		{Kind: Extra, Path: "/workspace/none", State: None, Mount: Mount{Point: "/workspace", FS: "fuse"}},
	}
	p.Survey.Whole = false
	p.Survey.Configs = []Config{{File: "/a.yml", Ignored: true}, {File: "/b.yaml", Bad: true, Paths: []ExtraPath{{Tilde: true}}}}
	l := Findings(p, Table(p))
	want := []string{"cache_dies", "yml", "cut", "extra_missing", "cache_default_dies", "config_bad", "tilde"}
	if got := codes(l); !slices.Equal(got, want) {
		t.Error(got)
	}
	p.Survey.Mounts = nil
	l = append(l, Findings(p, nil)...)
	for _, lang := range texts.Langs() {
		c := texts.For(lang)
		for _, f := range l {
			if !c.Has(f.Says.Key) || !c.Has(f.Do.Key) || strings.ContainsAny(c.Say(f.Says)+c.Say(f.Do), "{}") {
				t.Errorf("%s %s: %q %q", lang, f.Code, c.Say(f.Says), c.Say(f.Do))
			}
		}
	}
}

func TestChangeOf(t *testing.T) {
	a := guide.Run{Boot: "b", PID1: "1", Instance: "i"}
	for _, c := range []struct {
		after guide.Run
		want  Change
	}{
		{a, NoChange},
		{guide.Run{Boot: "b", PID1: "2", Instance: "i"}, ContainerRestart},
		{guide.Run{Boot: "c", PID1: "1", Instance: "i"}, MachineRestart},
		{guide.Run{Boot: "c", PID1: "2", Instance: "j"}, OtherInstance},
		{guide.Run{Boot: "b"}, Unclear},
		{guide.Run{PID1: "1"}, Unclear},
		{guide.Run{Boot: "c"}, MachineRestart},
		{guide.Run{}, Unclear},
		{guide.Run{Boot: "b", PID1: "1", Driver: "other"}, NoChange},
	} {
		if got := ChangeOf(a, c.after); got != c.want {
			t.Errorf("%+v: %q, want %q", c.after, got, c.want)
		}
	}
}

func (h *host) restart(boot, pid1 string) {
	h.write("proc/sys/kernel/random/boot_id", boot+"\n")
	h.write("proc/1/stat", "1 (sh) S 0 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 "+pid1+" 100 1 1\n")
}

const boot1, boot2 = "01234567-89ab-cdef-0123-456789abcdef", "11111111-89ab-cdef-0123-456789abcdef"

func TestProof(t *testing.T) {
	for _, sh := range guidetest.Shells() {
		h := newHost(t, sh)
		sys := system{proc: h.proc, etc: h.etc}
		h.mkdir("disk/models")
		h.link(h.path("disk"), "root/link")
		h.mount(h.path("disk"), "xfs", "/dev/sdb")
		p, err := sys.mark(t.Context(), sh, h.path("root/link"), noon)
		if err != nil || p.Dir != h.path("disk") || p.Mount != h.path("disk") || p.Run.PID1 != "4711" || !p.Waiting() {
			t.Fatalf("%+v %v", p, err)
		}
		verify := func() Proof {
			t.Helper()
			q, err := sys.verify(t.Context(), sh, p, noon.Add(time.Hour))
			if err != nil {
				t.Fatal(err)
			}
			return q
		}
		if p = verify(); !p.Waiting() || p.Lost {
			t.Errorf("nothing was restarted: %+v", p)
		}
		h.restart(boot1, "9999")
		p = verify()
		if o, ok := p.Latest(); !ok || o.Change != ContainerRestart || !o.There || o.Badge().Key != "keep.badge.there.container" {
			t.Errorf("%+v", p)
		}
		if p = verify(); len(p.Outlived) != 1 {
			t.Errorf("the same restart was counted twice: %+v", p)
		}
		h.restart(boot2, "3")
		if p = verify(); len(p.Outlived) != 2 || p.Outlived[1].Change != MachineRestart {
			t.Errorf("%+v", p)
		}
		h.write("proc/sys/kernel/random/boot_id", "")
		if p = verify(); len(p.Outlived) != 2 || p.Lost {
			t.Errorf("an unclear change proves nothing: %+v", p)
		}
		h.restart(boot1, "5")
		if err := os.WriteFile(filepath.Join(p.Dir, p.File), []byte("another token\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		p = verify()
		if o, _ := p.Latest(); o.There || o.Change != MachineRestart || !p.Lost || o.Badge().Key != "keep.badge.gone.machine" {
			t.Errorf("%+v", p)
		}
		if again := verify(); len(again.Outlived) != 3 {
			t.Errorf("%+v", again)
		}
		if err := Unmark(t.Context(), sh, p); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(p.Dir, p.File)); err != nil {
			t.Error("a file that isn't ours was deleted")
		}
	}
}

func TestProofGoneWithoutARestart(t *testing.T) {
	h := newHost(t, guidetest.Shell{})
	sys := system{proc: h.proc, etc: h.etc}
	p, err := sys.mark(t.Context(), h.shell, h.home, noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := Unmark(t.Context(), h.shell, p); err != nil {
		t.Fatal(err)
	}
	if p, err = sys.verify(t.Context(), h.shell, p, noon); err != nil || !p.Lost || len(p.Outlived) != 0 {
		t.Errorf("%+v %v", p, err)
	}
}

func TestRefused(t *testing.T) {
	h := newHost(t, guidetest.Shell{})
	for _, dir := range []string{h.path("nowhere"), "relative", ""} {
		_, err := Mark(t.Context(), h.shell, dir, noon)
		var r *Refused
		if !errors.As(err, &r) || r.Code != "none" || !texts.For(texts.English).Has(r.Says().Key) {
			t.Errorf("%q: %v", dir, err)
		}
	}
	lost := guidetest.Shell{Before: func(guide.Exec) error { return guide.ErrOffline }}
	if _, err := Mark(t.Context(), lost, "/x", noon); !errors.Is(err, guide.ErrOffline) {
		t.Error(err)
	}
}

// TestProofInTheTable holds where a badge may stand, and when it contradicts.
func TestProofInTheTable(t *testing.T) {
	there := Outlived{Change: ContainerRestart, There: true}
	gone := Outlived{Change: MachineRestart}
	other := Outlived{Change: OtherInstance}
	p := TableParams{Survey: autodl(), Profile: profile(t, "autodl"), Now: noon}
	at := func(o Outlived, dir, mount string) Cell {
		p.Proofs = []Proof{{Dir: dir, Mount: mount, Outlived: []Outlived{o}}}
		return Table(p)[0].At(provider.Restart) // models on the data disk
	}
	if c := at(there, "/root/autodl-tmp", "/root/autodl-tmp"); len(c.Proved) != 1 || c.Against {
		t.Errorf("%+v", c)
	}
	if c := at(gone, "/root/autodl-tmp", "/root/autodl-tmp"); !c.Against {
		t.Errorf("%+v", c)
	}
	if c := at(other, "/root/autodl-tmp", "/root/autodl-tmp"); c.Against {
		t.Errorf("another instance says nothing about restarts: %+v", c)
	}
	for _, elsewhere := range []string{"/root/autodl-tmp/pictures", "/root"} {
		if c := at(there, elsewhere, "/root/autodl-tmp"); elsewhere != "/root" && len(c.Proved) != 0 {
			t.Errorf("%s proves nothing of its neighbours", elsewhere)
		}
	}
	if c := at(there, "/root", "/"); len(c.Proved) != 0 {
		t.Error("a marker on the system disk proves nothing of the data disk")
	}
	if got := codes(Findings(p, Table(p))); slices.Contains(got, "against_dies") {
		t.Error(got)
	}
	at(gone, "/root/autodl-tmp", "/root/autodl-tmp")
	if got := codes(Findings(p, Table(p))); !slices.Contains(got, "against_dies") {
		t.Error(got)
	}
}
