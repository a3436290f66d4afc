package keep

import (
	"path"
	"slices"

	"rentgen/app/guide/script"
)

// caches are the variables that say where downloads are kept, with where they go
// otherwise: below another variable or the home.
var caches = []struct{ name, below, otherwise string }{
	{"HF_HOME", "XDG_CACHE_HOME", "huggingface"},
	{"HF_HUB_CACHE", "HF_HOME", "hub"},
	{"TORCH_HOME", "XDG_CACHE_HOME", "torch"},
	{"PIP_CACHE_DIR", "XDG_CACHE_HOME", "pip"},
	{"XDG_CACHE_HOME", "", ".cache"},
}

// readVars keeps of each variable the value that counts: that of a running
// program, else that of a login shell, else that of a plain command.
func (v *Survey) readVars(t script.Told) {
	rank := func(from string) int {
		switch from {
		case "plain":
			return 1
		case "login":
			return 2
		}
		return 3
	}
	for _, r := range t.Of("var") {
		from, name, value := r.Field(0), r.Field(1), r.Field(2)
		if name == "HUGGINGFACE_HUB_CACHE" { // the older name
			name = "HF_HUB_CACHE"
		}
		if name != "HF_ENDPOINT" && !slices.ContainsFunc(caches, func(c struct{ name, below, otherwise string }) bool { return c.name == name }) {
			continue
		}
		if from != "plain" && from != "login" {
			if from = absolute(from); from == "" {
				continue
			}
		}
		if old, ok := v.Vars[name]; value != "" && (!ok || rank(from) > rank(old.From)) {
			v.Vars[name] = Var{Value: value, From: from}
		}
	}
}

// cachePlaces notes where caches lie.
func (v *Survey) cachePlaces() {
	for _, c := range caches {
		if _, set := v.Vars[c.name]; !set && (c.name == "XDG_CACHE_HOME" || c.name == "HF_HUB_CACHE") {
			continue // the others lie below it
		}
		p := v.cacheDir(c.name)
		if absolute(p) == "" {
			continue
		}
		_, set := v.Vars[c.name]
		v.place(Place{Kind: Cache, Name: c.name, Default: !set, Path: p})
	}
}

// cacheDir is where a variable's cache lies, "" where that isn't known.
func (v *Survey) cacheDir(name string) string {
	for _, c := range caches {
		if c.name != name {
			continue
		}
		if x, ok := v.Vars[name]; ok {
			return x.Value
		}
		base := v.Home
		if c.below != "" {
			base = v.cacheDir(c.below)
		}
		if base == "" {
			return ""
		}
		return path.Join(base, c.otherwise)
	}
	return ""
}
