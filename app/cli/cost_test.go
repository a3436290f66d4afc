package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"rentgen/app/plan"
	"rentgen/app/purse/meter"
	"rentgen/app/settings"
	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/store"
)

// costPromised are the shapes of what the commands about costs print; "a" is an
// amount with its doubt.
var costPromised = map[string]string{
	"cost": `{hosts:[{host, id, running, no_gpu, since, currency, per_hour, sentence, busy_s, idle_s, unknown_s, budget, forecast, pace,
		session:{low, point, high}, today:{low, point, high}, today_idle:{low, point, high}, month:{low, point, high}, month_idle:{low, point, high},
		price:{currency, per_hour, no_gpu_per_hour, package, provider, offer, plan, since, rules:[{term, value, status, source, date, mark}]},
		lines:[{id, text, forecast, actual}], plans:[{plan, offer, currency, sessions, cost:{low, point, high}}],
		days:[{day, busy_s, idle_s, unknown_s, cost:{low, point, high}, idle_cost:{low, point, high}}],
		sessions:[{start, start_known, last_seen, end, latest_end, end_known_by, running, no_gpu, busy_s, idle_s, unknown_s, cost:{low, point, high}}],
		doubts}], running:[{currency, count, per_hour, idle_per_hour, unpriced}]}`,
	"cost import": `{currency, rows, columns, billed, counted:{low, point, high}, more, lines:[{id, text, billed, counted, forecast}],
		pairs:[{kind, host, instance, lines, from, to, billed_s, billed, session, counted, more, more_s, text}],
		learned:[{host, per_hour, exact, granularity_s, idle_share, rows}], stops:[{host, session, at}], left_out, notes}`,
}

// costHome is a home with a host that ran for an hour at noon of a day and was
// then not seen any more; seen is when.
func costHome(t *testing.T) (home string, seen time.Time) {
	t.Helper()
	home = t.TempDir()
	if r := runLine(t, home, "host", "add", "mycard", "ssh root@192.0.2.7"); r.code != 0 {
		t.Fatalf("%+v", r)
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
	day := time.Now().AddDate(0, 0, -1)
	start := time.Date(day.Year(), day.Month(), day.Day(), 12, 0, 0, 0, time.Local)
	seen = start.Add(time.Hour)
	b := meter.NewBook(meter.BookParams{Store: s, Now: func() time.Time { return seen }})
	b.Message(h.ID, &probe.Inventory{Time: start, Run: probe.Run{BootID: "b", Init: start}, Mode: probe.ModeGPU, GPUs: []probe.Device{{UUID: "u"}}})
	for at := start; !at.After(seen); at = at.Add(time.Second) {
		g := probe.GPU{UUID: "u"}
		g.Set(probe.UtilGPU, probe.Of(80))
		b.Message(h.ID, &probe.Sample{Time: at, HostTime: at, GPUs: []probe.GPU{g}})
	}
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return home, seen
}

func costOf(t *testing.T, home string, words ...string) map[string]any {
	t.Helper()
	return asJSON(t, runLine(t, home, append([]string{"cost"}, append(words, "--json")...)...))
}

func firstHost(t *testing.T, m map[string]any) map[string]any {
	t.Helper()
	return fields(t, "host", list(t, "hosts", m["hosts"])[0])
}

// TestCostFromPriceToBill: a price, the band of a session whose end nobody saw,
// the bill that knows it, and a correction by hand.
func TestCostFromPriceToBill(t *testing.T) {
	home, seen := costHome(t)
	start := seen.Add(-time.Hour)
	if h := firstHost(t, costOf(t, home, "mycard")); h["price"] != nil || h["session"] != nil || h["busy_s"].(float64) < 3000 {
		t.Errorf("without a price: %v", h)
	}
	if r := runLine(t, home, "cost", "price", "mycard", "--per-hour", "1.88", "--provider", "autodl", "--lang", "en"); r.code != 0 || !strings.Contains(r.out, "¥1.88 an hour") || !strings.Contains(r.out, "2026-10-02") {
		t.Errorf("%+v", r)
	}
	cost := func() [2]string {
		t.Helper()
		s := fields(t, "session", list(t, "sessions", firstHost(t, costOf(t, home, "mycard"))["sessions"])[0])
		c := amounts(t, "cost", s["cost"])
		return [2]string{c[0].FloatString(2), c[2].FloatString(2)}
	}
	if c := cost(); c[0] != "1.88" || c[1] == "1.88" {
		t.Errorf("nobody knows its end: %v", c)
	}
	bill := filepath.Join(t.TempDir(), "bill.csv")
	text := "开始时间,结束时间,实例ID,金额(元)\n"
	end := start.Add(100 * time.Minute)
	for _, p := range [][2]time.Time{{start, start.Add(time.Hour)}, {start.Add(time.Hour), end}} {
		text += fmt.Sprintf("%s,%s,x1,%s\n", p[0].Format(time.DateTime), p[1].Format(time.DateTime), map[bool]string{true: "1.88", false: "1.25"}[p[1].Sub(p[0]) == time.Hour])
	}
	if err := os.WriteFile(bill, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, l := range texts.Langs() {
		r := runLine(t, home, "cost", "import", bill, "--lang", string(l))
		if r.code != 0 || r.stderr != "" || strings.Contains(r.out, "reconcile.") || strings.Contains(r.out, "{") {
			t.Errorf("%s: %+v", l, r)
		}
	}
	if c := cost(); c != [2]string{"3.13", "3.13"} {
		t.Errorf("the bill knows the end: %v", c)
	}
	// A bill knows better than a person.
	r := runLine(t, home, "cost", "stopped", "mycard", "--at", start.Add(90*time.Minute).Format("2006-01-02 15:04"), "--lang", "en")
	if r.code != 0 || cost() != [2]string{"3.13", "3.13"} {
		t.Errorf("%+v, %v", r, cost())
	}
	if r := runLine(t, home, "cost", "--lang", "en"); r.code != 0 || !strings.Contains(r.out, "mycard") || !strings.Contains(r.out, "¥") {
		t.Errorf("%+v", r)
	}
	for _, l := range texts.Langs() {
		if r := runLine(t, home, "cost", "mycard", "--lang", string(l)); r.code != 0 || regexp.MustCompile(`cli\.|purse\.|bill\.|[{}]`).MatchString(r.out) {
			t.Errorf("%+v", r)
		}
	}
}

// TestCostStopped: a person says when it stopped.
func TestCostStopped(t *testing.T) {
	home, seen := costHome(t)
	runLine(t, home, "cost", "price", "mycard", "--per-hour", "1.88", "--provider", "autodl")
	r := runLine(t, home, "cost", "stopped", "mycard", "--at", seen.Add(30*time.Minute).Format(time.RFC3339), "--lang", "en")
	if r.code != 0 || !strings.Contains(r.out, "stopped") {
		t.Fatalf("%+v", r)
	}
	s := fields(t, "session", list(t, "sessions", firstHost(t, costOf(t, home))["sessions"])[0])
	if c := amounts(t, "cost", s["cost"]); c[0].FloatString(2) != "2.82" || c[2].FloatString(2) != "2.82" || s["end_known_by"] != "user" {
		t.Errorf("%v", s)
	}
}

// TestCostFromOffer takes the price and the forecast from a plan.
func TestCostFromOffer(t *testing.T) {
	home, _ := costHome(t)
	file := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(file, []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := plan.Read([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	name := p.Offers[0].Name
	if r := runLine(t, home, "cost", "price", "mycard", "--offer", file+"#"+name); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	h := firstHost(t, costOf(t, home, "mycard"))
	if h["forecast"] == nil || fields(t, "price", h["price"])["offer"] != name {
		t.Errorf("%v", h)
	}
	planned := 0
	for _, l := range list(t, "lines", h["lines"]) {
		if fields(t, "line", l)["forecast"] != nil {
			planned++
		}
	}
	if planned == 0 {
		t.Error("no line was planned")
	}
	for _, words := range [][]string{{"--offer", file + "#nobody"}, {"--offer", file + "#" + name, "--per-hour", "2"}, {"--offer", "none.yaml"}} {
		if r := runLine(t, home, append([]string{"cost", "price", "mycard", "--lang", "en"}, words...)...); r.code != 64 || r.out != "" || !strings.Contains(r.stderr, "--offer") {
			t.Errorf("%v: %+v", words, r)
		}
	}
}

// TestCostBadInput: what can't be used names its flag, or its line and column.
func TestCostBadInput(t *testing.T) {
	home, seen := costHome(t)
	bill := filepath.Join(t.TempDir(), "bill.csv")
	if err := os.WriteFile(bill, []byte("start,end,amount\n2026-11-30 12:00,2026-11-30 13:00,much\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]string{
		"cost price mycard": "--per-hour",
		"cost price mycard --per-hour 1,88 --currency CNY":                   "--per-hour",
		"cost price mycard --per-hour 1.88":                                  "--currency",
		"cost price mycard --per-hour 1.88 --currency CNY --provider nobody": "--provider",
		"cost price mycard --per-hour 1.88 --currency CNY --granularity 0":   "--granularity",
		"cost price mycard --package-price 1500 --currency CNY":              "--until",
		"cost price local --per-hour 1.88 --currency CNY":                    "TARGET",
		"cost stopped mycard":           "--at",
		"cost stopped mycard --at noon": "--at",
		"cost stopped mycard --at " + seen.AddDate(1, 0, 0).Format("2006-01-02"): "--at",
		"cost import none.csv":                        "none.csv",
		"cost import " + bill:                         "line 2",
		"cost import " + bill + " --currency dollars": "--currency",
		"cost import " + bill + " --tz Nowhere":       "--tz",
		"cost nobody":                                 "nobody",
	} {
		r := runLine(t, home, strings.Fields(words+" --lang en")...)
		if r.code != 64 || r.out != "" || !strings.Contains(strings.ToLower(r.stderr), strings.ToLower(want)) {
			t.Errorf("%s: %+v lacks %s", words, r, want)
		}
	}
	if r := runLine(t, t.TempDir(), "cost", "--lang", "en"); r.code != 0 || !strings.Contains(r.stderr, "cost price") {
		t.Errorf("nothing yet: %+v", r)
	}
	if m := costOf(t, t.TempDir()); len(list(t, "hosts", m["hosts"])) != 0 {
		t.Errorf("%v", m)
	}
}

// TestCostShapes compares what is printed with the contract.
func TestCostShapes(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "contracts.md"))
	if err != nil {
		t.Fatal(err)
	}
	home, seen := costHome(t)
	runLine(t, home, "cost", "price", "mycard", "--per-hour", "1.88", "--provider", "autodl", "--no-gpu-per-hour", "0.1")
	bill := fmt.Sprintf("start,end,instance,amount\n%s,%s,x,¥3.76\n2020-01-01,2020-01-01,y,¥1\n", seen.Add(-time.Hour).Format(time.DateTime), seen.Add(time.Hour).Format(time.DateTime))
	got := map[string]any{
		"cost":        costOf(t, home),
		"cost import": asJSON(t, runWith(t.Context(), home, bill, "cost", "import", "-", "mycard", "--json")),
	}
	keys := map[string]bool{}
	for command, text := range costPromised {
		want, rest := shape(t, text)
		if strings.TrimSpace(rest) != "" {
			t.Fatalf("%s: %q is left", command, rest)
		}
		met := map[string]int{}
		compare(t, command, want, got[command], met)
		keysOf(got[command], keys)
	}
	for k := range keys {
		if !regexp.MustCompile("[`\"{\\[,\\s]" + k + "[`\",}\\]\\s]").Match(doc) {
			t.Errorf("%q isn't in docs/contracts.md", k)
		}
	}
	price := runLine(t, home, "cost", "price", "mycard", "--per-hour", "2", "--currency", "CNY", "--json")
	stopped := runLine(t, home, "cost", "stopped", "mycard", "--at", seen.Add(time.Hour).Format(time.RFC3339), "--json")
	for _, r := range []result{price, stopped} {
		if r.code != 0 || !json.Valid([]byte(r.out)) {
			t.Errorf("%+v", r)
		}
	}
}
