package history

import (
	"context"
	"io"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/storage"
)

// askFile asks for a file of readings and takes it in as a log.
func (w *Place) askFile() {
	if w.p.Import == nil {
		return
	}
	if w.p.AskFile != nil {
		w.p.AskFile(w.bring)
		return
	}
	d := dialog.NewFileOpen(func(in fyne.URIReadCloser, err error) {
		switch {
		case err != nil:
			w.unread(err)
		case in != nil:
			w.bring(in.URI().Name(), in)
		}
	}, w.p.Window)
	d.SetFilter(storage.NewExtensionFileFilter([]string{".csv", ".txt", ".log"}))
	d.Show()
}

// Drop takes a file in that was dropped on the window.
func (w *Place) Drop(u fyne.URI) {
	if w.p.Import == nil {
		return
	}
	in, err := storage.Reader(u)
	if err != nil {
		w.unread(err)
		return
	}
	w.bring(u.Name(), in)
}

// bring reads the file off the UI thread and opens the log that it became.
func (w *Place) bring(name string, in io.ReadCloser) {
	w.bringing.onBusy = func(on bool) {
		if on {
			w.sum.SetText(w.c.T("history.import.doing", "name", name))
		}
	}
	ask(&w.bringing, func(ctx context.Context) (int64, error) {
		defer in.Close()
		return w.p.Import(ctx, name, in)
	}, func(id int64, err error) {
		if err != nil {
			w.unread(err)
			return
		}
		w.wanted = id
		w.load()
	})
}

// unread says why a file could not be taken in; the logs stay.
func (w *Place) unread(err error) {
	w.fail.say(w.c.T("history.fail.import"), err)
	w.fail.box.Show()
	if w.known {
		w.show(w.logs)
		w.fail.box.Show()
	}
	w.root.Refresh()
}
