package texts

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// uses is what the sources of the module say about keys.
type uses struct {
	literals map[string]bool   // every string literal
	prefixes map[string]bool   // literals that a code is appended to
	suffixes map[string]bool   // literals that follow a code
	asked    map[string]string // key given to T as it stands -> where
}

func readSources(t *testing.T) uses {
	t.Helper()
	u := uses{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]string{}}
	root := filepath.Join("..", "..")
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); path != root && (strings.HasPrefix(n, ".") || n == "testdata" || n == "build" || n == "shared") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool { u.look(set, n); return true })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(u.literals) < 50 {
		t.Fatalf("only %d string literals found: the sources are not where they were", len(u.literals))
	}
	return u
}

func (u *uses) look(set *token.FileSet, n ast.Node) {
	switch n := n.(type) {
	case *ast.BasicLit:
		if s, ok := literal(n); ok {
			u.literals[s] = true
			if before, _, ok := strings.Cut(s, "%"); ok && strings.HasSuffix(before, ".") {
				u.prefixes[before] = true // a format of Sprintf
			}
		}
	case *ast.BinaryExpr:
		if s, ok := literal(n.X); ok && n.Op == token.ADD && strings.HasSuffix(s, ".") {
			u.prefixes[s] = true
		}
		if s, ok := literal(n.Y); ok && n.Op == token.ADD && strings.HasPrefix(s, ".") {
			u.suffixes[s] = true
		}
	case *ast.CallExpr:
		sel, ok := n.Fun.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "T" || len(n.Args) == 0 {
			return
		}
		if s, ok := literal(n.Args[0]); ok {
			u.asked[s] = set.Position(n.Pos()).String()
		}
	}
}

func literal(e ast.Node) (string, bool) {
	b, ok := e.(*ast.BasicLit)
	if !ok || b.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(b.Value)
	return s, err == nil
}

func TestEveryKeyAskedForExists(t *testing.T) {
	u := readSources(t)
	for k, where := range u.asked {
		if !For(English).Has(k) {
			t.Errorf("%s asks for %q, which has no text", where, k)
		}
	}
	if len(u.asked) == 0 {
		t.Error("no call of T was found")
	}
}

// TestMetricsHaveTexts reads the keys of probe's metrics from its source, since
// assets import nothing of ours.
func TestMetricsHaveTexts(t *testing.T) {
	n := 0
	for _, c := range []struct{ file, before, prefix string }{
		{"metric.go", `Key: "`, "metric."},
		{"sample.go", "GapReason = \"", "gap."},
	} {
		for _, key := range quoted(t, filepath.Join("..", "..", "probe", c.file), c.before) {
			n++
			for _, l := range Langs() {
				if !For(l).Has(c.prefix + key) {
					t.Errorf("%s: no text for %s%s", l, c.prefix, key)
				}
			}
		}
	}
	for _, key := range quoted(t, filepath.Join("..", "..", "probe", "sample.go"), "= \"") {
		n++
		if !For(English).Has("event."+key) && !For(English).Has("gap."+key) {
			t.Errorf("no text for event %s", key)
		}
	}
	for _, state := range []string{"pending", "unsupported", "denied", "error"} {
		if !For(English).Has("state." + state) {
			t.Errorf("no text for state %s", state)
		}
	}
	if n < 60 {
		t.Errorf("only %d names found in probe: its sources are written otherwise now", n)
	}
}

// quoted returns what follows each occurrence of a text up to the next quote.
func quoted(t *testing.T, file, before string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, part := range strings.Split(string(b), before)[1:] {
		if key, _, _ := strings.Cut(part, `"`); key != "" {
			found = append(found, key)
		}
	}
	return found
}
