package move

import (
	"strings"

	"rentgen/assets/texts"
)

// State is how a thing of the list stands on the new machine.
type State string

// The states.
const (
	Same      State = "same"
	Alike     State = "alike"     // same name and size, the content was not compared
	Different State = "different" // there, but other
	Missing   State = "missing"
	Unknown   State = "unknown" // that part of the new machine could not be read
)

// Item is one thing of the list.
type Item struct {
	Kind       string // "model", "node", "package", "workflow"
	Name       string
	State      State
	Want, Have string // what differs: size, commit, version; "" where there is nothing
}

// Says puts it in words.
func (i Item) Says() texts.Phrase {
	return texts.P("move.item."+string(i.State), "name", i.Name, "want", i.Want, "have", i.Have)
}

// Comparison is the list against the new machine.
type Comparison struct {
	Items []Item // those that aren't the same first, in the order of the list
	Count map[State]int
}

// Done reports whether nothing is missing, other or unknown.
func (c Comparison) Done() bool { return c.Count[Missing]+c.Count[Different]+c.Count[Unknown] == 0 }

// Sentence says it in one sentence.
func (c Comparison) Sentence() texts.Phrase {
	n := len(c.Items)
	switch {
	case n == 0:
		return texts.P("move.compare.empty")
	case c.Count[Missing]+c.Count[Different] > 0:
		return texts.P("move.compare.open", "missing", c.Count[Missing], "different", c.Count[Different], "n", n)
	case c.Count[Unknown] > 0:
		return texts.P("move.compare.unknown", "unknown", c.Count[Unknown], "n", n)
	case c.Count[Alike] > 0:
		return texts.P("move.compare.alike", "alike", c.Count[Alike], "n", n)
	}
	return texts.P("move.compare.done", "n", n)
}

// Compare says of everything on a list how it stands on another machine, of which
// Collect made the second list.
func Compare(want, have List) Comparison {
	var all []Item
	missing := func(part string) State {
		for _, m := range have.Missing {
			if m == part {
				return Unknown
			}
		}
		return Missing
	}
	files := func(kind, part string, want, have []File) {
		by := map[string]File{}
		for _, f := range have {
			by[f.Name] = f
		}
		for _, w := range want {
			h, ok := by[w.Name]
			i := Item{Kind: kind, Name: w.Name, Want: texts.Bytes(float64(w.Size))}
			switch {
			case !ok:
				i.State = missing(part)
			case h.Size != w.Size:
				i.State, i.Have = Different, texts.Bytes(float64(h.Size))
			case w.SHA256 == "" || h.SHA256 == "":
				i.State = Alike
			case w.SHA256 != h.SHA256:
				i.State, i.Want, i.Have = Different, short(w.SHA256), short(h.SHA256)
			default:
				i.State = Same
			}
			all = append(all, i)
		}
	}
	files("model", "models", want.Models, have.Models)
	nodes := map[string]Node{}
	for _, n := range have.Nodes {
		nodes[strings.ToLower(n.Name)] = n
	}
	for _, w := range want.Nodes {
		h, ok := nodes[strings.ToLower(w.Name)]
		i := Item{Kind: "node", Name: w.Name, Want: short(w.Commit), Have: short(h.Commit)}
		switch {
		case !ok:
			i.State = missing("nodes")
		case w.Commit == "" || h.Commit == "":
			i.State = Alike
		case w.Commit != h.Commit:
			i.State = Different
		case w.Changed != nil && *w.Changed || h.Changed != nil && *h.Changed:
			i.State = Alike // same commit, with changes of its own
		default:
			i.State = Same
		}
		all = append(all, i)
	}
	packages := map[string]string{}
	for _, p := range have.Packages {
		packages[p.Name] = p.Version
	}
	for _, w := range want.Packages {
		h, ok := packages[w.Name]
		i := Item{Kind: "package", Name: w.Name, Want: w.Version, Have: h}
		switch {
		case !ok:
			i.State = missing("packages")
		case h != w.Version:
			i.State = Different
		default:
			i.State = Same
		}
		all = append(all, i)
	}
	files("workflow", "workflows", want.Workflows, have.Workflows)
	c := Comparison{Count: map[State]int{}}
	var same []Item
	for _, i := range all {
		c.Count[i.State]++
		if i.State == Same {
			same = append(same, i)
		} else {
			c.Items = append(c.Items, i)
		}
	}
	c.Items = append(c.Items, same...)
	return c
}

func short(s string) string { return s[:min(len(s), 10)] }
