package provider

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"rentgen/assets/texts"
)

// readProfiles reads every profile of a folder: generic ones last.
func readProfiles(files fs.FS, dir string) ([]Profile, error) {
	all, err := readAll(files, dir, parseProfile, func(p Profile) string { return p.ID })
	slices.SortFunc(all, func(a, b Profile) int {
		if a.generic() != b.generic() {
			if a.generic() {
				return 1
			}
			return -1
		}
		return strings.Compare(a.ID, b.ID)
	})
	return all, err
}

func (p Profile) generic() bool { return strings.HasPrefix(p.ID, "generic-") }

// parseProfile reads one profile.
func parseProfile(b []byte) (Profile, error) {
	p, err := decode[Profile](b)
	if err != nil {
		return Profile{}, err
	}
	if err := p.check(); err != nil {
		return Profile{}, err
	}
	for i, dir := range p.Dirs {
		for e, s := range dir.Events {
			if s.Term == "" {
				continue
			}
			h, _, ok := p.TermHours(s.Term)
			if !ok {
				return Profile{}, fmt.Errorf("dirs[%d].%s: the rules have no hours in %s", i, e, s.Term)
			}
			s.Hours = h
			p.Dirs[i].Events[e] = s
		}
	}
	return p, nil
}

func (p Profile) check() error {
	if p.ID == "" || p.generic() != (p.ID == GenericContainer || p.ID == GenericVM) {
		return fmt.Errorf("id is %q", p.ID)
	}
	if _, ok := p.Rules(); !ok && !p.generic() {
		return fmt.Errorf("there are no rules of %s", p.ID)
	}
	if !slices.Contains([]string{Shared, Dedicated, Both}, p.Kind) {
		return fmt.Errorf("kind is %q: shared, dedicated or both", p.Kind)
	}
	if err := bilingual(p.Name, true); err != nil {
		return fmt.Errorf("name: %w", err)
	}
	if len(p.Hosts)+len(p.Markers) > 0 || p.Seen != (Said{}) {
		if err := p.Seen.check(); err != nil {
			return fmt.Errorf("seen: %w", err)
		}
	}
	for _, h := range p.Hosts {
		if strings.ContainsAny(strings.TrimPrefix(h, "*."), "*/ ") || h != strings.ToLower(h) || !strings.Contains(strings.TrimPrefix(h, "*."), ".") {
			return fmt.Errorf("hosts: %q is no host and no *.domain", h)
		}
	}
	seen := map[string]bool{}
	for i, d := range p.Dirs {
		if seen[d.Path] {
			return fmt.Errorf("dirs[%d]: %s stands there twice", i, d.Path)
		}
		seen[d.Path] = true
		if err := d.check(); err != nil {
			return fmt.Errorf("dirs[%d]: %w", i, err)
		}
	}
	for i, s := range p.Services {
		if s.Port < 0 || s.Port > 65535 || !slices.Contains([]string{OutsidePublic, OutsideLogin, OutsideTunnel}, s.Outside) {
			return fmt.Errorf("services[%d]: port %d, outside %q", i, s.Port, s.Outside)
		}
		if err := errors.Join(s.Said.check(), bilingual(s.Name, true)); err != nil {
			return fmt.Errorf("services[%d]: %w", i, err)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(p.Verbs)) {
		v := p.Verbs[k]
		if !slices.Contains([]string{VerbStart, VerbStop, VerbRelease, VerbImage, VerbReset, VerbTimer}, k) {
			return fmt.Errorf("verbs: nothing is called %s", k)
		}
		if err := errors.Join(v.Said.check(), bilingual(v.Name, true), bilingual(v.Note, false)); err != nil {
			return fmt.Errorf("verbs.%s: %w", k, err)
		}
	}
	if err := p.checkStop(); err != nil {
		return fmt.Errorf("stop_command: %w", err)
	}
	for _, k := range slices.Sorted(maps.Keys(p.Remedies)) {
		r := p.Remedies[k]
		if err := errors.Join(r.Said.check(), bilingual(r.Text, true)); err != nil {
			return fmt.Errorf("remedies.%s: %w", k, err)
		}
	}
	return nil
}

// checkStop holds the command against the rule that it stands on: without one that
// says that billing ends, and no page that says otherwise, there is none.
func (p Profile) checkStop() error {
	c := p.StopCommand
	if c == nil {
		return nil
	}
	if !slices.Contains(StopActions(), c.Action) {
		return fmt.Errorf("action is %q: one of %v", c.Action, StopActions())
	}
	if err := errors.Join(c.Said.check(), bilingual(c.Note, false)); err != nil {
		return err
	}
	r, _ := p.Rules()
	t, ok := r.Terms[c.Term]
	switch {
	case !ok || c.Is == "":
		return fmt.Errorf("no rule %q to stand on", c.Term)
	case t.Value != c.Is || len(t.Also) > 0:
		return fmt.Errorf("the rule %s does not say %s alone", c.Term, c.Is)
	}
	return nil
}

func (d Dir) check() error {
	if d.Path != AnyMount && d.Path != InRAM && (!path.IsAbs(d.Path) || path.Clean(d.Path) != d.Path) {
		return fmt.Errorf("path is %q", d.Path)
	}
	if !slices.Contains([]string{HoldsSystem, HoldsData, HoldsNetwork, HoldsPublic, HoldsTemporary}, d.Holds) {
		return fmt.Errorf("%s: holds is %q", d.Path, d.Holds)
	}
	if err := errors.Join(d.Said.check(), bilingual(d.Name, true)); err != nil {
		return fmt.Errorf("%s: %w", d.Path, err)
	}
	for _, e := range slices.Sorted(maps.Keys(d.Events)) {
		s := d.Events[e]
		switch {
		case !slices.Contains(Events(), e):
			return fmt.Errorf("%s: no event is called %s", d.Path, e)
		case !slices.Contains([]Fate{Lives, Dies, Depends}, s.Fate):
			return fmt.Errorf("%s.%s: fate is %q: lives, dies or depends; leave the event out when it isn't known", d.Path, e, s.Fate)
		case s.Fate == Depends && len(s.Note) == 0:
			return fmt.Errorf("%s.%s: depends on what?", d.Path, e)
		case s.Hours != 0:
			return fmt.Errorf("%s.%s: hours stand in the rules; name the term", d.Path, e)
		}
		if err := errors.Join(s.Said.check(), bilingual(s.Note, false)); err != nil {
			return fmt.Errorf("%s.%s: %w", d.Path, e, err)
		}
	}
	return nil
}

func (s Said) check() error { return origin(s.Source, s.Date, s.Mark) }

// bilingual says what is wrong with a text in both languages.
func bilingual(m map[texts.Lang]string, needed bool) error {
	if len(m) == 0 && !needed {
		return nil
	}
	if len(m) != 2 || m[texts.English] == "" || m[texts.Chinese] == "" {
		return errors.New("needs en and zh, nothing else")
	}
	return nil
}
