// Package run runs the checks of Set up on an instance: it holds their commands,
// sends them through one shell, gathers what each answered, and mends what can
// be mended safely.
package run

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"rentgen/app/guide"
	assets "rentgen/assets/guide"
)

// def is a check as the asset holds it.
type def struct {
	ID       guide.CheckID   `yaml:"id"`
	Parents  []guide.CheckID `yaml:"parents"`
	Level    guide.Level     `yaml:"level"`
	Timeout  time.Duration   `yaml:"timeout"`
	Takes    time.Duration   `yaml:"takes"`
	Tracks   []guide.Track   `yaml:"tracks"`
	Quiet    bool            `yaml:"quiet"`
	Root     bool            `yaml:"root"`
	Laptop   bool            `yaml:"laptop"`
	Login    bool            `yaml:"login"` // always in a login shell, where there is one
	Retry    []int           `yaml:"retry"` // exit codes after which a login shell is tried
	Once     bool            `yaml:"once"`  // never tried again: it writes much
	Commands []variant       `yaml:"commands"`
}

// variant is a command of a check, for the tracks and values it fits.
type variant struct {
	Track guide.Track `yaml:"track"` // "" is every track
	Needs []string    `yaml:"needs"` // values without which the next variant is taken
	Text  string      `yaml:"text"`
}

// table is the asset as it was read. It panics where the asset is broken, which a
// test excludes.
var table = sync.OnceValue(func() []def {
	list, err := readDefs(assets.Checks)
	if err != nil {
		panic("checks.yaml: " + err.Error())
	}
	return list
})

func readDefs(b []byte) ([]def, error) {
	var list []def
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&list); err != nil {
		return nil, fmt.Errorf("read the checks: %w", err)
	}
	for i, c := range list {
		switch {
		case !slices.Contains(guide.Checks(), c.ID):
			return nil, fmt.Errorf("no check is called %q", c.ID)
		case len(c.Commands) == 0 || c.Timeout <= 0 || c.Takes <= 0 || len(c.Tracks) == 0:
			return nil, fmt.Errorf("%s is not complete", c.ID)
		case !slices.Contains(guide.Levels(), c.Level):
			return nil, fmt.Errorf("%s: level %q", c.ID, c.Level)
		case slices.ContainsFunc(list[:i], func(o def) bool { return o.ID == c.ID }):
			return nil, fmt.Errorf("%s stands there twice", c.ID)
		}
		for _, p := range c.Parents {
			if !slices.ContainsFunc(list[:i], func(o def) bool { return o.ID == p }) {
				return nil, fmt.Errorf("%s stands before its parent %s", c.ID, p)
			}
		}
	}
	return list, nil
}

// def of a check. It panics for an unknown one, which is a mistake of the caller.
func defOf(id guide.CheckID) def {
	for _, d := range table() {
		if d.ID == id {
			return d
		}
	}
	panic("no check " + string(id))
}

// known reports whether a check of that name exists.
func known(id guide.CheckID) bool {
	return slices.ContainsFunc(table(), func(d def) bool { return d.ID == id })
}

func (d def) public() guide.Def {
	return guide.Def{
		ID: d.ID, Parents: slices.Clone(d.Parents), Level: d.Level, Timeout: d.Timeout, Takes: d.Takes,
		Tracks: slices.Clone(d.Tracks), Command: d.Commands[0].Text, Quiet: d.Quiet, Root: d.Root, Laptop: d.Laptop,
	}
}

// Defs returns every check in the order in which a run goes: parents first, quick
// ones first.
func Defs() []guide.Def {
	list := make([]guide.Def, 0, len(table()))
	for _, d := range table() {
		list = append(list, d.public())
	}
	return list
}

// DefOf returns what is known of a check, the zero Def for one that isn't there.
func DefOf(id guide.CheckID) guide.Def {
	if !known(id) {
		return guide.Def{}
	}
	return defOf(id).public()
}

// For returns the checks of a track that a level holds, in the order of a run.
func For(t guide.Track, l guide.Level) []guide.CheckID {
	most := slices.Index(guide.Levels(), l)
	var list []guide.CheckID
	for _, d := range table() {
		if slices.Contains(d.Tracks, t) && slices.Index(guide.Levels(), d.Level) <= most {
			list = append(list, d.ID)
		}
	}
	return list
}

// Takes returns about how long a run of the checks takes, with the start of the
// shell.
func Takes(ids []guide.CheckID) time.Duration {
	if len(ids) == 0 {
		return 0
	}
	sum := startTakes
	for _, id := range ids {
		sum += DefOf(id).Takes
	}
	return sum
}

// startTakes is about what the start of a shell takes on a rented instance, and
// the look at the instance before the first check.
const startTakes = 2 * time.Second
