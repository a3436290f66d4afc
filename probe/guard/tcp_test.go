package guard

import (
	"encoding/binary"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"rentgen/probe"
)

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
