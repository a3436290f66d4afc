package verdict

import (
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/ui/widgets"
)

// Params are what the widgets of verdicts work with.
type Params struct {
	Texts *texts.Catalogue
	// Canvas is where details open.
	Canvas func() fyne.Canvas
	Now    func() time.Time
	// Names says how cards are called; nil leaves their names out.
	Names Names
	// Jump shows the span of a verdict; nil leaves the offer out.
	Jump func(v judge.Verdict)
}

func (p *Params) now() time.Time {
	if p.Now == nil {
		return time.Now()
	}
	return p.Now()
}

// Line says in one line how it is now: shape, sentence, how long, how sure. A
// press opens all verdicts.
type Line struct {
	Tap     *widgets.Tap // what is put on a page
	p       Params
	icon    *widget.Icon
	text    *widget.Label
	vs      []judge.Verdict
	version uint64
	minute  int64
	level   judge.Level
	set     bool
	stale   bool
	wraps   bool
}

// NewLine returns a line that knows of no verdict.
func NewLine(p Params) *Line {
	l := &Line{p: p, icon: widget.NewIcon(Icon(judge.Unknown)), text: widget.NewLabel(""), level: judge.Unknown}
	l.text.Truncation = fyne.TextTruncateEllipsis
	l.Tap = widgets.NewTap(container.NewBorder(nil, nil, container.NewCenter(l.icon), nil, l.text), l.open)
	l.Update(nil, 0)
	return l
}

// Wrapped lets the line go on in the next one where its words need more room than
// it has, and keeps the room of two, so that what is said in it moves nothing.
func (l *Line) Wrapped() *Line {
	l.wraps = true
	l.text.Truncation = fyne.TextTruncateOff
	l.Tap = widgets.NewTap(container.NewBorder(nil, nil, widgets.OnLine(l.icon), nil, container.New(twoLines{}, l.text)), l.open)
	l.say(l.text.Text)
	return l
}

func (l *Line) say(text string) {
	if l.wraps {
		widgets.SetWords(l.text, text)
	} else if l.text.Text != text {
		l.text.SetText(text)
	}
}

// twoLines keeps the room of two lines of text, more where it has more.
type twoLines struct{}

func (twoLines) MinSize(o []fyne.CanvasObject) fyne.Size {
	line := fyne.MeasureText("0", fynetheme.TextSize(), fyne.TextStyle{}).Height
	return fyne.NewSize(0, 2*line+2*fynetheme.InnerPadding()).Max(o[0].MinSize())
}

func (twoLines) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(size)
}

// Update takes the verdicts of a version. It costs nothing while neither they
// nor the minute have changed.
func (l *Line) Update(vs []judge.Verdict, version uint64) {
	now := l.p.now()
	minute := now.Unix() / 60
	// A verdict that just began counts its seconds.
	i := Main(vs)
	if l.stale {
		minute = 0 // it stands still
	} else if i >= 0 && now.Sub(vs[i].From) < 2*time.Minute {
		minute = -now.Unix()
	}
	if l.set && l.version == version && l.minute == minute {
		return
	}
	l.set, l.vs, l.version, l.minute = true, vs, version, minute
	level, text := judge.Unknown, l.p.Texts.T("verdict.none")
	switch {
	case i < 0 && len(vs) > 0:
		text = l.p.Texts.T("verdict.none.now")
	case i >= 0 && l.stale:
		text = l.p.Texts.T("verdict.last", "sentence", Sentence(l.p.Texts, &vs[i], l.p.Names))
	case i >= 0:
		level, text = vs[i].Level, LineText(l.p.Texts, vs, i, l.p.Names, now)
	}
	l.say(text)
	if l.level != level {
		l.level = level
		l.icon.SetResource(Icon(level))
	}
}

// SetStale says that no readings come: what held last is told as that, not as how
// it is now.
func (l *Line) SetStale(on bool) {
	if l.stale == on {
		return
	}
	l.stale, l.set = on, false
	l.text.Importance = widget.MediumImportance
	if on {
		l.text.Importance = widget.LowImportance
	}
	l.text.Refresh()
	l.Update(l.vs, l.version)
}

// Text returns what the line says.
func (l *Line) Text() string { return strings.ReplaceAll(l.text.Text, "\r", "") }

// LineText is verdict i in one line, with how many more hold.
func LineText(c *texts.Catalogue, vs []judge.Verdict, i int, names Names, now time.Time) string {
	more := 0
	for k := range vs {
		if vs[k].Open && k != i && vs[k].Level != judge.Unknown {
			more++
		}
	}
	rest := ""
	if more > 0 {
		rest = c.T("verdict.more", "n", more)
	}
	return joined(c, Sentence(c, &vs[i], names), c.T("verdict.for", "d", Lasted(c, &vs[i], now)), Sure(c, &vs[i]), rest)
}

func (l *Line) open() { Open(l.p, l.vs) }

// Open shows all verdicts above the place, the first of them in full.
func Open(p Params, vs []judge.Verdict) *widgets.Panel {
	c := p.Texts
	var panel *widgets.Panel
	if jump := p.Jump; jump != nil {
		p.Jump = func(v judge.Verdict) {
			panel.Close()
			jump(v)
		}
	}
	list := NewList(p)
	list.Update(vs, 0)
	if len(list.rows) > 0 {
		list.rows[0].flip()
	}
	closing := widgets.Primary(c.T("verdict.close"), nil, func() { panel.Close() })
	high := min(widgets.Scaled(420), p.Canvas().Size().Height-170)
	scroll := container.NewVScroll(widgets.BesideBar(list.Content()))
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: p.Canvas(), Title: c.T("verdict.list"), Width: 640, First: closing, Buttons: []fyne.CanvasObject{closing},
		Content: widgets.AtLeast(fyne.NewSize(200, high), scroll),
	})
	panel.Show()
	return panel
}
