package cli

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rentgen/app/advice"
	"rentgen/app/plan"
	"rentgen/assets/texts"
)

// runStdin runs a command line with words on its standard input.
func runStdin(t *testing.T, stdin string, words ...string) result {
	t.Helper()
	return runWith(t.Context(), t.TempDir(), stdin, words...)
}

// asJSON reads the one object that a command printed.
func asJSON(t *testing.T, r result) map[string]any {
	t.Helper()
	var v map[string]any
	if r.code != 0 || r.stderr != "" || strings.Count(r.out, "\n") != 1 {
		t.Fatalf("code %d, stderr %q, %d lines", r.code, r.stderr, strings.Count(r.out, "\n"))
	}
	if err := json.Unmarshal([]byte(r.out), &v); err != nil {
		t.Fatalf("%v\n%s", err, r.out)
	}
	return v
}

// fields checks that v is an object with the keys and returns it.
func fields(t *testing.T, where string, v any, keys ...string) map[string]any {
	t.Helper()
	m, ok := v.(map[string]any)
	if !ok {
		t.Fatalf("%s is %T", where, v)
	}
	for _, k := range keys {
		if _, ok := m[k]; !ok {
			t.Errorf("%s lacks %q", where, k)
		}
	}
	return m
}

func list(t *testing.T, where string, v any) []any {
	t.Helper()
	l, ok := v.([]any)
	if !ok {
		t.Fatalf("%s is %T, not a list", where, v)
	}
	return l
}

// ordered checks low <= point <= high of numbers.
func ordered(t *testing.T, where string, v any) {
	t.Helper()
	m := fields(t, where, v, "low", "point", "high")
	low, ok1 := m["low"].(float64)
	point, ok2 := m["point"].(float64)
	high, ok3 := m["high"].(float64)
	if !ok1 || !ok2 || !ok3 || low < 0 || low > point || point > high {
		t.Errorf("%s is %v", where, m)
	}
}

// amounts checks low <= point <= high of decimals and returns them.
func amounts(t *testing.T, where string, v any) [3]*big.Rat {
	t.Helper()
	m := fields(t, where, v, "low", "point", "high")
	var out [3]*big.Rat
	for i, k := range []string{"low", "point", "high"} {
		s, ok := m[k].(string)
		r, fine := new(big.Rat).SetString(s)
		if !ok || !fine || strings.ContainsAny(s, "eE/ ") {
			t.Fatalf("%s.%s is %v, no decimal string", where, k, m[k])
		}
		out[i] = r
	}
	if out[0].Cmp(out[1]) > 0 || out[1].Cmp(out[2]) > 0 {
		t.Errorf("%s is out of order: %v", where, m)
	}
	return out
}

func checkFit(t *testing.T, m map[string]any) {
	t.Helper()
	fields(t, "fit", m, "vram_gib", "phases", "cards", "seconds_per_image", "hours", "disk_gb")
	ordered(t, "vram_gib", m["vram_gib"])
	phases := list(t, "phases", m["phases"])
	for _, p := range phases {
		fields(t, "phase", p, "phase")
		ordered(t, "phase", p)
	}
	cards := list(t, "cards", m["cards"])
	for _, c := range cards {
		card := fields(t, "card", c, "card", "usable_mib", "fit")
		if f := card["fit"]; !slices.Contains([]any{"fits", "tight", "offload", "no"}, f) {
			t.Errorf("%v fits: %v", card["card"], f)
		}
	}
	if len(phases) == 0 || len(cards) < 10 {
		t.Errorf("%d phases, %d cards", len(phases), len(cards))
	}
	ordered(t, "seconds_per_image", m["seconds_per_image"])
	hours := fields(t, "hours", m["hours"], "busy", "rented", "idle")
	for _, k := range []string{"busy", "rented", "idle"} {
		if v, ok := hours[k].(float64); !ok || v < 0 {
			t.Errorf("hours.%s is %v", k, hours[k])
		}
	}
	if v, ok := m["disk_gb"].(float64); !ok || v <= 0 {
		t.Errorf("disk_gb is %v", m["disk_gb"])
	}
}

var statuses = []any{"ok", "cannot-finish", "card-too-small", "no-price", "no-rate", "no-hours", "bad-terms"}

func checkBill(t *testing.T, m map[string]any) {
	t.Helper()
	offers := list(t, "offers", fields(t, "bill", m, "offers")["offers"])
	if len(offers) == 0 {
		t.Error("no offers")
	}
	for _, v := range offers {
		o := fields(t, "offer", v, "name", "currency", "lines", "total", "unknown", "status")
		name := fmt.Sprint(o["name"])
		if !slices.Contains(statuses, o["status"]) {
			t.Errorf("%s: status %v", name, o["status"])
		}
		lines := list(t, "lines", o["lines"])
		if o["status"] != "ok" {
			if o["total"] != nil || len(lines) != 0 || o["why"] == nil {
				t.Errorf("%s has no bill and yet numbers, or no reason: %v", name, o)
			}
			continue
		}
		sum := [3]*big.Rat{new(big.Rat), new(big.Rat), new(big.Rat)}
		for _, l := range lines {
			line := fields(t, name, l, "id", "rule", "source", "date")
			for i, r := range amounts(t, name+" "+fmt.Sprint(line["id"]), l) {
				sum[i].Add(sum[i], r)
			}
		}
		for i, r := range amounts(t, name+" total", o["total"]) {
			if r.Cmp(sum[i]) != 0 {
				t.Errorf("%s: total %s is not the sum %s of its lines", name, r.FloatString(6), sum[i].FloatString(6))
			}
		}
		for _, u := range list(t, "unknown", o["unknown"]) {
			q := fields(t, "unknown", u, "term", "question")
			if s := fmt.Sprint(q["question"]); s == "" || strings.HasPrefix(s, "question.") {
				t.Errorf("%s: question %q", name, s)
			}
		}
	}
}

func checkAdvice(t *testing.T, m map[string]any) {
	t.Helper()
	fields(t, "advice", m, "choice", "vetoes", "reasons", "would_change")
	if !slices.Contains([]any{"shared", "dedicated", "validate_then_dedicated", "guaranteed_shared", "tie", "none"}, m["choice"]) {
		t.Errorf("choice %v", m["choice"])
	}
	list(t, "vetoes", m["vetoes"])
	last := 1e9
	for _, r := range list(t, "reasons", m["reasons"]) {
		reason := fields(t, "reason", r, "item", "text", "weight")
		w, ok := reason["weight"].(float64)
		if !ok || w > last {
			t.Errorf("reasons out of order: %v", m["reasons"])
		}
		last = w
		if s := fmt.Sprint(reason["text"]); s == "" || strings.HasPrefix(s, "advice.") {
			t.Errorf("reason says %q", s)
		}
	}
	for _, c := range list(t, "would_change", m["would_change"]) {
		fields(t, "would_change", c, "input", "from", "to")
	}
}

// TestPlanGuide: the guide is printed whole in both languages, and a bill ends
// with the pitfalls that it meets.
func TestPlanGuide(t *testing.T) {
	for _, lang := range texts.Langs() {
		c := texts.For(lang)
		r := runStdin(t, "", "plan", "guide", "--lang", string(lang))
		if r.code != 0 || r.stderr != "" {
			t.Fatalf("%s: %+v", lang, r)
		}
		for _, row := range advice.Table() {
			if !strings.Contains(r.out, c.Say(row.Name())) {
				t.Errorf("%s: the row %s is missing", lang, row.ID)
			}
		}
		for _, id := range advice.Pitfalls() {
			if !strings.Contains(r.out, c.T("article.pitfall."+id+".text")) {
				t.Errorf("%s: the pitfall %s is missing", lang, id)
			}
		}
		for _, id := range advice.QA() {
			if !strings.Contains(r.out, c.T("article.qa."+id+".a")) {
				t.Errorf("%s: the answer %s is missing", lang, id)
			}
		}
		bill := runStdin(t, string(plan.Example("bill")), "bill", "-", "--format", "md", "--lang", string(lang))
		if !strings.Contains(bill.out, c.T("article.pitfall.hidden_disk.text")) || strings.Contains(bill.out, c.T("article.pitfall.page_specs.text")) {
			t.Errorf("%s: the pitfalls of the bill: %s", lang, bill.out)
		}
	}
}

// foreign is what a sentence of a language doesn't say: times by their signs in
// Chinese, one thing in the plural in English.
var foreign = map[string]*regexp.Regexp{
	"zh": regexp.MustCompile(`[0-9]\x{2009}(h|min|s|d)\b.*`),
	"en": regexp.MustCompile(`(^|[^0-9.,])1[ \x{2009}](days|weeks|months|nights|machines|starts|sessions|questions)\b.*`),
}

// TestEveryExampleRunsThroughEveryCommand is the promise of plan example.
func TestEveryExampleRunsThroughEveryCommand(t *testing.T) {
	check := map[string]func(*testing.T, map[string]any){"fit": checkFit, "bill": checkBill, "advise": checkAdvice}
	for _, kind := range plan.Kinds() {
		example := runStdin(t, "", "plan", "example", kind)
		if example.code != 0 || example.stderr != "" || !strings.Contains(example.out, "# ") {
			t.Fatalf("%s: %+v", kind, example)
		}
		file := filepath.Join(t.TempDir(), "plan.yaml")
		if err := os.WriteFile(file, []byte(example.out), 0o600); err != nil {
			t.Fatal(err)
		}
		for command, f := range check {
			t.Run(kind+" through "+command, func(t *testing.T) {
				fromFile := runStdin(t, "", command, file, "--json")
				f(t, asJSON(t, fromFile))
				if piped := runStdin(t, example.out, command, "-", "--json"); piped != fromFile {
					t.Errorf("standard input gives another answer: %+v", piped)
				}
				forms := []string{"text"}
				if command != "fit" {
					forms = append(forms, "md")
				}
				for _, form := range forms {
					for _, lang := range []string{"en", "zh"} {
						words := []string{command, file, "--lang", lang}
						if command != "fit" {
							words = append(words, "--format", form)
						}
						r := runStdin(t, "", words...)
						if r.code != 0 || r.stderr != "" || len(r.out) < 100 {
							t.Errorf("%v: %+v", words, r)
						}
						for _, key := range []string{"cli.", "bill.line", "advice.", "article.", "question.", "{", "NaN", "Inf", "%!"} {
							if strings.Contains(r.out, key) {
								t.Errorf("%v shows %q:\n%s", words, key, r.out)
							}
						}
						if s := foreign[lang].FindString(r.out); s != "" {
							t.Errorf("%v says %q:\n%s", words, s, r.out)
						}
					}
				}
			})
		}
	}
}

func TestPlanExample(t *testing.T) {
	if a, b := runStdin(t, "", "plan", "example"), runStdin(t, "", "plan", "example", "fit"); a != b || a.code != 0 {
		t.Errorf("%+v\n%+v", a, b)
	}
	m := asJSON(t, runStdin(t, "", "plan", "example", "bill", "--json"))
	if m["text"] != string(plan.Example("bill")) {
		t.Errorf("%v", m)
	}
	r := runStdin(t, "", "plan", "example", "cheap", "--lang", "en")
	if r.code != 64 || r.out != "" || !strings.Contains(r.stderr, "cheap") || !strings.Contains(r.stderr, "fit, bill, advise") {
		t.Errorf("%+v", r)
	}
}

// good is a small plan that the bad ones are made from.
const good = `version: 1
currency: CNY
days: 30
job:
  model: sdxl
  width: 1024
  height: 1024
use:
  pattern: screen
  pictures: {per_day: 100}
  days_per_week: 5
  hours_per_sitting: 2
offers:
  - name: A
    currency: CNY
    card: {name: RTX 4090}
    machine: container
    payment: {unit: hour, price: "2"}
`

// TestBadPlans: each says field, value and what is allowed, where it stands,
// ends with 64 and prints no number.
func TestBadPlans(t *testing.T) {
	if r := runStdin(t, good, "bill", "-", "--json"); r.code != 0 {
		t.Fatalf("the good plan: %+v", r)
	}
	for _, c := range []struct{ from, to, field, value string }{
		{"version: 1", "version: 9", "version", "9"},
		{"version: 1", "verison: 1", "verison", "verison"},
		{"currency: CNY\ndays", "currency: yuan\ndays", "currency", "yuan"},
		{"currency: CNY\ndays", "currency: 7\ndays", "currency", "7"},
		{"days: 30", "days: -3", "days", "-3"},
		{"days: 30", "days: 0", "days", "0"},
		{"days: 30", "days: 367", "days", "367"},
		{"days: 30", "days: 1e3 d", "days", "1e3 d"},
		{"days: 30", "days: nan", "days", "nan"},
		{"days: 30", "days: 30\ndays: 31", "days", "days"},
		{"model: sdxl", "model: sdxxl", "job.model", "sdxxl"},
		{"model: sdxl", "modle: sdxl", "job.modle", "modle"},
		{"width: 1024", "width: -8", "job.width", "-8"},
		{"width: 1024", "width: 1023", "job.width", "1023"},
		{"width: 1024", "width: 99999999", "job.width", "99999999"},
		{"width: 1024", "steps: -1", "job.steps", "-1"},
		{"width: 1024", "batch: 0.5", "job.batch", "0.5"},
		{"width: 1024", "precision: fp99", "job.precision", "fp99"},
		{"width: 1024", "offload: maybe", "job.offload", "maybe"},
		{"width: 1024", "hires: {scale: .inf}", "job.hires.scale", ".inf"},
		{"pattern: screen", "pattern: sometimes", "use.pattern", "sometimes"},
		{"per_day: 100", "per_day: -100", "use.pictures.per_day", "-100"},
		{"per_day: 100", "per_hour: 100", "use.pictures.per_hour", "per_hour"},
		{"days_per_week: 5", "days_per_week: 9", "use.days_per_week", "9"},
		{"hours_per_sitting: 2", "hours_per_sitting: 25", "use.hours_per_sitting", "25"},
		{"hours_per_sitting: 2", "hours_per_sitting: two", "use.hours_per_sitting", "two"},
		{"version: 1", "own: {hourly_rate: -1}", "own.hourly_rate", "-1"},
		{"version: 1", "save_every: -1", "save_every", "-1"},
		{"version: 1", "questions: {duration: forever}", "questions.duration", "forever"},
		{"version: 1", "questions: {fail_share: 2}", "questions.fail_share", "2"},
		{"version: 1", "rates: [{from: USD, to: CNY, rate: -7, date: 2026-11-30}]", "rates[0].rate", "-7"},
		{"version: 1", "measured: [{job: k, card: RTX 9090, peak_mib: 1}]", "measured[0].card", "RTX 9090"},
		{`price: "2"`, `price: "-2"`, "offers[0].payment.price", "-2"},
		{`price: "2"`, `price: 2 CNY`, "offers[0].payment.price", "2 CNY"},
		{`price: "2"`, `price: NaN`, "offers[0].payment.price", "NaN"},
		{"unit: hour", "unit: fortnight", "offers[0].payment.unit", "fortnight"},
		{"machine: container", "machine: boat", "offers[0].machine", "boat"},
		{"    currency: CNY", "    currency: cny", "offers[0].currency", "cny"},
		{"machine: container", "machine: container\n    terms: {tax_share: 3}", "offers[0].terms.tax_share", "3"},
		{"machine: container", "machine: container\n    terms: {free_beer: true}", "free_beer", "free_beer"},
		{"machine: container", "machine: container\n    provider: nobody", "offers[0].provider", "nobody"},
		{"machine: container", "machine: container\n    count: -1", "offers[0].count", "-1"},
		{"machine: container", "machine: container\n    colour: red", "colour", "colour"},
		{"offers:\n", "offers:\n  - {name: A, currency: CNY, card: RTX 4090, machine: vm, payment: {unit: hour, price: 1}}\n", "offers[1].name", "A"},
		{"version: 1", "version: 1\n\tcurrency: CNY", "", "TAB"},
		{"version: 1", "version: [1", "", ""},
	} {
		text := strings.Replace(good, c.from, c.to, 1)
		if text == good {
			t.Fatalf("%q is not in the good plan", c.from)
		}
		for _, command := range []string{"fit", "bill", "advise"} {
			r := runStdin(t, text, command, "-", "--json", "--lang", "en")
			if r.code != 64 || r.out != "" {
				t.Errorf("%s with %q: code %d, printed %q, said %q", command, c.to, r.code, r.out, r.stderr)
				continue
			}
			if !strings.Contains(r.stderr, c.field) || !strings.Contains(r.stderr, c.value) || !strings.Contains(strings.ToLower(r.stderr), "line") {
				t.Errorf("%s with %q says %q, which lacks %q, %q or the line", command, c.to, r.stderr, c.field, c.value)
			}
		}
		if r := runStdin(t, text, "bill", "-", "--lang", "zh"); r.code != 64 || r.out != "" || strings.Contains(r.stderr, "planfile.") {
			t.Errorf("%q in Chinese: %+v", c.to, r)
		}
	}
}

func TestPlanThatLacksSomething(t *testing.T) {
	none := good[:strings.Index(good, "offers:")]
	checkFit(t, asJSON(t, runStdin(t, none, "fit", "-", "--json")))
	checkAdvice(t, asJSON(t, runStdin(t, none, "advise", "-", "--json")))
	for _, text := range []string{none, none + "offers: []\n", strings.Replace(good, "machine:", "hidden: true\n    machine:", 1)} {
		r := runStdin(t, text, "bill", "-", "--json", "--lang", "en")
		if r.code != 64 || r.out != "" || !strings.Contains(r.stderr, "offers") || !strings.Contains(r.stderr, "plan example bill") {
			t.Errorf("no offers: %+v", r)
		}
	}
	for _, text := range []string{"", "version: 1\n", "name: only\n"} {
		for _, command := range []string{"fit", "bill", "advise"} {
			r := runStdin(t, text, command, "-", "--lang", "en")
			if r.code != 64 || r.out != "" || !strings.Contains(r.stderr, "job.model") || !strings.Contains(r.stderr, "use.pattern") {
				t.Errorf("%s of %q: %+v", command, text, r)
			}
		}
	}
}

func TestPlanFileThatCannotBeRead(t *testing.T) {
	for _, path := range []string{filepath.Join(t.TempDir(), "none.yaml"), t.TempDir()} {
		r := runStdin(t, "", "fit", path, "--lang", "en")
		if r.code != 64 || r.out != "" || !strings.Contains(r.stderr, path) || !strings.Contains(r.stderr, "PLAN.yaml") {
			t.Errorf("%+v", r)
		}
	}
	if r := runStdin(t, "", "fit", "--lang", "en"); r.code != 64 || !strings.Contains(r.stderr, "PLAN.yaml") {
		t.Errorf("%+v", r)
	}
}

// TestCurrenciesAreNotMixed: without a rate a status and no number, with one the
// bill and its date.
func TestCurrenciesAreNotMixed(t *testing.T) {
	two := good + `  - name: B
    currency: USD
    card: {name: RTX 4090}
    machine: container
    payment: {unit: hour, price: "0.3"}
`
	m := asJSON(t, runStdin(t, two, "bill", "-", "--json"))
	checkBill(t, m)
	b := fields(t, "B", list(t, "offers", m["offers"])[1])
	if b["status"] != "no-rate" || b["total"] != nil {
		t.Errorf("%v", b)
	}
	m = asJSON(t, runStdin(t, two+"rates: [{from: USD, to: CNY, rate: 7.1, date: 2026-11-30}]\n", "bill", "-", "--json"))
	checkBill(t, m)
	b = fields(t, "B", list(t, "offers", m["offers"])[1])
	if b["status"] != "ok" || b["currency"] != "CNY" || b["rate_date"] != "2026-11-30" {
		t.Errorf("%v", b)
	}
}

func TestSamePlanSameAnswer(t *testing.T) {
	text := string(plan.Example("bill"))
	a, b := runStdin(t, text, "bill", "-", "--json"), runStdin(t, text, "bill", "-", "--json")
	if a != b {
		t.Errorf("%s\n%s", a.out, b.out)
	}
}

func TestPlanFilesAreCompleted(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"a.yaml", "b.yml", "c.txt", ".hidden.yaml"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("plans", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("plans", "d.yaml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	sep := string(filepath.Separator)
	for last, want := range map[string]string{
		"": "a.yaml b.yml plans" + sep, "a": "a.yaml", "plans" + sep: "plans" + sep + "d.yaml", ".h": ".hidden.yaml", "x" + sep: "",
	} {
		r := runStdin(t, "", "__complete", "--", "bill", last)
		var got []string
		for _, l := range strings.Split(strings.TrimSpace(r.out), "\n") {
			word, _, _ := strings.Cut(l, "\t")
			got = append(got, word)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", last, got, want)
		}
	}
}
