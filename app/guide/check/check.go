// Package check judges what a command of a check printed. Output that a person
// pasted and output of a run go the same way.
//
// What is not understood is a warning "could not read", never a pass, and no
// unknown value is 0.
package check

import (
	"cmp"
	"slices"
	"strings"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

// judges are the rules of every check; a file a group of checks.
var judges = map[guide.CheckID]func(l *look){}

// Judge returns what an output means. It does no IO and never panics; an
// unknown check is "could not read".
func Judge(in guide.Input) guide.Outcome {
	l := newLook(in)
	if translated(l.all()) {
		l.set("locale", "zh")
	}
	elsewhere := l.elsewhere()
	place := l.found
	if judge, ok := judges[in.Check]; ok {
		judge(l)
	}
	if elsewhere { // the facts are read all the same, but say nothing of the instance
		l.found, l.skipped = place, false
	}
	return l.outcome()
}

// look is one output on its way to a verdict.
type look struct {
	in       guide.Input
	ctx      guide.Context
	out, err string   // cleaned stdout and stderr
	lines    []string // of out, then of err
	command  string
	facts    guide.Facts
	found    []guide.Finding
	used     []string
	skipped  bool // a skip decides over all but the place
	prompts  []string
	flatAll  string // for says
	flatAt   []spot
}

func newLook(in guide.Input) *look {
	l := &look{
		in: in, ctx: in.Context, out: guide.Clean(in.Stdout, 0), err: guide.Clean(in.Stderr, 0),
		command: strings.TrimSpace(guide.Clean([]byte(in.Command), 1<<14)), facts: guide.Facts{},
	}
	var typed string
	l.out, typed, l.prompts = unpasted(l.out, l.command)
	if l.command == "" { // a paste that brought its own
		l.command = typed
	}
	for _, s := range []string{l.out, l.err} {
		if s = strings.TrimRight(s, "\n"); s != "" {
			l.lines = append(l.lines, strings.Split(s, "\n")...)
		}
	}
	return l
}

// all is both streams, as a terminal would have shown them.
func (l *look) all() string { return strings.Join(l.lines, "\n") }

// set notes a fact.
func (l *look) set(name string, v any) { l.facts[name] = v }

// use notes lines as evidence, each once.
func (l *look) use(lines ...string) {
	for _, s := range lines {
		if s = strings.TrimRight(s, " \t"); s != "" && len(l.used) < maxLines && !slices.Contains(l.used, s) {
			l.used = append(l.used, s)
		}
	}
}

// maxLines bounds the evidence of a verdict.
const maxLines = 40

// find notes a finding; its texts are those of the check and, where it has none
// of its own, those of every check. args fill both texts.
func (l *look) find(v guide.Verdict, code string, args ...any) *guide.Finding {
	args = bounded(args)
	key := "check." + string(l.in.Check) + "." + code
	if !texts.Has(key) {
		key = "check.any." + code
	}
	f := guide.Finding{Verdict: v, Code: code, Says: texts.P(key, args...)}
	for _, do := range []string{key + ".do." + string(l.in.Track), key + ".do"} {
		if texts.Has(do) {
			f.Do = texts.P(do, args...)
			break
		}
	}
	l.found = append(l.found, f)
	return &l.found[len(l.found)-1]
}

// maxArg bounds what a text repeats of an output, in runes.
const maxArg = 120

// bounded cuts long values; what a host prints has any length.
func bounded(args []any) []any {
	out := slices.Clone(args)
	for i, a := range out {
		if s, ok := a.(string); ok && len(s) > maxArg {
			if r := []rune(s); len(r) > maxArg {
				out[i] = string(r[:maxArg-1]) + "…"
			}
		}
	}
	return out
}

// outcome puts the findings in order. Nothing found at all is "could not read".
func (l *look) outcome() guide.Outcome {
	if len(l.found) == 0 {
		l.find(guide.Warn, "unread")
	}
	slices.SortStableFunc(l.found, func(a, b guide.Finding) int { return cmp.Compare(l.weight(b), l.weight(a)) })
	if len(l.used) == 0 {
		l.use(l.lines[:min(len(l.lines), 6)]...)
	}
	worst := l.found[0]
	return guide.Outcome{
		Check: l.in.Check, Verdict: worst.Verdict, Facts: l.facts, Findings: l.found, Lines: l.used, Rule: worst.Code,
	}
}

func (l *look) weight(f guide.Finding) int {
	if l.skipped && f.Verdict == guide.Skip {
		return 9
	}
	return slices.Index([]guide.Verdict{guide.Skip, guide.Pass, guide.Warn, guide.Fail}, f.Verdict)
}
