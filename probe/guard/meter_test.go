package guard

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"rentgen/probe"
)

// tree writes files below a folder that stands for "/".
type tree string

func (r tree) set(t *testing.T, name, text string) {
	t.Helper()
	p := filepath.Join(string(r), name)
	if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCPU(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		text func(seconds float64) string
	}{
		"version 2": {"sys/fs/cgroup/cpu.stat", func(s float64) string { return "usage_usec " + strconv.Itoa(int(s*1e6)) + "\nuser_usec 1\n" }},
		"version 1": {"sys/fs/cgroup/cpuacct/cpuacct.usage", func(s float64) string { return strconv.Itoa(int(s*1e9)) + "\n" }},
		"joined":    {"sys/fs/cgroup/cpu,cpuacct/cpuacct.usage", func(s float64) string { return strconv.Itoa(int(s*1e9)) + "\n" }},
	} {
		root := tree(t.TempDir())
		var g growth
		read := func(second int, used float64) probe.Value {
			root.set(t, c.file, c.text(used))
			return g.cores(string(root), time.Duration(second)*time.Second)
		}
		if v := read(0, 100); v.State != probe.Pending {
			t.Errorf("%s: the first one is %v", name, v)
		}
		if n, ok := read(2, 103).Ok(); !ok || n != 1.5 {
			t.Errorf("%s: %v %v", name, n, ok)
		}
		if n, ok := read(3, 103).Ok(); !ok || n != 0 {
			t.Errorf("%s: quiet is %v %v", name, n, ok)
		}
		if v := read(80, 103); v.State != probe.Error {
			t.Errorf("%s: a counter that stands still gives %v", name, v)
		}
		if v := read(81, 5); v.State != probe.Pending {
			t.Errorf("%s: backwards gives %v", name, v)
		}
		root.set(t, c.file, "usage_usec many\n")
		if v := g.cores(string(root), time.Hour); v.State != probe.Error {
			t.Errorf("%s: noise gives %v", name, v)
		}
	}
	if v := new(growth).cores(t.TempDir(), 0); v.State != probe.Unsupported {
		t.Error("no group:", v)
	}
}

func TestCPUThatNeverGrew(t *testing.T) {
	root := tree(t.TempDir())
	root.set(t, "sys/fs/cgroup/cpu.stat", "usage_usec 0\n")
	var g growth
	for i := range 100 {
		if v := g.cores(string(root), time.Duration(i)*time.Second); v.State == probe.OK {
			t.Fatal(i, "a stand-in was believed")
		}
	}
}

func TestDisk(t *testing.T) {
	root := tree(t.TempDir())
	var d diskMeter
	io := func(pid int, read, wrote int) {
		root.set(t, filepath.Join("proc", strconv.Itoa(pid), "io"), "rchar: 9\nwchar: 9\nsyscr: 1\nsyscw: 1\nread_bytes: "+strconv.Itoa(read)+"\nwrite_bytes: "+strconv.Itoa(wrote)+"\ncancelled_write_bytes: 0\n")
	}
	at := func(second int) probe.Value { return d.rate(string(root), time.Duration(second)*time.Second) }
	if v := at(0); v.State == probe.OK {
		t.Fatal("nothing is readable:", v)
	}
	io(1, 0, 0)
	io(7, 1e9, 0)
	at(10)
	io(7, 1e9, 50e6)
	if n, ok := at(20).Ok(); !ok || n != 5 {
		t.Error("processes alone:", n, ok)
	}
	root.set(t, "sys/fs/cgroup/io.stat", "259:0 rbytes=1000000 wbytes=0 rios=1 wios=0\n8:0\n")
	at(21)
	root.set(t, "sys/fs/cgroup/io.stat", "259:0 rbytes=1000000 wbytes=9000000 rios=1 wios=9\n8:0\n")
	if n, ok := at(22).Ok(); !ok || n != 9 {
		t.Error("the group's is greater:", n, ok)
	}
	io(9, 100e6, 0) // came, and counts whole
	if n, ok := at(30).Ok(); !ok || n != 10 {
		t.Error("a new process:", n, ok)
	}
	root.set(t, "sys/fs/cgroup/io.stat", "259:0 rbytes=much wbytes=9\n")
	if n, ok := at(31).Ok(); !ok || n != 10 {
		t.Error("the processes stand in for the group:", n, ok)
	}
}

func TestBlkio(t *testing.T) {
	n, err := parseBlkio([]byte("259:0 Read 4096\n259:0 Write 8192\n259:0 Sync 0\n259:0 Async 12288\n259:0 Total 12288\nTotal 12288\n"))
	if n != 12288 || err != nil {
		t.Error(n, err)
	}
	if n, err := parseBlkio([]byte("Total 0\n")); n != 0 || err != nil {
		t.Error(n, err)
	}
	if _, err := parseBlkio(nil); err == nil {
		t.Error("nothing is a total")
	}
}

func TestTerminals(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("Linux only")
	}
	root := tree(t.TempDir())
	if v := typed(string(root), epoch); v.State == probe.OK {
		t.Error("no folder:", v)
	}
	root.set(t, "dev/pts/ptmx", "")
	if n, ok := typed(string(root), epoch).Ok(); !ok || n < TypedLimit {
		t.Error("nobody is there:", n, ok)
	}
	for name, ago := range map[string]time.Duration{"0": time.Hour, "3": 40 * time.Second} {
		root.set(t, "dev/pts/"+name, "")
		if err := os.Chtimes(filepath.Join(string(root), "dev/pts", name), epoch.Add(-ago), epoch); err != nil {
			t.Fatal(err)
		}
	}
	if n, ok := typed(string(root), epoch).Ok(); !ok || n != 40 {
		t.Error(n, ok)
	}
	if n, ok := typed(string(root), epoch.Add(-time.Hour)).Ok(); !ok || n != 0 {
		t.Error("a clock that was set back counts as now:", n, ok)
	}
}

func TestAskQueue(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("Linux only")
	}
	body, status := `{"queue_running": [[0, "id", {"3": {"inputs": {}}}, {}, []]], "queue_pending": [[1], [2]]}`, http.StatusOK
	var path, method string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, method = r.URL.Path, r.Method
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	defer s.Close()
	port := s.Listener.Addr().(*net.TCPAddr).Port
	if n, ok := askQueue(port).Ok(); !ok || n != 3 || path != "/queue" || method != http.MethodGet {
		t.Error(n, ok, path, method)
	}
	body = `{"queue_running": [], "queue_pending": []}`
	if n, ok := askQueue(port).Ok(); !ok || n != 0 {
		t.Error(n, ok)
	}
	status = http.StatusBadGateway
	if v := askQueue(port); v.State != probe.Error {
		t.Error(v)
	}
	status, body = http.StatusOK, "<html>"
	if v := askQueue(port); v.State != probe.Error {
		t.Error(v)
	}
	body = `{"queue_running": [` + strings.Repeat(" ", maxQueue)
	if v := askQueue(port); v.State == probe.OK {
		t.Error("an endless answer:", v)
	}
	s.Close()
	if v := askQueue(port); v.State == probe.OK {
		t.Error("nobody listens:", v)
	}
}

// TestAskQueueOfOneWhoIsSilent: a program that takes the question and does not
// answer is not waited for beyond its time.
func TestAskQueueOfOneWhoIsSilent(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("Linux only")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := get(l.Addr().(*net.TCPAddr).Port, "/queue", maxQueue, 20*time.Millisecond); err == nil {
		t.Error("an answer of nobody")
	}
}

func TestParseQueue(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
		bad  bool
	}{
		{`{"queue_running":[],"queue_pending":[]}`, 0, false},
		{`{"queue_pending":[[1,2,{"a":[[]]}],[3]],"queue_running":[[{"b":{}}]],"more":{"x":[1]}}`, 3, false},
		{`{"queue_running":[]}`, 0, true},
		{`{"queue_running":[],"queue_pending":null}`, 0, true},
		{`{"queue_running":[],"queue_pending":[],"queue_pending":[1]}`, 0, true},
		{`{"queue_running":[],"queue_pending":[`, 0, true},
		{`{"queue_running":[],"queue_pending":[]`, 0, true},
		{`{"queue_running":[],"queue_pending":[]} x`, 0, true},
		{`[]`, 0, true},
		{``, 0, true},
	} {
		n, err := ParseQueue([]byte(c.text))
		if n != c.want || (err != nil) != c.bad {
			t.Errorf("%s: %d %v", c.text, n, err)
		}
	}
	for _, bad := range []string{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{}", "SSH-2.0-x\r\n\r\n", "HTTP/1.1 200 OK\r\n"} {
		if _, err := ParseQueueAnswer([]byte(bad)); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
}

func TestParseKeep(t *testing.T) {
	for text, want := range map[string]time.Time{
		"": {}, "\n": {}, "until tomorrow": {}, "-5": {}, "99999999999999": {},
		"2026-11-30T08:00:00+08:00\n": time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC),
		"1796000000":                  time.Unix(1796000000, 0),
		" 1796000000 \nsecond line":   time.Unix(1796000000, 0),
	} {
		if k := ParseKeep([]byte(text)); !k.On || !k.Until.Equal(want) {
			t.Errorf("%q: %+v", text, k)
		}
	}
}

// TestOnThisMachine reads what can be read here: each signal is a reading or says
// why not, and never an empty value.
func TestOnThisMachine(t *testing.T) {
	m := NewMeter("")
	m.Read(time.Now(), 0, []int{1})
	s := m.Read(time.Now(), time.Second, []int{1})
	for name, v := range map[string]probe.Value{"cpu": s.CPU, "disk": s.Disk, "terminal": s.Terminal, "connections": s.Conns} {
		if n, ok := v.Ok(); ok && n < 0 || !ok && v.State == probe.OK {
			t.Errorf("%s: %+v", name, v)
		}
		t.Logf("%s: %+v", name, v)
	}
}
