package ui

import (
	"bufio"
	"bytes"
	"context"
	"strconv"
	"strings"

	"rentgen/app/cli/reach"
	"rentgen/app/guide"
	"rentgen/app/provider"
	"rentgen/app/purse/alert"
	"rentgen/ui/hosts"
)

// disksScript says how full the file systems of the given folders are, those
// that are there.
const disksScript = `for d in / "$HOME" "$@"; do [ -e "$d" ] && df -Pk "$d" 2>/dev/null | tail -n 1; done; exit 0`

// mostDisks bounds what a host can name.
const mostDisks = 32

// disksOf reads how full the file systems of a host are on which work is kept:
// the system's, the home's, and the folders that its provider names.
func (w *Window) disksOf(ctx context.Context, id string) ([]alert.Disk, error) {
	h := w.streamOf(id)
	if h == nil {
		return nil, hosts.ErrOffline
	}
	if h.Demo() {
		return nil, nil
	}
	var dirs []string
	if p, ok := provider.ProfileOf(w.guides.providerOf(id)); ok {
		for _, d := range p.Dirs {
			if strings.HasPrefix(d.Path, "/") {
				dirs = append(dirs, d.Path)
			}
		}
	}
	out, err := reach.Runner(h).Exec(ctx, guide.Exec{Script: disksScript, Args: dirs, Limit: 64 << 10})
	if err != nil {
		return nil, err
	}
	return parseDisks(out.Stdout), nil
}

// parseDisks reads the lines of df -Pk. Lines that are none are passed over: a
// file system that can't be read is not known, and not full.
func parseDisks(b []byte) []alert.Disk {
	var list []alert.Disk
	seen := map[string]bool{}
	sc := bufio.NewScanner(bytes.NewReader(b))
	for sc.Scan() && len(list) < mostDisks {
		f := strings.Fields(sc.Text())
		if len(f) < 6 || !strings.HasSuffix(f[4], "%") {
			continue
		}
		total, err1 := strconv.ParseUint(f[1], 10, 50)
		free, err2 := strconv.ParseUint(f[3], 10, 50)
		mount := strings.Join(f[5:], " ")
		if err1 != nil || err2 != nil || total == 0 || free > total || seen[mount] || !strings.HasPrefix(mount, "/") {
			continue
		}
		seen[mount] = true
		list = append(list, alert.Disk{Mount: mount, Free: free << 10, Total: total << 10})
	}
	return list
}
