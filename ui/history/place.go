package history

import (
	"context"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/store"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// Place is the History place. Its methods belong to the UI thread.
type Place struct {
	p       Params
	c       *texts.Catalogue
	root    *fyne.Container
	notices *fyne.Container // about damage
	list    *list
	strip   *strip
	board   *board
	sum     *widget.Label // how many logs, how large
	empty   *fyne.Container
	fail    *failure
	body    *fyne.Container

	logs   []store.Recording
	known  bool // the list was read once
	shown  bool
	round  int   // counts Shown, so that an old timer stops
	wanted int64 // the log to open once it is in the list, 0 for none

	reader, bringing loader
}

// New returns the place; the history is read when it is first shown.
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
	if p.After == nil {
		p.After = func(d time.Duration, f func()) { time.AfterFunc(d, f) }
	}
	if p.Watch == nil {
		p.Watch = func() {}
	}
	w := &Place{p: p, c: p.Texts, root: container.NewStack()}
	w.reader.p, w.bringing.p = &w.p, &w.p
	w.build()
	return w
}

// Key is "history".
func (w *Place) Key() string { return "history" }

// Icon is the place's sign in the rail.
func (w *Place) Icon() fyne.Resource { return theme.Icon("history") }

// Content returns the page.
func (w *Place) Content() fyne.CanvasObject { return w.root }

// Shown reads the list anew and goes on drawing.
func (w *Place) Shown() {
	w.shown = true
	w.round++
	w.board.group.SetShown(true)
	w.load()
	w.later(w.round)
}

// Hidden stops drawing and reading.
func (w *Place) Hidden() {
	w.shown = false
	w.round++
	w.board.group.SetShown(false)
}

// Retext makes the place speak another language.
func (w *Place) Retext(c *texts.Catalogue) {
	w.c = c
	old := w.board
	w.build()
	w.board.take(old)
	w.board.group.SetShown(w.shown)
	if w.known {
		w.show(w.logs)
	}
}

// later reads the list again after a while, as long as the place is seen.
func (w *Place) later(round int) {
	w.p.After(again, func() {
		w.p.Do(func() {
			if w.shown && w.round == round {
				w.load()
				w.later(round)
			}
		})
	})
}

// build makes the page in the language of now.
func (w *Place) build() {
	w.notices = container.NewVBox()
	w.list = newList(w)
	w.strip = newStrip(w)
	w.board = newBoard(w)
	w.fail = newFailure(w.c, w.load)
	w.sum = widgets.Small("")
	keep := widgets.Quiet(w.c.T("history.keep"), theme.Icon("settings"), w.openRetention)
	bring := widgets.Quiet(w.c.T("history.import"), theme.Icon("add"), w.askFile)
	bring.Hidden = w.p.Import == nil
	head := container.NewBorder(nil, nil, w.sum, container.NewHBox(bring, keep))
	w.empty = w.firstUse()
	w.empty.Hide()
	left := container.New(&fixedWidth{listWidth}, widgets.Card(2, w.list.box))
	w.body = container.NewBorder(container.NewVBox(head, w.strip), nil, nil, nil,
		container.NewBorder(nil, nil, left, nil, w.board.box))
	w.body.Hide()
	w.root.Objects = []fyne.CanvasObject{widgets.Inset(4, container.NewBorder(
		container.NewVBox(w.notices, w.fail.box), nil, nil, nil, container.NewStack(w.body, w.empty)))}
	w.root.Refresh()
	w.notice()
}

// firstUse says what belongs here and offers the one next action.
func (w *Place) firstUse() *fyne.Container {
	title := widget.NewLabel(w.c.T("history.empty.title"))
	title.TextStyle.Bold = true
	title.SizeName = theme.SizeHeadline
	title.Wrapping = fyne.TextWrapWord
	next := widgets.Primary(w.c.T("history.empty.next"), theme.Icon("watch"), w.p.Watch)
	bring := widgets.Quiet(w.c.T("history.import"), theme.Icon("add"), w.askFile)
	bring.Hidden = w.p.Import == nil
	return container.NewCenter(container.NewVBox(
		widgets.AtLeast(fyne.NewSize(440, 0), title),
		widgets.Words(w.c.T("history.empty.what")),
		container.NewHBox(next, bring, layout.NewSpacer()),
	))
}

// load reads the list off the UI thread.
func (w *Place) load() {
	ask(&w.reader, func(ctx context.Context) ([]store.Recording, error) {
		return w.p.Store.Recordings(ctx, store.Filter{})
	}, func(logs []store.Recording, err error) {
		if err != nil {
			w.failed(err)
			return
		}
		w.known = true
		w.notice()
		w.show(logs)
	})
}

// failed keeps what is on screen, if anything is, and says what went wrong.
func (w *Place) failed(err error) {
	w.fail.say(w.c.T("history.fail.list"), err)
	if !w.known {
		w.body.Hide()
		w.empty.Hide()
	}
	w.fail.box.Show()
	w.root.Refresh()
}

// show brings list, strip and charts up to date with the logs there are.
func (w *Place) show(logs []store.Recording) {
	w.fail.box.Hide()
	w.logs = logs
	if len(logs) == 0 {
		w.body.Hide()
		w.empty.Show()
		w.board.open(nil)
		w.root.Refresh()
		return
	}
	w.empty.Hide()
	w.body.Show()
	var bytes int64
	for i := range logs {
		bytes += logs[i].Bytes
	}
	w.sum.SetText(w.c.T("history.sum", "n", texts.Count(int64(len(logs))), "size", texts.Bytes(float64(bytes))))
	w.strip.set(logs)
	w.list.set(logs)
	chosen := w.board.id()
	if w.wanted != 0 {
		chosen, w.wanted = w.wanted, 0
	}
	i := slices.IndexFunc(logs, func(r store.Recording) bool { return r.ID == chosen })
	if i < 0 {
		i = 0
	}
	w.choose(logs[i].ID)
	w.root.Refresh()
}

// choose opens a log in the charts.
func (w *Place) choose(id int64) {
	for i := range w.logs {
		if w.logs[i].ID == id {
			w.list.mark(id)
			w.strip.mark(&w.logs[i])
			w.board.open(&w.logs[i])
			return
		}
	}
}

// failure is a sentence where something went wrong, with the system's words and
// a way to try again.
type failure struct {
	box      *fyne.Container
	sentence *widget.Label
	raw      *widget.Label
}

func newFailure(c *texts.Catalogue, retry func()) *failure {
	f := &failure{sentence: widgets.Words(""), raw: widgets.Words("")}
	f.sentence.TextStyle.Bold = true
	f.raw.TextStyle.Monospace = true
	f.raw.Selectable = true
	icon := widget.NewIcon(theme.Fail.Icon())
	b := widgets.NewButton(c.T("history.retry"), nil, retry)
	f.box = container.NewVBox(widgets.Card(6, container.NewBorder(nil, nil,
		container.NewVBox(icon), container.NewVBox(b), container.NewVBox(f.sentence, f.raw))))
	f.box.Hide()
	return f
}

func (f *failure) say(sentence string, err error) {
	widgets.SetWords(f.sentence, sentence)
	widgets.SetWords(f.raw, err.Error())
}

// fixedWidth keeps its object at one width.
type fixedWidth struct{ width float32 }

func (l *fixedWidth) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(l.width, o[0].MinSize().Height)
}

func (l *fixedWidth) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Resize(size)
	o[0].Move(fyne.NewPos(0, 0))
}
