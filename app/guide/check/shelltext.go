package check

import (
	"slices"
	"strings"

	"rentgen/app/guide"
)

// call is one command of a shell text.
type call struct {
	name string   // without its folder
	args []string // unquoted
	op   string   // what stands before it: "", ";", "&&", "||" or "|"
}

// asked is the text that was run: what stands behind the prompts of a paste
// where that names one of the tools, otherwise the command that came with it.
func (l *look) asked(tools ...string) string {
	var typed []string
	for _, s := range l.prompts {
		if t, ok := prompt(s); ok && t != "" {
			typed = append(typed, t)
		}
	}
	text := strings.Join(typed, "\n")
	for _, c := range calls(text) {
		if slices.Contains(tools, c.name) {
			return text
		}
	}
	return l.command
}

var (
	assignment = guide.Regexp(`^[A-Za-z_][A-Za-z0-9_]*=`)
	duration   = guide.Regexp(`^[0-9.]+[smhd]?$`)
)

// calls splits a shell text into its commands, as far as the commands of checks
// go: quotes, operators and redirections, but no expansion.
func calls(text string) []call {
	var list []call
	var words []string
	op := ""
	end := func(next string) {
		if c, ok := callOf(words); ok {
			c.op = op
			list = append(list, c)
		}
		words, op = nil, next
	}
	var word strings.Builder
	in, drop := false, false // within a word; the word is the target of a redirection
	flush := func() {
		if in && !drop {
			words = append(words, word.String())
		}
		if in {
			drop = false
		}
		in = false
		word.Reset()
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' || c == '"':
			in = true
			for i++; i < len(text) && text[i] != c; i++ {
				if c == '"' && text[i] == '\\' && i+1 < len(text) {
					i++
				}
				word.WriteByte(text[i])
			}
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] != '\n' {
				in = true
				word.WriteByte(text[i])
			}
		case c == ' ' || c == '\t':
			flush()
		case c == '\n' || c == ';' || c == '(' || c == ')':
			flush()
			drop = false
			end(";")
		case c == '|' || c == '&':
			if c == '&' && drop && !in { // 2>&1
				continue
			}
			flush()
			next := string(c)
			if i+1 < len(text) && text[i+1] == c {
				next += next
				i++
			} else if c == '&' {
				next = ";"
			}
			end(next)
		case c == '>' || c == '<':
			if _, ok := whole(word.String()); ok && in { // the number of a stream
				in = false
				word.Reset()
			}
			flush()
			drop = true
		default:
			in = true
			word.WriteByte(c)
		}
	}
	flush()
	end("")
	return list
}

// callOf takes away what stands before a command's name.
func callOf(words []string) (call, bool) {
	for len(words) > 0 {
		switch w := words[0]; {
		case slices.Contains([]string{"if", "then", "else", "elif", "fi", "do", "done", "while", "!", "{", "}", "sudo", "time", "command", "env", "nohup", "-n", "-p"}, w), assignment.MatchString(w):
			words = words[1:]
		case w == "timeout" && len(words) > 1 && duration.MatchString(words[1]):
			words = words[2:]
		default:
			return call{name: w[strings.LastIndexByte(w, '/')+1:], args: words[1:]}, true
		}
	}
	return call{}, false
}

// calling returns the commands with one of the names, in their order.
func calling(text string, names ...string) []call {
	var list []call
	for _, c := range calls(text) {
		if slices.Contains(names, c.name) {
			list = append(list, c)
		}
	}
	return list
}

// short reports whether a command has a short option, alone or among others
// ("-hPT").
func (c call) short(letter byte) bool {
	return slices.ContainsFunc(c.args, func(s string) bool {
		return len(s) > 1 && s[0] == '-' && s[1] != '-' && strings.IndexByte(s, letter) > 0
	})
}

// has reports whether an argument is the word or begins with it.
func (c call) has(begin string) bool {
	return slices.ContainsFunc(c.args, func(s string) bool { return strings.HasPrefix(s, begin) })
}

// option returns the value of a long option ("--rw=read", "--rw read", "-rw=read",
// "rw=read"), "" where it isn't there.
func (c call) option(name string) string {
	for i, a := range c.args {
		bare := strings.TrimLeft(a, "-")
		if v, ok := strings.CutPrefix(bare, name+"="); ok {
			return v
		}
		if bare == name && bare != a && i+1 < len(c.args) && !strings.HasPrefix(c.args[i+1], "-") {
			return c.args[i+1]
		}
	}
	return ""
}

// paths are the arguments that are no options.
func (c call) paths() []string {
	var list []string
	for _, a := range c.args {
		if !strings.HasPrefix(a, "-") {
			list = append(list, a)
		}
	}
	return list
}
