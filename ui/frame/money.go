package frame

import (
	"slices"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/ui/home/cost"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// purseBox is what the bar says of cost: as much of it as there is room for.
type purseBox struct {
	words []string // the longest first
	text  *widget.Label
	tap   *widgets.Tap
	bell  *widgets.Button
	count int
}

func newPurseBox(f *Frame) *purseBox {
	b := &purseBox{text: widget.NewLabel(""), count: -1}
	b.tap = widgets.NewTap(container.NewCenter(b.text), func() {
		if f.p.OnCost != nil {
			f.p.OnCost()
		}
	})
	b.tap.Hide()
	b.bell = widgets.Quiet("", theme.Icon("bell"), func() { f.p.OnAlerts(b.bell) })
	b.bell.Hidden = f.p.OnAlerts == nil
	return b
}

// update takes what the model says and reports whether the bar must be laid out
// anew.
func (b *purseBox) update(f *Frame) (changed bool) {
	if f.p.Money == nil {
		return false
	}
	m := f.p.Money()
	if words := moneyWords(f, m); !slices.Equal(words, b.words) {
		b.words = words
		changed = true
	}
	if m.Alerts != b.count {
		b.count = m.Alerts
		text, look := "", widget.LowImportance
		if m.Alerts > 0 {
			text, look = strconv.Itoa(m.Alerts), widget.MediumImportance
		}
		b.bell.Importance = look
		b.bell.SetText(text)
		changed = true
	}
	return changed
}

// moneyWords are the ways to say what runs, the longest first; none where
// nothing is known to run.
func moneyWords(f *Frame, m Money) []string {
	c := f.c
	n := 0
	for _, r := range m.Running {
		n += r.Count + r.Unpriced
	}
	own := ""
	if m.Known && m.Chosen.Running && m.Chosen.Priced {
		own = cost.Price(c, m.Chosen)
	}
	if own != "" && n <= 1 {
		words := []string{own}
		if m.Chosen.Idle {
			words = []string{c.T("frame.cost.idle", "price", own, "idle", cost.Idle(c, m.Chosen)), own}
		}
		return words
	}
	var words []string
	add := func(s string) {
		if s != "" && (len(words) == 0 || words[len(words)-1] != s) {
			words = append(words, s)
		}
	}
	long, short := cost.Running(c, m.Running, false), cost.Running(c, m.Running, true)
	if own != "" && long != "" {
		add(c.T("frame.cost.own", "price", own, "all", long))
	}
	add(long)
	add(short)
	add(own)
	return words
}

// fit chooses what there is room for.
func (b *purseBox) fit(width float32) {
	pick := ""
	for _, w := range b.words {
		if fyne.MeasureText(w, fynetheme.TextSize(), fyne.TextStyle{}).Width+4*fynetheme.InnerPadding() <= width {
			pick = w
			break
		}
	}
	if b.text.Text != pick {
		b.text.SetText(pick)
	}
	if hide := pick == ""; b.tap.Hidden != hide {
		b.tap.Hidden = hide
	}
}

// barLayout has the host at the left, language and theme at the right, and the
// costs beside those where there is room.
type barLayout struct{ b *purseBox }

// MinSize implements fyne.Layout; the costs give way.
func (l *barLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	left, right := o[0].MinSize(), o[2].MinSize()
	return fyne.NewSize(left.Width+right.Width, max(left.Height, right.Height))
}

// Layout implements fyne.Layout.
func (l *barLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	left, right := o[0].MinSize(), o[2].MinSize()
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(fyne.NewSize(left.Width, size.Height))
	o[2].Move(fyne.NewPos(size.Width-right.Width, 0))
	o[2].Resize(fyne.NewSize(right.Width, size.Height))
	l.b.fit(size.Width - left.Width - right.Width)
	w := o[1].MinSize().Width
	o[1].Move(fyne.NewPos(size.Width-right.Width-w, 0))
	o[1].Resize(fyne.NewSize(w, size.Height))
}
