package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// The scripts only hand the words typed so far to "rentgen __complete" and
// offer its lines (word, a tab, what it is), so every shell offers the same.
var completionScripts = map[string]string{
	"bash": `_rentgen() {
    local line IFS=$'\n'
    COMPREPLY=()
    while read -r line; do
        COMPREPLY+=("$(printf '%q' "${line%%$'\t'*}")")
    done < <(rentgen __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _rentgen rentgen
`,
	"zsh": `#compdef rentgen
_rentgen() {
    local line
    local -a offers
    while IFS= read -r line; do
        offers+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done < <(rentgen __complete -- "${words[2,CURRENT]}" 2>/dev/null)
    _describe rentgen offers
}
compdef _rentgen rentgen
`,
	"fish": `complete -c rentgen -f -a '(rentgen __complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
	"powershell": `Register-ArgumentCompleter -Native -CommandName rentgen -ScriptBlock {
    param($word, $ast, $cursor)
    $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString().Trim('"', "'") })
    if ($word -eq '') { $words += '' }
    rentgen __complete -- @words 2>$null | ForEach-Object {
        $offer, $text = $_ -split "` + "`t" + `", 2
        if ($offer -match '\s') { $quoted = "'" + $offer + "'" } else { $quoted = $offer }
        [System.Management.Automation.CompletionResult]::new($quoted, $offer, 'ParameterValue', $(if ($text) { $text } else { $offer }))
    }
}
`,
}

// runCompletion prints a shell's completion script.
func runCompletion(_ context.Context, j *job) error {
	script := completionScripts[j.args[0]]
	if j.is("json") {
		return j.printJSON(map[string]string{"shell": j.args[0], "script": script})
	}
	_, err := io.WriteString(j.p.Stdout, script)
	return err
}

// runComplete prints what could stand at the last of the given words.
func runComplete(ctx context.Context, j *job) error {
	words := j.args
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	for _, o := range j.offers(ctx, words[:len(words)-1], last) {
		if strings.HasPrefix(o[0], last) {
			fmt.Fprintf(j.p.Stdout, "%s\t%s\n", o[0], o[1])
		}
	}
	return nil
}

// offers returns words and what they are, for the place after before.
func (j *job) offers(ctx context.Context, before []string, last string) [][2]string {
	cmd, rest, err := pick(j.table, before)
	if err != nil || cmd.name == "" {
		return j.offerCommands(before, last)
	}
	if n := len(rest); n > 0 && strings.HasPrefix(rest[n-1], "--") {
		for _, f := range cmd.allFlags() {
			if "--"+f.name == rest[n-1] && f.kind != kindBool {
				if f.name == "host" {
					return j.offerHosts(ctx)
				}
				return pairs(f.choices, j.c.T(f.key()))
			}
		}
	}
	if strings.HasPrefix(last, "-") {
		return j.offerFlags(cmd, rest)
	}
	n := 0 // positional words so far
	for i := 0; i < len(rest); i++ {
		switch {
		case !strings.HasPrefix(rest[i], "-"):
			n++
		case slices.ContainsFunc(cmd.allFlags(), func(f flagSpec) bool { return "--"+f.name == rest[i] && f.kind != kindBool }):
			i++ // its value
		}
	}
	if len(cmd.args) > 0 && (n < len(cmd.args) || cmd.args[len(cmd.args)-1].rest) {
		a := cmd.args[min(n, len(cmd.args)-1)]
		if a.complete == "plan" {
			return offerPlans(last)
		}
		offers := j.offerArg(ctx, a)
		if len(rest) == 0 && !strings.Contains(cmd.name, " ") {
			offers = append(j.offerCommands(before, last), offers...) // "cost" stands alone and before others
		}
		return offers
	}
	offers := j.offerFlags(cmd, rest)
	if len(rest) == 0 && len(cmd.args) == 0 && !strings.Contains(cmd.name, " ") {
		offers = append(j.offerCommands(before, last), offers...) // "alerts" stands alone and before "test"
	}
	return offers
}

func (j *job) offerCommands(before []string, last string) [][2]string {
	if strings.HasPrefix(last, "-") {
		return j.offerFlags(root(j.table), before)
	}
	group := ""
	for _, w := range before {
		if !strings.HasPrefix(w, "-") {
			group = w
		}
	}
	var out [][2]string
	for _, c := range j.table {
		head, sub, two := strings.Cut(c.name, " ")
		switch {
		case c.name == "" || c.hidden:
		case group == "" && slices.ContainsFunc(out, func(o [2]string) bool { return o[0] == head }):
		case group == "" && !two:
			out = append(out, [2]string{head, j.c.T("cli.cmd." + c.key())})
		case group == "":
			out = append(out, [2]string{head, j.c.T("cli.group." + head)})
		case group == head && two:
			out = append(out, [2]string{sub, j.c.T("cli.cmd." + c.key())})
		}
	}
	return out
}

func (j *job) offerFlags(cmd command, given []string) [][2]string {
	var out [][2]string
	for _, f := range cmd.allFlags() {
		if !slices.Contains(given, "--"+f.name) {
			out = append(out, [2]string{"--" + f.name, j.c.T(f.key())})
		}
	}
	return out
}

func (j *job) offerArg(ctx context.Context, a arg) [][2]string {
	if a.choices != nil {
		return pairs(a.choices, j.c.T("cli.arg."+strings.ToLower(a.name)))
	}
	switch a.complete {
	case "target":
		return append(j.offerHosts(ctx), append(j.offerAliases(),
			[2]string{"local", j.c.T("cli.target.local")}, [2]string{"demo", j.c.T("cli.target.demo")})...)
	case "host":
		return j.offerHosts(ctx)
	case "log":
		return j.offerLogs(ctx)
	case "command":
		return j.offerCommands(nil, "")
	}
	return nil
}

func pairs(words []string, text string) [][2]string {
	var out [][2]string
	for _, w := range words {
		out = append(out, [2]string{w, text})
	}
	return out
}
