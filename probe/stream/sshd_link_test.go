//go:build linux

package stream_test

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/remote"
	"rentgen/probe/remote/remotetest"
	"rentgen/probe/smi/smitest"
	"rentgen/probe/stream"
)

// between fails unless the gap lies exactly between two ticks that follow each
// other.
func between(t *testing.T, l *log, g *probe.Gap) {
	t.Helper()
	samples := of[*probe.Sample](l)
	for i := 1; i < len(samples); i++ {
		if samples[i].Time.Equal(g.To) {
			if !samples[i-1].Time.Equal(g.From) {
				t.Fatalf("the gap starts at %v, the tick before was at %v", g.From, samples[i-1].Time)
			}
			return
		}
	}
	t.Fatalf("no tick ends the gap %+v", g)
}

func show(gaps []*probe.Gap) (s string) {
	for _, g := range gaps {
		s += fmt.Sprintf("%+v %v; ", *g, g.To.Sub(g.From))
	}
	return s
}

// inOrder fails unless the ticks are numbered without a hole and in time.
func inOrder(t *testing.T, l *log) {
	t.Helper()
	var last time.Time
	for i, s := range of[*probe.Sample](l) {
		if s.Seq != uint64(i)+1 || !s.Time.After(last) {
			t.Fatalf("tick %d has number %d and time %v after %v", i+1, s.Seq, s.Time, last)
		}
		last = s.Time
	}
}

func TestSSHDLink(t *testing.T) {
	t.Parallel()
	t.Run("case 14: killed mid-stream", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, rigOptions{})
		h, l := r.look(func(p *stream.Params) { p.Rate = 5 })
		reachPhase(t, h, stream.Live)
		ticks(t, l, 5)
		killed := time.Now()
		r.server.KillConnections()
		until(t, "the old program's end", func() bool { return len(running(r.cache())) == 0 })
		if d := time.Since(killed); d > time.Second {
			t.Logf("the program took %v to end", d)
		}
		reachPhase(t, h, stream.Waiting)
		reachPhase(t, h, stream.Live)
		ticks(t, l, 3)
		gaps := of[*probe.Gap](l)
		if len(gaps) != 1 || gaps[0].Reason != probe.GapLink || gaps[0].GPU != "" {
			t.Fatalf("gaps %s", show(gaps))
		}
		between(t, l, gaps[0])
		inOrder(t, l)
		if d := gaps[0].From.Sub(killed); d < -time.Second || d > time.Second {
			t.Fatalf("the gap starts %v off the kill", d)
		}
	})
	t.Run("case 20: the peer falls silent", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, rigOptions{})
		proxy := remotetest.NewProxy(t, r.server.Addr)
		host, port, err := net.SplitHostPort(proxy.Addr)
		if err != nil {
			t.Fatal(err)
		}
		straight := r.login
		r.login.Host = host
		r.login.Port, _ = strconv.Atoi(port)
		r.change = func(p *remote.Params) { p.KeepAlive, p.KeepAliveTimeout = time.Second, 6*time.Second }
		h, l := r.look(nil)
		reachPhase(t, h, stream.Live)
		ticks(t, l, 2)
		r.login = straight
		proxy.Stop()
		reachPhase(t, h, stream.Stale)
		reachPhase(t, h, stream.Waiting)
		reachPhase(t, h, stream.Live)
		ticks(t, l, 1)
		gaps := of[*probe.Gap](l)
		if len(gaps) != 1 || gaps[0].Reason != probe.GapLink {
			t.Fatalf("gaps %s", show(gaps))
		}
		between(t, l, gaps[0])
		inOrder(t, l)
	})
	t.Run("case 8, 9: killed in the middle of the transfer, nothing half is left", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, rigOptions{})
		big := make([]byte, 48<<20)
		_, _ = rand.Read(big)
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(big)
		_ = w.Close()
		r.agents = func(string) ([]byte, string, bool) { return b.Bytes(), strings.Repeat("ab", 32), true }
		h, _ := r.look(nil)
		files := func() []string {
			fs, _ := filepath.Glob(filepath.Join(r.cache(), ".*"))
			return fs
		}
		until(t, "the transfer", func() bool {
			for _, f := range files() {
				if st, err := os.Stat(f); err == nil && strings.HasSuffix(f, ".part") && st.Size() > 1<<20 {
					return true
				}
			}
			return false
		})
		r.server.KillConnections()
		r.server.Stop()
		until(t, "the end of the half file", func() bool { return len(files()) == 0 })
		h.Stop()
		if all, _ := os.ReadDir(r.cache()); len(all) != 0 {
			t.Fatalf("left behind: %v", all)
		}
	})
	t.Run("our program is killed, the link stands", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, rigOptions{})
		h, l := r.look(func(p *stream.Params) { p.Rate = 5 })
		reachPhase(t, h, stream.Live)
		ticks(t, l, 3)
		for _, pid := range pidsOf(r.cache()) {
			kill(t, pid)
		}
		until(t, "a gap", func() bool { return len(of[*probe.Gap](l)) > 0 })
		if g := of[*probe.Gap](l)[0]; g.Reason != probe.GapAgent {
			t.Fatalf("gap %+v", g)
		}
		if n := len(r.server.Connections()); n != 1 {
			t.Fatalf("%d connections", n)
		}
		inOrder(t, l)
	})
	t.Run("case 10: simple readings, killed mid-stream, nothing left behind", func(t *testing.T) {
		t.Parallel()
		bin := smitest.Install(t, smitest.Healthy(2))
		r := newRig(t, rigOptions{env: map[string]string{"PATH": bin + ":" + plainPath}, scenario: "none"})
		h, l := r.look(func(p *stream.Params) { p.Source = stream.SourceSMI })
		s := reachPhase(t, h, stream.Live)
		if s.Source != probe.SourceSMI || s.Reason != probe.ReasonAsked {
			t.Fatalf("state %+v", s)
		}
		ticks(t, l, 2)
		r.change = func(*remote.Params) { pass(time.Second) } // long enough to be a gap
		r.server.KillConnections()
		reachPhase(t, h, stream.Waiting)
		reachPhase(t, h, stream.Live)
		ticks(t, l, 2)
		gaps := of[*probe.Gap](l)
		if len(gaps) != 1 || gaps[0].Reason != probe.GapLink {
			t.Fatalf("gaps %s", show(gaps))
		}
		between(t, l, gaps[0])
		inOrder(t, l)
		h.Stop()
		until(t, "the end of nvidia-smi's loop", func() bool { return withArgument(bin) == 0 })
	})
	t.Run("simple readings pause and go on", func(t *testing.T) {
		t.Parallel()
		bin := smitest.Install(t, smitest.Healthy(1))
		r := newRig(t, rigOptions{env: map[string]string{"PATH": bin + ":" + plainPath}, scenario: "none"})
		h, l := r.look(func(p *stream.Params) { p.Source = stream.SourceSMI })
		reachPhase(t, h, stream.Live)
		ticks(t, l, 2)
		h.Pause()
		reachPhase(t, h, stream.Paused)
		until(t, "the end of nvidia-smi's loop", func() bool { return withArgument(bin) == 0 })
		pass(2 * time.Second) // long enough to be a gap
		h.Resume()
		reachPhase(t, h, stream.Live)
		ticks(t, l, 1)
		gaps := of[*probe.Gap](l)
		if len(gaps) != 1 || gaps[0].Reason != probe.GapPaused {
			t.Fatalf("gaps %s", show(gaps))
		}
		between(t, l, gaps[0])
	})
}
