package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// call is a command line that was understood.
type call struct {
	cmd   command
	args  []string
	flags map[string]string // by name, as given; "true" for a switch
}

func (c *call) is(flag string) bool { return c.flags[flag] == "true" }

// rate returns readings a second.
func (c *call) rate() float64 {
	n, err := strconv.ParseFloat(c.flags["rate"], 64)
	if err != nil {
		return 1
	}
	return n
}

// pairs returns the names and values of a flag that may be given several times.
func (c *call) pairs(flag string) [][2]string {
	var list [][2]string
	if all, ok := c.flags[flag]; ok {
		for _, s := range strings.Split(all, "\x00") {
			name, value, _ := strings.Cut(s, "=")
			list = append(list, [2]string{name, value})
		}
	}
	return list
}

// duration returns a flag's duration, 0 where it was not given.
func (c *call) duration(flag string) time.Duration {
	d, err := time.ParseDuration(c.flags[flag])
	if err != nil {
		return 0
	}
	return d
}

// parse understands a command line. The error is a *UsageError.
func parse(table []command, words []string) (*call, error) {
	cmd, rest, err := pick(table, words)
	if err != nil {
		return nil, err
	}
	c := &call{cmd: cmd, flags: make(map[string]string)}
	if cmd.hidden {
		c.args = rest // other people's words: no flags of ours among them
		return c, nil
	}
	set := pflag.NewFlagSet(cmd.name, pflag.ContinueOnError)
	set.SetInterspersed(true)
	set.Usage = func() {}
	for _, f := range cmd.allFlags() {
		v := &flagValue{spec: f, into: c.flags}
		short := f.short
		if f.name == "help" {
			short = "h"
		}
		p := set.VarPF(v, f.name, short, "")
		if f.kind == kindBool {
			p.NoOptDefVal = "true"
		}
	}
	if err := set.Parse(rest); err != nil {
		return nil, flagError(cmd, err)
	}
	c.args = set.Args()
	if c.is("help") {
		return c, nil
	}
	return c, c.checkArgs()
}

// pick finds the command that the first words name.
func pick(table []command, words []string) (command, []string, error) {
	var group []string // second words that would have been possible
	first := ""
	if len(words) > 0 && !strings.HasPrefix(words[0], "-") {
		first = words[0]
	}
	if first == "" {
		// Flags may stand before the command; only switches and --lang do.
		i := 0
		for i < len(words) && strings.HasPrefix(words[i], "-") && words[i] != "--" {
			if words[i] == "--lang" {
				i++
			}
			i++
		}
		if i >= len(words) || i == 0 {
			return root(table), words, nil
		}
		cmd, rest, err := pick(table, words[i:])
		return cmd, append(slices.Clone(words[:i]), rest...), err
	}
	for _, c := range table {
		head, sub, two := strings.Cut(c.name, " ")
		if c.name == "" || head != first {
			continue
		}
		if !two {
			return c, words[1:], nil
		}
		group = append(group, sub)
		if len(words) > 1 && words[1] == sub {
			return c, words[2:], nil
		}
	}
	if group == nil {
		var names []string
		for _, c := range table {
			head, _, _ := strings.Cut(c.name, " ")
			if head != "" && !c.hidden && !slices.Contains(names, head) {
				names = append(names, head)
			}
		}
		return command{}, nil, &UsageError{Code: "command", Field: "COMMAND", Value: first, Allowed: strings.Join(names, ", ")}
	}
	if len(words) > 1 && (words[1] == "--help" || words[1] == "-h") {
		for _, c := range table {
			if c.name == "help" {
				return c, []string{first}, nil
			}
		}
	}
	for i := range group {
		group[i] = first + " " + group[i]
	}
	wrong := &UsageError{Code: "half", Field: "COMMAND", Value: first, Allowed: strings.Join(group, ", ")}
	if len(words) > 1 && !strings.HasPrefix(words[1], "-") {
		wrong.Code, wrong.Value = "command", first+" "+words[1]
	}
	return command{}, nil, wrong
}

func root(table []command) command {
	for _, c := range table {
		if c.name == "" {
			return c
		}
	}
	panic("cli: the table has no row for the window")
}

func (c *call) checkArgs() error {
	for i, a := range c.cmd.args {
		if a.rest && len(c.args) > i {
			return nil
		}
		if i >= len(c.args) {
			if a.optional {
				return nil
			}
			return &UsageError{Code: "missing", Field: a.name, Allowed: c.cmd.usage()}
		}
		if a.choices != nil && !slices.Contains(a.choices, c.args[i]) {
			return &UsageError{Code: "value", Field: a.name, Value: c.args[i], Allowed: strings.Join(a.choices, ", ")}
		}
	}
	if extra := len(c.args) - len(c.cmd.args); extra > 0 {
		return &UsageError{Code: "extra", Field: c.args[len(c.cmd.args)], Value: strings.Join(c.args[len(c.cmd.args):], " "), Allowed: c.cmd.usage()}
	}
	return nil
}

// flagValue checks a flag's value while it is parsed.
type flagValue struct {
	spec flagSpec
	into map[string]string
}

// String returns what was given.
func (v *flagValue) String() string { return v.into[v.spec.name] }

// Type is what pflag would show.
func (v *flagValue) Type() string { return v.spec.meta }

// Set takes a value or says that it can't be used.
func (v *flagValue) Set(s string) error {
	ok := true
	switch v.spec.kind {
	case kindBool:
		b, err := strconv.ParseBool(s)
		ok, s = err == nil, strconv.FormatBool(b)
	case kindChoice:
		ok = slices.Contains(v.spec.choices, s)
	case kindRate:
		n, err := strconv.ParseFloat(s, 64)
		s = strconv.FormatFloat(n, 'f', -1, 64)
		ok = err == nil && slices.Contains(v.spec.choices, s)
	case kindDuration:
		d, err := time.ParseDuration(s)
		ok = err == nil && d > 0
	case kindTime:
		_, err := parseTime(s, time.Local)
		ok = err == nil
	case kindNumber:
		n, err := strconv.Atoi(s)
		ok, s = err == nil, strconv.Itoa(n)
	case kindPairs:
		name, _, found := strings.Cut(s, "=")
		ok = found && name != ""
		if had, given := v.into[v.spec.name]; given {
			s = had + "\x00" + s // no argument holds one
		}
	}
	if !ok {
		return errValue
	}
	v.into[v.spec.name] = s
	return nil
}

var errValue = errors.New("value can't be used")

// allowed says what a flag takes.
func (f flagSpec) allowed() string {
	if f.takes != "" {
		return f.takes
	}
	switch f.kind {
	case kindBool:
		return "true, false"
	case kindDuration:
		return "30s, 5m, 1h30m"
	case kindTime:
		return "2026-11-29, 2026-11-29 20:00, 2026-11-29T20:00:00Z"
	case kindNumber:
		return "0, 1, 127"
	case kindText, kindPairs:
		return f.meta
	}
	return strings.Join(f.choices, ", ")
}

// flagError turns pflag's errors into ours.
func flagError(cmd command, err error) error {
	find := func(name string) flagSpec {
		for _, f := range cmd.allFlags() {
			if f.name == name {
				return f
			}
		}
		return flagSpec{}
	}
	var unknown *pflag.NotExistError
	var needs *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		name := "--" + unknown.GetSpecifiedName()
		if unknown.GetSpecifiedShortnames() != "" {
			name = "-" + unknown.GetSpecifiedName()
		}
		var names []string
		for _, f := range cmd.allFlags() {
			names = append(names, "--"+f.name)
		}
		return &UsageError{Code: "flag", Field: name, Value: name, Allowed: strings.Join(names, ", ")}
	case errors.As(err, &needs):
		f := find(needs.GetFlag().Name)
		return &UsageError{Code: "needs", Field: "--" + f.name, Allowed: f.allowed()}
	case errors.As(err, &invalid):
		f := find(invalid.GetFlag().Name)
		return &UsageError{Code: "value", Field: "--" + f.name, Value: invalid.GetValue(), Allowed: f.allowed()}
	}
	return &UsageError{Code: "syntax", Field: "flags", Value: err.Error(), Allowed: cmd.usage()}
}

// parseTime reads a moment: RFC 3339, or a date with or without a time in loc.
func parseTime(s string, loc *time.Location) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	for _, layout := range []string{"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, s, loc); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time", s)
}
