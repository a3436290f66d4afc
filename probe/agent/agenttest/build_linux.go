package agenttest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gofrs/flock"
)

var builds struct {
	sync.Mutex
	done map[string]string
}

// root is the module's folder.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

func agent(t testing.TB) string {
	t.Helper()
	sources := []string{"go.mod", "probe/*.go"}
	for _, room := range []string{"wire", "nvml", "procfs", "guard", "resident", "agent"} {
		sources = append(sources, "probe/"+room+"/*.go")
	}
	dir := build(t, "agent", sources, "", func(dir string) *exec.Cmd {
		cmd := exec.Command("go", "build", "-buildvcs=false", "-tags=osusergo,netgo", "-ldflags=-s -w",
			"-o", filepath.Join(dir, "rentgen-agent"), "./probe/agent")
		// go-nvml leaves the library's functions undefined; they must be bound
		// when called, not when the program starts.
		cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "CGO_LDFLAGS=-Wl,-z,lazy", "GOFLAGS=", "GOOS=", "GOARCH=")
		return cmd
	})
	return filepath.Join(dir, "rentgen-agent")
}

func library(t testing.TB, without []string) string {
	t.Helper()
	slices.Sort(without)
	return build(t, "fakenvml", []string{"probe/agent/testdata/fakenvml/*"}, strings.Join(without, " "), func(dir string) *exec.Cmd {
		args := append([]string{"probe/agent/testdata/fakenvml/build.sh", filepath.Join(dir, "libnvidia-ml.so.1")}, without...)
		return exec.Command("sh", args...)
	})
}

// build runs a command that fills a folder, unless the same sources have filled
// it before, in this process or another.
func build(t testing.TB, name string, globs []string, variant string, command func(dir string) *exec.Cmd) string {
	t.Helper()
	builds.Lock()
	defer builds.Unlock()
	id := name + " " + variant
	if dir, ok := builds.done[id]; ok {
		return dir
	}
	sum, err := hash(globs, variant)
	if err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(root(), "build", "agenttest")
	dir := filepath.Join(base, name+"-"+sum)
	if err := os.MkdirAll(base, 0o755); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(filepath.Join(base, name+".lock"))
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	if _, err := os.Stat(dir); err != nil {
		part := dir + ".part"
		if err := os.RemoveAll(part); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(part, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := command(part)
		cmd.Dir = root()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
		}
		if err := os.Rename(part, dir); err != nil {
			t.Fatal(err)
		}
	}
	if builds.done == nil {
		builds.done = map[string]string{}
	}
	builds.done[id] = dir
	return dir
}

func hash(globs []string, variant string) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, runtime.Version(), variant)
	for _, g := range globs {
		files, err := filepath.Glob(filepath.Join(root(), g))
		if err != nil {
			return "", err
		}
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			info, err := os.Stat(f)
			if err != nil || info.Mode()&fs.ModeType != 0 {
				continue
			}
			b, err := os.ReadFile(f)
			if err != nil {
				return "", err
			}
			fmt.Fprintln(h, filepath.Base(f), len(b))
			h.Write(b)
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}
