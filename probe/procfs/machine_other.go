//go:build !linux

package procfs

import "runtime"

// unameMachine returns Go's name of the processor.
func unameMachine() string { return runtime.GOARCH }

// ownedByUs is never asked where there is no /proc.
func ownedByUs(string) bool { return false }
