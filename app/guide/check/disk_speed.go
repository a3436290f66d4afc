package check

import (
	"slices"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

func init() { judges[guide.DiskSpeed] = judgeSpeed }

// rate is one measured speed of a disk.
type rate struct {
	mbs    float64 // MB/s
	write  bool
	kind   string // "seq", "random", "" where not known
	cached bool   // nothing kept memory out of it
	line   string
}

func judgeSpeed(l *look) {
	if l.says(fullSaid...) || l.says(quotaSaid...) {
		l.skipped = true
		l.find(guide.Skip, "no-space")
		if l.says(quotaSaid...) {
			l.set("error", "quota_exceeded")
		}
	}
	rates, unclear := l.fio()
	if len(rates) == 0 && !unclear {
		rates, unclear = l.dd()
	}
	l.cutShort()
	if len(rates) == 0 {
		switch {
		case l.skipped:
		case l.says(readOnlySaid...), l.says("permission denied", "权限不够"):
			l.find(guide.Warn, "no-write")
		case l.says("invalid argument", "无效的参数", "operation not supported"):
			l.find(guide.Warn, "no-direct")
		default:
			l.unread(nil)
		}
		return
	}
	cached := false
	for _, r := range rates {
		l.use(r.line)
		cached = cached || r.cached
	}
	l.set("cache_suspected", cached)
	read, hasRead := worstRate(rates, false)
	write, hasWrite := worstRate(rates, true)
	if hasRead {
		l.set("read_mb_s", read.mbs)
	}
	if hasWrite {
		l.set("write_mb_s", write.mbs)
	}
	switch {
	case hasRead && read.kind != "":
		l.set("pattern", read.kind)
	case hasWrite && write.kind != "":
		l.set("pattern", write.kind)
	}
	l.judgeRates(rates, unclear)
}

// worstRate returns the slowest sequential speed of a direction, or its slowest
// random one where there is no other.
func worstRate(rates []rate, write bool) (worst rate, ok bool) {
	for _, kind := range []string{"seq", "", "random"} {
		for _, r := range rates {
			if r.write == write && r.kind == kind && (!ok || r.mbs < worst.mbs) {
				worst, ok = r, true
			}
		}
		if ok {
			return worst, true
		}
	}
	return worst, false
}

func (l *look) judgeRates(rates []rate, unclear bool) {
	good := false // what a pass needs was measured and is good
	readSeen := slices.ContainsFunc(rates, func(r rate) bool { return !r.write && r.kind != "random" })
	for _, r := range rates {
		speed, way := texts.Rate(r.mbs), texts.P("check.disk.speed.read")
		if r.write {
			way = texts.P("check.disk.speed.write")
		}
		low, high := guide.Threshold("disk.speed.read-bad"), guide.Threshold("disk.speed.read-good")
		if r.kind == "random" {
			low, high = guide.Threshold("disk.speed.random-bad"), guide.Threshold("disk.speed.random-good")
		}
		switch {
		case r.kind == "random" && r.mbs < low:
			l.find(guide.Fail, "random-bad", "speed", speed, "way", way)
		case r.kind == "random" && r.mbs < high:
			l.find(guide.Warn, "random-slow", "speed", speed, "way", way, "want", texts.Rate(high))
		case r.kind == "random":
			// good, and not what a pass needs
		case r.mbs < low && r.write && readSeen:
			l.find(guide.Warn, "write-slow", "speed", speed)
		case r.mbs < low:
			l.ofHost(l.find(guide.Fail, "bad", "speed", speed, "way", way, "minutes", minutesOf(r.mbs)))
		case r.write && readSeen:
			// the reading counts
		case r.cached:
			l.find(guide.Warn, "cache", "speed", speed, "way", way)
		case r.mbs < high:
			l.find(guide.Warn, "slow", "speed", speed, "way", way, "want", texts.Rate(high))
		default:
			good = true
		}
	}
	if unclear {
		l.find(guide.Warn, "not-enough")
		return
	}
	if len(l.found) > 0 {
		return
	}
	if !good {
		l.find(guide.Warn, "not-enough")
		return
	}
	if r, ok := worstRate(rates, false); ok && r.kind != "random" {
		l.find(guide.Pass, "ok", "speed", texts.Rate(r.mbs))
		return
	}
	r, _ := worstRate(rates, true)
	l.find(guide.Pass, "ok-write", "speed", texts.Rate(r.mbs))
}

// modelMB is a usual model file in MB: SDXL in fp16.
const modelMB = 6900

// minutesOf is how long a model takes to load at a speed, in minutes.
func minutesOf(mbs float64) string {
	if mbs <= 0 {
		return texts.Dash
	}
	return texts.Number(modelMB/mbs/60, 0)
}
