package prefs

import (
	"context"
	"errors"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/purse/push"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// target is the line of a form: how it is, and the way to change it.
func (s *Alerts) target(t push.Target) fyne.CanvasObject {
	c := s.c
	shape, words := theme.NotRun, c.T("alert.push.off")
	switch {
	case t.Host != "" && !t.On:
		words = c.T("alert.push.ready", "host", t.Host)
	case t.On && t.Err != nil:
		shape, words = theme.Warn, sentence(c, t.Err)
	case t.On && t.Last.IsZero():
		shape, words = theme.Pass, c.T("alert.push.on", "host", t.Host)
	case t.On:
		shape, words = theme.Pass, c.T("alert.push.sent", "host", t.Host, "at", texts.DateTime(c, t.Last))
	}
	if t.On && t.Waiting > 0 {
		words = c.T("alert.push.waiting", "what", words, "n", t.Waiting)
	}
	key := "alert.push.setup"
	if t.Host != "" {
		key = "alert.push.change"
	}
	change := widgets.Quiet(c.T(key), nil, func() { s.open(t.Form.ID) })
	name := widget.NewLabel(t.Form.NameIn(string(c.Lang)))
	left := container.NewHBox(container.NewVBox(widgets.OnLine(widget.NewIcon(shape.Icon()))),
		container.NewVBox(widgets.AtLeast(fyne.NewSize(widgets.Scaled(180), 1), name)))
	return container.NewBorder(nil, nil, left, container.NewVBox(change), widgets.Words(words))
}

// sentence says an error of a push, or of the keyring or the database.
func sentence(c *texts.Catalogue, err error) string {
	var e *push.Error
	if errors.As(err, &e) {
		return c.Say(e.Phrase())
	}
	return c.T("alert.push.trouble", "why", err.Error())
}

// pushForm is the panel of one form.
type pushForm struct {
	s       *Alerts
	f       push.Form
	panel   *widgets.Panel
	address *widgets.Entry
	secret  *widgets.Entry
	icon    *widget.Icon
	result  *widget.Label
	shown   *fyne.Container
	test    *widgets.Button
	turn    *widgets.Button
	forget  *widgets.Button
	stop    context.CancelFunc // of what goes on; nil for nothing
}

// now is how the form is set.
func (s *Alerts) now(form string) push.Target {
	for _, t := range s.p.Push.Targets() {
		if t.Form.ID == form {
			return t
		}
	}
	return push.Target{}
}

// open shows the panel of a form.
func (s *Alerts) open(form string) {
	t, c := s.now(form), s.c
	p := &pushForm{s: s, f: t.Form, address: widgets.NewPassword(), secret: widgets.NewPassword(), icon: widget.NewIcon(nil), result: widgets.Words("")}
	s.form = p
	p.address.SetPlaceHolder(strings.ReplaceAll(t.Form.Address.Shape, "{key}", "…"))
	if t.Host != "" {
		p.address.SetPlaceHolder(c.T("alert.push.kept", "host", t.Host))
	}
	p.secret.SetPlaceHolder(c.T("alert.push.optional"))
	small := func(text string) *widget.Label {
		l := widgets.Words(text)
		l.SizeName = fynetheme.SizeNameCaptionText
		return l
	}
	col := []fyne.CanvasObject{widgets.Words(c.T("alert.push.how." + form)), widget.NewLabel(c.T("alert.push.address")), p.address}
	if t.Form.Secret != push.SecretNone {
		key := "alert.push.sign"
		if t.Form.Secret == push.SecretBearer {
			key = "alert.push.token"
		}
		col = append(col, widget.NewLabel(c.T(key)), p.secret)
	}
	p.shown = container.NewBorder(nil, nil, container.NewVBox(widgets.OnLine(p.icon)), nil, p.result)
	p.shown.Hide()
	date := t.Form.Date
	if date == "undated" {
		date = c.T("alert.push.undated")
	}
	col = append(col, small(c.T("alert.push.ring")), small(c.T("alert.push.mark."+t.Form.Mark, "date", date)), p.shown)
	p.forget = widgets.NewButton(c.T("alert.push.forget"), nil, p.doForget)
	p.test = widgets.NewButton(c.T("alert.push.test"), nil, p.doTest)
	p.turn = widgets.Primary("", nil, p.doTurn)
	closing := widgets.Quiet(c.T("alert.close"), nil, func() { p.panel.Cancel() })
	p.panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: s.p.Canvas, Title: t.Form.NameIn(string(c.Lang)), Content: widgets.Stacked(0, col...), Width: 560, First: p.address,
		Buttons: []fyne.CanvasObject{p.forget, closing, p.test, p.turn},
		OnCancel: func() {
			if p.stop != nil {
				p.stop()
			}
			s.form = nil
			s.Refresh()
		},
	})
	p.address.OnChanged = func(string) { p.update() }
	for _, e := range []*widgets.Entry{p.address, p.secret} {
		e.OnSubmitted = func(string) {
			if !p.test.Disabled() {
				p.doTest()
			}
		}
	}
	p.update()
	p.panel.Show()
}

// update makes the buttons those that can be pressed now.
func (p *pushForm) update() {
	t := p.s.now(p.f.ID)
	some := t.Host != "" || strings.TrimSpace(p.address.Text) != ""
	idle := p.stop == nil
	widgets.Able(p.test, some && idle)
	widgets.Able(p.turn, some && idle)
	widgets.Able(p.forget, t.Host != "" && idle)
	key, look := "alert.push.turn.on", widget.HighImportance
	if t.On && strings.TrimSpace(p.address.Text) == "" {
		key, look = "alert.push.turn.off", widget.MediumImportance
	}
	if text := p.s.c.T(key); p.turn.Text != text || p.turn.Importance != look {
		p.turn.Importance = look
		p.turn.SetText(text)
	}
}

// say shows how something went.
func (p *pushForm) say(v theme.Verdict, text string) {
	p.icon.SetResource(v.Icon())
	widgets.SetWords(p.result, text)
	p.shown.Hidden = text == ""
	if !p.panel.Closed() {
		p.panel.Fit()
	}
}

// work carries out slow work and says how it went; what was typed is kept first.
func (p *pushForm) work(f func(ctx context.Context) error, good string) {
	if p.stop != nil {
		return
	}
	s := p.s
	address, secret := strings.TrimSpace(p.address.Text), strings.TrimSpace(p.secret.Text)
	ctx, cancel := context.WithCancel(context.Background())
	p.stop = cancel
	p.say(theme.NotRun, s.c.T("alert.push.busy"))
	p.update()
	s.p.Go(func() {
		var err, soft error
		kept := false
		if address != "" || secret != "" {
			kept, err = s.p.Push.Set(ctx, p.f.ID, address, secret)
			if kept && err != nil { // it works for now
				soft, err = err, nil
			}
		}
		if err == nil {
			err = f(ctx)
		}
		s.p.Do(func() {
			cancel()
			p.stop = nil
			if kept { // not kept on the screen any longer
				p.address.SetText("")
				p.secret.SetText("")
				p.address.SetPlaceHolder(s.c.T("alert.push.kept", "host", s.now(p.f.ID).Host))
			}
			switch {
			case errors.Is(err, context.Canceled):
				p.say(theme.Skip, "")
			case err != nil:
				p.say(theme.Fail, sentence(s.c, err))
			case soft != nil:
				p.say(theme.Warn, s.c.T("alert.push.both", "a", good, "b", s.c.T("alert.push.memory")))
			default:
				p.say(theme.Pass, good)
			}
			p.update()
			s.Refresh()
		})
	})
}

func (p *pushForm) doTest() {
	p.work(func(ctx context.Context) error { return p.s.p.Push.Test(ctx, p.f.ID) }, p.s.c.T("alert.push.tested"))
}

func (p *pushForm) doTurn() {
	on := !p.s.now(p.f.ID).On || strings.TrimSpace(p.address.Text) != ""
	good := p.s.c.T("alert.push.turned.off")
	if on {
		good = p.s.c.T("alert.push.turned.on")
	}
	p.work(func(ctx context.Context) error { return p.s.p.Push.Turn(ctx, p.f.ID, on) }, good)
}

func (p *pushForm) doForget() {
	p.address.SetText("")
	p.secret.SetText("")
	p.work(func(ctx context.Context) error {
		err := p.s.p.Push.Forget(ctx, p.f.ID)
		if err == nil {
			p.s.p.Do(func() { p.address.SetPlaceHolder(strings.ReplaceAll(p.f.Address.Shape, "{key}", "…")) })
		}
		return err
	}, p.s.c.T("alert.push.forgotten"))
}
