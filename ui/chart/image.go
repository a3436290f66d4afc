package chart

import (
	"image"
	"sync"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/software"
)

// Image draws the chart as it is shown, without crosshair, into a picture of
// w x h pixels, for saving.
func (c *Chart) Image(w, h int) image.Image {
	g := &Group{from: c.group.from, to: c.group.to, now: c.group.now, homeFrom: c.group.homeFrom, homeTo: c.group.homeTo, shown: true, live: true}
	g.pace = pacer{Pace: Pace{}.orReal(), mu: new(sync.Mutex), draw: func() {}}
	k := &Chart{
		texts: c.texts, group: g, title: c.title, value: c.value, legend: c.legend,
		data: c.data, hidden: c.hidden, seen: c.seen,
	}
	k.finish()
	cv := software.NewCanvas()
	cv.SetPadded(false)
	cv.SetContent(k)
	cv.Resize(fyne.NewSize(float32(w), float32(h)))
	return cv.Capture()
}
