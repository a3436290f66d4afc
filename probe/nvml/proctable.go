//go:build linux && cgo

package nvml

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// procTable tells which of the driver's pids are processes that can be seen
// from here. The driver may name pids of the host, and inside a container the
// same number can be another process: there a process counts as own only when
// it has the driver's library or device open.
type procTable struct {
	root   string
	nested bool // in a pid namespace of a container

	mu   sync.Mutex
	seen map[int]procEntry
}

type procEntry struct {
	name  string
	own   bool
	start string
	until time.Time // look again
}

const (
	// initNamespace is the inode of the host's own pid namespace, fixed in Linux.
	initNamespace = "pid:[4026531836]"
	procRecheck   = 5 * time.Second
	maxMaps       = 1 << 20
)

func newProcTable(root string) *procTable {
	ns, err := os.Readlink(root + "/self/ns/pid")
	return &procTable{root: root, nested: err == nil && ns != initNamespace, seen: map[int]procEntry{}}
}

// look returns the name of a process and whether it is one of this machine or
// container; a name only of one that is.
func (t *procTable) look(pid int) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	e, known := t.seen[pid]
	if known && now.Before(e.until) {
		return e.name, e.own
	}
	if len(t.seen) > 4096 {
		clear(t.seen)
	}
	name, start := t.stat(pid)
	if !known || e.start != start {
		e = procEntry{name: name, start: start}
		e.own = start != "" && (!t.nested || t.usesDriver(pid))
		if !e.own {
			e.name = ""
		}
	} else if e.own {
		e.name = name
	}
	e.until = now.Add(procRecheck)
	t.seen[pid] = e
	return e.name, e.own
}

// stat returns the name and the start time of a process; "" for none.
func (t *procTable) stat(pid int) (name, start string) {
	b, err := os.ReadFile(t.root + "/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", ""
	}
	// 1234 (name with ) in it) S ppid ...: the name ends at the last bracket
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || end < open {
		return "", ""
	}
	fields := strings.Fields(string(b[end+1:]))
	if len(fields) < 20 {
		return "", ""
	}
	return string(b[open+1 : end]), fields[19]
}

// usesDriver looks for the driver among what a process has mapped. Where that
// may not be read the process is another user's here, so it is not the host's.
func (t *procTable) usesDriver(pid int) bool {
	f, err := os.Open(t.root + "/" + strconv.Itoa(pid) + "/maps")
	if err != nil {
		return os.IsPermission(err)
	}
	defer f.Close()
	buf := make([]byte, 32<<10)
	tail := 0
	for read := 0; read < maxMaps; {
		n, err := f.Read(buf[tail:])
		if n == 0 {
			return err != nil && os.IsPermission(err)
		}
		chunk := buf[:tail+n]
		if bytes.Contains(chunk, []byte("nvidia")) || bytes.Contains(chunk, []byte("libcuda")) {
			return true
		}
		read += n
		tail = copy(buf, chunk[max(0, len(chunk)-16):])
	}
	return false
}

// meminfo returns the machine's memory and what of it is in use, MiB.
func (t *procTable) meminfo() (total, used float64, ok bool) {
	b, err := os.ReadFile(t.root + "/meminfo")
	if err != nil {
		return 0, 0, false
	}
	kib := func(key string) (float64, bool) {
		for line := range bytes.Lines(b) {
			if rest, found := bytes.CutPrefix(line, []byte(key+":")); found {
				f := bytes.Fields(rest)
				if len(f) == 0 {
					return 0, false
				}
				n, err := strconv.ParseFloat(string(f[0]), 64)
				return n, err == nil
			}
		}
		return 0, false
	}
	all, ok1 := kib("MemTotal")
	free, ok2 := kib("MemAvailable")
	if !ok1 || !ok2 || free > all {
		return 0, 0, false
	}
	return float64(int64(all / 1024)), float64(int64((all - free) / 1024)), true
}
