package procfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"rentgen/probe"
)

// host is a root directory with the files of a plain machine.
func host(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	put(t, root, map[string]string{
		"/proc/uptime":          "1000.00 5000.00\n",
		"/proc/stat":            "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 50 0 50 400 0 0 0 0 0 0\ncpu1 50 0 50 400 0 0 0 0 0 0\nintr 5 0 0\nctxt 1\nbtime 1700000000\n",
		"/proc/meminfo":         "MemTotal:       16384000 kB\nMemFree:         1000000 kB\nMemAvailable:   12288000 kB\nBuffers:  1 kB\nCached:  2 kB\n",
		"/proc/vmstat":          "nr_free_pages 1\npswpin 100\npswpout 200\n",
		"/proc/diskstats":       diskstats(1000, 2000),
		"/proc/net/dev":         netdev(1000, 2000),
		"/proc/self/cgroup":     "0::/\n",
		"/proc/self/status":     "Name:\tx\nCpus_allowed_list:\t0-1\n",
		"/proc/pressure/cpu":    "some avg10=1.50 avg60=0.00 avg300=0.00 total=1\nfull avg10=9.00 avg60=0.00 avg300=0.00 total=1\n",
		"/proc/pressure/memory": "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
		"/proc/pressure/io":     "some avg10=12.25 avg60=0.00 avg300=0.00 total=0\n",
	})
	return root
}

func diskstats(read, written int) string {
	row := func(name string, r, w int) string {
		return fmt.Sprintf(" 259       0 %s 10 0 %d 5 20 0 %d 6 0 7 8\n", name, r, w)
	}
	return row("loop0", 9e6, 9e6) + row("nvme0n1", read, written) + row("nvme0n1p1", read, written) +
		row("nvme0n10", 0, 0) + row("sda", 100, 100) + row("sda1", 100, 100) + row("dm-0", read, written) +
		row("md127", read, 0) + row("zram0", 5, 5) + row("sr0", 5, 5) + row("nvme0c0n1", 7, 7)
}

func netdev(rx, tx int) string {
	s := "Inter-|   Receive                                                |  Transmit\n face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n"
	for _, name := range []string{"lo", "eth0", "veth12ab", "docker0", "br-1234", "eth0.100", "bond0", "wg0"} {
		s += fmt.Sprintf("%6s:%d 1 0 0 0 0 0 0 %d 1 0 0 0 0 0 0\n", name, rx, tx)
	}
	return s
}

func put(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for path, content := range files {
		p := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		// In place: the reader keeps its files open, as /proc allows.
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func want(t *testing.T, s *probe.System, m probe.Metric, n float64) {
	t.Helper()
	if got, ok := s.Get(m).Ok(); !ok || got < n-1e-6 || got > n+1e-6 {
		t.Errorf("%v: %+v, want %v", m, s.Get(m), n)
	}
}

func wantState(t *testing.T, s *probe.System, m probe.Metric, state probe.State, raw string) {
	t.Helper()
	v := s.Get(m)
	if v.State != state || !strings.Contains(v.Raw, raw) || v.Num != 0 {
		t.Errorf("%v: %+v, want %v %q", m, v, state, raw)
	}
}

type pair struct {
	r     *Reader
	clock time.Time
}

func reader(t *testing.T, root string) *pair {
	p := &pair{clock: time.Unix(1700000000, 0)}
	p.r = New(Params{Root: root, Now: func() time.Time { return p.clock }})
	t.Cleanup(func() {
		if err := p.r.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func (p *pair) after(d time.Duration) *probe.System {
	p.clock = p.clock.Add(d)
	return p.r.Sample()
}

func TestRates(t *testing.T) {
	root := host(t)
	p := reader(t, root)
	first := p.after(0)
	for _, m := range []probe.Metric{
		probe.CPU, probe.CPUBusiest, probe.IOWait, probe.SwapIn, probe.SwapOut,
		probe.DiskRead, probe.DiskWrite, probe.NetRx, probe.NetTx,
	} {
		wantState(t, first, m, probe.Pending, "")
	}
	want(t, first, probe.RAMUsed, 4000)
	want(t, first, probe.RAMLimit, 16000)
	want(t, first, probe.PSICPU, 1.5)
	want(t, first, probe.PSIMem, 0)
	want(t, first, probe.PSIIO, 12.25)
	wantState(t, first, probe.CPUQuota, probe.Unsupported, "no limit")
	wantState(t, first, probe.CPUThrottled, probe.Unsupported, "no limit")

	put(t, root, map[string]string{
		"/proc/stat":      "cpu  150 10 130 1060 40 0 5 5 0 0\ncpu0 100 0 100 400 0 0 0 0 0 0\ncpu1 50 10 30 660 40 0 5 5 0 0\nbtime 1700000000\n",
		"/proc/vmstat":    "pswpin 600\npswpout 200\n",
		"/proc/diskstats": diskstats(1000+4000, 2000+8000),
		"/proc/net/dev":   netdev(1000+4e6, 2000+2e6),
	})
	s := p.after(2 * time.Second)
	want(t, s, probe.CPU, 25)
	want(t, s, probe.IOWait, 10)
	want(t, s, probe.CPUBusiest, 100)
	want(t, s, probe.SwapIn, 500*4096/1e6/2)
	want(t, s, probe.SwapOut, 0)
	want(t, s, probe.DiskRead, 4000*512/1e6/2)
	want(t, s, probe.DiskWrite, 8000*512/1e6/2)
	want(t, s, probe.NetRx, 2)
	want(t, s, probe.NetTx, 1)
}

func TestCountersBackwardsArePendingThenGoOn(t *testing.T) {
	root := host(t)
	p := reader(t, root)
	p.after(0)
	put(t, root, map[string]string{
		"/proc/stat":      "cpu  10 0 10 80 0 0 0 0 0 0\ncpu0 5 0 5 40 0 0 0 0 0 0\ncpu1 5 0 5 40 0 0 0 0 0 0\n",
		"/proc/vmstat":    "pswpin 0\npswpout 200\n",
		"/proc/diskstats": diskstats(1, 1),
		"/proc/net/dev":   netdev(1, 1),
	})
	s := p.after(time.Second)
	for _, m := range []probe.Metric{
		probe.CPU, probe.CPUBusiest, probe.IOWait, probe.SwapIn, probe.DiskRead, probe.DiskWrite, probe.NetRx, probe.NetTx,
	} {
		wantState(t, s, m, probe.Pending, "backwards")
	}
	put(t, root, map[string]string{"/proc/net/dev": netdev(1+1e6, 1)})
	want(t, p.after(time.Second), probe.NetRx, 1)
	// The clock too may be set back.
	wantState(t, p.after(-time.Second), probe.NetRx, probe.Pending, "backwards")
}

func TestNewAndGoneDevices(t *testing.T) {
	a := []device{{key: 1, in: 100, out: 100}, {key: 2, in: 5, out: 5}}
	b := []device{{key: 3, in: 1 << 50, out: 1 << 50}, {key: 2, in: 1e6 + 5, out: 5}}
	in, out := deviceRates(a, b, 1, 1)
	if in.Num != 1 || out.Num != 0 || in.State != probe.OK {
		t.Errorf("got %+v %+v", in, out)
	}
}

func TestTunnelCountsOnlyAlone(t *testing.T) {
	line := func(name string) string { return name + ": 10 0 0 0 0 0 0 0 20 0 0 0 0 0 0 0\n" }
	for text, n := range map[string]int{
		line("lo") + line("tap0"):                   1,
		line("lo") + line("tap0") + line("eth0"):    1,
		line("eth0") + line("eth1"):                 2,
		line("lo"):                                  0,
		line("enp3s0f0") + line("ib0") + line("lo"): 2,
	} {
		got, ok := parseNetDev([]byte(text), nil)
		if !ok || len(got) != n {
			t.Errorf("%q: %d, want %d", text, len(got), n)
		}
	}
}

func TestCgroupV2Container(t *testing.T) {
	root := host(t)
	put(t, root, map[string]string{
		"/sys/fs/cgroup/cgroup.type":     "domain\n",
		"/sys/fs/cgroup/memory.max":      "8589934592\n",
		"/sys/fs/cgroup/memory.current":  "4294967296\n",
		"/sys/fs/cgroup/memory.stat":     "anon 1\ninactive_file 1073741824\n",
		"/sys/fs/cgroup/cpu.max":         "1800000 100000\n",
		"/sys/fs/cgroup/cpu.stat":        "usage_usec 5\nnr_periods 100\nnr_throttled 10\nthrottled_usec 999\n",
		"/sys/fs/cgroup/cpu.pressure":    "some avg10=33.00 avg60=0.00 avg300=0.00 total=1\n",
		"/sys/fs/cgroup/memory.pressure": "some avg10=3.00 avg60=0.00 avg300=0.00 total=1\n",
	})
	p := reader(t, root)
	s := p.after(0)
	want(t, s, probe.RAMLimit, 8192)
	want(t, s, probe.RAMUsed, 3072)
	want(t, s, probe.CPUQuota, 18)
	want(t, s, probe.PSICPU, 33)
	want(t, s, probe.PSIMem, 3)
	want(t, s, probe.PSIIO, 12.25) // the group has none: the machine's
	wantState(t, s, probe.CPUThrottled, probe.Pending, "")
	put(t, root, map[string]string{"/sys/fs/cgroup/cpu.stat": "nr_periods 120\nnr_throttled 15\n"})
	want(t, p.after(time.Second), probe.CPUThrottled, 25)
	want(t, p.after(time.Second), probe.CPUThrottled, 0)
	m := p.r.Machine()
	if q, _ := m.Quota.Ok(); q != 18 || m.RAMLimit.Num != 8192 || m.RAMTotal.Num != 16000 || m.Cores != 2 {
		t.Errorf("machine %+v", m)
	}
}

func TestNestedGroupsTightestWins(t *testing.T) {
	root := host(t)
	put(t, root, map[string]string{
		"/proc/self/cgroup":                 "0::/a/b\n",
		"/sys/fs/cgroup/a/memory.max":       "2147483648\n",
		"/sys/fs/cgroup/a/memory.current":   "1073741824\n",
		"/sys/fs/cgroup/a/memory.stat":      "inactive_file 0\n",
		"/sys/fs/cgroup/a/b/memory.max":     "max\n",
		"/sys/fs/cgroup/a/b/memory.current": "1024\n",
		"/sys/fs/cgroup/a/b/cpu.max":        "max 100000\n",
		"/sys/fs/cgroup/a/cpu.max":          "50000 100000\n",
	})
	s := reader(t, root).after(0)
	want(t, s, probe.RAMLimit, 2048)
	want(t, s, probe.RAMUsed, 1024)
	want(t, s, probe.CPUQuota, 0.5)
}

func TestCgroupV1(t *testing.T) {
	files := map[string]string{
		"/proc/self/cgroup":                            "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n",
		"/sys/fs/cgroup/memory/memory.limit_in_bytes":  "9223372036854771712\n",
		"/sys/fs/cgroup/memory/memory.usage_in_bytes":  "2147483648\n",
		"/sys/fs/cgroup/memory/memory.stat":            "inactive_file 5\ntotal_inactive_file 1073741824\n",
		"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us":  "-1\n",
		"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
		"/sys/fs/cgroup/cpu,cpuacct/cpu.stat":          "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n",
	}
	root := host(t)
	put(t, root, files)
	s := reader(t, root).after(0)
	want(t, s, probe.RAMLimit, 16000) // the huge number is no limit
	want(t, s, probe.RAMUsed, 4000)
	wantState(t, s, probe.CPUQuota, probe.Unsupported, "no limit")

	put(t, root, map[string]string{
		"/sys/fs/cgroup/memory/memory.limit_in_bytes": "4294967296\n",
		"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "800000\n",
	})
	s = reader(t, root).after(0)
	want(t, s, probe.RAMLimit, 4096)
	want(t, s, probe.RAMUsed, 1024)
	want(t, s, probe.CPUQuota, 8)
}

func TestPinnedContainer(t *testing.T) {
	root := host(t)
	put(t, root, map[string]string{"/proc/self/status": "Cpus_allowed_list:\t1\n"})
	p := reader(t, root)
	want(t, p.after(0), probe.CPUQuota, 1)
	put(t, root, map[string]string{
		"/proc/stat": "cpu  200 0 200 800 0 0 0 0 0 0\ncpu0 100 0 100 400 0 0 0 0 0 0\ncpu1 55 0 50 445 0 0 0 0 0 0\n",
	})
	want(t, p.after(time.Second), probe.CPUBusiest, 10) // core 0 is at work for others
	for list, n := range map[string]int{"0-3,8": 5, "7": 1, "": 0, "3-1": 0, "0-99999": 0, "a": 0, "0,2,4-5\n": 4} {
		got := 0
		for _, ok := range coreList([]byte(list)) {
			if ok {
				got++
			}
		}
		if got != n {
			t.Errorf("%q: %d cores, want %d", list, got, n)
		}
	}
}

// Every file in each of three bad ways: the values say which, none is 0.
func TestMissingDeniedGarbled(t *testing.T) {
	tables := map[string][]probe.Metric{
		"/proc/stat":            {probe.CPU, probe.CPUBusiest, probe.IOWait},
		"/proc/meminfo":         {probe.RAMUsed, probe.RAMLimit},
		"/proc/vmstat":          {probe.SwapIn, probe.SwapOut},
		"/proc/diskstats":       {probe.DiskRead, probe.DiskWrite},
		"/proc/net/dev":         {probe.NetRx, probe.NetTx},
		"/proc/pressure/cpu":    {probe.PSICPU},
		"/proc/pressure/memory": {probe.PSIMem},
		"/proc/pressure/io":     {probe.PSIIO},
	}
	garbage := map[string]string{"/proc/net/dev": "eth0: gar\x1b[2Jbage\n", "/proc/stat": "cpu gar\x1b[2Jbage\n"}
	for path, metrics := range tables {
		t.Run(path, func(t *testing.T) {
			for _, bad := range []struct {
				err   error
				state probe.State
				raw   string
			}{
				{fs.ErrNotExist, probe.Unsupported, "not exist"},
				{fs.ErrPermission, probe.Denied, "permission denied"},
				{errors.New("input/output error"), probe.Error, "input/output error"},
				{nil, probe.Error, "gar[2Jbage"},
			} {
				text := garbage[path]
				if text == "" {
					text = "gar\x1b[2Jbage\x00\n"
				}
				src := &failing{source: &rooted{host(t)}, path: path, err: bad.err, text: text}
				var a, b Snapshot
				g := &groups{}
				a.atMiss, b.at, b.atMiss = probe.Value{State: probe.OK}, time.Second, probe.Value{State: probe.OK}
				a.fill(src, g, true)
				b.fill(src, g, true)
				s := system(&a, &b)
				for _, m := range metrics {
					wantState(t, s, m, bad.state, bad.raw)
				}
				if path != "/proc/stat" {
					if v := s.Get(probe.CPU); v.State != probe.Pending {
						t.Errorf("another file's value is touched: %+v", v)
					}
				}
			}
		})
	}
	for _, bad := range []struct {
		err   error
		state probe.State
	}{{fs.ErrPermission, probe.Denied}, {nil, probe.Error}} {
		src := &failing{source: &rooted{host(t)}, path: "/sys/fs/cgroup/memory.max", err: bad.err, text: "huge\n"}
		var a Snapshot
		a.fill(src, &groups{}, true)
		s := system(nil, &a)
		wantState(t, s, probe.RAMLimit, bad.state, "")
		wantState(t, s, probe.RAMUsed, bad.state, "")
		src.path = "/sys/fs/cgroup/cpu.max"
		a.fill(src, &groups{}, true)
		wantState(t, system(nil, &a), probe.CPUQuota, bad.state, "")
	}
}

type rooted struct{ root string }

func (r *rooted) read(path string) ([]byte, error) { return os.ReadFile(r.root + path) }

type failing struct {
	source
	path string
	err  error
	text string
}

func (f *failing) read(path string) ([]byte, error) {
	if path != f.path {
		return f.source.read(path)
	}
	if f.err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: f.err}
	}
	return []byte(f.text), nil
}

func TestNoProcAtAll(t *testing.T) {
	s := reader(t, t.TempDir()).after(0)
	for _, m := range probe.SystemMetrics() {
		wantState(t, s, m, probe.Unsupported, "")
	}
}

func TestFileComesLater(t *testing.T) {
	root := host(t)
	if err := os.Remove(root + "/proc/pressure/io"); err != nil {
		t.Fatal(err)
	}
	p := reader(t, root)
	wantState(t, p.after(0), probe.PSIIO, probe.Unsupported, "")
	put(t, root, map[string]string{"/proc/pressure/io": "some avg10=1.00 avg60=0 avg300=0 total=0\n"})
	var s *probe.System
	for range 2 * retryEvery {
		s = p.after(time.Second)
	}
	want(t, s, probe.PSIIO, 1)
}

func TestRun(t *testing.T) {
	root := host(t)
	put(t, root, map[string]string{
		"/proc/sys/kernel/random/boot_id": "01234567-89ab-cdef-0123-456789abcdef\n",
		"/proc/1/stat":                    "1 (a ) b) S 0 1 1 0 -1 4194560 1 1 1 1 1 1 1 1 20 0 1 0 4250 1 1\n",
	})
	run := reader(t, root).r.Run()
	if run.BootID != "01234567-89ab-cdef-0123-456789abcdef" || !run.Init.Equal(time.Unix(1700000042, 5e8)) {
		t.Errorf("run %+v", run)
	}
}

func TestMachine(t *testing.T) {
	root := host(t)
	put(t, root, map[string]string{
		"/etc/os-release":            "NAME=x\nPRETTY_NAME=\"Ubuntu 22.04.3\x1b[1m LTS\"\n",
		"/proc/cpuinfo":              "processor\t: 0\nmodel name\t: AMD EPYC 7763\n",
		"/proc/sys/kernel/osrelease": "5.15.0-91-generic\n",
		"/proc/sys/kernel/hostname":  "box\n",
		"/.dockerenv":                "",
		"/lib/ld-musl-x86_64.so.1":   "",
	})
	m := reader(t, root).r.Machine()
	if m.OS != "Ubuntu 22.04.3[1m LTS" || m.Kernel != "5.15.0-91-generic" || m.CPUModel != "AMD EPYC 7763" ||
		m.Hostname != "box" || m.Container != "docker" || m.Libc != "musl" || m.Cores != 2 {
		t.Errorf("machine %+v", m)
	}
	if runtime.GOOS == "linux" && (m.Arch == "" || m.User == "") {
		t.Errorf("machine %+v", m)
	}
}

func TestLoopScript(t *testing.T) {
	if _, err := LoopScript(1, "x; rm -rf"); err == nil {
		t.Error("an end mark with shell text must be refused")
	}
	if _, err := LoopScript(0, "x"); err == nil {
		t.Error("a loop without a pause must be refused")
	}
	s, err := LoopScript(2, "abc")
	if err != nil || !strings.Contains(s, "echo abc") || !strings.Contains(s, "sleep 2") {
		t.Errorf("%v %q", err, s)
	}
}

func TestFromTextStates(t *testing.T) {
	text := "/proc/uptime:100.50 1.0\ngrep: /proc/vmstat: Permission denied\ngrep: /proc/pressure/cpu: No such file or directory\n" +
		"grep: /proc/pressure/io: Operation not supported\ngrep: /proc/diskstats: Input/output error\n" +
		"/proc/meminfo:MemTotal: 1024 kB\n/proc/meminfo:MemAvailable: 512 kB\nsome banner\n/proc/net/dev:eth0: 1 1 0 0 0 0 0 0 1 1\n"
	snap, s := FromText([]byte(text), nil)
	wantState(t, s, probe.SwapIn, probe.Denied, "")
	wantState(t, s, probe.PSICPU, probe.Unsupported, "")
	wantState(t, s, probe.PSIIO, probe.Unsupported, "")
	wantState(t, s, probe.DiskRead, probe.Error, "Input/output error")
	wantState(t, s, probe.CPU, probe.Error, "")
	want(t, s, probe.RAMUsed, 0.5)
	_, s = FromText([]byte("/proc/uptime:100 1\n"), nil)
	wantState(t, s, probe.DiskRead, probe.Unsupported, "no device")
	_, s = FromText([]byte("/proc/uptime:101.50 1.0\n/proc/net/dev:  eth0: 2000001 1 0 0 0 0 0 0 1 1\n"), snap)
	want(t, s, probe.NetRx, 2)
	_, s = FromText(nil, nil)
	for _, m := range probe.SystemMetrics() {
		if s.Get(m).State == probe.OK {
			t.Errorf("%v from nothing: %+v", m, s.Get(m))
		}
	}
}

func TestPathEnd(t *testing.T) {
	l := "/sys/fs/cgroup/pod.slice:cri:abc/memory.max:123"
	if i := pathEnd([]byte(l)); l[i:] != ":123" {
		t.Errorf("cut at %q", l[i:])
	}
}

func FuzzFromText(f *testing.F) {
	f.Add([]byte("/proc/uptime:1.5 2\n/proc/stat:cpu  1 2 3 4 5 6 7 8\n/proc/stat:cpu0 1 2 3 4\n/proc/meminfo:MemTotal: 1 kB\n"), []byte("/proc/stat:cpu 2 2 3 9\n"))
	f.Add([]byte("/proc/self/cgroup:0::/a/../b\n/sys/fs/cgroup/memory.max:18446744073709551615\n/sys/fs/cgroup/cpu.max:1 0\n"), []byte("grep: /x: y\n"))
	f.Add([]byte("/proc/diskstats: 8 0 sda 1 1 18446744073709551615 1 1 1 1\n/proc/net/dev:eth0:1 1 1 1 1 1 1 1 1\n"), []byte("/proc/1/stat:1 (x) S\nhas:/.dockerenv\n"))
	f.Add([]byte("/rentgen/gpu_clients:3\n"), []byte("/rentgen/gpu_clients:none\n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		snap, s := FromText(a, nil)
		_, s2 := FromText(b, snap)
		for _, sys := range []*probe.System{s, s2} {
			for _, m := range probe.SystemMetrics() {
				v := sys.Get(m)
				if v.State == probe.OK && v.Num < 0 {
					t.Errorf("%v is negative: %v", m, v.Num)
				}
				if i := m.Info(); v.State == probe.OK && i.Max > 0 && v.Num > i.Max+1e-9 {
					t.Errorf("%v is %v of %v", m, v.Num, i.Max)
				}
				if len(v.Raw) > 4*maxRaw || strings.ContainsAny(v.Raw, "\x00\x1b\n\x07") {
					t.Errorf("%v keeps %q", m, v.Raw)
				}
			}
		}
		m, _ := MachineFromText(a)
		if strings.ContainsAny(m.OS+m.User+m.CPUModel+m.Container, "\x00\x1b\n") {
			t.Errorf("machine %+v", m)
		}
		PIDsFromText(a)
	})
}
