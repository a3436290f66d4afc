package main

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// waitLimit bounds every wait of the window tests.
const waitLimit = 60 * time.Second

// startDisplay starts Xvfb on a free number and returns ":N". It ends with the
// test. Without Xvfb the test is skipped by name.
func startDisplay(t *testing.T, more ...string) string {
	t.Helper()
	path, err := exec.LookPath("Xvfb")
	if err != nil {
		t.Skipf("skipped: %s needs Xvfb (apt-get install xvfb)", t.Name())
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command(path, append([]string{"-noreset", "-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "tcp"}, more...)...)
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		w.Close()
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	if err := r.SetReadDeadline(time.Now().Add(waitLimit)); err != nil {
		t.Fatal(err)
	}
	n, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb does not start: %v", err)
	}
	return ":" + strings.TrimSpace(n)
}

// needTool skips the test by name where a program is missing.
func needTool(t *testing.T, name, pkg string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("skipped: %s needs %s (apt-get install %s)", t.Name(), name, pkg)
	}
	return path
}
