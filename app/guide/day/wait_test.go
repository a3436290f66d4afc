package day

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/guidetest"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// clock is a time that only sleeping moves.
type clock struct {
	now    time.Time
	sleeps []time.Duration
}

func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	c.sleeps = append(c.sleeps, d)
	return ctx.Err()
}

func TestWaitUntilItAnswers(t *testing.T) {
	c := &clock{now: noon}
	tries, rings := 0, 0
	var states []WaitState
	var w *Waiter
	w = NewWaiter(WaiterParams{
		Started: noon, Now: func() time.Time { return c.now }, Sleep: c.sleep,
		Dial: func(context.Context) error {
			if tries++; tries == 3 {
				w.NoCard()
			}
			if tries < 7 {
				return errors.New("connection refused\x1b[31m")
			}
			return nil
		},
		Age:     func(context.Context) (time.Duration, error) { return 8 * time.Second, nil },
		Changed: func(v Wait) { states = append(states, v.State) },
		Ring:    func(Wait) { rings++ },
	})
	v, err := w.Run(t.Context())
	if err != nil || v.State != Answered || v.Attempts != 7 || rings != 1 || len(v.NoCard) != 1 || v.Problem != "" {
		t.Fatalf("%+v %v", v, err)
	}
	want := []time.Duration{1, 2, 5, 10, 10, 10}
	for i, d := range want {
		if c.sleeps[i] != d*time.Second {
			t.Errorf("pauses %v", c.sleeps)
		}
	}
	if v.Total() != 38*time.Second || v.Queue == nil || *v.Queue != 30*time.Second || *v.Boot != 8*time.Second {
		t.Errorf("%+v", v)
	}
	if len(states) == 0 || states[len(states)-1] != Answered {
		t.Error(states)
	}
	e, err := v.Entry()
	if err != nil || e.Key != "1796040000000" {
		t.Error(e, err)
	}
	if l := Waits([]guide.Entry{{Kind: guide.KindDay, Body: []byte(`{"done":true}`)}, e, {Kind: "tick", Body: e.Body}, {Kind: guide.KindDay, Body: []byte("{")}}); len(l) != 1 || l[0].Total() != v.Total() || *l[0].Boot != *v.Boot {
		t.Errorf("%+v", l)
	}
}

// TestWaitOfARunningInstance proves that a start before the click is no queue.
func TestWaitOfARunningInstance(t *testing.T) {
	for name, age := range map[string]func(context.Context) (time.Duration, error){
		"ran all day": func(context.Context) (time.Duration, error) { return 10 * time.Hour, nil },
		"unknown":     func(context.Context) (time.Duration, error) { return 0, errAge },
		"none":        nil,
	} {
		w := NewWaiter(WaiterParams{Started: noon, Now: func() time.Time { return noon.Add(time.Second) }, Dial: func(context.Context) error { return nil }, Age: age})
		if v, err := w.Run(t.Context()); err != nil || v.Queue != nil || v.Boot != nil || v.Total() != time.Second {
			t.Errorf("%s: %+v %v", name, v, err)
		}
	}
}

func TestWaitEnds(t *testing.T) {
	bad := errors.New("the identity changed")
	w := NewWaiter(WaiterParams{
		Started: noon, Now: time.Now, Dial: func(context.Context) error { return bad }, Fatal: func(err error) bool { return errors.Is(err, bad) },
	})
	if v, err := w.Run(t.Context()); !errors.Is(err, bad) || v.State != Refused || v.Attempts != 1 || v.Problem == "" {
		t.Errorf("%+v %v", v, err)
	}
	if w.NoCard(); len(w.View().NoCard) != 0 {
		t.Error("the wait was over")
	}
	ctx, cancel := context.WithCancel(t.Context())
	w = NewWaiter(WaiterParams{Started: noon, Now: time.Now, Dial: func(context.Context) error { cancel(); return errors.New("no") }})
	if v, err := w.Run(ctx); !errors.Is(err, context.Canceled) || v.State != GaveUp || v.Total() != 0 {
		t.Errorf("%+v %v", v, err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	w = NewWaiter(WaiterParams{
		Started: noon, Now: time.Now, Dial: func(context.Context) error { return errors.New("no") },
		Changed: func(v Wait) {
			if !v.Next.IsZero() {
				cancel()
			}
		},
	})
	if v, err := w.Run(ctx); !errors.Is(err, context.Canceled) || v.State != GaveUp {
		t.Errorf("%+v %v", v, err)
	}
}

func TestStats(t *testing.T) {
	if s := Stats(nil); s.Total != nil || s.Queue != nil || s.Days != 0 {
		t.Errorf("%+v", s)
	}
	d := func(s int) *time.Duration { v := time.Duration(s) * time.Second; return &v }
	s := Stats([]Wait{
		{State: Answered, Started: noon, Answered: noon.Add(10 * time.Second), Queue: d(4), Boot: d(6)},
		{State: Answered, Started: noon, Answered: noon.Add(20 * time.Second), NoCard: []time.Time{noon, noon}},
		{State: GaveUp, Started: noon, NoCard: []time.Time{noon}},
	})
	if s.Days != 2 || s.NoCard != 2 || *s.Total != 15*time.Second || *s.Queue != 4*time.Second || *s.Boot != 6*time.Second {
		t.Errorf("%+v", s)
	}
}

func TestAge(t *testing.T) {
	for _, c := range []struct {
		uptime, stat string
		want         time.Duration
		bad          bool
	}{
		{"1000.50 3\n", " 90050 ", 100 * time.Second, false},
		{"50.0 3\n", " 90050 ", 50 * time.Second, false}, // the container's own uptime
		{"x", " 90050 ", 0, true},
		{"1000.0 1", " x ", 0, true},
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "1"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"uptime": c.uptime, "1/stat": "1 (init) S" + strings.Repeat(" 0", 18) + c.stat + "1 2 3\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if age, err := ageAt(t.Context(), guidetest.Shell{}, dir); age.Round(time.Millisecond) != c.want || (err != nil) != c.bad {
			t.Errorf("%q: %s %v", c.uptime, age, err)
		}
	}
}

func TestQueue(t *testing.T) {
	for body, want := range map[string]Queue{
		`{"queue_running": [], "queue_pending": []}`:            {},
		`{"queue_running": [[1]], "queue_pending": [[2],{},3]}`: {1, 3},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/queue" {
				http.NotFound(w, r)
			}
			io.WriteString(w, body)
		}))
		q, err := AskQueue(t.Context(), srv.Client(), srv.URL+"/")
		if srv.Close(); err != nil || q != want || q.Empty() != (want == Queue{}) {
			t.Errorf("%s: %+v %v", body, q, err)
		}
	}
	// what isn't a queue is never an empty one
	for _, body := range []string{"", "{}", "null", "[]", `{"queue_running": []}`, `{"queue_running": null, "queue_pending": []}`, "<html>", `{"queue_running": {}, "queue_pending": []}`} {
		if q, err := readQueue([]byte(body)); !errors.Is(err, ErrQueue) {
			t.Errorf("%q: %+v %v", body, q, err)
		}
	}
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	if _, err := AskQueue(t.Context(), srv.Client(), srv.URL); !errors.Is(err, ErrQueue) {
		t.Error(err)
	}
}

func FuzzQueue(f *testing.F) {
	f.Add([]byte(`{"queue_running": [], "queue_pending": [1]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if q, err := readQueue(b); err == nil && (q.Running < 0 || q.Pending < 0) {
			t.Fatal(q)
		}
	})
}
