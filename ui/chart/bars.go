package chart

import (
	"image"
	"image/color"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/software"
	"fyne.io/fyne/v2/widget"

	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// BarPart is a piece of a bar.
type BarPart struct {
	Slot  int // of the series colours; from the seventh on it is striped
	Value float64
}

// Bar is a line of Bars. Parts above 0 stand behind one another from 0 on, and
// those below 0 are taken back from the end.
type Bar struct {
	Name  string
	Parts []BarPart
	// Low and High are a whisker; equal for none.
	Low, High float64
	Text      string // beside the bar
	// Side makes the bar begin at 0 and go its own way, to the left for a value
	// below 0.
	Side bool
	// Open is called when the bar or its name is pressed; nil for nothing.
	Open func()
}

// BarsData is what Bars show.
type BarsData struct {
	Bars   []Bar
	Legend []BarKey
	// Above sets the names over the bars, wrapped, instead of beside them.
	Above   bool
	Missing string // a sentence instead of a drawing
}

// BarKey names a colour.
type BarKey struct {
	Slot int
	Name string
}

// Bars are horizontal bars of several parts. Its methods belong to the UI
// thread.
type Bars struct {
	widget.BaseWidget
	title   string
	data    BarsData
	width   float32 // of the last layout; wrapped names need it
	view    *barsView
	focused bool
	chosen  int // the bar that the keyboard is at
	hover   int // the bar under the hand, -1 for none
}

// NewBars returns bars without content.
func NewBars(title string) *Bars {
	b := &Bars{title: title, hover: -1}
	b.ExtendBaseWidget(b)
	return b
}

// SetData shows d.
func (b *Bars) SetData(d BarsData) {
	b.data = d
	b.Refresh()
}

// SetWidth says how wide the bars will be, so that MinSize knows the height.
func (b *Bars) SetWidth(w float32) { b.width = w }

// MinSize is what the bars need at the width of the last layout.
func (b *Bars) MinSize() fyne.Size {
	b.ExtendBaseWidget(b)
	return b.BaseWidget.MinSize()
}

// Image draws the bars into a picture that is w pixels wide and as high as they
// need.
func (b *Bars) Image(w int) image.Image {
	k := NewBars(b.title)
	k.data, k.width = b.data, float32(w)
	cv := software.NewCanvas()
	cv.SetPadded(false)
	cv.SetContent(k)
	cv.Resize(fyne.NewSize(float32(w), k.MinSize().Height))
	return cv.Capture()
}

// CreateRenderer implements fyne.Widget.
func (b *Bars) CreateRenderer() fyne.WidgetRenderer {
	v := &barsView{b: b, ground: canvas.NewRectangle(color.Transparent), title: canvas.NewText("", color.Black)}
	v.ground.CornerRadius, v.ground.StrokeWidth = 3, 1
	v.title.TextStyle.Bold = true
	v.raster = canvas.NewRaster(v.draw)
	v.raster.ScaleMode = canvas.ImageScalePixels
	v.under = canvas.NewRectangle(color.Transparent)
	v.under.CornerRadius = 2
	b.view = v
	return v
}

// barsView is the renderer of Bars.
type barsView struct {
	b       *Bars
	ground  *canvas.Rectangle
	title   *canvas.Text
	under   *canvas.Rectangle // shows hover and focus
	raster  *canvas.Raster
	texts   pool
	rows    [][2]float32 // where each bar and its name begin and end
	keys    []*canvas.Rectangle
	img     *image.RGBA
	to      surface
	y       []float32 // of each bar below the top of the plot
	min     float64
	max     float64
	objects []fyne.CanvasObject
}

func barHeight() float32 { return 15 * scaleOfText() }

// span is what the axis must hold.
func (d *BarsData) span() (low, high float64) {
	for _, b := range d.Bars {
		end := 0.0
		for _, p := range b.Parts {
			if b.Side {
				low, high = min(low, p.Value), max(high, p.Value)
			} else if p.Value > 0 {
				end += p.Value
			}
		}
		high = max(high, end, b.High)
	}
	if high <= low {
		high = low + 1
	}
	return low, high
}

// place finds where everything stands in a width and calls put for each text;
// it returns the height.
func (v *barsView) place(width float32, put func(s string, c color.Color, bold bool, x, y float32)) (height float32, plotX, plotY, plotW float32) {
	p, d, small := theme.Current(), &v.b.data, smallSize()
	lh := textHeight()
	y := float32(4)
	if v.b.title != "" {
		y += bodySize() * 1.5
	}
	if d.Missing != "" {
		for _, l := range widgets.Wrap(d.Missing, width-4*pad, small, fyne.TextStyle{}) {
			put(l, p.Faint, false, pad+2, y)
			y += lh
		}
		v.y, v.rows = nil, nil
		return y + 6, pad, y, width - 2*pad
	}
	left, right := float32(0), float32(0)
	for _, b := range d.Bars {
		if !d.Above {
			left = max(left, fyne.MeasureText(b.Name, small, fyne.TextStyle{}).Width)
		}
		right = max(right, fyne.MeasureText(b.Text, small, fyne.TextStyle{}).Width)
	}
	left = min(left, width*0.3)
	if left > 0 {
		left += 6
	}
	plotX, plotY = pad+2+left, y
	plotW = max(width-plotX-right-pad-8, 10)
	v.y, v.rows = v.y[:0], v.rows[:0]
	for _, b := range d.Bars {
		began := y
		if d.Above {
			for _, l := range widgets.Wrap(b.Name, width-2*pad-4, small, fyne.TextStyle{}) {
				put(l, p.Text, false, pad+2, y)
				y += lh
			}
			y += 3
		} else {
			put(short(b.Name, left-6, small), p.Text, false, pad+2, y+(barHeight()-lh)/2)
		}
		v.y = append(v.y, y-plotY)
		put(b.Text, p.Faint, false, plotX+plotW+6, y+(barHeight()-lh)/2)
		v.rows = append(v.rows, [2]float32{began, y + barHeight()})
		y += barHeight() + 6
	}
	return y + 2, plotX, plotY, plotW
}

// short cuts a text to a width.
func short(s string, width, size float32) string {
	rs := []rune(s)
	for n := len(rs); n > 0; n-- {
		t := string(rs[:n])
		if n < len(rs) {
			t += "…"
		}
		if fyne.MeasureText(t, size, fyne.TextStyle{}).Width <= width {
			return t
		}
	}
	return ""
}

// keyRows finds the places of the legend below y and returns where it ends.
func (v *barsView) keyRows(width, y float32, put func(k BarKey, x, y float32)) float32 {
	d := &v.b.data
	if d.Missing != "" || len(d.Legend) == 0 {
		return y
	}
	x := pad + 2
	for _, k := range d.Legend {
		w := fyne.MeasureText(k.Name, smallSize(), fyne.TextStyle{}).Width + 26
		if x+w > width-pad && x > pad+2 {
			x, y = pad+2, y+textHeight()+2
		}
		put(k, x, y)
		x += w
	}
	return y + textHeight() + 4
}

// swatch returns the i-th rectangle of the legend, with the colour of a slot.
func (v *barsView) swatch(i, slot int, pal *theme.Palette) *canvas.Rectangle {
	for len(v.keys) <= i {
		v.keys = append(v.keys, canvas.NewRectangle(color.Transparent))
	}
	r := v.keys[i]
	ink, striped := pal.SeriesOf(slot)
	r.StrokeColor, r.StrokeWidth = ink, 1
	if striped {
		ink.A = 0x50
	}
	r.FillColor = ink
	r.Show()
	return r
}

// MinSize implements fyne.WidgetRenderer.
func (v *barsView) MinSize() fyne.Size {
	least := 200 * scaleOfText()
	w := max(v.b.width, least)
	h, _, _, _ := v.place(w, func(string, color.Color, bool, float32, float32) {})
	return fyne.NewSize(least, v.keyRows(w, h, func(BarKey, float32, float32) {})+2)
}

// Layout implements fyne.WidgetRenderer.
func (v *barsView) Layout(size fyne.Size) {
	p := theme.Current()
	v.b.width = size.Width
	v.ground.FillColor, v.ground.StrokeColor = p.Panel, p.Line
	v.ground.Resize(size)
	v.ground.Refresh()
	setText(v.title, v.b.title, bodySize(), p.Text)
	v.title.Resize(v.title.MinSize())
	v.title.Move(fyne.NewPos(pad+2, 3))
	v.texts.begin()
	h, x, y, w := v.place(size.Width, func(s string, c color.Color, bold bool, x, y float32) {
		t := v.texts.next(s, smallSize(), c, bold)
		t.Resize(t.MinSize())
		t.Move(fyne.NewPos(x, y))
	})
	n := 0
	v.keyRows(size.Width, h, func(k BarKey, x, y float32) {
		r := v.swatch(n, k.Slot, p)
		n++
		r.Resize(fyne.NewSize(11, 9))
		r.Move(fyne.NewPos(x, y+(textHeight()-9)/2))
		t := v.texts.next(k.Name, smallSize(), p.Text, false)
		t.Resize(t.MinSize())
		t.Move(fyne.NewPos(x+15, y))
	})
	for _, r := range v.keys[n:] {
		r.Hide()
	}
	v.texts.end()
	v.min, v.max = v.b.data.span()
	v.raster.Move(fyne.NewPos(x, y))
	v.raster.Resize(fyne.NewSize(w, max(h-y-4, 1)))
	v.raster.Hidden = len(v.y) == 0
	v.mark()
	v.collect()
	v.raster.Refresh()
}

// draw paints the bars.
func (v *barsView) draw(w, h int) image.Image {
	if v.img == nil || v.to.w != w || v.to.h != h {
		v.img = image.NewRGBA(image.Rect(0, 0, w, h))
		v.to = surface{pix: v.img.Pix, stride: v.img.Stride, w: w, h: h}
	}
	pal := theme.Current()
	scale := float32(1)
	if sw := v.raster.Size().Width; sw > 0 {
		scale = float32(w) / sw
	}
	v.to.fill(pal.Panel)
	at := func(x float64) int { return int(math.Round((x - v.min) / (v.max - v.min) * float64(w-1))) }
	for i := range min(len(v.b.data.Bars), len(v.y)) {
		b := &v.b.data.Bars[i]
		// Names may stand between the bars: the ground of texts stays free.
		y0 := int(v.y[i] * scale)
		y1 := min(y0+int(barHeight()*scale), h)
		v.bar(b, at, y0, y1, pal, scale)
		v.to.vline(at(0), y0-2, y1+2, pal.Faint)
	}
	return v.img
}

func (v *barsView) bar(b *Bar, at func(float64) int, y0, y1 int, pal *theme.Palette, scale float32) {
	end := 0.0
	for _, p := range b.Parts {
		ink, striped := pal.SeriesOf(p.Slot)
		from, to := end, end+p.Value
		if b.Side {
			from, to = 0, p.Value
		}
		x0, x1 := at(min(from, to)), at(max(from, to))
		if p.Value > 0 && x1-x0 > 1 && !b.Side {
			x0++ // a hair between the parts
		}
		v.block(x0, x1, y0, y1, ink, striped || p.Value < 0 && !b.Side, pal, scale)
		end = to
	}
	if b.High > b.Low {
		mid := (y0 + y1) / 2
		x0, x1 := at(b.Low), at(b.High)
		v.to.hline(mid, x0, x1+1, pal.Text)
		v.to.vline(x0, mid-int(4*scale), mid+int(4*scale)+1, pal.Text)
		v.to.vline(x1, mid-int(4*scale), mid+int(4*scale)+1, pal.Text)
	}
}

func (v *barsView) block(x0, x1, y0, y1 int, ink color.NRGBA, striped bool, pal *theme.Palette, scale float32) {
	pitch := max(int(6*scale), 4)
	for x := max(x0, 0); x <= min(x1, v.to.w-1); x++ {
		for y := max(y0, 0); y < y1; y++ {
			if striped && (x+y)%pitch >= pitch/2 {
				v.to.blend(x, y, pal.Panel, opaque)
				v.to.blend(x, y, ink, 70)
				continue
			}
			v.to.blend(x, y, ink, opaque)
		}
	}
}

func (v *barsView) collect() {
	o := append(v.objects[:0], v.ground, v.under, v.raster, v.title)
	for _, t := range v.texts.all {
		o = append(o, t)
	}
	for _, k := range v.keys {
		o = append(o, k)
	}
	v.objects = o
}

// Objects implements fyne.WidgetRenderer.
func (v *barsView) Objects() []fyne.CanvasObject {
	if len(v.objects) == 0 {
		v.collect()
	}
	return v.objects
}

// Refresh implements fyne.WidgetRenderer.
func (v *barsView) Refresh() { v.Layout(v.b.Size()) }

// Destroy implements fyne.WidgetRenderer.
func (v *barsView) Destroy() {}
