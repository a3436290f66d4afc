package chart

import (
	"image"

	"fyne.io/fyne/v2/canvas"

	"rentgen/ui/theme"
)

// frame is the picture of a chart or spark: what it is drawn from, the buffer,
// and the raster that shows it.
type frame struct {
	snap   snapshot
	plot   plotter
	raster *canvas.Raster
	drawn  bool // the buffer holds snap
}

func (f *frame) open() {
	f.raster = canvas.NewRaster(f.generate)
	f.raster.ScaleMode = canvas.ImageScalePixels
}

// generate is the raster's generator: it draws from the snapshot and nothing
// else, and only when that has changed.
func (f *frame) generate(w, h int) image.Image {
	if f.drawn && f.plot.img != nil && f.plot.w == w && f.plot.h == h {
		return f.plot.img
	}
	if f.snap.palette == nil {
		f.snap.palette = theme.Current()
	}
	scale := float32(1)
	if sw := f.raster.Size().Width; sw > 0 {
		scale = float32(w) / sw
	}
	f.drawn = true
	return f.plot.draw(&f.snap, w, h, scale)
}
