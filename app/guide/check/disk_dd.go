package check

import (
	"slices"
	"strings"

	"rentgen/app/guide"
)

var (
	ddSum     = guide.Regexp(`^\s*(\d+)\s*\p{L}+\s*(?:[（(][^（()）]*[)）]\s*)?\p{L}*\s*[,，]?\s*(\d[\d.,]*(?:e[+-]?\d+)?)\s*(?:s|sec|secs|seconds|秒)\s*[,，]`)
	ddRecords = guide.Regexp(`(?i)^\s*(?:\d+\+\d+ \S.*|记录了\s*\d+\+\d+.*|輸[入出].*\d+\+\d+.*)$`)
)

// dd reads what dd printed. unclear says that the results can't be told apart or
// are fewer than the commands.
func (l *look) dd() (rates []rate, unclear bool) {
	type sum struct {
		mbs  float64
		line string
	}
	var behind, loose []sum // behind the lines of records; anywhere
	after := false
	for _, s := range l.lines {
		m := ddSum.FindStringSubmatch(s)
		if m == nil {
			after = ddRecords.MatchString(s) || after && strings.TrimSpace(s) == ""
			continue
		}
		bytes, ok := number(m[1])
		seconds, ok2 := ddSeconds(m[2])
		if !ok || !ok2 || bytes <= 0 || seconds <= 0 {
			unclear = true
			continue
		}
		r := sum{bytes / seconds / 1e6, s}
		loose = append(loose, r)
		if after {
			behind = append(behind, r)
		}
		after = false
	}
	all := calling(l.asked("dd"), "dd")
	sums := behind
	if len(sums) == 0 {
		sums = loose
		if len(all) > 0 && all[0].option("status") == "progress" && len(sums) > 0 {
			sums, unclear = sums[len(sums)-1:], true // the end is missing
		}
	}
	if len(all) == 0 {
		for _, r := range sums {
			rates = append(rates, rate{mbs: r.mbs, write: true, cached: true, line: r.line})
		}
		return rates, unclear
	}
	if len(sums) != len(all) {
		unclear = unclear || len(sums) > 0
	}
	for i, r := range sums {
		c := all[min(i, len(all)-1)]
		rates = append(rates, rate{
			mbs: r.mbs, write: ddWrites(c), kind: "seq", line: r.line,
			cached: ddCached(c) || r.mbs > guide.Threshold("disk.speed.cache"),
		})
	}
	return rates, unclear
}

// ddSeconds reads a time, which translated tools write with a comma.
func ddSeconds(s string) (float64, bool) {
	if mantissa, exponent, ok := strings.Cut(s, "e"); ok {
		return number(mantissa + "e" + exponent)
	}
	return number(strings.TrimRight(s, ",."))
}

// ddWrites reports whether a dd writes to the disk.
func ddWrites(c call) bool {
	of := c.option("of")
	return of != "" && !strings.HasPrefix(of, "/dev/null")
}

// ddCached reports whether a dd may have measured memory alone.
func ddCached(c call) bool {
	if ddWrites(c) {
		flushes := func(option string, words ...string) bool {
			return slices.ContainsFunc(strings.Split(c.option(option), ","), func(s string) bool { return slices.Contains(words, s) })
		}
		return !flushes("conv", "fdatasync", "fsync") && !flushes("oflag", "direct", "dsync", "sync")
	}
	return !strings.Contains(c.option("iflag"), "direct")
}
