package procfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"rentgen/probe"
)

// The count of the processes that hold a card open. A host may have thousands
// of processes: the scan runs beside the sampling, stops at a budget and is
// made less often where it is slow.
const (
	clientsEvery = 10 * time.Second
	clientsShare = 200              // so many times as long as a scan lies before the next one
	clientsLate  = 30 * time.Second // or this: an older count says too little
	maxLinks     = 1 << 17          // open files that are looked at in one scan
	maxClients   = 4096
)

// lookers are programs that hold a card open to look at it or to keep its
// driver loaded. They compute nothing. The kernel cuts names to 15 characters.
var lookers = []string{
	"rentgen", "rentgen-agent", "nvidia-smi", "nvidia-persiste", "nv-hostengine", "dcgm-exporter", "nvtop", "nvidia-powerd",
}

// clients counts the processes of this login that hold a card open.
type clients struct {
	root string
	self int

	mu    sync.Mutex
	value probe.Value
	busy  bool
	due   time.Time // the next scan
	last  time.Duration
	wait  sync.WaitGroup
}

// get returns the last count and starts the next one where it is due. Where no
// card's device is there, as on WSL and Jetson, cards are used another way and
// nothing can be told from the open files.
func (c *clients) get(now time.Time) probe.Value {
	c.mu.Lock()
	defer c.mu.Unlock()
	early := now.Before(c.due) && c.due.Sub(now) <= c.pause() // a clock that was set back is no reason to wait
	if c.busy || early {
		return c.value
	}
	c.due = now.Add(c.pause())
	if !c.devices() {
		c.value = probe.Missing(probe.Unsupported, "no /dev/nvidia0")
		return c.value
	}
	c.busy = true
	c.wait.Add(1)
	go func() {
		defer c.wait.Done()
		start := time.Now()
		v := c.count()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.value, c.busy, c.last = v, false, time.Since(start)
		c.due = now.Add(c.pause())
	}()
	return c.value
}

// pause is the time between two scans.
func (c *clients) pause() time.Duration {
	return min(max(clientsEvery, clientsShare*c.last), clientsLate)
}

func (c *clients) devices() bool {
	found, err := filepath.Glob(c.root + "/dev/nvidia[0-9]*")
	return err == nil && len(found) > 0
}

// count looks through the open files of every process that may be looked into.
// Processes of other users stay out of it. One of our own whose files are
// closed to us makes the count denied, unless the kernel protects it from its
// own user as it does with sshd: such a program does not paint.
func (c *clients) count() probe.Value {
	dir, err := os.Open(c.root + "/proc")
	if err != nil {
		return missing(err)
	}
	defer dir.Close()
	n, seen, left := 0, 0, maxLinks
	closed := false
	for {
		names, err := dir.Readdirnames(512)
		for _, name := range names {
			pid, ok := number([]byte(name))
			if !ok || pid == 0 || pid > maxPID || int(pid) == c.self {
				continue
			}
			seen++
			switch holds, err := c.holds(name, &left); {
			case err == nil && holds && !c.looker(name):
				n++
			case errors.Is(err, fs.ErrPermission) && ownedByUs(c.root+"/proc/"+name+"/fd"):
				closed = true
			}
			if left <= 0 || seen > maxPIDs {
				return probe.Missing(probe.Error, "more open files than are looked at")
			}
		}
		if errors.Is(err, io.EOF) || err == nil && len(names) == 0 {
			break
		}
		if err != nil {
			return missing(err)
		}
	}
	switch {
	case seen == 0:
		return probe.Missing(probe.Unsupported, "no processes in /proc")
	case closed:
		return probe.Missing(probe.Denied, "open files of an own process are hidden")
	}
	return probe.Of(float64(min(n, maxClients)))
}

// holds reports whether a process has a card open. left is what is left of the
// budget of open files.
func (c *clients) holds(pid string, left *int) (bool, error) {
	path := c.root + "/proc/" + pid + "/fd"
	dir, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer dir.Close()
	for *left > 0 {
		names, err := dir.Readdirnames(256)
		for _, name := range names {
			*left--
			to, err := os.Readlink(path + "/" + name)
			if err == nil && isCard(to) {
				return true, nil
			}
		}
		if err != nil || len(names) == 0 {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return false, err
		}
	}
	return false, nil
}

// isCard reports whether a file is a card's device: /dev/nvidia0, also where
// another mount namespace puts something before it. The control devices
// nvidiactl, nvidia-uvm and nvidia-modeset are none.
func isCard(path string) bool {
	digits, ok := strings.CutPrefix(path[strings.LastIndexByte(path, '/')+1:], "nvidia")
	if !ok || digits == "" || len(digits) > 4 {
		return false
	}
	_, ok = number([]byte(digits))
	return ok
}

// looker reports whether a process only looks at cards.
func (c *clients) looker(pid string) bool {
	b, err := os.ReadFile(c.root + "/proc/" + pid + "/comm")
	if err != nil {
		return false
	}
	name, _ := line(b)
	for _, l := range lookers {
		if string(name) == l {
			return true
		}
	}
	return false
}

// fileClients is a name under which the script says the count; no host has it.
const fileClients = "/rentgen/gpu_clients"

// clientsScript defines pgpu, which prints the count for clientsFromText.
var clientsScript = `pgpu() {
for pf in /dev/nvidia[0-9]*; do break; done
if [ ! -e "$pf" ]; then echo ` + fileClients + `:none; return; fi
ls -ln /proc/[0-9]*/fd 2>/dev/null | sed -n -e '/^\/proc\//{s,^/proc/\([0-9]*\)/fd:$,\1,' -e 'h' -e '}' -e '/\/nvidia[0-9][0-9]*$/{x' -e 'p' -e 'x' -e '}' | uniq | {
pn=0
while read -r pf; do
pc=; read -r pc 2>/dev/null < "/proc/$pf/comm"
case "$pc" in ` + strings.Join(lookers, "|") + `) ;; *) pn=$((pn+1));; esac
done
echo ` + fileClients + `:$pn
}
}
`

// clientsFromText reads what clientsScript printed. A tick without it keeps
// the count before.
func clientsFromText(t *text, prev *Snapshot) probe.Value {
	b, ok := t.content[fileClients]
	if !ok {
		if prev != nil {
			return prev.clients
		}
		return probe.Value{}
	}
	l, _ := line(b)
	if string(l) == "none" {
		return probe.Missing(probe.Unsupported, "no /dev/nvidia0")
	}
	n, ok := number(l)
	if !ok || n > maxClients {
		return probe.Missing(probe.Error, Clean(l, maxRaw))
	}
	return probe.Of(float64(n))
}

// clientsAgain is how many ticks of a loop pass between two counts.
func clientsAgain(seconds int) string {
	return strconv.Itoa(max(1, int(clientsEvery/time.Second)/seconds))
}
