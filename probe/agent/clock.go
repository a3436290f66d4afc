//go:build linux && cgo

package main

import (
	"syscall"
	"time"
	"unsafe"
)

const clockMonotonic = 1

// monotonic is the host's CLOCK_MONOTONIC, comparable between runs of the
// program within one boot.
func monotonic() time.Duration {
	var ts syscall.Timespec
	if _, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&ts)), 0); e != 0 {
		return 0
	}
	return time.Duration(ts.Nano())
}
