package cli

import (
	"cmp"
	"context"
	"strings"

	"rentgen/app/guide"
	"rentgen/app/plan"
)

// command is one row of the table. Its sentence is the text
// "cli.cmd.<name with dots>".
type command struct {
	name     string // "probe", "host add"
	args     []arg
	flags    []flagSpec
	examples []string
	run      func(context.Context, *job) error
	hidden   bool
}

// arg is a positional argument; its text is "cli.arg.<name in lower case>".
type arg struct {
	name     string // as it is shown, "TARGET"
	optional bool
	rest     bool     // takes all that follow
	choices  []string // nil: anything
	complete string   // what completion offers: "target", "host", "log", "plan", "command"
}

// flagSpec is a flag; its text is "cli.flag.<name>", or <text> in its place.
type flagSpec struct {
	name    string // without dashes
	kind    flagKind
	meta    string   // what stands for its value in help
	choices []string // for kindChoice and kindRate
	preset  string   // shown as the default
	takes   string   // what it takes, where its kind alone doesn't say
	must    bool     // the command can't do without it
	short   string   // one letter that stands for it too
	text    string   // its text's key where the name alone says something else elsewhere
}

// key returns the key of the flag's text.
func (f flagSpec) key() string { return "cli.flag." + cmp.Or(f.text, f.name) }

type flagKind uint8

const (
	kindBool     flagKind = iota
	kindChoice            // one of choices
	kindRate              // readings a second, one of choices
	kindDuration          // 30s, 5m, 1h30m; above 0
	kindTime              // a date, a date and time, or RFC 3339
	kindNumber            // a whole number, also below 0
	kindText              // anything
	kindPairs             // NAME=VALUE, may be given several times
)

// everywhere are the flags of every command.
var everywhere = []flagSpec{
	{name: "json", kind: kindBool},
	{name: "lang", kind: kindChoice, meta: "LANG", choices: []string{"zh", "en"}},
	{name: "help", kind: kindBool},
}

var trust = []flagSpec{
	{name: "trust-new", kind: kindBool},
	{name: "password-stdin", kind: kindBool},
}

// shells that completion knows.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// commands is the table. The row without a name opens the window.
func commands() []command {
	target := arg{name: "TARGET", complete: "target"}
	host := arg{name: "NAME", complete: "host"}
	planArg := arg{name: "PLAN.yaml", complete: "plan"}
	pageFormat := flagSpec{name: "format", kind: kindChoice, meta: "FORMAT", choices: []string{"text", "md"}, preset: "text"}
	return []command{
		{
			flags:    []flagSpec{{name: "demo", kind: kindBool}, {name: "version", kind: kindBool}},
			examples: []string{"rentgen", "rentgen --demo"},
			run:      runWindow,
		},
		{
			name: "probe",
			args: []arg{target},
			flags: append([]flagSpec{
				{name: "rate", kind: kindRate, meta: "HZ", choices: []string{"1", "2", "5", "10"}, preset: "1"},
				{name: "for", kind: kindDuration, meta: "D"},
				{name: "source", kind: kindChoice, meta: "SOURCE", choices: []string{"auto", "agent", "smi"}, preset: "auto"},
				{name: "record", kind: kindBool},
			}, trust...),
			examples: []string{
				"rentgen probe demo --for 10s",
				"rentgen probe 'ssh -p 38076 root@region-1.example.com'",
				"rentgen probe mycard --rate 5 --record --json",
			},
			run: runProbe,
		},
		{
			name:     "host add",
			args:     []arg{{name: "NAME"}, {name: "LOGINLINE"}},
			examples: []string{"rentgen host add mycard 'ssh -p 38076 root@region-1.example.com'"},
			run:      runHostAdd,
		},
		{
			name:     "host list",
			examples: []string{"rentgen host list --json"},
			run:      runHostList,
		},
		{
			name: "host forget",
			args: []arg{host},
			flags: append([]flagSpec{
				{name: "with-logs", kind: kindBool}, {name: "remove-helper", kind: kindBool},
			}, trust...),
			examples: []string{"rentgen host forget mycard", "rentgen host forget mycard --remove-helper"},
			run:      runHostForget,
		},
		{
			name:     "history list",
			examples: []string{"rentgen history list --json"},
			run:      runHistoryList,
		},
		{
			name: "history export",
			args: []arg{{name: "ID", complete: "log"}},
			flags: []flagSpec{
				{name: "from", kind: kindTime, meta: "TIME"},
				{name: "to", kind: kindTime, meta: "TIME"},
				{name: "format", kind: kindChoice, meta: "FORMAT", choices: []string{"csv"}, preset: "csv"},
			},
			examples: []string{"rentgen history export 3 --from '2026-11-29 20:00' > night.csv"},
			run:      runHistoryExport,
		},
		{
			name: "history import",
			args: []arg{{name: "FILE.csv"}},
			flags: []flagSpec{
				{name: "name", kind: kindText, meta: "HOST"},
				{name: "tz", kind: kindText, meta: "ZONE", takes: zones},
				{name: "columns", kind: kindText, meta: "LIST"},
				{name: "again", kind: kindBool},
			},
			examples: []string{
				"rentgen history import gpu.csv --name mycard --tz Asia/Shanghai",
				"rentgen history import plain.csv --columns timestamp,index,utilization.gpu,power.draw",
			},
			run: runHistoryImport,
		},
		{
			name: "history report",
			args: []arg{{name: "ID", complete: "log"}},
			flags: []flagSpec{
				{name: "from", kind: kindTime, meta: "TIME"},
				{name: "to", kind: kindTime, meta: "TIME"},
				{name: "format", kind: kindChoice, meta: "FORMAT", choices: []string{"md"}, preset: "md"},
				{name: "out", kind: kindText, meta: "FILE", short: "o"},
			},
			examples: []string{"rentgen history report 3 --from '2026-11-29 20:00' -o night.md"},
			run:      runHistoryReport,
		},
		{
			name: "check",
			args: []arg{{name: "TARGET", optional: true, rest: true, complete: "target"}},
			flags: append([]flagSpec{
				{name: "track", kind: kindChoice, meta: "TRACK", choices: wordsOf(guide.Tracks())},
				{name: "step", kind: kindText, meta: "ID"},
				{name: "level", kind: kindChoice, meta: "LEVEL", choices: wordsOf(guide.Levels()), preset: string(guide.Quick)},
				{name: "set", kind: kindPairs, meta: "NAME=VALUE"},
				{name: "plan", kind: kindText, meta: "PLAN.yaml"},
				{name: "hosts", kind: kindText, meta: "FILE"},
				{name: "paste", kind: kindChoice, meta: "CHECK", choices: wordsOf(guide.Checks())},
				{name: "exit", kind: kindNumber, meta: "CODE"},
				{name: "command", kind: kindText, meta: "TEXT"},
				{name: "context", kind: kindText, meta: "JSON"},
			}, trust...),
			examples: []string{
				"rentgen check demo",
				"rentgen check mycard --track shared --level standard",
				"rentgen check mycard --step shared.4 --json",
				"rentgen check --hosts class.csv --json > class.json",
				"nvidia-smi | rentgen check --paste gpu.smi --track shared --exit 0",
			},
			run: runCheck,
		},
		{
			name: "report",
			args: []arg{{name: "TARGET|FILE.json", optional: true, rest: true, complete: "target"}},
			flags: []flagSpec{
				{name: "format", kind: kindChoice, meta: "FORMAT", choices: []string{"md", "html", "json", "png", "csv"}, preset: "md"},
				{name: "no-redact", kind: kindBool},
				{name: "card", kind: kindBool},
				{name: "message", kind: kindBool},
				{name: "case", kind: kindChoice, meta: "CHECK", choices: wordsOf(guide.Checks())},
				{name: "right", kind: kindChoice, meta: "VERDICT", choices: []string{"pass", "warn", "fail", "skip"}},
				{name: "plan", kind: kindText, meta: "PLAN.yaml"},
			},
			examples: []string{
				"rentgen report > report.md",
				"rentgen report mycard --format png > report.png",
				"rentgen report mycard --card --format png > card.png",
				"rentgen report mycard --message --lang zh",
				"rentgen report seat1.json seat2.json --format csv > class.csv",
			},
			run: runReport,
		},
		{
			name: "why",
			args: []arg{{name: "TARGET", rest: true, complete: "target"}},
			flags: append([]flagSpec{
				{name: "for", kind: kindDuration, meta: "D", preset: "60s"},
				{name: "machine", kind: kindChoice, meta: "KIND", choices: []string{"shared", "dedicated"}},
				{name: "job", kind: kindText, meta: "NAME"},
			}, trust...),
			examples: []string{"rentgen why demo", "rentgen why mycard --for 2m", "rentgen why monday today --json"},
			run:      runWhy,
		},
		{
			name: "judge",
			args: []arg{{name: "RECORDING|FILE.csv", complete: "log"}},
			flags: []flagSpec{
				{name: "from", kind: kindTime, meta: "TIME"},
				{name: "to", kind: kindTime, meta: "TIME"},
				{name: "machine", kind: kindChoice, meta: "KIND", choices: []string{"shared", "dedicated"}},
				{name: "job", kind: kindText, meta: "NAME"},
				{name: "tz", kind: kindText, meta: "ZONE", takes: zones},
				{name: "columns", kind: kindText, meta: "LIST"},
			},
			examples: []string{"rentgen judge 3", "rentgen judge gpu.csv --tz Asia/Shanghai --json"},
			run:      runJudge,
		},
		{
			name:     "fit",
			args:     []arg{planArg},
			examples: []string{"rentgen fit plan.yaml", "rentgen plan example | rentgen fit - --json"},
			run:      runFit,
		},
		{
			name:     "bill",
			args:     []arg{planArg},
			flags:    []flagSpec{pageFormat},
			examples: []string{"rentgen bill plan.yaml", "rentgen bill plan.yaml --format md > bill.md"},
			run:      runBill,
		},
		{
			name:     "advise",
			args:     []arg{planArg},
			flags:    []flagSpec{pageFormat},
			examples: []string{"rentgen advise plan.yaml", "rentgen plan example advise | rentgen advise -"},
			run:      runAdvise,
		},
		{
			name:     "plan example",
			args:     []arg{{name: "KIND", optional: true, choices: plan.Kinds()}},
			examples: []string{"rentgen plan example bill > plan.yaml"},
			run:      runPlanExample,
		},
		{
			name:     "plan guide",
			examples: []string{"rentgen plan guide > guide.md"},
			run:      runPlanGuide,
		},
		planMeasuredCommand(),
		recorderCommand(recorderStart), recorderCommand(recorderStatus), recorderCommand(recorderStop),
		recorderCommand(recorderRemove), recorderCommand(recorderFetch),
		guardCommand(),
		alertsTestCommand(),
		alertsCommand(),
		costPriceCommand(), costImportCommand(), costStoppedCommand(), costBudgetCommand(), costCommand(),
		{
			name:     "completion",
			args:     []arg{{name: "SHELL", choices: shells}},
			examples: []string{"source <(rentgen completion bash)"},
			run:      runCompletion,
		},
		{
			name:     "man",
			examples: []string{"rentgen man > rentgen.1"},
			run:      runMan,
		},
		{
			name:     "version",
			examples: []string{"rentgen version --json"},
			run:      runVersion,
		},
		{
			name:     "help",
			args:     []arg{{name: "COMMAND", optional: true, rest: true, complete: "command"}},
			examples: []string{"rentgen help probe"},
			run:      runHelp,
		},
		{
			name:   "__complete",
			args:   []arg{{name: "WORD", optional: true, rest: true}},
			run:    runComplete,
			hidden: true,
		},
	}
}

// key returns the last part of the command's text key.
func (c command) key() string {
	if c.name == "" {
		return "rentgen"
	}
	return strings.ReplaceAll(c.name, " ", ".")
}

// wordsOf are the words of a closed list.
func wordsOf[T ~string](list []T) []string {
	out := make([]string, 0, len(list))
	for _, v := range list {
		out = append(out, string(v))
	}
	return out
}

// allFlags returns the command's own flags and those of every command.
func (c command) allFlags() []flagSpec {
	return append(append([]flagSpec{}, c.flags...), everywhere...)
}

// usage returns the line that shows how the command is called.
func (c command) usage() string {
	words := []string{"rentgen"}
	if c.name != "" {
		words = append(words, c.name)
	}
	for _, a := range c.args {
		w := a.name
		if a.rest {
			w += "..."
		}
		if a.optional {
			w = "[" + w + "]"
		}
		words = append(words, w)
	}
	for _, f := range c.flags {
		w := "--" + f.name
		if f.kind != kindBool {
			w += " " + f.meta
		}
		if !f.must {
			w = "[" + w + "]"
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}
