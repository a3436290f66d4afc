package move

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"rentgen/app/guide"
	"rentgen/app/guide/report"
	"rentgen/app/guide/script"
	"rentgen/assets/texts"
)

// JSON is the list as a file.
func (l List) JSON() ([]byte, error) {
	b, err := json.MarshalIndent(l, "", "  ")
	return append(b, '\n'), err
}

// Entry is the list as it is kept.
func (l List) Entry() (guide.Entry, error) {
	return guide.NewEntry(guide.KindMove, guide.Stamp(l.Time), l.Time, l)
}

// maxList bounds a file that is read, in bytes.
const maxList = 16 << 20

// ErrNoList says that a file holds no list of ours.
var ErrNoList = errors.New("no list of what to move")

// ReadList reads a file that JSON wrote; its names are cleaned, since it may come
// from anywhere.
func ReadList(b []byte) (List, error) {
	if len(b) > maxList {
		return List{}, fmt.Errorf("%w: longer than %d bytes", ErrNoList, maxList)
	}
	var l List
	d := json.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(&l); err != nil {
		return List{}, fmt.Errorf("%w: %w", ErrNoList, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) || l.Format != 1 {
		return List{}, ErrNoList
	}
	l.Host = name(l.Host)
	files := func(in []File) []File {
		var out []File
		for _, f := range in {
			if f.Name = name(f.Name); f.Name == "" || f.Size < 0 {
				continue
			}
			if !script.IsSHA256(f.SHA256) {
				f.SHA256 = ""
			}
			out = append(out, f)
		}
		return out
	}
	l.Models, l.Workflows = files(l.Models), files(l.Workflows)
	var nodes []Node
	for _, n := range l.Nodes {
		n.Name, n.Repo = name(n.Name), repo(n.Repo)
		if !commitID.MatchString(n.Commit) {
			n.Commit, n.Changed = "", nil
		}
		if n.Name != "" {
			nodes = append(nodes, n)
		}
	}
	l.Nodes = nodes
	var packages []Package
	for _, p := range l.Packages {
		p.Name, p.Version = normal(name(p.Name)), name(p.Version)
		if p.Name != "" {
			packages = append(packages, p)
		}
	}
	l.Packages, l.Python = packages, name(l.Python)
	known := []string{"models", "nodes", "packages", "workflows"}
	l.Missing = slices.DeleteFunc(l.Missing, func(s string) bool { return !slices.Contains(known, s) })
	return l, nil
}

// Size is the sum of the models, in bytes.
func (l List) Size() int64 {
	var n int64
	for _, m := range l.Models {
		n += m.Size
	}
	return n
}

// Markdown is the list as a page to read.
func (l List) Markdown(c *texts.Catalogue) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", c.T("move.title"), c.T("move.of", "host", report.Plain(l.Host), "day", texts.DateYear(c, l.Time)))
	for _, m := range l.Missing {
		fmt.Fprintf(&b, "\n> %s\n", c.T("move.missing."+m))
	}
	files := func(title string, list []File) {
		if len(list) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n## %s\n\n| %s | %s | SHA-256 |\n| --- | ---: | --- |\n", title, c.T("move.col.file"), c.T("move.col.size"))
		for _, f := range list {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", report.Plain(f.Name), texts.Bytes(float64(f.Size)), f.SHA256)
		}
	}
	files(c.T("move.models", "size", texts.Bytes(float64(l.Size()))), l.Models)
	if len(l.Nodes) > 0 {
		fmt.Fprintf(&b, "\n## %s\n\n| %s | %s | %s |\n| --- | --- | --- |\n", c.T("move.nodes"), c.T("move.col.node"), c.T("move.col.repo"), c.T("move.col.commit"))
		for _, n := range l.Nodes {
			commit := n.Commit
			switch {
			case commit == "":
				commit = c.T("move.node.no_git")
			case n.Changed != nil && *n.Changed:
				commit += " " + c.T("move.node.changed")
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", report.Plain(n.Name), report.Plain(n.Repo), commit)
		}
	}
	files(c.T("move.workflows"), l.Workflows)
	if len(l.Packages) > 0 {
		fmt.Fprintf(&b, "\n## %s\n\n", c.T("move.packages", "python", report.Plain(l.Python)))
		for _, p := range l.Packages {
			fmt.Fprintf(&b, "    %s==%s\n", name(p.Name), name(p.Version))
		}
	}
	return b.String()
}
