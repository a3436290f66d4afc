package check

import (
	"regexp"
	"slices"
	"strings"
)

var (
	bareVariable = regexp.MustCompile(`^\$\{?([A-Z][A-Z_]+)\}?$`)
	barePath     = regexp.MustCompile(`^[/~$]\S*$`)
	findHeading  = regexp.MustCompile(`^TARGET(?:\s+(?:SOURCE|FSTYPE|OPTIONS))+\s*$`)
	fsName       = regexp.MustCompile(`^[a-z][\w.+-]*$`)
)

// echoed is the variable whose value the command prints first and without its
// name: echo $HF_HOME, printenv HF_HOME, env | grep HF_. "" for none.
func (l *look) echoed() string {
	all := calls(l.asked("echo", "printenv", "env", "grep"))
	if len(all) == 0 {
		return ""
	}
	name := ""
	switch first := all[0]; {
	case first.name == "echo" && len(first.args) == 1:
		if m := bareVariable.FindStringSubmatch(first.args[0]); m != nil {
			name = m[1]
		}
	case first.name == "printenv" && len(first.args) == 1:
		name = first.args[0]
	}
	if !slices.Contains(cacheNames, name) {
		return ""
	}
	return name
}

// echoedDir is the directory that such a command printed; known is false where
// the command is none of that kind or was cut off.
func (l *look) echoedDir() (k kept, line string, known bool) {
	name := l.echoed()
	if name == "" || l.in.TimedOut || l.in.Exit > 1 {
		return kept{}, "", false
	}
	if len(l.lines) == 0 {
		return kept{name: name}, "", true
	}
	if s := l.lines[0]; barePath.MatchString(strings.TrimSpace(s)) {
		return kept{name: name, path: strings.TrimSpace(s)}, s, true
	}
	if calls(l.command)[0].name == "printenv" || namedPath.MatchString(l.lines[0]) { // it prints nothing else in its place
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
