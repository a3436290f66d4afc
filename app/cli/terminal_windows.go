package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// plainTerminal switches a console to understand the usual sequences; an old
// one that can't gets a row a tick.
func plainTerminal(f *os.File) bool {
	h := windows.Handle(f.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(h, &mode); err != nil {
		return false
	}
	return windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
