package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rentgen/assets/texts"
)

// TestCostBudget: a host's own limit, that of all hosts together, and none again.
func TestCostBudget(t *testing.T) {
	home, _ := costHome(t)
	runLine(t, home, "cost", "price", "mycard", "--per-hour", "1.88", "--provider", "autodl")
	budget := func() any {
		t.Helper()
		return firstHost(t, costOf(t, home, "mycard"))["budget"]
	}
	run := func(words ...string) map[string]any {
		t.Helper()
		m := asJSON(t, runLine(t, home, append([]string{"cost", "budget", "--json"}, words...)...))
		return fields(t, "budget", m, "host", "id", "currency", "limit")
	}
	if m := run("--limit", "500", "--currency", "rmb"); m["host"] != nil || m["id"] != nil || m["currency"] != "CNY" || m["limit"] != "500" || budget() != "500" {
		t.Errorf("%v, %v", m, budget())
	}
	if m := run("mycard", "--limit", "300.5"); m["host"] != "mycard" || m["limit"] != "300.5" || budget() != "300.5" {
		t.Errorf("%v, %v", m, budget())
	}
	if m := run("mycard", "--limit", "0"); m["limit"] != nil || budget() != "500" {
		t.Errorf("%v, %v", m, budget())
	}
	for _, l := range texts.Langs() {
		for _, words := range [][]string{{"mycard", "--limit", "300"}, {"--limit", "300", "--currency", "CNY"}, {"--limit", "0", "--currency", "CNY"}} {
			r := runLine(t, home, append([]string{"cost", "budget", "--lang", string(l)}, words...)...)
			if r.code != 0 || strings.ContainsAny(r.out, "{}") || strings.Contains(r.out, "cli.") {
				t.Errorf("%+v", r)
			}
		}
	}
	for words, flag := range map[string]string{
		"mycard": "--limit", "mycard --limit much": "--limit", "mycard --limit -3": "--limit", "--limit 300": "--currency",
		"mycard --limit 300 --currency yuan": "--currency",
	} {
		if r := runLine(t, home, append([]string{"cost", "budget", "--lang", "en"}, strings.Fields(words)...)...); r.code != 64 || r.out != "" || !strings.Contains(r.stderr, flag) {
			t.Errorf("%s: %+v", words, r)
		}
	}
}

// TestABillBeforeThePrice: a price is kept, but none for the days of the bill.
func TestABillBeforeThePrice(t *testing.T) {
	home, _ := costHome(t)
	runLine(t, home, "cost", "price", "mycard", "--per-hour", "1.88", "--provider", "autodl")
	bill := filepath.Join(t.TempDir(), "bill.csv")
	if err := os.WriteFile(bill, []byte("start,end,amount\n2020-01-01 12:00,2020-01-01 13:00,¥1.88\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for l, want := range map[string]string{"en": "A price is kept here, but none for those days", "zh": "没有账单那几天的"} {
		if r := runLine(t, home, "cost", "import", bill, "--lang", l); r.code != 0 || !strings.Contains(r.out, want) {
			t.Errorf("%+v", r)
		}
	}
}
