package open

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"rentgen/app/guide"
	"rentgen/app/guide/guidetest"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// way is a real forward in this process: it listens here and copies bytes to
// where the instance's port would be.
type way struct {
	target  string // "" refuses
	offline bool
	busy    bool // the wanted port is taken
}

type forward struct {
	net.Listener
	mu  sync.Mutex
	err error
}

func (f *forward) Addr() string { return f.Listener.Addr().String() }
func (f *forward) Err() error   { f.mu.Lock(); defer f.mu.Unlock(); return f.err }

func (w way) Forward(_ context.Context, local, remote string) (guide.Open, error) {
	if w.offline {
		return nil, fmt.Errorf("%w: no link", guide.ErrOffline)
	}
	if w.busy && local != "" {
		return nil, errors.New("bind: address already in use")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f := &forward{Listener: l}
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", w.target)
			if w.target == "" || err != nil {
				f.mu.Lock()
				f.err = fmt.Errorf("channel to %s: open failed: Connection refused", remote)
				f.mu.Unlock()
				near.Close()
				continue
			}
			go func() { io.Copy(far, near); far.(*net.TCPConn).CloseWrite() }()
			go func() { io.Copy(near, far); near.Close() }()
		}
	}()
	return f, nil
}

// ui serves like one of the programs.
func ui(t *testing.T, app App, sockets bool) string {
	t.Helper()
	mux := http.NewServeMux()
	socket := func(w http.ResponseWriter, r *http.Request) {
		if !sockets {
			http.Error(w, "no", http.StatusInternalServerError)
			return
		}
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		_ = c.Write(r.Context(), websocket.MessageText, []byte(`{"type":"status"}`))
		c.Read(r.Context())
	}
	switch app {
	case ComfyUI:
		mux.HandleFunc("/system_stats", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"system":{"os":"posix","comfyui_version":"0.3.75"},"devices":[{"name":"cuda:0"}]}`)
		})
		mux.HandleFunc("/ws", socket)
		mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<title>ComfyUI</title>") })
	case A1111:
		mux.HandleFunc("/queue/join", socket)
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/" {
				http.NotFound(w, r)
				return
			}
			io.WriteString(w, `<title>Stable Diffusion</title><script>window.gradio_config = {"title":"Stable Diffusion"}</script>`)
		})
	case Jupyter:
		mux.HandleFunc("/api", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"version":"2.14.2"}`) })
		mux.HandleFunc("/api/kernels", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "Forbidden", http.StatusForbidden) })
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/login?next=%2Flab", http.StatusFound)
		})
	case Ollama:
		mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "Ollama is running") })
	case TensorBoard:
		mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<title>TensorBoard</title>") })
	case Other:
		mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Server", "evil\u202e")
			io.WriteString(w, strings.Repeat("<title>x", 1<<18))
		})
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

func TestPrograms(t *testing.T) {
	for _, c := range []struct {
		app     App
		sockets bool
		login   Login
		socket  Socket
		version string
		says    string
	}{
		{ComfyUI, true, LoginNone, SocketWorks, "0.3.75", "open.socket-works"},
		{ComfyUI, false, LoginNone, SocketFails, "0.3.75", "open.socket-fails"},
		{A1111, true, LoginNone, SocketWorks, "", "open.socket-works"},
		{A1111, false, LoginNone, SocketFails, "", "open.socket-fails"},
		{Jupyter, true, LoginAsked, SocketUntested, "2.14.2", "open.login"},
		{Ollama, true, LoginNone, SocketUntested, "", "open.answers"},
		{TensorBoard, true, LoginNone, SocketUntested, "", "open.answers"},
		{Other, true, LoginUnknown, SocketUntested, "", "open.answers"},
	} {
		t.Run(fmt.Sprintf("%s %t", c.app, c.sockets), func(t *testing.T) {
			s, err := Start(t.Context(), Params{Forwarder: way{target: ui(t, c.app, c.sockets)}, Port: 8188, Track: guide.Network})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			r := s.Test(t.Context())
			a := r.Answer
			if a.App != c.app || a.Login != c.login || a.Socket != c.socket || a.Version != c.version || a.Says().Key != c.says {
				t.Errorf("got %+v, says %s", a, a.Says().Key)
			}
			if r.Outcome.Verdict != guide.Pass || r.Record.Context.HTTPCode == nil || !r.Record.Laptop {
				t.Errorf("outcome %s (%s), record %+v", r.Outcome.Verdict, r.Outcome.Rule, r.Record)
			}
			if strings.ContainsRune(string(r.Record.Stdout), 0x202e) {
				t.Errorf("control characters stay: %q", r.Record.Stdout)
			}
			if !strings.HasPrefix(s.URL(), "http://127.0.0.1:") {
				t.Errorf("URL %s", s.URL())
			}
			for _, l := range texts.Langs() {
				if cat := texts.For(l); !cat.Has(a.Says().Key) || strings.Contains(cat.Say(a.Says()), "{") {
					t.Errorf("%s: %q", l, cat.Say(a.Says()))
				}
			}
		})
	}
}

func TestWhatGoesWrong(t *testing.T) {
	t.Run("nothing listens", func(t *testing.T) {
		s, err := Start(t.Context(), Params{Forwarder: way{}, Port: 8188, Track: guide.Shared})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r := s.Test(t.Context())
		if r.Outcome.Verdict != guide.Warn || r.Outcome.Facts["error"] != "remote_port_closed" {
			t.Errorf("outcome %+v", r.Outcome)
		}
		if r.Answer.Says().Key != "open.nothing" {
			t.Errorf("says %s", r.Answer.Says().Key)
		}
	})
	t.Run("the port is taken here", func(t *testing.T) {
		s, err := Start(t.Context(), Params{Forwarder: way{target: ui(t, Ollama, false), busy: true}, Port: 8188})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if m := texts.For(texts.English).Say(s.Moved()); !strings.Contains(m, "8188") || strings.Contains(m, "{") {
			t.Errorf("it isn't told: %q", m)
		}
		if r := s.Test(t.Context()); r.Outcome.Verdict != guide.Pass {
			t.Errorf("outcome %+v", r.Outcome)
		}
	})
	t.Run("not connected", func(t *testing.T) {
		if _, err := Start(t.Context(), Params{Forwarder: way{offline: true}, Port: 8188}); !errors.Is(err, guide.ErrOffline) || Why(err).Key != "open.offline" {
			t.Errorf("error %v", err)
		}
	})
	t.Run("no port", func(t *testing.T) {
		if _, err := Start(t.Context(), Params{Forwarder: way{}, Port: 70000}); err == nil {
			t.Error("a port that isn't one")
		}
	})
	t.Run("stopped", func(t *testing.T) {
		s, err := Start(t.Context(), Params{Forwarder: way{target: ui(t, ComfyUI, true)}, Port: 8188})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if r := s.Test(ctx); r.Outcome.Verdict == guide.Pass {
			t.Error("a stopped test passes")
		}
	})
	t.Run("the socket is carried", func(t *testing.T) {
		s, err := Start(t.Context(), Params{Forwarder: way{target: ui(t, ComfyUI, true)}, Port: 8188})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		c, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL(), "http")+"ws", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseNow()
		if _, m, err := c.Read(t.Context()); err != nil || string(m) != `{"type":"status"}` {
			t.Errorf("%q, %v", m, err)
		}
	})
}

func TestTargets(t *testing.T) {
	autodl, _ := provider.ProfileOf("autodl")
	list := Targets(autodl, []int{22, 53, 3000, 7860, 40000})
	var got []string
	for _, x := range list {
		got = append(got, strconv.Itoa(x.Port))
	}
	if s := strings.Join(got, " "); s != "7860 3000 40000 6006 8188 8888 11434 9090 18188" {
		t.Errorf("ports %s", s)
	}
	for _, x := range list {
		if x.Port == 6006 && (x.Provider == nil || x.Name.Key != "open.app.tensorboard") || x.Listening != (x.Port == 7860 || x.Port == 3000 || x.Port == 40000) {
			t.Errorf("%+v", x)
		}
	}
}

func TestListening(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ports, err := Listening(t.Context(), guidetest.Shell{})
	if err != nil {
		t.Fatal(err)
	}
	want := l.Addr().(*net.TCPAddr).Port
	found := false
	for _, p := range ports {
		found = found || p == want
	}
	if !found {
		t.Errorf("%d isn't among %v", want, ports)
	}
}
