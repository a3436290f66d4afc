package guard

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"rentgen/probe"
)

// Meter reads the signals that a second's readings don't hold. It is for one
// goroutine.
type Meter struct {
	root  string
	cpu   growth
	disk  diskMeter
	conns connMeter
}

// NewMeter returns a meter that reads below root; "" is the machine itself.
func NewMeter(root string) *Meter { return &Meter{root: root} }

// Read returns the signals at a moment of the monotonic clock, without the queue.
// now is the wall clock, by which the kernel stamps terminals.
func (m *Meter) Read(now time.Time, mono time.Duration, ports []int) Signals {
	s := Signals{Cores: cores()}
	s.CPU = m.cpu.cores(m.root, mono)
	s.Disk = m.disk.rate(m.root, mono)
	s.Terminal = typed(m.root, now)
	s.Conns, s.Sent = m.connected(mono, ports)
	return s
}

// never stands for what nobody has done.
const never = 365 * 24 * time.Hour

// maxRead bounds a file of the kernel.
const maxRead = 4 << 20

func readFile(root, name string) ([]byte, error) {
	f, err := os.Open(filepath.Join("/", root, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxRead+1))
	if err == nil && len(b) > maxRead {
		return nil, errors.New(name + " is too long")
	}
	return b, err
}

// missing turns a failure to read into a value without a reading.
func missing(err error) probe.Value {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return probe.Missing(probe.Unsupported, err.Error())
	case errors.Is(err, fs.ErrPermission):
		return probe.Missing(probe.Denied, err.Error())
	}
	return probe.Missing(probe.Error, err.Error())
}

// growth measures the CPU use of the control group whose tree is mounted: of the
// container, or of the whole machine where there is none.
type growth struct {
	used  uint64 // ns
	at    time.Duration
	known bool
	moved time.Duration // when the counter last grew
	grown bool
}

// standstill is how long the counter may stay as it is and be believed: our own
// program makes it grow. One that never does is a stand-in, not a quiet machine.
const standstill = time.Minute

// cores returns the use since the call before, in cores.
func (g *growth) cores(root string, mono time.Duration) probe.Value {
	used, err := cpuUsed(root)
	if err != nil {
		g.known = false
		return missing(err)
	}
	before, at, known := g.used, g.at, g.known
	g.used, g.at, g.known = used, mono, true
	if used > before || !known {
		g.moved, g.grown = mono, g.grown || known
	}
	switch {
	case !known || mono <= at:
		return probe.Missing(probe.Pending, "")
	case used < before:
		return probe.Missing(probe.Pending, "counter ran backwards")
	case !g.grown || mono-g.moved > standstill:
		return probe.Missing(probe.Error, "the CPU counter stands still")
	}
	return probe.Of(float64(used-before) / float64(mono-at))
}

// cpuUsed reads the group's CPU time in ns: cgroup v2, then v1. The mounted root
// is taken, which holds everything that can be seen from here, whatever group this
// login was put into.
func cpuUsed(root string) (uint64, error) {
	b, err := readFile(root, "sys/fs/cgroup/cpu.stat")
	if err == nil {
		for line := range bytes.Lines(b) {
			if f := bytes.Fields(line); len(f) == 2 && string(f[0]) == "usage_usec" {
				n, err := strconv.ParseUint(string(f[1]), 10, 64)
				if err != nil || n > 1<<53 {
					return 0, errors.New("usage_usec is no number")
				}
				return n * 1000, nil
			}
		}
		return 0, errors.New("cpu.stat without usage_usec")
	}
	for _, dir := range []string{"cpuacct", "cpu,cpuacct"} {
		b, err1 := readFile(root, "sys/fs/cgroup/"+dir+"/cpuacct.usage")
		if err1 != nil {
			continue
		}
		n, err := strconv.ParseUint(string(bytes.TrimSpace(b)), 10, 64)
		if err != nil {
			return 0, errors.New("cpuacct.usage is no number")
		}
		return n, nil
	}
	return 0, err
}

// diskMeter measures what goes to and from storage, by the group's counters and by
// those of each process: version 1 of the groups doesn't count what is written
// later on behalf of a process, and neither counts a network disk; a process's
// counters lack those that came and went. The greater one is taken.
type diskMeter struct {
	group   uint64
	groupAt time.Duration
	groupOK bool

	procs   map[int]uint64
	procsAt time.Duration
	last    probe.Value // of the processes
}

// scanEvery is how often the processes are gone through.
const scanEvery = 5 * time.Second

// rate returns MB/s since the call before.
func (d *diskMeter) rate(root string, mono time.Duration) probe.Value {
	byGroup := d.groupRate(root, mono)
	if d.procs == nil || mono-d.procsAt >= scanEvery || mono < d.procsAt {
		d.last = d.procRate(root, mono)
	}
	a, okA := byGroup.Ok()
	b, okB := d.last.Ok()
	switch {
	case okA && okB:
		return probe.Of(max(a, b))
	case okB:
		return d.last
	}
	return byGroup
}

func (d *diskMeter) groupRate(root string, mono time.Duration) probe.Value {
	n, err := groupBytes(root)
	if err != nil {
		d.groupOK = false
		return missing(err)
	}
	before, at, known := d.group, d.groupAt, d.groupOK
	d.group, d.groupAt, d.groupOK = n, mono, true
	if !known || mono <= at || n < before {
		return probe.Missing(probe.Pending, "")
	}
	return probe.Of(float64(n-before) / 1e6 / (mono - at).Seconds())
}

// groupBytes sums what the mounted group read and wrote.
func groupBytes(root string) (uint64, error) {
	b, err := readFile(root, "sys/fs/cgroup/io.stat")
	if err == nil {
		return parseIOStat(b)
	}
	b, err1 := readFile(root, "sys/fs/cgroup/blkio/blkio.throttle.io_service_bytes")
	if err1 == nil {
		return parseBlkio(b)
	}
	return 0, err
}

// parseIOStat reads lines like "259:0 rbytes=1 wbytes=2 rios=3". A device that
// never was used may stand there without counters.
func parseIOStat(b []byte) (uint64, error) {
	var total uint64
	for line := range bytes.Lines(b) {
		for _, f := range bytes.Fields(line) {
			k, v, found := bytes.Cut(f, []byte("="))
			if !found || (string(k) != "rbytes" && string(k) != "wbytes") {
				continue
			}
			n, err := strconv.ParseUint(string(v), 10, 64)
			if err != nil || total+n < total {
				return 0, errors.New("io.stat can't be read")
			}
			total += n
		}
	}
	return total, nil
}

// parseBlkio reads the total of the group's throttle counters.
func parseBlkio(b []byte) (uint64, error) {
	for line := range bytes.Lines(b) {
		f := bytes.Fields(line)
		if len(f) == 2 && string(f[0]) == "Total" {
			n, err := strconv.ParseUint(string(f[1]), 10, 64)
			if err != nil {
				return 0, errors.New("io_service_bytes can't be read")
			}
			return n, nil
		}
	}
	return 0, errors.New("io_service_bytes without a total")
}

// maxProcs bounds the list of processes.
const maxProcs = 8192

func (d *diskMeter) procRate(root string, mono time.Duration) probe.Value {
	now, err := procBytes(root)
	if err != nil {
		d.procs = nil
		return missing(err)
	}
	before, at := d.procs, d.procsAt
	d.procs, d.procsAt = now, mono
	if before == nil || mono <= at {
		return probe.Missing(probe.Pending, "")
	}
	var total uint64
	for pid, n := range now {
		// A process that was not there counts whole; one with less is another.
		if b, was := before[pid]; !was || n < b {
			total += n
		} else {
			total += n - b
		}
	}
	return probe.Of(float64(total) / 1e6 / (mono - at).Seconds())
}

// procBytes reads what each process moved from and to storage. One that may not
// be read makes all of it unreadable; one that is gone does not.
func procBytes(root string) (map[int]uint64, error) {
	dir, err := os.Open(filepath.Join("/", root, "proc"))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	all := map[int]uint64{}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if len(all) == maxProcs {
			return nil, errors.New("too many processes")
		}
		b, err := readFile(root, filepath.Join("proc", name, "io"))
		if gone(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if n, ok := parseProcIO(b); ok {
			all[pid] = n
		}
	}
	if len(all) == 0 {
		return nil, fs.ErrNotExist
	}
	return all, nil
}

// parseProcIO reads read_bytes and write_bytes of a process.
func parseProcIO(b []byte) (uint64, bool) {
	var total uint64
	seen := 0
	for line := range bytes.Lines(b) {
		k, v, _ := bytes.Cut(line, []byte(":"))
		if string(k) != "read_bytes" && string(k) != "write_bytes" {
			continue
		}
		n, err := strconv.ParseUint(string(bytes.TrimSpace(v)), 10, 64)
		if err != nil || total+n < total {
			return 0, false
		}
		total += n
		seen++
	}
	return total, seen == 2
}
