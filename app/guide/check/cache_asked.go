package check

import (
	"slices"
	"strings"

	"rentgen/app/guide"
)

var (
	bareVariable = guide.Regexp(`^\$\{?([A-Z][A-Z_]+)\}?$`)
	barePath     = guide.Regexp(`^[/~$]\S*$`)
	findHeading  = guide.Regexp(`^TARGET(?:\s+(?:SOURCE|FSTYPE|OPTIONS))+\s*$`)
	fsName       = guide.Regexp(`^[a-z][\w.+-]*$`)
)

// echoed is the variable whose value the command prints first and without its
// name: echo $HF_HOME, printenv HF_HOME. "" for none; empty says that a line is
// printed for an unset one as well.
func (l *look) echoed() (name string, empty bool) {
	all := calls(l.asked("echo", "printenv"))
	if len(all) == 0 {
		return "", false
	}
	switch first := all[0]; {
	case first.name == "echo" && len(first.args) == 1:
		if m := bareVariable.FindStringSubmatch(first.args[0]); m != nil {
			name = m[1]
		}
	case first.name == "printenv" && len(first.args) == 1:
		name = first.args[0]
	}
	if !slices.Contains(cacheNames, name) {
		return "", false
	}
	return name, all[0].name == "echo"
}

// echoedDir is the directory that such a command printed; known is false where
// the command is none of that kind or was cut off.
func (l *look) echoedDir() (k kept, line string, known bool) {
	name, empty := l.echoed()
	if name == "" || l.in.TimedOut || l.in.Exit > 1 {
		return kept{}, "", false
	}
	if len(l.lines) == 0 {
		return kept{name: name}, "", true
	}
	for _, s := range l.lines { // notices of the login may stand before it, its mount behind it
		if _, row := mountOf(s); row || dfLine.MatchString(s) {
			break
		}
		if t := strings.TrimSpace(s); barePath.MatchString(t) {
			return kept{name: name, path: t}, s, true
		}
	}
	if !empty || namedPath.MatchString(l.lines[0]) {
		return kept{}, "", false
	}
	return kept{name: name}, "", true
}

// askedRows gives each directory the row that was printed for it, where the
// command says which is whose: df and findmnt with one variable or path each, in
// the order of the rows.
func (l *look) askedRows(dirs []kept, rows []volume) {
	var whose []string
	for _, c := range calling(l.asked("df", "findmnt"), "df", "findmnt") {
		arg := c.option("target")
		if at := slices.IndexFunc(c.args, func(s string) bool {
			return strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "--") && strings.HasSuffix(s, "T")
		}); c.name == "findmnt" && at >= 0 && at+1 < len(c.args) {
			arg = c.args[at+1]
		}
		if p := c.paths(); c.name == "df" && len(p) == 1 {
			arg = p[0]
		}
		m := bareVariable.FindStringSubmatch(arg)
		switch {
		case m != nil && slices.Contains(cacheNames, m[1]):
			whose = append(whose, m[1])
		case strings.HasPrefix(arg, "/"):
			whose = append(whose, arg)
		default: // a variable of a loop, or a list
			return
		}
	}
	if len(whose) != len(rows) {
		return
	}
	for i, w := range whose {
		at := slices.IndexFunc(dirs, func(k kept) bool { return k.path != "" && (k.name == w || k.path == w) })
		if at >= 0 {
			dirs[at].rows = []volume{rows[i]}
		}
	}
	if slices.ContainsFunc(whose, func(w string) bool { return strings.HasPrefix(w, "/") }) {
		return
	}
	for i := range dirs { // a row behind a directory that it wasn't asked for
		if !slices.Contains(whose, dirs[i].name) {
			dirs[i].rows = nil
		}
	}
}

// columnsOf reads a row of findmnt under a heading without all four columns.
func columnsOf(heading, s string) (volume, bool) {
	names, cells := strings.Fields(heading), strings.Fields(s)
	if len(names) < 2 || len(cells) != len(names) || !strings.HasPrefix(cells[0], "/") {
		return volume{}, false
	}
	v := volume{mount: unescaped(cells[0]), line: s}
	for i, n := range names[1:] {
		switch c := cells[i+1]; n {
		case "SOURCE":
			v.source = unescaped(c)
		case "FSTYPE":
			v.fstype = c
		case "OPTIONS":
			v.options = strings.Split(c, ",")
		}
	}
	return v, fsName.MatchString(v.fstype)
}
