package cli

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rentgen/app/plan"
	"rentgen/assets/texts"
)

// promised are the shapes of the three answers, as the contract has them: {} an
// object with these keys, [] a list of such, everything else a value.
var promised = map[string]string{
	"fit": `{vram_gib:{low, point, high}, phases:[{phase, low, point, high}], cards:[{card, usable_mib, fit}],
		seconds_per_image:{low, point, high}, hours:{busy, rented, idle}, disk_gb}`,
	"bill": `{offers:[{name, currency, lines:[{id, low, point, high, rule, source, date}], total:{low, point, high},
		unknown:[{term, question}], status}]}`,
	"advise": `{choice, vetoes:[{item, kind, offer, text}], reasons:[{item, text, weight}], would_change:[{input, from, to}]}`,
}

// shape reads a shape: the rest of the text is what follows it.
func shape(t *testing.T, s string) (any, string) {
	t.Helper()
	switch s = strings.TrimLeft(s, " \t\n"); {
	case strings.HasPrefix(s, "["):
		of, rest := shape(t, s[1:])
		return []any{of}, strings.TrimPrefix(strings.TrimLeft(rest, " \t\n"), "]")
	case strings.HasPrefix(s, "{"):
		m := map[string]any{}
		s = s[1:]
		for {
			s = strings.TrimLeft(s, ", \t\n")
			if rest, ok := strings.CutPrefix(s, "}"); ok {
				return m, rest
			}
			n := strings.IndexAny(s, ":,}")
			if n < 1 {
				t.Fatalf("no key in %q", s)
			}
			key := strings.TrimSpace(s[:n])
			m[key] = nil
			if s = s[n:]; s[0] == ':' {
				m[key], s = shape(t, s[1:])
			}
		}
	}
	t.Fatalf("no shape in %q", s)
	return nil, ""
}

// compare looks for every promised key; met counts where each stood.
func compare(t *testing.T, where string, want, got any, met map[string]int) {
	t.Helper()
	switch w := want.(type) {
	case []any:
		for _, g := range list(t, where, got) {
			compare(t, where+"[]", w[0], g, met)
		}
	case map[string]any:
		if got == nil && (strings.HasSuffix(where, ".total") || strings.HasSuffix(where, ".seconds_per_image")) {
			return // null where there is none
		}
		for key, of := range w {
			m := fields(t, where, got, key)
			met[where+"."+key]++
			if of != nil {
				compare(t, where+"."+key, of, m[key], met)
			}
		}
	}
}

// keysOf collects every key of an answer.
func keysOf(v any, into map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			keysOf(x, into)
		}
	case map[string]any:
		for k, x := range v {
			into[k] = true
			keysOf(x, into)
		}
	}
}

// TestShapes compares the answers with the contract key by key, and looks that
// every key there is stands in docs/contracts.md.
func TestShapes(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "contracts.md"))
	if err != nil {
		t.Fatal(err)
	}
	ruled := strings.Replace(string(plan.Example("advise")), "questions:\n", "questions:\n  root: true\n", 1)
	for command, text := range promised {
		want, rest := shape(t, text)
		if strings.TrimSpace(rest) != "" {
			t.Fatalf("%s: %q is left", command, rest)
		}
		met, keys := map[string]int{}, map[string]bool{}
		for _, example := range []string{string(plan.Example("bill")), string(plan.Example("advise")), ruled} {
			got := asJSON(t, runStdin(t, example, command, "-", "--json"))
			compare(t, command, want, got, met)
			keysOf(got, keys)
		}
		var all func(where string, want any)
		all = func(where string, want any) {
			switch w := want.(type) {
			case []any:
				all(where+"[]", w[0])
			case map[string]any:
				for key, of := range w {
					if met[where+"."+key] == 0 {
						t.Errorf("%s.%s was met nowhere", where, key)
					}
					all(where+"."+key, of)
				}
			}
		}
		all(command, want)
		for k := range keys {
			if !regexp.MustCompile("[`\"{\\s]" + k + "[`\",}\\s]").Match(doc) {
				t.Errorf("%s: %q isn't in docs/contracts.md", command, k)
			}
		}
	}
}

// TestUnknownNamesAreNoted: of a card that the catalogue doesn't have the
// nearest are named, in each form of each answer.
func TestUnknownNamesAreNoted(t *testing.T) {
	text := strings.Replace(good, "{name: RTX 4090}", "{name: rtx4090}", 1)
	for _, command := range []string{"fit", "bill", "advise"} {
		notes := list(t, "notes", asJSON(t, runStdin(t, text, command, "-", "--json", "--lang", "en"))["notes"])
		if len(notes) == 0 || !strings.Contains(notes[0].(string), "RTX 4090") {
			t.Errorf("%s: %v", command, notes)
		}
		if n := list(t, "notes", asJSON(t, runStdin(t, good, command, "-", "--json"))["notes"]); command != "fit" && len(n) > 0 {
			t.Errorf("%s of a known card: %v", command, n)
		}
		for _, l := range texts.Langs() {
			if r := runStdin(t, text, command, "-", "--lang", string(l)); r.code != 0 || !strings.Contains(r.out, "rtx4090") || !strings.Contains(r.out, "RTX 4090 D") {
				t.Errorf("%s %s: %+v", command, l, r)
			}
		}
	}
	if r := runStdin(t, text, "bill", "-", "--lang", "en"); !strings.Contains(r.out, texts.For(texts.English).T("bill.note.card_unknown", "card", "rtx4090")) {
		t.Errorf("the bill doesn't say what isn't known: %s", r.out)
	}
	r := runStdin(t, strings.Replace(good, "model: sdxl", "model: sdxxl", 1), "fit", "-", "--lang", "en")
	if r.code != 64 || !strings.Contains(r.stderr, "sdxl") || len(r.stderr) > 300 {
		t.Errorf("%+v", r)
	}
}

// TestWeightsAreShort: a weight has at most two decimals.
func TestWeightsAreShort(t *testing.T) {
	for _, kind := range plan.Kinds() {
		m := asJSON(t, runStdin(t, string(plan.Example(kind)), "advise", "-", "--json"))
		for _, r := range list(t, "reasons", m["reasons"]) {
			if w := r.(map[string]any)["weight"].(float64); math.Abs(w*100-math.Round(w*100)) > 1e-9 {
				t.Errorf("%s: %v", kind, w)
			}
		}
	}
}

// TestExampleInChinese: remarks and names are in the language that was asked
// for.
func TestExampleInChinese(t *testing.T) {
	for _, kind := range plan.Kinds() {
		r := runStdin(t, "", "plan", "example", kind, "--lang", "zh")
		if r.code != 0 || r.out != string(plan.ExampleIn(texts.Chinese, kind)) || !strings.Contains(r.out, "示例") {
			t.Errorf("%+v", r)
		}
	}
}
