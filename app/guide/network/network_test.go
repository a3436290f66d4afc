package network

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/check"
	"rentgen/app/guide/guidetest"
	"rentgen/app/guide/script"
	"rentgen/assets/texts"
)

// saysAll holds that a phrase can be said in both languages, and returns it in
// English.
func saysAll(t *testing.T, p texts.Phrase) string {
	t.Helper()
	for _, l := range texts.Langs() {
		c := texts.For(l)
		if !c.Has(p.Key) || strings.Contains(c.Say(p), "{") {
			t.Errorf("%s in %s: %q", p.Key, l, c.Say(p))
		}
	}
	return texts.For(texts.English).Say(p)
}

func TestTable(t *testing.T) {
	if len(Sources()) < 8 {
		t.Errorf("%d sources", len(Sources()))
	}
	for _, s := range Sources() {
		if s.NameIn(texts.Chinese) == "" || s.NameIn("de") != s.Name[texts.English] {
			t.Errorf("%s has no name", s.ID)
		}
	}
	for name, bad := range map[string]string{
		"unknown key": "- {id: a, name: {en: A, zh: A}, holds: [x], url: 'https://a.example/', source: s, date: d, speed: 3}",
		"twice":       "- {id: a, name: {en: A, zh: A}, holds: [x], own: true}\n- {id: a, name: {en: A, zh: A}, holds: [x], own: true}",
		"no Chinese":  "- {id: a, name: {en: A}, holds: [x], own: true}",
		"no address":  "- {id: a, name: {en: A, zh: A}, holds: [x]}",
		"both":        "- {id: a, name: {en: A, zh: A}, holds: [x], own: true, url: 'https://a.example/'}",
		"no source":   "- {id: a, name: {en: A, zh: A}, holds: [x], url: 'https://a.example/'}",
		"no http":     "- {id: a, name: {en: A, zh: A}, holds: [x], url: 'ftp://a.example/', source: s, date: d}",
	} {
		if _, err := readSources([]byte(bad)); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

func TestAnswers(t *testing.T) {
	every := Answer{}.Probes()
	with := 0
	for _, s := range Sources() {
		if s.URL != "" {
			with++
		}
	}
	if len(every) != with {
		t.Errorf("an empty answer asks %d of %d", len(every), with)
	}
	a := Answer{Sources: []string{"github", "storage"}, Own: []string{"https://bucket.oss-cn-beijing-internal.aliyuncs.com/m.bin"}}
	if err := a.Check(); err != nil {
		t.Fatal(err)
	}
	p := a.Probes()
	if len(p) != 2 || p[0].Source != "github" || p[1].Source != "" || p[1].URL != a.Own[0] {
		t.Errorf("probes %+v", p)
	}
	for _, bad := range []Answer{{Sources: []string{"nowhere"}}, {Own: []string{"file:///etc/passwd"}}, {Own: []string{"https://me:secret@a.example/"}}, {Own: []string{"https://a.example/ -o /etc/x"}}, {Own: []string{"https:///x"}}} {
		if bad.Check() == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

func TestLatency(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	gaps := 0
	p := LatencyParams{Addr: l.Addr().String(), N: 4, Wait: func(context.Context, time.Duration) error { gaps++; return nil }}
	got, err := Measure(t.Context(), p)
	if err != nil || len(got.Times) != 4 || got.Failed != 0 || gaps != 3 {
		t.Fatalf("%+v, %d gaps, %v", got, gaps, err)
	}
	if _, ok := got.Median(); !ok {
		t.Error("no median")
	}
	// The clock is ours: times are known.
	clock := []int{0, 10, 0, 30, 0, 20, 0, 40}
	i := 0
	p.Now = func() time.Time { i++; return time.UnixMilli(int64(clock[i-1])) }
	got, err = Measure(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	low, _ := got.Min()
	median, _ := got.Median()
	jitter, _ := got.Jitter()
	if low != 10*time.Millisecond || median != 25*time.Millisecond || jitter.Round(time.Millisecond) != 17*time.Millisecond {
		t.Errorf("min %v, median %v, jitter %v", low, median, jitter)
	}
	if s := saysAll(t, got.Says()); !strings.Contains(s, "25") {
		t.Errorf("says %q", s)
	}
	if pt := FromLatency(got, time.UnixMilli(5)); pt.Value == nil || *pt.Value != 25 || pt.Verdict != guide.Pass {
		t.Errorf("point %+v", pt)
	}
}

func TestLatencyThatFails(t *testing.T) {
	n := 0
	p := LatencyParams{Addr: "203.0.113.5:22", N: 3, Wait: func(context.Context, time.Duration) error { return nil }}
	p.Dial = func(context.Context, string, string) (net.Conn, error) {
		if n++; n == 2 {
			a, _ := net.Pipe()
			return a, nil
		}
		return nil, errors.New("refused")
	}
	l, err := Measure(t.Context(), p)
	if err != nil || l.Failed != 2 || len(l.Times) != 1 || l.Why == nil {
		t.Errorf("%+v, %v", l, err)
	}
	if _, ok := l.Jitter(); ok {
		t.Error("a jitter of one time")
	}
	if saysAll(t, l.Says()) == "" || FromLatency(l, time.Time{}).Why != "gaps" {
		t.Errorf("%+v", FromLatency(l, time.Time{}))
	}
	saysAll(t, Latency{Times: []time.Duration{time.Second}}.Says())
	if (Latency{}).Says().Key != "network.latency.none" || FromLatency(Latency{}, time.Time{}).Value != nil {
		t.Error("nothing measured is told as something")
	}
	ctx, cancel := context.WithCancel(t.Context())
	p.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) { cancel(); return nil, ctx.Err() }
	if _, err := Measure(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := Measure(t.Context(), LatencyParams{Addr: "no port"}); err == nil {
		t.Error("an address without a port")
	}
}

// TestReach asks real servers with the real curl, over the shell of this machine.
func TestReach(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("no curl here")
	}
	paths := make(chan string, 16)
	mux := http.NewServeMux()
	mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, strings.Repeat("x", 5000)) })
	mux.HandleFunc("/gone", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) })
	mux.HandleFunc("/gpt2/", func(w http.ResponseWriter, r *http.Request) { paths <- r.URL.Path; io.WriteString(w, "{}") })
	mux.HandleFunc("/simple/pip/", func(w http.ResponseWriter, r *http.Request) { paths <- r.URL.Path; io.WriteString(w, "{}") })
	s := httptest.NewServer(mux)
	defer s.Close()
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)+"/file", http.StatusFound)
	})
	closed := httptest.NewServer(nil)
	closed.Close()
	probes := []Probe{
		{Source: "a", URL: s.URL + "/file", Env: "HF_ENDPOINT"},
		{Source: "b", URL: s.URL + "/gone"},
		{Source: "c", URL: closed.URL, Env: "PIP_INDEX_URL"},
		{URL: s.URL + "/away"},
	}
	// The computer's own pip takes seconds, and may have an index of its own.
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "pip"), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, sh := range guidetest.Shells() {
		t.Run(strings.Join(sh.Command, " "), func(t *testing.T) { reachOver(t, sh, bin, s.URL, probes, paths) })
	}
}

func reachOver(t *testing.T, shell guidetest.Shell, bin, server string, probes []Probe, paths chan string) {
	shell.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "SHELL=/bin/sh", "HF_ENDPOINT=" + server + "/", "PIP_INDEX_URL=" + server + "/simple", "no_proxy=*", "https_proxy=http://me:secret@127.0.0.1:9"}
	w, err := Reach(t.Context(), shell, probes)
	if err != nil || !w.Whole {
		t.Fatalf("%v, whole %t", err, w.Whole)
	}
	var got []string
	for _, r := range w.Places {
		got = append(got, fmt.Sprintf("%s used=%t %s>%s %d %q %s", r.Source, r.Used, r.Asked, r.Host, r.Code, r.Fault, r.Verdict))
		saysAll(t, r.Says())
	}
	want := []string{
		`a used=false 127.0.0.1>127.0.0.1 200 "" pass`, `a used=true 127.0.0.1>127.0.0.1 200 "" pass`, `b used=false 127.0.0.1>127.0.0.1 403 "" warn`,
		`c used=false 127.0.0.1>127.0.0.1 0 "connect" warn`, `c used=true 127.0.0.1>127.0.0.1 200 "" pass`, ` used=false 127.0.0.1>localhost 200 "" pass`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if w.Places[0].Size != 5000 || w.Places[0].First == nil || w.Places[0].IP != "127.0.0.1" {
		t.Errorf("%+v", w.Places[0])
	}
	asked := map[string]bool{<-paths: true, <-paths: true}
	if !asked["/gpt2/resolve/main/config.json"] || !asked["/simple/pip/"] {
		t.Errorf("the variables led to %v", asked)
	}
	if w.Vars["https_proxy"] != "http://127.0.0.1:9" {
		t.Errorf("a password stays in %q", w.Vars["https_proxy"])
	}
	if s := saysAll(t, w.Says()); !strings.Contains(s, "4 of 6") {
		t.Errorf("says %q", s)
	}
	saysAll(t, Ways{}.Says())
}

// TestNoToolIsNoFailure runs where neither curl nor wget is.
func TestNoToolIsNoFailure(t *testing.T) {
	bin := t.TempDir()
	for _, tool := range []string{"od", "tr", "grep", "head", "sed", "env", "cat", "tail"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Skip(err)
		}
		if err := os.Symlink(path, bin+"/"+tool); err != nil {
			t.Fatal(err)
		}
	}
	w, err := Reach(t.Context(), guidetest.Shell{Env: []string{"PATH=" + bin, "HOME=" + t.TempDir(), "SHELL=/bin/sh"}}, []Probe{{Source: "a", URL: "http://203.0.113.5/"}})
	if err != nil || len(w.Places) != 1 || w.Places[0].Fault != "tool" || w.Places[0].Verdict != guide.Warn {
		t.Fatalf("%+v, %v", w, err)
	}
	saysAll(t, w.Places[0].Says())
	saysAll(t, w.Says())
}

func TestOffline(t *testing.T) {
	r := guidetest.Shell{Before: func(guide.Exec) error { return guide.ErrOffline }}
	if w, err := Reach(t.Context(), r, Answer{}.Probes()); !errors.Is(err, guide.ErrOffline) || w.Whole || len(w.Places) != 0 {
		t.Errorf("%+v, %v", w, err)
	}
}

func TestFaultsByStage(t *testing.T) {
	for numbers, want := range map[string]string{
		"000 0.000000 0.000000 0.000000 0.000000 0.012000 0 0  https://a.example/":               "dns",
		"000 0.004000 0.000000 0.000000 0.000000 0.012000 0 0  https://a.example/":               "connect",
		"000 0.004000 0.000000 0.000000 0.000000 6.001000 0 0  https://a.example/":               "timeout",
		"000 0.004000 0.031000 0.000000 0.000000 0.090000 0 0 203.0.113.9 https://a.example/":    "tls",
		"000 0.004000 0.031000 0.100000 0.000000 12.001000 0 0 203.0.113.9 https://a.example/":   "timeout",
		"200 0.004000 0.031000 0.100000 0.200000 12.001000 9 100 203.0.113.9 https://a.example/": "",
		"": "unknown", "nonsense": "unknown",
	} {
		rc := "7"
		if strings.HasPrefix(numbers, "2") {
			rc = "0"
		}
		r := readPlace(script.Record{Fields: []string{"0", rc, "", "https://a.example/", numbers}}, Probe{URL: "https://a.example/"})
		if r.Fault != want || want != "" && r.Verdict == guide.Pass {
			t.Errorf("%q is %q (%s), want %q", numbers, r.Fault, r.Verdict, want)
		}
		saysAll(t, r.Says())
	}
	inside := readPlace(script.Record{Fields: []string{"0", "0", "", "https://a.example/", "200 0.004 0.031 0.100 0.200 0.300 9 100 100.118.1.2 https://a.example/"}}, Probe{})
	if s := saysAll(t, inside.Says()); !strings.Contains(s, "private") {
		t.Errorf("says %q", s)
	}
	used := readPlace(script.Record{Fields: []string{"0", "7", "HF_ENDPOINT", "https://a.example/", "000 0 0 0 0 0.012000 0 0  https://a.example/"}}, Probe{})
	if used.Verdict != guide.Fail {
		t.Errorf("what programs use can't be reached: %s", used.Verdict)
	}
}

func TestSeries(t *testing.T) {
	var entries []guide.Entry
	for i, v := range []float64{12, 14, 11, 13, 40} {
		p := Point{What: Ping, Time: time.UnixMilli(int64(1000 * (i + 1))), Value: &v, Verdict: guide.Pass}
		e, err := p.Entry()
		if err != nil {
			t.Fatal(err)
		}
		entries = append([]guide.Entry{e}, entries...)
	}
	entries = append(entries,
		guide.Entry{Kind: guide.KindNet, Key: "ping/zzz", Body: json.RawMessage(`{}`)}, guide.Entry{Kind: guide.KindNet, Key: "ping/9000", Body: json.RawMessage(`{"value":-1}`)},
		guide.Entry{Kind: guide.KindNet, Key: "ping/9001", Body: json.RawMessage(`nonsense`)}, guide.Entry{Kind: guide.KindTick, Key: "ping/9002", Body: json.RawMessage(`{}`)},
		guide.Entry{Kind: guide.KindNet, Key: "download/9003", Body: json.RawMessage(`{"value":30}`)},
	)
	list := Points(entries, Ping)
	if len(list) != 5 || *list[0].Value != 12 || *list[4].Value != 40 || list[0].What != Ping {
		t.Fatalf("%+v", list)
	}
	if s := saysAll(t, Says(list)); !strings.Contains(s, "worse") {
		t.Errorf("says %q", s)
	}
	if s := saysAll(t, Says(list[:4])); !strings.Contains(s, "as usual") {
		t.Errorf("says %q", s)
	}
	saysAll(t, Says(list[:2]))
	if !Says(nil).IsZero() {
		t.Error("nothing says something")
	}
	slower := Points(entries, Download)
	low := 3.0
	for range 3 {
		slower = append(slower, slower[0])
	}
	slower = append(slower, Point{What: Download, Value: &low, Verdict: guide.Warn})
	if s := saysAll(t, Says(slower)); !strings.Contains(s, "worse") {
		t.Errorf("says %q", s)
	}
	saysAll(t, Says([]Point{{What: Hub, Verdict: guide.Pass}}))
	saysAll(t, Says([]Point{{What: Ping, Verdict: guide.Fail}}))
	for _, w := range Whats() {
		saysAll(t, w.Name())
	}
}

func TestOldReadings(t *testing.T) {
	var entries []guide.Entry
	v := 1.0
	for i := range keepPoints + 3 {
		e, err := Point{What: Ping, Time: time.UnixMilli(int64(i)), Value: &v}.Entry()
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	if got := strings.Join(Old(entries), " "); got != "ping/0 ping/1 ping/2" {
		t.Errorf("old %s", got)
	}
}

func TestReadingsOfChecks(t *testing.T) {
	judge := func(id guide.CheckID, exit int, out string) (guide.Record, guide.Outcome) {
		in := guide.Input{Check: id, Track: guide.Network, Exit: exit, Stdout: []byte(out)}
		return guide.Record{Input: in, Time: time.UnixMilli(7)}, check.Judge(in)
	}
	const ping = "5 packets transmitted, 5 received, 0% packet loss, time 4006ms\nrtt min/avg/max/mdev = 12.1/12.4/12.7/0.2 ms\n"
	const load = "206 104857600 48902225 0.004112 0.011873 0.052114 2.144231\n"
	for _, c := range []struct {
		id    guide.CheckID
		exit  int
		out   string
		what  What
		value float64
	}{
		{guide.NetPing, 0, ping, Ping, 12.4},
		{guide.NetCurl, 0, load, Download, 48.902225},
		{guide.NetHF, 0, "HTTP/2 200\n", Hub, -1},
		{guide.NetPing, 0, "    Packets: Sent = 4, Received = 4, Lost = 0 (0% loss),\n    Minimum = 30ms, Maximum = 33ms, Average = 31ms\n", LaptopPing, 31},
		{guide.NetIperf3, 0, `{"end":{"sum_received":{"bits_per_second":5e9}}}`, Private, 5000},
		{guide.NetCurl, 6, "curl: (6) Could not resolve host: a.example\n", Download, -1},
	} {
		r, o := judge(c.id, c.exit, c.out)
		p, ok := FromOutcome(r, o)
		if !ok || p.What != c.what || (p.Value == nil) != (c.value < 0) || p.Value != nil && *p.Value != c.value || p.Verdict != o.Verdict {
			t.Errorf("%s %q: %+v, %t", c.id, c.out, p, ok)
		}
	}
	if _, ok := FromOutcome(judge(guide.NetPing, 2, "")); ok {
		t.Error("a skip makes a reading")
	}
	if _, ok := FromOutcome(judge(guide.DiskDf, 0, "")); ok {
		t.Error("another check makes a reading")
	}
	if _, ok := FromOutcome(guide.Record{Input: guide.Input{Check: guide.NetPing}, BlockedBy: guide.NetHF}, guide.Outcome{Verdict: guide.Pass}); ok {
		t.Error("a blocked check makes a reading")
	}
	_, o := judge(guide.NetCurl, 0, load)
	s := Stages(o.Facts)
	if len(s) != 3 || s[0].Seconds != 0.011873 || fmt.Sprintf("%.6f %.6f", s[1].Seconds, s[2].Seconds) != "0.040241 2.092117" {
		t.Errorf("%+v", s)
	}
	for _, x := range s {
		saysAll(t, x.Name)
	}
	if Stages(guide.Facts{"ttfb_s": 1.0}) != nil {
		t.Error("stages of nothing")
	}
}

func FuzzWays(f *testing.F) {
	f.Add("r0 say", "0", "0", "HF_ENDPOINT", "https://a.example/", "200 0.004 0.031 0.100 0.200 0.300 9 100 100.118.1.2 https://a.example/", "nameserver 127.0.0.53\n")
	f.Fuzz(func(t *testing.T, vars, n, rc, env, address, numbers, resolv string) {
		told := script.Told{Records: []script.Record{
			{Kind: "vars", Fields: []string{vars, numbers}},
			{Kind: "resolv", Fields: []string{resolv}},
			{Kind: "place", Fields: []string{n, rc, env, address, numbers}},
			{Kind: "place", Fields: []string{"0"}},
			{Kind: "place"},
		}}
		w := readWays(told, []Probe{{URL: "https://a.example/"}})
		for _, r := range w.Places {
			for _, l := range texts.Langs() {
				if s := texts.For(l).Say(r.Says()); s == "" || s == r.Says().Key || strings.ContainsAny(s, "\x1b\x00") {
					t.Errorf("%q", s)
				}
			}
			if r.Verdict == guide.Pass && r.Fault != "" {
				t.Errorf("%+v passes", r)
			}
		}
		for _, v := range w.Vars {
			if strings.ContainsAny(v, "\x1b\x00\n") {
				t.Errorf("%q", v)
			}
		}
		_ = w.Says()
	})
}
