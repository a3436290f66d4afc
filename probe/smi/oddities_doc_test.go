package smi

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestOdditiesTable keeps docs/oddities.md: every number from 1 to 70 once, in
// order, each with a test that exists and names the number, or with a reason.
func TestOdditiesTable(t *testing.T) {
	const root = "../.."
	b, err := os.ReadFile(filepath.Join(root, "docs", "oddities.md"))
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]string{}
	source := func(pkg string) string {
		if s, ok := sources[pkg]; ok {
			return s
		}
		files, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(pkg), "*_test.go"))
		var all strings.Builder
		for _, f := range files {
			if filepath.Base(f) == "oddities_doc_test.go" {
				continue
			}
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(b)
		}
		sources[pkg] = all.String()
		return sources[pkg]
	}
	row := regexp.MustCompile(`^\| (\d+) \| ([^|]+) \| ([^|]+) \|$`)
	word := regexp.MustCompile("`((?:probe|store|ui|app)[a-z/]*)`|\\b(Test[A-Za-z0-9_]+)")
	next := 1
	for l := range strings.SplitSeq(string(b), "\n") {
		m := row.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[1])
		if n != next {
			t.Fatalf("number %d stands where %d should", n, next)
		}
		next++
		pkg, tests := "", 0
		for _, w := range word.FindAllStringSubmatch(m[3], -1) {
			if w[1] != "" {
				pkg = w[1]
				continue
			}
			tests++
			if !strings.Contains(source(pkg), "func "+w[2]+"(t *testing.T)") {
				t.Errorf("%d: %s has no test %s", n, pkg, w[2])
			}
		}
		switch {
		case tests == 0 && !strings.HasPrefix(m[3], "not here: "):
			t.Errorf("%d names neither a test nor a reason: %s", n, m[3])
		case tests > 0 && !namesNumber(sources, n):
			t.Errorf("no test that the table knows names oddity %d", n)
		}
	}
	if next != 71 {
		t.Errorf("the table ends with %d", next-1)
	}
}

// namesNumber looks for "oddity 7", "oddities 7, 8 and 9" and "oddities 29 to 32".
func namesNumber(sources map[string]string, n int) bool {
	list := regexp.MustCompile(`(?i)oddit(?:y|ies) ((?:\d+(?:, | and | to )?)+)`)
	span := regexp.MustCompile(`(\d+) to (\d+)`)
	for _, s := range sources {
		if strings.Contains(s, fmt.Sprintf("func TestOddity%02d", n)) {
			return true
		}
		for _, m := range list.FindAllStringSubmatch(s, -1) {
			for _, d := range regexp.MustCompile(`\d+`).FindAllString(m[1], -1) {
				if d == strconv.Itoa(n) {
					return true
				}
			}
			for _, r := range span.FindAllStringSubmatch(m[1], -1) {
				from, _ := strconv.Atoi(r[1])
				to, _ := strconv.Atoi(r[2])
				if n >= from && n <= to {
					return true
				}
			}
		}
	}
	return false
}
