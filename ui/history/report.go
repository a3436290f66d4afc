package history

import (
	"context"
	"errors"
	"image/png"
	"io"
	"strings"

	"fyne.io/fyne/v2/storage"

	"fyne.io/fyne/v2"
)

// File is where something is written to.
type File struct {
	io.WriteCloser
	// Drop removes what was written so far: half a file says nothing true.
	Drop func()
	// Beside opens a file of that name in the same folder; nil where there is none.
	Beside func(name string) (io.WriteCloser, error)
}

// fileOf is a file that a person chose.
func fileOf(out fyne.URIWriteCloser) File {
	uri := out.URI()
	return File{
		WriteCloser: out,
		Drop:        func() { _ = storage.Delete(uri) },
		Beside: func(name string) (io.WriteCloser, error) {
			folder, err := storage.Parent(uri)
			if err != nil {
				return nil, err
			}
			at, err := storage.Child(folder, name)
			if err != nil {
				return nil, err
			}
			return storage.Writer(at)
		},
	}
}

// report writes what was found in the span, and the charts as a picture beside
// it.
func (b *board) report() {
	if b.log == nil || b.w.p.Report == nil {
		return
	}
	log := *b.log
	from, to := b.span()
	name := b.fileName(".md")
	picture := strings.TrimSuffix(name, ".md") + ".png"
	img := b.draw()
	b.askWhere(name, ".md", func(f File) {
		ask(&b.reporting, func(ctx context.Context) (struct{}, error) {
			shown := ""
			var err error
			if f.Beside != nil {
				var out io.WriteCloser
				if out, err = f.Beside(picture); err == nil {
					shown = picture
					err = errors.Join(png.Encode(out, img), out.Close())
				}
			}
			if err == nil {
				err = b.w.p.Report(ctx, f, log, from, to, shown)
			}
			if err = errors.Join(err, f.Close()); err != nil {
				f.Drop()
			}
			return struct{}{}, err
		}, func(_ struct{}, err error) {
			if err != nil {
				b.trouble("history.fail.report", err)
				return
			}
			b.view.SetText(b.w.c.T("history.report.done"))
		})
	})
}
