package day

import (
	"context"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/script"
)

// Remote is a file on the host.
type Remote struct {
	Rel  string // path below the folder, as it is on the host
	Size int64
	Time time.Time
	// SHA256 is in hexadecimal, "" where it was not computed.
	SHA256 string
}

// Listing is the content of a folder on the host.
type Listing struct {
	Dir   string // with symbolic links resolved
	Files []Remote
	// Odd says that there are files whose names hold a newline; they are left out.
	Odd bool
	// Whole says that the folder was read to the end.
	Whole bool
}

// maxFiles bounds a listing.
const maxFiles = 100000

// ErrNoFolder says that the folder isn't there or may not be entered.
var ErrNoFolder = errors.New("no such folder on the host")

const listText = `
d=$(cd "$1/" 2>/dev/null && pwd -P)
[ -n "$d" ] || { say none; exit 0; }
say folder "$d"
[ -n "$(soon 30 find "$d/" -xdev -path "*$NL*" 2>/dev/null | head -c 1)" ] && say odd
{ soon 60 find "$d/" -xdev -type f ! -path "*$NL*" -exec stat -c '%s %Y %n' {} + 2>/dev/null; [ $? -eq 0 ] && echo whole; } | head -n 100001 | list files
`

// List lists a folder of the host with everything below it.
func List(ctx context.Context, r guide.Runner, dir string) (Listing, error) {
	told, err := script.Run(ctx, script.Params{Runner: r, Text: listText, Args: []string{dir}, Timeout: 2 * time.Minute, Limit: 16 << 20})
	if err != nil {
		return Listing{}, err
	}
	return readListing(told)
}

func readListing(told script.Told) (Listing, error) {
	f, ok := told.One("folder")
	if !ok || !path.IsAbs(f.Field(0)) {
		return Listing{}, ErrNoFolder
	}
	l := Listing{Dir: path.Clean(f.Field(0))}
	_, l.Odd = told.One("odd")
	files, _ := told.One("files")
	for _, line := range files.Lines {
		if line == "whole" {
			l.Whole = told.Whole
			continue
		}
		size, rest, _ := strings.Cut(line, " ")
		mtime, name, ok := strings.Cut(rest, " ")
		n, err1 := strconv.ParseInt(size, 10, 64)
		t, err2 := strconv.ParseInt(mtime, 10, 64)
		rel, below := strings.CutPrefix(path.Clean(name), strings.TrimSuffix(l.Dir, "/")+"/")
		if !ok || err1 != nil || err2 != nil || n < 0 || !below || rel == "" || len(l.Files) == maxFiles {
			continue
		}
		l.Files = append(l.Files, Remote{Rel: rel, Size: n, Time: time.Unix(t, 0)})
	}
	slices.SortFunc(l.Files, func(a, b Remote) int { return strings.Compare(a.Rel, b.Rel) })
	l.Files = slices.CompactFunc(l.Files, func(a, b Remote) bool { return a.Rel == b.Rel })
	return l, nil
}
