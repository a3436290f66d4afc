package remote

import (
	"syscall"

	"golang.org/x/sys/windows"
)

var (
	refusedErrors     = []error{windows.WSAECONNREFUSED, syscall.ECONNREFUSED}
	unreachableErrors = []error{windows.WSAEHOSTUNREACH, windows.WSAENETUNREACH, windows.WSAENETDOWN, windows.WSAEHOSTDOWN, windows.WSAEADDRNOTAVAIL}
)
