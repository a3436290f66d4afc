package main

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// TestFindsWhatOnlyAnotherSystemSees lays a module whose Windows file is wrong
// and whose Linux file is fine.
func TestFindsWhatOnlyAnotherSystemSees(t *testing.T) {
	root := t.TempDir()
	if err := os.CopyFS(root, fstest.MapFS{
		"go.mod":               {Data: []byte("module example\n\ngo 1.26\n")},
		"a/a.go":               {Data: []byte("package a\n\nimport \"net\"\n\nvar Conn net.Conn = open()\n")},
		"a/open_linux.go":      {Data: []byte("package a\n\nimport \"net\"\n\nfunc open() net.Conn { return nil }\n")},
		"a/open_windows.go":    {Data: []byte("package a\n\nfunc open() int { return 0 }\n")},
		"a/c.go":               {Data: []byte("package a\n\n// #include <stdlib.h>\nimport \"C\"\n\nvar _ = C.malloc(1)\n")},
		"linuxonly/l_linux.go": {Data: []byte("package linuxonly\n")},
	}); err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	t.Setenv("GOFLAGS", "-buildvcs=false")
	n, errs, err := check("windows", "amd64", "", []string{"example/linuxonly"})
	if err != nil || n != 1 || len(errs) != 1 || !strings.Contains(errs[0].Error(), "a.go") {
		t.Errorf("windows: %d packages, %v, %v; want one error in a.go", n, errs, err)
	}
	if _, errs, err = check("linux", "amd64", "", nil); err != nil || len(errs) != 0 {
		t.Errorf("linux: %v, %v", errs, err)
	}
	if _, errs, err = check("windows", "amd64", "", nil); err != nil || len(errs) < 2 {
		t.Errorf("a package without files for windows: %v, %v; want an error of it too", errs, err)
	}
}
