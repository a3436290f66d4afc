package guide

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression that is compiled when it is first used. Judging
// knows hundreds, and a program that only watches would carry all of them.
type Pattern struct {
	text string
	once sync.Once
	re   *regexp.Regexp
}

// patterns are all of them, for the test that compiles each.
var patterns []*Pattern

// Regexp returns the pattern of a text in the syntax of package regexp. A broken
// one panics when it is used. It is meant for variables of packages.
func Regexp(text string) *Pattern {
	p := &Pattern{text: text}
	patterns = append(patterns, p)
	return p
}

// Patterns returns every pattern of the packages that are part of the program.
func Patterns() []*Pattern { return patterns }

// Compiled returns the compiled form; safe for use from several goroutines.
func (p *Pattern) Compiled() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.text) })
	return p.re
}

// String returns the text.
func (p *Pattern) String() string { return p.text }

// The methods below are those of regexp.Regexp.

// MatchString reports whether s holds a match.
func (p *Pattern) MatchString(s string) bool { return p.Compiled().MatchString(s) }

// FindString returns the first match.
func (p *Pattern) FindString(s string) string { return p.Compiled().FindString(s) }

// FindStringIndex returns where the first match is.
func (p *Pattern) FindStringIndex(s string) []int { return p.Compiled().FindStringIndex(s) }

// FindStringSubmatch returns the first match and its groups.
func (p *Pattern) FindStringSubmatch(s string) []string { return p.Compiled().FindStringSubmatch(s) }

// FindAllString returns the matches, at most n.
func (p *Pattern) FindAllString(s string, n int) []string { return p.Compiled().FindAllString(s, n) }

// FindAllStringIndex returns where the matches are, at most n.
func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.Compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch returns the matches and their groups, at most n.
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.Compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex returns where the matches and their groups are, at
// most n.
func (p *Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.Compiled().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString replaces the matches; $1 stands for a group.
func (p *Pattern) ReplaceAllString(s, by string) string { return p.Compiled().ReplaceAllString(s, by) }

// ReplaceAllStringFunc replaces each match by what f makes of it.
func (p *Pattern) ReplaceAllStringFunc(s string, f func(string) string) string {
	return p.Compiled().ReplaceAllStringFunc(s, f)
}

// Split returns what lies between the matches, at most n pieces.
func (p *Pattern) Split(s string, n int) []string { return p.Compiled().Split(s, n) }
