// Package fleet checks many machines at once: a list of names and login lines
// that somebody pasted or saved becomes a table with one row a machine, its
// verdict and the first thing to see to. Saved reports open as the same table.
package fleet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

const (
	// MaxList is the most bytes of a list, and MaxMachines the most machines in it.
	MaxList     = 1 << 20
	MaxMachines = 500
	maxName     = 80   // characters
	maxLine     = 2000 // bytes
)

// Machine is one of the list.
type Machine struct {
	Name string
	Line string // a login line or the name of a saved host
	At   int    // where it stood in the list, from 1
}

// Errors are all lines of a list that can't be used.
type Errors []*texts.InputError

// Error is the sentences in English, one a line.
func (e Errors) Error() string {
	var list []string
	for _, one := range e {
		list = append(list, one.Error())
	}
	return strings.Join(list, "\n")
}

// Phrases are the sentences of the errors.
func (e Errors) Phrases() []texts.Phrase {
	var list []texts.Phrase
	for _, one := range e {
		list = append(list, texts.P("fleet.bad.line", "line", one.Line, "what", one.Allowed, "value", shown(one.Value)))
	}
	return list
}

// Parse reads a list: a table of names and login lines with commas, semicolons or
// tabs, with or without a head; "name ssh …" on a line; or login lines alone,
// which are called by their host. Blank lines and lines behind # are left out.
//
// usable says whether a login line can be used: the zero phrase, or why not. The
// error is Errors with every line that can't; the machines are those that can.
func Parse(b []byte, usable func(line string) texts.Phrase) ([]Machine, error) {
	if len(b) > MaxList {
		return nil, Errors{{Field: "list", Allowed: texts.P("fleet.bad.long", "size", texts.Bytes(MaxList))}}
	}
	p := parser{usable: usable, names: map[string]int{}, lines: map[string]int{}}
	for _, r := range rows(decode(b)) {
		p.row(r)
	}
	if len(p.list) == 0 && len(p.wrong) == 0 {
		p.bad(1, "", "fleet.bad.empty")
	}
	if len(p.list) > MaxMachines {
		p.bad(p.list[MaxMachines].At, "", "fleet.bad.many", "n", MaxMachines)
		p.list = p.list[:MaxMachines]
	}
	if len(p.wrong) > 0 {
		slices.SortStableFunc(p.wrong, func(a, b *texts.InputError) int { return a.Line - b.Line })
		return p.list, p.wrong
	}
	return p.list, nil
}

// decode turns what spreadsheets save into text.
func decode(b []byte) string {
	for _, mark := range []struct {
		bom  string
		high int
	}{{"\xff\xfe", 1}, {"\xfe\xff", 0}} {
		if rest, ok := bytes.CutPrefix(b, []byte(mark.bom)); ok {
			units := make([]uint16, 0, len(rest)/2)
			for i := 0; i+1 < len(rest); i += 2 {
				units = append(units, uint16(rest[i+mark.high])<<8|uint16(rest[i+1-mark.high]))
			}
			b = []byte(string(utf16.Decode(units)))
		}
	}
	return guide.Clean(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), MaxList)
}

// row is a line of the list in its cells.
type row struct {
	at    int
	cells []string
}

// rows splits a list. A quoted cell may hold the mark between cells, but no end
// of a line: a name and a login are on one.
func rows(text string) []row {
	lines := strings.Split(text, "\n")
	mark := separator(lines)
	var out []row
	for i, l := range lines {
		if t := strings.TrimSpace(l); t == "" || strings.HasPrefix(t, "#") {
			continue
		}
		cells := []string{l}
		if mark != 0 {
			r := csv.NewReader(strings.NewReader(l))
			r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.TrimLeadingSpace = mark, true, -1, mark != '\t'
			if got, err := r.Read(); err == nil || errors.Is(err, io.EOF) && got != nil {
				cells = got
			}
		}
		for j := range cells {
			cells[j] = strings.TrimSpace(cells[j])
		}
		out = append(out, row{i + 1, cells})
	}
	return out
}

// separator is the mark that splits lines into cells: the one that most lines
// have, 0 for none. No login line holds one.
func separator(lines []string) rune {
	best, most, whole := rune(0), 0, 0
	for _, l := range lines {
		if t := strings.TrimSpace(l); t != "" && !strings.HasPrefix(t, "#") {
			whole++
		}
	}
	for _, mark := range []rune{'\t', ',', ';'} {
		n := 0
		for _, l := range lines {
			if t := strings.TrimSpace(l); !strings.HasPrefix(t, "#") && strings.ContainsRune(t, mark) {
				n++
			}
		}
		if n > most {
			best, most = mark, n
		}
	}
	if 2*most < whole {
		return 0
	}
	return best
}

type parser struct {
	usable func(string) texts.Phrase
	list   []Machine
	wrong  Errors
	names  map[string]int // where a name stood
	lines  map[string]int
	columns
}

// columns are where a head says that name and login stand; -1 for nowhere.
type columns struct {
	known       bool
	name, login int
}

var (
	nameHeads  = []string{"name", "host name", "machine", "instance", "id", "label", "名称", "名字", "机器", "实例", "主机", "编号", "备注", "姓名"}
	loginHeads = []string{"login", "login line", "line", "ssh", "command", "ssh command", "address", "登录", "登录指令", "登录命令", "登录行", "命令", "地址"}
)

func (p *parser) bad(at int, value, why string, args ...any) {
	p.wrong = append(p.wrong, &texts.InputError{Field: "line", Line: at, Value: value, Allowed: texts.P(why, args...)})
}

func (p *parser) row(r row) {
	if len(p.list) == 0 && len(p.wrong) == 0 && !p.known && p.head(r.cells) {
		return
	}
	name, line := p.split(r.cells)
	whole := strings.Join(r.cells, " ")
	switch {
	case len(whole) > maxLine:
		p.bad(r.at, whole, "fleet.bad.toolong", "n", maxLine)
		return
	case line == "":
		p.bad(r.at, whole, "fleet.bad.nologin")
		return
	}
	if why := p.usable(line); !why.IsZero() {
		p.wrong = append(p.wrong, &texts.InputError{Field: "line", Line: r.at, Value: whole, Allowed: why})
		return
	}
	if name == "" {
		name = called(line)
	}
	if utf8.RuneCountInString(name) > maxName {
		p.bad(r.at, name, "fleet.bad.name", "n", maxName)
		return
	}
	if first, ok := p.lines[line]; ok {
		p.bad(r.at, whole, "fleet.bad.twice", "line", first)
		return
	}
	if first, ok := p.names[name]; ok {
		p.bad(r.at, name, "fleet.bad.samename", "line", first)
		return
	}
	p.names[name], p.lines[line] = r.at, r.at
	p.list = append(p.list, Machine{Name: name, Line: line, At: r.at})
}

// head reports whether the cells are the head of a table, and notes its columns.
func (p *parser) head(cells []string) bool {
	c := columns{true, -1, -1}
	for i, s := range cells {
		switch s = strings.ToLower(s); {
		case c.login < 0 && slices.Contains(loginHeads, s):
			c.login = i
		case c.name < 0 && slices.Contains(nameHeads, s):
			c.name = i
		}
	}
	if c.login < 0 {
		return false
	}
	p.columns = c
	return true
}

// split finds name and login line in the cells of a row.
func (p *parser) split(cells []string) (name, line string) {
	cell := func(i int) string {
		if i < 0 || i >= len(cells) {
			return ""
		}
		return cells[i]
	}
	if p.known {
		return cell(p.name), cell(p.login)
	}
	if len(cells) == 1 {
		return words(cells[0])
	}
	at := slices.IndexFunc(cells, looksLikeLogin)
	if at < 0 && len(cells) == 2 { // a name and a saved host or alias
		at = 1
	}
	for i, s := range cells {
		if i != at && s != "" {
			name = s
			break
		}
	}
	return name, cell(at)
}

// words splits "name ssh …", "name: ssh …" and "name user@host"; a login line
// alone has no name.
func words(s string) (name, line string) {
	const ends = " \t:：=,，;；"
	if i := strings.Index(s, "ssh "); i > 0 && strings.ContainsAny(s[:i], ends) && strings.TrimRight(s[:i], ends) != s[:i] {
		return strings.TrimRight(s[:i], ends), s[i:]
	}
	fields := strings.Fields(s)
	if n := len(fields) - 1; fields[0] != "ssh" && n > 0 && strings.Contains(fields[n], "@") && !strings.HasPrefix(fields[n-1], "-") {
		return strings.TrimRight(strings.Join(fields[:n], " "), ends), fields[n]
	}
	return "", s
}

func looksLikeLogin(s string) bool { return strings.HasPrefix(s, "ssh ") || strings.Contains(s, "@") }

// called is the name of a machine without one: user, host and port.
func called(line string) string {
	fields := strings.Fields(line)
	where, port := line, ""
	for i, f := range fields {
		if strings.Contains(f, "@") {
			where = f
		}
		if f == "-p" && i+1 < len(fields) {
			port = fields[i+1]
		}
	}
	if _, err := strconv.Atoi(port); err == nil {
		where += ":" + port
	}
	if r := []rune(where); len(r) > maxName {
		return string(r[:maxName])
	}
	return where
}

// shown is a value as an error repeats it.
func shown(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
