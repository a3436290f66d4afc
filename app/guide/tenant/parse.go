package tenant

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"

	"rentgen/app/guide"
)

// What a hostile host may send at most.
const (
	maxLine     = 4 << 10
	maxReadings = 3600
	maxGPUs     = 64
	maxCPUs     = 4096
)

// reader makes readings of the script's output as it comes.
type reader struct {
	marker string
	give   func(Reading)
	rest   []byte
	long   bool // the line under way is longer than maxLine
	ended  bool

	part  string // block under way
	have  bool   // a reading is under way
	now   Reading
	first float64 // uptime of the first reading, s
	up    float64
	given int

	own, foreign, listed int
	stat                 cpuStat
	usage                float64 // s, our own
	usageOK              bool
	last                 struct {
		stat  cpuStat
		usage float64
		ok    bool
		up    float64
	}
}

// cpuStat is /proc/stat in ticks.
type cpuStat struct {
	busy, steal, total float64
	cores              int
}

func newReader(marker string, give func(Reading)) *reader {
	return &reader{marker: marker, give: give, first: math.NaN()}
}

// feed takes the next piece of output.
func (r *reader) feed(b []byte) {
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			if len(r.rest)+len(b) > maxLine {
				r.rest, r.long = r.rest[:0], true
				return
			}
			r.rest = append(r.rest, b...)
			return
		}
		line := append(r.rest, b[:i]...)
		b = b[i+1:]
		if !r.long && len(line) <= maxLine {
			r.line(strings.TrimRight(guide.Clean(line, maxLine), "\n"))
		}
		r.rest, r.long = r.rest[:0], false
	}
}

func (r *reader) line(s string) {
	word, ok := strings.CutPrefix(s, r.marker+" ")
	if !ok {
		r.inside(s)
		return
	}
	f := strings.Fields(word)
	if len(f) == 0 {
		return
	}
	r.part = f[0]
	switch {
	case f[0] == "time" && len(f) == 2:
		r.finish()
		r.begin(f[1])
	case f[0] == "end":
		r.have = false // the last time line opens no reading
		r.ended = true
	case f[0] == "cpu" && len(f) == 3:
		r.now.CPUWorkMs = took(f[1], f[2])
	case f[0] == "disk" && len(f) == 3:
		r.now.DiskWorkMs = took(f[1], f[2])
	case f[0] == "pong" && len(f) == 2 && r.now.NetRTTMs == nil && f[1] == "1":
		r.now.NetLost = true
	}
}

func (r *reader) begin(uptime string) {
	up, ok := finite(uptime)
	if !ok || r.given >= maxReadings {
		r.have = false
		return
	}
	if math.IsNaN(r.first) {
		r.first = up
	}
	r.have, r.up = true, up
	r.now = Reading{At: time.Duration(math.Max(0, math.Min(up-r.first, 1e6)) * float64(time.Second))}
	r.own, r.foreign, r.listed = 0, 0, 0
	r.stat, r.usageOK = cpuStat{}, false
}

// finish gives the reading under way, if there is one.
func (r *reader) finish() {
	if !r.have {
		return
	}
	r.have = false
	if r.listed > 0 {
		own, foreign := r.own, r.foreign
		r.now.Own, r.now.Foreign = &own, &foreign
	}
	r.cores()
	r.given++
	r.give(r.now)
}

// cores works out what others used of the processor since the reading before.
func (r *reader) cores() {
	s, l := r.stat, r.last
	r.last.stat, r.last.usage, r.last.ok, r.last.up = s, r.usage, r.usageOK, r.up
	if s.cores > 0 {
		n := float64(s.cores)
		r.now.Cores = &n
	}
	total := s.total - l.stat.total
	span := r.up - l.up
	if s.cores == 0 || l.stat.cores != s.cores || total <= 0 || span <= 0 {
		return
	}
	steal := 100 * math.Max(0, s.steal-l.stat.steal) / total
	r.now.StealPct = &steal
	if !r.usageOK || !l.ok || r.usage < l.usage {
		return
	}
	busy := math.Max(0, s.busy-l.stat.busy) / total * float64(s.cores)
	others := math.Max(0, busy-(r.usage-l.usage)/span)
	r.now.OthersCores = &others
}

var pingTime = guide.Regexp(`time[=<]([0-9.]+) ?ms`)

func (r *reader) inside(s string) {
	if !r.have {
		return
	}
	switch r.part {
	case "gpu":
		r.gpu(s)
	case "apps":
		switch strings.TrimSpace(s) {
		case "own":
			r.own, r.listed = r.own+1, r.listed+1
		case "foreign":
			r.foreign, r.listed = r.foreign+1, r.listed+1
		}
	case "stat":
		r.proc(strings.Fields(s))
	case "usage":
		f := strings.Fields(s)
		if len(f) == 2 && f[0] == "usage_usec" {
			if v, ok := finite(f[1]); ok {
				r.usage, r.usageOK = v/1e6, true
			}
		} else if len(f) == 1 { // the older form, ns
			if v, ok := finite(f[0]); ok {
				r.usage, r.usageOK = v/1e9, true
			}
		}
	case "ping":
		if m := pingTime.FindStringSubmatch(s); m != nil && r.now.NetRTTMs == nil {
			if v, ok := finite(m[1]); ok {
				r.now.NetRTTMs = &v
			}
		}
	}
}

func (r *reader) gpu(s string) {
	f := strings.Split(s, ",")
	if len(f) != 3 || len(r.now.GPUs) >= maxGPUs {
		return
	}
	var g GPU
	for i, to := range []**float64{&g.Util, &g.UsedMiB, &g.TotalMiB} {
		if v, ok := finite(strings.TrimSpace(f[i])); ok {
			*to = &v
		}
	}
	if g.UsedMiB != nil && (g.TotalMiB != nil && *g.UsedMiB > *g.TotalMiB || *g.UsedMiB > guide.Threshold("gpu.smi.used-implausible")) {
		g.UsedMiB = nil
	}
	if g.Util != nil && *g.Util > 100 {
		g.Util = nil
	}
	r.now.GPUs = append(r.now.GPUs, g)
}

// proc reads a line of /proc/stat: user nice system idle iowait irq softirq steal.
func (r *reader) proc(f []string) {
	if len(f) < 5 {
		return
	}
	if f[0] != "cpu" {
		if r.stat.cores < maxCPUs {
			r.stat.cores++
		}
		return
	}
	var v [8]float64
	for i := range v {
		if i+1 < len(f) {
			x, ok := finite(f[i+1])
			if !ok {
				return
			}
			v[i] = x
		}
	}
	idle := v[3] + v[4]
	for _, x := range v {
		r.stat.total += x
	}
	r.stat.busy, r.stat.steal = r.stat.total-idle-v[7], v[7]
}

// took is the time between two stamps in ms: both nanoseconds of the clock, or
// both seconds since the start with a decimal point.
func took(a, b string) *float64 {
	x, ok := finite(a)
	y, ok2 := finite(b)
	if !ok || !ok2 || strings.Contains(a, ".") != strings.Contains(b, ".") {
		return nil
	}
	ms := (y - x) / 1e6
	if strings.Contains(a, ".") {
		ms = (y - x) * 1e3
	}
	if ms < 0 || ms > 1e6 { // the clock was set
		return nil
	}
	return &ms
}

func finite(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) && v >= 0
}
