//go:build !windows

package cli

import "os"

// plainTerminal reports whether the terminal understands the usual sequences.
func plainTerminal(*os.File) bool { return os.Getenv("TERM") != "dumb" }
