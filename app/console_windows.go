package main

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// hideOwnConsole takes away the console that Windows makes for a program
// started by a double click. One that a shell shares with us stays.
func hideOwnConsole() {
	kernel := windows.NewLazySystemDLL("kernel32.dll")
	var pids [2]uint32
	n, _, _ := kernel.NewProc("GetConsoleProcessList").Call(uintptr(unsafe.Pointer(&pids[0])), uintptr(len(pids)))
	if n == 1 {
		_, _, _ = kernel.NewProc("FreeConsole").Call() // without a console it has nothing to do
	}
}
