// Package script runs a shell text on an instance and reads what it tells as
// records, so that no name of a file and no noise can be taken for something
// else: every line of ours begins with a random token, every field is in
// hexadecimal.
package script

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"rentgen/app/guide"
)

// preamble gives a text these functions: say KIND FIELD... tells a record; list
// KIND passes its input through as lines (which may hold no token); sayhead KIND N
// FILE FIELD... tells the fields and the first N bytes of a file; have COMMAND
// asks for a command; soon SECONDS COMMAND... ends it after a time where the
// instance has timeout. $NL is a newline. The text's own arguments are $1 and on.
const preamble = `LC_ALL=C
export LC_ALL
unset CDPATH
tok=$1
shift
NL='
'
TAB='	'
have() { command -v "$1" >/dev/null 2>&1; }
hex() {
  if [ -z "$1" ]; then printf ' -'; else printf ' '; printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n'; fi
}
say() {
  said=$1
  shift
  said="$said$(for f in "$@"; do hex "$f"; done)"
  printf '%s %s\n' "$tok" "$said"
}
sayhead() {
  said=$1 n=$2 f=$3
  shift 3
  printf '%s %s%s ' "$tok" "$said" "$(for x in "$@"; do hex "$x"; done)"
  head -c "$n" "$f" 2>/dev/null | od -An -v -tx1 | tr -d ' \n'
  printf ' .\n'
}
list() { printf '%s begin %s\n' "$tok" "$1"; cat; printf '\n%s end %s\n' "$tok" "$1"; }
if timeout 1 true >/dev/null 2>&1; then
  soon() { timeout "$@"; }
elif timeout -t 1 true >/dev/null 2>&1; then
  soon() { n=$1; shift; timeout -t "$n" "$@"; }
else
  soon() { shift; "$@"; }
fi
`

// Params is what a run needs.
type Params struct {
	Runner guide.Runner
	// Text is POSIX shell text of ours; what came from elsewhere goes into Args.
	Text    string
	Args    []string
	Stdin   []byte
	Timeout time.Duration // 0 is 60 s
	Limit   int           // of what it tells, in bytes; 0 is 1 MiB
}

// Record is one thing told.
type Record struct {
	Kind   string
	Fields []string // as they were, uncleaned
	Lines  []string // of a list
}

// Field returns a field, "" where there is none.
func (r Record) Field(i int) string {
	if i < 0 || i >= len(r.Fields) {
		return ""
	}
	return r.Fields[i]
}

// Told is what a text told.
type Told struct {
	Records []Record
	// Whole says that the text came to its end; without it something is missing.
	Whole  bool
	Exit   int
	Stderr string // cleaned, at most 4 KiB
}

// Of returns the records of a kind.
func (t Told) Of(kind string) []Record {
	var l []Record
	for _, r := range t.Records {
		if r.Kind == kind {
			l = append(l, r)
		}
	}
	return l
}

// One returns the first record of a kind.
func (t Told) One(kind string) (Record, bool) {
	for _, r := range t.Records {
		if r.Kind == kind {
			return r, true
		}
	}
	return Record{}, false
}

// Run runs a text. The error is that of the link or of the context; what the
// text itself didn't manage shows in Told.
func Run(ctx context.Context, p Params) (Told, error) {
	var raw [16]byte
	if _, err := rand.Read(raw[:]); err != nil {
		return Told{}, fmt.Errorf("drawing a token: %w", err)
	}
	token := "r" + hex.EncodeToString(raw[:])
	if p.Limit == 0 {
		p.Limit = guide.MaxOutput
	}
	out, err := p.Runner.Exec(ctx, guide.Exec{
		Script: preamble + p.Text + "\nsay done\n", Args: append([]string{token}, p.Args...),
		Stdin: p.Stdin, Timeout: p.Timeout, Limit: p.Limit,
	})
	t := Parse(token, out.Stdout, p.Limit)
	t.Exit, t.Stderr = out.Exit, guide.Clean(out.Stderr, 4096)
	return t, err
}

// Bounds of what is read.
const (
	maxRecords = 20000
	maxFields  = 64
	maxLines   = 200000
)

// Parse reads what a text told with a token. Lines without it are left out,
// and so is everything beyond limit bytes.
func Parse(token string, out []byte, limit int) Told {
	var t Told
	if len(out) > limit {
		out = out[:limit]
	}
	open := -1 // the list that lines go to
	lines := 0
	for len(out) > 0 {
		line, rest, whole := bytes.Cut(out, []byte("\n"))
		out = rest
		mine, ok := bytes.CutPrefix(line, []byte(token+" "))
		if !ok {
			if open >= 0 && len(line) > 0 && whole && lines < maxLines {
				t.Records[open].Lines = append(t.Records[open].Lines, string(line))
				lines++
			}
			continue
		}
		words := strings.Split(string(mine), " ")
		switch {
		case !whole: // cut off
		case words[0] == "done" && len(words) == 1:
			t.Whole = true
		case words[0] == "end":
			open = -1
		case len(t.Records) >= maxRecords:
			open = -1
		case words[0] == "begin" && len(words) == 2 && words[1] != "":
			t.Records = append(t.Records, Record{Kind: words[1]})
			open = len(t.Records) - 1
		default:
			if r, ok := record(words); ok {
				t.Records = append(t.Records, r)
			}
		}
	}
	return t
}

func record(words []string) (Record, bool) {
	if words[0] == "" || len(words) > maxFields {
		return Record{}, false
	}
	r := Record{Kind: words[0]}
	for i, w := range words[1:] {
		if w == "" && i == len(words)-3 && words[len(words)-1] == "." {
			w = "-" // an empty file
		}
		if w == "-" {
			r.Fields = append(r.Fields, "")
			continue
		}
		if w == "." { // the end of what sayhead tells
			continue
		}
		b, err := hex.DecodeString(w)
		if err != nil || len(b) == 0 {
			return Record{}, false
		}
		r.Fields = append(r.Fields, string(b))
	}
	return r, true
}
