package provider

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"rentgen/assets/providers"
	"rentgen/assets/texts"
)

// TestRuleFiles reads every file that ships; what is wrong in one is named.
func TestRuleFiles(t *testing.T) {
	all, err := read(providers.Files)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range all {
		ids = append(ids, r.ID)
		if len(r.Sources) == 0 {
			t.Errorf("%s has no sources", r.ID)
		}
		if got, ok := Find(r.ID); !ok || got.ID != r.ID {
			t.Errorf("%s isn't found", r.ID)
		}
	}
	want := []string{
		"aladdinedu", "aliyun", "autodl", "aws", "baidu", "ctyun", "featurize", "gcp", "gitee", "gpufree", "gpushare", "huawei",
		"lambda", "lanrui", "matpool", "runpod", "runpod-serverless", "scaleway", "spacehpc", "tencent", "thunder", "ucloud", "vast",
		"verda", "zhixingyun",
	}
	if !slices.Equal(ids, want) {
		t.Errorf("providers %v", ids)
	}
	if _, ok := Find("nobody"); ok {
		t.Error("an unknown provider was found")
	}
}

// TestContradictionsAreKept guards that of two pages neither is dropped.
func TestContradictionsAreKept(t *testing.T) {
	for id, c := range map[string]struct{ term, value, also string }{
		"lambda": {"billed_from", "running", "order"},
		"ucloud": {"granularity_s", "60", "3600"},
		"aliyun": {"stop_bills_compute", "true", "false"},
	} {
		r, _ := Find(id)
		x := r.Terms[c.term]
		if x.Value != c.value || len(x.Also) != 1 || x.Also[0].Value != c.also || x.Also[0].Source == x.Source {
			t.Errorf("%s: %+v", id, x)
		}
	}
}

// TestNotes checks that both languages say something of their own, and that
// Chinese is written as such.
func TestNotes(t *testing.T) {
	for _, r := range All() {
		for _, n := range r.Notes {
			zh := n.Text(texts.Chinese)
			if n.Text(texts.English) == zh || strings.ContainsAny(n.English+zh, "!！") {
				t.Errorf("%s: %+v", r.ID, n)
			}
			if !strings.ContainsFunc(zh, func(r rune) bool { return unicode.Is(unicode.Han, r) }) || strings.ContainsAny(zh, ",;?") {
				t.Errorf("%s: %q", r.ID, zh)
			}
		}
		if r.NameIn(texts.Chinese) == "" || r.NameIn(texts.English) == "" || r.NameIn("de") != r.ID {
			t.Errorf("%s: names %v", r.ID, r.Name)
		}
	}
}

const good = `id: x
name: {en: X, zh: 某}
kind: shared
machine: container
currency: CNY
terms:
  granularity_s: {value: 1, source: page, date: 2026-10-02, mark: provider}
notes:
  - {topic: pay, en: a, zh: 甲, source: page, date: undated, mark: third-party, doubt: true}
`

// TestBadFilesAreErrors breaks a good file in each way.
func TestBadFilesAreErrors(t *testing.T) {
	r, err := parse([]byte(good))
	if err != nil || r.Terms["granularity_s"].Date != "2026-10-02" || r.Terms["granularity_s"].Value != "1" || !r.Notes[0].Doubt {
		t.Fatalf("%v %+v", err, r)
	}
	for _, c := range [][2]string{
		{"id: x", "id: ''"},
		{"zh: 某", "zh: ''"},
		{"kind: shared", "kind: public"},
		{"machine: container", "machine: pod"},
		{"currency: CNY", "currency: yuan"},
		{"currency: CNY", "currency: CNY\nprice: 3"},
		{"value: 1, ", ""},
		{"source: page, date: 2026", "date: 2026"},
		{"date: 2026-10-02, ", ""},
		{"date: 2026-10-02", "date: last week"},
		{"mark: provider", "mark: rumour"},
		{"mark: provider", "mark: provider, currency: CNY"},
		{"mark: provider", "mark: provider, also: [{value: 2, source: p, mark: provider}]"},
		{"mark: provider", "mark: provider, also: [{value: 2, source: p, date: undated, mark: provider, also: [{value: 3, source: p, date: undated, mark: provider}]}]"},
		{"topic: pay", "topic: weather"},
		{"zh: 甲", "zh: ''"},
		{"date: undated", "date: ''"},
		{"notes:", "---\nnotes:"},
		{"terms:\n  granularity_s: {value: 1, source: page, date: 2026-10-02, mark: provider}\n", ""},
		{good, "{"},
	} {
		if _, err := parse([]byte(strings.Replace(good, c[0], c[1], 1))); err == nil {
			t.Errorf("%q instead of %q was taken", c[1], c[0])
		}
	}
	if _, err := read(fstest.MapFS{"y.yaml": {Data: []byte(good)}}); err == nil {
		t.Error("a file was taken under another id")
	}
	if all, err := read(fstest.MapFS{"x.yaml": {Data: []byte(good)}}); err != nil || len(all) != 1 {
		t.Error(all, err)
	}
}
