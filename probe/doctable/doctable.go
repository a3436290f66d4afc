// Package doctable keeps a table of the documentation true: numbered cases, each
// with the tests that hold it, or the reason why none can.
package doctable

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Table is a Markdown table with the rows "| number | what | where |".
type Table struct {
	Root string // the module's folder, as the test sees it
	File string // below Root, with slashes
	Rows int    // the numbers are 1 to Rows
	// Word is what stands before a number in a test: a regular expression, for
	// example "cases?". "cases 7, 8 and 9" and "cases 29 to 32" count as well.
	Word string
	// Name is the beginning of a test's name that a number of two digits
	// follows, "" for none.
	Name string
}

// NotHere begins the third column of a row that no test can hold.
const NotHere = "not here: "

var (
	row   = regexp.MustCompile(`^\| (\d+) \| ([^|]+) \| ([^|]+) \|$`)
	where = regexp.MustCompile("`((?:probe|store|ui|app)[a-z/]*)`|\\b((?:Test|Fuzz)[A-Za-z0-9_]+)")
	span  = regexp.MustCompile(`(\d+)(?: to (\d+))?`)
)

// Check fails unless every number stands there once and in order, every test
// that is named exists, and one of those of a row names its number.
func Check(t *testing.T, tab Table) {
	t.Helper()
	wrong, err := tab.wrong()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range wrong {
		t.Errorf("%s: %s", tab.File, w)
	}
}

// wrong returns what is not as it should be, one line each.
func (tab Table) wrong() ([]string, error) {
	b, err := os.ReadFile(filepath.Join(tab.Root, filepath.FromSlash(tab.File)))
	if err != nil {
		return nil, err
	}
	numbers, err := regexp.Compile(`(?i)\b` + tab.Word + ` ((?:\d+(?:, | and | to )?)+)`)
	if err != nil {
		return nil, err
	}
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	tests := map[string]map[string]string{}
	next := 1
	for l := range strings.SplitSeq(string(b), "\n") {
		m := row.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[1])
		if n != next {
			say("number %d stands where %d should", n, next)
		}
		next = n + 1
		pkg, found, named := "", 0, false
		for _, w := range where.FindAllStringSubmatch(m[3], -1) {
			if w[1] != "" {
				pkg = w[1]
				continue
			}
			if tests[pkg] == nil {
				if tests[pkg], err = functions(filepath.Join(tab.Root, filepath.FromSlash(pkg))); err != nil {
					return nil, err
				}
			}
			found++
			text, ok := tests[pkg][w[2]]
			if !ok {
				say("%d: %q has no test %s", n, pkg, w[2])
			}
			named = named || names(numbers, text, n) ||
				tab.Name != "" && strings.HasPrefix(w[2], fmt.Sprintf("%s%02d", tab.Name, n))
		}
		switch {
		case strings.HasPrefix(m[3], NotHere):
		case found == 0:
			say("%d names neither a test nor a reason", n)
		case !named:
			say("no test of %d names that number", n)
		}
	}
	if next != tab.Rows+1 {
		say("it ends with %d, not %d", next-1, tab.Rows)
	}
	return wrong, nil
}

// functions returns the tests and fuzz targets of a folder, each with its
// comment and body.
func functions(dir string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, f, b, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil {
				continue
			}
			from := fn.Pos()
			if fn.Doc != nil {
				from = fn.Doc.Pos()
			}
			all[fn.Name.Name] = string(b[fset.Position(from).Offset:fset.Position(fn.End()).Offset])
		}
	}
	return all, nil
}

func names(numbers *regexp.Regexp, text string, n int) bool {
	for _, m := range numbers.FindAllStringSubmatch(text, -1) {
		for _, s := range span.FindAllStringSubmatch(m[1], -1) {
			from, _ := strconv.Atoi(s[1])
			to := from
			if s[2] != "" {
				to, _ = strconv.Atoi(s[2])
			}
			if n >= from && n <= to {
				return true
			}
		}
	}
	return false
}
