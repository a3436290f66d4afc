package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/text/width"
)

// help prints what a command does.
func (j *job) help(cmd command) error {
	if j.is("json") {
		return j.printJSON(j.describe(cmd))
	}
	var b strings.Builder
	t := j.c.T
	b.WriteString(t("cli.cmd."+cmd.key()) + "\n\n" + t("cli.help.usage") + "\n  " + cmd.usage() + "\n")
	if cmd.name == "" {
		b.WriteString("  rentgen COMMAND ...\n\n" + t("cli.help.commands") + "\n")
		var rows [][2]string
		for _, c := range j.table {
			if c.name != "" && !c.hidden {
				rows = append(rows, [2]string{c.name, t("cli.cmd." + c.key())})
			}
		}
		columns(&b, rows)
	}
	if len(cmd.args) > 0 {
		b.WriteString("\n" + t("cli.help.args") + "\n")
		var rows [][2]string
		for _, a := range cmd.args {
			rows = append(rows, [2]string{a.name, t("cli.arg." + strings.ToLower(a.name))})
		}
		columns(&b, rows)
	}
	b.WriteString("\n" + t("cli.help.flags") + "\n")
	var rows [][2]string
	for _, f := range cmd.allFlags() {
		rows = append(rows, [2]string{f.usage(), j.flagText(f)})
	}
	columns(&b, rows)
	b.WriteString("\n" + t("cli.help.examples") + "\n")
	for _, e := range cmd.examples {
		b.WriteString("  " + e + "\n")
	}
	if cmd.name == "" {
		b.WriteString("\n" + t("cli.help.codes") + "\n")
		columns(&b, j.codes())
	}
	_, err := io.WriteString(j.p.Stdout, b.String())
	return err
}

func (f flagSpec) usage() string {
	if f.kind == kindBool {
		return "--" + f.name
	}
	return "--" + f.name + " " + f.meta
}

// flagText is a flag's sentence with what it takes and its default.
func (j *job) flagText(f flagSpec) string {
	s := j.c.T(f.key())
	switch {
	case f.kind == kindBool:
		return s
	case f.preset != "":
		return s + j.c.T("cli.help.preset", "allowed", listed(j.c, f.allowed()), "preset", f.preset)
	case f.allowed() == f.meta: // it stands before the sentence
		return s
	}
	return s + j.c.T("cli.help.takes", "allowed", listed(j.c, f.allowed()))
}

// codes are the exit codes with their meaning.
func (j *job) codes() [][2]string {
	var rows [][2]string
	for _, n := range []int{ExitDone, ExitInternal, ExitUsage, ExitConnect, ExitLogin, ExitHostKey, ExitNoGPU, ExitInterrupted} {
		rows = append(rows, [2]string{fmt.Sprint(n), j.c.T(fmt.Sprintf("cli.code.%d", n))})
	}
	return append(rows, [2]string{"1, 2, 3, 4", j.c.T("cli.code.check")}, [2]string{fmt.Sprint(ExitRefused), j.c.T("cli.code.guard")})
}

// columns writes pairs as two columns; Chinese characters are two wide.
func columns(w io.Writer, rows [][2]string) {
	widest := 0
	for _, r := range rows {
		widest = max(widest, cells(r[0]))
	}
	for _, r := range rows {
		fmt.Fprintf(w, "  %s%s  %s\n", r[0], strings.Repeat(" ", widest-cells(r[0])), r[1])
	}
}

// cells is how many places of a terminal s takes.
func cells(s string) int {
	n := 0
	for _, r := range s {
		switch width.LookupRune(r).Kind() {
		case width.EastAsianWide, width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}

type commandJSON struct {
	Name     string     `json:"name"`
	Usage    string     `json:"usage"`
	Text     string     `json:"text"`
	Args     []string   `json:"args"`
	Flags    []flagJSON `json:"flags"`
	Examples []string   `json:"examples"`
}

type flagJSON struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Allowed string `json:"allowed"`
	Preset  string `json:"default"`
	Text    string `json:"text"`
}

func (j *job) describe(c command) commandJSON {
	out := commandJSON{
		Name: c.name, Usage: c.usage(), Text: j.c.T("cli.cmd." + c.key()),
		Args: []string{}, Flags: []flagJSON{}, Examples: c.examples,
	}
	for _, a := range c.args {
		out.Args = append(out.Args, a.name)
	}
	for _, f := range c.allFlags() {
		out.Flags = append(out.Flags, flagJSON{f.name, f.meta, f.allowed(), f.preset, j.c.T(f.key())})
	}
	return out
}

// runHelp prints help on the program, a command or a group of commands.
func runHelp(_ context.Context, j *job) error {
	want := strings.Join(j.args, " ")
	if want == "" {
		if !j.is("json") {
			return j.help(root(j.table))
		}
		all := []commandJSON{}
		for _, c := range j.table {
			if !c.hidden {
				all = append(all, j.describe(c))
			}
		}
		return j.printJSON(all)
	}
	i := slices.IndexFunc(j.table, func(c command) bool { return c.name == want })
	if i >= 0 {
		return j.help(j.table[i])
	}
	var group []command
	for _, c := range j.table {
		if strings.HasPrefix(c.name, want+" ") {
			group = append(group, c)
		}
	}
	if group == nil {
		_, _, err := pick(j.table, j.args)
		if err == nil {
			err = &UsageError{Code: "command", Field: "COMMAND", Value: want, Allowed: "rentgen help"}
		}
		return err
	}
	for n, c := range group {
		if n > 0 && !j.is("json") {
			fmt.Fprintln(j.p.Stdout)
		}
		if err := j.help(c); err != nil {
			return err
		}
	}
	return nil
}

type versionJSON struct {
	Version string   `json:"version"`
	Go      string   `json:"go"`
	System  string   `json:"system"`
	Agents  []string `json:"agents"`
}

// runVersion prints what this build is and which programs for hosts it holds.
func runVersion(_ context.Context, j *job) error {
	v := versionJSON{Version: j.p.Version, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, Agents: builtAgents()}
	if j.is("json") {
		return j.printJSON(v)
	}
	held := strings.Join(v.Agents, ", ")
	if held == "" {
		held = j.c.T("cli.version.none")
	}
	_, err := fmt.Fprintf(j.p.Stdout, "rentgen %s (%s, %s)\n%s\n", v.Version, v.System, v.Go, j.c.T("cli.version.agents", "list", held))
	return err
}

// printJSON writes one object as a line.
func (j *job) printJSON(v any) error {
	e := json.NewEncoder(j.p.Stdout)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}
