package report

import (
	"cmp"
	"slices"
	"strings"

	"rentgen/app/guide"
)

// maxEvidence bounds the lines that a message quotes of one check.
const maxEvidence = 12

// Message is the text to send to the provider, ready to paste, about what only
// they can mend: of the checks named, or of all. It is "" where there is nothing
// for them. What was pasted or edited says so.
func (r *Report) Message(checks ...guide.CheckID) string {
	var seen, evidence []string
	said := map[guide.CheckID]bool{}
	for _, s := range r.Steps {
		for _, c := range s.Checks {
			if said[c.Check] || len(checks) > 0 && !slices.Contains(checks, c.Check) || c.Exit == nil || c.Skipped != "" {
				continue
			}
			theirs := 0
			for _, f := range c.Findings {
				if f.Provider && (f.Verdict == Verdict(guide.Fail) || f.Verdict == Verdict(guide.Warn)) {
					seen = append(seen, "- "+f.Sentence)
					theirs++
				}
			}
			if theirs == 0 {
				continue
			}
			said[c.Check] = true
			lines := []string{r.t("report.message.evidence", "command", c.Command, "code", *c.Exit)}
			for _, l := range c.Lines[:min(len(c.Lines), maxEvidence)] {
				lines = append(lines, "  "+l)
			}
			lines = append(lines, "  "+strings.Join(append([]string{r.Ran(c)}, r.Marks(c)...), " · "))
			evidence = append(evidence, strings.Join(lines, "\n"))
		}
	}
	if len(seen) == 0 {
		return ""
	}
	unknown := r.t("report.message.unknown")
	cards := strings.Join(r.Host.Cards, " + ")
	parts := []string{
		r.t("report.message.hello"),
		r.t("report.message.open", "instance", r.t("report.message.instance")),
		r.t("report.message.facts", "card", cmp.Or(cards, unknown), "driver", cmp.Or(r.Host.Driver, unknown), "time", r.stamp(r.Made)),
		r.t("report.message.seen") + "\n" + strings.Join(seen, "\n"),
	}
	parts = append(parts, evidence...)
	return strings.Join(append(parts, r.t("report.message.ask"), r.t("report.message.thanks")), "\n\n") + "\n"
}
