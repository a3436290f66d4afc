package store

import (
	"bytes"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rentgen/probe"
)

func TestHosts(t *testing.T) {
	s := open(t, t.TempDir())
	ctx := t.Context()
	h, err := s.SaveHost(ctx, Host{Name: " 4090 box ", Line: "ssh -p 2222 root@192.0.2.7", Options: map[string]string{"rate": "1"}})
	if err != nil || h.ID == "" || h.Name != "4090 box" || h.Created.IsZero() {
		t.Fatalf("%+v, %v", h, err)
	}
	h.Line = "ssh -p 2223 root@192.0.2.7"
	if _, err := s.SaveHost(ctx, h); err != nil {
		t.Fatal(err)
	}
	got, err := s.HostByName(ctx, "4090 BOX")
	if err != nil || got.Line != h.Line || got.Options["rate"] != "1" || got.ID != h.ID {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := s.SaveHost(ctx, Host{Name: "4090 Box", Line: "local"}); !errors.Is(err, ErrNameTaken) {
		t.Errorf("same name: %v", err)
	}
	if _, err := s.HostByName(ctx, "other"); !errors.Is(err, ErrNotFound) {
		t.Errorf("other: %v", err)
	}
	for why, bad := range map[string]Host{
		"empty":    {Name: "  ", Line: "local"},
		"too-long": {Name: strings.Repeat("名", 81), Line: "local"},
		"control":  {Name: "a\x1b[2J", Line: "local"},
		"secret":   {Name: "p", Line: "sshpass -p hunter2 ssh root@192.0.2.7"},
		"secret ":  {Name: "p", Line: "ssh://root:hunter2@192.0.2.7"},
		"secret  ": {Name: "p", Line: "local", Options: map[string]string{"Password": "hunter2"}},
	} {
		var in *InputError
		if _, err := s.SaveHost(ctx, bad); !errors.As(err, &in) || in.Why != strings.TrimSpace(why) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", why, err)
		}
	}
	for _, fine := range []string{"ssh -J a@h1:22,b@h2 root@h3", "ssh root@[2001:db8::1]", `ssh -i C:\keys\id root@h`, "root@h:2222"} {
		if _, err := s.SaveHost(ctx, Host{Name: fine, Line: fine}); err != nil {
			t.Errorf("%q: %v", fine, err)
		}
	}
	if err := s.ForgetHost(ctx, h.ID, false); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Hosts(ctx); err != nil || len(list) != 4 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestForgettingAndDeletingGivesTheSpaceBack(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	ctx := t.Context()
	r := record(t, s, hourZero, 3*3600)
	if err := s.DeleteRecording(ctx, r.ID()); !errors.Is(err, ErrStillRecording) {
		t.Errorf("deleted while recording: %v", err)
	}
	if err := s.ForgetHost(ctx, "h1", true); !errors.Is(err, ErrStillRecording) {
		t.Errorf("forgotten while recording: %v", err)
	}
	if err := r.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	keep := record(t, s, hourZero.Add(5*time.Hour), 10)
	if err := keep.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteRecording(ctx, r.ID()); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Recordings(ctx, Filter{}); err != nil || len(list) != 1 || list[0].ID != keep.ID() {
		t.Errorf("%v, %v", list, err)
	}
	if err := s.back.(*owner).tidy(ctx); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{
		"SELECT count(*) FROM chunks WHERE recording=?", "SELECT count(*) FROM tracks WHERE recording=?", "SELECT count(*) FROM recordings WHERE id=?",
		"SELECT count(*) FROM runs WHERE recording=?", "SELECT count(*) FROM chunk_runs WHERE recording=?",
	} {
		if n := count(t, s, query, r.ID()); n != 0 {
			t.Errorf("%s: %d", query, n)
		}
	}
	if n := count(t, s, "PRAGMA freelist_count"); n != 0 {
		t.Errorf("%d free pages", n)
	}
	if n := count(t, s, "SELECT count(*) FROM hours"); n != 3 {
		t.Errorf("%d hours left, want those of the other recording", n)
	}
	if err := s.DeleteRecording(ctx, r.ID()); !errors.Is(err, ErrNotFound) {
		t.Errorf("deleted twice: %v", err)
	}
	if err := s.ForgetHost(ctx, "h1", true); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Recordings(ctx, Filter{}); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestRetentionLeavesTheCoarserTiers(t *testing.T) {
	now := hourZero.Add(100 * time.Hour)
	s, err := Open(t.Context(), Params{Dir: t.TempDir(), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := record(t, s, hourZero, 3*3600)
	if err := r.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	before, err := s.Cost(t.Context(), DefaultRetention)
	if err != nil || !before.Measured || before.Seconds == 0 || before.PerDay == 0 {
		t.Errorf("cost %+v, %v", before, err)
	}
	for _, bad := range []Retention{{Seconds: -1}, {Seconds: 0, Minutes: time.Hour}, {Seconds: 2 * time.Hour, Minutes: time.Hour}} {
		if err := s.SetRetention(t.Context(), bad); err == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
	shift := 98 * time.Hour // only the third hour keeps its seconds
	if err := s.SetRetention(t.Context(), Retention{Seconds: shift, Minutes: 99 * time.Hour}); err != nil {
		t.Fatal(err)
	}
	if err := s.back.(*owner).tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := [][2]int64{{0, 0}, {0, 1}, {1, 1}} // seconds, minutes
	for i, w := range want {
		n := count(t, s, "SELECT count(*) FROM chunks WHERE hour=? AND (seconds>0)=? AND (minutes>0)=? AND hours>0", hourOf(hourZero.Unix())+int64(i), w[0], w[1])
		if n != 1 {
			t.Errorf("hour %d does not hold what it should", i)
		}
	}
	out := query(t, s, Query{Recording: r.ID(), GPU: cardA, Metric: probe.Power, Points: 100_000})
	if out.Tier != TierSeconds || len(out.Points) != 1+60+3600 {
		t.Errorf("%d points of %s", len(out.Points), out.Tier)
	}
	n := 0
	for _, p := range out.Points {
		n += p.N
	}
	if n != 3*3600 {
		t.Errorf("%d seconds behind the points", n)
	}
	var b bytes.Buffer
	if err := s.ExportCSV(t.Context(), &b, r.ID(), time.Time{}, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(b.String(), "\r\n"); lines != 1+2*(1+60+3600) {
		t.Errorf("%d lines", lines)
	}
}

func TestExportCSV(t *testing.T) {
	s := open(t, t.TempDir())
	r, err := s.StartRecording(t.Context(), RecordingStart{HostID: "h1"})
	if err != nil {
		t.Fatal(err)
	}
	inv := inventory()
	inv.GPUs[0].Name = `=HYPERLINK("http://192.0.2.1","a, b")`
	r.Message(inv)
	for i := range 120 {
		r.Message(tick(uint64(i+1), hourZero.Add(time.Duration(i)*time.Second), 12))
	}
	flushNow(t, s) // the open hour is exported as well
	var b bytes.Buffer
	if err := s.ExportCSV(t.Context(), &b, r.ID(), hourZero.Add(10*time.Second), hourZero.Add(20*time.Second)); err != nil {
		t.Fatal(err)
	}
	text, ok := strings.CutPrefix(b.String(), "\ufeff")
	if !ok || strings.Contains(strings.ReplaceAll(text, "\r\n", ""), "\n") {
		t.Error("no byte order mark, or bare line ends")
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 1+20 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	col := map[string]int{}
	for i, key := range rows[0] {
		col[key] = i
	}
	for _, m := range append(probe.GPUMetrics(), probe.SystemMetrics()...) {
		if _, ok := col[m.String()]; !ok {
			t.Errorf("no column %s", m)
		}
	}
	first := rows[1]
	for key, want := range map[string]string{
		"time": "2026-03-01T10:00:10Z", "width_s": "1", "index": "0", "uuid": cardA, "util_pct": "12", "power_w": "212",
		"temp_mem_c": "", "event_reasons": "0x0000000000000004", "disk_read_mb_s": "12.3", "cpu_pct": "6", "ram_used_mib": "",
		"name": `'=HYPERLINK("http://192.0.2.1","a, b")`,
	} {
		if got := first[col[key]]; got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	states := first[col["states"]]
	for _, want := range []string{"temp_mem_c=denied (Insufficient Permissions)", "util_enc_pct=unsupported ([N/A])", "ram_used_mib=pending"} {
		if !strings.Contains(states, want) {
			t.Errorf("states %q lack %q", states, want)
		}
	}
	if err := s.ExportCSV(t.Context(), &b, 999, time.Time{}, time.Time{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown recording: %v", err)
	}
}

func TestHostQueryGoesOverItsRecordings(t *testing.T) {
	s := open(t, t.TempDir())
	for i := range 3 {
		r := record(t, s, hourZero.Add(time.Duration(i)*20*time.Minute), 600)
		r.Message(&probe.Event{Time: hourZero.Add(time.Duration(i)*20*time.Minute + time.Minute), GPU: cardB, Kind: probe.EventXid, Code: 79, Raw: "Xid"})
		r.Message(&probe.Gap{From: hourZero.Add(time.Duration(i) * time.Hour), To: hourZero.Add(time.Duration(i)*time.Hour + time.Minute), Reason: probe.GapHost})
		if err := r.Close("stopped"); err != nil {
			t.Fatal(err)
		}
	}
	demo, err := s.StartRecording(t.Context(), RecordingStart{HostID: "demo", Demo: true})
	if err != nil {
		t.Fatal(err)
	}
	demo.Message(tick(1, hourZero, 99))
	if err := demo.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	out := query(t, s, Query{Host: "h1", GPU: cardA, Metric: probe.Power, Points: 3600})
	if len(out.Points) != 1800 {
		t.Errorf("%d points", len(out.Points))
	}
	if events, err := s.Events(t.Context(), Span{Host: "h1", GPU: cardB, From: hourZero.Add(10 * time.Minute)}); err != nil || len(events) != 2 || events[0].Code != 79 {
		t.Errorf("%v, %v", events, err)
	}
	if events, err := s.Events(t.Context(), Span{Host: "h1", GPU: cardA}); err != nil || len(events) != 0 {
		t.Errorf("%v, %v", events, err)
	}
	if gaps, err := s.Gaps(t.Context(), Span{Host: "h1", GPU: cardA, To: hourZero.Add(2 * time.Hour)}); err != nil || len(gaps) != 2 {
		t.Errorf("%v, %v", gaps, err)
	}
	list, err := s.Recordings(t.Context(), Filter{NoDemo: true})
	if err != nil || len(list) != 3 {
		t.Errorf("%d, %v", len(list), err)
	}
	list, err = s.Recordings(t.Context(), Filter{Host: "demo"})
	if err != nil || len(list) != 1 || !list[0].Demo || len(list[0].Devices) != 2 { // cards no inventory named
		t.Errorf("%v, %v", list, err)
	}
	z, err := s.Size(t.Context())
	if err != nil || z.Demo == 0 || z.CardSeconds != 3*2*600 {
		t.Errorf("%+v, %v", z, err)
	}
}

func TestNoSecretReachesTheDisk(t *testing.T) {
	const canary = "canary-hunter2"
	dir := t.TempDir()
	s := open(t, dir)
	for _, h := range []Host{
		{Name: "a", Line: "sshpass -p " + canary + " ssh root@192.0.2.7"},
		{Name: "b", Line: "ssh root:" + canary + "@192.0.2.7"},
		{Name: "c", Line: "ssh root@192.0.2.7", Options: map[string]string{"passphrase": canary}},
	} {
		if _, err := s.SaveHost(t.Context(), h); err == nil {
			t.Errorf("%s was saved", h.Name)
		}
	}
	flushNow(t, s)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, name := range files {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte(canary)) {
			t.Errorf("%s holds the canary", name)
		}
		if info, _ := os.Stat(name); info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s may be read by others: %v", name, info.Mode())
		}
	}
}
