package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// ourFiles calls f with every text file of the module but for what is built
// and for captures of other programs.
func ourFiles(t *testing.T, f func(path string, b []byte)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if name == ".git" || name == "testdata" || path == filepath.Join("..", "build") {
				return filepath.SkipDir
			}
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if utf8.Valid(b) && !bytes.Contains(b, []byte{0}) {
			f(filepath.ToSlash(path), b)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNothingOfThisMachine finds paths and hosts that mean something on the
// machine of one developer only, and work left for later.
func TestNothingOfThisMachine(t *testing.T) {
	bad := []string{ // written in two halves, so that this file is clean
		"/work" + "/main", "/work" + "/shared", ".." + "/shared", "/tmp" + "/brief", "/root" + "/go",
		"proxy." + "golang.org", "deb." + "debian.org", "registry." + "npmjs", "TO" + "DO", "FIX" + "ME", "X" + "XX:",
	}
	files := 0
	ourFiles(t, func(path string, b []byte) {
		files++
		for _, w := range bad {
			if i := bytes.Index(b, []byte(w)); i >= 0 {
				t.Errorf("%s:%d holds %q", path, 1+bytes.Count(b[:i], []byte("\n")), w)
			}
		}
	})
	if files < 100 {
		t.Errorf("only %d files were read", files)
	}
}

// TestFilesHaveOneJob keeps Go files short enough to be read at once.
func TestFilesHaveOneJob(t *testing.T) {
	const most = 600
	ourFiles(t, func(path string, b []byte) {
		if n := bytes.Count(b, []byte("\n")); strings.HasSuffix(path, ".go") && n > most {
			t.Errorf("%s has %d lines; more than %d are more than one job", path, n, most)
		}
	})
}
