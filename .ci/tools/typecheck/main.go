// Typecheck checks that every package of this module type-checks for another
// system, where no C compiler for it is at hand: "go vet" without cgo fails
// inside Fyne and go-sqlite3, whose Go files are then left out. Here the files
// of a cgo build are taken and what they use of C is trusted.
//
//	go run ./.ci/tools/typecheck [-skip LIST] windows/amd64 darwin/arm64
//
// It prints the errors that stand in our own packages and exits 1 if there
// are any.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// skipped are packages for Linux alone.
const skipped = "rentgen/probe/nvml,rentgen/probe/agent"

type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	CgoFiles   []string
	ImportMap  map[string]string
	Standard   bool
	Module     *struct{ Main bool }
	Error      *struct{ Err string }
}

func main() {
	skip := flag.String("skip", skipped, "import paths not to check, separated by commas")
	tags := flag.String("tags", "migrated_fynedo,no_emoji", "build tags")
	flag.Parse()
	bad := 0
	for _, target := range flag.Args() {
		goos, goarch, ok := strings.Cut(target, "/")
		if !ok {
			fmt.Fprintf(os.Stderr, "%s: want GOOS/GOARCH\n", target)
			os.Exit(2)
		}
		n, errs, err := check(goos, goarch, *tags, strings.Split(*skip, ","))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		for _, e := range errs {
			fmt.Printf("%s: %v\n", target, e)
		}
		bad += len(errs)
		fmt.Printf("%s: %d packages of ours, %d errors\n", target, n, len(errs))
	}
	if bad > 0 {
		os.Exit(1)
	}
}

// check returns how many packages of ours were checked and their errors.
func check(goos, goarch, tags string, skip []string) (int, []error, error) {
	ours, err := list(goos, goarch, tags, "./...")
	if err != nil {
		return 0, nil, err
	}
	// A package without a single file for the target is not in that list.
	here, err := list(runtime.GOOS, runtime.GOARCH, tags, "./...")
	if err != nil {
		return 0, nil, err
	}
	var roots []string
	for _, p := range append(ours, here...) {
		if !skips(skip, p.ImportPath) && !slices.Contains(roots, p.ImportPath) {
			roots = append(roots, p.ImportPath)
		}
	}
	all, err := list(goos, goarch, tags, append([]string{"-deps"}, roots...)...)
	if err != nil {
		return 0, nil, err
	}
	c := &checker{
		fset:  token.NewFileSet(),
		done:  map[string]*types.Package{"unsafe": types.Unsafe},
		sizes: types.SizesFor("gc", goarch),
	}
	n := 0
	for _, p := range all { // dependencies come first
		own := p.Module != nil && p.Module.Main
		if own && p.Error != nil {
			c.errs = append(c.errs, errors.New(p.Error.Err))
		}
		if err := c.pkg(p, own); err != nil {
			return 0, nil, err
		}
		if own {
			n++
		}
	}
	return n, c.errs, nil
}

func skips(skip []string, path string) bool {
	for _, s := range skip {
		if path == s || strings.HasPrefix(path, s+"/") {
			return true
		}
	}
	return false
}

func list(goos, goarch, tags string, args ...string) ([]listed, error) {
	cmd := exec.Command("go", append([]string{
		"list", "-e", "-tags=" + tags,
		"-json=ImportPath,Dir,GoFiles,CgoFiles,ImportMap,Standard,Module,Error",
	}, args...)...)
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var ps []listed
	d := json.NewDecoder(out)
	for {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		ps = append(ps, p)
	}
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	return ps, nil
}

type checker struct {
	fset  *token.FileSet
	done  map[string]*types.Package
	sizes types.Sizes
	errs  []error
}

// pkg checks one package whose dependencies are done. Bodies of foreign
// functions are left out: only their signatures matter here.
func (c *checker) pkg(p listed, own bool) error {
	if p.ImportPath == "unsafe" || p.ImportPath == "C" {
		return nil
	}
	var files []*ast.File
	for _, name := range append(append([]string{}, p.GoFiles...), p.CgoFiles...) {
		f, err := parser.ParseFile(c.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			if own {
				c.errs = append(c.errs, err)
			}
			continue
		}
		files = append(files, f)
	}
	conf := types.Config{
		FakeImportC:      true,
		IgnoreFuncBodies: !own,
		Sizes:            c.sizes,
		Importer:         importer{c.done, p.ImportMap},
		Error: func(err error) {
			if own {
				c.errs = append(c.errs, err)
			}
		},
	}
	pkg, _ := conf.Check(p.ImportPath, c.fset, files, nil) // errors went to Error
	c.done[p.ImportPath] = pkg
	return nil
}

type importer struct {
	done map[string]*types.Package
	as   map[string]string
}

// Import finds a package that was checked before.
func (i importer) Import(path string) (*types.Package, error) {
	if as, ok := i.as[path]; ok {
		path = as
	}
	if p := i.done[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("package %s was not found", path)
}
