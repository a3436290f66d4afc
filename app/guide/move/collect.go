// Package move writes down what a painting set-up is made of, models, custom
// nodes, packages and workflows, and says on the next machine what is missing or
// other. It copies nothing.
package move

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/keep"
	"rentgen/app/guide/script"
)

// File is a model or a workflow.
type File struct {
	Name   string `json:"name"` // path below its folder: "checkpoints/sdxl.safetensors"
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256,omitempty"` // "" where it was not computed
}

// Node is a program under git: a custom node, an extension, or the UI itself.
type Node struct {
	Name   string `json:"name"`
	UI     bool   `json:"ui,omitempty"`
	Repo   string `json:"repo,omitempty"`   // without a password in it
	Commit string `json:"commit,omitempty"` // "" where it isn't under git
	// Changed says that files differ from the commit; nil where that isn't known.
	Changed *bool `json:"changed,omitempty"`
}

// Package is a Python package.
type Package struct {
	Name    string `json:"name"` // in lower case, with "-"
	Version string `json:"version"`
}

// List is what a set-up is made of. It is what is kept (guide.KindMove, key its
// time in ms) and carried to the next machine.
type List struct {
	Format    int       `json:"rentgen_move"` // 1
	Host      string    `json:"host,omitempty"`
	Time      time.Time `json:"time"`
	Models    []File    `json:"models,omitempty"`
	Nodes     []Node    `json:"nodes,omitempty"`
	Python    string    `json:"python,omitempty"` // version
	Packages  []Package `json:"packages,omitempty"`
	Workflows []File    `json:"workflows,omitempty"`
	// Missing are the parts that could not be read to the end: "models", "nodes",
	// "packages", "workflows".
	Missing []string `json:"missing,omitempty"`
}

// Params is what making a list needs.
type Params struct {
	Runner guide.Runner
	Survey keep.Survey
	Host   string
	Now    time.Time
	// Hash asks for the SHA-256 of every model, which reads all of them.
	Hash     bool
	Progress func(done, of int64) // bytes hashed; nil: nobody listens
}

const collectText = `
nodes() { # kind, directory
  d=$2
  repo= commit= changed=
  if have git; then
    g() { soon 10 git -c core.fsmonitor=false -c safe.directory='*' -C "$d" "$@" 2>/dev/null </dev/null; }
    top=$(g rev-parse --show-toplevel)
    if [ -n "$top" ] && [ "$(cd "$top" && pwd -P)" = "$(cd "$d" && pwd -P)" ]; then
      commit=$(g rev-parse HEAD)
      repo=$(g config --get remote.origin.url)
      if out=$(g status --porcelain --untracked-files=no); then
        changed=no
        [ -n "$out" ] && changed=yes
      fi
    fi
  elif [ -f "$d/.git/HEAD" ]; then
    commit=$(head -c 200 "$d/.git/HEAD")
    case $commit in
      'ref: '*)
        ref=${commit#ref: }
        commit=$(head -c 100 "$d/.git/$ref" 2>/dev/null) || commit=
        [ -n "$commit" ] || commit=$(grep -F " $ref" "$d/.git/packed-refs" 2>/dev/null | head -n 1 | cut -d ' ' -f 1)
        ;;
    esac
    repo=$(sed -n 's/^[[:space:]]*url = //p' "$d/.git/config" 2>/dev/null | head -n 1)
  fi
  say node "$1" "$d" "$repo" "$commit" "$changed"
}
mode=
for a in "$@"; do
  case $a in
    -models|-nodes|-uis|-workflows|-pythons) mode=$a; continue ;;
  esac
  case $mode in
    -models)
      { soon 40 find -L "$a/" -type f -size +0 ! -path "*$NL*" ! -name 'put_*_here' ! -name '.*' -exec stat -L -c '%s %n' {} + 2>/dev/null; [ $? -eq 0 ] && echo whole; } | head -n 20001 | list "models" ;;
    -workflows)
      { soon 20 find -L "$a/" -type f -name '*.json' ! -path "*$NL*" -exec stat -L -c '%s %n' {} + 2>/dev/null; [ $? -eq 0 ] && echo whole; } | head -n 5001 | list "workflows" ;;
    -nodes)
      set -f
      old=$IFS
      IFS=$NL
      for n in $(find "$a/" -maxdepth 1 -mindepth 1 \( -type d -o -type l -o -name '*.py' \) ! -path "*$NL*" ! -name '__pycache__' ! -name '.*' 2>/dev/null | sort | head -n 300); do
        IFS=$old
        if [ -d "$n" ]; then nodes node "$n"; else say node node "$n"; fi
        IFS=$NL
      done
      IFS=$old
      set +f
      say nodes done ;;
    -uis) nodes ui "$a" ;;
    -pythons)
      [ -n "$told" ] && continue
      case $a in /*) [ -x "$a" ] || continue ;; *) have "$a" || continue ;; esac
      out=$(soon 40 "$a" -c 'import sys
import importlib.metadata as m
print("python", sys.version.split()[0])
for d in m.distributions():
    print("package", d.metadata["Name"], d.version)
print("whole")' 2>/dev/null </dev/null) || continue
      told=yes
      printf '%s\n' "$out" | list packages ;;
  esac
done
`

// Collect makes the list of a host. The error is that of the link.
func Collect(ctx context.Context, p Params) (List, error) {
	l := List{Format: 1, Host: guide.Clean([]byte(p.Host), 100), Time: p.Now}
	dirs := func(kinds ...keep.Kind) (out []string) {
		for _, x := range p.Survey.Places {
			if slices.Contains(kinds, x.Kind) && x.State == keep.Seen && !x.Link {
				out = append(out, x.Path)
			}
		}
		return out
	}
	models, workflows := dirs(keep.Models, keep.Extra), dirs(keep.Workflows)
	args := append([]string{"-models"}, models...)
	args = append(append(args, "-workflows"), workflows...)
	args = append(append(args, "-nodes"), dirs(keep.Nodes)...)
	args = append(args, "-uis")
	for _, u := range p.Survey.UIs {
		args = append(args, u.Root)
	}
	args = append(append(args, "-pythons"), pythons(p.Survey)...)
	told, err := script.Run(ctx, script.Params{Runner: p.Runner, Text: "told=\n" + collectText, Args: args, Timeout: 5 * time.Minute, Limit: 8 << 20})
	if err != nil {
		return List{}, err
	}
	l.read(told, models, workflows)
	files := l.files(told, "workflows", workflows)
	l.Workflows, err = hash(ctx, p.Runner, files, nil)
	if err != nil {
		return List{}, err
	}
	files = l.files(told, "models", models)
	if p.Hash {
		l.Models, err = hash(ctx, p.Runner, files, p.Progress)
		return l, err
	}
	for _, f := range files {
		l.Models = append(l.Models, f.File)
	}
	return l, nil
}

// pythons are where the UI's Python may be, the likeliest first.
func pythons(s keep.Survey) []string {
	var l []string
	for _, u := range s.UIs {
		if len(u.Args) > 0 && strings.HasPrefix(path.Base(u.Args[0]), "python") {
			l = append(l, u.Args[0])
		}
	}
	for _, u := range s.UIs {
		for _, v := range []string{"venv", ".venv", "../venv", "../.venv"} {
			l = append(l, path.Join(u.Root, v, "bin/python"))
		}
	}
	return append(l, "python3", "python", "/root/miniconda3/bin/python", "/opt/conda/bin/python")
}

// read takes what the script told of nodes and packages.
func (l *List) read(t script.Told, models, workflows []string) {
	for _, r := range t.Of("node") {
		if n, ok := readNode(r); ok && len(l.Nodes) < 2000 {
			l.Nodes = append(l.Nodes, n)
		}
	}
	slices.SortStableFunc(l.Nodes, func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	packages, ok := t.One("packages")
	whole := false
	for _, line := range packages.Lines {
		f := strings.Fields(guide.Clean([]byte(line), 400))
		switch {
		case len(f) == 1 && f[0] == "whole":
			whole = true
		case len(f) == 2 && f[0] == "python":
			l.Python = f[1]
		case len(f) == 3 && f[0] == "package" && len(l.Packages) < 5000:
			l.Packages = append(l.Packages, Package{Name: normal(f[1]), Version: f[2]})
		}
	}
	slices.SortFunc(l.Packages, func(a, b Package) int { return strings.Compare(a.Name+" "+a.Version, b.Name+" "+b.Version) })
	l.Packages = slices.Compact(l.Packages)
	if !ok || !whole {
		l.Missing = append(l.Missing, "packages")
	}
	for kind, dirs := range map[string][]string{"models": models, "workflows": workflows} {
		n := 0
		for _, r := range t.Of(kind) {
			if slices.Contains(r.Lines, "whole") {
				n++
			}
		}
		if n < len(dirs) {
			l.Missing = append(l.Missing, kind)
		}
	}
	if !t.Whole {
		l.Missing = append(l.Missing, "nodes")
	}
	slices.Sort(l.Missing)
}

var (
	commitID = guide.Regexp(`^[0-9a-f]{40}([0-9a-f]{24})?$`)
	dashes   = guide.Regexp(`[-_.]+`)
)

// normal is a package's name as the index compares it.
func normal(name string) string { return dashes.ReplaceAllString(strings.ToLower(name), "-") }

func readNode(r script.Record) (Node, bool) {
	n := Node{Name: name(path.Base(r.Field(1))), UI: r.Field(0) == "ui", Repo: repo(r.Field(2))}
	if c := strings.TrimSpace(r.Field(3)); commitID.MatchString(c) {
		n.Commit = c
	}
	if v := r.Field(4); n.Commit != "" && (v == "yes" || v == "no") {
		changed := v == "yes"
		n.Changed = &changed
	}
	return n, n.Name != "" && n.Name != "." && n.Name != "/"
}

// name is a name of the host's as it is kept and shown: one line.
func name(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(guide.Clean([]byte(s), 300), "\n", " "))
}

// repo is an address without a user's secrets.
func repo(s string) string {
	s = name(s)
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		if strings.Contains(s, "://") { // can't be taken apart: may hold a secret
			return ""
		}
		return s // git@github.com:owner/name.git
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// located is a file with where it lies.
type located struct {
	File
	dir, rel string
}

// files are those of a kind, each once by name: the first folder wins, as it does
// for the UI.
func (l *List) files(t script.Told, kind string, dirs []string) []located {
	var out []located
	seen := map[string]bool{}
	for i, r := range t.Of(kind) {
		if i >= len(dirs) {
			break
		}
		for _, line := range r.Lines {
			size, file, ok := strings.Cut(line, " ")
			n, err := strconv.ParseInt(size, 10, 64)
			rel, below := strings.CutPrefix(path.Clean(file), strings.TrimSuffix(dirs[i], "/")+"/")
			f := located{File: File{Name: name(rel), Size: n}, dir: dirs[i], rel: rel}
			if ok && err == nil && n >= 0 && below && f.Name != "" && !seen[f.Name] && len(out) < 20000 {
				seen[f.Name] = true
				out = append(out, f)
			}
		}
	}
	slices.SortFunc(out, func(a, b located) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// hash adds SHA-256, one file a call where they are large.
func hash(ctx context.Context, r guide.Runner, files []located, progress func(done, of int64)) ([]File, error) {
	var total, done int64
	for _, f := range files {
		total += f.Size
	}
	var out []File
	for i := 0; i < len(files); {
		n, size := 1, files[i].Size
		for i+n < len(files) && n < 100 && files[i+n].dir == files[i].dir && size+files[i+n].Size < 1<<30 {
			size += files[i+n].Size
			n++
		}
		var rels []string
		for _, f := range files[i : i+n] {
			rels = append(rels, f.rel)
		}
		sums, err := script.Hashes(ctx, r, files[i].dir, rels, time.Hour)
		if err != nil {
			return out, err
		}
		for _, f := range files[i : i+n] {
			if s, ok := sums[f.rel]; ok && s.Size == f.Size {
				f.SHA256 = s.SHA256
			}
			out = append(out, f.File)
		}
		i, done = i+n, done+size
		if progress != nil {
			progress(done, total)
		}
	}
	return out, nil
}
