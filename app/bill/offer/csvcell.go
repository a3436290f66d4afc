package offer

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// A cell of a term holds its value, "?" for unknown, or
// "value|status|source|date|mark", of which the end may be left out. What other
// pages say follows in the same cell, a line each. A backslash takes the
// meaning from the sign behind it.

// parts splits a line of a term's cell.
func parts(line string) []string {
	ps := []string{""}
	last := func() *string { return &ps[len(ps)-1] }
	rs := []rune(line)
	for i := 0; i < len(rs); i++ {
		switch {
		case rs[i] == '\\' && i+1 < len(rs):
			i++
			*last() += string(rs[i])
		case rs[i] == '|':
			ps = append(ps, "")
		default:
			*last() += string(rs[i])
		}
	}
	return ps
}

var escape = strings.NewReplacer(`\`, `\\`, `|`, `\|`)

// cell writes a term as a table's cell.
func (t Term) cell() string {
	lines := []string{t.line()}
	for _, a := range t.Also {
		lines = append(lines, a.line())
	}
	return strings.Join(lines, "\n")
}

func (t Term) line() string {
	status := t.implied()
	value := t.Value
	if value == "" && status == Unknown {
		value = "?"
	}
	ps := []string{value, string(status), t.Source, t.Date, string(t.Mark)}
	if bare := t.Source == "" && t.Date == "" && t.Mark == ""; bare && (status == Typed || value == "?") {
		ps = ps[:1]
	}
	for i, p := range ps {
		ps[i] = escape.Replace(p)
	}
	return strings.TrimRight(strings.Join(ps, "|"), "|")
}

// termNode makes the YAML of a term's cell; ok is false when a line has more
// parts than a term.
func termNode(cell string, at *yaml.Node) (n *yaml.Node, ok bool) {
	lines := strings.Split(cell, "\n")
	var nodes []*yaml.Node
	for _, line := range lines {
		ps := parts(line)
		if len(ps) > 5 {
			return nil, false
		}
		nodes = append(nodes, lineNode(ps, at))
	}
	if len(nodes) == 1 {
		return nodes[0], true
	}
	n = nodes[0]
	if n.Kind == yaml.ScalarNode {
		n = lineNode([]string{n.Value, ""}, at)
	}
	also := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: nodes[1:], Line: at.Line, Column: at.Column}
	n.Content = append(n.Content, wordNode("also", at), also)
	return n, true
}

func lineNode(ps []string, at *yaml.Node) *yaml.Node {
	if len(ps) == 1 {
		return wordNode(strings.TrimSpace(ps[0]), at)
	}
	m := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: at.Line, Column: at.Column}
	for i, p := range ps {
		if p = strings.TrimSpace(p); p == "" || i == 0 && (p == "?" || p == string(Unknown)) {
			continue
		}
		m.Content = append(m.Content, wordNode(termKeys[i], at), wordNode(p, at))
	}
	return m
}

func wordNode(s string, at *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Line: at.Line, Column: at.Column}
}

// risky are the signs that make a spreadsheet read a text as a formula.
const risky = "=+-@"

// guarded puts a quote before a text that a spreadsheet would compute, or that
// begins with such a quote, so that unguarded gives it back.
func guarded(s string) string {
	if t := strings.TrimLeft(s, "'"); t != "" && strings.ContainsAny(t[:1], risky) {
		return "'" + s
	}
	return s
}

func unguarded(s string) string {
	if t := strings.TrimLeft(s, "'"); t != s && t != "" && strings.ContainsAny(t[:1], risky) {
		return s[1:]
	}
	return s
}
