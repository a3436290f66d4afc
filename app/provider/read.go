package provider

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"rentgen/assets/texts"
)

// Topics returns what notes are about.
func Topics() []string {
	return []string{
		"pay", "stop", "release", "disk", "image", "network", "interrupt", "no_gpu", "package", "refund", "start", "rights",
	}
}

var dated = regexp.MustCompile(`^\d{4}-\d{2}(-\d{2})?$`)

// read reads every rule file of a folder, sorted by id.
func read(files fs.FS) ([]Rules, error) {
	all, err := readAll(files, ".", parse, func(r Rules) string { return r.ID })
	slices.SortFunc(all, func(a, b Rules) int { return strings.Compare(a.ID, b.ID) })
	return all, err
}

// readAll reads the files of a folder, each named by the id of what it holds.
func readAll[T any](files fs.FS, dir string, parse func([]byte) (T, error), id func(T) string) ([]T, error) {
	names, err := fs.Glob(files, path.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var all []T
	for _, name := range names {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		t, err := parse(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if want := strings.TrimSuffix(path.Base(name), ".yaml"); id(t) != want {
			return nil, fmt.Errorf("%s: id is %q", name, id(t))
		}
		all = append(all, t)
	}
	return all, nil
}

// decode reads one YAML document; an unknown key is an error.
func decode[T any](b []byte) (T, error) {
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	var t, none T
	if err := d.Decode(&t); err != nil {
		return none, err
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return none, errors.New("more than one document")
	}
	return t, nil
}

// parse reads one rule file.
func parse(b []byte) (Rules, error) {
	r, err := decode[Rules](b)
	if err != nil {
		return Rules{}, err
	}
	if err := r.check(); err != nil {
		return Rules{}, err
	}
	for _, k := range slices.Sorted(maps.Keys(r.Terms)) {
		t := r.Terms[k]
		r.Sources = append(r.Sources, t.Source)
		for _, a := range t.Also {
			r.Sources = append(r.Sources, a.Source)
		}
	}
	for _, n := range r.Notes {
		r.Sources = append(r.Sources, n.Source)
	}
	seen := map[string]bool{}
	r.Sources = slices.DeleteFunc(r.Sources, func(s string) bool {
		twice := seen[s]
		seen[s] = true
		return twice
	})
	return r, nil
}

func (r Rules) check() error {
	switch {
	case r.ID == "":
		return errors.New("id is missing")
	case r.Name[texts.English] == "" || r.Name[texts.Chinese] == "":
		return errors.New("name needs en and zh")
	case !slices.Contains([]string{Shared, Dedicated, Both}, r.Kind):
		return fmt.Errorf("kind is %q: shared, dedicated or both", r.Kind)
	case !slices.Contains([]string{"", "container", "vm", "bare-metal"}, r.Machine):
		return fmt.Errorf("machine is %q: container, vm or bare-metal", r.Machine)
	case r.Currency != "" && !r.Currency.Valid():
		return fmt.Errorf("currency is %q", r.Currency)
	case len(r.Terms) == 0:
		return errors.New("no terms")
	}
	for k, t := range r.Terms {
		for _, x := range append([]Term{t}, t.Also...) {
			if x.Value == "" {
				return fmt.Errorf("terms.%s: value is missing", k)
			}
			if err := origin(x.Source, x.Date, x.Mark); err != nil {
				return fmt.Errorf("terms.%s: %w", k, err)
			}
		}
		for _, a := range t.Also {
			if len(a.Also) > 0 {
				return fmt.Errorf("terms.%s: also within also", k)
			}
		}
	}
	for i, n := range r.Notes {
		if n.English == "" || n.Chinese == "" || !slices.Contains(Topics(), n.Topic) {
			return fmt.Errorf("notes[%d]: needs en, zh and one of the topics", i)
		}
		if err := origin(n.Source, n.Date, n.Mark); err != nil {
			return fmt.Errorf("notes[%d]: %w", i, err)
		}
	}
	return nil
}

// origin says what is wrong with where a rule is known from.
func origin(source, date, mark string) error {
	switch {
	case strings.TrimSpace(source) == "":
		return errors.New("source is missing")
	case date != Undated && !dated.MatchString(date):
		return fmt.Errorf("date is %q: 2026-11-30, 2026-11 or %s", date, Undated)
	case !slices.Contains([]string{MarkProvider, MarkThirdParty, MarkMeasured}, mark):
		return fmt.Errorf("mark is %q: provider, third-party or measured", mark)
	}
	return nil
}
