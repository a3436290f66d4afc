package main

import (
	"os"
	"reflect"
	"testing"
	"testing/fstest"
)

func TestFind(t *testing.T) {
	root := t.TempDir()
	if err := os.CopyFS(root, fstest.MapFS{
		"a/x_test.go":          {Data: []byte("package a\n// RENTGEN_BENCH\nfunc TestFigures(t *testing.T) {}\nfunc helper() {}")},
		"a/y_test.go":          {Data: []byte("package a\nfunc TestOther(t *testing.T) {}")},
		"build/z_test.go":      {Data: []byte("package z\n// RENTGEN_BENCH\nfunc TestZ(t *testing.T) {}")},
		"a/build/w_test.go":    {Data: []byte("package w\n// RENTGEN_BENCH\nfunc TestW(t *testing.T) {}")},
		"a/testdata/v_test.go": {Data: []byte("package v\n// RENTGEN_BENCH\nfunc TestV(t *testing.T) {}")},
	}); err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	got, err := find(".")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"./a": {"TestFigures"}, "./a/build": {"TestW"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestRow(t *testing.T) {
	for _, c := range []struct {
		f    []string
		want [4]string
	}{
		{[]string{"frame", "0.5", "ms", "1", "0.50"}, [4]string{"frame", "0.5 ms", "1 ms", "0.50"}},
		{[]string{"cpu", "1", "%", "4"}, [4]string{"cpu", "1 %", "4 %", "0.25"}},
		{[]string{"cpu", "none", "%"}, [4]string{"cpu", "none %", "", ""}},
		{[]string{"cpu"}, [4]string{"cpu", "", "", ""}},
	} {
		if got := row(c.f); got != c.want {
			t.Errorf("%v: %q, want %q", c.f, got, c.want)
		}
	}
}
