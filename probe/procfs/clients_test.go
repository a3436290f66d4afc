package procfs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"rentgen/probe"
)

// open gives a process of a fake root open files.
func open(t *testing.T, root, pid, comm string, to ...string) {
	t.Helper()
	fd := filepath.Join(root, "proc", pid, "fd")
	if err := os.MkdirAll(fd, 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, root, map[string]string{"/proc/" + pid + "/comm": comm + "\n"})
	for i, path := range to {
		if err := os.Symlink(path, filepath.Join(fd, fmt.Sprint(i))); err != nil {
			t.Skip("no links here: ", err)
		}
	}
}

// cards is a host with a card and these processes: two that hold it, one of
// them twice and one as a container's mounts show it.
func cards(t *testing.T) string {
	root := host(t)
	put(t, root, map[string]string{"/dev/nvidia0": "", "/dev/nvidiactl": "", "/proc/sys/x": ""})
	open(t, root, "1", "init", "/dev/null", "socket:[1]")
	open(t, root, "20", "python3", "/dev/null", "/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia0", "/dev/nvidia-uvm")
	open(t, root, "21", "python3 (x) y", "/rootfs/dev/nvidia11")
	open(t, root, "22", "nvidia-smi", "/dev/nvidia0")
	open(t, root, "23", "rentgen-agent", "/dev/nvidia0")
	open(t, root, "24", "Xorg", "/dev/nvidiactl", "/dev/nvidia-modeset", "/dev/nvidia-caps/nvidia-cap1", "/tmp/nvidia", "/tmp/nvidia0x")
	open(t, root, "25", "kthread")
	return root
}

// counted waits until a scan is over and returns the sample behind it.
func (p *pair) counted() *probe.System {
	p.r.cards.wait.Wait()
	return p.after(0)
}

func TestClients(t *testing.T) {
	root := cards(t)
	p := reader(t, root)
	wantState(t, p.after(0), probe.GPUClients, probe.Pending, "")
	want(t, p.counted(), probe.GPUClients, 2)

	if err := os.RemoveAll(root + "/proc/20"); err != nil {
		t.Fatal(err)
	}
	p.after(clientsEvery - time.Second)
	want(t, p.counted(), probe.GPUClients, 2) // not looked at anew yet
	p.after(time.Second)
	want(t, p.counted(), probe.GPUClients, 1)

	if err := os.RemoveAll(root + "/proc/21"); err != nil {
		t.Fatal(err)
	}
	p.after(-time.Hour) // a clock that was set back
	want(t, p.counted(), probe.GPUClients, 0)
}

func TestClientsPauseGrowsWithTheScan(t *testing.T) {
	for took, pause := range map[time.Duration]time.Duration{0: clientsEvery, time.Millisecond: clientsEvery, 100 * time.Millisecond: 20 * time.Second, time.Second: clientsLate} {
		if got := (&clients{last: took}).pause(); got != pause {
			t.Errorf("after a scan of %v a pause of %v, want %v", took, got, pause)
		}
	}
}

func TestClientsWithoutAnswer(t *testing.T) {
	t.Run("no card's device", func(t *testing.T) {
		root := cards(t)
		if err := os.Remove(root + "/dev/nvidia0"); err != nil {
			t.Fatal(err)
		}
		wantState(t, reader(t, root).after(0), probe.GPUClients, probe.Unsupported, "no /dev/nvidia0")
	})
	t.Run("no processes", func(t *testing.T) {
		root := t.TempDir()
		put(t, root, map[string]string{"/dev/nvidia0": "", "/proc/stat": ""})
		p := reader(t, root)
		p.after(0)
		wantState(t, p.counted(), probe.GPUClients, probe.Unsupported, "")
	})
	t.Run("closed to us", func(t *testing.T) {
		if runtime.GOOS != "linux" || os.Geteuid() == 0 {
			t.Skip("needs a login that is not root on Linux")
		}
		root := cards(t)
		if err := os.Chmod(root+"/proc/20/fd", 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(root+"/proc/20/fd", 0o755) })
		p := reader(t, root)
		p.after(0)
		wantState(t, p.counted(), probe.GPUClients, probe.Denied, "")
	})
	t.Run("over the budget", func(t *testing.T) {
		c := clients{root: cards(t)}
		left := 1
		if _, err := c.holds("20", &left); err != nil || left > 0 {
			t.Errorf("%v, %d left", err, left)
		}
	})
}

// TestClientsScript runs the shell's count over the same fake root.
func TestClientsScript(t *testing.T) {
	for _, shell := range [][]string{{"/bin/sh"}, {"dash"}, {"bash", "--posix"}, {"busybox", "sh"}} {
		t.Run(shell[0], func(t *testing.T) {
			if _, err := exec.LookPath(shell[0]); err != nil {
				t.Skipf("no %s here", shell[0])
			}
			root := cards(t)
			// sed's pattern for the heads of the list needs its slashes escaped.
			script := strings.NewReplacer(`\/proc\/`, strings.ReplaceAll(root, "/", `\/`)+`\/proc\/`, "^/proc/", "^"+root+"/proc/",
				" /proc/", " "+root+"/proc/", `"/proc/`, `"`+root+"/proc/", "/dev/nvidia[", root+"/dev/nvidia[").Replace(clientsScript) + "pgpu\n"
			count := func() *probe.System {
				cmd := exec.Command(shell[0], shell[1:]...)
				cmd.Stdin = strings.NewReader(script)
				b, err := cmd.Output()
				if err != nil {
					t.Fatal(err)
				}
				_, s := FromText(b, nil)
				return s
			}
			want(t, count(), probe.GPUClients, 2)
			if err := os.Remove(root + "/dev/nvidia0"); err != nil {
				t.Fatal(err)
			}
			wantState(t, count(), probe.GPUClients, probe.Unsupported, "no /dev/nvidia0")
		})
	}
}

func TestClientsFromText(t *testing.T) {
	snap, s := FromText([]byte(fileClients+":3\n"), nil)
	want(t, s, probe.GPUClients, 3)
	_, s = FromText([]byte("/proc/uptime:1 1\n"), snap)
	want(t, s, probe.GPUClients, 3) // a tick between two counts
	_, s = FromText([]byte(fileClients+":x\x1by\n"), snap)
	wantState(t, s, probe.GPUClients, probe.Error, "xy")
	_, s = FromText([]byte("/proc/uptime:1 1\n"), nil)
	wantState(t, s, probe.GPUClients, probe.Pending, "")
	if l, err := LoopScript(5, "end"); err != nil || !strings.Contains(l, "pt=2;") {
		t.Errorf("%v, %s", err, l)
	}
}

func BenchmarkClients(b *testing.B) {
	c := clients{self: os.Getpid()}
	for b.Loop() {
		c.count()
	}
}
