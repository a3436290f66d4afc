package check

import (
	"slices"
	"strconv"
	"strings"

	"rentgen/app/guide"
)

// volume is something mounted, as df, mount or findmnt tell of it. What a tool
// doesn't tell is "".
type volume struct {
	mount, source, fstype string
	options               []string // nil: not told
	line                  string
}

// volumeKind says what a volume is good for.
type volumeKind int

const (
	kindData   volumeKind = iota // can hold data
	kindRoot                     // the root itself
	kindPseudo                   // nothing of a disk: tmpfs, proc, devices
	kindFile                     // a single file
	kindPublic                   // may only be read
	kindSystem                   // belongs to the system: boot, programs
)

var (
	pseudoTypes = []string{
		"tmpfs", "devtmpfs", "proc", "sysfs", "cgroup", "cgroup2", "devpts", "mqueue", "debugfs", "tracefs", "securityfs", "pstore", "bpf", "configfs", "fusectl", "hugetlbfs",
		"autofs", "binfmt_misc", "rpc_pipefs", "nsfs", "efivarfs", "ramfs", "selinuxfs", "overlay", "overlayfs", "aufs", "shiftfs", "nfsd", "fuse.lxcfs", "fuse.gvfsd-fuse",
		"fuse.portal", "fuse.fuse-overlayfs", "fuse.sysboxfs", "rootfs",
	}
	pseudoSources = []string{
		"tmpfs", "shm", "udev", "dev", "devtmpfs", "none", "proc", "sysfs", "cgroup", "cgroup2", "devpts", "mqueue", "run", "overlay", "lxcfs", "cgmfs", "efivarfs", "gvfsd-fuse",
		"portal", "systemd-1", "cgroup_root", "fuse-overlayfs", "ramfs", "rootfs",
	}
	readTypes  = []string{"squashfs", "iso9660", "erofs", "cramfs", "fuse.snapfuse", "udf"}
	layerTypes = []string{"overlay", "overlayfs", "aufs", "fuse.fuse-overlayfs", "shiftfs"}
	// remote are sources of other machines: host:/path, //server/share, mfs#pool.
	remoteSource = guide.Regexp(`^(?:[\w.-]+|\[[0-9a-fA-F:]+\])(?:,[\w.:-]+)*(?::\d+)?:/|^//[^/]|^mfs#|^(?:AutoFS|JuiceFS):|^[\w.-]+@[\w.-]+:`)
	remoteTypes  = []string{"nfs", "nfs4", "cifs", "smb3", "smbfs", "ceph", "lustre", "glusterfs", "beegfs", "gpfs", "afs", "davfs", "davfs2", "pvfs2", "wekafs", "mfs", "fuse", "ncpfs"}
	fileNames    = guide.Regexp(`(?:\.so(?:\.\d+)*|\.(?:conf|json|sock|sh|bin|pem|key|ya?ml|txt|py|ko|whl))$|/(?:authorized_keys|hosts|hostname|resolv\.conf|\.bashrc|\.profile|socket)$`)
)

func under(path string, folders ...string) bool {
	for _, f := range folders {
		if path == f || strings.HasPrefix(path, f+"/") {
			return true
		}
	}
	return false
}

func beneath(path string, folders ...string) bool {
	for _, f := range folders {
		if strings.HasPrefix(path, f+"/") {
			return true
		}
	}
	return false
}

// kind tells what the volume is good for.
func (v volume) kind() volumeKind {
	switch {
	case v.mount == "/":
		return kindRoot
	case under(v.mount, "/dev", "/proc", "/sys", "/run"), beneath(v.mount, "/var/lib/docker", "/var/lib/lxcfs", "/var/lib/kubelet", "/var/lib/containers", "/var/lib/lxd"),
		slices.Contains(pseudoTypes, v.fstype), v.fstype == "" && slices.Contains(pseudoSources, v.source):
		return kindPseudo
	case beneath(v.mount, "/etc", "/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/lib", "/lib64", "/lib32"), fileNames.MatchString(v.mount):
		return kindFile
	case v.readOnly(), slices.Contains(readTypes, v.fstype), under(v.mount, "/autodl-pub", "/snap", "/var/lib/snapd"):
		return kindPublic
	case under(v.mount, "/boot", "/efi", "/usr", "/opt/bin", "/tmp", "/var/tmp", "/recovery"):
		return kindSystem
	}
	return kindData
}

// readOnly reports whether the options say ro.
func (v volume) readOnly() bool { return slices.Contains(v.options, "ro") }

// network reports whether the volume lies on another machine.
func (v volume) network() bool {
	if v.fstype == "fuseblk" || slices.Contains(pseudoTypes, v.fstype) || v.kind() == kindPseudo {
		return false
	}
	return slices.Contains(remoteTypes, v.fstype) || strings.HasPrefix(v.fstype, "fuse.") || remoteSource.MatchString(v.source)
}

// layer reports whether the volume is the layer of a container, which dies with
// it.
func (v volume) layer() bool {
	return slices.Contains(layerTypes, v.fstype) || v.fstype == "" && slices.Contains([]string{"overlay", "none", "aufs", "fuse-overlayfs"}, v.source)
}

// inRAM reports whether the volume is memory.
func (v volume) inRAM() bool {
	return slices.Contains([]string{"tmpfs", "ramfs", "devtmpfs"}, v.fstype) || v.fstype == "" && slices.Contains([]string{"tmpfs", "shm", "ramfs"}, v.source)
}

// of returns the volume that holds a path: the one with the longest mount point
// above it, the last of those. ok is false where none is.
func of(list []volume, path string) (best volume, ok bool) {
	for _, v := range list {
		if (v.mount == "/" || under(path, strings.TrimSuffix(v.mount, "/"))) && len(v.mount) >= len(best.mount) {
			best, ok = v, true
		}
	}
	return best, ok
}

// mountsOf are the mount points of the volumes that hold, in their order, each
// once. Never nil: an empty list is a fact.
func mountsOf(list []volume, hold func(volume) bool) []string {
	names, seen := []string{}, map[string]bool{}
	for _, v := range list {
		if hold(v) && !seen[v.mount] {
			seen[v.mount] = true
			names = append(names, v.mount)
		}
	}
	return names
}

// noteVolumes sets the facts that every list of mounts gives.
func (l *look) noteVolumes(list []volume) {
	l.set("persistent_candidates", mountsOf(list, func(v volume) bool { return v.kind() == kindData }))
	l.set("readonly_mounts", mountsOf(list, func(v volume) bool { return v.kind() == kindPublic }))
	l.set("file_bind_mounts", mountsOf(list, func(v volume) bool { return v.kind() == kindFile }))
	l.set("network_mounts", mountsOf(list, volume.network))
}

// unescaped turns the octal escapes of mount tables into what they stand for, and
// the \x20 of findmnt.
func unescaped(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return escaped.ReplaceAllStringFunc(s, func(e string) string {
		base := 8
		digits := e[1:]
		if digits[0] == 'x' {
			base, digits = 16, digits[1:]
		}
		n, err := strconv.ParseUint(digits, base, 8)
		if err != nil || n < 0x20 || n == 0x7f { // a control character stays escaped
			return e
		}
		return string(rune(n))
	})
}

var escaped = guide.Regexp(`\\(?:[0-3][0-7]{2}|x[0-9a-fA-F]{2})`)

// quotaSaid are the messages of a disk quota that is used up.
var quotaSaid = []string{"disk quota exceeded", "quota exceeded", "errno 122", "edquot", "超出磁盘限额", "超出磁碟配額", "超过磁盘限额"}

// fullSaid are the messages of a full disk.
var fullSaid = []string{"no space left on device", "errno 28", "enospc", "设备上没有空间", "裝置上已無多餘空間"}

// readOnlySaid are the messages of a file system that may only be read.
var readOnlySaid = []string{"read-only file system", "errno 30", "只读文件系统", "唯讀檔案系統", "remounting filesystem read-only", "remounted read-only"}
