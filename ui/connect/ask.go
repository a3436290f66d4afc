package connect

import (
	"context"
	"sync"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/ui/widgets"
)

// Asker puts the questions of a connection to the person, one at a time. Its
// questions may be asked from any goroutine; it implements remote.Prompter.
type Asker struct {
	// Canvas is where the question is shown.
	Canvas func() fyne.Canvas
	// Texts is the language of now.
	Texts func() *texts.Catalogue
	// Keyring says that the system has one that may be used.
	Keyring bool
	// Do runs f on the UI thread; nil takes fyne.Do.
	Do func(f func())

	once sync.Once
	turn chan struct{}
}

func (a *Asker) do(f func()) {
	if a.Do != nil {
		a.Do(f)
		return
	}
	fyne.Do(f)
}

// ErrNoAnswer is returned where the person closed a question or the
// connection was stopped meanwhile.
var ErrNoAnswer = context.Canceled

// ask shows a panel that show makes and waits for its answer. show calls answer
// once; a panel that is closed otherwise has none.
func ask[T any](ctx context.Context, a *Asker, show func(c *texts.Catalogue, answer func(T, bool)) *widgets.Panel) (T, error) {
	a.once.Do(func() { a.turn = make(chan struct{}, 1) })
	var none T
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return none, ctx.Err()
	}
	type reply struct {
		v  T
		ok bool
	}
	got := make(chan reply, 1)
	var panel *widgets.Panel
	a.do(func() {
		panel = show(a.Texts(), func(v T, ok bool) {
			select {
			case got <- reply{v, ok}:
			default:
			}
		})
		panel.Show()
	})
	select {
	case r := <-got:
		if !r.ok {
			return none, ErrNoAnswer
		}
		return r.v, nil
	case <-ctx.Done():
		a.do(func() {
			if panel != nil {
				panel.Close()
			}
		})
		return none, ctx.Err()
	}
}

// HostKey asks about a machine that is met for the first time. There is one
// button; who does not want to opens the details, or presses Escape.
func (a *Asker) HostKey(ctx context.Context, q remote.HostKeyQuestion) (remote.HostKeyAnswer, error) {
	return ask(ctx, a, func(c *texts.Catalogue, answer func(remote.HostKeyAnswer, bool)) *widgets.Panel {
		var panel *widgets.Panel
		title := c.T("connect.key.title")
		if q.Jump {
			title = c.T("connect.key.title.jump")
		}
		ok := widgets.Primary(c.T("connect.key.ok"), nil, func() {
			panel.Close()
			answer(remote.HostKeyAnswer{Trust: true}, true)
		})
		stop := widgets.NewButton(c.T("connect.key.stop"), nil, func() { panel.Cancel() })
		details := newFold(c.T("connect.details"), container.NewVBox(
			fact(c.T("connect.host"), q.Hop),
			fact(c.T("connect.key.identity"), q.Key.Fingerprint),
			fact(c.T("connect.key.kind"), q.Key.Type),
			widgets.Words(c.T("connect.key.compare")),
			container.NewHBox(stop),
		), func() { panel.Fit() })
		panel = widgets.NewPanel(widgets.PanelParams{
			Canvas: a.Canvas(), Title: title,
			Content:  container.NewVBox(widgets.Words(c.T("connect.key.words", "hop", q.Hop)), details),
			Buttons:  []fyne.CanvasObject{ok},
			First:    ok,
			OnCancel: func() { answer(remote.HostKeyAnswer{}, false) },
		})
		return panel
	})
}

// Secret asks for a password, a passphrase or what else the host wants to know.
func (a *Asker) Secret(ctx context.Context, q remote.SecretQuestion) (remote.SecretAnswer, error) {
	return ask(ctx, a, func(c *texts.Catalogue, answer func(remote.SecretAnswer, bool)) *widgets.Panel {
		var panel *widgets.Panel
		field := widgets.NewPassword()
		field.Password = !q.Echo
		keep := widgets.NewCheck(c.T("connect.secret.keep"), nil)
		send := func() {
			panel.Close()
			answer(remote.SecretAnswer{Secret: field.Text, Remember: keep.Checked && a.Keyring && q.CanRemember}, true)
		}
		field.OnSubmitted = func(string) { send() }
		col := container.NewVBox()
		if q.Attempt > 1 {
			col.Add(newMessage(theme.NewWarningThemedResource(theme.WarningIcon()), c.T("connect.secret.wrong")).box)
		}
		switch q.Kind {
		case remote.SecretPassphrase:
			col.Add(widgets.Words(c.T("connect.secret.passphrase", "file", q.File)))
		case remote.SecretPassword:
			col.Add(widgets.Words(c.T("connect.secret.password", "hop", q.Hop)))
		default:
			col.Add(widgets.Words(c.T("connect.secret.interactive", "hop", q.Hop)))
			for _, said := range []string{q.Instruction, q.Prompt} {
				if said != "" {
					l := widgets.Words(said)
					l.TextStyle.Monospace = true
					col.Add(l)
				}
			}
		}
		col.Add(field)
		if q.CanRemember {
			if a.Keyring {
				col.Add(keep)
			} else {
				col.Add(widgets.Small(c.T("connect.secret.memory")))
			}
		}
		panel = widgets.NewPanel(widgets.PanelParams{
			Canvas: a.Canvas(), Title: c.T("connect.secret.title." + secretKind(q.Kind)), Content: col,
			Buttons: []fyne.CanvasObject{
				widgets.NewButton(c.T("connect.cancel"), nil, func() { panel.Cancel() }),
				widgets.Primary(c.T("connect.secret.send"), nil, send),
			},
			First:    field,
			OnCancel: func() { answer(remote.SecretAnswer{}, false) },
		})
		return panel
	})
}

func secretKind(k string) string {
	switch k {
	case remote.SecretPassword, remote.SecretPassphrase:
		return k
	}
	return remote.SecretInteractive
}

// ProxyCommand asks whether a program of this computer may be run on the way.
func (a *Asker) ProxyCommand(ctx context.Context, hop, command string) (bool, error) {
	return a.consent(ctx, "connect.proxy", command, "hop", hop)
}

// Upload asks, once before the first time, whether our program may be put on
// the host; it is meant for stream.Params.Consent.
func (a *Asker) Upload(ctx context.Context, q stream.UploadQuestion) error {
	c := a.Texts()
	where := q.Path
	if where == "" {
		where = c.T("connect.upload.memory")
	}
	ok, err := a.consent(ctx, "connect.upload", "", "host", q.Host, "path", where,
		"size", texts.Bytes(float64(q.Size)), "sent", texts.Bytes(float64(q.Sent)))
	if err != nil {
		return err
	}
	if !ok {
		return stream.ErrDeclined
	}
	return nil
}

// consent asks a question of yes and no; closing it is an error.
func (a *Asker) consent(ctx context.Context, key, quoted string, pairs ...any) (bool, error) {
	return ask(ctx, a, func(c *texts.Catalogue, answer func(bool, bool)) *widgets.Panel {
		var panel *widgets.Panel
		col := container.NewVBox(widgets.Words(c.T(key+".words", pairs...)))
		if quoted != "" {
			l := widgets.Words(quoted)
			l.TextStyle.Monospace = true
			l.Selectable = true
			col.Add(l)
		}
		yes := widgets.Primary(c.T(key+".yes"), nil, func() {
			panel.Close()
			answer(true, true)
		})
		no := widgets.NewButton(c.T(key+".no"), nil, func() {
			panel.Close()
			answer(false, true)
		})
		panel = widgets.NewPanel(widgets.PanelParams{
			Canvas: a.Canvas(), Title: c.T(key+".title", pairs...), Content: col,
			Buttons:  []fyne.CanvasObject{no, yes},
			First:    yes,
			OnCancel: func() { answer(false, false) },
		})
		return panel
	})
}

// fact is a name and a value that can be selected and copied.
func fact(name, value string) fyne.CanvasObject {
	v := widgets.Words(value)
	v.Selectable = true
	v.TextStyle.Monospace = true
	v.Wrapping = fyne.TextWrapBreak
	return container.NewBorder(nil, nil, container.NewVBox(widgets.AtLeast(fyne.NewSize(widgets.Scaled(110), 1), widget.NewLabel(name))), nil, v)
}

// newFold hides its content until asked; changed is told that the size did.
func newFold(title string, content fyne.CanvasObject, changed func()) fyne.CanvasObject {
	content.Hide()
	var b *widgets.Button
	b = widgets.Quiet(title, theme.MenuExpandIcon(), func() {
		if content.Visible() {
			content.Hide()
			b.SetIcon(theme.MenuExpandIcon())
		} else {
			content.Show()
			b.SetIcon(theme.MenuDropDownIcon())
		}
		changed()
	})
	b.Alignment = widget.ButtonAlignLeading
	return container.NewVBox(b, content)
}
