package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Markdown writes the report as Markdown. Nothing that came from a host or a
// person is read as markup.
func (r *Report) Markdown() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# %s\n", Plain(r.Title()))
	if r.Sentence != "" {
		line("**%s %s**\n", r.Shape(), Plain(r.Sentence))
	}
	for _, n := range r.Notes() {
		line("> %s\n>", Plain(n))
	}
	for _, t := range r.Tracks {
		line("\n## %s\n", Plain(t.Title))
		if t.Sentence != "" {
			line("%s %s\n", t.Shape(), Plain(t.Sentence))
		}
		for _, a := range t.After {
			line("%s\n", Plain(a))
		}
		line("| | %s | %s |", Plain(r.t("report.col.entry")), Plain(r.t("report.col.result")))
		line("| --- | --- | --- |")
		for _, s := range r.StepsOf(t.ID) {
			line("| %s | %d %s | %s |", s.Shape(), s.Number, Plain(s.Title), Plain(r.Result(s)))
		}
		if len(t.NotHere) > 0 {
			line("\n%s", Plain(r.t("report.nothere", "list", r.list(t.NotHere))))
		}
		for _, s := range r.StepsOf(t.ID) {
			r.markdownStep(&b, s)
		}
	}
	if len(r.Skips) > 0 {
		line("\n## %s\n", Plain(r.t("report.left")))
		line("| %s | %s | %s | %s |", Plain(r.t("report.col.what")), Plain(r.t("report.col.reason")), Plain(r.t("report.col.from")), Plain(r.t("report.col.until")))
		line("| --- | --- | --- | --- |")
		for _, s := range r.Skips {
			line("| %s | %s | %s | %s |", Plain(s.Title), Plain(s.Reason), Plain(r.stamp(s.Time)), Plain(r.until(s)))
		}
	}
	return b.String()
}

func (r *Report) until(s Skip) string {
	if s.Until == nil {
		return r.t("report.still")
	}
	return r.stamp(*s.Until)
}

func (r *Report) markdownStep(b *strings.Builder, s Step) {
	fmt.Fprintf(b, "\n### %s %d %s\n", s.Shape(), s.Number, Plain(s.Title))
	if s.Skipped != "" {
		fmt.Fprintf(b, "\n%s\n", Plain(r.t("report.skipped", "reason", s.Skipped)))
	}
	for _, i := range s.Items {
		fmt.Fprintf(b, "\n- %s\n", Plain(r.Pair(i.Title, r.Answer(i))))
	}
	for _, c := range s.Checks {
		fmt.Fprintf(b, "\n#### %s %s\n\n", c.Shape(), Plain(c.Title))
		if marks := r.Marks(c); len(marks) > 0 {
			fmt.Fprintf(b, "**%s**\n\n", Plain(strings.Join(marks, " · ")))
		}
		say := func(key, text string) {
			if text != "" {
				fmt.Fprintf(b, "- %s\n", Plain(r.Pair(r.t(key), text)))
			}
		}
		say("report.seen", c.Seen())
		say("report.do", c.Remedy)
		for _, also := range r.Also(c) {
			say("report.also", also)
		}
		say("report.job", c.Job)
		if c.Exit == nil {
			if c.Skipped == "" && c.BlockedBy == "" {
				fmt.Fprintf(b, "- %s\n", Plain(r.t("report.verdict.none")))
			}
			continue
		}
		say("report.ran", r.Ran(c))
		fenced(b, r.t("report.command"), c.Command)
		fenced(b, r.t("report.lines"), strings.Join(c.Lines, "\n"))
		fenced(b, r.t("report.raw"), r.Raw(c))
	}
}

// fenced writes a block whose fence is longer than any in the text.
func fenced(b *strings.Builder, title, text string) {
	if text == "" {
		return
	}
	fence, row := 3, 0
	for _, c := range text {
		if row++; c != '`' {
			row = 0
		}
		fence = max(fence, row+1)
	}
	f := strings.Repeat("`", fence)
	fmt.Fprintf(b, "\n%s\n\n%stext\n%s\n%s\n", Plain(title), f, text, f)
}

// Plain is text on one line in which nothing is markup.
func Plain(s string) string {
	var b strings.Builder
	for _, c := range strings.Join(strings.FieldsFunc(s, func(c rune) bool { return c == '\n' || c == '\r' || c == '\t' }), " ") {
		switch c {
		case '\\', '`', '*', '_', '[', ']', '|', '~', '$':
			b.WriteByte('\\')
			b.WriteRune(c)
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '@': // a name behind it would be called
			b.WriteString("&#64;")
		default:
			b.WriteRune(c)
		}
	}
	// Nor does an address become a link.
	out := strings.NewReplacer("://", "&#58;//", "www.", "www&#46;").Replace(b.String())
	// At the beginning of a line these make lists, rules and heads.
	if out != "" && strings.ContainsAny(out[:1], "-+=#") {
		return `\` + out
	}
	if head := strings.TrimLeft(out, "0123456789"); len(head) < len(out) && (head == "." || strings.HasPrefix(head, ". ")) {
		return out[:len(out)-len(head)] + `\` + head
	}
	return out
}

func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
