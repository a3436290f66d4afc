package home

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/bill/sheet"
	"rentgen/assets/texts"
	"rentgen/probe/stream"
	"rentgen/ui/hosts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// awayCard is what goes on while nobody is at this computer: the recorder that
// keeps readings, and the guard that ends billing.
type awayCard struct {
	w        *Place
	host     string
	live     bool // the host answers
	recorder *duty
	guard    *duty
	last     *widget.Label
	box      *fyne.Container
}

// duty is one of both: shape, sentence, what else is so, what can be done.
type duty struct {
	icon *widget.Icon
	what *widget.Label
	more *widget.Label
	acts *fyne.Container
	said string
	box  *fyne.Container
}

// act is something that can be done.
type act struct {
	key string
	do  func(under fyne.CanvasObject)
}

func newDuty() *duty {
	d := &duty{icon: widget.NewIcon(nil), what: widgets.Words(""), more: faint(""), acts: widgets.Row()}
	d.box = container.NewBorder(nil, nil, widgets.OnLine(d.icon), container.NewVBox(d.acts), widgets.Stacked(-6, d.what, d.more))
	return d
}

// set shows a state; buttons are made only where it became another. It reports
// whether the room it needs may have changed.
func (d *duty) set(c *texts.Catalogue, shape theme.Verdict, what, more string, acts ...act) bool {
	key := string(shape)
	for _, a := range acts {
		key += "\x00" + a.key
	}
	moved := false
	if key != d.said {
		d.said, moved = key, true
		d.icon.SetResource(shape.Icon())
		d.acts.RemoveAll()
		for _, a := range acts {
			var b *widgets.Button
			b = widgets.NewButton(c.T(a.key), nil, func() { a.do(b) })
			d.acts.Add(b)
		}
	}
	if len(d.what.Text) != len(what) || len(d.more.Text) != len(more) {
		moved = true
	}
	say(d.what, what)
	say(d.more, more)
	return widgets.SetShown(d.more, more != "") || moved
}

func newAwayCard(w *Place) *awayCard {
	k := &awayCard{w: w, recorder: newDuty(), guard: newDuty(), last: faint("")}
	k.box = titled(w.c.T("home.away"), nil, k.recorder.box, k.guard.box, k.last)
	return k
}

// plain makes an action of what needs no place to open at.
func plain(key string, do func()) act { return act{key, func(fyne.CanvasObject) { do() }} }

func (k *awayCard) update(h *hosts.Host) {
	if k.host != h.ID {
		k.host, k.recorder.said, k.guard.said = h.ID, "", ""
	}
	k.live = h.State().Phase == stream.Live
	moved := k.setRecorder(k.w.p.Model.Recorder(h.ID))
	moved = k.setGuard(k.w.p.Model.Guard(h.ID)) || moved
	if moved {
		k.box.Refresh()
	}
}

func (k *awayCard) setRecorder(r Recorder) bool {
	c, m, id := k.w.c, k.w.p.Model, k.host
	start := plain("home.rec.start", func() { m.StartRecorder(id) })
	stop := plain("home.rec.stop", func() { m.StopRecorder(id) })
	remove := plain("home.rec.remove", func() { m.RemoveRecorder(id) })
	why := c.Say(r.Why)
	switch r.State {
	case RecorderOff:
		return k.recorder.set(c, theme.NotRun, c.T("home.rec.off"), why, start)
	case RecorderOn:
		return k.recorder.set(c, theme.Pass, c.T("home.rec.on", "since", k.at(r.Since), "until", k.at(r.Until)),
			joinWords(c, c.T("home.rec.on.more", "bytes", texts.Bytes(float64(r.Bytes))), why), stop, remove)
	case RecorderEnded:
		return k.recorder.set(c, theme.Warn, c.T("home.rec.ended", "until", k.at(r.Until)),
			joinWords(c, c.T("home.rec.ended.more", "bytes", texts.Bytes(float64(r.Bytes))), why), start, remove)
	case RecorderBusy:
		return k.recorder.set(c, theme.NotRun, c.T("home.rec.busy"), "")
	case RecorderRefused:
		return k.recorder.set(c, theme.Skip, c.T("home.rec.refused"), why)
	case RecorderUnknown:
	}
	key := "home.rec.unknown"
	if k.live {
		key = "home.rec.asking"
	}
	return k.recorder.set(c, theme.NotRun, c.T(key), why)
}

func (k *awayCard) setGuard(g Guard) bool {
	c, m, id, now := k.w.c, k.w.p.Model, k.host, k.w.p.Now()
	last := ""
	if s := g.Last; s != nil && s.Currency == "" {
		last = c.T("home.guard.last.plain", "at", k.at(s.At))
	} else if s != nil {
		last = c.T("home.guard.last", "at", k.at(s.At), "saved", sheet.MoneyBand(c, s.Saved, s.Currency))
	}
	say(k.last, last)
	moved := widgets.SetShown(k.last, last != "")

	off := plain("home.guard.off.do", func() { m.EndGuard(id) })
	on := plain("home.guard.on.do", func() { k.w.askGuard(id) })
	keep := act{"home.guard.keep", k.keep}
	cancel := plain("home.guard.cancel", func() { m.CancelGuard(id) })
	release := plain("home.guard.release", func() { m.KeepGuard(id, time.Time{}) })
	why, limit := c.Say(g.Why), c.Say(g.Limit)
	after := texts.Duration(c, g.After)
	in := texts.Duration(c, g.StopAt.Sub(now).Truncate(time.Second))
	set := func(shape theme.Verdict, what, more string, acts ...act) bool {
		return k.guard.set(c, shape, what, more, acts...) || moved
	}
	switch g.State {
	case GuardOff:
		return set(theme.NotRun, c.T("home.guard.off"), joinWords(c, why, limit), on)
	case GuardWatching:
		shape, key, acts := theme.Pass, "home.guard.watching", []act{keep, off}
		if g.OnQueue {
			key = "home.guard.watching.queue"
		}
		if g.DryRun {
			acts = []act{off}
			if key = "home.guard.watching.dry"; g.OnQueue {
				key = "home.guard.watching.dry.queue"
			}
			if g.DryDone {
				acts = []act{on, off}
			}
		}
		if len(g.Unread) > 0 {
			shape = theme.Warn
		}
		return set(shape, c.T(key, "after", after), joinWords(c, k.stir(g), why), acts...)
	case GuardCounting:
		if g.DryRun {
			return set(theme.Warn, c.T("home.guard.counting.dry", "at", texts.Clock(g.StopAt), "in", in), why, cancel, off)
		}
		return set(theme.Warn, c.T("home.guard.counting", "at", texts.Clock(g.StopAt), "in", in), why, keep, cancel)
	case GuardKept:
		what := c.T("home.guard.kept")
		if !g.KeptUntil.IsZero() {
			what = c.T("home.guard.kept.until", "until", k.at(g.KeptUntil))
		}
		return set(theme.Skip, what, why, release, off)
	case GuardWould:
		return set(theme.Pass, c.T("home.guard.would"), joinWords(c, why, limit), on, off)
	case GuardStopping:
		return set(theme.Warn, c.T("home.guard.stopping"), why)
	case GuardStopped:
		return set(theme.Pass, c.T("home.guard.stopped"), why)
	case GuardRefused:
		return set(theme.Skip, c.T("home.guard.refused"), joinWords(c, why, limit))
	case GuardBusy:
		return set(theme.NotRun, c.T("home.guard.busy"), "")
	case GuardUnknown:
	}
	key := "home.guard.unknown"
	if k.live {
		key = "home.guard.asking"
	}
	return set(theme.NotRun, c.T(key), joinWords(c, why, limit))
}

// stir says what is not quiet now and what can't be read, or for how long all was
// quiet.
func (k *awayCard) stir(g Guard) string {
	c := k.w.c
	list := func(ps []texts.Phrase) texts.List {
		var all texts.List
		for _, p := range ps {
			all = append(all, c.Say(p))
		}
		return all
	}
	var busy, unread string
	if len(g.Busy) > 0 {
		busy = c.Say(texts.P("home.guard.stir", "signals", list(g.Busy)))
	}
	if len(g.Unread) > 0 {
		unread = c.Say(texts.P("home.guard.unread", "signals", list(g.Unread)))
	}
	if busy == "" && unread == "" {
		return c.T("home.guard.idle", "d", texts.Duration(c, g.IdleFor))
	}
	return joinWords(c, busy, unread)
}

// at says a moment, without its day where that is today.
func (k *awayCard) at(t time.Time) string {
	if t.IsZero() {
		return texts.Dash
	}
	a, b := t.Local(), k.w.p.Now().Local()
	if a.Year() == b.Year() && a.YearDay() == b.YearDay() {
		return texts.Minute(t)
	}
	return texts.DateTime(k.w.c, t)
}

// joinWords sets sentences behind each other.
func joinWords(c *texts.Catalogue, parts ...string) string {
	out := ""
	for _, p := range parts {
		switch {
		case p == "":
		case out == "":
			out = p
		case c.Lang == texts.Chinese:
			out += p
		default:
			out += " " + p
		}
	}
	return out
}

// keepFor are the spans that the guard can be held back for.
var keepFor = []time.Duration{time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 24 * time.Hour}

// keep offers the moments until which the instance is left running.
func (k *awayCard) keep(under fyne.CanvasObject) {
	c, now := k.w.c, k.w.p.Now()
	var items []*fyne.MenuItem
	for _, d := range keepFor {
		until := now.Add(d)
		items = append(items, fyne.NewMenuItem(c.T("home.guard.keep.until", "until", texts.DateTime(c, until), "d", texts.Duration(c, d)),
			func() { k.w.p.Model.KeepGuard(k.host, until) }))
	}
	widget.ShowPopUpMenuAtRelativePosition(fyne.NewMenu("", items...), k.w.p.Window.Canvas(), fyne.NewPos(0, under.Size().Height), under)
}
