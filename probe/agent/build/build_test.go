//go:build linux

package build

import (
	"bytes"
	"compress/gzip"
	"debug/elf"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"rentgen/probe/agent/agenttest"
)

// floor is the oldest glibc that the programs must run on.
var floor = [3]int{2, 17, 0}

const (
	crossCompiler = "aarch64-linux-gnu-gcc"
	emulator      = "qemu-aarch64"
	crossRoot     = "/usr/aarch64-linux-gnu"
)

// script runs build.sh and returns the unpacked program's path.
func script(t *testing.T, arch string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program twice; not in short mode")
	}
	out := t.TempDir()
	cmd := exec.Command("bash", "build.sh", arch)
	cmd.Env = append(os.Environ(), "AGENT_OUT="+out, "AGENT_TWICE=1")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build.sh %s: %v\n%s", arch, err, text)
	}
	f, err := os.Open(filepath.Join(out, "agent-linux-"+arch+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(out, "agent")
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// wantOld checks what the program asks of the system it is loaded on.
func wantOld(t *testing.T, path string) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	libs, err := f.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	for _, lib := range libs {
		switch lib {
		case "libc.so.6", "libpthread.so.0", "libdl.so.2":
		default:
			t.Errorf("it needs %s", lib)
		}
	}
	symbols, err := f.ImportedSymbols()
	if err != nil {
		t.Fatal(err)
	}
	versioned := 0
	for _, s := range symbols {
		if s.Version == "" {
			continue
		}
		versioned++
		text, ok := strings.CutPrefix(s.Version, "GLIBC_")
		if !ok {
			t.Errorf("%s has version %s", s.Name, s.Version)
			continue
		}
		var v [3]int
		for i, part := range strings.Split(text, ".") {
			if v[i], err = strconv.Atoi(part); err != nil {
				t.Fatal(err)
			}
		}
		if v[0] != floor[0] || v[1] > floor[1] {
			t.Errorf("%s needs glibc %s", s.Name, text)
		}
	}
	if versioned < 10 {
		t.Errorf("only %d versioned symbols: is it linked dynamically?", versioned)
	}
	if flags, err := f.DynValue(elf.DT_FLAGS); err == nil {
		for _, v := range flags {
			if v&uint64(elf.DF_BIND_NOW) != 0 {
				t.Error("its symbols are bound at the start; the driver's are not there then")
			}
		}
	}
}

// runs starts the program against the fake and waits for a tick.
func runs(t *testing.T, lib string, command ...string) {
	t.Helper()
	cmd := exec.Command(command[0], append(command[1:], "stdio", "--format=json")...)
	cmd.Env = append(os.Environ(), agenttest.Environ(lib, agenttest.Scenario(t, "gpus 2\nset 1 util 73\n"), "")...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	var got strings.Builder
	buf := make([]byte, 4096)
	for !strings.Contains(got.String(), `"util_pct":73`) {
		n, err := out.Read(buf)
		if err != nil {
			t.Fatalf("no tick: %v\n%s\n%s", err, got.String(), stderr.String())
		}
		got.Write(buf[:n])
	}
	in.Close()
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

// remote 13: glibc too old. The script's own gate and ours.
func TestBuildAMD64(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("SKIPPED amd64 program: this machine is " + runtime.GOARCH)
	}
	path := script(t, "amd64")
	t.Run("remote 13 runs from glibc 2.17 on", func(t *testing.T) { wantOld(t, path) })
	t.Run("runs here", func(t *testing.T) { runs(t, agenttest.Library(t), path) })
	t.Run("its version is stamped", func(t *testing.T) {
		out, err := exec.Command(path, "--version").Output()
		if err != nil || strings.TrimSpace(string(out)) == "dev" || len(strings.Fields(string(out))) != 1 {
			t.Errorf("version %q, %v", out, err)
		}
	})
	t.Run("no path of this machine is in it", func(t *testing.T) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		here, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte(here)) {
			t.Errorf("it contains %s", here)
		}
	})
}

func TestBuildARM64(t *testing.T) {
	if runtime.GOARCH != "arm64" {
		if _, err := exec.LookPath(crossCompiler); err != nil {
			t.Skip("SKIPPED arm64 program: no " + crossCompiler)
		}
	}
	path := script(t, "arm64")
	t.Run("remote 13 runs from glibc 2.17 on", func(t *testing.T) { wantOld(t, path) })
	t.Run("runs under the emulator", func(t *testing.T) {
		if _, err := exec.LookPath(emulator); err != nil {
			t.Skip("SKIPPED arm64 run: no " + emulator)
		}
		if _, err := os.Stat(crossRoot); err != nil {
			t.Skip("SKIPPED arm64 run: no " + crossRoot)
		}
		lib := t.TempDir()
		cmd := exec.Command("sh", "../testdata/fakenvml/build.sh", filepath.Join(lib, "libnvidia-ml.so.1"))
		cmd.Env = append(os.Environ(), "CC="+crossCompiler)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		runs(t, lib, emulator, "-L", crossRoot, path)
	})
}

// The gate must be able to fail: a program linked the ordinary way on a newer
// system asks for more.
func TestGateRefusesANewerGlibc(t *testing.T) {
	text, err := os.ReadFile("build.sh")
	if err != nil {
		t.Fatal(err)
	}
	body := string(text)
	from := strings.Index(body, "gate() {")
	if from < 0 {
		t.Fatal("no gate in build.sh")
	}
	to := from + strings.Index(body[from:], "\n}\n") + 3
	check := func(floor, path string) error {
		return exec.Command("bash", "-c", "set -eu; floor="+floor+"; "+body[from:to]+"gate \"$0\"", path).Run()
	}
	path := agenttest.Agent(t)
	if err := check("2.1", path); err == nil {
		t.Error("a program that needs more than glibc 2.1 passed a gate at 2.1")
	}
	if err := check("99", path); err != nil {
		t.Errorf("a gate at 99 refused: %v", err)
	}
}
