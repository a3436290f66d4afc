//go:build linux || darwin

package cli

import "golang.org/x/sys/unix"

// silence turns the echo of a terminal off, so that what is typed the moment a
// question shows is not seen either. Who calls it puts the old state back.
func silence(fd int) {
	t, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return // no terminal after all; reading says so
	}
	t.Lflag &^= unix.ECHO
	_ = unix.IoctlSetTermios(fd, setTermios, t)
}
