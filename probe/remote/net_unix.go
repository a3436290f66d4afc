//go:build !windows

package remote

import "syscall"

var (
	refusedErrors     = []error{syscall.ECONNREFUSED}
	unreachableErrors = []error{syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.ENETDOWN, syscall.EHOSTDOWN, syscall.EADDRNOTAVAIL}
)
