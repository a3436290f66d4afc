package fleet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"rentgen/app/guide"
	"rentgen/app/guide/report"
	"rentgen/assets/texts"
)

// File is a table as JSON.
type File struct {
	Verdict  report.Verdict `json:"verdict"`
	Sentence string         `json:"sentence"`
	Machines []Line         `json:"machines"`
}

// Line is a row as JSON.
type Line struct {
	Name     string         `json:"name"`
	State    State          `json:"state"`
	Verdict  report.Verdict `json:"verdict"`
	Sentence string         `json:"sentence"`
	First    string         `json:"first"`
	Remedy   string         `json:"remedy"`
	Check    guide.CheckID  `json:"check"`
	Fault    string         `json:"fault"`
	Code     int            `json:"code"` // that checking this one alone would end with
	Report   *report.Report `json:"report"`
}

// File is the table as JSON; code is the exit code of a row.
func (t Table) File(c *texts.Catalogue, code func(Row) int) File {
	out := File{Verdict: report.Verdict(t.Verdict()), Sentence: c.Say(t.Sentence()), Machines: []Line{}}
	for _, r := range t {
		out.Machines = append(out.Machines, Line{
			Name: r.Name, State: r.State, Verdict: report.Verdict(r.Verdict), Sentence: r.Sentence, First: r.First, Remedy: r.Do, Check: r.Check,
			Fault: r.Fault, Code: code(r), Report: r.Report,
		})
	}
	return out
}

// Read reads what was saved: a report, or a table of several machines. The errors
// are those of report.Read.
func Read(from io.Reader) (Table, error) {
	b, err := io.ReadAll(io.LimitReader(from, report.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read a report: %w", err)
	}
	var f struct {
		Machines []struct {
			Name, Fault string
			State       State
			Report      json.RawMessage
		}
	}
	if len(b) > report.MaxFile || json.Unmarshal(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), &f) != nil || f.Machines == nil {
		r, err := report.Read(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		return Table{Of(r)}, nil
	}
	table := Table{}
	for _, m := range f.Machines {
		name := guide.Clean([]byte(m.Name), 4*maxName)
		if len(m.Report) == 0 || string(m.Report) == "null" {
			row := Row{Name: name, State: Failed, Fault: guide.Clean([]byte(m.Fault), maxLine)}
			if m.State == Stopped {
				row.State = Stopped
			}
			table = append(table, row)
			continue
		}
		r, err := report.Read(bytes.NewReader(m.Report))
		if err != nil {
			return nil, err
		}
		row := Of(r)
		row.Name = name
		table = append(table, row)
	}
	return table, nil
}
