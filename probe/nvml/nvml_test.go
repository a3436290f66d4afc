//go:build linux && cgo

package nvml

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"rentgen/probe"
)

func TestReturnCodes(t *testing.T) {
	for ret, want := range map[nvml.Return]probe.Value{
		nvml.ERROR_NOT_SUPPORTED:      {State: probe.Unsupported, Raw: "Not Supported"},
		nvml.ERROR_FUNCTION_NOT_FOUND: {State: probe.Unsupported, Raw: "Function Not Found"},
		nvml.ERROR_DEPRECATED:         {State: probe.Unsupported, Raw: "Requested functionality has been deprecated"},
		nvml.ERROR_NO_PERMISSION:      {State: probe.Denied, Raw: "Insufficient Permissions"},
		nvml.ERROR_GPU_IS_LOST:        {State: probe.Error, Raw: "GPU is lost"},
		nvml.ERROR_UNKNOWN:            {State: probe.Error, Raw: "Unknown Error"},
		nvml.Return(4711):             {State: probe.Error, Raw: "NVML error 4711"},
	} {
		if got := missing(ret); got != want {
			t.Errorf("%d: %+v, want %+v", ret, got, want)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		n, scale, lo, hi float64
		want             probe.Value
	}{
		{37, 1, 0, 100, probe.Of(37)},
		{210500, 0.001, 0, maxWatt, probe.Of(210.5)},
		{808334905, 1, 0, 100, probe.Missing(probe.Error, "808334905")},
		{notAvailable32, 1, 0, 100, probe.Missing(probe.Unsupported, "N/A")},
		{notAvailable64, 1, 0, 100, probe.Missing(probe.Unsupported, "N/A")},
		{math.NaN(), 1, 0, 100, probe.Missing(probe.Error, "NaN")},
		{-61, 1, minTemp, maxTemp, probe.Missing(probe.Error, "-61")},
	} {
		if got := within(nvml.SUCCESS, c.n, c.scale, c.lo, c.hi); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.n, got, c.want)
		}
	}
}

func TestTenths(t *testing.T) {
	for in, want := range map[float64]float64{0.04: 0, 0.05: 0.1, 412.34: 412.3, -0.26: -0.3} {
		if got := tenths(in); got != want {
			t.Errorf("%v: %v, want %v", in, got, want)
		}
	}
}

// row writes one entry of the driver's process list.
func row(size int, pid uint32, mem uint64) []byte {
	b := make([]byte, size)
	binary.NativeEndian.PutUint32(b, pid)
	binary.NativeEndian.PutUint64(b[8:], mem)
	if size > 16 {
		binary.NativeEndian.PutUint64(b[16:], math.MaxUint64) // no instance
	}
	return b
}

func TestProcessLayouts(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		name    string
		size, n int
		strides []int
	}{
		{"24 of 24", 24, 5, []int{24, 32}},
		{"32 read as 24 or 32", 32, 5, []int{24, 32}},
		{"one of 32", 32, 1, []int{24, 32}},
		{"16", 16, 3, []int{16}},
	} {
		t.Run("oddity 48 remote 35 "+c.name, func(t *testing.T) {
			buf := make([]byte, 0, 64*maxEntrySize)
			for i := range c.n {
				buf = append(buf, row(c.size, uint32(1000+i), uint64(100+i)*mib)...)
			}
			got := decodeList(buf[:cap(buf)], c.n, c.strides, 24564, nil)
			if len(got) != c.n {
				t.Fatalf("entries %+v", got)
			}
			for i, e := range got {
				if e.pid != uint32(1000+i) || e.mem != uint64(100+i)*mib {
					t.Errorf("entry %d is %+v", i, e)
				}
			}
		})
	}
	t.Run("what cannot be is left out", func(t *testing.T) {
		buf := append(row(24, 1000, 5*mib), row(24, 0, 5*mib)...)
		buf = append(buf, row(24, 1<<31, 5*mib)...)
		buf = append(buf, row(24, 1001, 1<<60)...)
		buf = append(buf, row(24, 1002, notAvailable64)...)
		got := decodeList(append(buf, make([]byte, 512)...), 5, []int{24, 32}, 24564, nil)
		if len(got) != 2 || got[0].pid != 1000 || got[1].pid != 1002 {
			t.Errorf("entries %+v", got)
		}
	})
}

func FuzzProcessList(f *testing.F) {
	f.Add(append(row(24, 1000, 1<<20), row(24, 1001, 1<<20)...), 2, 24564.0)
	f.Add(make([]byte, 100), 1<<30, 0.0)
	f.Fuzz(func(t *testing.T, buf []byte, n int, total float64) {
		for _, strides := range [][]int{{24, 32}, {24}, {16}} {
			for _, e := range decodeList(buf, n, strides, total, nil) {
				if e.pid == 0 || e.pid > maxPID {
					t.Fatalf("entry %+v", e)
				}
			}
		}
	})
}

func sample(at uint64, v uint32) nvml.Sample {
	s := nvml.Sample{TimeStamp: at}
	binary.NativeEndian.PutUint32(s.SampleValue[:], v)
	return s
}

func TestSpread(t *testing.T) {
	sp, mean, newest := spread(nvml.VALUE_TYPE_UNSIGNED_INT, []nvml.Sample{
		sample(90, 1),    // read before
		sample(110, 20),  //
		sample(120, 100), //
		sample(130, 60),  //
		sample(140, 808334905),
		{}, // never filled
	}, 100, 1, 100)
	if sp.Min != 20 || sp.Max != 100 || sp.N != 3 || mean != 60 || newest != 130 {
		t.Errorf("spread %+v, mean %v, newest %v", sp, mean, newest)
	}
	if sp, _, newest := spread(nvml.VALUE_TYPE_UNSIGNED_INT, nil, 100, 1, 100); sp.N != 0 || newest != 100 {
		t.Errorf("of nothing: %+v, %v", sp, newest)
	}
}

func TestNumbersOfUnions(t *testing.T) {
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], math.Float64bits(1.5))
	if n, ret := number(nvml.VALUE_TYPE_DOUBLE, b); n != 1.5 || ret != nvml.SUCCESS {
		t.Errorf("double: %v %v", n, ret)
	}
	binary.NativeEndian.PutUint64(b[:], math.MaxUint64)
	if n, _ := number(nvml.VALUE_TYPE_SIGNED_LONG_LONG, b); n != -1 {
		t.Errorf("signed: %v", n)
	}
	if n, _ := number(nvml.VALUE_TYPE_UNSIGNED_LONG_LONG, b); n != notAvailable64 {
		t.Errorf("unsigned: %v", n)
	}
	if _, ret := number(99, b); ret == nvml.SUCCESS {
		t.Error("an unknown kind was read")
	}
}

func TestProcessSamples(t *testing.T) {
	d := &device{lastProc: 100}
	d.takeUtil([]nvml.ProcessUtilizationSample{
		{Pid: 7, TimeStamp: 110, SmUtil: 20},
		{Pid: 7, TimeStamp: 120, SmUtil: 40},
		{Pid: 8, TimeStamp: 90, SmUtil: 50}, // over before
		{Pid: 9, TimeStamp: 130, SmUtil: 99999},
		{Pid: 0, TimeStamp: 130, SmUtil: 10}, // nobody
	})
	absent := probe.Missing(probe.Pending, "Not Found")
	if v := d.utilOf(7, absent); v.Num != 30 {
		t.Errorf("process 7: %+v", v)
	}
	for _, pid := range []uint32{8, 9, 0} {
		if v := d.utilOf(pid, absent); v != absent {
			t.Errorf("process %d: %+v", pid, v)
		}
	}
	if d.lastProc != 120 {
		t.Errorf("read up to %d", d.lastProc)
	}
}

// tree makes a /proc with one process and a pid namespace.
func tree(t *testing.T, ns, maps string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"7/stat":  "7 (a ) b) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 0 0 0",
		"7/maps":  maps,
		"meminfo": "MemTotal:       131072 kB\nMemFree: 1 kB\nMemAvailable:    65536 kB\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "self/ns"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(ns, filepath.Join(root, "self/ns/pid")); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestOwnProcesses(t *testing.T) {
	long := ""
	for i := range 3000 {
		long += "7f00-7f01 r-xp 00000000 00:00 " + strconv.Itoa(i) + " /usr/lib/libsomething.so\n"
	}
	for _, c := range []struct {
		name, ns, maps string
		own            bool
	}{
		{"on the machine itself", initNamespace, "", true},
		{"oddity 44 a container's process with the same number", "pid:[4026532198]", "/usr/bin/bash\n", false},
		{"a container's process that uses the driver", "pid:[4026532198]", "/usr/lib/libcuda.so.550\n", true},
		{"found far down", "pid:[4026532198]", long + "/dev/nvidia0\n", true},
		{"not found in much", "pid:[4026532198]", long, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := newProcTable(tree(t, c.ns, c.maps))
			name, own := table.look(7)
			if own != c.own || (own && name != "a ) b") || (!own && name != "") {
				t.Errorf("%q %v, want own %v", name, own, c.own)
			}
			if name, own := table.look(8); own || name != "" {
				t.Errorf("a process that is not there: %q %v", name, own)
			}
		})
	}
}

func TestSharedMemory(t *testing.T) {
	total, used, ok := newProcTable(tree(t, initNamespace, "")).meminfo()
	if !ok || total != 128 || used != 64 {
		t.Errorf("%v of %v, %v", used, total, ok)
	}
	if _, _, ok := newProcTable(t.TempDir()).meminfo(); ok {
		t.Error("memory of nothing")
	}
}

// The names must be those that go-nvml binds; a wrong one would make a function
// that is there look absent.
func TestSymbolsAreNamed(t *testing.T) {
	seen := map[string]bool{}
	for f := range fnCount {
		names := f.names()
		if len(names) == 0 {
			t.Errorf("function %d has no name", f)
		}
		for _, n := range names {
			if seen[n] {
				t.Errorf("%s stands twice", n)
			}
			seen[n] = true
		}
	}
}

func TestNoLibraryIsAnError(t *testing.T) {
	if handle, _ := open(libraryName); handle != nil {
		t.Skip("SKIPPED no-library test: this machine has the library")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, libraryName), []byte("not a library"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(Params{Folders: []string{dir, t.TempDir()}})
	if !errors.Is(err, ErrNoLibrary) || !strings.Contains(err.Error(), dir) {
		t.Errorf("error %v, want ErrNoLibrary and what the loader said of %s", err, dir)
	}
}
