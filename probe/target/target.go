// Package target says what a word names: a saved host, a login line, an alias
// of the ssh configuration, this computer or the demo, and how each of them is
// reached.
package target

import (
	"fmt"
	"strings"

	"rentgen/probe/demo"
	"rentgen/probe/remote"
)

// Kind is a way to reach a host.
type Kind string

// The kinds.
const (
	SSH   Kind = "ssh"
	Local Kind = "local" // this computer
	Demo  Kind = "demo"  // a host in memory
)

// Saved is a host as it is kept.
type Saved struct {
	ID   string
	Name string
	Line string // a login line, "local" or "demo"
}

// Target is a host that was found.
type Target struct {
	Kind Kind
	// ID is the saved host's; "" for one that is not saved.
	ID string
	// Name is what the person called it: the saved name, the alias, "local",
	// "demo", or user@host:port of a login line.
	Name string
	// Login says how to get in, for SSH. The ssh configuration is not applied
	// to it yet.
	Login   remote.Login
	Notices []remote.Notice // what was left out of the line
}

// UnknownError says that a word names nothing.
type UnknownError struct {
	Text    string   // as given
	Allowed []string // kinds of words that would do: "name", "line", "alias", "local", "demo"
}

// Error implements error.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("%q names no host; allowed: %s", e.Text, strings.Join(e.Allowed, ", "))
}

// ExitCode is 64, as documented for the command line.
func (e *UnknownError) ExitCode() int { return 64 }

// Resolve finds what a word names, in this order: a saved host's name, a login
// line, an alias of the ssh configuration, "local", "demo". saved and cfg may
// be nil. The error is an *UnknownError, or a *remote.InputError for a login
// line that can't be used.
func Resolve(text string, saved func(name string) (Saved, bool), cfg *remote.Config) (Target, error) {
	text = strings.TrimSpace(text)
	if saved != nil && text != "" {
		if s, ok := saved(text); ok {
			return ofSaved(s)
		}
	}
	switch {
	case looksLikeLine(text):
		return ofLine(text)
	case text != "" && cfg.Has(text):
		return Target{Kind: SSH, Name: text, Login: remote.Login{Host: text}}, nil
	case text == string(Local):
		return Target{Kind: Local, Name: text}, nil
	case text == string(Demo):
		return Target{Kind: Demo, ID: demo.ID, Name: text}, nil
	}
	return Target{}, &UnknownError{Text: remote.Clean(text), Allowed: []string{"name", "line", "alias", "local", "demo"}}
}

func ofSaved(s Saved) (Target, error) {
	t := Target{ID: s.ID, Name: s.Name}
	switch s.Line {
	case string(Local):
		t.Kind = Local
		return t, nil
	case string(Demo):
		t.Kind = Demo
		return t, nil
	}
	l, err := remote.ParseLogin(s.Line)
	if err != nil {
		return Target{}, fmt.Errorf("read the saved login line of %s: %w", s.Name, err)
	}
	t.Kind, t.Login, t.Notices = SSH, l, l.Notices
	return t, nil
}

func ofLine(line string) (Target, error) {
	l, err := remote.ParseLogin(line)
	if err != nil {
		return Target{}, err
	}
	return Target{Kind: SSH, Name: l.Hop(), Login: l, Notices: l.Notices}, nil
}

// looksLikeLine tells a login line from a single word that may be a name: a
// name has no space, no @, no dot and no colon.
func looksLikeLine(text string) bool { return strings.ContainsAny(text, " \t\n@.:") }

// Profile returns what trust and secrets of a target are kept under: the saved
// host's ID, or the login itself.
func (t Target) Profile() string {
	if t.ID != "" || t.Kind != SSH {
		return t.ID
	}
	return "line:" + t.Login.Hop()
}
