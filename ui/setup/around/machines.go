package around

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/fleet"
	"rentgen/app/guide/report"
	"rentgen/assets/texts"
	"rentgen/ui/setup"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// many are the machines of the list and the table of what they are; UI thread.
type many struct {
	task     setup.Task
	text     string
	machines []fleet.Machine
	wrong    fleet.Errors
	table    fleet.Table
	logins   map[string]fleet.Machine // of the rows that were checked, by name
	open     int                      // row that is unfolded, -1 for none
	lang     texts.Lang               // of the table
	seen     *machines
	change   int // of which rows there are
}

func (m *many) update() {
	m.change++
	if m.seen != nil {
		m.seen.Sync()
	}
}

// came brings one row up to date: of hundreds only that one is drawn.
func (m *many) came(i int) {
	m.change++
	w := m.seen
	if w == nil {
		return
	}
	if len(w.rows) != len(m.table) {
		w.Sync()
		return
	}
	w.drawn = m.change
	w.rows[i].set(m.table[i])
	w.drawSentence()
}

// parse reads the list as it is typed.
func (m *many) parse(b []byte, p Params) {
	m.machines, m.wrong = nil, nil
	if len(bytes.TrimSpace(b)) == 0 {
		return
	}
	list, err := fleet.Parse(b, p.Usable)
	m.machines = list
	if err != nil && !errors.As(err, &m.wrong) {
		m.task.Fail(err.Error())
	}
}

// speak says again what was found, in the language of now; a saved report keeps
// its own.
func (m *many) speak(p Params, c *texts.Catalogue) {
	for i, x := range m.table {
		switch {
		case x.Err != nil && p.Say != nil:
			m.table[i].Fault = p.Say(c, x.Err)
		case x.Report != nil && p.Again != nil:
			login, ok := m.logins[x.Name]
			if !ok {
				continue
			}
			if r := p.Again(login, c.Lang); r != nil {
				r.Host.Name = x.Name
				m.table[i] = fleet.Of(r)
			}
		}
	}
	m.change++
}

// machines is the page "Many machines".
type machines struct {
	p    Params
	h    *setup.Here
	m    *many
	root *container.Scroll

	list                          *widgets.Entry
	check, stop, file, reports    *widgets.Button
	copied, csv                   *widgets.Button
	state                         *widget.Label
	errs, sentence, head, rowsBox *fyne.Container
	rows                          []*row
	drawn                         int
	drawnErrs                     string
	drawnSentence                 string
}

func newMachines(p Params, h *setup.Here, m *many) *machines {
	c := h.Texts
	if m.lang != "" && m.lang != c.Lang {
		m.speak(p, c)
	}
	m.lang = c.Lang
	w := &machines{
		p: p, h: h, m: m, drawn: -1, list: widgets.NewArea(), state: widgets.Words(""),
		errs: container.NewVBox(), sentence: container.NewStack(), head: container.NewVBox(), rowsBox: container.NewVBox(),
	}
	m.task.Changed = m.update
	w.list.SetPlaceHolder(c.T("around.machines.form"))
	w.list.SetMinRowsVisible(5)
	w.list.SetText(m.text)
	w.list.OnChanged = func(text string) {
		m.text = text
		m.parse([]byte(text), p)
		w.Sync()
	}
	w.check = widgets.Primary("", theme.Icon("play"), w.run)
	w.stop = widgets.NewButton(c.T("around.stop"), fynetheme.MediaStopIcon(), m.task.Stop)
	w.file = widgets.NewButton(c.T("around.machines.file"), fynetheme.FolderOpenIcon(), w.openList)
	w.reports = widgets.NewButton(c.T("around.machines.reports"), fynetheme.FolderOpenIcon(), w.openReport)
	w.copied = widgets.NewButton(c.T("around.machines.copy"), theme.Icon("copy"), func() {
		h.Copy(m.table.Markdown(c))
		h.Say(guide.Pass, c.T("setup.copied"), "")
	})
	w.csv = widgets.NewButton(c.T("around.machines.csv"), fynetheme.DocumentSaveIcon(), w.saveCSV)
	w.head.Add(container.New(rowColumns, widgets.Small(""), widgets.Small(c.T("fleet.col.name")), widgets.Small(c.T("fleet.col.verdict")),
		widgets.Small(c.T("fleet.col.first")), widgets.Small(c.T("fleet.col.card"))))
	w.head.Add(widgets.Rule())
	w.root = container.NewVScroll(widgets.Inset(6, container.NewVBox(
		widgets.Words(c.T("around.machines.why")), w.list,
		widgets.Row(w.check, w.stop, w.file, w.reports), w.state, w.errs,
		w.sentence, w.head, w.rowsBox, widgets.Row(w.copied, w.csv),
	)))
	return w
}

// Content is the page.
func (w *machines) Content() fyne.CanvasObject { return w.root }

// Leave says that it isn't seen any more; a run goes on.
func (w *machines) Leave() {
	if w.m.seen == w {
		w.m.seen = nil
	}
}

// Sync brings the page up to date.
func (w *machines) Sync() {
	w.m.seen = w
	c, busy := w.h.Texts, w.m.task.Busy()
	name := c.T("around.machines.check", "n", len(w.m.machines))
	if w.check.Text != name {
		w.check.SetText(name)
	}
	widgets.Able(w.check, len(w.m.machines) > 0 && !busy && w.p.Check != nil)
	widgets.Able(w.stop, busy)
	widgets.Able(w.file, !busy)
	widgets.Able(w.reports, !busy)
	widgets.Able(w.copied, len(w.m.table) > 0)
	widgets.Able(w.csv, len(w.m.table) > 0)
	idle := ""
	if len(w.m.table) == 0 && len(w.m.machines) == 0 {
		idle = c.T("around.machines.empty")
	}
	w.m.task.Show(w.state, idle)
	w.drawErrors()
	if w.drawn != w.m.change {
		w.drawn = w.m.change
		w.draw()
	}
	w.root.Refresh()
}

// mostErrors are listed; the rest is counted.
const mostErrors = 12

// drawErrors shows what is wrong with the list, line by line.
func (w *machines) drawErrors() {
	c := w.h.Texts
	var lines []string
	for _, p := range w.m.wrong.Phrases() {
		lines = append(lines, c.Say(p))
	}
	n := len(lines)
	if n > mostErrors {
		lines = append(lines[:mostErrors], c.T("around.machines.errors.more", "n", n-mostErrors))
	}
	text := strings.Join(lines, "\n")
	if text == w.drawnErrs {
		return
	}
	w.drawnErrs = text
	w.errs.Objects = nil
	for _, l := range lines {
		w.errs.Add(setup.Signed(theme.Warn, widgets.Words(l)))
	}
	w.errs.Refresh()
}

// draw makes the rows anew where there are others, and brings them up to date.
func (w *machines) draw() {
	table := w.m.table
	if len(w.rows) != len(table) {
		w.rows, w.rowsBox.Objects = nil, nil
		for i := range table {
			r := newRow(w, i)
			w.rows = append(w.rows, r)
			w.rowsBox.Objects = append(w.rowsBox.Objects, r.box)
		}
		w.rowsBox.Refresh()
	}
	setup.Show(w.head, len(table) > 0)
	for i, r := range w.rows {
		r.set(table[i])
	}
	w.drawSentence()
}

// drawSentence says how many machines are ready, or how many were checked so far.
func (w *machines) drawSentence() {
	c, table := w.h.Texts, w.m.table
	text := ""
	if len(table) > 0 {
		text = c.Say(table.Sentence())
		if w.m.task.Busy() {
			done := 0
			for _, r := range table {
				if r.State != fleet.Waiting && r.State != fleet.Checking {
					done++
				}
			}
			text = c.T("around.machines.progress", "done", done, "of", len(table))
		}
	}
	if v := setup.Verdict(table.Verdict()); text+string(v) != w.drawnSentence {
		w.drawnSentence = text + string(v)
		w.sentence.Objects = nil
		if text != "" {
			w.sentence.Objects = []fyne.CanvasObject{setup.Signed(v, setup.Heading(text))}
		}
		w.sentence.Refresh()
	}
}

// run checks every machine of the list.
func (w *machines) run() {
	h, m, p := w.h, w.m, w.p
	c, list := h.Texts, slices.Clone(m.machines)
	m.table, m.logins, m.open = nil, make(map[string]fleet.Machine), -1
	for _, x := range list {
		m.table = append(m.table, fleet.Row{Name: x.Name, State: fleet.Waiting})
		m.logins[x.Name] = x
	}
	m.task.Start(h, c.T("around.machines.checking"), setup.Failed(c), func(ctx context.Context) (func(), error) {
		table := fleet.Check(ctx, fleet.Params{
			Machines: list,
			Check: func(ctx context.Context, x fleet.Machine) (*report.Report, error) {
				r, err := p.Check(ctx, x, c.Lang)
				if err == nil {
					r.Host.Name = x.Name
				}
				return r, err
			},
			Say: func(err error) string { return p.Say(c, err) },
			Changed: func(i int, r fleet.Row) {
				h.Do(func() {
					if m.task.Busy() && i < len(m.table) {
						m.table[i] = r
						m.came(i)
					}
				})
			},
		})
		return func() { m.table = table }, ctx.Err()
	})
}

// openList takes a list out of a file.
func (w *machines) openList() {
	w.h.Read(w.p.Ask, []string{".csv", ".txt", ".tsv"}, fleet.MaxList, func(_ string, b []byte) {
		m := w.m
		m.parse(b, w.p)
		machines, wrong := m.machines, m.wrong
		text := guide.Clean(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), fleet.MaxList)
		if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) { // text of another width
			var lines []string
			for _, x := range machines {
				lines = append(lines, x.Name+"\t"+x.Line)
			}
			text = strings.Join(lines, "\n")
		}
		w.list.SetText(text) // parses it again
		m.machines, m.wrong = machines, wrong
		m.update()
	})
}

// openReport puts a saved report, or a table of them, beside what is there.
func (w *machines) openReport() {
	w.h.Read(w.p.Ask, []string{".json"}, report.MaxFile, func(name string, b []byte) {
		more, err := fleet.Read(bytes.NewReader(b))
		if err != nil {
			w.h.Say(guide.Warn, w.h.Texts.T("around.machines.noreport", "name", name), err.Error())
			return
		}
		m := w.m
		for _, r := range more {
			if r.Name == "" {
				r.Name = name
			}
			// A later report of the same machine takes the place of the one before.
			i := slices.IndexFunc(m.table, func(o fleet.Row) bool { return o.Name == r.Name })
			if i < 0 {
				m.table = append(m.table, r)
			} else {
				m.table[i] = r
			}
		}
		m.update()
	})
}

func (w *machines) saveCSV() {
	b, err := w.m.table.CSV(w.h.Texts)
	if err != nil {
		w.h.Say(guide.Warn, w.h.Texts.T("setup.task.failed", "err", err), "")
		return
	}
	w.h.Save(w.h.Texts.T("around.machines.name")+".csv", b)
}

// loginOf is the machine behind a row, false where none can be reached: of a
// report that somebody else saved.
func (w *machines) loginOf(name string) (fleet.Machine, bool) {
	if m, ok := w.m.logins[name]; ok {
		return m, true
	}
	return fleet.Machine{Name: name, Line: name}, w.p.Known != nil && w.p.Known(name)
}

func (w *machines) choose(m fleet.Machine) {
	if err := w.p.Choose(m); err != nil {
		w.h.Say(guide.Warn, w.h.Texts.T("around.machines.unchosen", "name", m.Name), err.Error())
	}
}
