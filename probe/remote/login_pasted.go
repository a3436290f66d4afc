package remote

import (
	"regexp"
	"strings"
)

// pasted is a text taken apart into its lines' meanings.
type pasted struct {
	command          []string // words of the command
	password         string
	host, port, user string // from labelled lines
	rest             []string
}

func (in *pasted) read(text string) {
	text = reContinuation.ReplaceAllString(text, " ")
	var lines []string
	for _, l := range strings.Split(text, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		if in.label(l) {
			continue
		}
		if rePasswordLabel.MatchString(l) && i+1 < len(lines) {
			i++
			in.setPassword(lines[i])
			continue
		}
		if m := reLabel.FindStringSubmatch(l); m != nil {
			l = m[1]
		} else {
			l = rePrompt.ReplaceAllString(l, "")
		}
		ws := words(l)
		switch {
		case len(ws) == 0:
		case in.command == nil && (isSSH(ws[0]) || i == len(lines)-1 || looksComplete(ws)):
			in.command = ws
		case in.command == nil: // a heading above the command
			in.rest = append(in.rest, l)
		case !complete(in.command), len(ws) > 1 && strings.HasPrefix(ws[0], "-"):
			in.command = append(in.command, ws...)
		case len(ws) == 1:
			in.setPassword(l)
		default:
			in.rest = append(in.rest, l)
		}
	}
}

var reContinuation = regexp.MustCompile("(?: \\\\| \\^| `)\\s*\\n\\s*")

// label takes a line such as "port: 22".
func (in *pasted) label(l string) bool {
	for _, f := range []struct {
		re *regexp.Regexp
		to *string
	}{{rePasswordLine, &in.password}, {reHostLine, &in.host}, {rePortLine, &in.port}, {reUserLine, &in.user}} {
		m := f.re.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		if f.to == &in.password {
			in.setPassword(m[1])
		} else if *f.to == "" {
			*f.to = m[1]
		}
		return true
	}
	return false
}

func (in *pasted) setPassword(s string) {
	if in.password == "" {
		in.password = strings.TrimSpace(s)
	}
}

// isSSH reports whether a word starts an ssh command line.
func isSSH(w string) bool {
	base := w[strings.LastIndexAny(w, `/\`)+1:] // "SSH" alone is a heading's word
	return base == "ssh" || strings.EqualFold(base, "ssh.exe") || base == "sshpass" || strings.HasPrefix(w, "SSHPASS=") || strings.HasPrefix(w, "ssh://")
}

// looksComplete reports whether words without a leading ssh are a destination.
func looksComplete(ws []string) bool {
	return strings.Contains(ws[0], "@") || strings.HasPrefix(ws[0], "-") || len(ws) == 1 && strings.ContainsAny(ws[0], ".:")
}

// complete reports whether the command has its destination and misses no
// argument, so that what follows on a new line is something else.
func complete(ws []string) bool {
	p := &loginParser{}
	return p.parse(ws) == nil && p.dest != ""
}
