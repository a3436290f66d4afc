package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"rentgen/app/guide"
	"rentgen/app/guide/fleet"
	"rentgen/app/guide/report"
	"rentgen/app/guide/track"
	"rentgen/probe/target"
)

// runReport writes what Set up kept of a host: a report, a card report, a message
// to the provider or a test case; or the table of several saved reports.
func runReport(ctx context.Context, j *job) error {
	if err := j.reportFlags(); err != nil {
		return err
	}
	if files, err := j.savedReports(); err != nil || files != nil {
		if err == nil {
			err = j.notWith("FILE.json", "card", "message", "case", "no-redact")
		}
		if err == nil {
			err = j.writeTable(files)
		}
		return err
	}
	if len(j.args) > 1 {
		return &UsageError{Code: "extra", Field: j.args[1], Value: strings.Join(j.args[1:], " "), Allowed: j.cmd.usage()}
	}
	name := ""
	if len(j.args) > 0 {
		name = j.args[0]
	} else {
		last, err := j.latest(ctx)
		if err != nil {
			return err
		}
		name = last
	}
	k, err := j.kept(ctx, name, false)
	if err != nil {
		return err
	}
	defer k.close()
	vs := j.keptViews(k)
	if len(vs) == 0 {
		return &UsageError{Code: "nochecks", Field: "TARGET", Value: name, Allowed: "rentgen check " + name}
	}
	mask := maskOf(k.target)
	if j.is("no-redact") {
		mask = nil
	}
	host := report.Host{Name: k.target.Name, Demo: k.target.Kind == target.Demo}
	if id := guide.CheckID(j.flags["case"]); id != "" {
		return j.writeCase(k, id, maskOf(k.target))
	}
	r := j.reportOf(k.board, host, vs, mask)
	switch {
	case j.is("message"):
		return j.writeMessage(r)
	case j.is("card"):
		return j.writeCard(ctx, k, r.Host, vs, mask)
	}
	return j.write(map[string]func(io.Writer) error{
		"md":   func(w io.Writer) error { _, err := io.WriteString(w, r.Markdown()); return err },
		"html": r.HTML, "png": r.PNG,
		"json": func(io.Writer) error { return j.printJSON(r) },
	})
}

// reportFlags says which flags mean nothing beside the others.
func (j *job) reportFlags() error {
	if _, given := j.flags["case"]; !given {
		if err := j.onlyWith("--case CHECK", "right"); err != nil {
			return err
		}
	} else if err := j.notWith("--case", "card", "message", "no-redact", "format"); err != nil {
		return err
	}
	if j.is("message") {
		return j.notWith("--message", "card", "format", "plan")
	}
	if !j.is("card") {
		return j.onlyWith("--card", "plan")
	}
	return nil
}

// keptViews are the tracks of a host of which anything is kept, the chosen one
// first.
func (j *job) keptViews(k *keptHost) []track.View {
	any := func(v track.View) bool {
		for _, s := range v.Steps {
			for _, c := range s.Checks {
				if c.Record != nil {
					return true
				}
			}
			for _, i := range s.Items {
				if i.Tick != nil && v.Track == k.board.Track() {
					return true
				}
			}
		}
		return false
	}
	var list []track.View
	main := k.board.Track()
	for _, t := range append([]guide.Track{main}, guide.Tracks()...) {
		if t == main && len(list) > 0 {
			continue
		}
		if v := k.board.View(t); any(v) {
			list = append(list, v)
		}
	}
	return list
}

// format is the form that was asked for.
func (j *job) format() string {
	switch f, given := j.flags["format"]; {
	case j.is("json"):
		return "json"
	case given:
		return f
	}
	return "md"
}

// write writes the form that was asked for. A picture is no text: a terminal gets
// an error instead.
func (j *job) write(forms map[string]func(io.Writer) error) error {
	want := j.format()
	form, ok := forms[want]
	if !ok {
		return &UsageError{Code: "value", Field: "--format", Value: want, Allowed: strings.Join(slices.Sorted(maps.Keys(forms)), ", ")}
	}
	if f, isFile := j.p.Stdout.(*os.File); want == "png" && isFile && term.IsTerminal(int(f.Fd())) {
		return &UsageError{Code: "picture", Field: "--format", Value: "png", Allowed: "> report.png"}
	}
	var b bytes.Buffer
	if want == "json" { // printed as one line
		return form(j.p.Stdout)
	}
	if err := form(&b); err != nil {
		return err
	}
	_, err := j.p.Stdout.Write(b.Bytes())
	return err
}

func (j *job) writeMessage(r *report.Report) error {
	text := r.Message()
	if text == "" {
		j.say("cli.report.nomessage")
		return nil
	}
	if j.is("json") {
		return j.printJSON(map[string]string{"format": "text", "text": text})
	}
	_, err := io.WriteString(j.p.Stdout, text)
	return err
}

func (j *job) writeCard(ctx context.Context, k *keptHost, h report.Host, vs []track.View, m *report.Mask) error {
	needs, err := j.needs()
	if err != nil {
		return err
	}
	load, err := underLoad(ctx, k.store, k.target.ID)
	if err != nil {
		return err
	}
	c := report.MakeCard(report.CardParams{
		Lang: j.c.Lang, Host: h, Views: vs, Needs: needs.of(k.board.Provider()), Load: load, Picture: lastPicture(k.board), Now: time.Now(), Mask: m,
	})
	return j.write(map[string]func(io.Writer) error{
		"md":   func(w io.Writer) error { _, err := io.WriteString(w, c.Markdown()); return err },
		"png":  c.PNG,
		"json": func(io.Writer) error { return j.printJSON(c) },
	})
}

type caseJSON struct {
	File  string            `json:"file"`
	Row   map[string]string `json:"row"`
	Raw   string            `json:"raw"`
	Got   guide.Verdict     `json:"got"`
	Right guide.Verdict     `json:"right"`
	Kept  bool              `json:"kept"`
}

// writeCase writes the latest of a check as a test case, always hidden.
func (j *job) writeCase(k *keptHost, id guide.CheckID, m *report.Mask) error {
	right := guide.Verdict(j.flags["right"])
	if right == "" {
		return &UsageError{Code: "missing", Field: "--right", Allowed: "pass, warn, fail, skip"}
	}
	var latest *guide.Record
	for _, t := range guide.Tracks() {
		if rec, _, ok := k.board.Latest(t, id); ok && rec.BlockedBy == "" && (latest == nil || rec.Time.After(latest.Time)) {
			latest = &rec
		}
	}
	if latest == nil {
		return &UsageError{Code: "nochecks", Field: "--case", Value: string(id), Allowed: "rentgen check " + k.target.Name + " --step " + string(id)}
	}
	c, err := report.MakeCase(report.CaseParams{Record: *latest, Want: right, Mask: m})
	if err != nil {
		return err
	}
	if !c.Kept {
		j.say("cli.report.case.changed")
	}
	if !j.is("json") {
		index, err := c.Index()
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(j.p.Stdout, "%s\n%s:\n%s\n", index, c.File, bytes.TrimRight(c.Raw, "\n"))
		return err
	}
	out := caseJSON{File: c.File, Row: map[string]string{}, Raw: string(c.Raw), Got: c.Got, Right: right, Kept: c.Kept}
	for i, name := range report.CaseColumns {
		out.Row[name] = c.Row[i]
	}
	return j.printJSON(out)
}

// savedReports reads the arguments that are files; nil where none is.
func (j *job) savedReports() (fleet.Table, error) {
	var table fleet.Table
	files := 0
	var others []string
	for _, a := range j.args {
		info, err := os.Stat(a)
		if err != nil && strings.HasSuffix(a, ".json") { // no login line ends so
			return nil, &UsageError{Code: "file", Field: "FILE.json", Value: a, Allowed: reason(err)}
		}
		if err != nil || !info.Mode().IsRegular() {
			others = append(others, a)
			continue
		}
		files++
		rows, err := readSaved(a)
		if err != nil {
			return nil, err
		}
		table = append(table, rows...)
	}
	if files > 0 && files < len(j.args) {
		return nil, &UsageError{Code: "notfile", Field: "FILE.json", Value: strings.Join(others, ", "), Allowed: "rentgen report " + others[0]}
	}
	return table, nil
}

func readSaved(path string) (fleet.Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &UsageError{Code: "file", Field: "TARGET", Value: path, Allowed: reason(err)}
	}
	defer f.Close()
	list, err := fleet.Read(f)
	if errors.Is(err, report.ErrNoReport) {
		return nil, &UsageError{Code: "noreport", Field: "TARGET", Value: path, Allowed: "rentgen check TARGET --json"}
	}
	if err != nil {
		return nil, &UsageError{Code: "file", Field: "TARGET", Value: path, Allowed: reason(err)}
	}
	return list, nil
}

func (j *job) writeTable(t fleet.Table) error {
	return j.write(map[string]func(io.Writer) error{
		"md": func(w io.Writer) error { _, err := io.WriteString(w, t.Markdown(j.c)); return err },
		"csv": func(w io.Writer) error {
			b, err := t.CSV(j.c)
			if err == nil {
				_, err = w.Write(b)
			}
			return err
		},
		"json": func(io.Writer) error { return j.jsonTable(t) },
	})
}
