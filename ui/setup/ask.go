package setup

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/track"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// askSkip asks why something is left out, and leaves it out.
func (w *Place) askSkip(on, name string) {
	c := w.c
	var panel *widgets.Panel
	reason := widgets.NewEntry()
	reason.SetPlaceHolder(c.T("setup.skip.reason"))
	var do *widgets.Button
	done := func() {
		why := strings.TrimSpace(reason.Text)
		if why == "" {
			return
		}
		panel.Close()
		if err := w.board.Skip(on, why); err != nil {
			w.note.say(guide.Fail, c.T("setup.unsaved"), err.Error())
		}
		w.Changed()
	}
	do = widgets.Primary(c.T("setup.skip.do"), nil, done)
	do.Disable()
	reason.OnChanged = func(s string) { widgets.Able(do, strings.TrimSpace(s) != "") }
	reason.OnSubmitted = func(string) { done() }
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: w.p.Window.Canvas(), Title: c.T("setup.skip.title", "name", name),
		Content: container.NewVBox(widgets.Words(c.T("setup.skip.what")), reason), First: reason,
		Buttons: []fyne.CanvasObject{widgets.Quiet(c.T("setup.cancel"), nil, func() { panel.Cancel() }), do},
	})
	panel.Show()
}

// exitLine is what the copied command prints behind an output, so that its exit
// code is pasted along.
var exitLine = regexp.MustCompile(`(?m)\n?^exit code: (\d{1,3})\s*\z`)

// askPaste takes the output of a check that ran elsewhere, and judges it as one
// that we ran. It needs no connection.
func (w *Place) askPaste(t guide.Track, cv track.CheckView) {
	c := w.c
	w.items.m.own = true // the item stays while its output is judged
	var panel *widgets.Panel
	command := raw(cv.Command)
	out := widgets.NewArea()
	out.SetMinRowsVisible(8)
	out.SetPlaceHolder(c.T("setup.paste.output"))
	exit := widgets.NewEntry()
	exit.SetText("0")
	bad := widgets.Small("")
	bad.Importance = widget.DangerImportance
	bad.Hide()
	out.OnChanged = func(s string) {
		if m := exitLine.FindStringSubmatch(s); m != nil {
			exit.SetText(m[1])
		}
	}
	verdict := container.NewVBox()
	judge := widgets.Primary(c.T("setup.paste.do"), nil, nil)
	judge.OnTapped = func() {
		code, err := strconv.Atoi(widgets.PlainNumber(exit.Text))
		if err != nil || code < 0 || code > 255 {
			bad.SetText(c.T("setup.paste.exit.bad"))
			bad.Show()
			panel.Fit()
			return
		}
		bad.Hide()
		text := exitLine.ReplaceAllString(out.Text, "")
		w.board.Paste(guide.Input{Check: cv.ID, Track: t, Command: cv.Command, Exit: code, Stdout: []byte(text)})
		w.Changed()
		verdict.Objects = w.verdictOf(t, cv.ID)
		verdict.Refresh()
		panel.Fit()
	}
	copied := widgets.Quiet(c.T("setup.copy"), theme.Icon("copy"), func() {
		w.p.Copy(cv.Command + "\n" + `echo "exit code: $?"`)
	})
	field := container.New(&fixed{70}, exit)
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: w.p.Window.Canvas(), Title: c.T("setup.paste.title", "name", checkName(c, cv.ID)), Width: 640,
		Content: container.NewVBox(
			widgets.Words(c.T("setup.paste.what")),
			container.NewBorder(nil, nil, nil, container.NewVBox(copied), widgets.Card(2, command)),
			out, container.NewHBox(widget.NewLabel(c.T("setup.paste.exit")), field, bad), verdict,
		),
		First:   out,
		Buttons: []fyne.CanvasObject{widgets.Quiet(c.T("frame.close"), nil, func() { panel.Cancel() }), judge},
	})
	panel.Show()
}

// verdictOf is what a check comes to now, in short.
func (w *Place) verdictOf(t guide.Track, id guide.CheckID) []fyne.CanvasObject {
	for _, s := range w.view(t).Steps {
		for _, cv := range s.Checks {
			if cv.ID != id {
				continue
			}
			f := cv.Outcome.Worst()
			all := []fyne.CanvasObject{widgets.Rule(), said(f.Verdict, w.c.Say(f.Says))}
			if text, _ := remedy(w.c, w.board.Profile(), id, f); text != "" {
				all = append(all, widgets.Words(text))
			}
			return all
		}
	}
	return nil
}

// askFix shows exactly what would be done, tries it dry, and does it when the
// user says so.
func (w *Place) askFix(f Fix, t guide.Track) {
	c := w.c
	runner := w.runner(w.host.ID)
	var panel *widgets.Panel
	ctx, cancel := context.WithCancel(context.Background())
	state := widgets.Words("")
	out := raw("")
	out.Hide()
	apply := widgets.Primary(c.T("setup.fix.do"), nil, nil)
	apply.Disable()
	again := func(e guide.Exec, said string, then func()) {
		state.SetText(c.T(said))
		w.p.Go(func() {
			res, err := runner.Exec(ctx, e)
			w.p.Do(func() {
				if panel.Closed() {
					return
				}
				text := strings.TrimSpace(guide.Clean(append(res.Stdout, res.Stderr...), 2000))
				out.SetText(text)
				widgets.SetShown(out, text != "")
				switch {
				case err != nil:
					widgets.SetWords(state, c.T("setup.fix.failed", "why", reason(c, err)))
				case res.TimedOut:
					widgets.SetWords(state, c.T("setup.fix.failed", "why", c.T("setup.meta.timeout")))
				case res.Exit != 0:
					widgets.SetWords(state, c.T("setup.fix.failed", "why", c.T("setup.meta.exit", "exit", res.Exit)))
				default:
					then()
				}
				panel.Fit()
			})
		})
	}
	apply.OnTapped = func() {
		apply.Disable()
		again(f.Apply, "setup.fix.doing", func() {
			widgets.SetWords(state, c.T("setup.fix.done"))
			w.start(Scope{Track: t, Check: f.Check}, guide.Thorough)
		})
	}
	close := widgets.Quiet(c.T("frame.close"), nil, func() { panel.Cancel() })
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: w.p.Window.Canvas(), Title: c.T("setup.fix.title"), Width: 600, OnCancel: cancel,
		Content: container.NewVBox(widgets.Words(c.Say(f.Says)), widgets.Words(c.T("setup.fix.what")),
			widgets.Card(2, raw(f.Shown)), widgets.Rule(), state, out),
		First: close, Buttons: []fyne.CanvasObject{close, apply},
	})
	panel.Show()
	if runner == nil {
		widgets.SetWords(state, c.T("setup.fix.offline"))
		panel.Fit()
		return
	}
	again(f.Dry, "setup.fix.trying", func() {
		widgets.SetWords(state, c.T("setup.fix.tried"))
		apply.Enable()
		w.p.Window.Canvas().Focus(apply)
	})
}

// reason is an error of the link in words.
func reason(c *texts.Catalogue, err error) string {
	switch {
	case errors.Is(err, guide.ErrOffline):
		return c.T("setup.fix.offline")
	case errors.Is(err, context.DeadlineExceeded):
		return c.T("setup.meta.timeout")
	}
	return fmt.Sprint(err)
}

// showMessage shows what the provider is asked, in either language, to be copied.
func (w *Place) showMessage(v *track.View, cv track.CheckView) {
	c := w.c
	var panel *widgets.Panel
	lang := c.Lang
	text := newPaper()
	langs := make(map[texts.Lang]*widgets.Button)
	set := func(l texts.Lang) {
		lang = l
		text.set(w.p.Message(*v, cv, l))
		for x, b := range langs {
			b.Importance = widget.LowImportance
			if x == l {
				b.Importance = widget.MediumImportance
			}
			b.Refresh()
		}
		if panel != nil {
			panel.Fit()
		}
	}
	row := widgets.Row()
	for _, l := range []texts.Lang{texts.Chinese, texts.English} {
		langs[l] = widgets.Quiet(texts.For(l).T("setup.message.lang"), nil, func() { set(l) })
		row.Add(langs[l])
	}
	copied := widgets.Primary(c.T("setup.copy"), theme.Icon("copy"), func() {
		w.p.Copy(w.p.Message(*v, cv, lang))
		panel.Close()
		w.note.say(guide.Pass, c.T("setup.copied"), "")
	})
	set(lang)
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: w.p.Window.Canvas(), Title: c.T("setup.message.title"), Width: 620, Height: 440,
		Content: container.NewBorder(container.NewVBox(widgets.Words(c.T("setup.message.what")), row), nil, nil, nil, widgets.Card(3, text.box)),
		First:   copied,
		Buttons: []fyne.CanvasObject{widgets.Quiet(c.T("frame.close"), nil, func() { panel.Cancel() }), copied},
	})
	panel.Show()
}

// patience is how long a report or a look may take.
const patience = 20 * time.Second
