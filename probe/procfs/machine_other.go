//go:build !linux

package procfs

import "runtime"

// unameMachine returns Go's name of the processor.
func unameMachine() string { return runtime.GOARCH }
