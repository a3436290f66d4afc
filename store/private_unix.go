//go:build unix

package store

import (
	"fmt"
	"os"
	"syscall"
)

// private refuses a folder that another user owns or may enter.
func private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 || (ok && int(st.Uid) != os.Getuid()) {
		return fmt.Errorf("%s is not a private folder of this user", dir)
	}
	return nil
}
