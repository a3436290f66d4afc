package procfs

import "syscall"

// unameMachine returns what uname -m prints.
func unameMachine() string {
	var u syscall.Utsname
	if syscall.Uname(&u) != nil {
		return ""
	}
	b := make([]byte, 0, len(u.Machine))
	for _, c := range u.Machine {
		if c == 0 {
			break
		}
		b = append(b, byte(c))
	}
	return Clean(b, maxName)
}

// ownedByUs reports whether a file belongs to the user that we run as.
func ownedByUs(path string) bool {
	var st syscall.Stat_t
	return syscall.Lstat(path, &st) == nil && int(st.Uid) == syscall.Geteuid()
}
