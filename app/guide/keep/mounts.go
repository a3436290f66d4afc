package keep

import (
	"path"
	"slices"
	"strings"

	"rentgen/app/guide"
)

// Mount is a mounted file system.
type Mount struct {
	Point    string
	FS       string // type: "overlay", "ext4", "nfs4", "fuse.juicefs"
	Source   string
	Device   string // "8:1"; "0:42" where no block device lies below
	ReadOnly bool
}

// InRAM reports whether it lives in RAM.
func (m Mount) InRAM() bool { return m.FS == "tmpfs" || m.FS == "ramfs" }

// Network reports whether it lies on another machine.
func (m Mount) Network() bool {
	if strings.HasPrefix(m.FS, "nfs") || strings.HasPrefix(m.FS, "fuse.") || m.FS == "fuse" {
		return true
	}
	return slices.Contains([]string{"cifs", "smb3", "ceph", "glusterfs", "lustre", "beegfs", "9p", "moosefs", "gpfs", "afs"}, m.FS)
}

var device = guide.Regexp(`^\d{1,7}:\d{1,7}$`)

// maxMounts bounds a list of mounts.
const maxMounts = 4096

// readMounts reads lines of /proc/self/mountinfo; one that isn't understood is
// left out.
func readMounts(lines []string) []Mount {
	var l []Mount
	for _, line := range lines {
		left, right, ok := strings.Cut(line, " - ")
		a, b := strings.Fields(left), strings.Fields(right)
		if !ok || len(a) < 6 || len(b) < 2 || len(l) == maxMounts {
			continue
		}
		m := Mount{Point: unescape(a[4]), FS: b[0], Source: unescape(b[1])}
		if device.MatchString(a[2]) {
			m.Device = a[2]
		}
		if !path.IsAbs(m.Point) {
			continue
		}
		m.ReadOnly = slices.Contains(strings.Split(a[5], ","), "ro") || len(b) > 2 && slices.Contains(strings.Split(b[2], ","), "ro")
		l = append(l, m)
	}
	return l
}

// unescape takes back the octal escapes of blanks, tabs, newlines and backslashes.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			n, ok := 0, true
			for _, c := range []byte(s[i+1 : i+4]) {
				ok = ok && c >= '0' && c <= '7'
				n = n*8 + int(c-'0')
			}
			if ok && n < 256 {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// MountOf returns what a path lies on: the deepest mount above it, the last one
// where several lie on one point. A list without a root knows nothing of a path
// outside its mounts.
func MountOf(mounts []Mount, file string) (Mount, bool) {
	best, found := Mount{}, false
	for _, m := range mounts {
		if under(file, m.Point) && (!found || len(m.Point) >= len(best.Point)) {
			best, found = m, true
		}
	}
	return best, found
}

// under reports whether a path is a directory or lies below it.
func under(file, dir string) bool {
	return file == dir || dir == "/" || strings.HasPrefix(file, dir+"/")
}
