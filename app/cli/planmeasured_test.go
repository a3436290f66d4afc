package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rentgen/app/bill/offer"
	"rentgen/app/guide"
	"rentgen/app/guide/ledger"
	"rentgen/app/judge"
	"rentgen/app/judge/slow"
	"rentgen/app/plan"
	"rentgen/app/settings"
	"rentgen/app/workload"
	"rentgen/probe"
	"rentgen/store"
)

const measuredPlan = `days: 30
job: {model: sdxl, width: 1024, height: 1024, steps: 30}
use: {pattern: screen, days_per_week: 7, hours_per_sitting: 2, pictures: {per_day: 400}}
offers:
  - name: By the hour
    provider: autodl
    machine: container
    card: {name: RTX 4090}
    payment: {unit: hour, price: "1.88"}
`

// measuredHome is a home with a host of which a start, an hour at work and the rhythm
// of a log are kept, another host without anything, and a plan; log is the number of
// the log.
func measuredHome(t *testing.T) (home, file, log string) {
	t.Helper()
	home, seen := costHome(t)
	if r := runLine(t, home, "host", "add", "idlecard", "ssh root@192.0.2.8"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	file = filepath.Join(home, "plan.yaml")
	if err := os.WriteFile(file, []byte(measuredPlan), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := plan.Read([]byte(measuredPlan))
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), store.Params{Dir: settings.PathsIn(home).Database})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h, err := s.HostByName(t.Context(), "mycard")
	if err != nil {
		t.Fatal(err)
	}
	at := seen.Add(-time.Hour)
	rec, err := s.StartRecording(t.Context(), store.RecordingStart{HostID: h.ID, HostName: "mycard"})
	if err != nil {
		t.Fatal(err)
	}
	card := probe.Device{UUID: "u", Name: "NVIDIA GeForce RTX 4090", MemTotal: probe.Of(24564)}
	rec.Message(&probe.Inventory{Time: at, Mode: probe.ModeGPU, GPUs: []probe.Device{card}})
	for i := range 120 {
		g := probe.GPU{UUID: "u"}
		g.Set(probe.UtilGPU, probe.Of(99))
		rec.Message(&probe.Sample{Time: at.Add(time.Duration(i) * time.Second), HostTime: at, GPUs: []probe.GPU{g}})
	}
	if err := rec.Close("asked"); err != nil {
		t.Fatal(err)
	}
	logs, err := s.Recordings(t.Context(), store.Filter{})
	if err != nil || len(logs) != 1 {
		t.Fatalf("%d logs, %v", len(logs), err)
	}
	l := ledger.Ledger{Started: at, Job: workload.Load().Filled(p.Job).Key(), Card: "RTX 4090"}
	for stage, v := range map[ledger.Stage]float64{ledger.Boot: 50, ledger.Page: 10, ledger.Pull: 12, ledger.Load: 24, ledger.First: 31, ledger.Warm: 6.5} {
		l.Set(stage, v, ledger.Host, at.Add(time.Minute))
	}
	e, err := guide.NewEntry(guide.KindLedger, "1", at, l)
	if err != nil {
		t.Fatal(err)
	}
	chosen := guide.Entry{Kind: guide.KindTrack, Time: at, Body: []byte(`{"track":"shared","provider":"autodl"}`)}
	if err := s.SaveGuideEntries(t.Context(), h.ID, []guide.Entry{e, chosen}); err != nil {
		t.Fatal(err)
	}
	k := judge.Kept{Version: 1, To: seen, Phases: []judge.Phase{{
		Recording: logs[0].ID, Host: h.ID, Card: card.Name, GPU: "u", From: at, To: seen, Seconds: 3600,
		Stats: map[string]judge.Stat{slow.PictureKey: {N: 1, Mean: 9.25}},
	}}}
	if err := s.SaveJudged(t.Context(), logs[0].ID, k); err != nil {
		t.Fatal(err)
	}
	return home, file, "log 1"
}

// TestPlanMeasured: the plan goes to stdout with what was measured in place, and
// stderr says what that is, where and when it was measured and what it replaces.
func TestPlanMeasured(t *testing.T) {
	home, file, log := measuredHome(t)
	for _, lang := range []string{"en", "zh"} {
		r := runLine(t, home, "plan", "measured", file, "--lang", lang)
		if r.code != 0 {
			t.Fatalf("%+v", r)
		}
		p, err := plan.Read([]byte(r.out))
		if err != nil {
			t.Fatalf("%v\n%s", err, r.out)
		}
		boot := p.Offers[0].Terms[offer.BootWait]
		if len(p.Measured) != 1 || *p.Measured[0].SecondsPerPic != 6.5 || p.Measured[0].Source != log || boot.Value != "60.0" || boot.Mark != offer.Seen {
			t.Errorf("%+v, %+v", p.Measured, p.Offers[0].Terms)
		}
		want := []string{
			"RTX 4090: 6.5 s a picture, measured (log 1, ", "In place of the estimate of ", "By the hour: starting up takes 60\u2009s, measured at 1 start",
			"--unsure takes it:", "  RTX 4090: 9.25 s a picture, measured (log 1, ",
		}
		if lang == "zh" {
			want = []string{"实测每张图\u20096.5\u2009秒（监测记录\u20091，", "代替估算值", "--unsure", "9.25"}
		}
		for _, w := range want {
			if !strings.Contains(r.stderr, w) {
				t.Errorf("%s: %q isn't said:\n%s", lang, w, r.stderr)
			}
		}
	}
	// A made-up host has measured nothing, whatever is kept of it.
	st, err := store.Open(t.Context(), store.Params{Dir: settings.PathsIn(home).Database})
	if err != nil {
		t.Fatal(err)
	}
	real, err := st.HostByName(t.Context(), "mycard")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := st.GuideEntries(t.Context(), real.ID)
	if err != nil {
		t.Fatal(err)
	}
	made, err := st.SaveHost(t.Context(), store.Host{Name: "show", Line: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.SaveGuideEntries(t.Context(), made.ID, entries); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if r := runLine(t, home, "plan", "measured", file, "--host", "show"); !strings.Contains(r.stderr, "Nothing was measured") {
		t.Errorf("the demo measured something: %+v", r)
	}
	bare := runLine(t, home, "plan", "measured", file, "--host", "idlecard")
	if p, err := plan.Read([]byte(bare.out)); err != nil || len(p.Measured) > 0 || !strings.Contains(bare.stderr, "Nothing was measured") {
		t.Errorf("%v, %+v", err, bare)
	}
	twice := runLine(t, home, "plan", "measured", file)
	again := runWith(t.Context(), home, twice.out, "plan", "measured", "-")
	if again.out != twice.out || !strings.Contains(again.stderr, "Nothing was measured") {
		t.Errorf("a plan that has it changes once more:\n%s", again.stderr)
	}
	if bill := runWith(t.Context(), home, twice.out, "fit", "-", "--json"); !strings.Contains(bill.out, `"seconds_origin":"measured"`) {
		t.Errorf("fit takes it for an estimate: %s", bill.out)
	}
}

func TestPlanMeasuredJSON(t *testing.T) {
	home, file, log := measuredHome(t)
	m := fields(t, "plan measured", asJSON(t, runLine(t, home, "plan", "measured", file, "--json", "--host", "mycard")), "format", "text", "replaced", "left")
	made, left := list(t, "replaced", m["replaced"]), list(t, "left", m["left"])
	if len(made) < 4 || len(left) == 0 {
		t.Fatalf("%v, %v", made, left)
	}
	ids := map[any]bool{}
	for _, v := range append(made, left...) {
		c := fields(t, "change", v, "id", "kind", "offer", "host", "source", "date", "sure", "text")
		ids[c["id"]] = true
		if c["host"] != "mycard" {
			t.Errorf("%v", c)
		}
	}
	for _, id := range []string{"job/RTX 4090", "start.boot/By the hour", "start.load/By the hour", "pace/RTX 4090/" + log} {
		if !ids[id] {
			t.Errorf("%s is missing in %v", id, ids)
		}
	}
	all := asJSON(t, runLine(t, home, "plan", "measured", file, "--json", "--unsure"))
	p, err := plan.Read([]byte(all["text"].(string)))
	if err != nil || len(list(t, "left", all["left"])) > 0 || *p.Measured[0].SecondsPerPic != 9.25 {
		t.Errorf("%v, %v", err, all)
	}
}

func TestPlanMeasuredFaults(t *testing.T) {
	home, file, _ := measuredHome(t)
	for words, want := range map[string]string{
		"nosuch.yaml":                        "nosuch.yaml",
		file + " --host nobody@nowhere":      "--host",
		filepath.Join(home, "settings.json"): "",
	} {
		r := runLine(t, home, append([]string{"plan", "measured"}, strings.Split(words, " ")...)...)
		if r.code != ExitUsage || r.out != "" || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %+v", words, r)
		}
	}
	if r := runLine(t, t.TempDir(), "plan", "measured", file); r.code != 0 || r.out == "" {
		t.Errorf("without any history: %+v", r)
	}
	r := runLine(t, home, "__complete", "--", "plan", "measured", file, "--host", "")
	if !strings.HasPrefix(r.out, "idlecard\t") && !strings.Contains(r.out, "\nidlecard\t") {
		t.Errorf("hosts aren't offered: %q", r.out)
	}
}
