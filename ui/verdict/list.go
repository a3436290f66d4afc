package verdict

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/judge"
	"rentgen/ui/widgets"
)

// mostRows is how many verdicts are listed at first; more are asked for.
const mostRows = 20

// List holds the verdicts of now and of before. A press unfolds one; its span is
// a button that shows it on the chart.
type List struct {
	p       Params
	col     *fyne.Container
	rows    []*row
	vs      []judge.Verdict // in the order of the list
	version uint64
	set     bool
	most    int
	open    map[string]bool
	minute  int64
}

// NewList returns an empty list.
func NewList(p Params) *List {
	l := &List{p: p, col: widgets.Stacked(1), most: mostRows, open: map[string]bool{}}
	l.Update(nil, 0)
	return l
}

// Content returns the list for a page.
func (l *List) Content() fyne.CanvasObject { return l.col }

// Count returns how many verdicts there are.
func (l *List) Count() int { return len(l.vs) }

// Update takes the verdicts of a version; those that were unfolded stay so.
// Between two versions it only brings ages up to date, once a minute.
func (l *List) Update(vs []judge.Verdict, version uint64) {
	now := l.p.now()
	minute := now.Unix() / 60
	if l.set && l.version == version && len(vs) == len(l.vs) {
		if minute != l.minute {
			l.minute = minute
			for _, r := range l.rows {
				r.span.SetText(SpanText(l.p.Texts, &r.v, now))
			}
		}
		return
	}
	l.set, l.version, l.minute = true, version, minute
	l.vs = inOrder(vs)
	l.fill()
}

func (l *List) fill() {
	c := l.p.Texts
	l.rows, l.col.Objects = nil, nil
	if len(l.vs) == 0 {
		l.col.Add(smallWords(c.T("verdict.list.none")))
	}
	for i := range l.vs[:min(len(l.vs), l.most)] {
		r := newRow(l, l.vs[i])
		l.rows = append(l.rows, r)
		l.col.Add(r.box)
	}
	if left := len(l.vs) - len(l.rows); left > 0 {
		l.col.Add(container.NewHBox(widgets.Quiet(c.T("verdict.list.older", "n", min(left, mostRows)), nil, func() {
			l.most += mostRows
			l.fill()
			l.col.Refresh()
		})))
	}
	l.col.Refresh()
}

// row is one verdict.
type row struct {
	l    *List
	v    judge.Verdict
	tap  *widgets.Tap
	mark *widget.Icon
	span *widget.Label
	body *fyne.Container
	box  *fyne.Container
}

func newRow(l *List, v judge.Verdict) *row {
	c := l.p.Texts
	r := &row{l: l, v: v, mark: widget.NewIcon(fynetheme.MenuExpandIcon()), body: widgets.Stacked(0)}
	sentence := widgets.Words(Sentence(c, &r.v, l.p.Names))
	r.span = widgets.Small(SpanText(c, &r.v, l.p.now()))
	var span fyne.CanvasObject = r.span
	if l.p.Jump != nil {
		r.span.Importance = widget.HighImportance // it can be pressed
		span = widgets.NewTap(r.span, r.jump)
	}
	second := container.NewHBox(container.NewCenter(NewChip(KindText(c, v.Kind))), span, widgets.Small(joined(c, LevelText(c, v.Level), Sure(c, &r.v))))
	head := container.NewBorder(nil, nil, sign(widget.NewIcon(Icon(v.Level))), sign(r.mark), sentence)
	r.tap = widgets.NewTap(head, r.flip)
	r.body.Hide()
	indent := fynetheme.IconInlineSize() + fynetheme.InnerPadding()
	r.box = widgets.Stacked(0, r.tap, container.NewBorder(nil, nil, widgets.Gap(indent, 1), nil, widgets.Stacked(0, second, r.body)), widgets.Rule())
	if l.open[key(&v)] {
		r.unfold()
	}
	return r
}

func (r *row) jump() {
	if r.l.p.Jump != nil {
		r.l.p.Jump(r.v)
	}
}

// flip unfolds or folds the row.
func (r *row) flip() {
	k := key(&r.v)
	if r.body.Visible() {
		delete(r.l.open, k)
		r.body.Hide()
		r.mark.SetResource(fynetheme.MenuExpandIcon())
	} else {
		r.l.open[k] = true
		r.unfold()
	}
	r.box.Refresh()
	r.l.col.Refresh()
}

func (r *row) unfold() {
	if len(r.body.Objects) == 0 {
		var jump func()
		if r.l.p.Jump != nil {
			jump = r.jump
		}
		r.body.Add(detail(r.l.p.Texts, &r.v, jump))
	}
	r.body.Show()
	r.mark.SetResource(fynetheme.MenuDropDownIcon())
}

// Around returns the view of a chart that shows a verdict with what was before
// and after it.
func Around(v judge.Verdict, now time.Time) (from, to time.Time) {
	to = end(&v, now)
	margin := max(to.Sub(v.From)/4, 30*time.Second)
	return v.From.Add(-margin), to.Add(margin)
}
