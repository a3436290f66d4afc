//go:build !windows

package open

import "syscall"

var (
	refusedErrors = []error{syscall.ECONNREFUSED}
	nowhereErrors = []error{syscall.EHOSTUNREACH, syscall.ENETUNREACH}
)
