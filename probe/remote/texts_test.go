package remote

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rentgen/assets/texts"
)

// Every code that can come out of this package has its words in both
// languages, with the same places to fill.
func TestTexts(t *testing.T) {
	var want []string
	for _, s := range Stages() {
		want = append(want, "remote.stage."+string(s))
	}
	for _, k := range Kinds() {
		want = append(want, "remote.err."+string(k), "remote.next."+string(k))
	}
	sources := sourceText(t)
	for _, m := range regexp.MustCompile(`otice\(\s*"([a-z-]+)"|Code: "([a-z-]+)"|return nil, "(config-[a-z]+)"`).FindAllStringSubmatch(sources, -1) {
		code := m[1] + m[2] + m[3]
		if code == "key-format-" {
			for _, f := range []string{formPPK, formPKCS8, formPublic, formUnknown} {
				want = append(want, "remote.notice.key-format-"+f)
			}
			continue
		}
		want = append(want, "remote.notice."+code)
	}
	for _, m := range regexp.MustCompile(`InputError\{Field: "([a-z]+)"|bad\("([a-z]+)", `).FindAllStringSubmatch(sources, -1) {
		want = append(want, "remote.input."+m[1]+m[2])
	}
	want = append(want, "remote.input.jump")
	slices.Sort(want)
	want = slices.Compact(want)
	own, err := os.ReadFile("../../assets/texts/en/remote.json")
	if err != nil {
		t.Fatal(err)
	}
	var have map[string]string
	if err := json.Unmarshal(own, &have); err != nil {
		t.Fatal(err)
	}
	for k := range have {
		if !slices.Contains(want, k) {
			t.Errorf("unused: %s", k)
		}
	}
	places := regexp.MustCompile(`\{[a-z]+\}`)
	for _, k := range want {
		var found [2][]string
		for i, l := range []texts.Lang{texts.English, texts.Chinese} {
			if !texts.For(l).Has(k) {
				t.Errorf("%s is missing in %s", k, l)
			}
			found[i] = places.FindAllString(texts.For(l).T(k), -1)
			slices.Sort(found[i])
			found[i] = slices.Compact(found[i])
		}
		if !slices.Equal(found[0], found[1]) {
			t.Errorf("%s: places %q and %q", k, found[0], found[1])
		}
	}
}

func sourceText(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, n := range names {
		if strings.HasSuffix(n, "_test.go") {
			continue
		}
		src, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(src)
	}
	return b.String()
}
