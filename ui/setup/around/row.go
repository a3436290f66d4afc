package around

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide/fleet"
	"rentgen/ui/setup"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// row is a machine of the table: one line, and more below it when it is pressed.
type row struct {
	w   *machines
	at  int
	box *fyne.Container

	tap                     *widgets.Tap
	icon                    *widget.Icon
	name, word, first, card *widget.Label
	more                    *fyne.Container
	shown                   fleet.Row
	unfolded                bool
}

func newRow(w *machines, at int) *row {
	r := &row{w: w, at: at, icon: widget.NewIcon(theme.NotRun.Icon()), more: container.NewVBox()}
	r.name, r.word, r.first, r.card = setup.Line(""), setup.Line(""), setup.Line(""), setup.Line("")
	r.tap = widgets.NewTap(container.New(rowColumns, setup.OnLine(r.icon), r.name, r.word, r.first, r.card), func() {
		if w.m.open == at {
			w.m.open = -1
		} else {
			w.m.open = at
		}
		w.m.update()
	})
	r.more.Hide()
	r.box = container.NewVBox(r.tap, r.more)
	return r
}

// set brings the row up to date where it shows something else.
func (r *row) set(x fleet.Row) {
	c := r.w.h.Texts
	unfold := r.w.m.open == r.at
	r.tap.SetChosen(unfold)
	same := x.Name == r.shown.Name && x.State == r.shown.State && x.Report == r.shown.Report && x.Fault == r.shown.Fault
	if !same || r.name.Text == "" {
		r.shown = x
		r.icon.SetResource(shape(x).Icon())
		widgets.SetText(r.name, x.Name)
		widgets.SetText(r.word, fleet.Word(c, x))
		widgets.SetText(r.first, strings.ReplaceAll(firstOf(x.Fault, x.First, x.Sentence), "\n", " "))
		card := ""
		if x.Report != nil {
			card = strings.Join(x.Report.Host.Cards, " + ")
		}
		widgets.SetText(r.card, card)
		r.unfolded = false
	}
	if unfold && !r.unfolded {
		r.unfolded = true
		r.more.Objects = []fyne.CanvasObject{widgets.Card(6, r.details(x))}
		r.more.Refresh()
	}
	setup.Show(r.more, unfold)
}

// details say what to do, and lead to the machine.
func (r *row) details(x fleet.Row) fyne.CanvasObject {
	c := r.w.h.Texts
	col := container.NewVBox()
	for _, text := range []string{x.Fault, x.Sentence, x.First} {
		if text != "" {
			col.Add(widgets.Words(text))
		}
	}
	if x.Do != "" {
		col.Add(setup.Aside(x.Do))
	}
	if x.Report != nil {
		if marks := fleet.Marks(c, x.Report); marks != "" {
			col.Add(setup.Aside(marks))
		}
	}
	m, ok := r.w.loginOf(x.Name)
	lead := widgets.NewButton(c.T("around.machines.choose"), nil, func() { r.w.choose(m) })
	widgets.Able(lead, ok && r.w.p.Choose != nil)
	col.Add(widgets.Row(lead))
	if !ok {
		col.Add(setup.Aside(c.T("around.machines.nologin")))
	}
	return col
}

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// shape is the drawn shape of a row.
func shape(x fleet.Row) theme.Verdict {
	switch x.State {
	case fleet.Done:
		return setup.Verdict(x.Verdict)
	case fleet.Failed:
		return theme.Warn
	case fleet.Stopped:
		return theme.Skip
	}
	return theme.NotRun
}

// rowColumns are shape, name, verdict, what to see to first, and card.
var rowColumns = setup.Columns{24, 170, 160, 0, 170}
