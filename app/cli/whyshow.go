package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"rentgen/app/judge"
	diff "rentgen/app/judge/compare" // compare is a name of its own here
	"rentgen/app/judge/why"
	"rentgen/assets/texts"
)

// lookJSON is what why saw of one target, without its verdicts.
type lookJSON struct {
	Host     string      `json:"host"`
	Demo     bool        `json:"demo"`
	From     *string     `json:"from"`
	To       *string     `json:"to"`
	Seconds  int         `json:"seconds"`
	Level    judge.Level `json:"level"`
	Sentence string      `json:"sentence"`
	Next     string      `json:"next"`
	Doubts   []string    `json:"doubts"`
	Error    string      `json:"error"` // why it could not be looked at, else ""
	Code     int         `json:"code"`  // the exit code that the error asks for
}

// whyJSON is the whole answer.
type whyJSON struct {
	Level       judge.Level          `json:"level"`
	Sentence    string               `json:"sentence"`
	Next        string               `json:"next"`
	Doubts      []string             `json:"doubts"`
	Verdicts    []why.VerdictJSON    `json:"verdicts"`
	Looks       []lookJSON           `json:"looks"`
	Comparisons []why.ComparisonJSON `json:"comparisons"`
}

// printLooks writes what was seen of one target or several. The others are
// compared with the first that could be looked at.
func (j *job) printLooks(looks []seen) error {
	var first *seen
	var pairs []diff.Result
	for i := range looks {
		switch {
		case looks[i].err != nil:
		case first == nil:
			first = &looks[i]
		default:
			pairs = append(pairs, why.Compare(first.answer, looks[i].answer))
		}
	}
	if j.is("json") {
		return j.printJSON(j.whyJSON(looks, first, pairs))
	}
	w := j.p.Stdout
	for i, l := range looks {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if l.err != nil {
			fmt.Fprintf(w, "%s\n%s %s\n", l.name, levelMark(judge.Fail), strings.ReplaceAll(j.sentence(l.err), "\n", "\n  "))
			continue
		}
		j.printAnswer(w, l.answer, false)
	}
	for _, r := range pairs {
		fmt.Fprintln(w)
		j.printComparison(w, r)
	}
	return nil
}

func (j *job) whyJSON(looks []seen, first *seen, pairs []diff.Result) whyJSON {
	out := whyJSON{
		Level: judge.Unknown, Doubts: []string{}, Verdicts: []why.VerdictJSON{}, Looks: []lookJSON{}, Comparisons: []why.ComparisonJSON{},
	}
	for _, l := range looks {
		if l.err != nil {
			out.Looks = append(out.Looks, lookJSON{Host: l.name, Level: judge.Unknown, Doubts: []string{}, Error: j.sentence(l.err), Code: exitCode(l.err)})
			continue
		}
		a := l.answer.JSON(j.c)
		out.Verdicts = append(out.Verdicts, a.Verdicts...)
		out.Looks = append(out.Looks, lookJSON{
			Host: a.Host, Demo: a.Demo, From: a.From, To: a.To, Seconds: a.Seconds,
			Level: a.Level, Sentence: a.Sentence, Next: a.Next, Doubts: a.Doubts,
		})
	}
	if first != nil {
		a := first.answer.JSON(j.c)
		out.Level, out.Sentence, out.Next, out.Doubts = a.Level, a.Sentence, a.Next, a.Doubts
	}
	for i, r := range pairs {
		c := why.Comparison(j.c, r)
		if i == 0 { // what was asked for is the difference
			out.Sentence = c.Sentence
		}
		out.Comparisons = append(out.Comparisons, c)
	}
	return out
}

// printJudged writes the verdicts of a log.
func (j *job) printJudged(a why.Answer) error {
	if j.is("json") {
		return j.printJSON(a.JSON(j.c))
	}
	j.printAnswer(j.p.Stdout, a, true)
	return nil
}

// maxShown bounds the verdicts that are listed for a person.
const maxShown = 40

// printAnswer writes the headline with what to do, then the other verdicts.
// when says that each stands with its span.
func (j *job) printAnswer(w io.Writer, a why.Answer, when bool) {
	name := a.Host
	if a.Demo {
		name += " " + j.c.T("cli.live.demo")
	}
	if a.From.IsZero() {
		fmt.Fprintln(w, name)
	} else {
		fmt.Fprintln(w, j.c.T("cli.why.seen", "name", name, "when", texts.DateTime(j.c, a.From), "long", texts.Duration(j.c, time.Duration(a.Seconds)*time.Second)))
	}
	for i, v := range a.Verdicts {
		if i == maxShown {
			fmt.Fprintln(w, j.c.T("cli.why.more", "n", len(a.Verdicts)-i))
			return
		}
		if i == 1 {
			fmt.Fprintln(w, j.c.T("cli.why.also"))
		}
		line := j.c.Say(v.Say)
		if card := cardOf(a, v.GPU); card != "" {
			line = j.c.T("cli.why.card", "card", card, "line", line)
		}
		indent := ""
		if i > 0 {
			indent = "  "
		}
		fmt.Fprintf(w, "%s%s %s\n", indent, levelMark(v.Level), line)
		if when && v.From.Before(v.To) {
			fmt.Fprintf(w, "%s    %s\n", indent, j.c.T("cli.why.span", "from", texts.DateTime(j.c, v.From), "long", texts.Duration(j.c, v.To.Sub(v.From))))
		}
		if doubt := j.doubt(v); doubt != "" {
			fmt.Fprintf(w, "%s    %s\n", indent, doubt)
		}
		if v.Level != judge.Good && !v.Next.IsZero() {
			fmt.Fprintf(w, "%s    %s\n", indent, j.c.T("cli.why.do", "what", j.c.Say(v.Next)))
		}
	}
}

// doubt says how sure a verdict is, "" where it rests on nothing.
func (j *job) doubt(v judge.Verdict) string {
	if v.Confidence == 0 || v.Level == judge.Unknown && len(v.Doubts) == 0 {
		return ""
	}
	sure := texts.Chance(v.Confidence)
	if len(v.Doubts) == 0 {
		return j.c.T("cli.why.sure", "sure", sure)
	}
	var list []string
	for _, d := range v.Doubts {
		list = append(list, j.c.Say(d))
	}
	return j.c.T("cli.why.doubt", "sure", sure, "doubts", strings.Join(list, j.c.T("cli.why.sep")))
}

// cardOf names the card of a verdict where there are several.
func cardOf(a why.Answer, gpu string) string {
	if gpu == "" || len(a.Devices) < 2 {
		return ""
	}
	for _, d := range a.Devices {
		if d.UUID == gpu {
			return fmt.Sprintf("GPU %d", d.Index)
		}
	}
	return gpu
}

// levelMark is the shape of a level, as the shapes of verdicts elsewhere.
func levelMark(l judge.Level) string {
	switch l {
	case judge.Good:
		return "✓"
	case judge.Info:
		return "•"
	case judge.Warn:
		return "!"
	case judge.Fail:
		return "✗"
	case judge.Unknown:
	}
	return "–"
}

// printComparison writes what differs, what explains most first.
func (j *job) printComparison(w io.Writer, r diff.Result) {
	fmt.Fprintln(w, j.c.Say(r.Say))
	if !r.Pace.IsZero() {
		fmt.Fprintln(w, j.c.Say(r.Pace))
	}
	rows := [][]string{{j.c.T("cli.why.col.what"), r.A.Name, r.B.Name, j.c.T("cli.why.col.why")}}
	for _, d := range r.Differences {
		a, b := j.reading(d.A), j.reading(d.B)
		rows = append(rows, []string{j.c.Say(d.What()), a, b, j.c.Say(d.Why)})
	}
	if len(rows) > 1 {
		tabular(w, rows)
	}
}

// reading writes a side's figure, and a dash with the reason where it doesn't tell.
func (j *job) reading(r diff.Reading) string {
	switch {
	case !r.Known:
		return j.c.T("cli.why.untold")
	case r.Text != "":
		return r.Text
	}
	return texts.Value(j.c, r.Value, r.Unit)
}
