package watch

import (
	"fmt"
	"image"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/software"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/ui/hosts"
	"rentgen/ui/live"
)

// The saved picture, in pixels.
const (
	pictureWidth = 1280
	pictureLarge = 300
	pictureSmall = 200
)

// Picture draws the charts of the open card with a line that says whose they
// are and when.
func (b *board) Picture() image.Image {
	head := widget.NewLabel(fmt.Sprintf("%s · %s", hosts.NameOf(b.w.c, b.host), b.infoText()))
	head.TextStyle.Bold = true
	from, to := b.group.View()
	when := widget.NewLabel(texts.DateYear(b.w.c, to) + " " + texts.Span(b.w.c, from, to) + " " + texts.Zone(to))
	col := container.NewVBox(head, when)
	row := func(h int, g ...*gauge) {
		w := pictureWidth / len(g)
		line := container.NewGridWithColumns(len(g))
		for _, x := range g {
			img := canvas.NewImageFromImage(x.Image(w, h))
			img.SetMinSize(fyne.NewSize(float32(w), float32(h)))
			line.Add(img)
		}
		col.Add(line)
	}
	row(pictureLarge, b.charts[:2]...)
	if rest := b.charts[2:]; len(rest) > 0 {
		row(pictureSmall, rest...)
	}
	ground := canvas.NewRectangle(fynetheme.Color(fynetheme.ColorNameBackground))
	cv := software.NewCanvas()
	cv.SetPadded(false)
	cv.SetContent(container.NewStack(ground, col))
	cv.Resize(col.MinSize().Max(fyne.NewSize(pictureWidth, 0)))
	return cv.Capture()
}

func (b *board) save() {
	if b.w.p.Actions.Save == nil {
		return
	}
	stamp := b.w.p.Now().Local().Format("2006-01-02-150405")
	b.w.p.Actions.Save(b.Picture(), "rentgen-"+fileName(hosts.NameOf(b.w.c, b.host))+"-"+stamp+".png")
}

// fileName keeps what every file system takes.
func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>| `, r) || r < 0x20 {
			return '-'
		}
		return r
	}, s)
}

// copy puts the newest values on the clipboard, one a line, with a tab before
// the value; a missing one says why.
func (b *board) copy() {
	if b.w.p.Actions.Copy != nil {
		b.w.p.Actions.Copy(b.Values())
	}
}

// Values returns the newest values as text.
func (b *board) Values() string {
	c, l := b.w.c, b.host.Live()
	var s strings.Builder
	fmt.Fprintf(&s, "%s\t%s\n", hosts.NameOf(c, b.host), b.infoText())
	if n := l.Newest(); !n.IsZero() {
		fmt.Fprintf(&s, "%s\t%s %s\n", c.T("watch.copy.time"), texts.DateYear(c, n)+" "+texts.Clock(n), texts.Zone(n))
	}
	line := func(gpu string, m probe.Metric) {
		v := l.Value(gpu, live.Of(m))
		text := valueText(c, v, m)
		if why := b.missing(gpu, v); why != "" {
			text = why
		}
		fmt.Fprintf(&s, "%s\t%s\n", texts.Metric(c, m.String()), text)
	}
	for _, d := range b.cards {
		fmt.Fprintf(&s, "\n%s\t%s\n", cardName(c, d), d.UUID)
		for _, m := range probe.GPUMetrics() {
			if m.Info().Kind != probe.Mask {
				line(d.UUID, m)
			}
		}
	}
	s.WriteString("\n")
	for _, m := range probe.SystemMetrics() {
		line("", m)
	}
	return s.String()
}
