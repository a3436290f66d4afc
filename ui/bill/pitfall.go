package bill

import (
	"slices"

	"fyne.io/fyne/v2"

	"rentgen/app/advice"
	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// pitfallsOf are the pitfalls that belong to a line or to the rule behind it.
func pitfallsOf(l sheet.Line) []string {
	ofRule := advice.PitfallsOfTerm(offer.TermID(l.Rule))
	var ids []string
	for _, id := range advice.Pitfalls() {
		at := advice.PitfallAt(id)
		// What belongs to more terms than a line has inputs is of the whole offer.
		if slices.Contains(at.Lines, l.ID) || len(at.Terms) < 6 && slices.Contains(ofRule, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// pitfalls says where money gets lost, nothing for no ids.
func (w *Place) pitfalls(ids []string) []fyne.CanvasObject {
	if len(ids) == 0 {
		return nil
	}
	c := w.c
	all := []fyne.CanvasObject{widgets.Rule(), heading(c.T("article.pitfall.title"))}
	for _, id := range ids {
		all = append(all, words(c.T("article.pitfall."+id+".title")), quiet(c.T("article.pitfall."+id+".text")))
	}
	return all
}

// notes are what to know of a bill as a whole.
func (w *Place) notes(b sheet.Bill) []fyne.CanvasObject {
	var all []fyne.CanvasObject
	for _, n := range b.Notes {
		all = append(all, noted(theme.Warn, w.c.Say(n)))
	}
	return all
}
