package guard

import (
	"encoding/binary"
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

const tcpHead = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"

// tcpLine is a line of /proc/net/tcp.
func tcpLine(local, state string) string {
	return "   0: " + local + " 0100007F:9C40 " + state + " 00000000:00000000 00:00000000 00000000     0        0 12345 1 0000000000000000 20 4 30 10 -1\n"
}

func TestParseTCP(t *testing.T) {
	six := strings.Repeat("0", 32)
	for _, c := range []struct {
		name, text string
		want       int
		bad        bool
	}{
		{"nobody", tcpHead, 0, false},
		{"listening", tcpHead + tcpLine("00000000:1FFC", "0A"), 0, false},
		{"connected", tcpHead + tcpLine("0100007F:1FFC", "01"), 1, false},
		{"one of two", tcpHead + tcpLine("0100007F:1FFC", "01") + tcpLine("0100007F:0016", "01"), 1, false},
		{"closing", tcpHead + tcpLine("0100007F:1FFC", "08") + tcpLine("0100007F:1FFC", "06"), 0, false},
		{"over IPv6", tcpHead + tcpLine(six+":1FFC", "01"), 1, false},
		{"empty", "", 0, true},
		{"no heading", tcpLine("0100007F:1FFC", "01"), 0, true},
		{"cut off", tcpHead + "   0: 0100007F:1FFC\n", 0, true},
		{"no port", tcpHead + tcpLine("0100007F", "01"), 0, true},
		{"no address", tcpHead + tcpLine("xyz:1FFC", "01"), 0, true},
	} {
		cs, err := parseTCP([]byte(c.text), []int{8188, 6006})
		if n := len(cs); n != c.want || (err != nil) != c.bad {
			t.Errorf("%s: %v %v", c.name, cs, err)
		}
	}
}

func TestConnections(t *testing.T) {
	root := tree(t.TempDir())
	m := NewMeter(string(root))
	ask := func() probe.Value { v, _ := m.connections([]int{8188}); return v }
	if v := ask(); v.State == probe.OK {
		t.Error("connections of no list:", v)
	}
	root.set(t, "proc/net/tcp", tcpHead+tcpLine("0100007F:1FFC", "01"))
	for look, want := range []float64{0, 1, 1} { // one that may be gone at once does not count
		if n, ok := ask().Ok(); !ok || n != want {
			t.Error("without IPv6, look", look, n, ok)
		}
	}
	root.set(t, "proc/net/tcp6", tcpHead+strings.Replace(tcpLine(strings.Repeat("0", 32)+":1FFC", "01"), "9C40", "9C41", 1))
	for look, want := range []float64{1, 2} {
		if n, ok := ask().Ok(); !ok || n != want {
			t.Error("with IPv6, look", look, n, ok)
		}
	}
	root.set(t, "proc/net/tcp", tcpHead)
	if n, ok := ask().Ok(); !ok || n != 1 {
		t.Error("one has gone:", n, ok)
	}
	root.set(t, "proc/net/tcp", tcpHead+tcpLine("0100007F:1FFC", "01"))
	if n, ok := ask().Ok(); !ok || n != 1 {
		t.Error("and came again:", n, ok)
	}
	root.set(t, "proc/net/tcp6", "noise")
	if v := ask(); v.State != probe.Error {
		t.Error("noise:", v)
	}
}

// TestLiveConnection holds the kernel's own answer about a connection of ours.
func TestLiveConnection(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("Linux only")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	m := NewMeter("")
	if n, _ := m.connections([]int{port}); n != probe.Of(0) {
		t.Fatal("nobody is connected:", n)
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var n, sent probe.Value
	for range lived {
		n, sent = m.connections([]int{port})
	}
	if n != probe.Of(1) {
		t.Fatal("one is connected:", n)
	}
	// Some machines don't answer; then the connection alone counts.
	if ago, ok := sent.Ok(); ok && (ago < 0 || ago > 60) {
		t.Error("it was silent for", ago)
	}
	t.Logf("silent for %+v", sent)
}

// TestConnectionsAreListedSeldom: between two lists the silence grows by itself.
func TestConnectionsAreListedSeldom(t *testing.T) {
	root := tree(t.TempDir())
	root.set(t, "proc/net/tcp", tcpHead)
	m := NewMeter(string(root))
	if n, _ := m.connected(0, []int{8188}); n != probe.Of(0) {
		t.Fatal(n)
	}
	m.conns.conns, m.conns.sent = probe.Of(1), probe.Of(7)
	if n, sent := m.connected(4*time.Second, []int{8188}); n != probe.Of(1) || sent != probe.Of(11) {
		t.Error(n, sent)
	}
	if n, _ := m.connected(5*time.Second, []int{8188}); n != probe.Of(0) {
		t.Error("not listed again:", n)
	}
}

func TestParseDiag(t *testing.T) {
	from := uint16(40000)
	answer := func(port uint16, ms uint32, info int) []byte {
		body := make([]byte, diagMsgLen)
		binary.BigEndian.PutUint16(body[4:], port)
		from++
		binary.BigEndian.PutUint16(body[6:], from)
		attr := make([]byte, 4+info)
		binary.NativeEndian.PutUint16(attr, uint16(len(attr)))
		binary.NativeEndian.PutUint16(attr[2:], diagInfo)
		if info >= lastDataRecv+4 {
			binary.NativeEndian.PutUint32(attr[4+lastDataRecv:], ms)
		}
		return netlink(diagByFamily, append(body, attr...))
	}
	done := netlink(netlinkDone, make([]byte, 4))
	for _, c := range []struct {
		name   string
		b      []byte
		n      int
		silent time.Duration
		done   bool
		bad    bool
	}{
		{"nothing", done, 0, -1, true, false},
		{"two", cat(answer(8188, 9000, 104), answer(8188, 2500, 104), done), 2, 2500 * time.Millisecond, true, false},
		{"another port", cat(answer(22, 1, 104), done), 0, -1, true, false},
		{"more follows", answer(8188, 1000, 104), 1, time.Second, false, false},
		{"an old kernel's short info", answer(8188, 1, 20), 0, -1, false, true},
		{"denied", netlink(netlinkError, make([]byte, 20)), 0, -1, false, true},
		{"cut off", answer(8188, 1, 104)[:40], 0, -1, false, true},
	} {
		told := map[conn]time.Duration{}
		done, err := parseDiag(c.b, []int{8188}, told)
		silent := time.Duration(-1)
		for _, d := range told {
			if silent < 0 || d < silent {
				silent = d
			}
		}
		if len(told) != c.n || silent != c.silent || done != c.done || (err != nil) != c.bad {
			t.Errorf("%s: %v %v %v", c.name, told, done, err)
		}
	}
}

func netlink(kind uint16, body []byte) []byte {
	b := make([]byte, netlinkHeadLen, netlinkHeadLen+len(body))
	binary.NativeEndian.PutUint32(b, uint32(netlinkHeadLen+len(body)))
	binary.NativeEndian.PutUint16(b[4:], kind)
	return append(b, body...)
}

func cat(bs ...[]byte) []byte {
	var all []byte
	for _, b := range bs {
		all = append(all, b...)
	}
	return all
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
