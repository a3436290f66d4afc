package measure

import (
	"context"
	"errors"
	"math"
	"strconv"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/tenant"
	"rentgen/assets/texts"
	"rentgen/ui/chart"
	"rentgen/ui/setup"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// look is a reading for other tenants of one host; UI thread.
type look struct {
	test    tenant.Test
	cancel  context.CancelFunc // not nil while it reads
	failed  string
	seen    *tenants // the page that shows it, nil while none does
	chosen  string   // key of the kept test that is shown, "" for the latest
	version int      // counts readings and changes
}

// tenants is the page.
type tenants struct {
	p    Params
	h    *setup.Here
	l    *look
	root *container.Scroll

	start, stop  *widgets.Button
	target, dir  *widgets.Entry
	state        *widget.Label
	sentence     *fyne.Container
	findings     *fyne.Container
	times, past  *fyne.Container
	grid         *fyne.Container // of the charts
	group        *chart.Group
	charts       map[tenant.Resource]*chart.Chart
	drawn        int // version that is drawn
	drawnEntries int
}

func newTenants(p Params, h *setup.Here, l *look) *tenants {
	t := &tenants{p: p, h: h, l: l, charts: make(map[tenant.Resource]*chart.Chart), drawn: -1, drawnEntries: -1}
	c := h.Texts
	t.start = widgets.Primary("", theme.Icon("play"), t.begin)
	t.stop = widgets.NewButton(c.T("measure.stop"), fynetheme.MediaStopIcon(), func() {
		if l.cancel != nil {
			l.cancel()
		}
	})
	t.target, t.dir = widgets.NewEntry(), widgets.NewEntry()
	t.target.SetPlaceHolder(c.T("measure.tenants.target.none"))
	t.dir.SetPlaceHolder(c.T("measure.tenants.dir.none"))
	values := h.Board.Values()
	t.target.SetText(values["host"])
	t.dir.SetText(values["dir"])
	t.state = widgets.Words("")
	t.sentence, t.findings = container.NewStack(), container.NewVBox()
	t.times, t.past = container.NewVBox(), container.NewVBox()
	t.group = chart.NewPacedGroup(p.Pace)
	t.grid = container.NewGridWithColumns(2)
	for _, r := range tenant.Resources() {
		ch := chart.New(chart.Params{Title: c.T("measure.tenants.chart." + string(r)), Texts: c, Group: t.group})
		t.charts[r] = ch
		t.grid.Add(widgets.AtLeast(fyne.NewSize(0, widgets.Scaled(120)), ch))
	}
	field := func(key string, e *widgets.Entry) fyne.CanvasObject {
		return container.NewBorder(nil, nil, widgets.Small(c.T(key)), nil, e)
	}
	t.root = container.NewVScroll(widgets.Inset(6, container.NewVBox(
		widgets.Words(c.T("measure.tenants.why")),
		container.NewGridWithColumns(2, field("measure.tenants.dir", t.dir), field("measure.tenants.target", t.target)),
		widgets.Row(t.start, t.stop), t.state,
		t.sentence, t.findings, t.grid, t.times, t.past,
	)))
	return t
}

// Content is the page.
func (t *tenants) Content() fyne.CanvasObject { return t.root }

// Leave says that it isn't seen any more; a reading goes on.
func (t *tenants) Leave() {
	t.group.SetShown(false)
	if t.l.seen == t {
		t.l.seen = nil
	}
}

// Sync brings the page up to date.
func (t *tenants) Sync() {
	t.l.seen = t
	t.group.SetShown(true)
	t.buttons()
	if entries := t.h.Board.Entries(guide.KindTenant); len(entries) != t.drawnEntries || t.l.version != t.drawn {
		t.drawnEntries, t.drawn = len(entries), t.l.version
		t.draw(entries)
	}
	t.root.Refresh() // parts of it may have another size
}

// buttons says what can be done now and how far a reading is.
func (t *tenants) buttons() {
	c, reading := t.h.Texts, t.l.cancel != nil
	name := c.T("measure.tenants.start", "for", texts.Duration(c, tenant.Usual))
	if t.p.Cost != nil {
		if cost := t.p.Cost(tenant.Usual); cost != "" {
			name = c.T("measure.tenants.start.cost", "for", texts.Duration(c, tenant.Usual), "cost", cost)
		}
	}
	if t.start.Text != name {
		t.start.SetText(name)
	}
	live := t.h.Runner() != nil
	widgets.Able(t.start, live && !reading)
	widgets.Able(t.stop, reading)
	text := ""
	switch {
	case reading:
		text = c.T("measure.tenants.reading", "n", len(t.l.test.Readings))
	case t.l.failed != "":
		text = t.l.failed
	case !live:
		text = c.T("measure.offline")
	}
	setup.Put(t.state, text)
}

// begin starts a reading.
func (t *tenants) begin() {
	r := t.h.Runner()
	if r == nil || t.l.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	l, h := t.l, t.h
	l.cancel, l.failed, l.chosen = cancel, "", ""
	l.test = tenant.Test{Start: h.Now()}
	l.version++
	dir, target := t.dir.Text, t.target.Text
	t.Sync()
	h.Go(func() {
		test, err := tenant.Look(ctx, tenant.Params{
			Runner: r, Dir: dir, Target: target, Now: h.Now,
			Reading: func(x tenant.Reading) {
				h.Do(func() {
					if l.cancel == nil {
						return
					}
					l.test.Readings = append(l.test.Readings, x)
					l.update()
				})
			},
		})
		stopped := errors.Is(err, context.Canceled)
		cancel()
		h.Do(func() {
			l.cancel = nil
			l.test = test
			if err != nil && !stopped {
				l.failed = h.Texts.T("measure.tenants.failed", "err", err)
			}
			if len(test.Readings) > 0 {
				if err := h.Board.Put(guide.KindTenant, strconv.FormatInt(test.Start.UnixMilli(), 10), test); err != nil {
					l.failed = h.Texts.T("measure.unsaved", "err", err)
				}
			}
			l.update()
		})
	})
}

// update draws what is new where the page is seen.
func (l *look) update() {
	l.version++
	if l.seen != nil {
		l.seen.Sync()
	}
}

// draw shows the test under way, else the chosen or latest one that is kept.
func (t *tenants) draw(entries []guide.Entry) {
	c := t.h.Texts
	tests := make([]tenant.Test, 0, len(entries))
	keys := make([]string, 0, len(entries))
	for _, e := range entries {
		if test, err := tenant.ReadTest(e.Body); err == nil {
			tests, keys = append(tests, test), append(keys, e.Key)
		}
	}
	shown := t.l.test
	if t.l.cancel == nil && (t.l.chosen != "" || len(shown.Readings) == 0) {
		for i := range tests {
			if keys[i] == t.l.chosen || t.l.chosen == "" {
				shown = tests[i]
			}
		}
	}
	t.sentence.Objects, t.findings.Objects = nil, nil
	if len(shown.Readings) > 0 {
		t.grid.Show()
	} else {
		t.grid.Hide()
	}
	if len(shown.Readings) > 0 {
		res := tenant.Judge(shown.Readings)
		if t.l.cancel == nil {
			l := widgets.Words(c.Say(res.Sentence))
			l.TextStyle.Bold = true
			t.sentence.Objects = []fyne.CanvasObject{container.NewBorder(nil, nil, setup.Sign(setup.Verdict(res.Verdict)), nil, l)}
		}
		for _, f := range res.Findings {
			text := c.Say(f.Says)
			if f.Level == tenant.Unknown { // says nothing of what it is about
				text = c.T("measure.tenants.of", "what", c.T("measure.tenants.chart."+string(f.Resource)), "says", text)
			} else {
				text = c.T("measure.tenants.sure", "says", text, "sure", texts.Percent(100*min(f.Confidence, 0.99)))
			}
			t.findings.Add(container.NewBorder(nil, nil, setup.Sign(setup.Verdict(verdictOf(f.Level))), nil, widgets.Words(text)))
		}
	} else {
		t.findings.Add(widgets.Words(c.T("measure.tenants.empty")))
	}
	t.sentence.Refresh()
	t.findings.Refresh()
	t.fill(shown)
	t.drawPast(tests, keys)
}

// fill puts the readings into the charts.
func (t *tenants) fill(test tenant.Test) {
	c := t.h.Texts
	values := map[tenant.Resource]func(r tenant.Reading) *float64{
		tenant.Card: func(r tenant.Reading) *float64 {
			var most *float64
			for _, g := range r.GPUs {
				if g.Util != nil && (most == nil || *g.Util > *most) {
					most = g.Util
				}
			}
			return most
		},
		tenant.CPU:  func(r tenant.Reading) *float64 { return r.CPUWorkMs },
		tenant.Disk: func(r tenant.Reading) *float64 { return r.DiskWorkMs },
		tenant.Net:  func(r tenant.Reading) *float64 { return r.NetRTTMs },
	}
	for r, ch := range t.charts {
		d := chart.Data{Unit: "ms"}
		if r == tenant.Card {
			d.Unit, d.Fixed = "%", 100
		}
		s := d.Grow(c.T("tenant.resource."+string(r)), 0)
		any := false
		for _, x := range test.Readings {
			v := math.NaN()
			if p := values[r](x); p != nil {
				v, any = *p, true
			}
			s.Add(test.Start.Add(x.At).UnixMilli(), v)
		}
		if !any {
			d = chart.Data{Missing: c.T("tenant." + string(r) + ".none")}
		}
		ch.SetData(d)
	}
	if n := len(test.Readings); n > 0 {
		end := test.Start.Add(max(test.Readings[n-1].At, 30*time.Second))
		t.group.SetView(test.Start, end)
	}
}

// drawPast lists the tests that are kept and compares them by time of day.
func (t *tenants) drawPast(tests []tenant.Test, keys []string) {
	c := t.h.Texts
	t.times.Objects, t.past.Objects = nil, nil
	if len(tests) > 0 {
		_, says := tenant.Compare(tests, t.h.Now().Location())
		t.times.Add(widgets.Words(c.Say(says)))
	}
	for i := len(tests) - 1; i >= 0; i-- {
		key := keys[i]
		res := tenant.Judge(tests[i].Readings)
		open := widgets.Quiet(c.T("measure.past", "when", texts.DateTime(c, tests[i].Start.Local()), "says", c.Say(res.Sentence)), verdictIcon(res.Verdict), func() {
			t.l.chosen = key
			t.l.update()
		})
		open.Alignment = widget.ButtonAlignLeading
		drop := widgets.Quiet("", theme.Icon("delete"), func() {
			if err := t.h.Board.Drop(guide.KindTenant, key); err != nil {
				t.h.Say(guide.Warn, c.T("measure.unsaved", "err", err), "")
			}
			t.l.update()
		})
		t.past.Add(container.NewBorder(nil, nil, nil, drop, open))
	}
	t.times.Refresh()
	t.past.Refresh()
}

func verdictOf(l tenant.Level) guide.Verdict {
	switch l {
	case tenant.Quiet:
		return guide.Pass
	case tenant.Unknown:
		return guide.Skip
	}
	return guide.Warn
}

func verdictIcon(v guide.Verdict) fyne.Resource { return theme.Verdict(v).Icon() }
