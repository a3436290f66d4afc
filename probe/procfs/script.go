package procfs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"rentgen/probe"
)

// setup collects the names of the files as the shell's own arguments, so that
// a path the host thinks of is data and never text of a command.
const setup = `LC_ALL=C; export LC_ALL
set -- /proc/uptime /proc/stat /proc/meminfo /proc/vmstat /proc/diskstats /proc/net/dev /proc/self/cgroup /proc/self/status
for pf in /proc/pressure/cpu /proc/pressure/memory /proc/pressure/io; do
[ -e "$pf" ] && set -- "$@" "$pf"
done
pg=/sys/fs/cgroup
while IFS=: read -r pn pc pp; do
case "$pp" in *..*) continue;; esac
pd=
case ",$pc," in
,,) pd=$pg; pl="memory.max memory.current memory.stat cpu.max cpu.stat cgroup.type cpu.pressure memory.pressure io.pressure";;
*,memory,*) pd=$pg/memory; pl="memory.limit_in_bytes memory.usage_in_bytes memory.stat";;
*,cpu,*) pd=$pg/cpu; pl="cpu.cfs_quota_us cpu.cfs_period_us cpu.stat"; [ -d "$pd" ] || pd="$pg/cpu,cpuacct";;
esac
[ -n "$pd" ] || continue
while :; do
pp=${pp%/}
for pf in $pl; do
[ -e "$pd$pp/$pf" ] && set -- "$@" "$pd$pp/$pf"
done
case "$pp" in */*) pp=${pp%/*};; *) break;; esac
done
done 2>/dev/null < /proc/self/cgroup
`

// tick is one process: grep names each file at each line, keeps only the
// lines that are read (no loop devices, memory disks and inner ends of
// containers, of which a host may have hundreds) and says which files are
// missing or not allowed.
const tick = `grep -E '^(cpu|btime |Mem(Total|Free|Available):|Buffers:|Cached:|SReclaimable:|pswp(in|out) |Cpus_allowed_list:|(total_)?inactive_file |nr_(periods|throttled) |some |max|domain|threaded|-?[0-9]+$|[0-9]+ [0-9]+$|[0-9]+\.[0-9]+ |[0-9]+:| *[0-9]+ +[0-9]+ ([a-km-qs-zA-Z]|l[^o]|r[^a])| *([^v: ]|v[^e:])[^ :]*: *[0-9]+ +[0-9])' "$@" 2>&1
`

// Script returns a POSIX shell script that prints the files of one tick for
// FromText: a few processes and kilobytes.
func Script() string { return setup + clientsScript + tick + "pgpu\n" }

// LoopScript returns a script that prints the files again and again, a line
// with nothing but end behind each time, pausing the given seconds. It runs
// until it is killed or can't write. end may hold letters and digits only.
func LoopScript(seconds int, end string) (string, error) {
	if end == "" || strings.Trim(end, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
		return "", fmt.Errorf("procfs: end mark %q holds more than letters and digits", end)
	}
	if seconds < 1 {
		return "", fmt.Errorf("procfs: a pause of %d s, at least 1 is allowed", seconds)
	}
	return setup + clientsScript + "pt=0\nwhile :; do\n" + tick +
		"[ $pt -gt 0 ] || { pgpu; pt=" + clientsAgain(seconds) + "; }\npt=$((pt-1))\necho " + end + " || exit 0\nsleep " + fmt.Sprint(seconds) + "\ndone\n", nil
}

// text is the source behind FromText: the content of every file that the
// script printed, or why it could not.
type text struct {
	content map[string][]byte
	errs    map[string]error
}

// The bounds of foreign text.
const (
	maxText  = 4 << 20
	maxFiles = 1024
	maxPath  = 1024
)

var errEmpty = errors.New("nothing in it could be understood")

func (t *text) read(path string) ([]byte, error) {
	if b, ok := t.content[path]; ok {
		return b, nil
	}
	if err, ok := t.errs[path]; ok {
		return nil, err
	}
	if strings.HasPrefix(path, cgroupRoot) || strings.HasPrefix(path, "/proc/pressure") {
		return nil, fs.ErrNotExist // the script asks only where a directory is
	}
	if path == fileDiskstats {
		return nil, nil // nothing but devices that the script leaves out
	}
	return nil, errEmpty
}

// parseText splits "path:line" and "grep: path: reason".
func parseText(b []byte) *text {
	t := &text{content: map[string][]byte{}, errs: map[string]error{}}
	b = b[:min(len(b), maxText)]
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		l = bytes.TrimRight(l, "\r")
		if len(t.content)+len(t.errs) >= maxFiles {
			break
		}
		if len(l) > 0 && l[0] == '/' {
			if i := pathEnd(l); i > 0 && i <= maxPath {
				path := string(l[:i])
				t.content[path] = append(append(t.content[path], l[i+1:]...), '\n')
			}
			continue
		}
		// "grep: /x: No such file or directory"; some put a path before grep.
		i := bytes.Index(l, []byte(": /"))
		j := bytes.LastIndex(l, []byte(": "))
		if i < 0 || j <= i+2 || j-i > maxPath {
			continue
		}
		t.errs[string(l[i+2:j])] = shellError(string(l[j+2:]))
	}
	return t
}

// pathEnd finds the colon behind a path. Names of control groups may hold
// colons themselves, names of their files do not.
func pathEnd(l []byte) int {
	if !bytes.HasPrefix(l, []byte(cgroupRoot+"/")) {
		return bytes.IndexByte(l, ':')
	}
	for i, c := range l {
		if c != ':' {
			continue
		}
		base := string(l[bytes.LastIndexByte(l[:i], '/')+1 : i])
		switch base {
		case "memory.max", "memory.current", "memory.stat", "cpu.max", "cpu.stat", "cgroup.type",
			"cpu.pressure", "memory.pressure", "io.pressure", "memory.limit_in_bytes",
			"memory.usage_in_bytes", "cpu.cfs_quota_us", "cpu.cfs_period_us":
			return i
		}
	}
	return -1
}

// shellError reads the reason as the C locale words it, glibc's and musl's.
func shellError(s string) error {
	switch s {
	case "No such file or directory", "Not a directory", "No such device":
		return fs.ErrNotExist
	case "Permission denied", "Operation not permitted":
		return fs.ErrPermission
	case "Operation not supported", "Not supported", "Not a tty":
		return errors.ErrUnsupported
	}
	return errors.New(Clean(s, maxRaw))
}

// FromText makes the readings out of what Script printed. prev is what the
// call before returned, nil at the first one; rates are pending then. It
// never returns nil, whatever the text.
func FromText(b []byte, prev *Snapshot) (*Snapshot, *probe.System) {
	t := parseText(b)
	cur := &Snapshot{}
	cur.at, cur.atMiss = uptime(t)
	cur.fill(t, &groups{}, true)
	cur.clients = clientsFromText(t, prev)
	return cur, system(prev, cur)
}

func uptime(src source) (time.Duration, probe.Value) {
	b, err := src.read(fileUptime)
	if err != nil {
		return 0, missing(err)
	}
	f, _ := field(b)
	s, ok := decimal(f)
	if !ok || s > 1e9 {
		return 0, garbled(b)
	}
	return time.Duration(s * float64(time.Second)), probe.Value{State: probe.OK}
}
