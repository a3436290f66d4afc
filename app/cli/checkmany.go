package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"rentgen/app/guide"
	"rentgen/app/guide/fleet"
	"rentgen/app/guide/report"
	"rentgen/app/settings"
	"rentgen/assets/texts"
	"rentgen/probe/remote"
	"rentgen/probe/target"
)

// checkMany checks the hosts of a list, a few at a time. Nobody is asked: several
// would ask at once.
func (j *job) checkMany(ctx context.Context) error {
	machines, err := j.machines()
	if err != nil {
		return err
	}
	if _, err := j.scope(); err != nil { // before anything is connected to
		return err
	}
	if err := j.checkValues(); err != nil {
		return err
	}
	needs, err := j.needs()
	if err != nil {
		return err
	}
	o := opening{}
	if j.is("password-stdin") {
		if o.password, err = readPassword(j.in); err != nil {
			return err
		}
		j.redactor.Secret(o.password)
	}
	table := fleet.Check(ctx, fleet.Params{
		Machines: machines, Say: j.sentence,
		Check: func(ctx context.Context, m fleet.Machine) (*report.Report, error) {
			r, err := j.checkOne(ctx, m.Line, checking{opening: o, needs: needs, progress: func(string) {}})
			if err != nil {
				return nil, err
			}
			r.Host.Name = m.Name
			return r, nil
		},
		Changed: func(_ int, r fleet.Row) {
			line, _, _ := strings.Cut(firstOf(r.Fault, r.First, r.Sentence), "\n")
			if line == "" {
				j.say("cli.check.machine.state", "name", r.Name, "state", fleet.Word(j.c, r))
				return
			}
			j.say("cli.check.machine", "name", r.Name, "state", fleet.Word(j.c, r), "line", line)
		},
	})
	if err := j.printTable(table); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Canceled
	}
	return tableCode(table)
}

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// tableCode is the exit code of a table: a fail, then one that could not be
// checked, then the rest.
func tableCode(t fleet.Table) error {
	if v := t.Verdict(); v == guide.Fail {
		return verdictCode(v)
	}
	for _, r := range t {
		if r.State != fleet.Done {
			return answered{ExitNotRun}
		}
	}
	return verdictCode(t.Verdict())
}

// machines are those of --hosts, "-" for standard input, and of the arguments.
func (j *job) machines() ([]fleet.Machine, error) {
	var list []fleet.Machine
	if path, given := j.flags["hosts"]; given {
		b, err := j.listBytes(path)
		if err != nil {
			return nil, err
		}
		var wrong fleet.Errors
		if list, err = fleet.Parse(b, j.usable); errors.As(err, &wrong) {
			return nil, &listError{wrong, j.redactor}
		}
	}
	for _, a := range j.args {
		if !slices.ContainsFunc(list, func(m fleet.Machine) bool { return m.Line == a }) { // the same one twice is checked once
			list = append(list, fleet.Machine{Name: a, Line: a})
		}
	}
	return list, nil
}

func (j *job) listBytes(path string) ([]byte, error) {
	from := j.in
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, &UsageError{Code: "file", Field: "--hosts", Value: path, Allowed: reason(err)}
		}
		defer f.Close()
		from = j.waits(f)
	}
	b, err := io.ReadAll(io.LimitReader(from, fleet.MaxList+1))
	if err != nil {
		return nil, &UsageError{Code: "file", Field: "--hosts", Value: path, Allowed: reason(err)}
	}
	return b, nil
}

// usable says why a word of a list names no host, the zero phrase where it does.
func (j *job) usable(line string) texts.Phrase {
	t, err := j.resolve(context.Background(), line, j.reach().Config())
	var in *remote.InputError
	switch {
	case err == nil && t.Login.Password != "":
		j.redactor.Secret(t.Login.Password)
		return texts.P("cli.check.list.password")
	case err == nil:
		return texts.Phrase{}
	case errors.As(err, &in):
		if in.Value == "" {
			return texts.P("cli.check.list.short", "allowed", in.Allowed)
		}
		return texts.P("cli.check.list.login", "value", in.Value, "allowed", in.Allowed)
	case errors.As(err, new(*target.UnknownError)):
		return texts.P("cli.check.list.unknown")
	}
	return texts.P("cli.check.list.login", "value", line, "allowed", "ssh -p 38076 root@region-1.example.com")
}

// listError is a list with lines that can't be used.
type listError struct {
	err  fleet.Errors
	hide *settings.Redactor // of the passwords in it
}

// Error returns the sentences in English.
func (e *listError) Error() string { return e.hide.Text(e.err.Error()) }

// Unwrap returns the lines' errors.
func (e *listError) Unwrap() error { return e.err }

// ExitCode returns 64.
func (e *listError) ExitCode() int { return ExitUsage }

// printTable writes a table for a terminal or as JSON.
func (j *job) printTable(t fleet.Table) error {
	if j.is("json") {
		return j.jsonTable(t)
	}
	rows := [][]string{{j.c.T("fleet.col.name"), j.c.T("fleet.col.verdict"), j.c.T("fleet.col.first")}}
	for _, r := range t {
		first, more, _ := strings.Cut(firstOf(r.Fault, r.First, r.Sentence), "\n")
		rows = append(rows, []string{r.Name, fleet.Word(j.c, r), first})
		do := r.Do
		if r.Fault != "" { // what to do stands behind what is so
			do, _, _ = strings.Cut(more, "\n")
		}
		if do != "" {
			rows = append(rows, []string{"", "", j.c.T("report.pair", "a", j.c.T("report.do"), "b", do)})
		}
	}
	fmt.Fprintln(j.p.Stdout, j.c.Say(t.Sentence()))
	tabular(j.p.Stdout, rows)
	return nil
}

func (j *job) jsonTable(t fleet.Table) error {
	return j.printJSON(t.File(j.c, func(r fleet.Row) int {
		if r.Err != nil {
			return exitCode(r.Err)
		}
		if code := (answered{}); errors.As(verdictCode(r.Verdict), &code) {
			return code.code
		}
		return ExitDone
	}))
}
