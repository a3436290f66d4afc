package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"rentgen/app/guide"
)

//go:embed page.html
var pageText string

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(pageText))
})

// view gives the page its words.
type view struct{ *Report }

// T says a text.
func (v view) T(key string) string { return v.t("report." + key) }

// NotHere says what can't apply on a track.
func (v view) NotHere(t Track) string {
	if len(t.NotHere) == 0 {
		return ""
	}
	return v.t("report.nothere", "list", v.list(t.NotHere))
}

// LeftOut says that an entry is left out.
func (v view) LeftOut(s Step) string { return v.t("report.skipped", "reason", s.Skipped) }

// Evidence are the lines of a check as one text.
func (v view) Evidence(c Check) string { return strings.Join(c.Lines, "\n") }

// From says since when something is left out.
func (v view) From(s Skip) string { return v.stamp(s.Time) }

// Until says when it was taken back.
func (v view) Until(s Skip) string { return v.until(s) }

// list names checks.
func (r *Report) list(ids []guide.CheckID) string {
	out := ""
	for _, id := range ids {
		name := r.t("track.check." + string(id))
		if out == "" {
			out = name
			continue
		}
		out = r.t("report.two", "a", out, "b", name)
	}
	return out
}

// HTML writes the report as one page that loads nothing and runs nothing.
func (r *Report) HTML(w io.Writer) error {
	if err := page().Execute(w, view{r}); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
