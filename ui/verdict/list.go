package verdict

import (
	"slices"
	"strings"
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
	// detailed is when unfolded numbers were brought up to date last.
	detailed time.Time
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
			l.age(now)
		}
		return
	}
	was := l.vs
	l.vs = inOrder(vs)
	same := l.set && slices.EqualFunc(was, l.vs, func(a, b judge.Verdict) bool { return l.alike(&a, &b) })
	l.set, l.version, l.minute = true, version, minute
	if !same {
		l.fill()
		return
	}
	// The same verdicts a little later: no row is made anew under the hand.
	for i, r := range l.rows {
		r.v = l.vs[i]
	}
	l.age(now)
	if now.Sub(l.detailed) >= detailPause {
		l.detailed = now
		for _, r := range l.rows {
			r.redetail()
		}
	}
}

// detailPause lies between two changes of the numbers of an unfolded verdict.
const detailPause = 10 * time.Second

// alike reports whether two verdicts look the same in the list but for their
// span and numbers.
func (l *List) alike(a, b *judge.Verdict) bool {
	return a.Kind == b.Kind && a.GPU == b.GPU && a.From.Equal(b.From) && a.Open == b.Open && a.Level == b.Level &&
		Sure(l.p.Texts, a) == Sure(l.p.Texts, b) && Sentence(l.p.Texts, a, l.p.Names) == Sentence(l.p.Texts, b, l.p.Names)
}

// age brings the spans of verdicts that go on up to date.
func (l *List) age(now time.Time) {
	for _, r := range l.rows {
		if s := SpanText(l.p.Texts, &r.v, now); r.span.Text != s {
			r.span.SetText(s)
		}
	}
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
	said string // the numbers in body
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
	r.redetail()
	r.body.Show()
	r.mark.SetResource(fynetheme.MenuDropDownIcon())
}

// redetail brings the detail of an unfolded row up to date where its numbers are
// others.
func (r *row) redetail() {
	if !r.l.open[key(&r.v)] {
		return
	}
	c := r.l.p.Texts
	said := strings.Join(append(numbers(c, &r.v), sureText(c, &r.v), c.Say(r.v.Next)), "\x00")
	if said == r.said {
		return
	}
	r.said = said
	var jump func()
	if r.l.p.Jump != nil {
		jump = r.jump
	}
	r.body.Objects = []fyne.CanvasObject{detail(c, &r.v, jump)}
	r.body.Refresh()
}

// Around returns the view of a chart that shows a verdict with what was before
// and after it.
func Around(v judge.Verdict, now time.Time) (from, to time.Time) {
	to = end(&v, now)
	margin := max(to.Sub(v.From)/4, 30*time.Second)
	return v.From.Add(-margin), to.Add(margin)
}
