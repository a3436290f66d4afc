// Benchsum runs the tests that measure and prints their figures as one table.
//
//	go run ./.ci/tools/benchsum [packages]
//
// A test that measures stands in a file that names RENTGEN_BENCH and prints,
// when that is set, lines of the form
//
//	figure<TAB>name<TAB>measured<TAB>unit<TAB>limit<TAB>ratio
//
// The ratio is measured against limit in this one run: up to 1 is within. What is
// missing is worked out or left empty. Nothing fails on a figure, since machines
// differ.
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"text/tabwriter"
)

func main() {
	tests, err := find(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var pkgs []string
	for p := range tests {
		if len(os.Args) == 1 || contains(os.Args[1:], p) {
			pkgs = append(pkgs, p)
		}
	}
	sort.Strings(pkgs)
	var figures [][]string
	failed := false
	for _, p := range pkgs { // one after the other: they measure
		fs, err := run(p, tests[p])
		figures = append(figures, fs...)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", p, err)
			failed = true
		}
	}
	table(figures)
	if failed || len(figures) == 0 {
		os.Exit(1)
	}
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if filepath.Clean(l) == filepath.Clean(s) {
			return true
		}
	}
	return false
}

// find returns the measuring tests by the folder of their package.
func find(root string) (map[string][]string, error) {
	tests := make(map[string][]string)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "build" || d.Name() == "testdata") {
			if filepath.Dir(path) == root || d.Name() != "build" {
				return filepath.SkipDir
			}
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(b), "RENTGEN_BENCH") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, b, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := "./" + filepath.ToSlash(filepath.Dir(path))
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				tests[dir] = append(tests[dir], fn.Name.Name)
			}
		}
		return nil
	})
	return tests, err
}

func run(pkg string, tests []string) ([][]string, error) {
	fmt.Fprintln(os.Stderr, "measuring", pkg)
	cmd := exec.Command("go", "test", "-count=1", "-v", "-timeout=30m", "-run=^("+strings.Join(tests, "|")+")$", pkg)
	cmd.Env = append(os.Environ(), "RENTGEN_BENCH=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var figures [][]string
	sc := bufio.NewScanner(out)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		line := sc.Text()
		if i := strings.Index(line, "figure\t"); i >= 0 {
			figures = append(figures, strings.Split(line[i:], "\t")[1:])
		} else if strings.Contains(line, "FAIL") || strings.Contains(line, "SKIP") {
			fmt.Fprintln(os.Stderr, line)
		}
	}
	return figures, cmd.Wait()
}

// row turns a figure's fields into the columns of the table.
func row(f []string) [4]string {
	f = append(append([]string{}, f...), "", "", "", "", "")
	name, value, unit, limit, ratio := f[0], f[1], f[2], f[3], f[4]
	if ratio == "" {
		a, err1 := strconv.ParseFloat(value, 64)
		b, err2 := strconv.ParseFloat(limit, 64)
		if err1 == nil && err2 == nil && b != 0 {
			ratio = fmt.Sprintf("%.2f", a/b)
		}
	}
	if limit != "" {
		limit += " " + unit
	}
	return [4]string{name, strings.TrimSpace(value + " " + unit), limit, ratio}
}

func table(figures [][]string) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "figure\tmeasured\tat most\tratio")
	for _, f := range figures {
		r := row(f)
		fmt.Fprintln(w, strings.Join(r[:], "\t"))
	}
	w.Flush()
}
