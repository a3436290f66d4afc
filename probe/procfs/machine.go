package procfs

import (
	"bytes"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"rentgen/probe"
)

const (
	fileOSRelease  = "/etc/os-release"
	fileOSRelease2 = "/usr/lib/os-release"
	fileCPUInfo    = "/proc/cpuinfo"
	fileKernel     = "/proc/sys/kernel/osrelease"
	fileHostname   = "/proc/sys/kernel/hostname"
	fileBootID     = "/proc/sys/kernel/random/boot_id"
	fileInitStat   = "/proc/1/stat"
	fileSystemd    = "/run/systemd/container"
	fileMounts     = "/proc/self/mounts"

	maxName = 128
	// clockTick is what the kernel shows to programs on every processor we
	// run on, whatever its own clock does.
	clockTick = 100
)

// Machine describes the host as far as it can be seen from here.
func (r *Reader) Machine() probe.Machine {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := machine(r, func(path string) bool { _, err := os.Lstat(r.root + path); return err == nil })
	if m.Arch == "" {
		m.Arch = unameMachine()
	}
	m.Libc = libcOf(r.root)
	if u, err := user.Current(); err == nil {
		m.User = Clean(u.Username, maxName)
	}
	if m.Hostname == "" {
		name, _ := os.Hostname()
		m.Hostname = Clean(name, maxName)
	}
	if m.OS == "" && r.root == "" {
		m.OS = runtime.GOOS
	}
	if m.Cores == 0 {
		m.Cores = runtime.NumCPU()
	}
	return m
}

// Run identifies this run of the instance. What can't be read stays zero.
func (r *Reader) Run() probe.Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	return runOf(r)
}

// machine reads what stands in files.
func machine(src source, has func(string) bool) probe.Machine {
	m := probe.Machine{OS: osName(src), Kernel: firstLine(src, fileKernel), Hostname: firstLine(src, fileHostname)}
	if b, err := src.read(fileCPUInfo); err == nil {
		m.CPUModel = cpuModel(b)
	}
	var s Snapshot
	s.fillCPU(src)
	m.Cores = len(s.cores)
	g := &groups{}
	g.readLimits(src)
	m.Quota = g.quota
	s.fillRAM(src, g)
	m.RAMLimit = s.ramLimit
	if n := hostTotal(src); n > 0 {
		m.RAMTotal = probe.Of(float64(n) / mib)
	} else {
		_, err := src.read(fileMeminfo)
		m.RAMTotal = probe.Missing(probe.Error, "no MemTotal")
		if err != nil {
			m.RAMTotal = missing(err)
		}
	}
	m.Container = container(src, has)
	return m
}

func firstLine(src source, path string) string {
	b, err := src.read(path)
	if err != nil {
		return ""
	}
	l, _ := line(b)
	return Clean(l, maxName)
}

func osName(src source) string {
	b, err := src.read(fileOSRelease)
	if err != nil {
		if b, err = src.read(fileOSRelease2); err != nil {
			return ""
		}
	}
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		if v, ok := bytes.CutPrefix(l, []byte("PRETTY_NAME=")); ok {
			return Clean(bytes.Trim(bytes.TrimSpace(v), `"'`), maxName)
		}
	}
	return ""
}

// cpuModel finds the name; arm64 kernels print none, only an implementer.
func cpuModel(b []byte) string {
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		key, value, ok := bytes.Cut(l, []byte(":"))
		if k := string(bytes.TrimSpace(key)); ok && (k == "model name" || k == "Model" || k == "cpu model") {
			return Clean(value, maxName)
		}
	}
	return ""
}

// container says which kind of container this is, from the marks that the
// kinds leave.
func container(src source, has func(string) bool) string {
	own := ""
	if b, err := src.read(fileCgroup); err == nil {
		own = string(b)
	}
	kind := firstLine(src, fileSystemd)
	switch {
	case has("/var/run/secrets/kubernetes.io"), strings.Contains(own, "kubepods"):
		return "kubernetes"
	case has("/.dockerenv"), strings.Contains(own, "/docker"):
		return "docker"
	case has("/dev/lxd"), strings.HasPrefix(kind, "lxc"), strings.Contains(own, "/lxc"):
		return "lxc"
	case kind != "", has("/run/.containerenv"):
		return "container"
	}
	if b, err := src.read(fileMounts); err == nil {
		for len(b) > 0 {
			var l []byte
			l, b = line(b)
			_, l = field(l)
			at, l := field(l)
			if kind, _ := field(l); string(at) == "/" && string(kind) == "overlay" {
				return "container"
			}
		}
	}
	return ""
}

// runOf reads boot id and start of PID 1.
func runOf(src source) probe.Run {
	var run probe.Run
	if id := firstLine(src, fileBootID); len(id) == 36 {
		run.BootID = id
	}
	b, err := src.read(fileStat)
	if err != nil {
		return run
	}
	boot, _, ok := entry(b, "btime")
	if !ok || boot == 0 || boot > 1<<40 {
		return run
	}
	if b, err = src.read(fileInitStat); err != nil {
		return run
	}
	if ticks, ok := startTime(b); ok && ticks < 1<<40 {
		run.Init = time.Unix(int64(boot), 0).Add(time.Duration(ticks) * (time.Second / clockTick)).UTC()
	}
	return run
}

// startTime is the 22nd field of a stat file. The second one, the name, may
// hold blanks and brackets; what follows its last bracket does not.
func startTime(b []byte) (uint64, bool) {
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return 0, false
	}
	b = b[i+1:]
	var f []byte
	for range 20 {
		f, b = field(b)
	}
	return number(f)
}

// libcOf finds the C library by its files: "glibc 2.35", "musl", or "".
func libcOf(root string) string {
	if found, _ := filepath.Glob(root + "/lib/ld-musl-*"); len(found) > 0 {
		return "musl"
	}
	for _, pattern := range [...]string{"/lib/*-linux-gnu*/libc.so.6", "/lib64/libc.so.6", "/lib/libc.so.6", "/usr/lib/libc.so.6"} {
		found, _ := filepath.Glob(root + pattern)
		for _, path := range found {
			if v := glibcVersion(path); v != "" {
				return "glibc " + v
			}
		}
	}
	return ""
}

// glibcVersion takes the version from the library's name where it stands
// there, else from the sentence that the library prints when it is run.
func glibcVersion(path string) string {
	if to, err := os.Readlink(path); err == nil {
		v, found := strings.CutPrefix(filepath.Base(to), "libc-")
		if v, ok := strings.CutSuffix(v, ".so"); ok && found && version(v) {
			return v
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return ""
	}
	return bannerVersion(f, st.Size())
}

const (
	bannerBlock = 64 << 10 // bytes read at once
	bannerSize  = 160      // bytes within which the sentence tells the version
	bannerLimit = 8 << 20  // bytes of a library that are looked at
)

// bannerVersion looks for glibc's sentence about itself. It stands among the
// constants, and those in the last quarter: from the end backward a few blocks
// do, where the whole file costs tens of milliseconds of a busy machine.
func bannerVersion(f io.ReaderAt, size int64) string {
	buf := make([]byte, bannerBlock+bannerSize)
	size = min(size, bannerLimit)
	for end := size; end > 0; end -= bannerBlock {
		from := max(0, end-bannerBlock)
		n, err := f.ReadAt(buf[:min(size, end+bannerSize)-from], from)
		if err != nil && err != io.EOF {
			return ""
		}
		if v := banner(buf[:n]); v != "" {
			return v
		}
	}
	return ""
}

// banner finds "GNU C Library ... release version 2.35" in b and returns 2.35.
func banner(b []byte) string {
	name, mark := []byte("GNU C Library"), []byte("release version ")
	for {
		i := bytes.Index(b, name)
		if i < 0 {
			return ""
		}
		s := b[i:min(len(b), i+bannerSize)]
		if j := bytes.Index(s, mark); j >= 0 {
			v := s[j+len(mark):]
			n := 0
			for n < len(v) && (v[n] == '.' && n+1 < len(v) && v[n+1] >= '0' && v[n+1] <= '9' || v[n] >= '0' && v[n] <= '9') {
				n++
			}
			if version(string(v[:n])) {
				return string(v[:n])
			}
		}
		b = b[i+1:]
	}
}

func version(s string) bool {
	major, minor, ok := strings.Cut(s, ".")
	_, err1 := strconv.Atoi(major)
	_, err2 := strconv.ParseFloat(minor, 64)
	return ok && len(s) <= 12 && err1 == nil && err2 == nil
}

const (
	maxPIDs = 64 << 10
	maxPID  = 1 << 30
)
