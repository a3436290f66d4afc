package plan

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	core "rentgen/app/plan"
	"rentgen/assets/texts"
	"rentgen/ui/measuring"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// Place is the Plan place. Its methods belong to the UI thread.
type Place struct {
	p    Params
	c    *texts.Catalogue
	root *fyne.Container

	head    *head
	form    *form
	answer  *answer
	notices *notices
	real    *measuring.Notice
	shown   bool
	dirty   bool // something changed while the place was not seen

	problems map[string]texts.Phrase // by field, of the plan as it is
	good     core.Result             // the last answer to a plan without problems
	goodOf   string                  // whose it is
	more     bool                    // the lesser fields are shown
	card     string                  // the card that time is shown for, "" for the usual one
	reader   reader
	models   []Model
}

// New returns the place.
func New(p Params) *Place {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Go == nil {
		p.Go = func(f func()) { go f() }
	}
	if p.Do == nil {
		p.Do = fyne.Do
	}
	if p.Bill == nil {
		p.Bill = func(string, string) {}
	}
	if p.Host == nil {
		p.Host = func() (string, bool) { return "", false }
	}
	if p.Pick == nil {
		p.Pick = pickFile(p.Window)
	}
	if p.Models == nil {
		p.Models = func() []Model { return nil }
	}
	w := &Place{p: p, c: p.Texts, root: container.NewStack(), dirty: true}
	p.Desk.OnChange(w.changed)
	if p.Measured != nil {
		p.Measured.OnChange(w.changed)
	}
	return w
}

// Key is "plan".
func (w *Place) Key() string { return "plan" }

// Icon is the place's sign in the rail.
func (w *Place) Icon() fyne.Resource { return theme.Icon("plan") }

// Content returns the page, which is empty until it is seen.
func (w *Place) Content() fyne.CanvasObject { return w.root }

// Shown brings the page up to date.
func (w *Place) Shown() {
	w.shown = true
	if w.head == nil {
		w.models = w.p.Models()
		w.build()
	}
	w.head.tend()
	if w.dirty {
		w.sync()
	}
	if w.p.Measured != nil {
		w.p.Measured.Load()
	}
}

// Hidden stops drawing.
func (w *Place) Hidden() { w.shown = false }

// Retext makes the place speak another language. What was typed stays.
func (w *Place) Retext(c *texts.Catalogue) {
	w.c = c
	if w.head == nil {
		return // not seen yet
	}
	left, right := w.form.scroll.Offset, w.answer.scroll.Offset
	w.build()
	if w.shown {
		w.sync()
		w.form.scroll.Offset, w.answer.scroll.Offset = left, right
		w.form.scroll.Refresh()
		w.answer.scroll.Refresh()
	} else {
		w.dirty = true
	}
}

// changed follows the desk.
func (w *Place) changed() {
	if !w.shown {
		w.dirty = true
		return
	}
	w.sync()
}

// build makes the page in the language of now.
func (w *Place) build() {
	w.head = newHead(w)
	w.notices = newNotices(w)
	w.real = measuring.NewNotice(w.p.Measured, w.c, w.p.Window.Canvas)
	w.form = newForm(w)
	w.answer = newAnswer(w)
	w.root.Objects = []fyne.CanvasObject{widgets.Inset(4, container.NewBorder(
		container.NewVBox(w.head.box, w.notices.box, w.real.Box()), nil, nil, nil,
		container.New(&columns{w}, w.form.box, w.answer.box)))}
	w.root.Refresh()
}

// sync brings everything up to date with the desk.
func (w *Place) sync() {
	w.dirty = false
	d := w.p.Desk
	p := d.Plan()
	w.problems = make(map[string]texts.Phrase)
	if w.p.Check != nil && p.Job.Model != "" {
		for _, pr := range w.p.Check(p) {
			if _, have := w.problems[pr.Field]; !have {
				w.problems[pr.Field] = pr.Allowed
			}
		}
	}
	w.head.sync()
	w.notices.sync()
	if w.real.Sync() {
		w.root.Refresh()
	}
	if w.goodOf != d.ID() {
		w.good, w.goodOf, w.card = core.Result{}, d.ID(), ""
	}
	if p.Job.Model != "" && len(w.problems) == 0 {
		if len(p.Offers) > 1 {
			d.Chance() // the advice is firmer with it; the desk tells when it is there
		}
		w.good = d.Result()
	}
	w.form.sync(p)
	w.answer.sync(p)
}

// stale reports whether the shown answer is that of earlier values.
func (w *Place) stale() bool {
	return len(w.problems) > 0 || w.p.Desk.Drafts() > 0 || w.p.Desk.Pending()
}

// columns lays the form beside the answer.
type columns struct{ w *Place }

func (l *columns) split(width float32) float32 {
	return min(widgets.Scaled(formWidth), width*0.45)
}

func (l *columns) MinSize(o []fyne.CanvasObject) fyne.Size {
	a, b := o[0].MinSize(), o[1].MinSize()
	return fyne.NewSize(a.Width+b.Width+gapWidth, max(a.Height, b.Height))
}

func (l *columns) Layout(o []fyne.CanvasObject, size fyne.Size) {
	left := l.split(size.Width)
	l.w.answer.width = size.Width - left - gapWidth
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(fyne.NewSize(left, size.Height))
	o[1].Move(fyne.NewPos(left+gapWidth, 0))
	o[1].Resize(fyne.NewSize(l.w.answer.width, size.Height))
}

const (
	// formWidth is the width of the form beside text of the usual size.
	formWidth = 352
	gapWidth  = 6
)
