package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/store"
	"rentgen/ui/chart"
	"rentgen/ui/theme"
)

// fake is a history in memory.
type fake struct {
	mu      sync.Mutex
	logs    []store.Recording
	damage  *store.Damage
	fail    error // every reading fails with it
	keep    store.Retention
	queries []store.Query
	csv     string
	csvErr  error
	denied  bool // no metric may be read
	gaps    []probe.Gap
	events  []probe.Event
}

var now = time.Date(2026, 11, 30, 20, 0, 0, 0, time.Local)

func card(i int) probe.Device {
	return probe.Device{
		Index: i, UUID: fmt.Sprintf("GPU-%d", i), Name: "NVIDIA GeForce RTX 4090",
		MemTotal: probe.Of(24564), PowerCap: probe.Of(450), TempSlow: probe.Of(87),
	}
}

func someLogs() []store.Recording {
	log := func(id int64, host string, ago, long time.Duration, cards int) store.Recording {
		r := store.Recording{ID: id, HostID: host, HostName: host, From: now.Add(-ago), To: now.Add(long - ago), Bytes: int64(long.Seconds()) * 9}
		for i := range cards {
			r.Devices = append(r.Devices, card(i))
		}
		return r
	}
	all := []store.Recording{
		log(5, "AutoDL 4090", 2*time.Hour, 2*time.Hour, 1),
		log(4, "Demo", 26*time.Hour, time.Hour, 2),
		log(3, "AutoDL 4090", 50*time.Hour, 5*time.Hour, 1),
		log(2, "Big machine", 9*24*time.Hour, 3*24*time.Hour, 8),
		log(1, "AutoDL 4090", 30*24*time.Hour, 20*time.Minute, 1),
	}
	all[0].Open, all[1].Demo, all[2].Gaps, all[3].Gaps = true, true, 1, 12
	return all
}

func (f *fake) Recordings(ctx context.Context, _ store.Filter) ([]store.Recording, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.logs), errors.Join(f.fail, ctx.Err())
}

func (f *fake) Query(ctx context.Context, q store.Query) (store.Series, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queries = append(f.queries, q)
	if f.fail != nil || ctx.Err() != nil {
		return store.Series{}, errors.Join(f.fail, ctx.Err())
	}
	s := store.Series{Metric: q.Metric, Tier: store.TierSeconds, Step: time.Second}
	if wide := q.To.Sub(q.From) / time.Duration(q.Points); wide > time.Second {
		s.Step = (wide + time.Second - 1).Truncate(time.Second)
	}
	for i := range f.logs {
		r := &f.logs[i]
		if r.ID != q.Recording {
			continue
		}
		for t := r.From.Truncate(s.Step); t.Before(r.To); t = t.Add(s.Step) {
			if t.Before(q.From) || t.After(q.To) {
				continue
			}
			p := store.Point{T: t, State: probe.Denied, Raw: "denied"}
			p.Min, p.Max, p.Mean = math.NaN(), math.NaN(), math.NaN()
			if !f.denied {
				p = point(q, t)
			}
			s.Points = append(s.Points, p)
		}
	}
	return s, nil
}

// point is a plausible reading.
func point(q store.Query, t time.Time) store.Point {
	x := float64(t.Unix())
	busy := math.Sin(x/600) > -0.3
	v := 8 + 3*math.Sin(x/7)
	if busy {
		v = 93 + 5*math.Sin(x/3)
	}
	if q.GPU == "GPU-1" {
		v *= 0.6
	}
	switch q.Metric {
	case probe.MemUsed:
		v = v*200 + 800
	case probe.Power:
		v = 60 + v*3.6
	}
	return store.Point{T: t, Min: v * 0.97, Max: v * 1.02, Mean: v, N: 1, State: probe.OK}
}

func (f *fake) Gaps(context.Context, store.Span) ([]probe.Gap, error)     { return f.gaps, f.fail }
func (f *fake) Events(context.Context, store.Span) ([]probe.Event, error) { return f.events, f.fail }

func (f *fake) ExportCSV(ctx context.Context, w io.Writer, id int64, from, to time.Time) error {
	if f.csvErr != nil {
		return f.csvErr
	}
	f.csv = fmt.Sprintf("%d %s %s", id, from.Format(time.DateTime), to.Format(time.DateTime))
	_, err := io.WriteString(w, f.csv)
	return errors.Join(err, ctx.Err())
}

func (f *fake) DeleteRecording(_ context.Context, id int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := len(f.logs)
	f.logs = slices.DeleteFunc(f.logs, func(r store.Recording) bool { return r.ID == id })
	if len(f.logs) == n {
		return store.ErrNotFound
	}
	return f.fail
}

func (f *fake) Retention(context.Context) (store.Retention, error) { return f.keep, f.fail }

func (f *fake) SetRetention(_ context.Context, r store.Retention) error {
	if f.fail == nil {
		f.keep = r
	}
	return f.fail
}

func (f *fake) Size(context.Context) (store.Size, error) {
	return store.Size{File: 123e6, Log: 4e6, Free: 9e6}, f.fail
}

func (f *fake) Cost(_ context.Context, r store.Retention) (store.Cost, error) {
	day := int64(200e3)
	days := int64(lasts(r.Seconds) / oneDay)
	return store.Cost{Seconds: day * min(days, 3650), Minutes: 40e6, Hours: 2e6, PerDay: day, CardHours: 8}, f.fail
}

func (f *fake) Damaged() *store.Damage { return f.damage }

func (f *fake) AcknowledgeDamage(context.Context) error {
	f.damage = nil
	return f.fail
}

// fixture is the place on a test window, all on one goroutine.
type fixture struct {
	*Place
	s       *fake
	w       fyne.Window
	timers  []func()
	queue   []func() // slow work that waits, with hold set
	hold    bool
	watched int
}

func newFixture(t *testing.T, s *fake, lang texts.Lang) *fixture {
	t.Helper()
	a := test.NewTempApp(t)
	a.Settings().SetTheme(theme.New(theme.Params{Ground: theme.Dark}))
	f := &fixture{s: s}
	f.w = test.NewTempWindow(t, nil)
	f.w.SetPadded(false)
	f.Place = New(Params{
		Texts: texts.For(lang), Store: s, Window: f.w,
		Watch: func() { f.watched++ },
		Now:   func() time.Time { return now },
		Go: func(g func()) {
			if f.hold {
				f.queue = append(f.queue, g)
				return
			}
			g()
		},
		Do:    func(g func()) { g() },
		After: func(_ time.Duration, g func()) { f.timers = append(f.timers, g) },
		Pace:  chart.Immediate,
	})
	f.w.SetContent(f.Content())
	f.w.Resize(fyne.NewSize(980, 662))
	return f
}

// release runs the slow work that waits.
func (f *fixture) release() {
	f.hold = false
	for len(f.queue) > 0 {
		g := f.queue[0]
		f.queue = f.queue[1:]
		g()
	}
}
