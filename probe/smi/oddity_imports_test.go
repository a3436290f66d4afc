package smi

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// oddity 69: the laptop has no NVIDIA library; only the program for the host
// may link against one.
func TestOddity69OnlyTheAgentLinksNVML(t *testing.T) {
	const root = "../.."
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if name := d.Name(); rel != "." && (strings.HasPrefix(name, ".") || name == "build" || rel == "probe/nvml" || rel == "probe/agent") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") {
			return nil
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return nil // being written; the compiler has the say
		}
		for _, i := range f.Imports {
			if strings.Contains(i.Path.Value, "go-nvml") {
				t.Errorf("%s imports %s", rel, i.Path.Value)
			}
		}
		return nil
	})
	if err != nil || files < 10 {
		t.Errorf("%d files, %v", files, err)
	}
}
