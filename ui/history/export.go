package history

import (
	"context"
	"errors"
	"image"
	"image/png"
	"strings"
	"time"
	"unicode"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/driver/software"
	"fyne.io/fyne/v2/storage"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/store"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// span is what CSV and picture are of: the marked span, else the seen one.
func (b *board) span() (from, to time.Time) {
	if from, to, ok := b.group.Selection(); ok {
		return from, to
	}
	return b.group.View()
}

// fileName suggests a name that every file system takes.
func (b *board) fileName(ext string) string {
	from, _ := b.span()
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, b.log.HostName)
	name = strings.Trim(name, "-.")
	if rs := []rune(name); len(rs) > 60 {
		name = string(rs[:60])
	}
	if name == "" {
		name = "rentgen"
	}
	return name + "-" + from.Local().Format("20060102-150405") + ext
}

// export writes the span as CSV to where the user says.
func (b *board) export() {
	if b.log == nil {
		return
	}
	log, c := *b.log, b.w.c
	from, to := b.span()
	b.askWhere(b.fileName(".csv"), ".csv", func(out File) {
		b.doing.SetText(c.T("history.csv.doing"))
		done := false
		ask(&b.exporting, func(ctx context.Context) (struct{}, error) {
			err := b.w.p.Store.ExportCSV(ctx, out, log.ID, from, to)
			if cerr := out.Close(); err == nil {
				err = cerr
			}
			if err != nil {
				out.Drop()
			}
			done = err == nil
			return struct{}{}, err
		}, func(_ struct{}, err error) {
			if err != nil && !errors.Is(err, context.Canceled) {
				b.trouble("history.fail.csv", err)
				return
			}
			if done {
				b.view.SetText(c.T("history.csv.done"))
			}
		})
	})
}

// exports shows whether an export runs. There is one at a time.
func (b *board) exports(on bool) {
	b.working.Hidden = !on
	if on {
		b.csv.Disable()
	} else {
		b.csv.Enable()
	}
	b.box.Refresh()
}

// askWhere asks for a file.
func (b *board) askWhere(name, ext string, write func(f File)) {
	if b.w.p.Ask != nil {
		b.w.p.Ask(name, write)
		return
	}
	d := dialog.NewFileSave(func(out fyne.URIWriteCloser, err error) {
		switch {
		case err != nil:
			b.trouble("history.fail.file", err)
		case out != nil:
			write(fileOf(out))
		}
	}, b.w.p.Window)
	d.SetFileName(name)
	d.SetFilter(storage.NewExtensionFileFilter([]string{ext}))
	d.Show()
}

// trouble says above the charts what went wrong.
func (b *board) trouble(key string, err error) {
	b.fail.say(b.w.c.T(key), err)
	b.fail.box.Show()
	b.box.Refresh()
}

// picture saves the charts as they are seen.
func (b *board) picture() {
	if b.log == nil {
		return
	}
	img := b.draw()
	b.askWhere(b.fileName(".png"), ".png", func(out File) {
		ask(&b.painting, func(context.Context) (struct{}, error) {
			err := png.Encode(out, img)
			if cerr := out.Close(); err == nil {
				err = cerr
			}
			if err != nil {
				out.Drop()
			}
			return struct{}{}, err
		}, func(_ struct{}, err error) {
			if err != nil {
				b.trouble("history.fail.file", err)
			}
		})
	})
}

// The saved picture, in pixels.
const (
	pictureWidth = 1280
	pictureRow   = 240
	pictureHead  = 30
)

// draw puts the charts below each other, under a line that says whose they are
// and when.
func (b *board) draw() image.Image {
	c, p := b.w.c, theme.Current()
	from, to := b.group.View()
	head := canvas.NewText(nameOf(c, b.log)+"  ·  "+spanText(c, from, to)+"  ·  "+cardsOf(c, b.log), p.Text)
	head.TextStyle.Bold = true
	head.TextSize = fynetheme.TextSize()
	box := container.NewWithoutLayout(canvas.NewRectangle(p.Ground), head)
	height := float32(pictureHead + pictureRow*len(b.rows))
	box.Objects[0].Resize(fyne.NewSize(pictureWidth, height))
	head.Move(fyne.NewPos(10, 6))
	head.Resize(head.MinSize())
	for i, r := range b.rows {
		r.chart.SetTitle(r.pick.Selected)
		r.chart.SetValue(r.value.Text)
		img := canvas.NewImageFromImage(r.chart.Image(pictureWidth-16, pictureRow-8))
		r.chart.SetTitle("")
		r.chart.SetValue("")
		img.Move(fyne.NewPos(8, float32(pictureHead+pictureRow*i)))
		img.Resize(fyne.NewSize(pictureWidth-16, pictureRow-8))
		box.Add(img)
	}
	cv := software.NewCanvas()
	cv.SetPadded(false)
	cv.SetContent(box)
	cv.Resize(fyne.NewSize(pictureWidth, height))
	return cv.Capture()
}

// askDelete asks before a log goes for good.
func (b *board) askDelete() {
	if b.log == nil || b.log.Open {
		return
	}
	c, log := b.w.c, *b.log
	var panel *widgets.Panel
	no := widgets.NewButton(c.T("history.delete.no"), nil, func() { panel.Cancel() })
	yes := widgets.NewButton(c.T("history.delete.yes"), theme.Icon("delete"), func() {
		panel.Close()
		b.delete(log)
	})
	yes.Importance = widget.DangerImportance
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: b.w.p.Window.Canvas(), Title: c.T("history.delete.title"),
		Content: widgets.Words(c.T("history.delete.words", "name", log.HostName, "span", spanOf(c, &log))),
		Buttons: []fyne.CanvasObject{no, yes}, First: no,
	})
	panel.Show()
}

func (b *board) delete(log store.Recording) {
	ask(&b.deleting, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, b.w.p.Store.DeleteRecording(ctx, log.ID)
	}, func(_ struct{}, err error) {
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			b.trouble("history.fail.delete", err)
			return
		}
		b.w.load()
	})
}
