//go:build linux

package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"rentgen/probe/remote"
	"rentgen/probe/stream"
)

func TestSSHDRun(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".bashrc"), []byte("echo welcome; printf complaint >&2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, rigOptions{home: home})
	h, _ := r.look(nil)
	if _, err := stream.New(stream.Params{}).Run(t.Context(), stream.Command{Script: "true"}); stream.KindOf(err) != stream.KindOffline {
		t.Fatalf("without a connection: %v", err)
	}
	reachPhase(t, h, stream.Live)
	for _, c := range []struct {
		name     string
		c        stream.Command
		out, err string
		exit     int
	}{
		{"outputs and exit code apart", stream.Command{Script: "echo out; echo err >&2; exit 7"}, "out\n", "err\n", 7},
		{"no line end, empty stderr", stream.Command{Script: "printf x"}, "x", "", 0},
		{"arguments are not shell text", stream.Command{Script: `printf '%s|' "$@"`, Args: []string{"a b", "$(id)", "it's", ";", "\n", ""}}, "a b|$(id)|it's|;|\n||", "", 0},
		{"input", stream.Command{Script: "cat; echo end", Stdin: []byte("one\ntwo\n")}, "one\ntwo\nend\n", "", 0},
		{"no input is empty input", stream.Command{Script: "cat; echo end"}, "end\n", "", 0},
		{"a script that does not parse", stream.Command{Script: "if then fi ("}, "", "*", 2},
		{"ended by a signal", stream.Command{Script: "kill -TERM $$"}, "", "*", 143},
		{"case 49: English words", stream.Command{Script: "LANG=de_DE.UTF-8; cat /nonexistent"}, "", "*No such file", 1},
		{"the words of our markers in the output", stream.Command{Script: "printf 'x end 3\\nbegin'"}, "x end 3\nbegin", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := h.Run(t.Context(), c.c)
			if err != nil {
				t.Fatal(err)
			}
			if string(res.Stdout) != c.out || res.Exit != c.exit || res.Truncated || res.TimedOut {
				t.Fatalf("result %+v, stdout %q", res, res.Stdout)
			}
			if want, loose := strings.CutPrefix(c.err, "*"); loose && !strings.Contains(string(res.Stderr), want) || !loose && string(res.Stderr) != c.err {
				t.Fatalf("stderr %q", res.Stderr)
			}
		})
	}
	t.Run("too much output is cut", func(t *testing.T) {
		res, err := h.Run(t.Context(), stream.Command{Script: "head -c 3000000 /dev/zero | tr '\\0' x; exit 4", Limit: 1000})
		if err != nil || !res.Truncated || len(res.Stdout) != 1000 || res.Exit != 4 {
			t.Fatalf("%v, %d bytes, %+v", err, len(res.Stdout), res.Exit)
		}
	})
	t.Run("time limit", func(t *testing.T) {
		res, err := h.Run(t.Context(), stream.Command{Script: `echo first; sleep "$1"`, Args: []string{"1000.0271"}, Timeout: 1500 * time.Millisecond})
		until(t, "the end of what ran there", func() bool { return withArgument("1000.0271") == 0 })
		if stream.KindOf(err) != stream.KindTimeout || !res.TimedOut || !strings.HasPrefix(string(res.Stdout), "first") {
			t.Fatalf("%v, %+v", err, res)
		}
	})
	t.Run("what it leaves running on purpose goes on", func(t *testing.T) {
		res, err := h.Run(t.Context(), stream.Command{Script: `sleep "$1" >/dev/null 2>&1 & echo "$!"`, Args: []string{"1000.0273"}})
		if err != nil || withArgument("1000.0273") != 1 {
			t.Fatalf("%v, %+v", err, res)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(res.Stdout)))
		if err != nil {
			t.Fatal(err)
		}
		kill(t, pid)
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		file := filepath.Join(t.TempDir(), "started")
		go func() {
			until(t, "the script's start", func() bool { _, err := os.Stat(file); return err == nil })
			cancel()
		}()
		_, err := h.Run(ctx, stream.Command{Script: `: >"$1"; sleep "$2"`, Args: []string{file, "1000.0272"}})
		until(t, "the end of what ran there", func() bool { return withArgument("1000.0272") == 0 })
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	})
	if h.State().Phase != stream.Live {
		t.Fatalf("state %+v", h.State())
	}
}

func TestSSHDUpload(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{})
	h, _ := r.look(nil)
	reachPhase(t, h, stream.Live)
	data := bytes.Repeat([]byte("0123456789abcdef\x00\xff\r\n"), 40_000)
	t.Run("a file in the home", func(t *testing.T) {
		if err := h.Upload(t.Context(), stream.File{Path: "~/some where/it's.bin", Data: data, Mode: 0o640}); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(r.home, "some where", "it's.bin")
		got, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%v, %d bytes", err, len(got))
		}
		if st, _ := os.Stat(file); st.Mode().Perm() != 0o640 {
			t.Fatalf("mode %v", st.Mode())
		}
		if err := h.Upload(t.Context(), stream.File{Path: "~/some where/it's.bin"}); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || len(got) != 0 {
			t.Fatalf("an empty file: %v, %d bytes", err, len(got))
		}
	})
	t.Run("case 8: no space; the old file stays", func(t *testing.T) {
		small := mounted(t, "size=64k")
		file := filepath.Join(small, "x")
		if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		err := h.Upload(t.Context(), stream.File{Path: file, Data: data})
		var e *stream.Error
		if !errors.As(err, &e) || e.Kind != stream.KindUpload || !strings.Contains(e.Said, "space") {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(file); string(got) != "old" {
			t.Fatalf("the old file is %q", got)
		}
		if es, _ := os.ReadDir(small); len(es) != 1 {
			t.Fatalf("left behind: %v", es)
		}
	})
}

func TestSSHDRemoveHelper(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{})
	h, _ := r.look(nil)
	reachPhase(t, h, stream.Live)
	mine := filepath.Join(r.cache(), "agent-123456789abc")
	other := filepath.Join(r.home, ".cache", "other")
	for _, f := range []string{mine, other} {
		if err := os.WriteFile(f, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.RemoveHelper(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(r.cache()); !errors.Is(err, os.ErrNotExist) {
		es, _ := os.ReadDir(r.cache())
		t.Fatalf("left behind: %v, %v", es, err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Fatal("another program's file is gone")
	}
	reachPhase(t, h, stream.Failed)
	until(t, "the program's end", func() bool { return len(running(r.cache())) == 0 })
	h.Retry()
	reachPhase(t, h, stream.Live)
}

func TestSSHDForward(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/ws" {
			body, _ := io.ReadAll(q.Body)
			_, _ = fmt.Fprintf(w, "%s %s", q.Method, bytes.ToUpper(body))
			return
		}
		c, err := websocket.Accept(w, q, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		for {
			kind, b, err := c.Read(q.Context())
			if err != nil {
				return
			}
			if c.Write(q.Context(), kind, append([]byte("echo "), b...)) != nil {
				return
			}
		}
	}))
	defer web.Close()
	address := strings.TrimPrefix(web.URL, "http://")

	r := newRig(t, rigOptions{})
	h, _ := r.look(nil)
	if _, err := h.Forward(t.Context(), "0", address); err != nil && stream.KindOf(err) != stream.KindOffline {
		t.Fatal(err)
	}
	reachPhase(t, h, stream.Live)
	f, err := h.Forward(t.Context(), "0", address)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	post := func(t *testing.T) {
		t.Helper()
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
		resp, err := client.Post("http://"+f.Addr()+"/", "text/plain", strings.NewReader(strings.Repeat("abc", 100_000)))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil || len(b) != 300_005 || !strings.HasPrefix(string(b), "POST ABC") {
			t.Fatalf("%v, %d bytes", err, len(b))
		}
	}
	t.Run("HTTP", post)
	t.Run("WebSocket", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		c, _, err := websocket.Dial(ctx, "ws://"+f.Addr()+"/ws", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseNow()
		for i := range 50 {
			msg := fmt.Sprintf("message %d", i)
			if err := c.Write(ctx, websocket.MessageText, []byte(msg)); err != nil {
				t.Fatal(err)
			}
			if _, b, err := c.Read(ctx); err != nil || string(b) != "echo "+msg {
				t.Fatalf("%q, %v", b, err)
			}
		}
	})
	t.Run("only this computer may connect", func(t *testing.T) {
		if host, _, _ := net.SplitHostPort(f.Addr()); host != "127.0.0.1" {
			t.Fatalf("listens on %s", f.Addr())
		}
		var in *remote.InputError
		for _, bad := range []string{"0.0.0.0:0", "99999", "192.0.2.1:80", "x"} {
			if _, err := h.Forward(t.Context(), bad, address); !errors.As(err, &in) {
				t.Fatalf("%s: %v", bad, err)
			}
		}
	})
	t.Run("the local port is taken", func(t *testing.T) {
		if _, err := h.Forward(t.Context(), f.Addr(), address); stream.KindOf(err) != stream.KindLocalListen {
			t.Fatal(err)
		}
	})
	t.Run("nothing listens there yet", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addr := l.Addr().String()
		_ = l.Close()
		g, err := h.Forward(t.Context(), "", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		c, err := net.Dial("tcp", g.Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Fatal("something answered")
		}
		if g.Err() == nil {
			t.Fatal("no reason is kept")
		}
	})
	t.Run("it outlives a broken link", func(t *testing.T) {
		r.server.KillConnections()
		reachPhase(t, h, stream.Waiting)
		reachPhase(t, h, stream.Live)
		post(t)
	})
	t.Run("closed", func(t *testing.T) {
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		// Another test may have been given the port since: what counts is that
		// the host's page is no longer there.
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
		resp, err := client.Post("http://"+f.Addr()+"/", "text/plain", strings.NewReader("abc"))
		if err != nil {
			return
		}
		defer resp.Body.Close()
		if b, _ := io.ReadAll(io.LimitReader(resp.Body, 64)); string(b) == "POST ABC" {
			t.Fatal("still open")
		}
	})
}

func TestSSHDForwardingForbidden(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{config: []string{"AllowTcpForwarding no"}})
	h, l := r.look(nil)
	reachPhase(t, h, stream.Live)
	t.Run("case 16: readings come all the same", func(t *testing.T) { ticks(t, l, 1) })
	t.Run("case 16: the refusal has a name", func(t *testing.T) {
		_, err := h.Forward(t.Context(), "0", "127.0.0.1:80")
		if stream.KindOf(err) != stream.KindForward {
			t.Fatal(err)
		}
	})
}

// TestSSHDRunLive holds for results that are shown as they come and for input
// that follows what they say.
func TestSSHDRunLive(t *testing.T) {
	t.Parallel()
	for _, sh := range []string{"dash", "busybox"} {
		t.Run(sh, func(t *testing.T) {
			path, err := exec.LookPath(sh)
			if err != nil {
				t.Skipf("skipped %s: no %s here", t.Name(), sh)
			}
			inner := path
			if sh == "busybox" {
				inner = path + " sh"
			}
			r := newRig(t, rigOptions{})
			h, _ := r.look(nil)
			reachPhase(t, h, stream.Live)
			in := make(chan string, 4)
			var said strings.Builder
			var errs strings.Builder
			lines := 0
			res, err := h.Run(t.Context(), stream.Command{
				Script: "exec " + inner + ` -c 'echo begun; while IFS= read -r l; do printf "got <%s>\\n" "$l"; printf "err <%s>\\n" "$l" >&2; done; echo over; exit 5'`,
				Stdin:  []byte("first\n"), In: in,
				Out: func(b []byte) {
					said.Write(b)
					for n := strings.Count(said.String(), "got <"); lines < n; lines++ {
						if lines == 3 {
							close(in)
							continue
						}
						in <- fmt.Sprintf("  line \\%d ", lines)
					}
				},
				Err: func(b []byte) { errs.Write(b) },
			})
			want := "begun\ngot <first>\ngot <  line \\0 >\ngot <  line \\1 >\ngot <  line \\2 >\nover\n"
			if err != nil || res.Exit != 5 || said.String() != want || string(res.Stdout) != want || strings.Count(errs.String(), "err <") != 4 {
				t.Fatalf("%v, %+v\nlive %q\nerrors %q", err, res, said.String(), errs.String())
			}
		})
	}
	t.Run("a script that ends without reading", func(t *testing.T) {
		r := newRig(t, rigOptions{})
		h, _ := r.look(nil)
		reachPhase(t, h, stream.Live)
		in := make(chan string, 4)
		in <- "nobody reads this"
		res, err := h.Run(t.Context(), stream.Command{Script: "echo done", In: in})
		if err != nil || string(res.Stdout) != "done\n" || res.Exit != 0 {
			t.Fatalf("%v, %+v", err, res)
		}
	})
}
