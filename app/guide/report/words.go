package report

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"rentgen/app/guide"
	"rentgen/app/guide/track"
	"rentgen/assets/texts"
)

// shape is the sign of a verdict: never colour alone.
func shape(v Verdict, stale bool) string {
	if stale {
		return "◌"
	}
	switch guide.Verdict(v) {
	case guide.Pass:
		return "✓"
	case guide.Warn:
		return "!"
	case guide.Fail:
		return "✗"
	case guide.Skip:
		return texts.Dash
	}
	return "○"
}

// Shape is the sign of the report's verdict.
func (r *Report) Shape() string { return shape(r.Verdict, false) }

// Shape is the sign of the check's verdict.
func (c Check) Shape() string { return shape(c.Verdict, c.Stale != "") }

// Shape is the sign of the entry's verdict.
func (s Step) Shape() string { return shape(s.Verdict, s.State == track.Stale) }

// Shape is the sign of the track's verdict.
func (t Track) Shape() string { return shape(t.Verdict, false) }

// Word says a verdict.
func (r *Report) Word(v Verdict) string {
	if v == "" {
		return r.t("report.verdict.none")
	}
	return r.t("report.verdict." + string(v))
}

func (r *Report) t(key string, pairs ...any) string { return texts.For(r.Lang).T(key, pairs...) }

// Title is the head of the report.
func (r *Report) Title() string { return r.t("report.title", "name", r.name()) }

func (r *Report) name() string {
	if r.Host.Name == "" {
		return r.t("report.unnamed")
	}
	return r.Host.Name
}

// Pair is a text behind its name. A question is its own end of a name.
func (r *Report) Pair(name, text string) string {
	if strings.HasSuffix(name, "?") || strings.HasSuffix(name, "？") {
		return r.t("report.asked", "a", name, "b", text)
	}
	return r.t("report.pair", "a", name, "b", text)
}

// Facts are the lines on when it was made and what it is of.
func (r *Report) Facts() []string {
	facts := []string{r.t("report.made", "time", r.stamp(r.Made))}
	if r.Host.Provider != "" {
		facts = append(facts, r.Host.Provider)
	}
	facts = append(facts, r.Host.Cards...)
	if r.Host.Driver != "" {
		facts = append(facts, r.t("report.driver", "driver", r.Host.Driver))
	}
	list := []string{strings.Join(facts, " · ")}
	if r.Host.Demo {
		list = append(list, r.t("report.demo"))
	}
	return list
}

// Notes are the lines below the head: when, what it is of, how far to trust it.
func (r *Report) Notes() []string {
	list := r.Facts()
	hidden := "report.whole"
	if r.Redacted {
		hidden = "report.redacted"
	}
	list = append(list, r.Scope)
	if len(r.NotRun) > 0 {
		list = append(list, r.t("report.scope.not", "list", r.list(r.NotRun)))
	}
	return append(list, r.t(hidden))
}

// stamp is a moment with its zone: a report travels.
func (r *Report) stamp(t time.Time) string {
	return texts.DateYear(texts.For(r.Lang), t) + " " + texts.Minute(t) + " " + texts.Zone(t)
}

// Marks are what must be known beside a verdict: that it was left out, edited,
// pasted, is out of date and the like.
func (r *Report) Marks(c Check) []string {
	var list []string
	add := func(on bool, key string, pairs ...any) {
		if on {
			list = append(list, r.t(key, pairs...))
		}
	}
	if c.unseen() {
		list = append(list, c.Sentence)
	}
	add(c.Stale != "", "report.mark.stale", "why", c.Stale)
	add(c.Edited, "report.mark.edited")
	add(c.Pasted, "report.mark.pasted")
	add(c.Laptop, "report.mark.laptop")
	add(c.TimedOut, "report.mark.timeout")
	return list
}

// unseen reports whether the sentence says only why there is nothing to say.
func (c Check) unseen() bool { return c.Skipped != "" || c.BlockedBy != "" }

// Seen is what was seen, "" where it was left out or could not be looked at.
func (c Check) Seen() string {
	if c.unseen() {
		return ""
	}
	return c.Sentence
}

// Ran is the line about a run: exit code, time, duration, driver.
func (r *Report) Ran(c Check) string {
	if c.Exit == nil {
		return ""
	}
	cat := texts.For(r.Lang)
	list := []string{r.t("report.exit", "code", *c.Exit)}
	if c.Time != nil {
		list = append(list, r.stamp(*c.Time))
	}
	if c.Seconds != nil {
		list = append(list, texts.Duration(cat, time.Duration(*c.Seconds*float64(time.Second))))
	}
	if c.Driver != "" {
		list = append(list, r.t("report.driver", "driver", c.Driver))
	}
	return strings.Join(list, " · ")
}

// StepsOf are the entries of a track.
func (r *Report) StepsOf(id guide.Track) []Step {
	var list []Step
	for _, s := range r.Steps {
		if s.Track == id {
			list = append(list, s)
		}
	}
	return list
}

// Result is what a table says of an entry.
func (r *Report) Result(s Step) string {
	switch {
	case s.Skipped != "":
		return r.t("report.skipped", "reason", s.Skipped)
	case s.Line != "":
		return s.Line
	}
	return r.Word(s.Verdict)
}

// Answer is what the user said to an item.
func (r *Report) Answer(i Item) string {
	done := r.t("report.item.open")
	if i.Done != nil && *i.Done {
		done = r.t("report.item.done")
	}
	list := []string{done}
	for _, name := range sorted(i.Values) {
		field := name
		if cat := texts.For(r.Lang); cat.Has("track.field." + name) {
			field = cat.T("track.field." + name)
		}
		list = append(list, r.t("report.item.value", "field", field, "value", r.choice(i.Values[name])))
	}
	for _, s := range []string{i.Note, i.Finding} {
		if s != "" {
			list = append(list, s)
		}
	}
	if i.Stale != "" {
		list = append(list, r.t("report.mark.stale", "why", i.Stale))
	}
	return strings.Join(list, " · ")
}

func (r *Report) choice(value string) string {
	if cat := texts.For(r.Lang); cat.Has("track.choice." + value) {
		return cat.T("track.choice." + value)
	}
	return value
}

// Others are the findings below the one that decides.
func (c Check) Others() []Finding {
	if len(c.Findings) < 2 {
		return nil
	}
	return c.Findings[1:]
}

// Also are those findings in words, each with what to do about it. What was said
// above already is not said again.
func (r *Report) Also(c Check) []string {
	var list []string
	said := []string{c.Remedy}
	for _, f := range c.Others() {
		text := f.Sentence
		if f.Remedy != "" && !slices.Contains(said, f.Remedy) {
			text = r.joined(f.Sentence, f.Remedy)
			said = append(said, f.Remedy)
		}
		list = append(list, text)
	}
	return list
}

// joined are two sentences one behind the other; the first may come without its
// stop.
func (r *Report) joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	stop, gap := ".", " "
	if r.Lang == texts.Chinese {
		stop, gap = "。", ""
	}
	if last, _ := utf8.DecodeLastRuneInString(a); strings.ContainsRune(".。!?！？…:：", last) {
		stop = ""
	}
	return a + stop + gap + b
}

// maxRaw bounds the raw output in the forms for people; JSON has all of it.
const maxRaw = 12 << 10

// Raw is the output as it came, stdout before stderr, cut to what a person reads.
func (r *Report) Raw(c Check) string {
	var parts []string
	for _, s := range []string{c.Stdout, c.Stderr} {
		if s = strings.TrimRight(s, "\n"); s != "" {
			parts = append(parts, s)
		}
	}
	s := strings.Join(parts, "\n")
	if len(s) <= maxRaw {
		return s
	}
	s = strings.ToValidUTF8(s[:maxRaw], "")
	if i := strings.LastIndexByte(s, '\n'); i > 0 {
		s = s[:i]
	}
	return s + "\n" + r.t("report.cut")
}
