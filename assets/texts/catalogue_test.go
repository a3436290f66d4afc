package texts

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

func TestFilesAreSound(t *testing.T) {
	for _, l := range Langs() {
		_, faults := load(l)
		for _, f := range faults {
			t.Error(f)
		}
		for _, k := range For(l).Keys() {
			s := For(l).T(k)
			if strings.TrimSpace(s) == "" {
				t.Errorf("%s: %s is empty", l, k)
			}
			if s != strings.TrimSpace(s) && !strings.HasPrefix(k, "cli.") {
				t.Errorf("%s: %s has blanks at its ends", l, k)
			}
			if rest := placeholder.ReplaceAllString(s, ""); strings.ContainsAny(rest, "{}") {
				t.Errorf("%s: %s has a stray brace: %q", l, k, s)
			}
		}
	}
}

func TestBothLanguagesSayTheSame(t *testing.T) {
	en, zh := For(English), For(Chinese)
	for _, k := range en.Keys() {
		if !zh.Has(k) {
			t.Errorf("%s has no Chinese text", k)
			continue
		}
		a, b := names(en.T(k)), names(zh.T(k))
		if !slices.Equal(a, b) {
			t.Errorf("%s: placeholders differ: en %v, zh %v", k, a, b)
		}
	}
	for _, k := range zh.Keys() {
		if !en.Has(k) {
			t.Errorf("%s has no English text", k)
		}
	}
}

// names returns the placeholders of a text, sorted, each once; the forms of a
// word that a number picks are of one language.
func names(s string) []string {
	var n []string
	for _, p := range placeholder.FindAllString(s, -1) {
		if !strings.Contains(p, "|") {
			n = append(n, p)
		}
	}
	slices.Sort(n)
	return slices.Compact(n)
}

func TestT(t *testing.T) {
	c := &Catalogue{Lang: English, texts: map[string]string{"a": "{x} and {y}, {x}", "b": "{", "c": "{z} {x"}}
	for _, k := range []struct {
		key   string
		pairs []any
		want  string
	}{
		{"a", []any{"x", 1, "y", "two"}, "1 and two, 1"},
		{"a", []any{"x", "{y}", "y", "u"}, "{y} and u, {y}"},
		{"a", []any{"x"}, "{x} and {y}, {x}"},
		{"b", []any{"x", 1}, "{"},
		{"c", []any{"x", 1}, "{z} {x"},
		{"no such key", nil, "no such key"},
	} {
		if got := c.T(k.key, k.pairs...); got != k.want {
			t.Errorf("T(%q, %v) = %q, want %q", k.key, k.pairs, got, k.want)
		}
	}
}

func TestThinGapInChinese(t *testing.T) {
	for in, want := range map[string]string{
		"显存GPU占用":    "显存\u2009GPU\u2009占用",
		"显存 GPU 占用":  "显存\u2009GPU\u2009占用",
		"显存，GPU":     "显存，GPU",
		"（GPU）":      "（GPU）",
		"GPU 0":      "GPU 0",
		"已有 {age}没有": "已有{age}没有",
		"到 100 % 时":  "到\u2009100 %\u2009时",
	} {
		if got := spaced(in); got != want {
			t.Errorf("spaced(%q) = %q, want %q", in, got, want)
		}
	}
	c := &Catalogue{Lang: Chinese, texts: map[string]string{"a": "已有{age}没有", "b": "{path}里"}}
	if got := c.T("a", "age", "12 秒"); got != "已有\u200912 秒没有" {
		t.Errorf("got %q", got)
	}
	if got := c.T("b", "path", "/root/模型a目录"); got != "/root/模型a目录里" {
		t.Errorf("a value must stay as it is, got %q", got)
	}
}

func TestForUnknownLanguage(t *testing.T) {
	if For("de").Lang != English {
		t.Error("an unknown language is answered in English")
	}
}

func TestHas(t *testing.T) {
	for _, l := range Langs() {
		For(l)
		if !Has("app.name") || Has("no.such.text") {
			t.Errorf("after %s was asked", l)
		}
	}
}
