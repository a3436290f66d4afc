package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/alert"
	"rentgen/app/settings"
	"rentgen/store"
)

const canary = "canary-51c8e0"

// robot is a loopback service that answers as it is told.
func robot(t *testing.T, status int, answer string) (url string, got *[]string) {
	got = &[]string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		*got = append(*got, r.URL.String()+" "+r.Header.Get("Authorization")+" "+string(b))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return s.URL, got
}

func TestAlertsTest(t *testing.T) {
	home := t.TempDir()
	url, got := robot(t, 200, `{"errcode":0,"errmsg":"ok"}`)
	for _, c := range []struct {
		words, stdin string
		see          []string
	}{
		{"json --url " + url + "/hook", "", []string{"/hook", "This is a test"}},
		{"json --url " + url + "/hook --password-stdin", canary + "\n", []string{"Bearer " + canary}},
		{"json --password-stdin", url + "/" + canary + "\n", []string{"/" + canary}},
		{"wecom --password-stdin", url + "/cgi-bin/webhook/send?key=" + canary + "\n", []string{"key=" + canary, "msgtype"}},
		{"wecom --url " + url + "/cgi-bin/webhook/send --password-stdin", canary, []string{"key=" + canary}},
		{"dingtalk --url " + url + "/robot/send --password-stdin", "key-1234567\n" + canary + "\n", []string{"access_token=key-1234567", "sign="}},
	} {
		r := runWith(t.Context(), home, c.stdin, append([]string{"alerts", "test", "--lang", "en"}, strings.Fields(c.words)...)...)
		if r.code != 0 || r.out != "" || !strings.Contains(r.stderr, "took the test message") || len(*got) != 1 {
			t.Fatalf("%s: %+v, %q", c.words, r, *got)
		}
		for _, see := range c.see {
			if !strings.Contains((*got)[0], see) {
				t.Errorf("%s: sent %q, want %q in it", c.words, *got, see)
			}
		}
		if strings.Contains(r.stderr, canary) {
			t.Errorf("%s says the secret: %q", c.words, r.stderr)
		}
		*got = nil
	}
	if left, _ := filepath.Glob(filepath.Join(home, "*")); len(left) > 0 {
		t.Errorf("something is kept: %q", left)
	}
}

func TestAlertsTestFails(t *testing.T) {
	refuses, _ := robot(t, 200, `{"errcode":310000,"errmsg":"sign not match `+canary+`"}`)
	down, _ := robot(t, 503, ``)
	for _, c := range []struct {
		words, stdin string
		code         int
		see          string
	}{
		{"dingtalk --password-stdin", refuses + "/robot/send?access_token=" + canary, 66, "310000"},
		{"json --url " + down + "/x", "", 65, "503"},
		{"json --url http://example.com/x", "", 64, "https"},
		{"json --url http://127.0.0.1:1/x", "", 65, "can't be reached"},
		{"wecom --url https://example.com/send?key=" + canary, "", 64, "standard input"},
		{"feishu --url https://open.feishu.cn/open-apis/bot/v2/hook/" + canary, "", 64, "standard input"},
		{"wecom --password-stdin", "https://qyapi.weixin.qq.com/cgi-bin/webhook/send", 64, "Copy it again"},
		{"json", "", 64, "--url"},
		{"json --password-stdin", "", 64, "standard input"},
		{"pigeon", "", 64, "dingtalk"},
	} {
		r := runWith(t.Context(), t.TempDir(), c.stdin, append([]string{"alerts", "test", "--lang", "en"}, strings.Fields(c.words)...)...)
		if r.code != c.code || r.out != "" || !strings.Contains(r.stderr, c.see) || strings.Contains(r.stderr, canary) {
			t.Errorf("%s: %+v, want %d and %q", c.words, r, c.code, c.see)
		}
		if c.code == 64 {
			continue
		}
		r = runWith(t.Context(), t.TempDir(), c.stdin, append([]string{"alerts", "test", "--json"}, strings.Fields(c.words)...)...)
		var m map[string]any
		if err := json.Unmarshal([]byte(r.out), &m); err != nil || r.code != c.code {
			t.Fatalf("%+v: %v", r, err)
		}
		if m["sent"] != false || m["reason"] == nil || m["sentence"] == "" || strings.Contains(r.out, canary) {
			t.Errorf("%s: %+v", c.words, r)
		}
	}
}

// TestAlertsList reads what an engine kept.
func TestAlertsList(t *testing.T) {
	home := t.TempDir()
	r := runLine(t, home, "alerts", "--lang", "en")
	if r.code != 0 || r.out != "" || r.stderr == "" {
		t.Errorf("without any: %+v", r)
	}
	if r := runLine(t, home, "alerts", "--json"); r.code != 0 || r.out != "[]\n" {
		t.Errorf("without any: %+v", r)
	}
	paths := settings.PathsIn(home)
	if err := paths.Make(); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), store.Params{Dir: paths.Database})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	e, err := alert.New(t.Context(), alert.Params{Store: s, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	idle := alert.Input{Host: "h1", HostName: "mycard", Glance: &purse.Glance{
		Priced: true, Currency: "CNY", PerHour: money.Frac(188, 100), Running: true, Idle: true, IdleFor: 34 * time.Minute, IdleCost: money.Frac(106, 100),
	}}
	busy := true
	for _, in := range []alert.Input{idle, {Host: "h1", HostName: "mycard", Busy: &busy}, {Host: "h1", HostName: "mycard", Disks: []alert.Disk{{Mount: "/data", Free: 1e9, Total: 50e9}}}} {
		if err := e.Update(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Minute)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var list []map[string]any
	r = runLine(t, home, "alerts", "--json", "--lang", "en")
	if err := json.Unmarshal([]byte(r.out), &list); err != nil || len(list) != 2 {
		t.Fatalf("%+v: %v", r, err)
	}
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "contracts.md"))
	if err != nil {
		t.Fatal(err)
	}
	for key := range list[0] {
		if !regexp.MustCompile("[`\"{\\s]" + key + "[`\",}\\s]").Match(doc) {
			t.Errorf("%q isn't in docs/contracts.md", key)
		}
	}
	if d := list[0]; d["kind"] != "disk" || d["over"] != nil || d["at"] != "2026-11-30T12:02:00.000Z" || d["gpu"] != nil {
		t.Errorf("%v", d)
	}
	if i := list[1]; i["kind"] != "idle" || i["over"] != "2026-11-30T12:01:00.000Z" || i["cost"] != "Each further hour costs ¥1.88." || i["host"] != "mycard" {
		t.Errorf("%v", i)
	}
	for lang, see := range map[string]string{"en": "still so", "zh": "空闲"} {
		if r := runLine(t, home, "alerts", "--lang", lang); r.code != 0 || !strings.Contains(r.out, see) || strings.Count(r.out, "\n") != 3 {
			t.Errorf("%+v", r)
		}
	}
}
