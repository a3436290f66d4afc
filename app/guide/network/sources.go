// Package network measures the ways of an instance: from this computer to its
// login, from the instance to where models and packages come from, and how they
// change over time.
package network

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	assets "rentgen/assets/guide"
	"rentgen/assets/texts"
)

// Source is a place that models, pictures, code or packages come from.
type Source struct {
	ID    string                `yaml:"id"`
	Name  map[texts.Lang]string `yaml:"name"`
	Holds []string              `yaml:"holds"` // "models", "pictures", "code", "packages"
	URL   string                `yaml:"url"`   // small, answers without a login
	// Env is the variable that leads programs elsewhere.
	Env    string `yaml:"env"`
	Own    bool   `yaml:"own"`  // the user writes its address
	Here   bool   `yaml:"here"` // it is this computer
	Origin string `yaml:"source"`
	Date   string `yaml:"date"`
}

// NameIn returns the source's name in a language, English where it has none.
func (s Source) NameIn(l texts.Lang) string {
	if n := s.Name[l]; n != "" {
		return n
	}
	return s.Name[texts.English]
}

// Sources returns the table in its order; it is shared and only read.
var Sources = sync.OnceValue(func() []Source {
	list, err := readSources(assets.Sources)
	if err != nil {
		panic(fmt.Sprintf("sources.yaml: %v", err)) // the file is part of the program; a test reads it
	}
	return list
})

func readSources(b []byte) ([]Source, error) {
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	var list []Source
	if err := d.Decode(&list); err != nil {
		return nil, fmt.Errorf("reading the table: %w", err)
	}
	seen := map[string]bool{}
	for _, s := range list {
		switch {
		case s.ID == "" || seen[s.ID]:
			return nil, fmt.Errorf("id %q is missing or stands there twice", s.ID)
		case s.Name[texts.English] == "" || s.Name[texts.Chinese] == "" || len(s.Holds) == 0:
			return nil, fmt.Errorf("%s has no name in both languages or holds nothing", s.ID)
		case (s.URL == "") != (s.Own || s.Here):
			return nil, fmt.Errorf("%s needs an address, or to be the user's own, and not both", s.ID)
		case s.URL != "" && (s.Origin == "" || s.Date == ""):
			return nil, fmt.Errorf("%s has no source or date", s.ID)
		}
		if s.URL != "" {
			if _, err := CheckURL(s.URL); err != nil {
				return nil, fmt.Errorf("%s: %w", s.ID, err)
			}
		}
		seen[s.ID] = true
	}
	return list, nil
}

// SourceOf returns the source of an id.
func SourceOf(id string) (Source, bool) {
	i := slices.IndexFunc(Sources(), func(s Source) bool { return s.ID == id })
	if i < 0 {
		return Source{}, false
	}
	return Sources()[i], true
}

// ErrURL says that an address can't be asked.
var ErrURL = errors.New("not an address of http or https")

// CheckURL returns an address as it may be asked: http or https, a host, no name
// or password in it.
func CheckURL(s string) (string, error) {
	s = strings.TrimSpace(s)
	if len(s) > 2000 || strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r == 0x7f || r == '"' || r == '<' || r == '>' || r == '\\' || r == '`'
	}) {
		return "", fmt.Errorf("%w: %.60q", ErrURL, s)
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil {
		return "", fmt.Errorf("%w: %.60q", ErrURL, s)
	}
	return u.String(), nil
}

// hostOf is the host of an address, lower case, "" where it has none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// Question is the one question about the region, with why it is asked.
func Question() (ask, why texts.Phrase) {
	return texts.P("network.question"), texts.P("network.question.why")
}

// Answer is what the user says about where models and pictures come from.
type Answer struct {
	Sources []string `json:"sources,omitempty"` // ids of the table
	Own     []string `json:"own,omitempty"`     // addresses of their own storage
}

// Check holds that the answer names sources of the table and addresses that may
// be asked.
func (a Answer) Check() error {
	for _, id := range a.Sources {
		if _, ok := SourceOf(id); !ok {
			return fmt.Errorf("no source is called %q", id)
		}
	}
	if len(a.Own) > 8 {
		return errors.New("at most 8 addresses")
	}
	for _, s := range a.Own {
		if _, err := CheckURL(s); err != nil {
			return err
		}
	}
	return nil
}

// Probe is an address to ask from the instance.
type Probe struct {
	Source string // id, "" for an address of the user's own
	URL    string
	Env    string // also ask where this variable leads
}

// Probes returns what to ask: the named sources and the user's own addresses; of
// an empty answer every source of the table.
func (a Answer) Probes() []Probe {
	var list []Probe
	for _, s := range Sources() {
		if s.URL != "" && (len(a.Sources) == 0 && len(a.Own) == 0 || slices.Contains(a.Sources, s.ID)) {
			list = append(list, Probe{Source: s.ID, URL: s.URL, Env: s.Env})
		}
	}
	for _, s := range a.Own {
		if u, err := CheckURL(s); err == nil {
			list = append(list, Probe{Source: "", URL: u})
		}
	}
	return list
}

// private reports whether an address is of a private network, as storage of the
// same region is reached by; false where it is a name.
func private(address string) bool {
	a, err := netip.ParseAddr(strings.Trim(address, "[]"))
	if err != nil {
		return false
	}
	return a.Unmap().IsPrivate() || carrier.Contains(a.Unmap())
}

// carrier is what clouds give their own services.
var carrier = netip.MustParsePrefix("100.64.0.0/10")
