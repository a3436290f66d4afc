package remote

import (
	"os/user"
	"strings"
)

// criterion is one condition of a Match line.
type criterion struct {
	kind     string // all, host, originalhost, user, localuser
	negate   bool
	patterns []string
}

// matchContext is what conditions are asked about.
type matchContext struct {
	alias, host, user, home string
}

// parseCriteria reads the conditions of a Match line. The code names why the
// block has to be left out: a condition that would run a program or that is
// not known here. All of them must hold, so one that can't be judged makes the
// whole line one that can't.
func parseCriteria(ws []string) ([]criterion, string) {
	if len(ws) == 0 {
		return nil, "config-line"
	}
	var cs []criterion
	for i := 0; i < len(ws); i++ {
		c := criterion{kind: strings.ToLower(ws[i])}
		if name, arg, ok := strings.Cut(ws[i], "="); ok {
			c.kind = strings.ToLower(name)
			ws = append(ws[:i+1:i+1], append([]string{arg}, ws[i+1:]...)...)
		}
		c.kind, c.negate = strings.TrimPrefix(c.kind, "!"), strings.HasPrefix(c.kind, "!")
		switch c.kind {
		case "all", "final", "canonical":
			// A second pass over the file is what "final" asks for; values that
			// are set only then still count, as the last ones do here.
			if c.kind == "canonical" {
				return nil, "config-match"
			}
			c.kind = "all"
		case "host", "originalhost", "user", "localuser":
			if i++; i >= len(ws) {
				return nil, "config-line"
			}
			c.patterns = strings.Split(ws[i], ",")
		case "exec":
			return nil, "config-exec"
		case "localnetwork", "tagged", "version", "sessiontype", "command":
			return nil, "config-match"
		default:
			return nil, "config-line"
		}
		cs = append(cs, c)
	}
	return cs, ""
}

// applies reports whether the block counts for a login.
func (b *configBlock) applies(m *matchContext) bool {
	for i := range b.outer {
		if !b.outer[i].applies(m) {
			return false
		}
	}
	if !b.match {
		return matchList(b.patterns, m.alias)
	}
	for _, c := range b.criteria {
		if c.holds(m) == c.negate {
			return false
		}
	}
	return true
}

func (c *criterion) holds(m *matchContext) bool {
	switch c.kind {
	case "host":
		return matchList(c.patterns, m.host)
	case "originalhost":
		return matchList(c.patterns, m.alias)
	case "user":
		name := m.user
		if name == "" {
			name = currentUser()
		}
		return matchList(c.patterns, name)
	case "localuser":
		u, err := user.Current()
		return err == nil && matchList(c.patterns, u.Username)
	}
	return true
}

// matchList reports whether one pattern fits and none that is negated does.
func matchList(patterns []string, s string) bool {
	found := false
	s = strings.ToLower(s)
	for _, p := range patterns {
		negated := strings.HasPrefix(p, "!")
		if match(strings.ToLower(strings.TrimPrefix(p, "!")), s) {
			if negated {
				return false
			}
			found = true
		}
	}
	return found
}
