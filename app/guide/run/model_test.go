//go:build unix

package run

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadModel(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		t.Skipf("skipped %s: no Python here", t.Name())
	}
	dir := t.TempDir()
	deep := filepath.Join(dir, "models", "check points")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	m := &machine{path: tools(t, map[string]string{"python3": "exec /usr/bin/python3 \"$@\"", "stat": "exec " + pathOf(t, "stat") + ` "$@"`})}
	if _, err := ReadModel(t.Context(), m, dir); !errors.Is(err, ErrNoModel) {
		t.Fatalf("an empty folder: %v", err)
	}
	for name, size := range map[string]int64{"small.safetensors": 1 << 20, "a.safetensors": 70 << 20, "b it's.safetensors": 80 << 20, "c.txt": 90 << 20} {
		f, err := os.Create(filepath.Join(deep, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(size); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, argv := range shells {
		for _, python := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				if _, err := exec.LookPath(argv[0]); err != nil {
					t.Skipf("skipped %s: no %s here", t.Name(), argv[0])
				}
				if name == "busybox" && !python {
					t.Skip("its dd tells no times")
				}
				m := &machine{shell: argv, path: m.path}
				if !python {
					m.path = tools(t, map[string]string{"python3": "", "stat": "exec " + pathOf(t, "stat") + ` "$@"`})
				}
				got, err := ReadModel(t.Context(), m, "/nonexistent", dir)
				want := map[bool]string{true: "mmap", false: "dd"}[python]
				if err != nil || got.Way != want || got.MappedMBps <= 0 || got.RowMBps <= 0 || !strings.HasSuffix(got.File, "b it's.safetensors") || got.Bytes < 32<<20 {
					t.Errorf("%s %s: %v %v, %v", got.File, got.Way, got.MappedMBps, got.RowMBps, err)
				}
			})
		}
	}
}

func pathOf(t *testing.T, name string) string {
	t.Helper()
	p, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("skipped %s: no %s here", t.Name(), name)
	}
	return p
}

func TestParseModel(t *testing.T) {
	m, err := parseModel([]byte("model: /data/x.safetensors\nmmap 268435456 26.843546 1\nrow 268435456 0.268435 1\n"))
	if err != nil || m.MappedMBps < 9.9 || m.MappedMBps > 10.1 || m.RowMBps < 999 || m.RowMBps > 1001 || m.Cached {
		t.Errorf("%+v, %v", m, err)
	}
	m, err = parseModel([]byte("model: /data/x.ckpt\ndd small\n16384+0 records in\n268435456 bytes (268 MB, 256 MiB) copied, 26.8 s, 10.0 MB/s\ndd row\ndd: error reading: Invalid argument\n64+0 records out\n268435456 bytes (268 MB, 256 MiB) copied, 0.27 s, 994 MB/s\n"))
	if err != nil || m.Way != "dd" || !m.Cached || m.MappedMBps > 10.1 {
		t.Errorf("%+v, %v", m, err)
	}
	for _, bad := range []string{"", "model: /x\n", "model: /x\nmmap 5 0.000000 1\nrow 5 1.0 1\n", "model: /x\nmmap 1 1.0 1\n", "model: /x\nmmap 99999999999999 1.0 1\nrow 1 1.0 1\n"} {
		if m, err := parseModel([]byte(bad)); !errors.Is(err, ErrUnread) || m.RowMBps != 0 && m.MappedMBps != 0 {
			t.Errorf("%q: %+v, %v", bad, m, err)
		}
	}
}

func FuzzParseModel(f *testing.F) {
	f.Add([]byte("model: /data/x.safetensors\nmmap 268435456 26.843546 1\nrow 268435456 0.268435 0\n"))
	f.Add([]byte("model: /x\ndd small\n1 bytes copied, 1e-05 s, 1 MB/s\ndd row\n1 bytes copied, 2 s, 1 MB/s\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parseModel(b)
		if err == nil && (m.MappedMBps <= 0 || m.RowMBps <= 0 || m.File == "") {
			t.Fatalf("%+v", m)
		}
	})
}
