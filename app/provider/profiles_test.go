package provider

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"rentgen/assets/providers"
	"rentgen/assets/texts"
)

// TestProfileFiles reads every file that ships: each fact has a source, a date
// and a mark, each event is one of the five (readProfiles checks both).
func TestProfileFiles(t *testing.T) {
	all, err := readProfiles(providers.Profiles, "profiles")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, p := range all {
		ids = append(ids, p.ID)
		for _, d := range p.Dirs {
			for e, s := range d.Events {
				if s.Source == "" || s.Date == "" || s.Mark == "" || !slices.Contains(Events(), e) {
					t.Errorf("%s: %s %s: %+v", p.ID, d.Path, e, s)
				}
			}
		}
	}
	want := []string{
		"aliyun", "autodl", "featurize", "gitee", "gpufree", "gpushare", "huawei", "lambda", "lanrui", "matpool", "runpod",
		"spacehpc", "tencent", "vast", "generic-container", "generic-vm",
	}
	if !slices.Equal(ids, want) {
		t.Errorf("profiles %v", ids)
	}
	if _, ok := ProfileOf("nobody"); ok {
		t.Error("an unknown profile was found")
	}
}

func TestProfileTexts(t *testing.T) {
	check := func(id string, m map[texts.Lang]string) {
		for _, s := range m {
			if strings.ContainsAny(s, "!！") {
				t.Errorf("%s: %q", id, s)
			}
		}
		zh := []rune(m[texts.Chinese])
		for i, r := range zh {
			if strings.ContainsRune(",;?:()", r) && (i > 0 && unicode.Is(unicode.Han, zh[i-1]) || i+1 < len(zh) && unicode.Is(unicode.Han, zh[i+1])) {
				t.Errorf("%s: half-width %q in %q", id, r, string(zh))
			}
		}
	}
	for _, p := range Profiles() {
		check(p.ID, p.Name)
		for _, d := range p.Dirs {
			check(p.ID, d.Name)
			for _, s := range d.Events {
				check(p.ID, s.Note)
			}
		}
		for _, v := range p.Verbs {
			check(p.ID, v.Name)
			check(p.ID, v.Note)
		}
		for _, s := range p.Services {
			check(p.ID, s.Name)
		}
		for k, r := range p.Remedies {
			check(p.ID, r.Text)
			if key := "check." + strings.Replace(k, "/", ".", 1); !texts.For(texts.English).Has(key) {
				t.Errorf("%s: no check finds %s", p.ID, k)
			}
		}
	}
}

// TestAutoDL holds what the issue of survival turns on.
func TestAutoDL(t *testing.T) {
	p, ok := ProfileOf("autodl")
	if !ok {
		t.Fatal("no profile")
	}
	fate := func(file, mount string, e Event) Fate {
		d, _ := p.DirOf(file, mount, "xfs")
		return d.Events[e].Fate
	}
	for _, c := range []struct {
		file, mount string
		event       Event
		want        Fate
	}{
		{"/root/.cache", "/", StopEvent, Lives},
		{"/root/.cache", "/", SaveImage, Lives},
		{"/root/.cache", "/", ChangeImage, Dies},
		{"/root/.cache", "/", Release, Dies},
		{"/root/autodl-tmp/models", "/root/autodl-tmp", StopEvent, Lives},
		{"/root/autodl-tmp/models", "/root/autodl-tmp", SaveImage, Dies},
		{"/root/autodl-tmp/models", "/root/autodl-tmp", Release, Dies},
		{"/root/autodl-tmp", "/", SaveImage, Lives}, // no data disk there: it is a folder of the system disk
		{"/root/autodl-tmp2", "/", SaveImage, Lives},
		{"/root/autodl-fs/x", "/root/autodl-fs", Release, Lives},
		{"/mnt/other", "/mnt/other", StopEvent, FateUnknown},
	} {
		if got := fate(c.file, c.mount, c.event); got != c.want {
			t.Errorf("%s on %s, %s: %q, want %q", c.file, c.mount, c.event, got, c.want)
		}
	}
	if h, term, ok := p.TermHours("release_after_stopped_h"); !ok || h != 360 || term.Source == "" {
		t.Error(h, term, ok)
	}
	if p.Verbs[VerbStop].NameIn(texts.Chinese) != "关机" {
		t.Error(p.Verbs)
	}
}

func TestHoursComeFromTheRules(t *testing.T) {
	p, _ := ProfileOf("gpushare")
	d, ok := p.DirOf("/hy-tmp/a", "/hy-tmp", "ext4")
	if s := d.Events[StopEvent]; !ok || s.Fate != Dies || s.Hours != 24 {
		t.Errorf("%+v", d)
	}
}

func TestDirOfFolders(t *testing.T) {
	gitee, _ := ProfileOf("gitee")
	if d, _ := gitee.DirOf("/root/ComfyUI", "/", "overlay"); d.Path != "/root" {
		t.Error(d.Path, "the page speaks of a folder, mounted or not")
	}
	runpod, _ := ProfileOf("runpod")
	if d, _ := runpod.DirOf("/workspace/x", "/", "overlay"); d.Path != "/" {
		t.Error(d.Path, "/workspace that is no mount is the container disk")
	}
	any, _ := ProfileOf(GenericContainer)
	if d, _ := any.DirOf("/dev/shm/x", "/dev/shm", "tmpfs"); d.Path != InRAM {
		t.Error(d.Path)
	}
	if d, _ := any.DirOf("/data/x", "/data", "nfs4"); d.Path != AnyMount {
		t.Error(d.Path)
	}
}

func TestGuessProfile(t *testing.T) {
	for _, c := range []struct {
		host    string
		markers []string
		want    string
	}{
		{"connect.westb.seetacloud.com", nil, "autodl"},
		{"Connect.BJB1.seetacloud.com.", nil, "autodl"},
		{"ssh4.vast.ai", nil, "vast"},
		{"vast.ai.example.com", nil, ""},
		{"seetacloud.com", nil, ""},
		{"192.0.2.7", []string{"/root/autodl-tmp"}, "autodl"},
		{"192.0.2.7", []string{"AutoDLContainerUUID"}, "autodl"},
		{"ssh4.vast.ai", []string{"/hy-tmp", "/hy-nas"}, "gpushare"},
		{"ssh4.vast.ai", []string{"/hy-tmp", "/root/autodl-tmp"}, "vast"},
		{"", nil, ""},
		{"i-1.gpushare.com", []string{"/nothing"}, "gpushare"},
	} {
		if id, ok := GuessProfile(c.host, c.markers); id != c.want || ok != (c.want != "") {
			t.Errorf("%s %v: %q %v, want %q", c.host, c.markers, id, ok, c.want)
		}
	}
	if !slices.Contains(Markers(), "RUNPOD_POD_ID") {
		t.Error(Markers())
	}
}

const goodProfile = `id: gpushare
name: {en: X, zh: 某}
kind: shared
hosts: ["*.example.com"]
markers: [/x]
seen: {source: page, date: undated, mark: provider}
dirs:
  - path: /x
    holds: data
    name: {en: x, zh: 某}
    source: page
    date: 2026-01
    mark: provider
    events:
      stop: {fate: dies, term: wipe_after_stopped_h, source: p, date: undated, mark: provider}
      release: {fate: depends, source: p, date: undated, mark: provider, note: {en: a, zh: 甲}}
services:
  - {port: 6006, outside: public, name: {en: a, zh: 甲}, source: p, date: undated, mark: provider}
verbs:
  stop: {name: {en: a, zh: 甲}, source: p, date: undated, mark: provider}
`

// TestBadProfilesAreErrors breaks a good profile in each way.
func TestBadProfilesAreErrors(t *testing.T) {
	if _, err := parseProfile([]byte(goodProfile)); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{"id: gpushare", "id: ''"},
		{"id: gpushare", "id: nobody"},
		{"id: gpushare", "id: generic-thing"},
		{"id: gpushare", "id: autodl"}, // has no such term
		{"zh: 某}\nkind", "zh: ''}\nkind"},
		{"kind: shared", "kind: public"},
		{"kind: shared", "kind: shared\nprice: 3"},
		{`"*.example.com"`, `"*.*.com"`},
		{`"*.example.com"`, `"*.com"`},
		{"seen: {source: page, date: undated, mark: provider}\n", ""},
		{"path: /x", "path: x"},
		{"path: /x", "path: /x/"},
		{"holds: data", "holds: everything"},
		{"    source: page\n", ""},
		{"date: 2026-01", "date: lately"},
		{"    mark: provider\n    events", "    mark: rumour\n    events"},
		{"stop: {fate", "halt: {fate"},
		{"fate: dies", "fate: unknown"},
		{"fate: dies", "fate: dies, hours: 24"},
		{", note: {en: a, zh: 甲}", ""},
		{", note: {en: a, zh: 甲}", ", note: {en: a}"},
		{"port: 6006", "port: 66006"},
		{"outside: public", "outside: yes"},
		{"verbs:\n  stop", "verbs:\n  halt"},
		{"verbs:", "---\nverbs:"},
		{goodProfile, "{"},
	} {
		s := strings.Replace(goodProfile, c[0], c[1], 1)
		if s == goodProfile {
			t.Errorf("%q is not there", c[0])
		}
		if _, err := parseProfile([]byte(s)); err == nil {
			t.Errorf("%q instead of %q was taken", c[1], c[0])
		}
	}
	if _, err := readProfiles(fstest.MapFS{"y.yaml": {Data: []byte(goodProfile)}}, "."); err == nil {
		t.Error("a profile was taken under another id")
	}
}

// TestStopCommands holds where the stop guard may act, and that each such rule
// stands on one that says that billing ends.
func TestStopCommands(t *testing.T) {
	got := map[string]string{}
	for _, p := range Profiles() {
		if p.StopCommand != nil {
			got[p.ID] = p.StopCommand.Action
		}
	}
	if want := map[string]string{"autodl": "shutdown", "runpod": "runpodctl"}; !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
	good := strings.Replace(goodProfile, "id: gpushare", "id: autodl", 1)
	good = strings.Replace(good, "term: wipe_after_stopped_h, ", "", 1) +
		"stop_command: {action: shutdown, term: guest_shutdown_stops_billing, is: \"true\", source: p, date: undated, mark: provider}\n"
	if p, err := parseProfile([]byte(good)); err != nil || p.StopCommand == nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{"action: shutdown", "action: poweroff"},
		{"term: guest_shutdown_stops_billing", "term: nothing"},
		{"is: \"true\"", "is: \"false\""},
		{"is: \"true\", source: p", "is: \"true\""},
		{"id: autodl", "id: tencent"}, // whose rule says that it does not
	} {
		if _, err := parseProfile([]byte(strings.Replace(good, c[0], c[1], 1))); err == nil {
			t.Errorf("%s passes", c[1])
		}
	}
}
