package history

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/store"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// listWidth is the width of the list of logs.
const listWidth = 268

// list is every log, the newest first.
type list struct {
	w    *Place
	logs []store.Recording
	view *rows
	box  *fyne.Container
}

// rows is a list that leaves the window's keys to the window.
type rows struct{ widget.List }

// TypedKey passes on what means nothing to a list.
func (r *rows) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyF1, fyne.KeyEscape:
		if cv := fyne.CurrentApp().Driver().CanvasForObject(r); cv != nil && cv.OnTypedKey() != nil {
			cv.OnTypedKey()(e)
		}
	case fyne.KeyReturn, fyne.KeyEnter:
		r.List.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	default:
		r.List.TypedKey(e)
	}
}

func newList(w *Place) *list {
	l := &list{w: w, view: &rows{}}
	l.view.Length = func() int { return len(l.logs) }
	l.view.CreateItem = func() fyne.CanvasObject { return newLogRow() }
	l.view.UpdateItem = func(i widget.ListItemID, o fyne.CanvasObject) {
		if i < len(l.logs) {
			o.(*logRow).set(w, &l.logs[i])
		}
	}
	l.view.OnSelected = func(i widget.ListItemID) {
		if i < len(l.logs) && l.logs[i].ID != w.board.id() {
			w.choose(l.logs[i].ID)
		}
	}
	l.view.ExtendBaseWidget(l.view)
	l.box = container.NewStack(l.view)
	return l
}

func (l *list) set(logs []store.Recording) {
	l.logs = logs
	l.view.Refresh()
}

// mark shows which log is open.
func (l *list) mark(id int64) {
	for i := range l.logs {
		if l.logs[i].ID == id {
			l.view.Select(i)
			return
		}
	}
}

// logRow says host, card, span, gaps and size of one log.
type logRow struct {
	widget.BaseWidget
	name, size, span, rest *widget.Label
	icon                   *widget.Icon
	box                    *fyne.Container
}

func newLogRow() *logRow {
	r := &logRow{
		name: widget.NewLabel(""), size: widgets.Small(""), span: widgets.Small(""), rest: widgets.Small(""),
		icon: widget.NewIcon(nil),
	}
	r.name.TextStyle.Bold = true
	for _, l := range []*widget.Label{r.name, r.span, r.rest} {
		l.Truncation = fyne.TextTruncateEllipsis
	}
	r.rest.Importance = widget.LowImportance
	r.size.Importance = widget.LowImportance
	head := container.NewBorder(nil, nil, nil, container.NewHBox(r.size, r.icon), r.name)
	r.box = container.New(layout.NewCustomPaddedVBoxLayout(-6), head, r.span, r.rest)
	r.ExtendBaseWidget(r)
	return r
}

// CreateRenderer implements fyne.Widget.
func (r *logRow) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(r.box) }

func (r *logRow) set(w *Place, log *store.Recording) {
	r.name.SetText(nameOf(w.c, log))
	r.size.SetText(texts.Bytes(float64(log.Bytes)))
	r.span.SetText(spanOf(w.c, log))
	r.rest.SetText(restOf(w.c, log))
	r.icon.Hidden = !log.Open
	r.icon.SetResource(theme.Coloured("record", fynetheme.ColorNamePrimary))
	r.box.Refresh()
}

// nameOf names the host of a log, and says when it was the demo's.
func nameOf(c *texts.Catalogue, log *store.Recording) string {
	if log.Demo {
		return c.T("history.demo", "name", log.HostName)
	}
	return log.HostName
}

// spanOf says from when to when a log goes.
func spanOf(c *texts.Catalogue, log *store.Recording) string {
	switch {
	case log.From.IsZero():
		return c.T("history.none")
	case log.Open:
		return c.T("history.open", "from", texts.DateTime(c, log.From))
	}
	return texts.Span(c, log.From, log.To)
}

// restOf says how long a log is, of which card, and whether something is
// missing in it.
func restOf(c *texts.Catalogue, log *store.Recording) string {
	var parts []string
	if !log.From.IsZero() {
		parts = append(parts, texts.Duration(c, log.To.Sub(log.From)))
	}
	if cards := cardsOf(c, log); cards != "" {
		parts = append(parts, cards)
	}
	switch log.Gaps {
	case 0:
	case 1:
		parts = append(parts, c.T("history.gap"))
	default:
		parts = append(parts, c.T("history.gaps", "n", texts.Count(int64(log.Gaps))))
	}
	return strings.Join(parts, " · ")
}

// cardsOf names the cards of a log: one by its name, several alike with their
// number.
func cardsOf(c *texts.Catalogue, log *store.Recording) string {
	switch len(log.Devices) {
	case 0:
		return ""
	case 1:
		return shortName(log.Devices[0].Name)
	}
	first := log.Devices[0].Name
	for _, d := range log.Devices[1:] {
		if d.Name != first {
			return c.T("history.cards", "n", len(log.Devices))
		}
	}
	return c.T("history.alike", "n", len(log.Devices), "name", shortName(first))
}

// shortName leaves the maker out: every card here is NVIDIA's.
func shortName(name string) string {
	for _, maker := range []string{"NVIDIA GeForce ", "NVIDIA "} {
		if s, ok := strings.CutPrefix(name, maker); ok {
			return s
		}
	}
	return name
}
