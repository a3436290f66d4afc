package check

import (
	"encoding/json"
	"strings"

	"rentgen/app/guide"
)

// mountList is what mount, findmnt or a table of the kernel printed.
type mountList struct {
	list []volume
	cut  []string // lines that begin like a mount and are no whole one
}

var (
	mountLine = guide.Regexp(`^(.+?) on (/.*?) type (\S+) \(([^()]*)\)(?: \[[^\]]*\])?\s*$`)
	mountLike = guide.Regexp(`^\S.* on /| type \S+ \(`)
	procLine  = guide.Regexp(`^(\S+) (/\S*) ([a-z][\w.+-]*) ((?:rw|ro)(?:,\S*)?) \d+ \d+$`)
	infoLine  = guide.Regexp(`^\d+ \d+ \d+:\d+ \S+ (/\S*) ((?:rw|ro)(?:,\S*)?) (?:\S+ )*?- ([a-z][\w.+-]*) (\S+) (\S+)$`)
	findHead  = guide.Regexp(`^TARGET\s+SOURCE\s+FSTYPE\s+OPTIONS\s*$`)
	findPair  = guide.Regexp(`\b(TARGET|SOURCE|FSTYPE|OPTIONS)="((?:[^"\\]|\\.)*)"`)
	findLine  = guide.Regexp(`^(?:[│├└─| ` + "`" + `-]*)(/.*\S|/)\s+(\S+)\s+([a-z][\w.+-]*)\s+((?:rw|ro)(?:,\S*)?)\s*$`)
)

// mounts reads a list of mounts in each of the forms in which tools print one.
func (l *look) mounts() mountList {
	var m mountList
	if v, ok := findmntJSON(l.out); ok {
		m.list = v
		return m
	}
	header := false
	for _, s := range l.lines {
		if findHead.MatchString(s) {
			header = true
			continue
		}
		if v, ok := mountOf(s); ok {
			m.list = append(m.list, v)
			continue
		}
		if mountLike.MatchString(s) || header && (strings.HasPrefix(s, "/") || strings.HasPrefix(s, "├") || strings.HasPrefix(s, "└")) {
			m.cut = append(m.cut, s)
		}
	}
	return m
}

// mountOf reads one line.
func mountOf(s string) (volume, bool) {
	v := volume{line: s}
	var options string
	if f := mountLine.FindStringSubmatch(s); f != nil {
		v.source, v.mount, v.fstype, options = f[1], f[2], f[3], f[4]
	} else if f := procLine.FindStringSubmatch(s); f != nil {
		v.source, v.mount, v.fstype, options = f[1], f[2], f[3], f[4]
	} else if f := infoLine.FindStringSubmatch(s); f != nil {
		v.mount, options, v.fstype, v.source = f[1], f[2]+","+f[5], f[3], f[4]
		if strings.HasPrefix(f[2], "rw") && !strings.HasPrefix(f[5], "ro") {
			options = f[2]
		}
	} else if f := findPair.FindAllStringSubmatch(s, -1); len(f) > 0 {
		for _, p := range f {
			switch p[1] {
			case "TARGET":
				v.mount = p[2]
			case "SOURCE":
				v.source = p[2]
			case "FSTYPE":
				v.fstype = p[2]
			case "OPTIONS":
				options = p[2]
			}
		}
	} else if f := findLine.FindStringSubmatch(strings.TrimRight(s, " ")); f != nil {
		v.mount, v.source, v.fstype, options = strings.TrimRight(f[1], " "), f[2], f[3], f[4]
	}
	if !strings.HasPrefix(v.mount, "/") || options == "" {
		return volume{}, false
	}
	v.mount, v.source = unescaped(v.mount), unescaped(v.source)
	v.options = strings.Split(options, ",")
	return v, true
}

// findmntNode is a file system as findmnt -J tells it.
type findmntNode struct {
	Target   string        `json:"target"`
	Source   string        `json:"source"`
	FSType   string        `json:"fstype"`
	Options  string        `json:"options"`
	Children []findmntNode `json:"children"`
}

func findmntJSON(s string) ([]volume, bool) {
	at := strings.Index(s, "{")
	if at < 0 || !strings.Contains(s, `"filesystems"`) {
		return nil, false
	}
	var doc struct {
		Filesystems []findmntNode `json:"filesystems"`
	}
	if err := json.NewDecoder(strings.NewReader(s[at:])).Decode(&doc); err != nil {
		return nil, false
	}
	var list []volume
	var walk func(nodes []findmntNode, depth int)
	walk = func(nodes []findmntNode, depth int) {
		for _, n := range nodes {
			if strings.HasPrefix(n.Target, "/") && n.Options != "" {
				list = append(list, volume{
					mount: n.Target, source: n.Source, fstype: n.FSType, options: strings.Split(n.Options, ","), line: n.Target + " " + n.Source + " " + n.FSType + " " + n.Options,
				})
			}
			if depth < 64 {
				walk(n.Children, depth+1)
			}
		}
	}
	walk(doc.Filesystems, 0)
	return list, true
}

// rw reports whether the options say that it may be written.
func (v volume) rw() bool {
	if v.readOnly() {
		return false
	}
	for _, o := range v.options {
		if o == "rw" {
			return true
		}
	}
	return false
}
