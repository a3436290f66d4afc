package alerts

import (
	"slices"
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

// Model is what the list shows and what it can ask for. Its methods are called
// on the UI thread and don't wait.
type Model interface {
	Alerts() []purse.Alert // newest first
	Snooze(id string, until time.Time)
	Seen(id string)
}

// Params say what the list works with.
type Params struct {
	Texts  *texts.Catalogue
	Model  Model
	Canvas fyne.Canvas
	Now    func() time.Time // nil is time.Now
	// Tomorrow is the end of a snooze until tomorrow; nil is eight o'clock.
	Tomorrow func(now time.Time) time.Time
	// Rules opens the choice of what rings, Guard the stop guard. A nil one is not
	// offered.
	Rules, Guard func()
}

// shown is how many alerts are drawn before more are asked for.
const shown = 30

// List is the list of alerts. Its methods belong to the UI thread.
type List struct {
	p     Params
	c     *texts.Catalogue
	root  *fyne.Container
	rows  *fyne.Container
	roll  *container.Scroll
	more  *widgets.Button
	byID  map[string]*row
	order []string
	all   bool
	empty bool
	panel *widgets.Panel // the last that was opened
}

// New returns the list.
func New(p Params) *List {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Tomorrow == nil {
		p.Tomorrow = func(now time.Time) time.Time { return alert.UntilTomorrow(now, alert.DefaultRules()) }
	}
	l := &List{p: p, root: container.NewStack()}
	l.Retext(p.Texts)
	return l
}

// Content returns the list; always the same object.
func (l *List) Content() fyne.CanvasObject { return l.root }

// Retext makes the list speak another language.
func (l *List) Retext(c *texts.Catalogue) {
	l.c = c
	l.byID, l.order = map[string]*row{}, nil
	l.rows = widgets.Stacked(2)
	l.more = widgets.NewButton(c.T("alert.list.more"), nil, func() {
		l.all = true
		l.Refresh()
	})
	l.root.Objects = nil
	l.empty = false
	l.Refresh()
}

// Badge counts what holds, was not seen and is not snoozed.
func (l *List) Badge() int { return Badge(l.p.Model.Alerts(), l.p.Now()) }

// Badge counts the alerts that hold, were not seen and are not snoozed.
func Badge(list []purse.Alert, now time.Time) int {
	n := 0
	for _, a := range list {
		if a.Over.IsZero() && !a.Seen && !a.Snoozed.After(now) {
			n++
		}
	}
	return n
}

// Refresh brings the list up to date; what is the same stays as it is, with the
// keyboard where it was.
func (l *List) Refresh() {
	list := l.p.Model.Alerts()
	if len(list) == 0 {
		l.nothing()
		return
	}
	if l.empty || len(l.root.Objects) == 0 {
		l.frame()
	}
	rest := len(list) - shown
	if !l.all && rest > 0 {
		list = list[:shown]
	}
	var order []string
	for _, a := range list {
		order = append(order, a.ID)
		r := l.byID[a.ID]
		if r == nil {
			r = l.newRow(a.ID)
			l.byID[a.ID] = r
		}
		r.set(a)
	}
	l.more.Hidden = l.all || rest <= 0
	if slices.Equal(order, l.order) {
		return
	}
	l.order = order
	l.rows.Objects = nil
	for i, id := range order {
		if i > 0 {
			l.rows.Add(widgets.Rule())
		}
		l.rows.Add(l.byID[id].root)
	}
	for id := range l.byID {
		if !slices.Contains(order, id) {
			delete(l.byID, id)
		}
	}
	l.rows.Add(container.NewHBox(l.more))
	l.rows.Refresh()
	l.roll.Refresh() // the rows have another height
}

// frame sets the list under what it says of sleep.
func (l *List) frame() {
	l.empty = false
	l.roll = container.NewVScroll(widgets.BesideBar(l.rows))
	l.root.Objects = []fyne.CanvasObject{container.NewBorder(l.foot(), nil, nil, nil, l.roll)}
	l.root.Refresh()
}

// foot says that nothing rings while the laptop sleeps.
func (l *List) foot() fyne.CanvasObject {
	note := widgets.Words(l.c.T("alert.sleep"))
	note.SizeName = fynetheme.SizeNameCaptionText
	buttons := container.NewHBox()
	if l.p.Guard != nil {
		buttons.Add(widgets.Quiet(l.c.T("alert.sleep.guard"), nil, l.leave(l.p.Guard)))
	}
	if l.p.Rules != nil {
		buttons.Add(widgets.Quiet(l.c.T("alert.list.rules"), theme.Icon("settings"), l.leave(l.p.Rules)))
	}
	return container.NewVBox(container.NewBorder(nil, nil, nil, container.NewCenter(buttons), note), widgets.Rule())
}

// leave closes the panel and goes elsewhere, which would be hidden behind it.
func (l *List) leave(to func()) func() {
	return func() {
		if l.panel != nil {
			l.panel.Close()
		}
		to()
	}
}

// nothing says what belongs here.
func (l *List) nothing() {
	if l.empty {
		return
	}
	l.empty, l.order, l.all = true, nil, false
	title := widget.NewLabel(l.c.T("alert.empty.title"))
	title.TextStyle.Bold = true
	what := widgets.Words(l.c.T("alert.empty.what"))
	sleep := widgets.Words(l.c.T("alert.sleep"))
	sleep.SizeName = fynetheme.SizeNameCaptionText
	col := widgets.Stacked(0, title, what, sleep)
	if l.p.Rules != nil {
		col.Add(container.NewHBox(widgets.Primary(l.c.T("alert.list.rules"), nil, l.leave(l.p.Rules))))
	}
	l.root.Objects = []fyne.CanvasObject{widgets.Left(widgets.Scaled(680), col)}
	l.root.Refresh()
}

// Open shows the list as a panel above the place.
func (l *List) Open() *widgets.Panel {
	l.Refresh()
	closing := widgets.NewButton(l.c.T("alert.close"), nil, l.leave(func() {}))
	size := l.p.Canvas.Size()
	high := float32(560)
	if l.empty {
		high = 300 // and room for those that come while it is open
	}
	l.panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: l.p.Canvas, Title: l.c.T("alert.list.title"), Content: l.root, Buttons: []fyne.CanvasObject{closing},
		Width: 720, Height: min(widgets.Scaled(high), size.Height-80), First: closing,
	})
	l.panel.Show()
	return l.panel
}
