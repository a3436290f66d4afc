package cli

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		line  string // words, split at |
		cmd   string
		args  string
		flags string // name=value, split at blanks
	}{
		{"", "", "", ""},
		{"--demo", "", "", "demo=true"},
		{"--lang|zh", "", "", "lang=zh"},
		{"probe|demo", "probe", "demo", ""},
		{"probe|demo|--for|3s|--json", "probe", "demo", "for=3s json=true"},
		{"probe|--for=3s|--json|demo", "probe", "demo", "for=3s json=true"},
		{"probe|--rate|5.0|demo|--source|smi", "probe", "demo", "rate=5 source=smi"},
		{"probe|ssh -i KEY -p 2222 root@192.0.2.7|--for|3s", "probe", "ssh -i KEY -p 2222 root@192.0.2.7", "for=3s"},
		{"--json|probe|demo", "probe", "demo", "json=true"},
		{"--lang|zh|host|list", "host list", "", "lang=zh"},
		{"host|add|a|ssh root@b", "host add", "a|ssh root@b", ""},
		{"host|forget|a|--with-logs", "host forget", "a", "with-logs=true"},
		{"history|export|3|--from|2026-11-29 20:00", "history export", "3", "from=2026-11-29 20:00"},
		{"help|host|add", "help", "host|add", ""},
		{"host|--help", "help", "host", ""},
		{"probe|-h", "probe", "", "help=true"},
		{"probe|--|demo", "probe", "demo", ""},
		{"__complete|--|probe|--fo", "__complete", "--|probe|--fo", ""},
	} {
		var words []string
		if c.line != "" {
			words = strings.Split(c.line, "|")
		}
		got, err := parse(commands(), words)
		if err != nil {
			t.Errorf("%q: %v", c.line, err)
			continue
		}
		if got.cmd.name != c.cmd || strings.Join(got.args, "|") != c.args {
			t.Errorf("%q: command %q with %q", c.line, got.cmd.name, got.args)
		}
		want := 0
		for _, f := range strings.SplitAfter(c.flags, " ") {
			if name, value, ok := strings.Cut(f, "="); ok {
				want++
				if c.cmd != "history export" {
					value = strings.TrimSpace(value)
				} else {
					value, want = c.flags[len("from="):], 1
				}
				if name == "from" || got.flags[name] == value {
					continue
				}
				t.Errorf("%q: flag %s is %q, want %q", c.line, name, got.flags[name], value)
			}
		}
		if c.cmd != "history export" && len(got.flags) != want {
			t.Errorf("%q: flags %v", c.line, got.flags)
		}
	}
}

func TestBadCommandLines(t *testing.T) {
	for _, c := range []struct{ line, code, field, value, allowed string }{
		{"prob", "command", "COMMAND", "prob", "probe"},
		{"host", "half", "COMMAND", "host", "host add"},
		{"recorder|--json", "half", "COMMAND", "recorder", "recorder status"},
		{"host|remove", "command", "COMMAND", "host remove", "host forget"},
		{"probe", "missing", "TARGET", "", "rentgen probe TARGET"},
		{"why", "missing", "TARGET", "", "rentgen why TARGET..."},
		{"probe|a|b", "extra", "b", "b", "rentgen probe TARGET"},
		{"host|add|a|ssh|root@b", "extra", "root@b", "root@b", "rentgen host add NAME LOGINLINE"},
		{"probe|demo|--rate|3", "value", "--rate", "3", "1, 2, 5, 10"},
		{"probe|demo|--rate|fast", "value", "--rate", "fast", "1, 2, 5, 10"},
		{"probe|demo|--for|-1s", "value", "--for", "-1s", "30s"},
		{"probe|demo|--for|0", "value", "--for", "0", "30s"},
		{"probe|demo|--for|soon", "value", "--for", "soon", "30s"},
		{"probe|demo|--for", "needs", "--for", "", "30s"},
		{"probe|demo|--source|nvml", "value", "--source", "nvml", "auto, agent, smi"},
		{"probe|demo|--sauce|smi", "flag", "--sauce", "--sauce", "--source"},
		{"probe|demo|-x", "flag", "-x", "-x", "--source"},
		{"probe|demo|--json=maybe", "value", "--json", "maybe", "true, false"},
		{"--lang|fr", "value", "--lang", "fr", "zh, en"},
		{"completion|tcsh", "value", "SHELL", "tcsh", "bash, zsh, fish, powershell"},
		{"history|export|1|--from|yesterday", "value", "--from", "yesterday", "2026-11-29 20:00"},
		{"--demo|x", "command", "COMMAND", "x", "probe"},
	} {
		_, err := parse(commands(), strings.Split(c.line, "|"))
		var u *UsageError
		if !errors.As(err, &u) {
			t.Errorf("%q: %v", c.line, err)
			continue
		}
		if u.Code != c.code || u.Field != c.field || u.Value != c.value || !strings.Contains(u.Allowed, c.allowed) {
			t.Errorf("%q: %+v", c.line, u)
		}
		if exitCode(err) != ExitUsage {
			t.Errorf("%q: exit code %d", c.line, exitCode(err))
		}
	}
}

func TestParseTime(t *testing.T) {
	loc := time.FixedZone("x", 8*3600)
	for text, want := range map[string]string{
		"2026-11-29":           "2026-11-28T16:00:00Z",
		"2026-11-29 20:00":     "2026-11-29T12:00:00Z",
		"2026-11-29T20:00:05":  "2026-11-29T12:00:05Z",
		"2026-11-29T20:00:00Z": "2026-11-29T20:00:00Z",
	} {
		got, err := parseTime(text, loc)
		if err != nil || got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%q: %v, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "29.11.2026", "20:00"} {
		if got, err := parseTime(text, loc); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("probe|demo|--for|3s")
	f.Add("--lang|--|host|add|-|--json=")
	f.Add("__complete")
	f.Fuzz(func(t *testing.T, line string) {
		c, err := parse(commands(), strings.Split(line, "|"))
		var u *UsageError
		if err != nil && !errors.As(err, &u) {
			t.Fatalf("%q: %v", line, err)
		}
		if err == nil && c.cmd.run == nil {
			t.Fatalf("%q: nothing to run", line)
		}
	})
}
