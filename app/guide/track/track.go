package track

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"rentgen/app/guide"
	assets "rentgen/assets/guide"
)

// file is the layout of the assets.
type file struct {
	Tracks []struct {
		ID     guide.Track `yaml:"id"`
		Folded []guide.CheckID
		Steps  []struct {
			ID       string
			Checks   []guide.CheckID
			Items    []string
			Requires []string
		}
	}
	Items map[string]struct {
		Fields  []string
		Page    string
		Needed  bool
		End     bool
		Choices map[string][]string
	}
	// Answers are the requirements that a check, a text or an item meets, beside the
	// steps that name them; the tests read them.
	Answers map[string]struct {
		Checks []guide.CheckID
		Texts  []string // keys
		Items  []string
	}
}

var load = sync.OnceValue(func() (f file) {
	d := yaml.NewDecoder(bytes.NewReader(assets.Tracks))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil {
		panic(fmt.Sprintf("tracks.yaml: %v", err))
	}
	return f
})

var all = sync.OnceValue(func() []Track {
	f := load()
	var list []Track
	for _, t := range f.Tracks {
		made := Track{ID: t.ID, Folded: t.Folded}
		for i, s := range t.Steps {
			step := Step{ID: s.ID, Number: i + 1, Checks: s.Checks, Requires: s.Requires}
			for _, id := range s.Items {
				it, ok := f.Items[id]
				if !ok {
					panic(fmt.Sprintf("tracks.yaml: %s: no item is called %q", s.ID, id))
				}
				step.Items = append(step.Items, Item{ID: id, Fields: it.Fields, Page: it.Page, Needed: it.Needed, End: it.End, Choices: it.Choices})
			}
			made.Steps = append(made.Steps, step)
		}
		list = append(list, made)
	}
	return list
})

// All returns the tracks in their order. It panics where the built-in list is
// broken, which a test excludes. The result is shared: it is only read.
func All() []Track { return all() }

// Of returns a track, the zero Track for an unknown one.
func Of(t guide.Track) Track {
	for _, k := range all() {
		if k.ID == t {
			return k
		}
	}
	return Track{}
}

// Checks returns the checks of the track, each once, in the order of its steps.
func (t Track) Checks() []guide.CheckID {
	var ids []guide.CheckID
	for _, s := range t.Steps {
		for _, id := range s.Checks {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// Step returns a step by its id.
func (t Track) Step(id string) (Step, bool) {
	for _, s := range t.Steps {
		if s.ID == id {
			return s, true
		}
	}
	return Step{}, false
}

// ItemOf returns an item of any track by its id.
func ItemOf(id string) (Item, bool) {
	for _, t := range all() {
		for _, s := range t.Steps {
			for _, it := range s.Items {
				if it.ID == id {
					return it, true
				}
			}
		}
	}
	return Item{}, false
}
