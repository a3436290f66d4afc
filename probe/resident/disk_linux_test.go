package resident

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// smallDisk makes a file system of its own, or skips by name.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if os.Geteuid() != 0 {
		t.Skipf("skipped %s: a mount needs root", t.Name())
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "rentgen-test", dir).CombinedOutput(); err != nil {
		t.Skipf("skipped %s: no mount here: %s", t.Name(), bytes.TrimSpace(out))
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}
