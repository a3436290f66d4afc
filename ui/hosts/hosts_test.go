package hosts_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/ui/hosts"
	"rentgen/ui/hosts/hoststest"
	"rentgen/ui/widgets"
)

func newBook(t *testing.T, record bool) (*hosts.Book, *hoststest.Store, *hoststest.Opener) {
	t.Helper()
	st, op := &hoststest.Store{}, &hoststest.Opener{}
	b := hosts.New(hosts.Params{
		Store: st, Opener: op, Rate: func() float64 { return 2 }, Record: func() bool { return record },
		Now: func() time.Time { return hoststest.Now },
	})
	t.Cleanup(b.Close)
	return b, st, op
}

func add(t *testing.T, b *hosts.Book, s hosts.Saved) *hosts.Host {
	t.Helper()
	h, err := b.Add(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func tick(n int) *probe.Sample {
	return &probe.Sample{Seq: uint64(n), Time: hoststest.Now.Add(time.Duration(n) * time.Second), GPUs: []probe.GPU{{UUID: "GPU-0"}}}
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("waited for %s", what)
		default:
			runtime.Gosched() // a reader runs in its own goroutine
		}
	}
}

func TestConnectReadRecordDisconnect(t *testing.T) {
	b, st, op := newBook(t, true)
	h := add(t, b, hosts.Saved{ID: "a", Name: "Box", Line: "ssh root@192.0.2.7"})
	h.SetPassword("pw")
	h.Connect()
	s := op.Stream("a")
	if s.Password != "pw" {
		t.Error("the pasted password did not reach the connection")
	}
	if started, _, _ := s.Counts(); started != 1 {
		t.Fatalf("started %d times", started)
	}
	if len(st.Logs()) != 0 {
		t.Error("a log before the first reading")
	}
	s.Say(stream.State{Phase: stream.Live, Source: probe.SourceAgent, Rate: 2})
	s.Send(&probe.Inventory{Source: probe.SourceAgent}, tick(1), tick(2))
	until(t, "the readings", func() bool { return h.Live().Newest().Equal(hoststest.Now.Add(2 * time.Second)) })
	if on, err := h.Logging(); !on || err != nil {
		t.Errorf("logging is %v, %v", on, err)
	}
	ms, _ := st.Logs()[0].Messages()
	if len(ms) != 3 {
		t.Errorf("%d messages in the log, want inventory and two ticks", len(ms))
	}
	h.Connect() // again: now
	if _, _, retried := s.Counts(); retried != 1 {
		t.Error("a second Connect does not retry")
	}
	h.Disconnect()
	if _, stopped, _ := s.Counts(); stopped != 1 {
		t.Error("not stopped")
	}
	if _, reason := st.Logs()[0].Messages(); reason == "" {
		t.Error("the log is left open")
	}
	if p := h.State().Phase; p != stream.Off {
		t.Errorf("phase is %v", p)
	}
	// What came late does not wake the host.
	s.Say(stream.State{Phase: stream.Live})
	if p := h.State().Phase; p != stream.Off {
		t.Errorf("phase is %v after a late word", p)
	}
}

func TestDemoIsKeptOnlyWhenAsked(t *testing.T) {
	b, st, op := newBook(t, true)
	h := add(t, b, hosts.Saved{ID: "demo", Name: "Demo", Line: hosts.LineDemo})
	if saved, _ := st.Hosts(context.Background()); len(saved) != 0 {
		t.Error("the demo was saved")
	}
	h.Connect()
	s := op.Stream("demo")
	s.Send(&probe.Inventory{Demo: true}, tick(1))
	if len(st.Logs()) != 0 {
		t.Fatal("the demo was recorded unasked")
	}
	h.SetLogging(true)
	s.Send(tick(2))
	if len(st.Logs()) != 1 || !st.Logs()[0].Demo {
		t.Fatal("asked for, the demo's log is missing or not labelled")
	}
	h.SetLogging(false)
	if _, reason := st.Logs()[0].Messages(); reason == "" {
		t.Error("the log goes on")
	}
}

func TestNoLogIsSaid(t *testing.T) {
	b, st, op := newBook(t, true)
	st.LogErr = errors.New("disk full")
	h := add(t, b, hosts.Saved{ID: "a", Name: "Box", Line: "ssh a@b"})
	h.Connect()
	op.Stream("a").Send(&probe.Inventory{}, tick(1), tick(2))
	if on, err := h.Logging(); on || err == nil {
		t.Errorf("logging is %v, %v", on, err)
	}
}

func TestFailedOpenIsAState(t *testing.T) {
	b, _, op := newBook(t, false)
	op.Err = &remote.Error{Stage: remote.StageResolve, Kind: remote.KindInput}
	h := add(t, b, hosts.Saved{ID: "a", Name: "Box", Line: "ssh a@b"})
	h.Connect()
	if st := h.State(); st.Phase != stream.Failed || st.Err == nil {
		t.Errorf("state is %+v", st)
	}
	if h.Connected() {
		t.Error("it says that it is connected")
	}
}

func TestForget(t *testing.T) {
	b, st, op := newBook(t, true)
	h := add(t, b, hosts.Saved{ID: "a", Name: "Box", Line: "ssh a@b"})
	add(t, b, hosts.Saved{ID: "b", Name: "Other", Line: "ssh c@d"})
	h.Connect()
	op.Stream("a").Send(&probe.Inventory{}, tick(1))
	if err := b.Forget(context.Background(), "a", hosts.Forgetting{Helper: true, Logs: true}); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(op.Forgotten()) != "[a]" || op.Stream("a").Removed() != 1 || len(st.Logs()) != 0 {
		t.Errorf("secrets %v, helper %d, logs %d", op.Forgotten(), op.Stream("a").Removed(), len(st.Logs()))
	}
	saved, _ := st.Hosts(context.Background())
	if len(saved) != 1 || saved[0].ID != "b" || b.Chosen().ID != "b" {
		t.Errorf("left: %v, chosen %v", saved, b.Chosen())
	}
	// Not connected: forgotten all the same, and said that the helper is left.
	var left *hosts.HelperLeftError
	if err := b.Forget(context.Background(), "b", hosts.Forgetting{Helper: true}); !errors.As(err, &left) {
		t.Errorf("error is %v", err)
	}
	if b.Get("b") != nil || b.Chosen() != nil {
		t.Error("the host stays")
	}
}

func TestChangeKeepsWhatWasRead(t *testing.T) {
	b, st, op := newBook(t, false)
	h := add(t, b, hosts.Saved{ID: "a", Name: "Box", Line: "ssh -p 1 a@b"})
	h.Connect()
	h.Live().Message(tick(1))
	n, err := b.Change(context.Background(), "a", "Box", "ssh -p 2 a@b")
	if err != nil {
		t.Fatal(err)
	}
	if n.Line != "ssh -p 2 a@b" || n.Name != "Box" || n.Live() != h.Live() || b.Get("a") != n || b.Chosen() != n {
		t.Errorf("changed to %+v", n.Saved)
	}
	if _, stopped, _ := op.Stream("a").Counts(); stopped != 1 {
		t.Error("the old connection goes on")
	}
	saved, _ := st.Hosts(context.Background())
	if len(saved) != 1 || saved[0].Line != "ssh -p 2 a@b" {
		t.Errorf("saved: %+v", saved)
	}
}

func TestNamesStayDifferent(t *testing.T) {
	b, _, _ := newBook(t, true)
	for range 3 {
		add(t, b, hosts.Saved{Name: "Box", Line: "ssh a@b"})
	}
	var names []string
	for _, h := range b.Hosts() {
		names = append(names, h.Name)
	}
	if fmt.Sprint(names) != "[Box Box (2) Box (3)]" {
		t.Errorf("names are %q", names)
	}
}

func TestEveryStateAndErrorHasWords(t *testing.T) {
	now := hoststest.Now
	for _, l := range texts.Langs() {
		c := texts.For(l)
		for p := stream.Off; p <= stream.Paused; p++ {
			w := hosts.WordsOf(c, stream.State{Phase: p, Stage: stream.StageUpload, LastTick: now.Add(-40 * time.Second), RetryAt: now.Add(5 * time.Second)}, now)
			if w.Short == "" || w.Sentence == "" || strings.Contains(w.Short+w.Sentence, "{") || strings.Contains(w.Short+w.Sentence, "hosts.") {
				t.Errorf("%s, %v: %+v", l, p, w)
			}
		}
		for _, k := range remote.Kinds() {
			w := hosts.ErrorWords(c, fmt.Errorf("dial: %w", &remote.Error{
				Stage: remote.StageAuth, Kind: k, Hop: "root@192.0.2.7:22", Said: "no", Subject: "x",
				Tried: []string{"password"}, Offered: []string{"publickey"},
			}))
			if !c.Has("remote.err."+string(k)) || !c.Has("remote.next."+string(k)) {
				t.Errorf("%s: no words for %s", l, k)
			}
			if strings.Contains(w.Sentence+w.Next, "{") || w.Said != "no" {
				t.Errorf("%s, %s: %+v", l, k, w)
			}
		}
		for _, st := range remote.Stages() {
			if !c.Has("remote.stage." + string(st)) {
				t.Errorf("%s: no words for stage %s", l, st)
			}
		}
		for _, k := range []string{
			stream.KindNoCommand, stream.KindNotLinux, stream.KindBootstrap, stream.KindAgent, stream.KindSimple, stream.KindDeclined,
			stream.KindSilent, stream.KindLink, stream.KindOffline, stream.KindTimeout, stream.KindUpload, stream.KindForward, stream.KindLocalListen,
		} {
			if !c.Has("stream.err."+k) || !c.Has("stream.next."+k) {
				t.Errorf("%s: no words for %s", l, k)
			}
		}
		for _, r := range []string{
			probe.ReasonAsked, probe.ReasonNoAgent, probe.ReasonArch, probe.ReasonMusl, probe.ReasonNoExec, probe.ReasonDisk,
			probe.ReasonUpload, probe.ReasonStart, probe.ReasonNoLibrary, probe.ReasonNotLinux,
		} {
			if !c.Has("stream.reason." + r) {
				t.Errorf("%s: no words for reason %s", l, r)
			}
		}
		for _, m := range []probe.Mode{probe.ModeNoGPU, probe.ModeNoDriver, probe.ModeFault} {
			w := hosts.WordsOf(c, stream.State{Phase: stream.Live, Mode: m, Err: &stream.NoCardError{Mode: m, Detail: "raw"}}, now)
			if w.Sentence == "" || w.Next == "" || w.Short == "" || w.Said != "raw" {
				t.Errorf("%s, %s: %+v", l, m, w)
			}
			if red := w.State == widgets.Failed; red == (m == probe.ModeNoGPU) {
				t.Errorf("%s: state is %v", m, w.State)
			}
		}
	}
}

func TestAnErrorNamesItsStage(t *testing.T) {
	w := hosts.ErrorWords(texts.For(texts.English), &remote.Error{Stage: remote.StageDial, Kind: remote.KindRefused, Hop: "root@192.0.2.7:2222"})
	if !strings.Contains(w.Sentence, "Opening the connection") || !strings.Contains(w.Sentence, "root@192.0.2.7:2222") {
		t.Errorf("sentence is %q", w.Sentence)
	}
}
