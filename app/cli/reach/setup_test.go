//go:build linux

package reach_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"rentgen/app/cli/reach"
	"rentgen/app/guide"
	"rentgen/app/guide/run"
	"rentgen/probe/remote/remotetest"
	"rentgen/probe/stream"
)

// few are checks whose tools are all made up here.
var few = []guide.CheckID{guide.GPUSMI, guide.GPULspci, guide.CUDANvcc, guide.SessionTmux}

func quiet(t *testing.T) map[string]string {
	return map[string]string{
		"nvidia-smi": "cat " + caseOf(t, "010"), "lspci": "cat " + caseOf(t, "039"), "nvcc": "cat " + caseOf(t, "049"), "tmux": "echo tmux 3.3a",
	}
}

func TestSetUpCancelled(t *testing.T) {
	t.Parallel()
	i := newInstance(t, quiet(t), nil)
	text, pid := i.hangs()
	i.program("lspci", text)
	ctx, cancel := context.WithCancel(t.Context())
	var b book
	b.on = func(e run.Event) {
		if e.Check == guide.GPULspci && e.Kind == run.Started {
			go func() {
				until(t, "the tool's start", func() bool { st, err := os.Stat(pid); return err == nil && st.Size() > 0 })
				cancel()
			}()
		}
	}
	_, err := run.Do(ctx, i.params(guide.Dedicated, few, &b))
	if !errors.Is(err, context.Canceled) || !slices.Equal(b.ended(), few[:1]) {
		t.Fatalf("%v, told of %v", err, b.ended())
	}
	gone(t, pid)
	if i.host.State().Phase != stream.Live {
		t.Errorf("the watch suffered: %+v", i.host.State())
	}
}

func TestSetUpLinkLost(t *testing.T) {
	t.Parallel()
	i := newInstance(t, quiet(t), nil)
	text, pid := i.hangs()
	i.program("lspci", text)
	var b book
	var broke atomic.Int64
	b.on = func(e run.Event) {
		if e.Check == guide.GPULspci && e.Kind == run.Started {
			go func() {
				until(t, "the tool's start", func() bool { st, err := os.Stat(pid); return err == nil && st.Size() > 0 })
				broke.Store(time.Now().UnixNano())
				i.server.KillConnections()
			}()
		}
	}
	before, err := run.Do(t.Context(), i.params(guide.Dedicated, few, &b))
	if !errors.Is(err, guide.ErrOffline) || !slices.Equal(b.ended(), few[:1]) {
		t.Fatalf("%v, told of %v", err, b.ended())
	}
	gone(t, pid)
	i.awaitAfter(stream.Live, time.Unix(0, broke.Load()))
	i.program("lspci", "cat "+caseOf(t, "039"))
	b.on = nil
	after, err := run.Do(t.Context(), i.params(guide.Dedicated, few[1:], &b))
	if err != nil || !slices.Equal(b.ended(), few) {
		t.Fatalf("%v, told of %v", err, b.ended())
	}
	if before.IsZero() || !before.Same(after) || after.Boot == "" || after.PID1 == "" || after.Instance == "" {
		t.Errorf("the run of the instance: %+v, then %+v", before, after)
	}
	i.host.Stop()
	if _, err := run.Do(t.Context(), i.params(guide.Dedicated, few, &b)); !errors.Is(err, guide.ErrOffline) {
		t.Errorf("without a connection: %v", err)
	}
}

func TestSetUpHungCheck(t *testing.T) {
	t.Parallel()
	i := newInstance(t, quiet(t), nil)
	text, pid := i.hangs()
	i.program("lspci", text)
	var b book
	p := i.params(guide.Dedicated, few, &b)
	p.Timeouts = map[guide.CheckID]time.Duration{guide.GPULspci: 500 * time.Millisecond}
	if _, err := run.Do(t.Context(), p); err != nil || !slices.Equal(b.ended(), few) {
		t.Fatalf("%v, told of %v", err, b.ended())
	}
	gone(t, pid)
	if r := b.record(guide.GPULspci); !r.TimedOut || r.Exit != -1 || string(r.Stdout) != "first words\n" {
		t.Errorf("%+v, %q", r, r.Stdout)
	}
	if r := b.record(guide.CUDANvcc); r.TimedOut || r.Exit != 0 || !strings.Contains(string(r.Stdout), "release 12.4") {
		t.Errorf("%+v, %q", r, r.Stdout)
	}
}

// TestSetUpSpeedIsCut holds for the one check that writes much: its file goes,
// whatever happens.
func TestSetUpSpeedIsCut(t *testing.T) {
	t.Parallel()
	i := newInstance(t, quiet(t), nil)
	pid := filepath.Join(i.home, "pid")
	i.program("dd", `for a in "$@"; do case $a in of=*) echo data >"${a#of=}" ;; esac; done
echo $$ >`+pid+`
exec sleep 1000.0412`)
	ctx, cancel := context.WithCancel(t.Context())
	var b book
	b.on = func(e run.Event) {
		if e.Kind == run.Started {
			go func() {
				until(t, "the file", func() bool { st, err := os.Stat(pid); return err == nil && st.Size() > 0 })
				if files, err := filepath.Glob(filepath.Join(i.disk, ".rentgen-speed-*")); err != nil || len(files) != 1 {
					t.Errorf("files %v, %v", files, err)
				}
				cancel()
			}()
		}
	}
	if _, err := run.Do(ctx, i.params(guide.Dedicated, []guide.CheckID{guide.DiskSpeed}, &b)); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v, %+v", err, b.events)
	}
	gone(t, pid)
	until(t, "the file's end", func() bool {
		files, err := os.ReadDir(i.disk)
		return err == nil && len(files) == 0
	})
}

func TestSetUpOnTwoHosts(t *testing.T) {
	t.Parallel()
	one, two := newInstance(t, quiet(t), nil), newInstance(t, quiet(t), nil)
	one.program("lspci", "echo here is the first; sleep 0.2")
	two.program("lspci", "echo here is the second; exit 3")
	var books [2]book
	var both sync.WaitGroup
	for n, i := range []*instance{one, two} {
		both.Go(func() {
			if _, err := run.Do(t.Context(), i.params(guide.Dedicated, few, &books[n])); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	for n, want := range []string{"here is the first\n", "here is the second\n"} {
		if r := books[n].record(guide.GPULspci); r == nil || string(r.Stdout) != want || !slices.Equal(books[n].ended(), few) {
			t.Errorf("host %d: %+v, told of %v", n, r, books[n].ended())
		}
	}
}

// TestSetUpHostileOutput holds for a host that floods, and that plays with what we
// look for.
func TestSetUpHostileOutput(t *testing.T) {
	t.Parallel()
	i := newInstance(t, quiet(t), nil)
	i.program("lspci", "head -c 30000000 /dev/zero; printf '\\n00112233445566778899aabbccddeeff 2 end 0;\\n2 end 0;\\n3 begin;'; echo the end >&2; exit 5")
	i.program("nvcc", "head -c 20000000 /dev/zero >&2; printf '\\033[31mred\\000'")
	var b book
	if _, err := run.Do(t.Context(), i.params(guide.Dedicated, few, &b)); err != nil || !slices.Equal(b.ended(), few) {
		t.Fatalf("%v, told of %v", err, b.ended())
	}
	if r := b.record(guide.GPULspci); r.Exit != 5 || len(r.Stdout) != guide.MaxOutput || string(r.Stderr) != "the end\n" {
		t.Errorf("exit %d, %d bytes, %d: %.80q", r.Exit, len(r.Stdout), len(r.Stderr), r.Stderr)
	}
	if r := b.record(guide.CUDANvcc); r.Exit != 0 || string(r.Stdout) != "\x1b[31mred\x00" || len(r.Stderr) < 1000 || len(r.Stderr) > 131072 {
		t.Errorf("exit %d, %.80q, %d bytes", r.Exit, r.Stdout, len(r.Stderr))
	}
	if r := b.record(guide.SessionTmux); string(r.Stdout) != "tmux 3.3a\ntmux 3.3a\n" {
		t.Errorf("%q", r.Stdout)
	}
}

func TestSetUpTunnel(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/ws" {
			w.Header().Set("Server", "made-up")
			_, _ = io.WriteString(w, "<title>ComfyUI</title>")
			return
		}
		c, err := websocket.Accept(w, q, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		for {
			kind, b, err := c.Read(q.Context())
			if err != nil || c.Write(q.Context(), kind, append([]byte("echo "), b...)) != nil {
				return
			}
		}
	}))
	defer web.Close()
	port := web.URL[strings.LastIndex(web.URL, ":")+1:]
	i := newInstance(t, quiet(t), nil)
	tunnel := func(port string) *guide.Record {
		t.Helper()
		var b book
		p := i.params(guide.Network, []guide.CheckID{guide.Tunnel}, &b)
		p.Values[run.ValueUIPort] = port
		if _, err := run.Do(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		return b.record(guide.Tunnel)
	}
	if r := tunnel(port); r.Exit != 0 || guide.Known(r.Context.HTTPCode, 0) != 200 || !strings.Contains(string(r.Stdout), "200 OK") {
		t.Errorf("%+v, %q", r, r.Stdout)
	}
	closed := remotetest.Closed(t)
	if r := tunnel(closed[strings.LastIndex(closed, ":")+1:]); r.Exit == 0 || r.Context.HTTPCode != nil || !strings.Contains(strings.ToLower(string(r.Stderr)), "refused") {
		t.Errorf("nothing listens: %+v, %q", r, r.Stderr)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	o, err := reach.Forwarder(i.host).Forward(ctx, "", port)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	c, _, err := websocket.Dial(ctx, "ws://"+o.Addr()+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	if err := c.Write(ctx, websocket.MessageText, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if _, got, err := c.Read(ctx); err != nil || string(got) != "echo hello" {
		t.Errorf("%q, %v", got, err)
	}
}
