// Package agenttest builds what end-to-end tests need of the host's side: our
// program and a scripted stand-in for NVIDIA's library (see
// probe/agent/testdata/fakenvml/fakenvml.c for the scenario language).
//
// What is built is kept in the module's build folder under the hash of its
// sources, so that many test binaries share it and none uses an old one.
package agenttest

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// Agent returns the path of our program, built for this machine. On another
// system than Linux the test is skipped.
func Agent(t testing.TB) string {
	t.Helper()
	return agent(t)
}

// Library returns a folder with the fake libnvidia-ml.so.1, for LD_LIBRARY_PATH.
func Library(t testing.TB) string {
	t.Helper()
	return library(t, nil)
}

// LibraryWithout returns a folder with a fake that lacks the given functions,
// as an older driver does.
func LibraryWithout(t testing.TB, symbols ...string) string {
	t.Helper()
	return library(t, symbols)
}

// Scenario writes the text of a scenario into a file of the test and returns
// its path, for FAKE_NVML_SCENARIO.
func Scenario(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scenario.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Environ returns the variables that make a program load the fake from lib with
// the scenario at path; counts may be "".
func Environ(lib, scenario, counts string) []string {
	env := []string{"LD_LIBRARY_PATH=" + lib, "FAKE_NVML_SCENARIO=" + scenario}
	if counts != "" {
		env = append(env, "FAKE_NVML_COUNTS="+counts)
	}
	return env
}

// Counts reads how often each function of the fake was called so far from the
// file that FAKE_NVML_COUNTS named.
func Counts(t testing.TB, path string) map[string]uint64 {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const record, name = 64, 56
	m := make(map[string]uint64)
	for ; len(b) >= record; b = b[record:] {
		text, _, _ := bytes.Cut(b[:name], []byte{0})
		m[string(text)] = binary.NativeEndian.Uint64(b[name:])
	}
	return m
}
