package home

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/purse/guard"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// guardForm asks what the stop guard is switched on with, and says what that costs.
type guardForm struct {
	w       *Place
	host    string
	panel   *widgets.Panel
	after   *numberField
	count   *numberField
	port    *numberField
	onQueue *widgets.Check
}

// numberField is a field of whole numbers with its name above and what is wrong
// with it below.
type numberField struct {
	name  string // of guard.Order's InputError
	entry *widgets.Entry
	sign  *fyne.Container
	err   *widget.Label
	box   fyne.CanvasObject
}

// askGuard opens the panel for a host.
func (w *Place) askGuard(host string) {
	if w.guard != nil && !w.guard.panel.Closed() {
		return
	}
	c, g := w.c, w.p.Model.Guard(host)
	f := &guardForm{w: w, host: host}
	f.after = f.number("after", c.T("home.guard.after"), int(or(g.After, guard.DefaultAfter)/time.Minute))
	f.count = f.number("countdown", c.T("home.guard.countdown"), int(or(g.Countdown, guard.DefaultCountdown)/time.Minute))
	f.port = f.number("queue-port", c.T("home.guard.port"), or(g.QueuePort, guard.ComfyPort))
	f.onQueue = widgets.NewCheck(c.T("home.guard.queue"), func(on bool) { f.allowPort(on) })
	f.onQueue.SetChecked(g.OnQueue)
	f.allowPort(g.OnQueue)

	col := widgets.Stacked(2,
		container.New(&even{gap: 8}, f.after.box, f.count.box),
		container.New(&even{gap: 8}, under("", f.onQueue), f.port.box),
		signed(theme.NotRun, c.T("home.guard.confirm", "command", g.Command)))
	if rule := c.Say(g.Rule); rule != "" {
		col.Add(signed(theme.Pass, rule))
	}
	for _, p := range g.Warn {
		col.Add(signed(theme.Warn, c.Say(p)))
	}
	if len(g.Warn) == 0 {
		col.Add(signed(theme.NotRun, c.T("home.guard.cost.unknown")))
	}
	if limit := c.Say(g.Limit); limit != "" {
		col.Add(signed(theme.Warn, limit))
	}
	col.Add(signed(theme.Pass, c.T("home.guard.never")))
	no := widgets.NewButton(c.T("home.cancel"), nil, func() { f.panel.Close() })
	buttons := []fyne.CanvasObject{no}
	if g.DryDone {
		buttons = append(buttons, widgets.NewButton(c.T("home.guard.dry.again"), nil, func() { f.submit(true) }),
			widgets.Primary(c.T("home.guard.earnest"), nil, func() { f.submit(false) }))
	} else {
		col.Add(signed(theme.NotRun, c.T("home.guard.first")))
		buttons = append(buttons, widgets.Primary(c.T("home.guard.dry.do"), nil, func() { f.submit(true) }))
	}
	f.panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: w.p.Window.Canvas(), Title: c.T("home.guard.title"), Content: col, Buttons: buttons, First: f.after.entry, Width: 600,
	})
	w.guard = f
	f.panel.Show()
}

// or is v, or else where that is zero.
func or[T comparable](v, other T) T {
	var zero T
	if v == zero {
		return other
	}
	return v
}

// signed is a line behind a shape.
func signed(v theme.Verdict, text string) fyne.CanvasObject {
	return container.NewBorder(nil, nil, widgets.OnLine(widget.NewIcon(v.Icon())), nil, widgets.Words(text))
}

func (f *guardForm) number(field, name string, v int) *numberField {
	x := &numberField{name: field, entry: widgets.NewEntry(), err: faint("")}
	x.err.Importance = widget.DangerImportance
	x.sign = container.NewBorder(nil, nil, widgets.OnLine(widget.NewIcon(theme.Fail.Icon())), nil, x.err)
	x.sign.Hide()
	x.entry.SetText(strconv.Itoa(v))
	x.entry.OnChanged = func(string) { f.clear(x) }
	x.box = widgets.Stacked(-2, oneLine(widgets.Small(name)), x.entry, x.sign)
	return x
}

// allowPort lets the port be typed where it is asked for.
func (f *guardForm) allowPort(on bool) {
	if on {
		f.port.entry.Enable()
		return
	}
	f.port.entry.Disable()
	f.clear(f.port)
}

func (f *guardForm) clear(x *numberField) {
	if widgets.SetShown(x.sign, false) && f.panel != nil {
		f.panel.Fit()
	}
}

// whole reads a field; what is no whole number is out of any bounds.
func (x *numberField) whole() int {
	n, err := strconv.Atoi(widgets.PlainNumber(strings.TrimSpace(x.entry.Text)))
	if err != nil || n < 0 || n > 1<<20 {
		return -1
	}
	return n
}

// typed reads the fields, and says which of them are out of bounds and what is
// allowed there.
func (f *guardForm) typed() (GuardOrder, map[string]texts.Phrase) {
	o := GuardOrder{
		After: time.Duration(f.after.whole()) * time.Minute, Countdown: time.Duration(f.count.whole()) * time.Minute,
		OnQueue: f.onQueue.Checked,
	}
	if o.OnQueue {
		o.QueuePort = f.port.whole()
	}
	wrong := map[string]texts.Phrase{}
	good := guard.Order{After: guard.DefaultAfter, Countdown: guard.DefaultCountdown}
	for _, set := range []func(x *guard.Order){
		func(x *guard.Order) { x.After = o.After },
		func(x *guard.Order) { x.Countdown = o.Countdown },
		func(x *guard.Order) { x.OnQueue, x.QueuePort = o.OnQueue, o.QueuePort },
	} {
		x := good
		set(&x)
		var bad *texts.InputError
		if errors.As(x.Check(), &bad) {
			wrong[bad.Field] = bad.Allowed
		}
	}
	return o, wrong
}

// submit gives the order, or says at the fields what is wrong.
func (f *guardForm) submit(dry bool) {
	o, wrong := f.typed()
	if len(wrong) == 0 {
		f.panel.Close()
		o.DryRun = dry
		f.w.p.Model.SwitchGuard(f.host, o)
		return
	}
	c := f.w.c
	var focus *widgets.Entry
	for _, x := range []*numberField{f.after, f.count, f.port} {
		allowed, bad := wrong[x.name]
		widgets.SetShown(x.sign, bad)
		if !bad {
			continue
		}
		say(x.err, c.Say(texts.P("home.price.bad", "allowed", allowed)))
		if focus == nil {
			focus = x.entry
		}
	}
	f.panel.Fit()
	f.w.p.Window.Canvas().Focus(focus)
}
