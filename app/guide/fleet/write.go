package fleet

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"
	"unicode/utf8"

	"rentgen/app/guide"
	"rentgen/app/guide/report"
	"rentgen/assets/texts"
)

// cells are a row in words.
func cells(c *texts.Catalogue, r Row) []string {
	first, do, card, driver, when, marks := r.First, r.Do, "", "", "", ""
	if r.Report != nil {
		card, driver = strings.Join(r.Report.Host.Cards, " + "), r.Report.Host.Driver
		when = texts.DateTime(c, r.Report.Made)
		marks = Marks(c, r.Report)
	}
	switch {
	case r.Fault != "":
		first = r.Fault
	case first == "" && r.State == Done:
		first = r.Sentence
	}
	return []string{r.Name, c.T("fleet.state." + state(r)), first, do, card, driver, when, marks}
}

// Word names the state of a row, or its verdict once it has one.
func Word(c *texts.Catalogue, r Row) string { return c.T("fleet.state." + state(r)) }

func state(r Row) string {
	switch {
	case r.State != Done:
		return string(r.State)
	case r.Verdict == guide.NotRun:
		return "none"
	}
	return string(r.Verdict)
}

// Marks says what must be known beside the verdict of a report: how much was left
// out, edited, pasted or is out of date, and that it is the demo's.
func Marks(c *texts.Catalogue, r *report.Report) string {
	left, edited, pasted, stale := 0, 0, 0, 0
	for _, s := range r.Steps {
		if s.Skipped != "" {
			left++
		}
		for _, k := range s.Checks {
			for n, on := range map[*int]bool{&left: k.Skipped != "", &edited: k.Edited && k.Exit != nil, &pasted: k.Pasted, &stale: k.Stale != ""} {
				if on {
					*n++
				}
			}
		}
	}
	var list []string
	if r.Host.Demo {
		list = append(list, c.T("fleet.mark.demo"))
	}
	for _, m := range []struct {
		key string
		n   int
	}{{"left", left}, {"edited", edited}, {"pasted", pasted}, {"stale", stale}} {
		if m.n > 0 {
			list = append(list, c.T("fleet.mark."+m.key, "n", m.n))
		}
	}
	return strings.Join(list, " · ")
}

// columnKeys are the heads of the table.
var columnKeys = []string{"name", "verdict", "first", "do", "card", "driver", "when", "marks"}

func heads(c *texts.Catalogue) []string {
	var list []string
	for _, k := range columnKeys {
		list = append(list, c.T("fleet.col."+k))
	}
	return list
}

// Markdown writes the table as Markdown.
func (t Table) Markdown(c *texts.Catalogue) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", report.Plain(c.Say(t.Sentence())))
	line := func(list []string) {
		for i := range list {
			list[i] = report.Plain(list[i])
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(list, " | "))
	}
	line(heads(c))
	fmt.Fprintf(&b, "|%s\n", strings.Repeat(" --- |", len(columnKeys)))
	for _, r := range t {
		line(cells(c, r))
	}
	fmt.Fprintf(&b, "\n%s\n", report.Plain(c.T("fleet.scope")))
	return b.String()
}

// CSV writes the table for spreadsheets. A cell that one would take for a formula
// gets an apostrophe.
func (t Table) CSV(c *texts.Catalogue) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("\ufeff") // else Excel takes it for an old encoding
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	rows := [][]string{heads(c)}
	for _, r := range t {
		rows = append(rows, cells(c, r))
	}
	for _, row := range rows {
		for i, s := range row {
			if r, _ := utf8.DecodeRuneInString(s); strings.ContainsRune("=+-@\t＝＋－＠", r) && s != "" {
				row[i] = "'" + s
			}
		}
	}
	if err := w.WriteAll(rows); err != nil {
		return nil, fmt.Errorf("write the table: %w", err)
	}
	return b.Bytes(), nil
}
