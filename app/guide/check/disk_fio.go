package check

import (
	"encoding/json"
	"strings"

	"rentgen/app/guide"
)

var (
	fioJob   = guide.Regexp(`^(\S.*?): \(g=(\d+)\): rw=(\w+), bs=`)
	fioGroup = guide.Regexp(`^Run status group (\d+)`)
	fioSum   = guide.Regexp(`^\s*(READ|WRITE):.*?\b(?:bw|aggrb)=\s*(\d[\d.]*)\s*([KMGT]?i?B/s)(?:\s*\((\d[\d.]*)\s*([kKMGT]?B/s)\))?`)
	fioLine  = guide.Regexp(`(?i)^\s*(read|write)\s*:.*?\bbw=\s*(\d[\d.]*)\s*([KMGT]?i?B/s)(?:\s*\((\d[\d.]*)\s*([kKMGT]?B/s)\))?`)
	fioIOPS  = guide.Regexp(`(?i)\biops=\s*(\d[\d.]*)(k|m)?\b`)
	fioStart = guide.Regexp(`^\S.*: \(groupid=(\d+), jobs=\d+\)`)
)

// fioMBs reads a speed of fio: the decimal in brackets where it is there. A unit
// without i is of 1024 in old fio, which prints no brackets.
func fioMBs(value, unit, value10, unit10 string) (float64, bool) {
	if value10 != "" {
		return perSecond(value10, unit10, 1000)
	}
	return perSecond(value, unit, 1024)
}

func perSecond(value, unit string, base float64) (float64, bool) {
	v, ok := number(value)
	if !ok {
		return 0, false
	}
	for range strings.Index("BKMGT", strings.ToUpper(unit[:1])) {
		v *= base
	}
	return v / 1e6, true
}

// fio reads what fio printed, as text or JSON. unclear says that some of it could
// not be read.
func (l *look) fio() (rates []rate, unclear bool) {
	all := calling(l.asked("fio"), "fio")
	rw, cached := "", true
	for _, c := range all {
		for _, name := range []string{"rw", "readwrite"} {
			if v := c.option(name); v != "" {
				rw = v
			}
		}
		cached = fioCached(c)
	}
	if rates, ok := l.fioJSON(rw, cached); ok {
		return rates, len(rates) == 0
	}
	jobs := map[string]string{} // group: rw
	small := map[string]bool{}  // group and direction: read in small blocks
	var lines []rate            // of the jobs, for what was cut before the sums
	group := ""
	for _, s := range l.lines {
		if m := fioJob.FindStringSubmatch(s); m != nil {
			jobs[m[2]] = m[3]
			continue
		}
		if m := fioStart.FindStringSubmatch(s); m != nil {
			group = m[1]
			continue
		}
		if m := fioGroup.FindStringSubmatch(s); m != nil {
			group = m[1]
			continue
		}
		if m := fioSum.FindStringSubmatch(s); m != nil && !fioIOPS.MatchString(s) {
			if v, ok := fioMBs(m[2], m[3], m[4], m[5]); ok {
				write := m[1] == "WRITE"
				rates = append(rates, rate{mbs: v, write: write, kind: fioKind(rw, jobs[group], small[group+strings.ToLower(m[1])]), cached: cached, line: s})
			}
			continue
		}
		if m := fioLine.FindStringSubmatch(s); m != nil {
			v, ok := fioMBs(m[2], m[3], m[4], m[5])
			way := strings.ToLower(m[1])
			if n := fioIOPS.FindStringSubmatch(s); ok && n != nil {
				iops, _ := number(n[1])
				switch strings.ToLower(n[2]) {
				case "k":
					iops *= 1e3
				case "m":
					iops *= 1e6
				}
				small[group+way] = iops > 0 && v*1e6/iops <= guide.Threshold("disk.speed.random-block")*kib*1.02
			}
			if ok {
				lines = append(lines, rate{mbs: v, write: way == "write", kind: fioKind(rw, jobs[group], small[group+way]), cached: cached, line: s})
			}
		}
	}
	if len(rates) == 0 {
		rates = lines
	}
	if len(rates) == 0 && (len(jobs) > 0 || l.says("run status group", "fio-")) {
		return nil, !l.skipped && !l.says("records out")
	}
	if len(rates) > 0 && l.line(fioFault) != nil {
		unclear = true
	}
	return rates, unclear
}

var fioFault = guide.Regexp(`err=\s*[1-9]\d*|error=[A-Z]`)

// fioKind says in which order blocks were read.
func fioKind(asked, job string, small bool) string {
	rw := job
	if rw == "" {
		rw = asked
	}
	if strings.HasPrefix(rw, "rand") || small {
		return "random"
	}
	if rw == "" {
		return ""
	}
	return "seq"
}

// fioCached reports whether memory may have been measured.
func fioCached(c call) bool {
	for _, name := range []string{"direct", "fdatasync", "fsync", "end_fsync", "sync"} {
		if v := c.option(name); v != "" && v != "0" && v != "none" {
			return name != "direct" && strings.Contains(c.option("rw")+c.option("readwrite"), "read")
		}
	}
	return true
}

// fioJSON reads fio --output-format=json. Speeds are KiB/s ("bw") or bytes/s
// ("bw_bytes").
func (l *look) fioJSON(rw string, cached bool) ([]rate, bool) {
	at := strings.Index(l.out, "{")
	if at < 0 || !strings.Contains(l.out, `"jobs"`) {
		return nil, false
	}
	type side struct {
		Bytes float64  `json:"io_bytes"`
		BW    *float64 `json:"bw"`
		BWB   *float64 `json:"bw_bytes"`
		IOPS  float64  `json:"iops"`
	}
	type options map[string]any
	var doc struct {
		Global options `json:"global options"`
		Jobs   []struct {
			Error   float64 `json:"error"`
			Options options `json:"job options"`
			Read    side    `json:"read"`
			Write   side    `json:"write"`
		} `json:"jobs"`
	}
	if err := json.NewDecoder(strings.NewReader(l.out[at:])).Decode(&doc); err != nil {
		return nil, true
	}
	word := func(o options, name string) string { s, _ := o[name].(string); return s }
	var rates []rate
	for _, j := range doc.Jobs {
		if j.Error != 0 {
			return nil, true
		}
		mode, direct := rw, !cached
		for _, o := range []options{doc.Global, j.Options} {
			for _, name := range []string{"rw", "readwrite"} {
				if v := word(o, name); v != "" {
					mode = v
				}
			}
			if v, ok := o["direct"].(string); ok {
				direct = v != "0"
			}
		}
		for i, s := range []side{j.Read, j.Write} {
			mbs := 0.0
			switch {
			case s.BWB != nil:
				mbs = *s.BWB / 1e6
			case s.BW != nil:
				mbs = *s.BW * kib / 1e6
			}
			if mbs <= 0 || s.Bytes == 0 && s.IOPS == 0 {
				continue
			}
			small := s.IOPS > 0 && mbs*1e6/s.IOPS <= guide.Threshold("disk.speed.random-block")*kib*1.02
			rates = append(rates, rate{mbs: mbs, write: i == 1, kind: fioKind(mode, "", small), cached: !direct, line: ""})
		}
	}
	return rates, true
}
