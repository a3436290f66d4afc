package alerts

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/purse"
	"rentgen/app/purse/alert"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// Shape is the sign of an alert: a fault, a warning, good news, or over.
func Shape(a purse.Alert) theme.Verdict {
	switch {
	case !a.Over.IsZero():
		return theme.Skip
	case a.Kind == purse.AlertLost || a.Kind == purse.AlertRelease:
		return theme.Fail
	case a.Kind == purse.AlertDone || a.Kind == purse.AlertStopped:
		return theme.Pass
	}
	return theme.Warn
}

// row is one alert of the list.
type row struct {
	l     *List
	id    string
	root  *fyne.Container
	icon  *widget.Icon
	shape theme.Verdict
	title *widget.Label
	at    *widget.Label
	say   *widget.Label
	cost  *widget.Label
	next  *widget.Label
	state *widget.Label
	seen  *widgets.Button
	sleep *widgets.Button
	acts  *fyne.Container
}

func (l *List) newRow(id string) *row {
	r := &row{
		l: l, id: id, icon: widget.NewIcon(nil), title: widget.NewLabel(""), at: widgets.Small(""), say: widgets.Words(""),
		cost: widgets.Words(""), next: widgets.Words(""), state: widgets.Small(""),
	}
	r.title.Truncation = fyne.TextTruncateEllipsis
	r.next.SizeName = fynetheme.SizeNameCaptionText
	r.at.Importance, r.state.Importance = widget.LowImportance, widget.LowImportance
	r.seen = widgets.Quiet(l.c.T("alert.seen"), nil, func() {
		had := l.p.Canvas != nil && l.p.Canvas.Focused() == r.seen
		l.do(func() { l.p.Model.Seen(id) })
		if had && !r.seen.Visible() && r.sleep.Visible() { // the keyboard stays in the row
			l.p.Canvas.Focus(r.sleep)
		}
	})
	r.sleep = widgets.Quiet(l.c.T("alert.snooze"), fynetheme.MenuDropDownIcon(), r.menu)
	r.sleep.IconPlacement = widget.ButtonIconTrailingText
	for _, b := range []*widgets.Button{r.seen, r.sleep} {
		b.OnFocus = func() { l.see(r.root) }
	}
	r.acts = container.NewHBox(r.state, r.seen, r.sleep)
	head := container.NewBorder(nil, nil, nil, r.at, r.title)
	foot := container.NewBorder(nil, nil, nil, container.NewVBox(r.acts), r.next)
	r.root = container.NewBorder(nil, nil, container.NewVBox(widgets.OnLine(r.icon)), nil, widgets.Stacked(-7, head, r.say, r.cost, foot))
	return r
}

// do carries out what was asked for and shows it.
func (l *List) do(f func()) {
	f()
	l.Refresh()
}

// menu offers how long to keep still.
func (r *row) menu() {
	c, now := r.l.c, r.l.p.Now()
	tomorrow := r.l.p.Tomorrow(now)
	item := func(text string, until time.Time) *fyne.MenuItem {
		return fyne.NewMenuItem(text, func() { r.l.do(func() { r.l.p.Model.Snooze(r.id, until) }) })
	}
	menu := fyne.NewMenu("",
		item(c.T("alert.snooze.hour"), now.Add(time.Hour)),
		item(c.T("alert.snooze.tomorrow", "at", texts.Minute(tomorrow)), tomorrow),
		item(c.T("alert.snooze.over"), alert.UntilOver))
	widget.ShowPopUpMenuAtRelativePosition(menu, r.l.p.Canvas, fyne.NewPos(0, r.sleep.Size().Height), r.sleep)
}

// set shows an alert as it is now.
func (r *row) set(a purse.Alert) {
	c := r.l.c
	if shape := Shape(a); shape != r.shape {
		r.shape = shape
		r.icon.SetResource(shape.Icon())
	}
	fresh := a.Over.IsZero() && !a.Seen
	if r.title.TextStyle.Bold != fresh {
		r.title.TextStyle.Bold = fresh
		r.title.Refresh()
	}
	widgets.SetText(r.title, c.Say(alert.Title(a)))
	widgets.SetText(r.at, texts.DateTime(c, a.At))
	widgets.SetWords(r.say, c.Say(a.Say))
	over := !a.Over.IsZero()
	widgets.SetShown(r.cost, !over && !a.Cost.IsZero())
	widgets.SetWords(r.cost, c.Say(a.Cost))
	next := c.Say(a.Next)
	if over { // nothing to be done
		next = ""
	}
	widgets.SetWords(r.next, next)
	state := ""
	snoozed := a.Snoozed.After(r.l.p.Now())
	switch {
	case over:
		state = c.T("alert.state.over", "at", texts.DateTime(c, a.Over))
	case snoozed && !a.Snoozed.Before(alert.UntilOver):
		state = c.T("alert.state.snoozed.over")
	case snoozed:
		state = c.T("alert.state.snoozed", "at", texts.DateTime(c, a.Snoozed))
	case a.Seen:
		state = c.T("alert.state.seen")
	}
	widgets.SetText(r.state, state)
	widgets.SetShown(r.state, state != "")
	widgets.SetShown(r.seen, fresh)
	widgets.SetShown(r.sleep, !over)
}

// see scrolls until a row is in view.
func (l *List) see(o fyne.CanvasObject) {
	if l.roll == nil {
		return
	}
	top, height := o.Position().Y, o.Size().Height
	y := l.roll.Offset.Y
	switch {
	case top < y:
		y = top
	case top+height > y+l.roll.Size().Height:
		y = top + height - l.roll.Size().Height
	default:
		return
	}
	l.roll.ScrollToOffset(fyne.NewPos(0, y))
}
