package chronicle

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"rentgen/app/guide/report"
	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// Markdown writes the report in the language of c. Nothing that came from a host
// is read as markup.
func (r *Report) Markdown(out io.Writer, c *texts.Catalogue) error {
	w := &page{Writer: bufio.NewWriter(out), c: c, r: r}
	w.head()
	w.verdicts()
	w.readings()
	w.gaps()
	w.events()
	if len(r.Costs) > 0 {
		w.title("chronicle.costs")
		for _, p := range r.Costs {
			w.line("- %s", report.Plain(c.Say(p)))
		}
	}
	w.line("\n%s", report.Plain(c.T("chronicle.made", "time", texts.DateTime(c, r.Made), "zone", texts.Zone(r.Made))))
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// page is a report being written.
type page struct {
	*bufio.Writer
	c *texts.Catalogue
	r *Report
}

func (w *page) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

func (w *page) title(key string) { w.line("\n## %s\n", report.Plain(w.c.T(key))) }

func (w *page) t(key string, pairs ...any) string { return report.Plain(w.c.T(key, pairs...)) }

// row writes a row of a table from plain cells.
func (w *page) row(cells ...string) {
	for i, c := range cells {
		cells[i] = report.Plain(c)
	}
	w.line("| %s |", strings.Join(cells, " | "))
}

func (w *page) table(keys ...string) {
	heads, rule := make([]string, len(keys)), make([]string, len(keys))
	for i, k := range keys {
		heads[i], rule[i] = w.c.T(k), "---"
	}
	w.row(heads...)
	w.line("| %s |", strings.Join(rule, " | "))
}

func (w *page) head() {
	r, c := w.r, w.c
	w.line("# %s\n", w.t("chronicle.title", "host", r.Log.Host, "id", r.Log.ID))
	note := func(key string, pairs ...any) { w.line("> %s\n>", w.t(key, pairs...)) }
	if r.Log.Demo {
		note("chronicle.demo")
	}
	if r.Log.Imported != "" {
		note("chronicle.imported", "name", r.Log.Imported)
	}
	if r.Log.Open {
		note("chronicle.open")
	}
	if r.Log.Lost > 0 {
		note("chronicle.lost", "n", r.Log.Lost)
	}
	w.line("")
	if r.From.IsZero() {
		w.line("%s", w.t("chronicle.empty"))
		return
	}
	w.line("- %s", w.t("chronicle.span", "span", texts.Span(c, r.From, r.To), "zone", texts.Zone(r.From), "length", texts.Duration(c, r.To.Sub(r.From))))
	if r.Log.Source != "" {
		w.line("- %s", w.t("chronicle.source."+string(r.Log.Source)))
	}
	for _, d := range r.Log.Cards {
		words := texts.List{w.card(d.UUID)}
		if mib, ok := d.MemTotal.Ok(); ok {
			words = append(words, texts.MiB(mib))
		}
		w.line("- %s", report.Plain(w.list(words)))
	}
	if r.Picture != "" {
		w.line("\n![%s](%s)", w.t("chronicle.picture"), (&url.URL{Path: r.Picture}).EscapedPath())
	}
}

// card is what a card is called: its place and name.
func (w *page) card(uuid string) string {
	if uuid == "" {
		return w.c.T("chronicle.machine")
	}
	for _, d := range w.r.Log.Cards {
		if d.UUID == uuid {
			return strings.TrimSpace(w.c.T("chronicle.gpu", "n", d.Index, "name", d.Name))
		}
	}
	return uuid
}

func (w *page) verdicts() {
	r, c := w.r, w.c
	w.title("chronicle.verdicts")
	switch {
	case !r.Judged:
		w.line("%s", w.t("chronicle.unjudged"))
		return
	case len(r.Verdicts) == 0:
		w.line("%s", w.t("chronicle.noverdict"))
		return
	}
	for _, v := range r.Verdicts[:min(len(r.Verdicts), mostVerdicts)] {
		w.line("- **%s** %s", report.Plain(c.T("verdict.level."+string(v.Level))), report.Plain(c.Say(v.Say)))
		w.line("  - %s", w.t("chronicle.where", "card", w.card(v.GPU), "span", texts.Span(c, v.From, v.To), "share", texts.Percent(100*v.Confidence)))
		if list := w.numbers(v); list != "" {
			w.line("  - %s", report.Plain(list))
		}
		for _, d := range v.Doubts {
			w.line("  - %s", report.Plain(c.Say(d)))
		}
		if !v.Next.IsZero() {
			w.line("  - %s", report.Plain(c.Say(v.Next)))
		}
	}
	w.more(len(r.Verdicts), mostVerdicts)
}

// numbers are the figures that a verdict rests on, by name.
func (w *page) numbers(v judge.Verdict) string {
	var list texts.List
	for _, name := range slices.Sorted(maps.Keys(v.Numbers)) {
		n := v.Numbers[name]
		key := "judge.number." + name
		if !w.c.Has(key) {
			continue
		}
		list = append(list, w.c.T("chronicle.pair", "name", w.c.T(key), "value", texts.Value(w.c, n.Value, n.Unit)))
	}
	return w.list(list)
}

// more says how many rows are left out.
func (w *page) more(n, most int) {
	if n > most {
		w.line("\n%s", w.t("chronicle.more", "n", n-most))
	}
}

func (w *page) readings() {
	w.title("chronicle.readings")
	var missing []Reading
	began := false
	for _, x := range w.r.Readings {
		info := x.Metric.Info()
		if x.N == 0 {
			if x.State != probe.Pending {
				missing = append(missing, x)
			}
			continue
		}
		if info.Kind == probe.Mask {
			continue // bits have no mean; what they mean is a verdict
		}
		if !began {
			w.table("chronicle.col.of", "chronicle.col.metric", "chronicle.col.mean", "chronicle.col.min", "chronicle.col.max", "chronicle.col.seconds")
			began = true
		}
		value := func(v float64) string { return texts.Value(w.c, v, info.Unit) }
		mean, lo, hi := value(x.Mean), value(x.Min), value(x.Max)
		if info.Kind == probe.Counter {
			mean, lo, hi = w.c.T("chronicle.rise", "value", value(x.Rise)), texts.Dash, texts.Dash
		}
		w.row(w.card(x.GPU), texts.Metric(w.c, info.Key), mean, lo, hi, texts.Count(int64(x.N)))
	}
	if !began {
		w.line("%s", w.t("chronicle.noreading"))
	}
	if len(missing) == 0 {
		return
	}
	// Of many cards with one reason, one line.
	names := map[string]texts.List{}
	for _, x := range missing {
		why := texts.Missing(w.c, x.State.String(), x.Raw)
		if n := texts.Metric(w.c, x.Metric.Info().Key); !slices.Contains(names[why], n) {
			names[why] = append(names[why], n)
		}
	}
	w.line("\n%s\n", w.t("chronicle.unread"))
	for _, why := range slices.Sorted(maps.Keys(names)) {
		w.line("- %s", w.t("chronicle.pair", "name", why, "value", w.list(names[why])))
	}
}

// list is words as the language writes lists.
func (w *page) list(words texts.List) string {
	return w.c.Say(texts.P("chronicle.list", "list", words))
}

func (w *page) gaps() {
	r, c := w.r, w.c
	w.title("chronicle.gaps")
	if len(r.Gaps) == 0 {
		w.line("%s", w.t("chronicle.nogap"))
		return
	}
	var sum time.Duration
	for _, g := range r.Gaps {
		from, to := later(g.From, r.From), earlier(g.To, r.To)
		if g.GPU == "" && to.After(from) {
			sum += to.Sub(from)
		}
	}
	if sum > 0 {
		w.line("%s\n", w.t("chronicle.gapsum", "n", len(r.Gaps), "length", texts.Duration(c, sum)))
	}
	w.table("chronicle.col.span", "chronicle.col.length", "chronicle.col.of", "chronicle.col.reason")
	for _, g := range r.Gaps[:min(len(r.Gaps), mostGaps)] {
		w.row(texts.Span(c, g.From, g.To), texts.Duration(c, g.To.Sub(g.From)), w.card(g.GPU), texts.Gap(c, string(g.Reason)))
	}
	w.more(len(r.Gaps), mostGaps)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func (w *page) events() {
	r, c := w.r, w.c
	w.title("chronicle.events")
	if len(r.Events) == 0 {
		w.line("%s", w.t("chronicle.noevent"))
		return
	}
	w.table("chronicle.col.time", "chronicle.col.of", "chronicle.col.event", "chronicle.col.raw")
	for _, e := range r.Events[:min(len(r.Events), mostEvents)] {
		w.row(texts.DateTime(c, e.Time), w.card(e.GPU), texts.Event(c, e.Kind, e.Code, e.Raw), e.Raw)
	}
	w.more(len(r.Events), mostEvents)
}
