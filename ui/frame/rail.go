package frame

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/ui/widgets"
)

// rail is the list of places at the left.
type rail struct {
	f       *Frame
	buttons []*widgets.Button
	box     *fyne.Container
	folded  bool
}

func newRail(f *Frame) *rail {
	r := &rail{f: f}
	col := container.NewVBox(widgets.Gap(1, 2))
	for i, pl := range f.p.Places {
		if i == len(f.p.Places)-f.p.Low {
			col.Add(layout.NewSpacer())
		}
		b := widgets.Quiet("", pl.Icon(), func() { f.open(pl.Key()) })
		b.Alignment = widget.ButtonAlignLeading
		r.buttons = append(r.buttons, b)
		col.Add(b)
	}
	col.Add(widgets.Gap(1, 2))
	r.box = container.NewStack(widgets.NewGround(theme.ColorNameHeaderBackground, ""), widgets.Inset(4, col))
	return r
}

// open shows a place that was asked for by hand: the first-run page goes.
func (f *Frame) open(key string) {
	if f.cover != nil {
		f.Cover(nil, nil)
	}
	f.Show(key)
}

func (r *rail) fold(folded bool) {
	if r.folded != folded {
		r.folded = folded
		r.retext()
	}
}

func (r *rail) retext() {
	for i, pl := range r.f.p.Places {
		text := ""
		if !r.folded {
			text = r.f.c.T("place." + pl.Key())
		}
		if r.buttons[i].Text != text {
			r.buttons[i].Alignment = widget.ButtonAlignLeading
			if text == "" {
				r.buttons[i].Alignment = widget.ButtonAlignCenter
			}
			r.buttons[i].SetText(text)
		}
	}
}

// mark shows which place is open.
func (r *rail) mark() {
	for i, pl := range r.f.p.Places {
		want := widget.LowImportance
		if pl == r.f.shown {
			want = widget.HighImportance
		}
		if r.buttons[i].Importance != want {
			r.buttons[i].Importance = want
			r.buttons[i].Refresh()
		}
	}
}
