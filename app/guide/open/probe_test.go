package open

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

// outside is a network with one machine: its ports lead to servers of the test.
type outside struct {
	host  string
	ports map[int]string // address, "drop" or "banner"; none is refused
	all   bool           // something takes every connection
	now   atomic.Int32
	most  atomic.Int32
	other atomic.Int32 // dials of other machines
}

func (o *outside) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	n := o.now.Add(1)
	defer o.now.Add(-1)
	for m := o.most.Load(); n > m && !o.most.CompareAndSwap(m, n); m = o.most.Load() {
	}
	host, p, _ := net.SplitHostPort(addr)
	if host != o.host {
		o.other.Add(1)
	}
	port, _ := strconv.Atoi(p)
	switch to := o.ports[port]; {
	case to == "drop":
		return nil, &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}
	case to == "banner", to == "" && o.all:
		a, b := net.Pipe()
		go func() { b.Write([]byte("SSH-2.0-x\r\n")); b.Close() }()
		return a, nil
	case to == "":
		return nil, &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", refusedErrors[0])}
	default:
		return (&net.Dialer{}).DialContext(ctx, network, to)
	}
}

func TestProbe(t *testing.T) {
	o := &outside{host: "203.0.113.5", ports: map[int]string{
		8188: ui(t, ComfyUI, true), 8888: ui(t, Jupyter, true), 7860: ui(t, A1111, true), 6006: "drop", 9000: "banner", 3000: ui(t, Other, false),
	}}
	told := 0
	seen, err := Probe(t.Context(), ProbeParams{
		Host: "203.0.113.5", Track: guide.Dedicated, Ports: []int{8188, 8888, 7860, 6006, 9000, 3000, 11434, 0, 70000}, Dial: o.dial, Each: func(Seen) { told++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"8188 open comfyui none fail open.probe.public", "8888 open jupyter asked warn open.probe.login", "7860 open a1111 none fail open.probe.public",
		"6006 filtered   pass open.probe.filtered", "9000 open   warn open.probe.open", "3000 open other  warn open.probe.http", "11434 refused   pass open.probe.refused",
	}
	if len(seen) != len(want) || told != len(want) {
		t.Fatalf("%d seen, %d told", len(seen), told)
	}
	for i, s := range seen {
		got := fmt.Sprintf("%d %s %s %s %s %s", s.Port, s.State, s.Answer.App, s.Answer.Login, s.Verdict, s.Says.Key)
		if got != want[i] {
			t.Errorf("%s, want %s", got, want[i])
		}
		for _, l := range texts.Langs() {
			cat := texts.For(l)
			if !cat.Has(s.Says.Key) || s.Verdict != guide.Pass && !cat.Has(s.Do.Key) {
				t.Errorf("no text in %s: %s, %s", l, s.Says.Key, s.Do.Key)
			}
			if strings.Contains(cat.Say(s.Says)+cat.Say(s.Do), "{") {
				t.Errorf("not filled: %s", cat.Say(s.Says))
			}
		}
	}
	if o.most.Load() > atOnce {
		t.Errorf("%d at once", o.most.Load())
	}
	if o.other.Load() != 0 {
		t.Error("another machine was asked")
	}
}

// A program like Clash takes every connection on the laptop; nothing follows
// from that.
func TestProbeBehindSomethingThatTakesAll(t *testing.T) {
	o := &outside{host: "203.0.113.5", all: true, ports: map[int]string{8188: ui(t, ComfyUI, true)}}
	seen, err := Probe(t.Context(), ProbeParams{Host: "203.0.113.5", Track: guide.Dedicated, Ports: []int{8188, 7860}, Dial: o.dial})
	if err != nil {
		t.Fatal(err)
	}
	if seen[0].Verdict != guide.Fail || seen[1].State != Unsure || seen[1].Verdict != guide.Warn {
		t.Errorf("%+v", seen)
	}
}

func TestProbeAsksOnlyAMachineElsewhere(t *testing.T) {
	o := &outside{}
	for _, host := range []string{"", "localhost", "127.0.0.1", "::1", "0.0.0.0", "10.0.0.0/8", "a b", "224.0.0.1", "169.254.1.1", "203.0.113.5:22", "x@y", "*"} {
		if _, err := Probe(t.Context(), ProbeParams{Host: host, Track: guide.Dedicated, Dial: o.dial}); !errors.Is(err, ErrAddress) {
			t.Errorf("%q: %v", host, err)
		}
	}
	if _, err := Probe(t.Context(), ProbeParams{Host: "connect.westb.seetacloud.com", Track: guide.Shared, Dial: o.dial}); !errors.Is(err, ErrGateway) {
		t.Errorf("a gateway: %v", err)
	}
	if o.other.Load() != 0 {
		t.Error("a machine was asked")
	}
}

func TestProbePorts(t *testing.T) {
	if got := fmt.Sprint(ProbePorts([]int{22, 3000, 8188})); got != "[22 3000 6006 7860 7861 7862 7865 8188 8189 8888 8889 11434 18188]" {
		t.Errorf("ports %s", got)
	}
}

func TestProbeStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	block := func(ctx context.Context, _, _ string) (net.Conn, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if _, err := Probe(ctx, ProbeParams{Host: "203.0.113.5", Track: guide.Dedicated, Dial: block}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func FuzzIdentify(f *testing.F) {
	f.Add(200, "<title>ComfyUI</title>", `{"system":{},"devices":[]}`)
	f.Add(302, "", `{"version":"2"}`)
	f.Fuzz(func(t *testing.T, code int, root, other string) {
		if code < 200 || code > 599 {
			t.Skip()
		}
		client := &http.Client{Transport: canned(func(r *http.Request) (int, string) {
			if r.URL.Path == "/" {
				return code, root
			}
			return 200, other
		}), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		a, err := asker{"http://203.0.113.5", client}.identify(t.Context())
		if err != nil {
			return
		}
		for _, l := range texts.Langs() {
			if s := texts.For(l).Say(a.Says()); s == "" || s == a.Says().Key {
				t.Errorf("%q", s)
			}
		}
		for _, s := range []string{a.Version, a.Status, a.Server} {
			if strings.ContainsAny(s, "\x1b\x00") {
				t.Errorf("control characters stay in %q", s)
			}
		}
	})
}

// canned answers without a network.
type canned func(*http.Request) (int, string)

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	code, body := c(r)
	return &http.Response{
		StatusCode: code, Status: strconv.Itoa(code), Proto: "HTTP/1.1", Header: http.Header{}, Request: r,
		Body: readCloser{strings.NewReader(body)},
	}, nil
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }
