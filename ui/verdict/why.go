package verdict

import (
	"context"
	"errors"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/ui/widgets"
)

// WhyParams say what a look works with.
type WhyParams struct {
	Params
	Host string // ID
	Name string // as it is called on the page
	Look func(ctx context.Context, host string, seen func(Look)) (Found, error)
	// Do runs f on the UI thread, Go what takes its time.
	Do func(f func())
	Go func(f func())
	// Copy puts a text on the clipboard; nil leaves the offer out.
	Copy func(text string)
}

// Why is the panel that looks for a minute and says why a run is slow. Its
// methods belong to the UI thread.
type Why struct {
	p       WhyParams
	c       *texts.Catalogue
	panel   *widgets.Panel
	cancel  context.CancelFunc
	run     int // counts looks; what an earlier one says is dropped
	last    Look
	stopped bool
	found   *Found
	bar     *widgets.ThinBar
	where   *widget.Label
	body    *fyne.Container
	said    string // what body shows, so that it is built only when it changes
	stop    *widgets.Button
	again   *widgets.Button
	copy    *widgets.Button
}

// OpenWhy opens the panel and begins to look. Closing it ends the look.
func OpenWhy(p WhyParams) *Why {
	c := p.Texts
	w := &Why{p: p, c: c, bar: widgets.NewThinBar(), where: widgets.Small(""), body: widgets.Stacked(2)}
	w.stop = widgets.NewButton(c.T("verdict.why.stop"), nil, w.halt)
	w.again = widgets.NewButton(c.T("verdict.why.again"), nil, w.look)
	w.copy = widgets.NewButton(c.T("verdict.why.copy"), nil, func() { p.Copy(w.Text()) })
	closing := widgets.NewButton(c.T("verdict.close"), nil, func() { w.panel.Cancel() })
	high := min(widgets.Scaled(380), p.Canvas().Size().Height-230)
	scroll := container.NewVScroll(widgets.BesideBar(w.body))
	w.panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: p.Canvas(), Title: c.T("verdict.why.of", "name", p.Name), Width: 660, First: closing,
		Content: container.NewBorder(
			container.NewVBox(widgets.Words(c.T("verdict.why.how")), w.bar.Box, w.where), nil, nil, nil,
			widgets.AtLeast(fyne.NewSize(200, high), scroll)),
		Buttons:  []fyne.CanvasObject{w.copy, w.again, w.stop, closing},
		OnCancel: w.end,
	})
	w.panel.Show()
	w.look()
	return w
}

// Panel returns the panel.
func (w *Why) Panel() *widgets.Panel { return w.panel }

// end gives the look up.
func (w *Why) end() {
	w.run++
	if w.cancel != nil {
		w.cancel()
		w.cancel = nil
	}
}

// halt ends the look and shows what was seen until then.
func (w *Why) halt() {
	w.end()
	w.stopped = true
	w.show()
}

// look begins a look; one under way is given up.
func (w *Why) look() {
	w.end()
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel, w.found, w.stopped, w.last, w.said = cancel, nil, false, Look{Of: WhySpan}, ""
	run := w.run
	w.show()
	// The newest progress waits in one place: a slow screen draws fewer of them.
	w.p.Go(func() {
		found, err := w.p.Look(ctx, w.p.Host, func(l Look) {
			w.p.Do(func() {
				if w.run == run {
					w.last = l
					w.show()
				}
			})
		})
		w.p.Do(func() {
			if w.run != run {
				return
			}
			w.end()
			switch {
			case err == nil:
				w.found = &found
			case errors.Is(err, context.Canceled):
				w.stopped = true
			default:
				w.fail(err)
				return
			}
			w.show()
		})
	})
}

// running reports whether it looks.
func (w *Why) running() bool { return w.cancel != nil }

// show brings the panel up to date.
func (w *Why) show() {
	c, on := w.c, w.running()
	for _, x := range []struct {
		o  *widgets.Button
		on bool
	}{{w.stop, on}, {w.again, !on}, {w.copy, !on && w.found != nil && w.p.Copy != nil}} {
		if x.o.Visible() != x.on {
			x.o.Hidden = !x.on
			x.o.Refresh()
		}
	}
	where := ""
	if on {
		of := max(w.last.Of, time.Second)
		w.bar.Set(w.last.Elapsed.Seconds()/of.Seconds(), "")
		where = joined(c, c.T("verdict.why.looking", "done", texts.Duration(c, w.last.Elapsed), "of", texts.Duration(c, of), "n", w.last.Readings), c.Say(w.last.Saying))
	} else if w.found != nil {
		w.bar.Set(1, "")
		where = span(c, w.found.From, w.found.To)
	}
	if w.where.Text != where {
		w.where.SetText(where)
	}
	switch {
	case w.found != nil:
		w.put(w.Text(), w.answer)
	case w.stopped && len(w.last.Verdicts) == 0:
		w.put("stopped", func() []fyne.CanvasObject {
			return []fyne.CanvasObject{widgets.Words(c.T("verdict.why.stopped.none"))}
		})
	default:
		w.put(w.soFarText(), w.soFar)
	}
}

func span(c *texts.Catalogue, from, to time.Time) string {
	if from.IsZero() || to.IsZero() {
		return ""
	}
	return texts.Span(c, from, to)
}

func (w *Why) put(text string, build func() []fyne.CanvasObject) {
	if w.said == text {
		return
	}
	w.said = text
	w.body.Objects = build()
	w.body.Refresh()
}

func (w *Why) fail(err error) {
	w.show()
	text := w.c.T("verdict.why.failed", "error", err.Error())
	w.put("failed "+text, func() []fyne.CanvasObject {
		return []fyne.CanvasObject{signed(judge.Fail, text)}
	})
}

// signed is a text behind the shape of a level.
func signed(l judge.Level, text string) fyne.CanvasObject {
	return container.NewBorder(nil, nil, sign(widget.NewIcon(Icon(l))), nil, widgets.Words(text))
}

func (w *Why) head() string {
	if w.stopped {
		return w.c.T("verdict.why.stopped")
	}
	return w.c.T("verdict.why.sofar")
}

func (w *Why) soFarText() string {
	out := []string{w.head()}
	for i := range w.last.Verdicts {
		out = append(out, Sentence(w.c, &w.last.Verdicts[i], w.p.Names))
	}
	return strings.Join(out, "\n")
}

// soFar is what it would say by now.
func (w *Why) soFar() []fyne.CanvasObject {
	out := []fyne.CanvasObject{widgets.Small(w.head())}
	for i := range w.last.Verdicts {
		v := &w.last.Verdicts[i]
		out = append(out, signed(v.Level, joined(w.c, Sentence(w.c, v, w.p.Names), Sure(w.c, v))))
	}
	if len(w.last.Verdicts) == 0 {
		out = append(out, widgets.Words(w.c.T("verdict.why.sofar.none")))
	}
	return out
}

// answer is what was found: the first verdict in full, the others, what differs
// from earlier runs.
func (w *Why) answer() []fyne.CanvasObject {
	c, f := w.c, w.found
	var out []fyne.CanvasObject
	if len(f.Verdicts) == 0 {
		next := widgets.Words(c.T("verdict.why.nothing.next"))
		out = append(out, signed(judge.Good, c.T("verdict.why.nothing")), next)
	}
	for i := range f.Verdicts {
		v := &f.Verdicts[i]
		if i == 1 {
			out = append(out, widgets.Rule(), widgets.Small(c.T("verdict.why.also")))
		}
		out = append(out, container.NewBorder(nil, nil, sign(widget.NewIcon(Icon(v.Level))), container.NewCenter(NewChip(KindText(c, v.Kind))),
			heading(Sentence(c, v, w.p.Names), i == 0)))
		var jump func()
		if w.p.Jump != nil && i == 0 {
			jump = func() {
				w.panel.Close()
				w.p.Jump(*v)
			}
		}
		out = append(out, detail(c, v, jump))
	}
	out = append(out, widgets.Rule())
	for _, s := range w.compared() {
		out = append(out, smallWords(s))
	}
	return out
}

func heading(text string, bold bool) *widget.Label {
	l := widgets.Words(text)
	l.TextStyle.Bold = bold
	return l
}

// compared is what the run was compared with, and what differs.
func (w *Why) compared() []string {
	c, f := w.c, w.found
	if f.Compared.IsZero() && len(f.Differences) == 0 {
		return []string{c.T("verdict.why.alone")}
	}
	out := []string{joined(c, c.T("verdict.why.compared"), c.Say(f.Compared))}
	for _, d := range f.Differences {
		out = append(out, c.Say(d))
	}
	if len(f.Differences) == 0 {
		out = append(out, c.T("verdict.why.same"))
	}
	return out
}

// Text returns the answer as plain text, "" before there is one.
func (w *Why) Text() string {
	c := w.c
	if w.found == nil {
		return ""
	}
	out := []string{c.T("verdict.why.of", "name", w.p.Name), span(c, w.found.From, w.found.To)}
	if len(w.found.Verdicts) == 0 {
		out = append(out, c.T("verdict.why.nothing"))
	}
	for i := range w.found.Verdicts {
		v := &w.found.Verdicts[i]
		out = append(out, "", Sentence(c, v, w.p.Names))
		out = append(out, numbers(c, v)...)
		for _, s := range []string{sureText(c, v), ruleText(c, v.Rule), c.Say(v.Next)} {
			if s != "" {
				out = append(out, s)
			}
		}
	}
	out = append(out, "")
	out = append(out, w.compared()...)
	return strings.Join(out, "\n")
}
