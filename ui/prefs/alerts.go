package prefs

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/purse"
	"rentgen/app/purse/alert"
	"rentgen/app/purse/push"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// Rules are the rules of alerts; *alert.Engine has them.
type Rules interface {
	Rules() alert.Rules
	SetRules(ctx context.Context, r alert.Rules) error
}

// Pusher are the push forms; *push.Pusher has them.
type Pusher interface {
	Targets() []push.Target
	Set(ctx context.Context, form, address, secret string) (held bool, err error)
	Turn(ctx context.Context, form string, on bool) error
	Forget(ctx context.Context, form string) error
	Test(ctx context.Context, form string) error
}

// AlertsParams say what the section on alerts works with.
type AlertsParams struct {
	Texts  *texts.Catalogue
	Canvas fyne.Canvas
	Rules  Rules
	Push   Pusher // nil: pushes are not offered
	// Go carries out slow work, Do what follows it on the UI thread; nil are
	// goroutines and fyne.Do.
	Go, Do func(func())
	// Guard opens the stop guard; nil is not offered.
	Guard func()
}

// Alerts is the section of the settings on alerts. Its methods belong to the UI
// thread.
type Alerts struct {
	p    AlertsParams
	c    *texts.Catalogue
	root *fyne.Container
	bad  *widget.Label
	fail string // why the rules could not be kept

	want   alert.Rules // as the person wants them
	saving bool
	again  bool // they changed while they were being kept

	pushes *fyne.Container
	form   *pushForm // the panel that is open
}

// NewAlerts returns the section.
func NewAlerts(p AlertsParams) *Alerts {
	if p.Go == nil {
		p.Go = func(f func()) { go f() }
	}
	if p.Do == nil {
		p.Do = fyne.Do
	}
	s := &Alerts{p: p, root: container.NewStack()}
	s.Retext(p.Texts)
	return s
}

// Content returns the section; always the same object.
func (s *Alerts) Content() fyne.CanvasObject { return s.root }

// Retext makes the section speak another language and shows the rules as they
// are now.
func (s *Alerts) Retext(c *texts.Catalogue) {
	s.c = c
	if !s.saving {
		s.want = s.p.Rules.Rules()
	}
	s.bad = widgets.Words(s.fail)
	s.bad.Importance = widget.DangerImportance
	s.bad.Hidden = s.fail == ""
	col := []fyne.CanvasObject{heading(c.T("alert.list.title")), s.sleep()}
	for _, k := range alert.Kinds() {
		col = append(col, s.kind(k))
	}
	col = append(col, widgets.Gap(1, 6), s.quiet(), s.bad)
	s.pushes = widgets.Stacked(0)
	if s.p.Push != nil {
		note := widgets.Words(c.T("alert.push.what"))
		note.SizeName = fynetheme.SizeNameCaptionText
		col = append(col, widgets.Gap(1, 10), heading(c.T("alert.push.title")), note, s.pushes)
	}
	s.root.Objects = []fyne.CanvasObject{widgets.Stacked(0, col...)}
	s.Refresh()
}

// Refresh brings what is said of pushes up to date.
func (s *Alerts) Refresh() {
	if s.p.Push == nil {
		return
	}
	s.pushes.Objects = nil
	for _, t := range s.p.Push.Targets() {
		s.pushes.Add(s.target(t))
	}
	s.root.Refresh()
}

func heading(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.TextStyle.Bold = true
	return l
}

// sleep says that nothing rings while the laptop sleeps.
func (s *Alerts) sleep() fyne.CanvasObject {
	note := widgets.Words(s.c.T("alert.sleep"))
	note.SizeName = fynetheme.SizeNameCaptionText
	if s.p.Guard == nil {
		return note
	}
	return container.NewBorder(nil, nil, nil, container.NewVBox(widgets.Quiet(s.c.T("alert.sleep.guard"), nil, s.p.Guard)), note)
}

// kind is one kind of alert: wanted or not, and from when on.
func (s *Alerts) kind(k purse.AlertKind) fyne.CanvasObject {
	c := s.c
	tick := widgets.NewCheck(c.T("alert.rule."+string(k)), nil)
	tick.SetChecked(s.want.On(k))
	name := alert.ThresholdOf(k)
	if name == "" {
		tick.OnChanged = func(on bool) { s.save(s.want.With(k, on)) }
		return tick
	}
	field := widgets.NewEntry()
	field.SetText(strconv.Itoa(*s.want.Threshold(name)))
	able(field, s.want.On(k))
	wrong := widgets.Words("")
	wrong.Importance = widget.DangerImportance
	sign := container.NewBorder(nil, nil, widgets.OnLine(widget.NewIcon(theme.Fail.Icon())), nil, wrong)
	sign.Hide()
	tell := func(text string) { // at its own field
		widgets.SetWords(wrong, text)
		if sign.Visible() == (text != "") {
			return
		}
		sign.Hidden = text == ""
		s.root.Refresh()
	}
	leave := func() { tell(s.threshold(name, field)) }
	field.OnLeave = leave
	field.OnSubmitted = func(string) { leave() }
	tick.OnChanged = func(on bool) {
		able(field, on)
		tell("")
		s.save(s.want.With(k, on))
	}
	return widgets.Stacked(0, container.NewBorder(nil, nil, widgets.AtLeast(fyne.NewSize(widgets.Scaled(300), 1), tick), widget.NewLabel(""),
		container.NewHBox(widgets.AtLeast(fyne.NewSize(widgets.Scaled(64), 1), field), widget.NewLabel(c.T("alert.unit."+name)))), sign)
}

func able(e *widgets.Entry, on bool) {
	if on {
		e.Enable()
	} else {
		e.Disable()
	}
}

// threshold takes what was typed, or returns what is allowed and puts back what was.
func (s *Alerts) threshold(name string, field *widgets.Entry) string {
	r := s.want
	old := *r.Threshold(name)
	n, err := strconv.Atoi(widgets.PlainNumber(field.Text))
	if err == nil && n == old {
		return ""
	}
	*r.Threshold(name) = n
	var out *alert.RangeError
	if bad := r.Check(); err != nil || errors.As(bad, &out) {
		l := alert.Limits()[name]
		text := s.c.T("alert.rule.bad", "value", strings.TrimSpace(field.Text), "least", texts.Count(int64(l.Least)), "most", texts.Count(int64(l.Most)),
			"unit", s.c.T("alert.unit."+name))
		field.SetText(strconv.Itoa(old))
		return text
	}
	s.save(r)
	return ""
}

// quiet are the quiet hours, by half hours.
func (s *Alerts) quiet() fyne.CanvasObject {
	c := s.c
	tick := widgets.NewCheck(c.T("alert.quiet"), nil)
	tick.SetChecked(s.want.Quiet.On)
	hours := func(now int, set func(*alert.Quiet, int)) *widgets.Select {
		var names []string
		var minutes []int
		for m := 0; m < 24*60; m += 30 {
			if now > m-30 && now < m && m > 0 { // typed elsewhere: between two half hours
				names, minutes = append(names, clock(now)), append(minutes, now)
			}
			names, minutes = append(names, clock(m)), append(minutes, m)
		}
		sel := widgets.NewSelect(names, nil)
		sel.SetSelected(clock(now))
		sel.OnChanged = func(string) {
			if i := sel.SelectedIndex(); i >= 0 {
				r := s.want
				set(&r.Quiet, minutes[i])
				s.save(r)
			}
		}
		return sel
	}
	from := hours(s.want.Quiet.From, func(q *alert.Quiet, m int) { q.From = m })
	to := hours(s.want.Quiet.To, func(q *alert.Quiet, m int) { q.To = m })
	faults := widgets.NewCheck(c.T("alert.quiet.faults"), nil)
	faults.SetChecked(s.want.Quiet.Faults)
	faults.OnChanged = func(on bool) {
		r := s.want
		r.Quiet.Faults = on
		s.save(r)
	}
	state := func(on bool) {
		for _, o := range []fyne.Disableable{from, to, faults} {
			if on {
				o.Enable()
			} else {
				o.Disable()
			}
		}
	}
	state(s.want.Quiet.On)
	tick.OnChanged = func(on bool) {
		state(on)
		r := s.want
		r.Quiet.On = on
		s.save(r)
	}
	line := container.NewHBox(widgets.AtLeast(fyne.NewSize(widgets.Scaled(150), 1), tick), from, widget.NewLabel(c.T("alert.quiet.to")), to)
	return widgets.Stacked(0, line, faults)
}

func clock(minute int) string {
	two := func(n int) string { return strconv.Itoa(n/10) + strconv.Itoa(n%10) }
	return two(minute/60) + ":" + two(minute%60)
}

// save keeps the rules, one write at a time and the latest last.
func (s *Alerts) save(r alert.Rules) {
	s.want = r
	s.say("")
	if s.saving {
		s.again = true
		return
	}
	s.saving = true
	s.p.Go(func() {
		err := s.p.Rules.SetRules(context.Background(), r)
		s.p.Do(func() {
			s.saving = false
			if s.again {
				s.again = false
				s.save(s.want)
				return
			}
			if err != nil {
				s.say(s.c.T("alert.rule.unkept", "why", err.Error()))
			}
		})
	})
}

func (s *Alerts) say(text string) {
	s.fail = text
	widgets.SetWords(s.bad, text)
	if s.bad.Hidden == (text == "") {
		return
	}
	s.bad.Hidden = text == ""
	s.root.Refresh()
}
