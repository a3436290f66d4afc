package plan

import (
	"math"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	core "rentgen/app/plan"
	"rentgen/app/purse/measured"
	"rentgen/app/workload"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// timePart is how long a picture takes on a card and which hours follow.
type timePart struct {
	w        *Place
	box      *fyne.Container
	title    *widget.Label
	picture  *widget.Label
	origin   *widget.Label
	hours    *widget.Label
	idle     *widget.Label
	short    *fyne.Container
	measured *widgets.Button
}

func newTimePart(w *Place) *timePart {
	t := &timePart{
		w: w, title: heading(""), picture: widget.NewLabel(""), origin: widgets.Words(""),
		hours: widgets.Words(""), idle: widgets.Words(""),
	}
	t.picture.TextStyle.Bold = true
	t.picture.Wrapping = fyne.TextWrapWord
	t.short = container.NewBorder(nil, nil, container.NewVBox(widget.NewIcon(theme.Warn.Icon())), nil, widgets.Words(w.c.T("plan.short")))
	t.measured = widgets.Quiet(w.c.T("plan.measured.enter"), nil, func() { w.enterMeasured(w.chosenCard()) })
	t.box = widgets.Card(cardInset, container.NewVBox(
		container.NewBorder(nil, nil, nil, t.measured, t.title), t.picture, t.origin, t.hours, t.idle, t.short))
	return t
}

func (t *timePart) sync(p core.Plan, r core.Result) {
	w, c := t.w, t.w.c
	card := w.chosenCard()
	a, _ := w.onCard(card)
	widgets.SetText(t.title, c.T("plan.time", "card", card))
	s, known := secondsOf(a)
	kind := r.Fit.Job.Kind
	switch {
	case a.Fit == workload.No:
		say(t.picture, c.T("plan.seconds.no"))
	case !known:
		say(t.picture, c.T("plan.seconds.unknown"))
	case kind.Training():
		say(t.picture, c.T("plan.seconds.pass", "seconds", seconds(c, s)))
	case w.isVideo(p):
		say(t.picture, c.T("plan.seconds.clip", "seconds", seconds(c, s), "perhour", perHour(a)))
	default:
		say(t.picture, c.T("plan.seconds.picture", "seconds", seconds(c, s), "perhour", perHour(a)))
	}
	from := ""
	if m := w.measuredOn(p, card); m != nil {
		from = c.T("plan.origin.measured", "date", m.Date)
		if m.Source != "" && m.Source != typed {
			from = c.T("measuring.origin", "source", measured.SourceIn(c, m.Source), "date", m.Date)
		}
	} else if known {
		from = c.T("plan.origin.estimated")
		if a.Fit == workload.Offload {
			from = c.T("plan.origin.slower")
		} else if a.Thin {
			from = c.T("plan.origin.thin")
		}
	}
	say(t.origin, from)
	t.origin.Hidden = from == ""
	h, ok := w.hours()
	t.idle.Hidden = !ok || h.Unknown
	switch {
	case !ok || h.Unknown && h.Rented.Point == 0:
		say(t.hours, c.T("plan.hours.unknown"))
	default:
		key := "plan.hours.rented"
		if h.Machines > 1 {
			key = "plan.hours.rented.many"
		}
		say(t.hours, c.T(key, "hours", hoursText(c, h.Rented), "days", days(p),
			"sessions", texts.Count(int64(h.Sessions)), "machines", texts.Count(int64(h.Machines))))
		say(t.idle, c.T("plan.hours.busy", "busy", hoursText(c, h.Busy), "idle", hoursText(c, h.Idle),
			"share", oneShare(c, h.IdleShare)))
	}
	t.short.Hidden = !ok || !h.Short
}

func days(p core.Plan) string {
	if p.Days == 0 {
		return "30"
	}
	return texts.Count(int64(p.Days))
}

// hours are those of the chosen card: of its offer where there is one.
func (w *Place) hours() (workload.Hours, bool) {
	p, card := w.p.Desk.Plan(), w.chosenCard()
	for i, o := range p.Offers {
		if o.Card.Name == card && i < len(w.good.Hours) {
			return w.good.Hours[i], true
		}
	}
	a, ok := w.onCard(card)
	if !ok {
		return workload.Hours{}, false
	}
	return core.HoursOn(p, w.good.Fit, a), true
}

// seconds says how long a picture takes.
func seconds(c *texts.Catalogue, b workload.Band) string {
	if b.High >= 600 {
		return oneDigit(c, b.Low/60, b.High/60, c.T("plan.unit.min"))
	}
	if b.High < 1 {
		l, h := texts.Number(b.Low, 2), texts.Number(b.High, 2)
		if l == h {
			return texts.WithUnit(h, c.T("plan.unit.s"))
		}
		return c.T("format.band", "low", l, "high", texts.WithUnit(h, c.T("plan.unit.s")))
	}
	return oneDigit(c, b.Low, b.High, c.T("plan.unit.s"))
}

func perHour(a workload.CardAnswer) string {
	v := a.PerHour
	if v == 0 {
		if s, ok := secondsOf(a); ok {
			v = 3600 / s.Point
		}
	}
	return texts.Number(v, 0)
}

// hoursText says hours: with one digit where there are few.
func hoursText(c *texts.Catalogue, b workload.Band) string {
	digits := 0
	if b.High < 20 {
		digits = 1
	}
	l, h := texts.Number(b.Low, digits), texts.Number(b.High, digits)
	if l == h {
		return texts.WithUnit(h, c.T("plan.unit.h"))
	}
	return c.T("format.band", "low", l, "high", texts.WithUnit(h, c.T("plan.unit.h")))
}

func oneShare(c *texts.Catalogue, b workload.Band) string {
	return texts.Band(c, math.Round(b.Low*100), math.Round(b.High*100), "%")
}

// typed is the source of what the user measured and typed here.
const typed = "typed"

// measuredOn returns what the user measured of the job on a card, nil without.
func (w *Place) measuredOn(p core.Plan, card string) *workload.Measured {
	if w.p.Key == nil {
		return nil
	}
	key := w.p.Key(p.Job)
	for i, m := range p.Measured {
		if m.Job == key && m.Card == card {
			return &p.Measured[i]
		}
	}
	return nil
}

// enterMeasured asks for what the user measured of this job on a card.
func (w *Place) enterMeasured(card string) {
	c, d := w.c, w.p.Desk
	if card == "" || w.p.Key == nil {
		return
	}
	now := workload.Measured{}
	if m := w.measuredOn(d.Plan(), card); m != nil {
		now = *m
	}
	form := container.NewVBox(widgets.Words(c.T("plan.measured.what", "card", card)))
	type ask struct {
		entry *widgets.Entry
		err   *widget.Label
		to    **float64
	}
	var asks []ask
	var m workload.Measured
	add := func(key, unit string, have *float64, to **float64) {
		e := widgets.NewEntry()
		if have != nil {
			e.SetText(texts.Number(*have, decimalsFor(*have)))
		}
		problem := newProblem()
		form.Add(line(c.T(key), container.NewBorder(nil, nil, nil, widgets.Small(unit), e), problem))
		asks = append(asks, ask{e, problem, to})
	}
	what := "plan.measured.seconds"
	switch p := d.Plan(); {
	case p.Job.Kind.Training():
		what = "plan.measured.pass"
	case w.isVideo(p):
		what = "plan.measured.clip"
	}
	add(what, c.T("plan.unit.s"), now.SecondsPerPic, &m.SecondsPerPic)
	add("plan.measured.peak", "MiB", now.PeakMiB, &m.PeakMiB)
	add("plan.measured.startup", c.T("plan.unit.s"), now.StartupSeconds, &m.StartupSeconds)
	add("plan.measured.first", c.T("plan.unit.s"), now.FirstPictureSecs, &m.FirstPictureSecs)
	note := widgets.Small(c.T("plan.measured.note"))
	note.Wrapping = fyne.TextWrapWord
	form.Add(note)
	var panel *widgets.Panel
	save := func() {
		bad, any := false, false
		for _, a := range asks {
			a.err.Hide()
			*a.to = nil
			v, problem := number(a.entry.Text)
			if !problem.IsZero() || plainNumber(a.entry.Text) != "" && v <= 0 {
				if problem.IsZero() {
					problem = texts.P("plan.positive")
				}
				widgets.SetWords(a.err, c.T("plan.allowed", "allowed", c.Say(problem)))
				a.err.Show()
				bad = true
				continue
			}
			if v > 0 {
				*a.to, any = &v, true
			}
		}
		if bad {
			panel.Fit()
			return
		}
		panel.Close()
		w.keepMeasured(card, m, any)
	}
	buttons := []fyne.CanvasObject{widgets.Quiet(c.T("plan.cancel"), nil, func() { panel.Cancel() })}
	if now.Job != "" {
		buttons = append(buttons, widgets.NewButton(c.T("plan.measured.drop"), nil, func() {
			panel.Close()
			w.keepMeasured(card, workload.Measured{}, false)
		}))
	}
	buttons = append(buttons, widgets.Primary(c.T("plan.measured.save"), nil, save))
	for _, a := range asks {
		a.entry.OnSubmitted = func(string) { save() }
	}
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: w.p.Window.Canvas(), Title: c.T("plan.measured.title"), Content: form, Buttons: buttons, First: asks[0].entry,
	})
	panel.Show()
}

func decimalsFor(v float64) int {
	if v == math.Trunc(v) {
		return 0
	}
	return 2
}

// keepMeasured puts a measurement into the plan, or takes it out.
func (w *Place) keepMeasured(card string, m workload.Measured, any bool) {
	w.p.Desk.Edit("", func(p *core.Plan) {
		key := w.p.Key(p.Job)
		kept := p.Measured[:0:0]
		for _, o := range p.Measured {
			if o.Job != key || o.Card != card {
				kept = append(kept, o)
			}
		}
		if any {
			m.Job, m.Card, m.Source = key, card, typed
			m.Date = w.p.Now().Local().Format(time.DateOnly)
			kept = append(kept, m)
		}
		p.Measured = kept
	})
}

// diskPart is what the job keeps on disk.
type diskPart struct {
	w     *Place
	box   *fyne.Container
	sum   *widget.Label
	rest  *widget.Label
	open  bool
	fold  *widgets.Button
	parts *fyne.Container
}

func newDiskPart(w *Place) *diskPart {
	d := &diskPart{w: w, sum: widgets.Words(""), rest: widgets.Words(""), parts: container.NewVBox()}
	d.fold = widgets.Quiet(w.c.T("plan.disk.files"), nil, func() {
		d.open = !d.open
		d.parts.Hidden = !d.open
		d.box.Refresh()
		w.answer.col.Refresh()
	})
	d.parts.Hide()
	d.box = widgets.Card(cardInset, container.NewVBox(
		container.NewBorder(nil, nil, nil, d.fold, heading(w.c.T("plan.disk"))), d.sum, d.rest, d.parts))
	return d
}

func (d *diskPart) sync(f workload.Answer) {
	c, k := d.w.c, f.Disk
	gb := func(v float64) string { return texts.Bytes(v * 1e9) }
	if k.GB.High == 0 {
		say(d.sum, c.T("plan.disk.unknown"))
		d.rest.Hide()
	} else {
		say(d.sum, c.T("plan.disk.sum", "size", oneDigit(c, k.GB.Low, k.GB.High, "GB"), "keep", gb(k.Persistent)))
		key := "plan.disk.rest"
		if k.PicturesEst {
			key = "plan.disk.rest.estimated"
		}
		say(d.rest, c.T(key, "download", gb(k.DownloadGB), "scratch", gb(k.ScratchGB), "pictures", gb(k.PicturesGB)))
		d.rest.Show()
	}
	d.fold.Hidden = len(k.Parts) == 0
	d.parts.Objects = nil
	for _, part := range k.Parts {
		key := "plan.disk.file"
		if !part.Verified {
			key = "plan.disk.file.unproved"
		}
		text := c.T(key, "name", part.Name, "size", gb(part.GB))
		all := []string{text}
		if note := c.Say(part.Note); note != "" {
			all = append(all, note)
		}
		if part.Persistent {
			all = append(all, c.T("plan.disk.persistent"))
		}
		l := widgets.Words(d.w.sentences(all))
		l.SizeName = fynetheme.SizeNameCaptionText
		d.parts.Add(l)
	}
}
