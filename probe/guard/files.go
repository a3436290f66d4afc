package guard

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The guard's files, in a folder of its own on the host.
const (
	OrderFile = "order.json"  // what was switched on; gone when it is off
	StateFile = "state.json"  // what the guard is doing
	StopsFile = "stops.jsonl" // records of stops and of dry runs that came to their end
	KeepFile  = "KEEP"        // held back while it is there; may hold a time
)

// Folder is the name of the guard's folder in the recorder's.
const Folder = "guard"

// Remove deletes the guard's files and its folder; one that is not there is no
// error, and what else lies there stays.
func Remove(dir string) error {
	es, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range es {
		for _, name := range []string{OrderFile, StateFile, StopsFile, KeepFile} {
			if e.Name() == name || strings.HasPrefix(e.Name(), "."+name+".") {
				if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
					return err
				}
			}
		}
	}
	return os.Remove(dir)
}

// folder is the guard's folder.
type folder string

func (d folder) there() bool {
	st, err := os.Stat(string(d))
	return err == nil && st.IsDir()
}

func (d folder) path(name string) string { return filepath.Join(string(d), name) }

// read reads a file up to a limit; one more byte than it is an error.
func (d folder) read(name string, limit int) ([]byte, error) {
	f, err := os.Open(d.path(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, errors.Join(errors.New(name+" is no plain file"), err)
	}
	b, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err == nil && len(b) > limit {
		err = errors.New(name + " is too long")
	}
	return b, err
}

// write replaces a file, all or nothing; where lasting it is on disk before it
// returns.
func (d folder) write(name string, b []byte, lasting bool) error {
	f, err := os.CreateTemp(string(d), "."+name+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if lasting {
		err = errors.Join(err, f.Sync())
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), d.path(name))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// record adds a line to the records, on disk before it returns, and lets go of
// the oldest ones.
func (d folder) record(line []byte) error {
	line = append(line, '\n')
	b, err := d.read(StopsFile, maxStopsLen)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && len(b) == 0 {
		return err
	}
	lines := bytes.SplitAfter(b, []byte("\n"))
	// The last element is empty.
	for len(lines) > maxStops || len(lines) > 0 && size(lines)+len(line) > maxStopsLen {
		lines = lines[1:]
	}
	b = bytes.Join(lines, nil)
	if len(b) > 0 && b[len(b)-1] != '\n' {
		b = append(b, '\n')
	}
	return d.write(StopsFile, append(b, line...), true)
}

func size(lines [][]byte) int {
	n := 0
	for _, l := range lines {
		n += len(l)
	}
	return n
}

// keep looks whether the user holds the guard back. Anything called KEEP does; one
// that can't be read or understood does until it is gone.
func (d folder) keep() Keep {
	_, err := os.Lstat(d.path(KeepFile))
	if errors.Is(err, fs.ErrNotExist) {
		return Keep{}
	}
	b, err := d.read(KeepFile, 256)
	if err != nil {
		return Keep{On: true}
	}
	return ParseKeep(b)
}

// ParseKeep reads the content of a KEEP file: nothing, or a time as RFC 3339 or in
// seconds since 1970, by the host's clock. What is no time holds until the file is
// gone.
func ParseKeep(b []byte) Keep {
	text, _, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	text = strings.TrimSpace(text)
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return Keep{On: true, Until: t}
	}
	const year9999 = 253402300799
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 && n <= year9999 {
		return Keep{On: true, Until: time.Unix(n, 0).UTC()}
	}
	return Keep{On: true}
}
