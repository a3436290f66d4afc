package doctable

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWrong(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "probe", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"probe/x/x_test.go": "package x\n\n// cases 1, 2 and 5 to 7\nfunc TestA() {}\n\nfunc TestB() { run(\"case 3\") }\n\nfunc TestCase04() {}\n",
		"good.md": "| no | what | where |\n| --- | --- | --- |\n| 1 | a | `probe/x` TestA |\n| 2 | b | `probe/x` TestB, TestA |\n" +
			"| 3 | c | `probe/x` TestB |\n| 4 | d | `probe/x` TestCase04 |\n| 5 | e | not here: no `probe/x` |\n| 6 | f | `probe/x` TestA |\n",
		"bad.md": "| 1 | a | `probe/x` TestB |\n| 3 | c | `probe/x` TestB, TestGone |\n| 4 | d | `probe/y` TestCase04 |\n| 5 | e | somewhere |\n",
	} {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(file)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
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
