package watch

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/probe/demo"
	"rentgen/probe/stream"
	"rentgen/ui/chart"
	"rentgen/ui/hosts"
	"rentgen/ui/hosts/hoststest"
	"rentgen/ui/theme"
)

var now = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

type rig struct {
	w    *Place
	book *hosts.Book
	op   *hoststest.Opener
	h    *hosts.Host
	now  time.Time
}

func newPlace(t testing.TB, cards int, past time.Duration, change ...func(*Params)) *rig {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Params{Ground: theme.Dark}))
	r := &rig{op: &hoststest.Opener{}, now: now}
	r.book = hosts.New(hosts.Params{Store: &hoststest.Store{}, Opener: r.op, Now: func() time.Time { return r.now }})
	t.Cleanup(r.book.Close)
	h, err := r.book.Add(context.Background(), hosts.Saved{ID: "a", Name: "Box", Line: "ssh a@b"})
	if err != nil {
		t.Fatal(err)
	}
	r.h = h
	win := test.NewTempWindow(t, nil)
	do := func(f func()) { f() }
	p := Params{
		Texts: texts.For(texts.English), Book: r.book, Window: win, Now: func() time.Time { return r.now },
		Pace: chart.Pace{After: func(_ time.Duration, f func()) { f() }, Do: do, Now: func() time.Time { return r.now }},
	}
	for _, f := range change {
		f(&p)
	}
	r.w = New(p)
	win.SetContent(r.w.Content())
	win.Resize(fyne.NewSize(1152, 760))
	r.w.Shown()
	if cards > 0 {
		h.Connect()
		r.op.Stream("a").Say(stream.State{Phase: stream.Live, Mode: probe.ModeGPU, Source: probe.SourceAgent, Rate: 1})
		demo.History(demo.Params{Cards: cards, Start: now.Add(-past)}, now.Add(-past), now, time.Second, h.Live().Message)
		r.w.Tick()
	}
	return r
}

func TestUnseenOwner(t *testing.T) {
	list := func(s probe.State, mem ...probe.Value) *probe.Processes {
		p := &probe.Processes{State: s}
		for i, m := range mem {
			p.List = append(p.List, probe.Process{PID: i, Mem: m, Own: i == 0})
		}
		return p
	}
	for name, c := range map[string]struct {
		p    *probe.Processes
		used probe.Value
		mib  float64
		ok   bool
	}{
		"hidden":        {list(probe.OK), probe.Of(9000), 9000, true},
		"some":          {list(probe.OK, probe.Of(4000), probe.Of(1000)), probe.Of(9000), 4000, true},
		"a context":     {list(probe.OK, probe.Of(8950)), probe.Of(9000), 50, false},
		"none":          {list(probe.OK), probe.Of(3), 3, false},
		"denied":        {list(probe.Denied), probe.Of(9000), 0, false},
		"memory hidden": {list(probe.OK, probe.Missing(probe.Unsupported, "[N/A]")), probe.Of(9000), 0, false},
		"no reading":    {list(probe.OK), probe.Missing(probe.Denied, ""), 0, false},
	} {
		mib, ok := Unseen(c.p, c.used)
		if ok != c.ok || ok && mib != c.mib {
			t.Errorf("%s: %v, %v; want %v, %v", name, mib, ok, c.mib, c.ok)
		}
	}
}

func TestProcNoteNeverSaysZeroForUnknown(t *testing.T) {
	en := texts.For(texts.English)
	p := &probe.Processes{State: probe.OK, List: []probe.Process{{Mem: probe.Missing(probe.Unsupported, ""), Own: true}}}
	if s := procNote(en, p, probe.Of(9000)); !strings.HasSuffix(s, texts.Dash) {
		t.Errorf("note is %q", s)
	}
}

func TestAMissingMetricIsASentence(t *testing.T) {
	r := newPlace(t, 1, time.Minute)
	b := r.w.front
	var d chart.Data
	from, to := now.Add(-time.Minute), now
	b.fillFor(b.open, plot{lines: []line{b.line(probe.NVLinkTx, 0)}, unit: "MB/s"}, from, to, &d)
	if d.Missing != "not offered by this card" {
		t.Errorf("missing says %q", d.Missing)
	}
	gone := probe.Missing(probe.Unsupported, "")
	if s := b.missing("", gone); s != "not offered by this machine" {
		t.Errorf("of the machine: %q", s)
	}
	b.stale = true
	if s := b.aged("– / –"); s != "– / –" {
		t.Errorf("no value has an age: %q", s)
	}
	b.stale = false
	d.Clear()
	b.fillFor(b.open, plot{lines: []line{b.line(probe.UtilGPU, 0), {col: 9999, name: "x", extra: true}}}, from, to, &d)
	if d.Missing != "" || len(d.Series) != 1 || d.Series[0].Len() == 0 {
		t.Errorf("data is %+v", d)
	}
}

func TestAnOpenGapReachesNow(t *testing.T) {
	r := newPlace(t, 1, time.Minute)
	b := r.w.front
	if _, ok := b.openGap(); ok {
		t.Error("a gap while live")
	}
	r.now = now.Add(90 * time.Second)
	r.op.Stream("a").Say(stream.State{Phase: stream.Waiting})
	r.w.Tick()
	g, ok := b.openGap()
	if !ok || g.To != r.now.UnixMilli() || g.Reason != "no connection to the host" {
		t.Errorf("gap is %+v, %v", g, ok)
	}
	if _, to := b.group.View(); !to.Equal(r.now) {
		t.Errorf("the view ends at %v", to)
	}
	if got := b.aged("97 %"); !strings.Contains(got, "ago") {
		t.Errorf("an old value reads %q", got)
	}
}

func TestOnlyTheSeenPlaceDraws(t *testing.T) {
	r := newPlace(t, 1, time.Minute)
	if r.w.front == nil {
		t.Fatal("nothing is drawn")
	}
	r.w.Hidden()
	if r.w.front != nil {
		t.Error("it draws unseen")
	}
	r.w.Tick()
	if r.w.front != nil {
		t.Error("a tick wakes an unseen place")
	}
	r.w.Shown()
	if r.w.front == nil {
		t.Error("it does not draw again")
	}
}

func TestAnotherSetOfCardsMakesAnotherBoard(t *testing.T) {
	r := newPlace(t, 1, time.Minute)
	old := r.w.front
	inv := *r.h.Live().Inventory()
	inv.GPUs = append([]probe.Device(nil), inv.GPUs...)
	inv.GPUs[0].Problem = probe.EventLost
	r.h.Live().Message(&inv)
	r.w.Tick()
	if r.w.front == old {
		t.Fatal("the board is the old one")
	}
	if old.group == r.w.front.group {
		t.Error("two boards share a group")
	}
}

func TestPictureAndValues(t *testing.T) {
	r := newPlace(t, 2, time.Minute)
	img := r.w.front.Picture()
	if b := img.Bounds(); b.Dx() < pictureWidth || b.Dy() < pictureLarge+pictureSmall {
		t.Errorf("picture is %v", b)
	}
	v := r.w.front.Values()
	if n := strings.Count(v, "GPU-"); n != 2 {
		t.Errorf("%d cards in the values:\n%s", n, v)
	}
	if got := fileName(`a/b:c d"`); got != "a-b-c-d-" {
		t.Errorf("file name %q", got)
	}
}

func TestMoreDrawsOnlyWhileOpen(t *testing.T) {
	r := newPlace(t, 1, time.Minute)
	m := r.w.front.more
	for _, g := range m.charts {
		if g.Visible() {
			t.Fatal("a folded chart is visible")
		}
	}
	test.Tap(m.toggle)
	for _, g := range m.charts {
		if !g.Visible() {
			t.Fatal("an opened chart is hidden")
		}
	}
	test.Tap(m.toggle)
	if m.charts[0].Visible() {
		t.Error("it stays open")
	}
}

func TestPairSaysTheUnitOnce(t *testing.T) {
	en := texts.For(texts.English)
	m := probe.DiskRead
	if s := pairText(en, probe.Of(0.1), probe.Of(2), m, m); s != "0.1 / 2.0\u2009MB/s" {
		t.Errorf("pair is %q", s)
	}
	if s := pairText(en, probe.Missing(probe.Denied, ""), probe.Of(2), m, m); s != texts.Dash+" / 2.0\u2009MB/s" {
		t.Errorf("pair is %q", s)
	}
}

func TestLayouts(t *testing.T) {
	box := func(h float32) fyne.CanvasObject {
		r := canvas.NewRectangle(nil)
		r.SetMinSize(fyne.NewSize(10, h))
		return r
	}
	a, b, c := box(20), box(30), box(40)
	l := &rows{parts: []part{{a, 0}, {b, 3}, {c, 1}}, gap: 4}
	if m := l.MinSize(nil); m.Height != 102 {
		t.Errorf("least height %v", m.Height)
	}
	l.Layout(nil, fyne.NewSize(100, 202))
	if a.Size().Height != 20 || b.Size().Height != 105 || c.Size().Height != 65 {
		t.Errorf("heights %v %v %v", a.Size().Height, b.Size().Height, c.Size().Height)
	}
	b.Hide()
	if m := l.MinSize(nil); m.Height != 68 {
		t.Errorf("without the hidden one %v", m.Height)
	}
	e := &even{columns: always(2), gap: 4}
	o := []fyne.CanvasObject{box(10), box(10), box(10)}
	e.Layout(o, fyne.NewSize(104, 24))
	if got := fmt.Sprint(o[1].Position(), o[2].Position(), o[0].Size()); got != "{54 0} {0 14} {50 10}" {
		t.Errorf("cells at %s", got)
	}
}

// BenchmarkIdleTick is a look at a page on which nothing is new: it must cost
// next to nothing.
func BenchmarkIdleTick(b *testing.B) {
	r := newPlace(b, 8, time.Minute)
	b.ReportAllocs()
	for b.Loop() {
		r.w.Tick()
	}
}

// BenchmarkReading is one reading of eight cards to the redrawn page.
func BenchmarkReading(b *testing.B) {
	r := newPlace(b, 8, 5*time.Minute)
	s, _ := r.h.Live().Latest()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		n := *s
		n.Time = now.Add(time.Duration(i) * time.Second)
		r.now = n.Time
		r.h.Live().Message(&n)
		r.w.Tick()
	}
}
