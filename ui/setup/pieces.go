package setup

import (
	"errors"
	"fmt"
	"io"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// Heading is the name of a part of a page.
func Heading(text string) *widget.Label { return heading(text) }

// Aside is text of less weight.
func Aside(text string) *widget.Label {
	l := widgets.Words(text)
	l.Importance = widget.LowImportance
	return l
}

// OnLine keeps an object in the middle of the first line of the text beside it.
func OnLine(o fyne.CanvasObject) fyne.CanvasObject { return container.New(firstLine{}, o) }

// Sign is the shape of a verdict, on the first line of the text beside it.
func Sign(v theme.Verdict) fyne.CanvasObject { return icon(v.Icon()) }

// Signed stands behind the shape of its verdict.
func Signed(v theme.Verdict, o fyne.CanvasObject) fyne.CanvasObject {
	return container.NewBorder(nil, nil, Sign(v), nil, o)
}

// Verdict is a verdict as the theme draws it.
func Verdict(v guide.Verdict) theme.Verdict { return verdictOf(v) }

// Found is a finding: what is so, and what to do about it.
func Found(c *texts.Catalogue, f guide.Finding) fyne.CanvasObject {
	lines := []fyne.CanvasObject{widgets.Words(c.Say(f.Says))}
	if !f.Do.IsZero() {
		lines = append(lines, Aside(c.Say(f.Do)))
	}
	return Signed(verdictOf(f.Verdict), tightly(lines...))
}

// Show shows an object or not, and reports whether that is another than before.
func Show(o fyne.CanvasObject, on bool) bool { return widgets.SetShown(o, on) }

// AskFile asks for a file with one of the endings and hands it over, or why it
// can't be opened.
type AskFile func(endings []string, open func(name string, r io.ReadCloser, err error))

// ErrLong says that a file is longer than may be read.
var ErrLong = errors.New("the file is too long")

// Read asks for a file and hands over what is in it. A longer one than most bytes
// is not read. What goes wrong is said above the page. ask shows the dialog, nil
// that of the system.
func (h *Here) Read(ask AskFile, endings []string, most int64, then func(name string, b []byte)) {
	if ask == nil {
		ask = func(endings []string, open func(string, io.ReadCloser, error)) {
			widgets.OpenFile(h.Window, endings, open)
		}
	}
	ask(endings, func(name string, r io.ReadCloser, err error) {
		if err != nil {
			h.Say(guide.Warn, h.Texts.T("setup.task.unread", "name", name), err.Error())
			return
		}
		h.Go(func() {
			b, err := io.ReadAll(io.LimitReader(r, most+1))
			if cerr := r.Close(); err == nil {
				err = cerr
			}
			if err == nil && int64(len(b)) > most {
				err = fmt.Errorf("%w: over %d bytes", ErrLong, most)
			}
			h.Do(func() {
				if err != nil {
					h.Say(guide.Warn, h.Texts.T("setup.task.unread", "name", name), err.Error())
					return
				}
				then(name, b)
			})
		})
	})
}

// Line is a text of one line that ends with "…" where there is no room.
func Line(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.Truncation = fyne.TextTruncateEllipsis
	return l
}

// Columns lays its objects side by side at these widths, for text of the usual
// size; a width of 0 takes what is left.
type Columns []float32

// least is the width of what takes the rest.
const least = 160

// MinSize implements fyne.Layout.
func (w Columns) MinSize(o []fyne.CanvasObject) fyne.Size {
	var size fyne.Size
	for i, x := range o {
		width := w[i]
		if width == 0 {
			width = least
		}
		size.Width += widgets.Scaled(width)
		size.Height = max(size.Height, x.MinSize().Height)
	}
	return size
}

// Layout implements fyne.Layout.
func (w Columns) Layout(o []fyne.CanvasObject, size fyne.Size) {
	left := size.Width
	for _, width := range w {
		left -= widgets.Scaled(width)
	}
	x := float32(0)
	for i, obj := range o {
		width := widgets.Scaled(w[i])
		if w[i] == 0 {
			width = left
		}
		obj.Move(fyne.NewPos(x, 0))
		obj.Resize(fyne.NewSize(width, size.Height))
		x += width
	}
}

// Path is a path in one line. Where there is no room its beginning is left out: the
// end tells more.
func Path(text string) fyne.CanvasObject {
	l := widget.NewLabel(text)
	l.TextStyle.Monospace = true
	l.SizeName = fynetheme.SizeNameCaptionText
	return container.New(&ending{text: text, label: l}, l)
}

// ending lays out a label that shows the end of its text.
type ending struct {
	text  string
	label *widget.Label
}

// MinSize implements fyne.Layout.
func (e *ending) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(widgets.Scaled(40), e.label.MinSize().Height)
}

// Layout implements fyne.Layout.
func (e *ending) Layout(o []fyne.CanvasObject, size fyne.Size) {
	room := size.Width - 2*fynetheme.InnerPadding()
	wide := func(s string) bool {
		return fyne.MeasureText(s, fynetheme.Size(e.label.SizeName), e.label.TextStyle).Width > room
	}
	shown := e.text
	if wide(shown) {
		rs := []rune(e.text)
		for shown = "…" + string(rs); len(rs) > 1 && wide(shown); shown = "…" + string(rs) {
			rs = rs[1:]
		}
	}
	widgets.SetText(e.label, shown)
	o[0].Resize(size)
	o[0].Move(fyne.NewPos(0, 0))
}
