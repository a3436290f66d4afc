package doctable

import (
	"os"
	"slices"
	"testing"
	"testing/fstest"
)

func TestWrong(t *testing.T) {
	root := t.TempDir()
	if err := os.CopyFS(root, fstest.MapFS{
		"probe/x/x_test.go": {Data: []byte("package x\n\n// cases 1, 2 and 5 to 7\nfunc TestA() {}\n\nfunc TestB() { run(\"case 3\") }\n\nfunc TestCase04() {}\n")},
		"good.md": {Data: []byte("| no | what | where |\n| --- | --- | --- |\n| 1 | a | `probe/x` TestA |\n| 2 | b | `probe/x` TestB, TestA |\n" +
			"| 3 | c | `probe/x` TestB |\n| 4 | d | `probe/x` TestCase04 |\n| 5 | e | not here: no `probe/x` |\n| 6 | f | `probe/x` TestA |\n")},
		"bad.md": {Data: []byte("| 1 | a | `probe/x` TestB |\n| 3 | c | `probe/x` TestB, TestGone |\n| 4 | d | `probe/y` TestCase04 |\n| 5 | e | somewhere |\n")},
	}); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string][]string{
		"good.md": nil,
		"bad.md": {
			"no test of 1 names that number", "number 3 stands where 2 should", `3: "probe/x" has no test TestGone`,
			`4: "probe/y" has no test TestCase04`, "5 names neither a test nor a reason", "it ends with 5, not 6",
		},
	} {
		got, err := Table{Root: root, File: file, Rows: 6, Word: "cases?", Name: "TestCase"}.wrong()
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", file, got, err)
		}
	}
}
