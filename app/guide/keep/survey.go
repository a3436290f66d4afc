// Package keep says which of a host's directories live through what: where models,
// workflows, pictures and caches really lie, what the provider's rules say of
// those places, and what a marker file has proved.
package keep

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/script"
	"rentgen/app/provider"
)

// Kind is what a directory holds for the user.
type Kind string

// The kinds of directories.
const (
	Models    Kind = "models"
	Extra     Kind = "extra" // models elsewhere, named in a Config
	Nodes     Kind = "nodes" // custom nodes, extensions
	Workflows Kind = "workflows"
	Pictures  Kind = "pictures"
	Inputs    Kind = "inputs"
	Cache     Kind = "cache"
)

// Kinds returns the kinds in the order of tables.
func Kinds() []Kind { return []Kind{Models, Extra, Nodes, Workflows, Pictures, Inputs, Cache, Other} }

// The painting programs that are recognised.
const (
	ComfyUI = "comfyui"
	A1111   = "a1111" // and its forks
)

// UI is a painting program that was found.
type UI struct {
	Kind    string
	Root    string
	Running bool
	Args    []string // of the running one
}

// State is what became of looking at a directory.
type State string

// The states of a directory.
const (
	Seen   State = "seen"
	None   State = "none"   // isn't there
	Denied State = "denied" // may not be entered
	NoDir  State = "file"   // is no directory
	Unread State = ""       // was not looked at in time
)

// Place is a directory that holds something of the user's. Paths are as they are
// on the host: clean them with guide.Clean before they are shown.
type Place struct {
	Kind Kind
	UI   string // root of the UI that it belongs to, "" for none
	// Name is the variable of a cache ("HF_HOME") or the key of an extra path.
	Name    string
	Default bool // the variable isn't set: the program's own choice
	Link    bool // a link inside another Place that leads out of it
	Loose   bool // the files directly in it only
	Holds   bool // other places lie in it: its size includes theirs
	Path    string
	Real    string // with symbolic links resolved
	State   State
	Mount   Mount // zero where it could not be found out
	// Bytes and Files are nil where they were not counted to the end.
	Bytes  *int64
	Files  *int
	Newest File // zero where there is none
	Links  []Link
}

// At is where the directory really lies, as far as that is known.
func (p Place) At() string { return cmp.Or(p.Real, p.Path) }

// File is a file by name and time.
type File struct {
	Path string
	Time time.Time
}

// Link is a symbolic link that leads out of a directory.
type Link struct{ Path, To string }

// Survey is what was seen on a host.
type Survey struct {
	Run     guide.Run
	Host    time.Time // the host's clock
	Home    string
	Marks   []string // of provider.Markers
	Mounts  []Mount
	UIs     []UI
	Configs []Config
	Places  []Place
	// Vars are the variables that count, with where they are set: by name.
	Vars map[string]Var
	// Whole says that nothing was cut off by time or size.
	Whole bool
}

// Var is a variable of a user's shell or of a running program.
type Var struct {
	Value string
	From  string // "login", "plain", or the root of a running UI
}

// system is where the scripts look; tests look elsewhere.
type system struct {
	proc, etc string
	bases     []string
}

// bases are where painting programs are looked for beside the home and the
// profile's own directories.
var bases = []string{"/root", "/workspace", "/data", "/mnt", "/opt", "/home", "/app", "/srv", "/"}

// Look surveys a host. The error is that of the link; what the host kept from us
// is missing from the Survey.
func Look(ctx context.Context, r guide.Runner, p provider.Profile) (Survey, error) {
	s := system{proc: "/proc", etc: "/etc"}
	for _, d := range p.Dirs {
		if path.IsAbs(d.Path) && d.Path != "/" && d.Holds != provider.HoldsPublic {
			s.bases = append(s.bases, d.Path)
		}
	}
	s.bases = append(s.bases, bases...)
	return s.look(ctx, r)
}

func (s system) look(ctx context.Context, r guide.Runner) (Survey, error) {
	args := append([]string{s.proc, s.etc}, provider.Markers()...)
	args = append(append(args, "--"), s.bases...)
	told, err := script.Run(ctx, script.Params{Runner: r, Text: lookText, Args: args, Timeout: 90 * time.Second, Limit: 2 << 20})
	if err != nil {
		return Survey{}, err
	}
	v := read(told)
	if len(v.Places) == 0 {
		return v, nil
	}
	paths := make([]string, len(v.Places))
	for i, p := range v.Places {
		paths[i] = p.Path
	}
	weighed, err := script.Run(ctx, script.Params{
		Runner: r, Text: weighText, Args: paths, Timeout: 3 * time.Minute, Limit: 2 << 20,
	})
	v.weigh(weighed)
	return v, err
}

// maxPlaces bounds the directories that are weighed.
const maxPlaces = 120

// read puts together what the first script told.
func read(t script.Told) Survey {
	v := Survey{Run: script.RunOf(t), Whole: t.Whole, Vars: map[string]Var{}}
	if r, ok := t.One("time"); ok {
		if n, err := strconv.ParseInt(strings.TrimSpace(r.Field(0)), 10, 64); err == nil && n > 0 && n < 1<<40 {
			v.Host = time.Unix(n, 0)
		}
		v.Home = absolute(r.Field(1))
	}
	for _, r := range t.Of("mark") {
		if slices.Contains(provider.Markers(), r.Field(0)) {
			v.Marks = append(v.Marks, r.Field(0))
		}
	}
	if m, ok := t.One("mounts"); ok {
		v.Mounts = readMounts(m.Lines)
	}
	for _, r := range t.Of("ui") {
		u := UI{Kind: r.Field(0), Root: absolute(r.Field(1)), Running: r.Field(2) != ""}
		if u.Root == "" || u.Kind != ComfyUI && u.Kind != A1111 || len(v.UIs) == 12 {
			continue
		}
		if u.Running {
			u.Args = strings.Split(r.Field(4), "\n")
		}
		v.UIs = append(v.UIs, u)
		v.uiPlaces(u, absolute(r.Field(3)))
		for _, e := range t.Of("extra") {
			if e.Field(0) == r.Field(2) && u.Running {
				v.config(u.Root, absolute(e.Field(1)), e.Field(2))
			}
		}
	}
	for _, r := range t.Of("config") {
		v.config(absolute(r.Field(0)), absolute(r.Field(1)), r.Field(2))
	}
	v.readVars(t)
	v.cachePlaces()
	return v
}

// absolute returns a path that is absolute and clean, "" for another.
func absolute(p string) string {
	if !path.IsAbs(p) || len(p) > 4096 || strings.ContainsAny(p, "\x00\n") {
		return ""
	}
	return path.Clean(p)
}

func (v *Survey) config(ui, file, text string) {
	if file == "" || len(v.Configs) == 24 || slices.ContainsFunc(v.Configs, func(c Config) bool { return c.File == file }) {
		return
	}
	c := readConfig(file, []byte(text))
	c.UI, c.Ignored = ui, strings.HasSuffix(file, ".yml")
	v.Configs = append(v.Configs, c)
	if c.Ignored {
		return
	}
	for _, x := range c.Paths {
		if !x.Tilde {
			v.place(Place{Kind: extraKind(x.Key), UI: ui, Name: x.Key, Path: x.Path})
		}
	}
}

// extraKind sorts the keys of a Config.
func extraKind(key string) Kind {
	if key == "custom_nodes" {
		return Nodes
	}
	return Extra
}

// place notes a directory, each once.
func (v *Survey) place(p Place) {
	if p.Path = absolute(p.Path); p.Path == "" || len(v.Places) == maxPlaces {
		return
	}
	if !slices.ContainsFunc(v.Places, func(o Place) bool { return o.Path == p.Path && o.Kind == p.Kind }) {
		v.Places = append(v.Places, p)
	}
}

// uiPlaces notes the directories of a painting program, moved where its arguments
// say so.
func (v *Survey) uiPlaces(u UI, cwd string) {
	base := u.Root
	moved := map[string]string{}
	prev := ""
	for _, a := range u.Args {
		name, value, both := strings.Cut(a, "=")
		switch {
		case strings.HasPrefix(a, "--") && both:
			moved[name] = value
		case strings.HasPrefix(a, "--"):
			prev = a
			continue
		case prev != "":
			moved[prev] = a
		}
		prev = ""
	}
	at := func(flag, otherwise string) string {
		p, ok := moved[flag]
		if !ok || p == "" {
			return otherwise
		}
		if !path.IsAbs(p) {
			p = path.Join(cwd, p)
		}
		return p
	}
	add := func(k Kind, p string) { v.place(Place{Kind: k, UI: u.Root, Path: p}) }
	if u.Kind == A1111 {
		base = at("--data-dir", base)
		add(Models, at("--models-dir", path.Join(base, "models")))
		for _, flag := range []string{"--ckpt-dir", "--lora-dir", "--vae-dir"} {
			if p := at(flag, ""); p != "" {
				v.place(Place{Kind: Extra, UI: u.Root, Name: flag, Path: p})
			}
		}
		add(Models, path.Join(base, "embeddings"))
		add(Nodes, path.Join(base, "extensions"))
		add(Pictures, path.Join(base, "outputs"))
		add(Pictures, path.Join(base, "output")) // of Forge
		return
	}
	base = at("--base-directory", base)
	add(Models, path.Join(base, "models"))
	add(Nodes, path.Join(base, "custom_nodes"))
	add(Workflows, path.Join(at("--user-directory", path.Join(base, "user")), "default", "workflows"))
	add(Pictures, at("--output-directory", path.Join(base, "output")))
	add(Inputs, at("--input-directory", path.Join(base, "input")))
}

// weigh adds what the second script told.
func (v *Survey) weigh(t script.Told) {
	v.Whole = v.Whole && t.Whole
	for _, r := range t.Of("dir") {
		n, err := strconv.Atoi(r.Field(0))
		if err != nil || n < 1 || n > len(v.Places) {
			continue
		}
		p := &v.Places[n-1]
		switch r.Field(1) {
		case "none":
			p.State = None
		case "denied":
			p.State = Denied
		case "file":
			p.State = NoDir
		case "ok":
			p.State, p.Real = Seen, absolute(r.Field(2))
			p.count(r.Field(3), r.Field(4))
		}
	}
	for _, r := range t.Of("link") {
		n, err := strconv.Atoi(r.Field(0))
		if err != nil || n < 1 || n > len(v.Places) || len(v.Places[n-1].Links) == 40 {
			continue
		}
		p := &v.Places[n-1]
		if to := absolute(r.Field(2)); p.Real != "" && !under(to, p.Real) {
			p.Links = append(p.Links, Link{Path: r.Field(1), To: to})
		}
	}
	for _, p := range v.Places {
		for _, l := range p.Links {
			// what a link leads to lives and dies elsewhere
			if l.To != "" && len(v.Places) < maxPlaces {
				v.Places = append(v.Places, Place{Kind: p.Kind, UI: p.UI, Path: absolute(l.Path), Real: l.To, State: Seen, Link: true})
			}
		}
	}
	v.Places = slices.DeleteFunc(v.Places, func(p Place) bool { return p.Path == "" })
	for i := range v.Places {
		p := &v.Places[i]
		p.Mount, _ = MountOf(v.Mounts, p.At())
	}
}

// count reads what weighText told of a directory.
func (p *Place) count(sum, newest string) {
	w, ok := script.ReadWeight(sum)
	if !ok {
		return
	}
	if !w.Newest.IsZero() {
		p.Newest = File{Path: newest, Time: w.Newest}
	}
	if w.Whole {
		p.Bytes, p.Files = &w.Bytes, &w.Files
	}
}
