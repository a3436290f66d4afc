package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rentgen/app/advice"
	"rentgen/app/bill/offer"
	"rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/assets/texts"
)

// wants is what a command wants of a plan beyond that it can be read.
type wants uint8

const (
	needJob wants = 1 << iota
	needOffers
)

// planFile is a plan that was read, and what it comes to.
type planFile struct {
	plan.Plan
	cat    *workload.Catalogue
	result plan.Result
}

// readPlan reads the plan that the command names, "-" for standard input, and
// works it out. What is wrong with it is an offer.InputErrors.
func (j *job) readPlan(want wants) (*planFile, error) { return j.planOf(j.args[0], want) }

func (j *job) planOf(path string, want wants) (*planFile, error) {
	b, err := j.planBytes(path)
	if err != nil {
		return nil, err
	}
	cat := workload.Load()
	p, err := plan.ReadFor(cat, b)
	if err != nil {
		return nil, err
	}
	if errs := lacking(p, want); len(errs) > 0 {
		return nil, errs
	}
	return &planFile{p, cat, plan.Evaluate(cat, p)}, nil
}

// lacking says what a command needs and the plan hasn't got.
func lacking(p plan.Plan, want wants) offer.InputErrors {
	var errs offer.InputErrors
	miss := func(field, key string) {
		errs = append(errs, &offer.InputError{Field: field, Allowed: texts.P(key), Line: 1, Column: 1})
	}
	if want&needJob != 0 && p.Job.Model == "" {
		miss("job.model", "cli.plan.need.job")
	}
	if want&needJob != 0 && p.Use.Pattern == "" {
		miss("use.pattern", "cli.plan.need.use")
	}
	if want&needOffers != 0 && len(p.Visible()) == 0 {
		miss("offers", "cli.plan.need.offers")
	}
	return errs
}

func (j *job) planBytes(path string) ([]byte, error) {
	from := j.in
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, &UsageError{Code: "file", Field: "PLAN.yaml", Value: path, Allowed: reason(err)}
		}
		defer f.Close()
		from = j.waits(f)
	}
	b, err := io.ReadAll(io.LimitReader(from, plan.MaxBytes+1)) // one more, so that too long is seen
	if err != nil {
		return nil, &UsageError{Code: "file", Field: "PLAN.yaml", Value: path, Allowed: reason(err)}
	}
	return b, nil
}

// reason is the system's own word for why a file can't be read.
func reason(err error) string {
	var at *os.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// runPlanExample prints a plan that runs as it is.
func runPlanExample(_ context.Context, j *job) error {
	kind := plan.Kinds()[0]
	if len(j.args) > 0 {
		kind = j.args[0]
	}
	text := string(plan.ExampleIn(j.c.Lang, kind))
	if j.is("json") {
		return j.printJSON(map[string]string{"kind": kind, "format": "yaml", "text": text})
	}
	_, err := io.WriteString(j.p.Stdout, text)
	return err
}

// runPlanGuide prints what there is to know before renting: the table, the
// pitfalls, questions and answers.
func runPlanGuide(_ context.Context, j *job) error {
	text := advice.GuideMarkdown(j.c, advice.PlanPage) + "\n" + advice.GuideMarkdown(j.c, advice.BillPage)
	if j.is("json") {
		return j.printJSON(map[string]string{"format": "md", "text": text})
	}
	_, err := io.WriteString(j.p.Stdout, text)
	return err
}

// notes are what to know of the plan's names, said; never nil.
func (j *job) notes(ps ...texts.Phrase) []string {
	out := make([]string, len(ps))
	for i, p := range ps {
		out[i] = j.c.Say(p)
	}
	return out
}

// printNotes says what to know of the plan's names first.
func (j *job) printNotes(f *planFile) {
	for _, n := range j.notes(f.result.Notes...) {
		fmt.Fprintln(j.p.Stdout, n)
	}
}

// planErrors says what is wrong with a plan, one fault a line.
func planErrors(c *texts.Catalogue, errs []*offer.InputError) string {
	out := make([]string, len(errs))
	for i, e := range errs {
		out[i] = c.Say(e.Phrase())
	}
	return lines(out...)
}

// offerPlans are the plan files and folders where the last word points.
func offerPlans(last string) [][2]string {
	dir, base := filepath.Split(last)
	look := dir
	if look == "" {
		look = "."
	}
	entries, err := os.ReadDir(look)
	if err != nil {
		return nil
	}
	var out [][2]string
	for _, e := range entries {
		name := e.Name()
		plain := !strings.HasPrefix(name, ".") || strings.HasPrefix(base, ".")
		switch {
		case !plain || !strings.HasPrefix(name, base):
		case e.IsDir():
			out = append(out, [2]string{dir + name + string(filepath.Separator), dir + name})
		case slices.Contains([]string{".yaml", ".yml"}, strings.ToLower(filepath.Ext(name))):
			out = append(out, [2]string{dir + name, name})
		}
	}
	return out
}

// tabular writes rows in columns: the first column to the left, the others as
// right says.
func tabular(w io.Writer, rows [][]string, right ...int) {
	var widths []int
	for _, r := range rows {
		for i, cell := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], cells(cell))
		}
	}
	for _, r := range rows {
		var b strings.Builder
		for i, cell := range r {
			if i > 0 {
				b.WriteString("  ")
			}
			b.WriteString(pad(cell, widths[i], slices.Contains(right, i)))
		}
		fmt.Fprintln(w, "  "+strings.TrimRight(b.String(), " "))
	}
}

// orNull is nil for nothing, so that JSON says null and not "".
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
