package life

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/day"
	"rentgen/assets/texts"
	"rentgen/ui/setup"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// waiting is a wait for the card; UI thread.
type waiting struct {
	task   setup.Task
	waiter *day.Waiter
	wait   day.Wait
	known  bool // wait holds one
}

// today is the page "Begin and end of the day".
type today struct {
	p    Params
	h    *setup.Here
	v    *view
	root *container.Scroll

	start, noCard, stop       *widgets.Button
	waitState                 *widget.Label
	past                      *fyne.Container
	done, halt, folder, fetch *widgets.Button
	state                     *widget.Label
	evening                   *fyne.Container
	drawn, days               int
	provider                  string
}

func newToday(p Params, h *setup.Here, v *view) *today {
	c := h.Texts
	t := &today{p: p, h: h, v: v, drawn: -1, days: -1, waitState: widgets.Words(""), state: widgets.Words(""), past: container.NewVBox(), evening: container.NewVBox()}
	t.start = widgets.Primary(c.T("life.day.start"), theme.Icon("play"), t.begin)
	t.noCard = widgets.NewButton(c.T("life.day.nocard"), nil, func() {
		if v.wait.waiter != nil {
			v.wait.waiter.NoCard()
		}
	})
	t.stop = widgets.NewButton(c.T("life.day.giveup"), fynetheme.MediaStopIcon(), v.wait.task.Stop)
	t.done = widgets.Primary(c.T("life.day.done"), theme.Icon("play"), t.finish)
	t.halt = widgets.NewButton(c.T("life.stop"), fynetheme.MediaStopIcon(), v.task.Stop)
	t.folder = widgets.NewButton("", nil, t.choose)
	t.fetch = widgets.NewButton("", nil, t.fetchNew)
	t.root = container.NewVScroll(widgets.Left(820, widgets.Inset(6, container.NewVBox(
		heading(c.T("life.day.begin")), widgets.Words(c.T("life.day.begin.why")),
		widgets.Row(t.start, t.noCard, t.stop), t.waitState, t.past,
		widgets.Rule(),
		heading(c.T("life.day.end")), widgets.Words(c.T("life.day.end.why")),
		widgets.Row(t.done, t.halt), t.state, t.evening, widgets.Row(t.folder, t.fetch),
	))))
	return t
}

// Content is the page.
func (t *today) Content() fyne.CanvasObject { return t.root }

// Leave says that it isn't seen any more; what was begun goes on.
func (t *today) Leave() { t.v.leave(t) }

// Sync brings the page up to date.
func (t *today) Sync() {
	t.v.seen = t
	c, w := t.h.Texts, &t.v.wait
	live, demo := t.h.Host().Live, t.h.Host().Demo
	widgets.Able(t.start, !live && !demo && !w.task.Busy() && t.p.Dial != nil)
	widgets.Able(t.noCard, w.task.Busy())
	widgets.Able(t.stop, w.task.Busy())
	idle := ""
	switch {
	case demo:
		idle = t.h.Offline()
	case w.known:
		idle = waitSays(c, w.wait)
	case live:
		idle = c.T("life.day.live")
	}
	w.task.Show(t.waitState, idle)

	off := t.h.Offline()
	widgets.Able(t.done, off == "" && !t.v.task.Busy())
	widgets.Able(t.halt, t.v.task.Busy())
	t.v.task.Show(t.state, off)
	t.folder.SetText(c.T("life.day.folder"))
	if into := t.into(); into != "" {
		t.folder.SetText(c.T("life.day.folder.is", "path", widgets.Short(into, 60)))
	}
	widgets.Able(t.folder, t.p.Folder != nil && !t.v.task.Busy())
	e := t.v.end
	t.fetch.SetText(c.T("life.day.fetch", "n", len(e.fresh)))
	widgets.Able(t.fetch, off == "" && !t.v.task.Busy() && len(e.fresh) > 0 && t.into() != "")
	if n := len(t.h.Board.Entries(guide.KindDay)); t.drawn != t.v.change || t.days != n || t.provider != t.h.Board.Provider() {
		t.drawn, t.days, t.provider = t.v.change, n, t.h.Board.Provider()
		t.drawPast()
		t.drawEvening()
	}
	t.root.Refresh()
}

// waitSays is where a wait stands, in one sentence or two.
func waitSays(c *texts.Catalogue, w day.Wait) string {
	d := func(d time.Duration) string { return texts.Duration(c, d.Round(time.Second)) }
	text := ""
	switch w.State {
	case day.Answered:
		text = c.T("day.wait.answered", "total", d(w.Total()))
		if w.Queue != nil && w.Boot != nil {
			text = join(c, text, c.T("day.wait.times", "queue", d(*w.Queue), "boot", d(*w.Boot)))
		}
	case day.Refused:
		text = c.T("day.wait.refused", "problem", w.Problem)
	case day.GaveUp:
		text = c.T("day.wait.gave_up", "n", w.Attempts)
	default:
		text = c.T("day.wait.dialling", "n", w.Attempts)
		if !w.Next.IsZero() && w.Problem != "" {
			text = join(c, text, w.Problem)
		}
	}
	if n := len(w.NoCard); n > 0 {
		text = join(c, text, c.T("day.wait.no_card", "n", n))
	}
	return text
}

func join(c *texts.Catalogue, a, b string) string { return c.T("life.join", "a", a, "b", b) }

// begin waits for the card from now on.
func (t *today) begin() {
	w, h, v := &t.v.wait, t.h, t.v
	host := h.Host()
	changed := func(x day.Wait) {
		h.Do(func() {
			w.wait, w.known = x, true
			if w.task.Busy() {
				w.task.Tell(waitSays(h.Texts, x))
			}
		})
	}
	w.waiter = day.NewWaiter(day.WaiterParams{
		Started: h.Now(), Fatal: t.p.Fatal, Now: h.Now, Changed: changed,
		Dial: func(ctx context.Context) error { return t.p.Dial(ctx, host.ID) },
		Age: func(ctx context.Context) (time.Duration, error) {
			r := h.Runner()
			if r == nil {
				return 0, guide.ErrOffline
			}
			return day.Age(ctx, r)
		},
		Ring: func(day.Wait) {
			if t.p.Ring != nil {
				t.p.Ring(h.Texts.T("day.wait.ring", "host", host.Name))
			}
		},
	})
	waiter := w.waiter
	w.task.Start(h, h.Texts.T("day.wait.dialling", "n", 0), setup.Failed(h.Texts), func(ctx context.Context) (func(), error) {
		x, err := waiter.Run(ctx)
		return func() {
			w.wait, w.known = x, true
			w.task.Fail("")
			e, bad := x.Entry()
			if bad == nil {
				bad = h.Board.Put(e.Kind, e.Key, e.Body)
			}
			if bad != nil {
				w.task.Fail(h.Texts.T("setup.task.unsaved", "err", bad))
			}
			v.update()
		}, err
	})
}

// drawPast sums up the waits that are kept.
func (t *today) drawPast() {
	c := t.h.Texts
	t.past.Objects = nil
	s := day.Stats(day.Waits(t.h.Board.Entries(guide.KindDay)))
	if s.Days > 0 {
		d := func(v *time.Duration) string {
			if v == nil {
				return texts.Dash
			}
			return texts.Duration(c, v.Round(time.Second))
		}
		t.past.Add(widgets.Words(c.T("life.day.stats", "n", s.Days, "total", d(s.Total), "queue", d(s.Queue), "boot", d(s.Boot), "none", s.NoCard)))
		if t.p.Waits != nil {
			t.past.Add(widgets.Row(widgets.NewButton(c.T("life.day.take"), nil, func() {
				if t.p.Waits(t.h.Host().ID, s) {
					t.h.Say(guide.Pass, c.T("life.day.taken"), "")
				} else {
					t.h.Say(guide.Warn, c.T("life.day.nooffer"), "")
				}
			})))
		}
	}
	t.past.Refresh()
}

// drawEvening says whether the user can stop, what bills on and what dies.
func (t *today) drawEvening() {
	c, e := t.h.Texts, t.v.end
	t.evening.Objects = nil
	if !e.known {
		t.evening.Refresh()
		return
	}
	ev := e.make(t.h, t.v)
	v := theme.Pass
	if !ev.Ready() {
		v = theme.Warn
	}
	says := widgets.Words(c.Say(ev.Sentence(c.Lang)))
	says.TextStyle.Bold = true
	t.evening.Add(container.NewBorder(nil, nil, setup.Sign(v), nil, says))
	if e.queue != nil {
		t.evening.Add(widgets.Words(c.T("life.day.queue", "running", e.queue.Running, "pending", e.queue.Pending)))
	}
	for _, p := range ev.Parts {
		v := theme.NotRun
		if p.Bills != nil {
			v = theme.Pass
			if *p.Bills {
				v = theme.Warn
			}
		}
		text := c.Say(p.Says())
		for _, s := range p.Said {
			text = c.T("life.day.source", "text", text, "source", s.Source, "date", dated(c, s.Date))
		}
		t.evening.Add(container.NewBorder(nil, nil, setup.Sign(v), nil, widgets.Words(text)))
	}
	t.evening.Add(widgets.Words(guest(c, ev.Guest)))
	for _, r := range ev.AtOnce {
		t.evening.Add(container.NewBorder(nil, nil, setup.Sign(theme.Fail), nil, widgets.Words(c.T("life.day.atonce", "path", guide.Clean([]byte(r.Place.Path), 300)))))
	}
	if e.report != "" {
		t.evening.Add(widgets.Words(e.report))
	}
	t.evening.Refresh()
}

// guest says whether a shutdown from inside ends billing.
func guest(c *texts.Catalogue, ends *bool) string {
	switch {
	case ends == nil:
		return c.T("day.guest.unknown")
	case *ends:
		return c.T("day.guest.yes")
	}
	return c.T("day.guest.no")
}

func heading(text string) *widget.Label {
	l := widgets.Words(text)
	l.TextStyle.Bold = true
	return l
}
