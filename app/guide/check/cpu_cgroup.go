package check

import (
	"math"
	"slices"
	"strings"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

func init() { judges[guide.CPUCgroup] = judgeCPU }

var (
	cpuMax    = guide.Regexp(`^\s*(max|\d+)\s+(\d+)\s*$`)
	cpuInt    = guide.Regexp(`^\s*(-?\d{1,12})\s*$`)
	cpuList   = guide.Regexp(`^\s*\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*\s*$`)
	cpuAllow  = guide.Regexp(`^Cpus_allowed_list:\s*(\S+)`)
	cpuOMP    = guide.Regexp(`^(?:export |declare -x )?OMP_NUM_THREADS=["']?(\d*)`)
	cpuCount  = guide.Regexp(`^\s*(?:CPU|CPU\(s\)|Processeur\(s\)|ЦП|CPU（s）)\s*[:：]\s*(\d+)\s*$`)
	cpuOnline = guide.Regexp(`^\s*(?:On-line CPU\(s\) list|在线 CPU 列表|線上 CPU\(s\) 列表)\s*[:：]\s*([\d,-]+)\s*$`)
	cpuNamed  = guide.Regexp(`^\s*(nproc(?: --all)?)\s*[:=]\s*(\d+)\s*$`)
)

// cpus is what was read of the processors.
type cpus struct {
	nproc, all, allowed, omp int // 0: not known
	quota                    float64
	quotaRead                bool // there is one, or there is none
	limited                  bool
	version                  int
	period                   float64 // of v1, while it is put together
	v1                       float64 // its quota; 0: not read
	v1None                   bool
}

func judgeCPU(l *look) {
	c, unclear := l.cpuRead()
	l.cutShort()
	if n := guide.Known(l.ctx.OMPNumThreads, 0); n > 0 {
		c.omp = n
	}
	if c.nproc > 0 {
		l.set("nproc", c.nproc)
	}
	if c.all > 0 {
		l.set("nproc_all", c.all)
	}
	if c.version > 0 {
		l.set("cgroup_version", c.version)
	}
	l.set("quota_cores", orNil(c.quota, c.limited))
	shown := c.nproc
	if c.omp > 0 || shown == 0 {
		shown = c.all
	}
	l.set("omp_limited", c.omp > 0 && (c.nproc == 0 || c.nproc <= c.omp) && (c.all == 0 || c.omp < c.all))
	effective := float64(shown)
	if c.allowed > 0 && (effective == 0 || float64(c.allowed) < effective) {
		effective = float64(c.allowed)
	}
	if c.limited && (effective == 0 || c.quota < effective) {
		effective = c.quota
	}
	if effective > 0 && (shown > 0 || c.limited) {
		l.set("effective_cores", effective)
	}
	l.judgeCores(c, shown, effective)
	if unclear {
		l.unread(nil)
	}
	if len(l.found) > 0 {
		return
	}
	// On a shared machine a number alone says nothing: the quota is what counts.
	if shown == 0 || !c.quotaRead && l.in.Track != guide.Dedicated {
		l.find(guide.Warn, "no-quota")
		return
	}
	l.find(guide.Pass, "ok", "cores", coresText(effective))
}

func coresText(v float64) string {
	if v == math.Trunc(v) {
		return texts.Number(v, 0)
	}
	return texts.Number(v, 1)
}

func (l *look) judgeCores(c cpus, shown int, effective float64) {
	if effective == 0 {
		l.unread(nil)
		return
	}
	if c.omp > 0 {
		code := "omp"
		if float64(c.omp) <= effective && effective-float64(c.omp) < 1 {
			code = "omp-right"
		}
		l.find(guide.Warn, code, "threads", c.omp, "cores", coresText(effective))
	}
	// A tool that knows of the quota rounds it up.
	if float64(shown)-effective >= 1 {
		l.find(guide.Warn, "shown", "shown", shown, "cores", coresText(effective), "threads", int(max(1, math.Floor(effective))))
	}
	gpus := max(1, guide.Known(l.ctx.SMIGPUCount, 1))
	if want := guide.Threshold("cpu.cgroup.cores-per-gpu"); effective < want*float64(gpus) {
		l.find(guide.Warn, "few", "cores", coresText(effective), "gpus", gpus, "want", texts.Number(want*float64(gpus), 0))
	}
}

// cpuRead reads nproc, quota, lscpu and the rest. unclear says that numbers can't
// be told apart.
func (l *look) cpuRead() (c cpus, unclear bool) {
	command := l.asked("nproc", "cat", "lscpu")
	refused := l.refused()
	files, rest := l.named()
	for _, f := range files {
		l.use(f.line)
		c.file(f.path, f.text)
	}
	want := wanted(command, refused)
	var ints []string
	for _, s := range rest {
		if m := cpuMax.FindStringSubmatch(s); m != nil {
			l.use(s)
			c.file("/sys/fs/cgroup/cpu.max", s)
		} else if m := cpuNamed.FindStringSubmatch(s); m != nil {
			l.use(s)
			c.file(m[1], m[2])
		} else if m := cpuOMP.FindStringSubmatch(s); m != nil {
			l.use(s)
			if n, ok := whole(m[1]); ok {
				c.omp = n
			}
		} else if m := cpuCount.FindStringSubmatch(s); m != nil {
			l.use(s)
			if n, ok := whole(m[1]); ok && n < 1<<16 {
				c.all = n
			}
		} else if m := cpuOnline.FindStringSubmatch(s); m != nil {
			l.use(s)
			c.allow(m[1])
		} else if m := cpuAllow.FindStringSubmatch(s); m != nil {
			l.use(s)
			c.allow(m[1])
		} else if cpuInt.MatchString(s) {
			l.use(s)
			ints = append(ints, strings.TrimSpace(s))
		} else if cpuList.MatchString(s) && strings.Contains(command, "cpuset") {
			l.use(s)
			c.allow(strings.TrimSpace(s))
		}
	}
	unclear = c.numbers(ints, want, command)
	if c.v1 > 0 && c.period > 0 {
		c.quota, c.limited, c.quotaRead, c.version = c.v1/c.period, true, true, max(c.version, 1)
	} else if c.v1None {
		c.quotaRead, c.version = true, max(c.version, 1)
	}
	return c, unclear
}

// numbers gives bare numbers to what they belong to: quotas and periods are
// thousands of microseconds, processors are few.
func (c *cpus) numbers(ints, want []string, command string) (unclear bool) {
	var few, many []string
	for _, s := range ints {
		if n, ok := whole(s); ok && n < 1000 {
			few = append(few, s)
		} else {
			many = append(many, s)
		}
	}
	var names, files []string
	for _, w := range want {
		switch {
		case strings.HasPrefix(w, "nproc"), w == "omp":
			names = append(names, w)
		case strings.HasSuffix(w, "quota_us"), strings.HasSuffix(w, "period_us"):
			files = append(files, w)
		}
	}
	if at := slices.Index(names, "omp"); at >= 0 && len(few) == len(names)-1 { // an empty line: not set
		names = slices.Delete(names, at, at+1)
	}
	if len(names) == 0 && len(few) == 1 {
		names = []string{"nproc"}
	}
	if len(files) == 0 && len(many) == 2 && !strings.Contains(command, "cpu.max") {
		files = []string{"/cpu.cfs_quota_us", "/cpu.cfs_period_us"}
	}
	if len(names) != len(few) {
		unclear = unclear || len(few) > 0 || len(names) > 0
	} else {
		for i, s := range few {
			c.file(names[i], s)
		}
	}
	if len(files) != len(many) {
		return unclear || len(many) > 0
	}
	for i, s := range many {
		c.file(files[i], s)
	}
	return unclear
}

// file notes what a file or a tool says.
func (c *cpus) file(name, text string) {
	n, isInt := whole(text)
	few := isInt && n > 0 && n < 1<<16
	switch {
	case name == "nproc" && few:
		c.nproc = n
	case name == "nproc --all" && few:
		c.all = n
	case name == "omp" && few:
		c.omp = n
	case strings.HasSuffix(name, "/cpu.max"):
		m := cpuMax.FindStringSubmatch(text)
		if m == nil {
			return
		}
		c.version = 2
		period, ok := number(m[2])
		quota, limited, ok2 := limitOf(m[1])
		if !ok || !ok2 || period <= 0 || limited && quota <= 0 {
			return
		}
		c.quotaRead = true
		if limited && (!c.limited || quota/period < c.quota) { // the tightest of those above counts
			c.quota, c.limited = quota/period, true
		}
	case strings.HasSuffix(name, "cfs_quota_us"):
		v, limited, ok := limitOf(text)
		if ok && limited && v > 0 {
			c.v1 = v
		} else if ok && !limited {
			c.v1None = true
		}
	case strings.HasSuffix(name, "cfs_period_us"):
		if v, ok := number(text); ok && v > 0 {
			c.period = v
		}
	case strings.Contains(name, "cpuset"):
		c.allow(text)
	}
}

// allow notes a list of processors ("0-17,36-53") that may be used.
func (c *cpus) allow(list string) {
	sum := 0
	for _, p := range strings.Split(list, ",") {
		a, b, ranged := strings.Cut(p, "-")
		from, ok := whole(a)
		to := from
		ok2 := true
		if ranged {
			to, ok2 = whole(b)
		}
		if !ok || !ok2 || to < from || to > 1<<16 {
			return
		}
		sum += to - from + 1
	}
	if sum > 0 && (c.allowed == 0 || sum < c.allowed) {
		c.allowed = sum
	}
}
