package advice

import (
	"slices"
	"strings"

	"rentgen/app/bill/sheet"
	"rentgen/assets/texts"
)

// Markdown returns an advice as a page in the catalogue's language: the
// sentence, what is ruled out, the reasons with their rows and bill lines, what
// would change it, what is still open, and the rows of the table it leans on.
func Markdown(c *texts.Catalogue, a Advice) string {
	var b page
	b.heading(1, c.T("advice.md.title"))
	b.line(c.Say(a.Sentence))
	if len(a.Vetoes) > 0 {
		b.heading(2, c.T("advice.md.out"))
		for _, v := range a.Vetoes {
			b.item(c.Say(v.Text))
		}
	}
	b.reasons(c, "advice.md.because", a.For())
	b.reasons(c, "advice.md.against", a.Against())
	if len(a.WouldChange) > 0 {
		b.heading(2, c.T("advice.md.change"))
		for _, ch := range a.WouldChange {
			b.item(c.Say(ch.Text))
		}
	}
	if len(a.Open) > 0 {
		b.heading(2, c.T("advice.md.open"))
		for _, id := range a.Open {
			b.item(c.T("advice.open." + id))
		}
	}
	if rows := RowsOf(a); len(rows) > 0 {
		b.heading(2, c.T("advice.md.table"))
		b.table(c, rows)
	}
	return b.String()
}

// GuideMarkdown returns what the guide says on a page: table, use cases,
// pitfalls, questions and answers, passages.
func GuideMarkdown(c *texts.Catalogue, p Page) string {
	var b page
	for _, part := range Parts() {
		if part.Page != p {
			continue
		}
		b.heading(2, c.T("article."+part.Name+".title"))
		for _, id := range part.IDs {
			b.item(c.T("article." + part.Name + "." + id))
		}
	}
	if p == PlanPage {
		b.heading(2, c.T("article.table.title"))
		b.table(c, Table())
		for _, kind := range []Choice{Shared, Dedicated} {
			b.heading(2, c.T("article.uses."+string(kind)))
			for _, u := range Uses() {
				if u.Kind == kind {
					b.item(c.T("article.uses.item", "group", c.T("article.group."+u.Group), "use", c.T("article.use."+u.ID)))
				}
			}
		}
	}
	b.heading(2, c.T("article.pitfall.title"))
	for _, id := range Pitfalls() {
		if slices.Contains(PitfallAt(id).Pages, p) {
			b.pitfall(c, id)
		}
	}
	if p == PlanPage {
		b.heading(2, c.T("article.qa.title"))
		for _, id := range QA() {
			b.heading(3, c.T("article.qa."+id+".q"))
			b.line(c.T("article.qa." + id + ".a"))
		}
	}
	return b.String()
}

// PitfallsMarkdown returns the pitfalls that the bills of a sheet meet, each
// once; "" for none. Hidden offers aren't looked at.
func PitfallsMarkdown(c *texts.Catalogue, s sheet.Sheet) string {
	met := make(map[string]bool)
	for _, b := range s.Bills {
		if !b.Offer.Hidden {
			for _, id := range PitfallsFor(b) {
				met[id] = true
			}
		}
	}
	if len(met) == 0 {
		return ""
	}
	var b page
	b.heading(2, c.T("article.pitfall.title"))
	for _, id := range Pitfalls() {
		if met[id] {
			b.pitfall(c, id)
		}
	}
	return b.String()
}

// page writes Markdown.
type page struct{ strings.Builder }

func (b *page) pitfall(c *texts.Catalogue, id string) {
	b.item("**" + c.T("article.pitfall."+id+".title") + "** " + c.T("article.pitfall."+id+".text"))
}

func (b *page) heading(level int, s string) {
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	b.WriteString(strings.Repeat("#", level) + " " + escape(s) + "\n\n")
}

func (b *page) line(s string) { b.WriteString(oneLine(s) + "\n") }

func (b *page) item(s string) { b.WriteString("- " + oneLine(s) + "\n") }

func (b *page) reasons(c *texts.Catalogue, title string, rs []Reason) {
	if len(rs) == 0 {
		return
	}
	b.heading(2, c.T(title))
	for _, r := range rs {
		b.item(c.Say(r.Text) + links(c, r))
	}
}

// links names the table's row and the bill's line behind a reason.
func links(c *texts.Catalogue, r Reason) string {
	var s string
	if r.Row != "" {
		s += " _" + c.T("advice.md.row", "row", c.Say(Row{r.Row}.Name())) + "_"
	}
	if r.Line != "" {
		s += " _" + escape(c.T("advice.md.line", "offer", r.Offer, "line", c.Say(lineName(r.Line)))) + "_"
	}
	return s
}

func (b *page) table(c *texts.Catalogue, rows []Row) {
	cells := func(s ...string) { b.WriteString("| " + strings.Join(s, " | ") + " |\n") }
	cells(c.T("article.table.dimension"), c.T("article.table.shared"), c.T("article.table.dedicated"))
	cells("---", "---", "---")
	for _, r := range rows {
		cells(c.Say(r.Name()), c.Say(r.Cell(Shared)), c.Say(r.Cell(Dedicated)))
	}
}

// oneLine keeps a name that holds line ends from breaking the page; thin spaces
// stay.
func oneLine(s string) string {
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(s)
}

// escape keeps a name from being read as Markdown.
func escape(s string) string {
	return strings.NewReplacer("_", `\_`, "*", `\*`, "|", `\|`, "#", `\#`, "`", "\\`").Replace(oneLine(s))
}
