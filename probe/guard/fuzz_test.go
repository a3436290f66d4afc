package guard

import (
	"encoding/json"
	"testing"
	"time"
)

func FuzzParseTCP(f *testing.F) {
	f.Add([]byte(tcpHead + tcpLine("0100007F:1FFC", "01")))
	f.Add([]byte(tcpHead + "  1: ::"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if cs, err := parseTCP(b, []int{8188}); err != nil && cs != nil || len(cs) > len(b) {
			t.Error(cs, err)
		}
	})
}

func FuzzParseQueue(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\n\r\n" + `{"queue_running":[],"queue_pending":[[1]]}`))
	f.Add([]byte("HTTP/1.0 200 OK\r\n\r\n[[[["))
	f.Fuzz(func(t *testing.T, b []byte) {
		if n, err := ParseQueueAnswer(b); err == nil && (n < 0 || n > len(b)) {
			t.Error(n)
		}
	})
}

func FuzzParseFiles(f *testing.F) {
	f.Add([]byte(`{"phase":"watching","busy":[{"signal":"gpu"}],"order":{"action":"shutdown","after_s":600,"countdown_s":60}}`))
	f.Add([]byte(`{"time":"2026-11-30T03:12:00Z","action":"shutdown","idle_s":1800}`))
	f.Add([]byte("1796000000"))
	f.Fuzz(func(t *testing.T, b []byte) {
		ParseKeep(b)
		ParseStops(b)
		if o, err := ParseOrder(b); err == nil && o.Check() != nil {
			t.Error("an order out of bounds passed")
		}
		s, err := ParseState(b)
		if err != nil {
			return
		}
		again, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseState(again); err != nil {
			t.Error(err)
		}
	})
}

func FuzzParseDiag(f *testing.F) {
	f.Add(netlink(netlinkDone, make([]byte, 4)))
	f.Fuzz(func(t *testing.T, b []byte) {
		told := map[conn]time.Duration{}
		if done, err := parseDiag(b, []int{0, 8188}, told); done && err != nil || len(told) > len(b) {
			t.Error(done, err, told)
		}
	})
}
