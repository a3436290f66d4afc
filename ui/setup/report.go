package setup

import (
	"context"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// report is the page that shows, copies and saves the report of an instance.
type report struct {
	w       *Place
	h       *Here
	redact  *widgets.Check
	saves   map[Format]*widgets.Button
	copied  *widgets.Button
	paper   *paper
	busy    *widget.Label
	box     fyne.CanvasObject
	asked   int // counts what was asked for, so that an older answer is dropped
	written []byte
}

func (w *Place) makeReport(h *Here) Body {
	c := h.Texts
	r := &report{w: w, h: h, saves: make(map[Format]*widgets.Button), paper: newPaper(), busy: widgets.Small("")}
	r.redact = widgets.NewCheck(c.T("setup.report.redact"), func(bool) { r.ask() })
	r.redact.Checked = true
	what := widgets.Words(c.T("setup.report.what"))
	what.Importance = widget.LowImportance
	r.copied = widgets.Primary(c.T("setup.report.copy"), theme.Icon("copy"), func() {
		h.Copy(string(r.written))
		h.Say(guide.Pass, c.T("setup.copied"), "")
	})
	row := widgets.Row(r.copied)
	for _, f := range []Format{Markdown, HTML, JSON, PNG} {
		b := widgets.NewButton(c.T("setup.report.save", "format", strings.ToUpper(string(f))), fynetheme.DocumentSaveIcon(), func() { r.save(f) })
		r.saves[f] = b
		row.Add(b)
	}
	r.box = container.NewBorder(container.NewVBox(what, r.redact, container.NewHBox(row, r.busy)), nil, nil, nil, widgets.Card(4, r.paper.box))
	return r
}

// Content implements Body.
func (r *report) Content() fyne.CanvasObject { return r.box }

// Sync implements Body.
func (r *report) Sync() { r.ask() }

// Leave implements Body: what is still being written is not waited for.
func (r *report) Leave() { r.asked++ }

// write makes the report off the UI thread and hands it to then.
func (r *report) write(f Format, then func(b []byte)) {
	w, c, host, redact := r.w, r.h.Texts, r.w.host.ID, r.redact.Checked
	w.p.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		b, err := w.p.Report(ctx, host, f, c.Lang, redact)
		w.p.Do(func() {
			if err != nil {
				r.h.Say(guide.Fail, c.T("setup.report.failed"), err.Error())
				return
			}
			then(b)
		})
	})
}

// ask brings the preview up to date.
func (r *report) ask() {
	r.asked++
	n := r.asked
	r.write(Markdown, func(b []byte) {
		if n != r.asked {
			return
		}
		r.written = b
		widgets.Able(r.copied, len(b) > 0)
		lines := strings.Split(guide.Clean(b, 0), "\n")
		if len(lines) > reportLines {
			lines = append(lines[:reportLines], "…")
		}
		r.paper.set(strings.Join(lines, "\n"))
	})
}

// reportLines are previewed; all are copied and saved.
const reportLines = 400

func (r *report) save(f Format) {
	r.busy.SetText(r.h.Texts.T("setup.report.writing"))
	r.write(f, func(b []byte) {
		r.busy.SetText("")
		r.h.Save(r.h.Texts.T("setup.report.file")+"."+string(f), b)
	})
}
