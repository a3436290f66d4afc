package open

import "syscall"

// Winsock's own numbers; Go's syscall.ECONNREFUSED is another one on Windows.
var (
	refusedErrors = []error{syscall.Errno(10061), syscall.ECONNREFUSED}
	nowhereErrors = []error{syscall.Errno(10065), syscall.Errno(10051), syscall.EHOSTUNREACH, syscall.ENETUNREACH}
)
