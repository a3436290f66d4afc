package verdict

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/ui/widgets"
)

// detail is what stands behind the sentence of a verdict: what to do, the
// numbers, how sure it is and why no surer, the rule. jump is nil where its span
// can't be shown.
func detail(c *texts.Catalogue, v *judge.Verdict, jump func()) *fyne.Container {
	col := widgets.Stacked(2)
	if next := c.Say(v.Next); next != "" {
		l := widgets.Words(next)
		l.TextStyle.Bold = true
		col.Add(named(c.T("verdict.next"), l))
	}
	if ns := numbers(c, v); len(ns) > 0 {
		col.Add(named(c.T("verdict.numbers"), figures(ns)))
	}
	if sure := sureText(c, v); sure != "" {
		col.Add(named(c.T("verdict.doubts"), smallWords(sure)))
	}
	if rule := ruleText(c, v.Rule); rule != "" {
		col.Add(named(c.T("verdict.rule"), smallWords(rule)))
	}
	if jump != nil {
		col.Add(container.NewHBox(widgets.Gap(widgets.Scaled(nameWidth)-2, 1), widgets.NewButton(c.T("verdict.jump"), nil, jump)))
	}
	return col
}

// sureText says the confidence with what it lacks.
func sureText(c *texts.Catalogue, v *judge.Verdict) string {
	parts := []string{}
	if s := Sure(c, v); s != "" {
		parts = append(parts, s+" ("+texts.Percent(100*v.Confidence)+")")
		if c.Lang == texts.Chinese {
			parts[0] = s + "（" + texts.Percent(100*v.Confidence) + "）"
		}
	}
	for _, d := range v.Doubts {
		if s := c.Say(d); s != "" {
			parts = append(parts, s)
		}
	}
	if c.Lang == texts.Chinese {
		return strings.Join(parts, "；")
	}
	return strings.Join(parts, "; ")
}

func smallWords(text string) *widget.Label {
	l := widgets.Words(text)
	l.SizeName = fynetheme.SizeNameCaptionText
	return l
}

// figures lays numbers out in as many columns as there is room for.
func figures(ns []string) fyne.CanvasObject {
	f := &figureLayout{}
	box := container.New(f)
	for _, n := range ns {
		box.Add(widgets.Small(n))
	}
	return box
}

// figureLayout lays small texts in rows that end at the width of the last layout.
type figureLayout struct{ width float32 }

func (f *figureLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(60, f.place(o, f.width, false))
}

func (f *figureLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	f.width = size.Width
	f.place(o, size.Width, true)
}

func (f *figureLayout) place(o []fyne.CanvasObject, width float32, move bool) float32 {
	if width <= 0 {
		width = widgets.Scaled(480)
	}
	x, y, row := float32(0), float32(0), float32(0)
	for _, c := range o {
		m := c.MinSize()
		if x > 0 && x+m.Width > width {
			x, y, row = 0, y+row, 0
		}
		if move {
			c.Move(fyne.NewPos(x, y))
			c.Resize(m)
		}
		x += m.Width + 8
		row = max(row, m.Height)
	}
	return y + row
}
