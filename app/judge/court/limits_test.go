package court

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rentgen/app/judge/series"
)

// TestLimitsAreUsed expects every row of the table in the sources of a rule.
func TestLimitsAreUsed(t *testing.T) {
	asked := regexp.MustCompile(`(?:Limit|seconds)\("([a-z.-]+)"\)`)
	used := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		for _, m := range asked.FindAllStringSubmatch(string(b), -1) {
			used[m[1]] = true
		}
		return err
	})
	if err != nil || len(used) < 10 {
		t.Fatal(err, len(used))
	}
	for _, b := range series.Limits() {
		if !used[b.ID] {
			t.Errorf("%s is used nowhere", b.ID)
		}
		delete(used, b.ID)
	}
	for id := range used {
		t.Errorf("%s has no row", id)
	}
}
