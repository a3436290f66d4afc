package bill

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/storage"

	"rentgen/app/advice"
	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// mostFile is the largest file of offers that is read, in bytes.
const mostFile = 8 << 20

// markdown is the whole bill.
func (w *Place) markdown() string {
	var ch *sheet.Chance
	if w.chances {
		ch, _, _ = w.p.Desk.Chance()
	}
	return sheet.Markdown(w.c, w.good.Sheet, ch) + advice.PitfallsMarkdown(w.c, w.good.Sheet)
}

func (w *Place) copyBill() {
	fyne.CurrentApp().Clipboard().SetContent(w.markdown())
	w.notice.say(theme.Pass, w.c.T("billpage.copied.bill"), "", "", nil)
}

func (w *Place) saveBill() { w.write(".md", []byte(w.markdown())) }

// exportOffers writes all offers of the plan.
func (w *Place) exportOffers(ext string) {
	offers := w.p.Desk.Plan().Offers
	write := offer.WriteYAML
	if ext == ".csv" {
		write = offer.WriteCSV
	}
	b, err := write(offers)
	if err != nil {
		w.faults(w.c.T("billpage.export.faults"), err)
		return
	}
	w.write(ext, b)
}

// write asks where to write and writes there, off the UI thread. Half a file
// is taken away again.
func (w *Place) write(ext string, b []byte) {
	w.askWhere(ext, func(out io.Writer) error {
		_, err := out.Write(b)
		return err
	})
}

func (w *Place) askWhere(ext string, fill func(out io.Writer) error) {
	name := fileName(w.p.Desk.Name()) + ext
	write := func(out io.WriteCloser, drop func()) {
		w.p.Go(func() {
			err := fill(out)
			if cerr := out.Close(); err == nil {
				err = cerr
			}
			if err != nil {
				drop()
			}
			w.p.Do(func() {
				if err != nil {
					w.notice.say(theme.Fail, w.c.T("billpage.unwritten"), err.Error(), "", nil)
					return
				}
				w.notice.say(theme.Pass, w.c.T("billpage.written"), "", "", nil)
			})
		})
	}
	if w.p.Ask != nil {
		w.p.Ask(name, write)
		return
	}
	d := dialog.NewFileSave(func(out fyne.URIWriteCloser, err error) {
		switch {
		case err != nil:
			w.notice.say(theme.Fail, w.c.T("billpage.unwritten"), err.Error(), "", nil)
		case out != nil:
			write(out, func() { _ = storage.Delete(out.URI()) })
		}
	}, w.p.Window)
	d.SetFileName(name)
	d.SetFilter(storage.NewExtensionFileFilter([]string{ext}))
	d.Show()
}

// fileName makes a name that every file system takes.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name)
	name = strings.Trim(name, "-")
	if rs := []rune(name); len(rs) > 60 {
		name = string(rs[:60])
	}
	if name == "" {
		return "rentgen"
	}
	return name
}

// importOffers asks for a file of offers and takes all of them, or none.
func (w *Place) importOffers() {
	exts := []string{".yaml", ".yml", ".csv"}
	open := func(name string, r io.ReadCloser, err error) {
		switch {
		case err != nil:
			w.notice.say(theme.Fail, w.c.T("billpage.unread", "name", name), err.Error(), "", nil)
		case r != nil:
			w.read(name, r)
		}
	}
	if w.p.Pick != nil {
		w.p.Pick(exts, open)
		return
	}
	widgets.OpenFile(w.p.Window, exts, open)
}

// read reads a file off the UI thread.
func (w *Place) read(name string, r io.ReadCloser) {
	plan := w.p.Desk.ID()
	w.p.Go(func() {
		offers, err := readOffers(name, r)
		w.p.Do(func() {
			if err != nil {
				w.faults(w.c.T("billpage.unread", "name", name), err)
				return
			}
			w.p.Desk.Open(plan)
			w.offers(func(all []offer.Offer) []offer.Offer {
				for _, o := range offers {
					o.Name = free(all, o.Name)
					all = append(all, o)
				}
				return all
			})
			w.notice.say(theme.Pass, w.c.T("billpage.read", "n", len(offers), "name", name), "", w.c.T("billpage.undo"), w.p.Desk.Undo)
		})
	})
}

func readOffers(name string, r io.ReadCloser) ([]offer.Offer, error) {
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, mostFile+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if strings.EqualFold(filepath.Ext(name), ".csv") {
		return offer.ReadCSV(b)
	}
	return offer.ReadYAML(b)
}

// faults lists at the side what is wrong with a file, by line and column.
func (w *Place) faults(title string, err error) {
	var all []*offer.InputError
	if all = offer.Inputs(err); len(all) == 0 {
		w.notice.say(theme.Fail, title, err.Error(), "", nil)
		return
	}
	col := container.NewVBox()
	fill := func() bool {
		col.Objects = []fyne.CanvasObject{noted(theme.Fail, w.c.T("billpage.faults.none"))}
		for i, e := range all {
			if i == mostFaults {
				col.Add(quiet(w.c.T("billpage.faults.more", "n", len(all)-mostFaults)))
				break
			}
			col.Add(widgets.Rule())
			col.Add(words(w.c.Say(e.Phrase())))
		}
		col.Add(buttons(widgets.NewButton(w.c.T("billpage.faults.copy"), theme.Icon("copy"), func() {
			lines := make([]string, len(all))
			for i, e := range all {
				lines[i] = w.c.Say(e.Phrase())
			}
			fyne.CurrentApp().Clipboard().SetContent(strings.Join(lines, "\n"))
		})))
		return true
	}
	fill()
	w.side.open(title, -1, col, nil, func() { w.faults(title, err) }, func() bool { return true })
}

const mostFaults = 40
