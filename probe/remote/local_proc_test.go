//go:build !windows

package remote

import (
	"fmt"
	"os"
	"strings"
)

// zombie reports whether the process has ended and only waits to be reaped.
func zombie(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(b), ") Z ")
}
