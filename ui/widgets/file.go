package widgets

import (
	"io"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/storage"
)

// OpenFile asks for a file with one of the endings and hands it over, or why it
// can't be opened; nothing is called when the person thinks better of it.
func OpenFile(win fyne.Window, endings []string, open func(name string, r io.ReadCloser, err error)) {
	d := dialog.NewFileOpen(func(r fyne.URIReadCloser, err error) {
		if r == nil {
			if err != nil {
				open("", nil, err)
			}
			return
		}
		open(r.URI().Name(), r, err)
	}, win)
	d.SetFilter(storage.NewExtensionFileFilter(endings))
	size := win.Canvas().Size()
	d.Resize(fyne.NewSize(min(860, size.Width-60), min(600, size.Height-60)))
	d.Show()
}
