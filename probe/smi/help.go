package smi

import (
	"strings"
)

// Help is what --help-query-gpu lists: the fields of this driver with their
// aliases.
type Help struct {
	names map[string]bool
}

const (
	maxFields    = 4096
	maxFieldName = 96
)

// Has reports whether the driver lists a field or an alias of that name.
func (h Help) Has(name string) bool { return h.names[name] }

// Empty reports whether the text listed no field at all.
func (h Help) Empty() bool { return len(h.names) == 0 }

// ParseHelp reads the help text. A field stands alone on its line in quotes,
// with its other names behind "or"; words in quotes inside a sentence are
// none.
func ParseHelp(b []byte) Help {
	h := Help{names: map[string]bool{}}
	for l := range lines(b) {
		l = strings.TrimSpace(l)
		if !strings.HasPrefix(l, `"`) || len(h.names) >= maxFields {
			continue
		}
		var found []string
		for rest := l; ; {
			name, after, ok := strings.Cut(rest[1:], `"`)
			if !ok || !fieldName(name) {
				found = nil
				break
			}
			found = append(found, name)
			if rest = strings.TrimSpace(after); rest == "" {
				break
			}
			rest, ok = strings.CutPrefix(rest, "or ")
			if rest = strings.TrimSpace(rest); !ok || !strings.HasPrefix(rest, `"`) {
				found = nil
				break
			}
		}
		for _, n := range found {
			h.names[n] = true
		}
	}
	return h
}

func fieldName(s string) bool {
	if s == "" || len(s) > maxFieldName {
		return false
	}
	for _, c := range []byte(s) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' {
			continue
		}
		return false
	}
	return true
}

// lines yields the lines of foreign text: cut where they are too long,
// without carriage returns.
func lines(b []byte) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		b := b[:min(len(b), maxOutput)]
		for l := range strings.SplitSeq(string(b), "\n") {
			if !yield(strings.TrimRight(l[:min(len(l), maxLine)], "\r")) {
				return
			}
		}
	}
}
