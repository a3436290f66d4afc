package check

import (
	"math"
	"path"
	"strings"

	"rentgen/app/guide"
)

// fileOut is what was printed of a file.
type fileOut struct {
	name string // base name, "" for the output of a command
	path string
	text string
	line string
}

var (
	namedHead = guide.Regexp(`^==> (/\S+) <==$`)
	namedLine = guide.Regexp(`^(/sys/fs/cgroup\S*?/[\w.]+|/proc/\S+?)[:=]\s*(\S.*)$`)
	noFile    = guide.Regexp(`^(?:cat|head|tail|grep|bash|sh|-bash)\b.*?['"‘“]?(/[^'"’”:：\s]+)['"’”]?\s*[:：]\s*\S`)
)

// refused are the paths of files that could not be read.
func (l *look) refused() []string {
	var list []string
	for _, s := range l.lines {
		if m := noFile.FindStringSubmatch(s); m != nil {
			l.use(s)
			list = append(list, m[1])
		}
	}
	return list
}

// wanted are the files of a command in the order in which their contents are
// printed, without those that could not be read; commands that print one number
// are among them by their name ("nproc", "nproc --all").
func wanted(command string, refused []string) []string {
	var list []string
	for _, c := range calls(command) {
		switch c.name {
		case "nproc":
			if c.has("--all") {
				list = append(list, "nproc --all")
			} else {
				list = append(list, "nproc")
			}
		case "echo", "printf":
			if len(c.args) > 0 && strings.TrimSuffix(c.args[len(c.args)-1], `\n`) == "$OMP_NUM_THREADS" {
				list = append(list, "omp")
			}
		case "cat", "head", "tail":
			for _, p := range c.paths() {
				if strings.HasPrefix(p, "/") && !isIn(refused, p) {
					list = append(list, p)
				}
			}
		}
	}
	return list
}

func isIn(list []string, s string) bool {
	for _, o := range list {
		if o == s {
			return true
		}
	}
	return false
}

// named returns the files of an output that says which is which, and the lines
// that belong to none.
func (l *look) named() (files []fileOut, rest []string) {
	current := ""
	for _, s := range l.lines {
		if noFile.MatchString(s) {
			continue
		}
		if m := namedHead.FindStringSubmatch(s); m != nil {
			current = m[1]
			continue
		}
		if m := namedLine.FindStringSubmatch(s); m != nil {
			files = append(files, fileOut{path.Base(m[1]), m[1], strings.TrimSpace(m[2]), s})
			continue
		}
		if current != "" && strings.TrimSpace(s) != "" {
			files = append(files, fileOut{path.Base(current), current, strings.TrimSpace(s), s})
			continue
		}
		rest = append(rest, s)
	}
	return files, rest
}

// limitOf reads a limit of a cgroup: limited is false for "max", -1 and the
// number that stands for none.
func limitOf(s string) (v float64, limited, ok bool) {
	s = strings.TrimSpace(s)
	if s == "max" || s == "-1" {
		return 0, false, true
	}
	if s == "" || strings.Trim(s, "0123456789") != "" || len(s) > 20 {
		return 0, false, false
	}
	v, ok = number(s)
	if !ok {
		return 0, false, false
	}
	return v, v < math.Exp2(62), true
}
