package provider

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"rentgen/assets/providers"
	"rentgen/assets/texts"
)

// The profiles for instances of a provider that isn't known.
const (
	GenericContainer = "generic-container"
	GenericVM        = "generic-vm"
)

// What a directory holds.
const (
	HoldsSystem    = "system"
	HoldsData      = "data"
	HoldsNetwork   = "network"
	HoldsPublic    = "public" // the provider's own, read-only
	HoldsTemporary = "temporary"
)

// The ways in which a service is reached from outside.
const (
	OutsidePublic = "public"
	OutsideLogin  = "login"
	OutsideTunnel = "tunnel"
)

var loadProfiles = sync.OnceValue(func() []Profile {
	all, err := readProfiles(providers.Profiles, "profiles")
	if err != nil {
		panic(fmt.Sprintf("provider: %v", err)) // the files are part of the program; a test reads them
	}
	return all
})

// Profiles returns every profile: those of providers by id, then the generic
// ones. What it returns is shared and must not be changed.
func Profiles() []Profile { return loadProfiles() }

// ProfileOf returns the profile of an id.
func ProfileOf(id string) (Profile, bool) {
	for _, p := range loadProfiles() {
		if p.ID == id {
			return p, true
		}
	}
	return Profile{}, false
}

// Markers returns the markers of every profile, for a script that looks for them.
func Markers() []string {
	var all []string
	for _, p := range loadProfiles() {
		all = append(all, p.Markers...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// GuessProfile returns the provider that a login host and the markers found on an
// instance point to. Markers count more than the host, which may be a jump host;
// markers of two providers decide nothing.
func GuessProfile(loginHost string, markers []string) (id string, ok bool) {
	best, tied := 0, false
	for _, p := range loadProfiles() {
		n := 0
		for _, m := range p.Markers {
			if slices.Contains(markers, m) {
				n++
			}
		}
		switch {
		case n > best:
			id, best, tied = p.ID, n, false
		case n > 0 && n == best:
			tied = true
		}
	}
	if best > 0 && !tied {
		return id, true
	}
	host := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(loginHost)), ".")
	for _, p := range loadProfiles() {
		for _, h := range p.Hosts {
			if domain, wild := strings.CutPrefix(h, "*"); host == h || wild && strings.HasSuffix(host, domain) && len(host) > len(domain) {
				return p.ID, true
			}
		}
	}
	return "", false
}

// NameIn returns the profile's name in a language.
func (p Profile) NameIn(l texts.Lang) string { return inLang(p.Name, l, p.ID) }

// NameIn returns the verb in a language.
func (v Verb) NameIn(l texts.Lang) string { return inLang(v.Name, l, "") }

func inLang(m map[texts.Lang]string, l texts.Lang, fallback string) string {
	if s := m[l]; s != "" {
		return s
	}
	return fallback
}

// Rules returns the rules of the profile's provider; a generic one has none.
func (p Profile) Rules() (Rules, bool) { return Find(p.ID) }

// TermHours returns a term of the provider's rules that is a number of hours.
func (p Profile) TermHours(term string) (hours float64, t Term, ok bool) {
	r, found := p.Rules()
	if !found {
		return 0, Term{}, false
	}
	t, found = r.Terms[term]
	if !found {
		return 0, Term{}, false
	}
	hours, err := strconv.ParseFloat(t.Value, 64)
	return hours, t, err == nil && hours >= 0
}

// DirOf returns the entry that speaks of a path (with symbolic links resolved),
// given the mount point that it lies on and the type of its file system. An entry
// for a disk doesn't hold where that disk isn't mounted: the path then lies on
// whatever holds it.
func (p Profile) DirOf(file, mount, fstype string) (Dir, bool) {
	var best, root, any, ram *Dir
	for i, d := range p.Dirs {
		switch {
		case d.Path == AnyMount:
			any = &p.Dirs[i]
		case d.Path == InRAM:
			ram = &p.Dirs[i]
		case d.Path == "/":
			root = &p.Dirs[i]
		case within(file, d.Path) && (d.Folder || within(mount, d.Path)) && (best == nil || len(d.Path) > len(best.Path)):
			best = &p.Dirs[i]
		}
	}
	pick := best
	switch {
	case fstype == "tmpfs" || fstype == "ramfs":
		pick = ram
	case best != nil:
	case mount == "/":
		pick = root
	default:
		pick = any
	}
	if pick == nil {
		return Dir{}, false
	}
	return *pick, true
}

// within reports whether a path is a directory or lies below it.
func within(file, dir string) bool {
	return file == dir || dir == "/" || strings.HasPrefix(file, dir+"/")
}
