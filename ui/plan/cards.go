package plan

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/workload"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// cards are the cards of the catalogue by whether the job runs on them.
type cards struct {
	w      *Place
	box    *fyne.Container
	groups []*cardGroup
	hint   *widget.Label
	chips  map[string]*chip
	last   *chip // the one that the hint speaks of
}

type cardGroup struct {
	fit   workload.Fit
	box   *fyne.Container
	title *widget.Label
	chips *fyne.Container
}

// verdictWidth is the width of the names of answers.
const verdictWidth = 158

// verdictOf is the shape of an answer.
func verdictOf(f workload.Fit) theme.Verdict {
	switch f {
	case workload.Fits:
		return theme.Pass
	case workload.Tight:
		return theme.Warn
	case workload.Offload:
		return theme.Stale
	}
	return theme.Fail
}

func newCards(w *Place) *cards {
	k := &cards{w: w, chips: make(map[string]*chip), hint: widgets.Words(w.c.T("plan.cards.hint"))}
	col := []fyne.CanvasObject{}
	for _, f := range []workload.Fit{workload.Fits, workload.Tight, workload.Offload, workload.No} {
		g := &cardGroup{fit: f, title: widget.NewLabel("")}
		g.chips = container.New(widgets.NewFlow(1, func() float32 { return w.answer.inner() - widgets.Scaled(verdictWidth) - 4 }))
		head := container.New(&fixed{widgets.Scaled(verdictWidth)},
			container.NewVBox(container.NewHBox(widget.NewIcon(verdictOf(f).Icon()), g.title)))
		g.box = container.NewBorder(nil, nil, head, nil, g.chips)
		k.groups = append(k.groups, g)
		col = append(col, g.box)
	}
	col = append(col, k.hint)
	k.box = section(heading(w.c.T("plan.cards")), col...)
	return k
}

func (k *cards) sync(f workload.Answer) {
	chosen, changed := k.w.chosenCard(), false
	for _, g := range k.groups {
		var in []fyne.CanvasObject
		for i := range f.Cards {
			a := &f.Cards[i]
			if a.Fit != g.fit {
				continue
			}
			ch := k.chips[a.Card.Name]
			if ch == nil {
				ch = newChip(k, a.Card.Name)
				k.chips[a.Card.Name] = ch
			}
			ch.answer = *a
			ch.SetChosen(a.Card.Name == chosen)
			in = append(in, ch.Tap)
		}
		widgets.SetText(g.title, k.w.c.T("plan.fit."+string(g.fit), "n", len(in)))
		if none := len(in) == 0; g.box.Hidden != none {
			g.box.Hidden = none
			changed = true
		}
		if !slices.Equal(g.chips.Objects, in) {
			g.chips.Objects = in
			g.chips.Refresh()
		}
	}
	if k.last != nil {
		k.explain(k.last)
	}
	if changed {
		k.box.Refresh()
	}
}

// explain says of a card what it has and what the job takes there.
func (k *cards) explain(ch *chip) {
	k.last = ch
	say(k.hint, k.w.cardText(ch.answer))
}

// cardText says what a card has, what the job takes there, and from where that
// is known.
func (w *Place) cardText(a workload.CardAnswer) string {
	c := w.c
	parts := []string{}
	switch {
	case a.Card.TotalMiB == nil || !a.UsableKnown:
		parts = append(parts, c.T("plan.card.nominal", "card", a.Card.Name, "usable", texts.MiB(a.UsableMiB)))
	default:
		parts = append(parts, c.T("plan.card.usable", "card", a.Card.Name, "usable", texts.MiB(a.UsableMiB), "total", texts.MiB(*a.Card.TotalMiB)))
	}
	parts = append(parts, c.T("plan.card.peak."+origin(a.PeakOrigin), "peak", gib(c, a.Peak)))
	if s, ok := secondsOf(a); ok {
		parts = append(parts, c.T("plan.card.seconds."+origin(a.SecondsOrigin), "seconds", seconds(c, s)))
	}
	if why := c.Say(a.Why); why != "" {
		parts = append(parts, why)
	}
	if len(a.Card.Unverified) > 0 {
		parts = append(parts, c.T("plan.card.unverified", "list", w.columnNames(a.Card.Unverified)))
	}
	return w.sentences(parts)
}

// columnNames says columns of the catalogue of cards, each once.
func (w *Place) columnNames(columns []string) string {
	var names []string
	for _, column := range columns {
		code, _, _ := strings.Cut(column, " ") // what follows is the catalogue's own note
		if key := "plan.card.column." + code; w.c.Has(key) {
			column = w.c.T(key)
		}
		if !slices.Contains(names, column) {
			names = append(names, column)
		}
	}
	list := names[0]
	for _, name := range names[1:] {
		list = w.c.T("plan.and", "a", list, "b", name)
	}
	return list
}

// sentences sets sentences behind each other: Chinese ones without a blank.
func (w *Place) sentences(all []string) string {
	text := ""
	for _, s := range all {
		if text != "" && !strings.HasSuffix(text, "。") {
			text += " "
		}
		text += s
	}
	return text
}

func origin(o workload.Origin) string {
	if o == workload.MeasuredBy {
		return "measured"
	}
	return "estimated"
}

// secondsOf returns the seconds a picture takes on a card, with parts of the
// model in RAM where it must be so; ok is false when nobody knows.
func secondsOf(a workload.CardAnswer) (s workload.Band, ok bool) {
	s = a.Seconds
	if a.Fit == workload.Offload && a.SecondsOrigin != workload.MeasuredBy {
		s = a.OffloadSeconds
	}
	return s, s.Point > 0 && a.Fit != workload.No
}

// chip is a card that can be chosen.
type chip struct {
	*widgets.Tap
	answer workload.CardAnswer
}

func newChip(k *cards, name string) *chip {
	ch := &chip{}
	ch.Tap = widgets.NewTap(widget.NewLabel(name), func() {
		k.w.card = name
		k.explain(ch)
		k.w.answer.sync(k.w.p.Desk.Plan())
		k.w.form.fromAnswer()
	})
	ch.OnNear = func() { k.explain(ch) }
	return ch
}

// chosenCard is the card that time is shown for: the one that was pressed, else
// that of the first offer, else the smallest that is enough.
func (w *Place) chosenCard() string {
	has := func(name string) bool {
		return slices.ContainsFunc(w.good.Fit.Cards, func(a workload.CardAnswer) bool { return a.Card.Name == name })
	}
	if w.card != "" && has(w.card) {
		return w.card
	}
	for _, o := range w.p.Desk.Plan().Offers {
		if !o.Hidden && has(o.Card.Name) {
			return o.Card.Name
		}
	}
	best, size := "", 0.0
	for _, want := range []workload.Fit{workload.Fits, workload.Tight, workload.Offload, workload.No} {
		for _, a := range w.good.Fit.Cards {
			// One whose speed is known is the better example.
			usable := a.UsableMiB
			if _, ok := secondsOf(a); !ok {
				usable += 1e9
			}
			if strings.HasPrefix(a.Card.Name, "MIG ") {
				usable += 1e10 // a part of a card is a special case
			}
			if a.Fit == want && (best == "" || usable < size) {
				best, size = a.Card.Name, usable
			}
		}
		if best != "" {
			return best
		}
	}
	return ""
}

// onCard returns the answer for a card.
func (w *Place) onCard(name string) (workload.CardAnswer, bool) {
	for _, a := range w.good.Fit.Cards {
		if a.Card.Name == name {
			return a, true
		}
	}
	return workload.CardAnswer{}, false
}
