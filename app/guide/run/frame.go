package run

import (
	"bytes"
	"strconv"

	"rentgen/app/guide"
)

// frames reads one output of the shell: what stands between the markers of each
// check, as it comes. Whatever else is said is dropped.
type frames struct {
	marker []byte // "\n" + marker + " "
	limit  int    // bytes kept of each
	held   []byte // may begin a marker
	open   int    // the check whose output it is; -1 between checks
	body   []byte
	again  bool // a login shell was tried
	lossy  bool // parts may be missing, marks among them
	tell   func(frame)
}

// frame is a step of one output.
type frame struct {
	n     int
	kind  string // "begin", "again" or "end"
	exit  int    // of "end" on stdout
	body  []byte // of "end"
	again bool   // of "end"
}

// longestLine is longer than what follows every marker.
const longestLine = 24

func newFrames(marker string, tell func(frame)) *frames {
	return &frames{marker: []byte("\n" + marker + " "), limit: guide.MaxOutput, open: -1, tell: tell}
}

// write takes the next bytes of the output.
func (f *frames) write(p []byte) {
	f.held = append(f.held, p...)
	for {
		i := bytes.Index(f.held, f.marker)
		if i < 0 {
			f.keep(len(f.held) - f.partial())
			return
		}
		line, _, whole := bytes.Cut(f.held[i+len(f.marker):], []byte(";"))
		if !whole && len(line) < longestLine {
			f.keep(i)
			return
		}
		if whole && f.line(string(line), i) {
			f.held = f.held[i+len(f.marker)+len(line)+1:]
			continue
		}
		f.keep(i + 1) // not ours: someone plays with the marker
	}
}

// partial is how much of the end of what is held may begin a marker.
func (f *frames) partial() int {
	for k := min(len(f.held), len(f.marker)-1); k > 0; k-- {
		if bytes.HasSuffix(f.held, f.marker[:k]) {
			return k
		}
	}
	return 0
}

// keep moves n bytes from what is held to the body.
func (f *frames) keep(n int) {
	if f.open >= 0 {
		f.body = append(f.body, f.held[:min(n, max(0, f.limit-len(f.body)))]...)
	}
	f.held = append(f.held[:0], f.held[n:]...)
}

// line reads what follows a marker up to its semicolon; i is where the marker stands in held. It
// reports whether it is one of ours.
func (f *frames) line(s string, i int) bool {
	n, kind, exit, ok := parseLine(s)
	if ok && f.lossy && n > f.open && f.open >= 0 && kind != "again" { // its end was lost
		was := frame{n: f.open, kind: "end", body: f.until(i), again: f.again}
		f.open, f.body, f.again = -1, nil, false
		f.tell(was)
	}
	if ok && f.lossy && f.open < 0 && kind == "end" { // its begin was lost
		f.tell(frame{n: n, kind: "begin"})
		f.tell(frame{n: n, kind: kind, exit: exit})
		return true
	}
	if !ok || kind == "begin" != (f.open < 0) || kind != "begin" && n != f.open {
		return false
	}
	switch kind {
	case "begin":
		f.open, f.body, f.again = n, nil, false
		f.tell(frame{n: n, kind: kind})
	case "again":
		f.body, f.again = nil, true
		f.tell(frame{n: n, kind: kind})
	case "end":
		body := f.until(i)
		f.open, f.body = -1, nil
		f.tell(frame{n: n, kind: kind, exit: exit, body: body, again: f.again})
	}
	return true
}

// until is the body with what is held before i.
func (f *frames) until(i int) []byte {
	return append(f.body, f.held[:min(i, max(0, f.limit-len(f.body)))]...)
}

func parseLine(s string) (n int, kind string, exit int, ok bool) {
	words := bytes.Split([]byte(s), []byte(" "))
	if len(words) < 2 || len(words) > 3 || len(words[0]) > 6 {
		return 0, "", 0, false
	}
	n, err := strconv.Atoi(string(words[0]))
	if err != nil || n < 0 {
		return 0, "", 0, false
	}
	kind = string(words[1])
	if kind == "end" && len(words) == 3 {
		exit, err = strconv.Atoi(string(words[2]))
		return n, kind, exit, err == nil && exit >= 0 && exit < 1000
	}
	return n, kind, 0, len(words) == 2 && (kind == "begin" || kind == "again")
}

// rest returns what came of the output that is open, for a check that was cut.
func (f *frames) rest() (body []byte, again bool) {
	if f.open < 0 {
		return nil, false
	}
	return append(bytes.Clone(f.body), f.held[:min(len(f.held), max(0, f.limit-len(f.body)))]...), f.again
}
