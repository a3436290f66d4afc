package verdict

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/ui/chart"
	"rentgen/ui/theme"
)

// Icon returns the shape of a level in its colour.
func Icon(l judge.Level) fyne.Resource {
	switch l {
	case judge.Good:
		return theme.Pass.Icon()
	case judge.Warn:
		return theme.Warn.Icon()
	case judge.Fail:
		return theme.Fail.Icon()
	case judge.Info:
		return theme.Skip.Icon()
	case judge.Unknown:
	}
	return theme.Coloured("stale", theme.ColorQuiet)
}

// ChartLevel returns the level of a verdict's band.
func ChartLevel(l judge.Level) chart.Level {
	switch l {
	case judge.Good:
		return chart.Good
	case judge.Warn:
		return chart.Warn
	case judge.Fail:
		return chart.Fail
	case judge.Info:
		return chart.Info
	case judge.Unknown:
	}
	return chart.Unsure
}

// LevelText says what a level asks for.
func LevelText(c *texts.Catalogue, l judge.Level) string {
	if l == "" {
		l = judge.Unknown
	}
	return c.T("verdict.level." + string(l))
}

// KindText is the short name of a kind.
func KindText(c *texts.Catalogue, k judge.Kind) string { return c.T("verdict.kind." + string(k)) }

// Names says how a card is called where several are watched: "Card 1"; "" where
// a name would say nothing.
type Names func(gpu string) string

// Sentence says what a verdict says, and of which card where that matters.
func Sentence(c *texts.Catalogue, v *judge.Verdict, names Names) string {
	s := strings.TrimSpace(c.Say(v.Say))
	if s == "" {
		s = KindText(c, v.Kind)
	}
	if v.GPU == "" || names == nil {
		return s
	}
	card := names(v.GPU)
	if card == "" {
		return s
	}
	return c.T("verdict.of", "card", card, "sentence", s)
}

// Sure says the confidence of a verdict in words; "" of one that knows nothing.
func Sure(c *texts.Catalogue, v *judge.Verdict) string {
	if v.Level == judge.Unknown || v.Level == "" {
		return ""
	}
	switch {
	case v.Confidence >= 0.9:
		return c.T("verdict.sure.4")
	case v.Confidence >= 0.7:
		return c.T("verdict.sure.3")
	case v.Confidence >= 0.4:
		return c.T("verdict.sure.2")
	}
	return c.T("verdict.sure.1")
}

// end is where a verdict ends, now while it goes on.
func end(v *judge.Verdict, now time.Time) time.Time {
	if v.Open && now.After(v.To) {
		return now
	}
	return v.To
}

// Lasted says how long a verdict has held.
func Lasted(c *texts.Catalogue, v *judge.Verdict, now time.Time) string {
	return texts.Duration(c, end(v, now).Sub(v.From))
}

// SpanText says when a verdict held: "since 10:40, 42 min", "10:40 – 10:52, 12 min".
func SpanText(c *texts.Catalogue, v *judge.Verdict, now time.Time) string {
	d := Lasted(c, v, now)
	today := sameDay(v.From, now)
	if v.Open {
		at := texts.Minute(v.From)
		if !today {
			at = texts.DateTime(c, v.From)
		}
		return c.T("verdict.since", "time", at, "d", d)
	}
	span := texts.Span(c, v.From, v.To)
	if today && sameDay(v.To, now) {
		at := texts.Minute
		if v.To.Sub(v.From) < 2*time.Minute {
			at = texts.Clock
		}
		span = c.T("format.span", "from", at(v.From), "to", at(v.To))
	}
	return c.T("verdict.span", "span", span, "d", d)
}

func sameDay(a, b time.Time) bool {
	a, b = a.Local(), b.Local()
	return a.Year() == b.Year() && a.YearDay() == b.YearDay()
}

// numbers says the figures of a verdict, by name.
func numbers(c *texts.Catalogue, v *judge.Verdict) []string {
	keys := make([]string, 0, len(v.Numbers))
	for k := range v.Numbers {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	out := make([]string, 0, len(keys))
	for _, k := range keys {
		name := k
		if key := "judge.number." + k; c.Has(key) {
			name = c.T(key)
		} else if key := "metric." + k; c.Has(key) {
			name = c.T(key)
		}
		n := v.Numbers[k]
		value := texts.Value(c, n.Value, n.Unit)
		switch n.Unit {
		case "s":
			value = texts.Duration(c, time.Duration(n.Value*float64(time.Second)))
		case "min", "h":
			value = texts.WithUnit(texts.Number(n.Value, 0), texts.Unit(c, n.Unit))
		}
		out = append(out, c.T("verdict.number", "name", name, "value", value))
	}
	return out
}

// ruleText explains the rule of a verdict.
func ruleText(c *texts.Catalogue, rule string) string {
	if rule == "" {
		return ""
	}
	if key := "judge.rule." + rule; c.Has(key) {
		return c.T(key)
	}
	return c.T("verdict.rule.name", "rule", rule)
}

// graver reports whether a should be said before b: the graver level, then what
// is surer, then what began later.
func graver(a, b *judge.Verdict) bool {
	if x, y := a.Level.Rank(), b.Level.Rank(); x != y {
		return x > y
	}
	if a.Confidence != b.Confidence {
		return a.Confidence > b.Confidence
	}
	return a.From.After(b.From)
}

// Main returns the index of the verdict that tells how it is now, -1 where none
// goes on. It allocates nothing.
func Main(vs []judge.Verdict) int {
	best := -1
	for i := range vs {
		if vs[i].Open && (best < 0 || graver(&vs[i], &vs[best])) {
			best = i
		}
	}
	return best
}

// MainOf is Main of what is said of a card or of its machine.
func MainOf(vs []judge.Verdict, gpu string) int {
	best := -1
	for i := range vs {
		if vs[i].Open && (vs[i].GPU == "" || vs[i].GPU == gpu) && (best < 0 || graver(&vs[i], &vs[best])) {
			best = i
		}
	}
	return best
}

// inOrder returns the verdicts as they are listed: what goes on first, the
// gravest of it on top, then the past, newest first.
func inOrder(vs []judge.Verdict) []judge.Verdict {
	out := slices.Clone(vs)
	slices.SortStableFunc(out, func(a, b judge.Verdict) int {
		switch {
		case a.Open != b.Open && a.Open:
			return -1
		case a.Open != b.Open:
			return 1
		case a.Open:
			if graver(&a, &b) {
				return -1
			}
			if graver(&b, &a) {
				return 1
			}
			return 0
		}
		return cmp.Or(b.From.Compare(a.From), cmp.Compare(b.Level.Rank(), a.Level.Rank()))
	})
	return out
}

// key tells a verdict from others over time.
func key(v *judge.Verdict) string {
	return string(v.Kind) + "|" + v.GPU + "|" + v.From.Format(time.RFC3339Nano)
}

// joined sets short texts behind each other, leaving out those that say nothing.
func joined(c *texts.Catalogue, parts ...string) string {
	out := ""
	for _, p := range parts {
		switch {
		case p == "":
		case out == "":
			out = strings.TrimSuffix(strings.TrimSuffix(p, "."), "。")
		default:
			out = c.T("verdict.join", "a", out, "b", p)
		}
	}
	return out
}
