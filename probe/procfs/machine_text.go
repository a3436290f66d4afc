package procfs

import (
	"io/fs"
	"strings"

	"rentgen/probe"
)

// MachineScript returns a POSIX shell script that prints, once, what
// MachineFromText reads.
func MachineScript() string {
	return setup + tick +
		`grep -E '' /proc/sys/kernel/osrelease /proc/sys/kernel/hostname /proc/sys/kernel/random/boot_id /proc/1/stat /etc/os-release /usr/lib/os-release /run/systemd/container 2>&1
grep -m 1 -E '^(model name|Model|cpu model)' /proc/cpuinfo /dev/null 2>&1
grep ' / overlay ' /proc/self/mounts /dev/null 2>&1
for pf in /.dockerenv /run/.containerenv /dev/lxd /var/run/secrets/kubernetes.io; do
[ -e "$pf" ] && echo "has:$pf"
done
printf 'arch:%s\n' "$(uname -m)"
printf 'user:%s\n' "$(id -un 2>/dev/null)"
printf 'libc:%s\n' "$(getconf GNU_LIBC_VERSION 2>/dev/null)"
for pf in /lib/ld-musl-*; do
[ -e "$pf" ] && echo libc:musl
done
:
`
}

// MachineFromText makes the description of a machine and its run out of what
// MachineScript printed. Fields that are not in the text stay empty.
func MachineFromText(b []byte) (probe.Machine, probe.Run) {
	t := parseText(b)
	for _, path := range []string{fileOSRelease, fileOSRelease2, fileSystemd, fileMounts, fileCPUInfo} {
		if t.content[path] == nil && t.errs[path] == nil {
			t.errs[path] = fs.ErrNotExist
		}
	}
	said := map[string]bool{}
	words := map[string]string{}
	b = b[:min(len(b), maxText)]
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		key, value, ok := strings.Cut(string(l[:min(len(l), 4*maxName)]), ":")
		switch {
		case !ok:
		case key == "has" && len(said) < 16:
			said[strings.TrimSpace(value)] = true
		case key == "arch", key == "user", key == "libc":
			if v := Clean(value, maxName); v != "" {
				words[key] = v
			}
		}
	}
	m := machine(t, func(path string) bool { return said[path] })
	m.Arch, m.User, m.Libc = words["arch"], words["user"], words["libc"]
	return m, runOf(t)
}

// PIDScript returns a shell script that prints the visible processes for
// PIDsFromText.
func PIDScript() string {
	return "LC_ALL=C grep -s '' /proc/[0-9]*/comm /dev/null\n:\n"
}

// PIDsFromText reads what PIDScript printed: the processes that can be seen
// from here with their names.
func PIDsFromText(b []byte) map[int]string {
	pids := map[int]string{}
	b = b[:min(len(b), maxText)]
	for len(b) > 0 && len(pids) < maxPIDs {
		var l []byte
		l, b = line(b)
		path, name, ok := strings.Cut(string(l), ":")
		num, found := strings.CutPrefix(path, "/proc/")
		num, comm := strings.CutSuffix(num, "/comm")
		pid, isNum := number([]byte(num))
		if !ok || !found || !comm || !isNum || pid == 0 || pid > maxPID {
			continue
		}
		pids[int(pid)] = Clean(name, maxName)
	}
	return pids
}
