package keep

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/script"
)

// Other is what lies in a home or on a disk of its own and belongs to no painting
// program.
const Other Kind = "other"

// childrenText names what lies directly in directories. It reads only.
const childrenText = `
for d in "$@"; do
  soon 5 find "$d/" -maxdepth 1 -mindepth 1 -type d ! -path "*$NL*" 2>/dev/null | head -n 60 | sed 's/^/d /'
  [ -n "$(soon 5 find "$d/" -maxdepth 1 -type f 2>/dev/null | head -c 1)" ] && printf 'f %s\n' "$d"
done | list children
`

// looseText weighs the files directly in directories, like weighText.
const looseText = `
nth=0
for d in "$@"; do
  nth=$((nth+1))
  real=$(cd "$d/" 2>/dev/null && pwd -P)
  [ -n "$real" ] || continue
  sum=$({ soon 12 find "$real/" -maxdepth 1 -type f ! -path "*$NL*" -exec stat -c 'f %s %Y %n' {} + 2>/dev/null; echo "end $?"; } | awk '` + sumText + `')
  say dir $nth ok "$real" "${sum%%$NL*}" "${sum#*$NL}"
done
`

// Inventory adds to a survey what else lies in the home and on disks of their own,
// by the first folder below them: what a release would take beside models and
// pictures. The error is that of the link.
func Inventory(ctx context.Context, r guide.Runner, s Survey) (Survey, error) {
	bases := s.roots()
	if len(bases) == 0 {
		return s, nil
	}
	told, err := script.Run(ctx, script.Params{Runner: r, Text: childrenText, Args: bases, Timeout: 2 * time.Minute})
	if err != nil {
		return s, err
	}
	more := Survey{Mounts: s.Mounts, Whole: told.Whole}
	var loose []Place
	children, _ := told.One("children")
	for _, line := range children.Lines {
		kind, name, _ := strings.Cut(line, " ")
		p := absolute(name)
		switch {
		case p == "":
		case kind == "f" && slices.Contains(bases, p):
			loose = append(loose, Place{Kind: Other, Path: p, Loose: true})
		case kind == "d" && !slices.Contains(bases, p) && !s.covered(p):
			more.place(Place{Kind: Other, Path: p, Holds: s.holds(p)})
		}
	}
	args := func(l []Place) (paths []string) {
		for _, p := range l {
			paths = append(paths, p.Path)
		}
		return paths
	}
	if len(more.Places) > 0 {
		told, err := script.Run(ctx, script.Params{Runner: r, Text: weighText, Args: args(more.Places), Timeout: 3 * time.Minute, Limit: 2 << 20})
		more.weigh(told)
		if err != nil {
			return s, err
		}
		more.Places = slices.DeleteFunc(more.Places, func(p Place) bool { return p.Link })
	}
	if len(loose) > 0 {
		files := Survey{Mounts: s.Mounts, Places: loose, Whole: true}
		told, err := script.Run(ctx, script.Params{Runner: r, Text: looseText, Args: args(loose), Timeout: time.Minute})
		files.weigh(told)
		if err != nil {
			return s, err
		}
		more.Places, more.Whole = append(more.Places, files.Places...), more.Whole && files.Whole
	}
	s.Places = append(slices.Clone(s.Places), more.Places...)
	s.Whole = s.Whole && more.Whole
	return s, nil
}

// roots are the home and the mounts that hold the user's own files.
func (s Survey) roots() []string {
	var l []string
	add := func(p string) {
		if p != "" && p != "/" && !slices.Contains(l, p) && len(l) < 20 {
			l = append(l, p)
		}
	}
	add(s.Home)
	for _, m := range s.Mounts {
		system := slices.ContainsFunc([]string{"/proc", "/sys", "/dev", "/run", "/boot", "/etc", "/usr", "/lib", "/lib64", "/bin", "/sbin", "/snap", "/var"}, func(p string) bool {
			return under(m.Point, p)
		})
		if !system && !m.ReadOnly && !m.InRAM() && path.Ext(m.Point) != ".so" {
			add(m.Point)
		}
	}
	return l
}

// holds reports whether other places lie in a directory.
func (s Survey) holds(p string) bool {
	return slices.ContainsFunc(s.Places, func(o Place) bool { return under(o.Path, p) || o.Real != "" && under(o.Real, p) })
}

// covered reports whether a directory is a place already.
func (s Survey) covered(p string) bool {
	for _, o := range s.Places {
		if o.Path == p || o.Real == p {
			return true
		}
	}
	return false
}
