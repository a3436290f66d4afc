package check

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

func init() { judges[guide.FirstImage] = judgeFirst }

var (
	gotPrompt   = guide.Regexp(`(?:^|\]|\s)got prompt\s*$`)
	promptTime  = guide.Regexp(`Prompt executed in (?:(\d[\d.]*) seconds|(\d+):(\d\d):(\d\d(?:\.\d+)?))`)
	timeTaken   = guide.Regexp(`Time taken: (?:(\d+) hours?\.? ?)?(?:(\d+) min\.? ?)?(\d[\d.]*) ?s(?:ec)?\b`)
	exceptionAt = guide.Regexp(`!!! Exception during processing|Exception during processing|Error completing request|Error occurred when executing|^\s*(?:[\w.]+\.)?\w*(?:Error|Exception)\b(?::|$)|OutOfMemoryError|CUDA out of memory|CUDA error|no kernel image is available|Segmentation fault|terminate called after throwing|core dumped`)
	executionAt = guide.Regexp(`Exception during processing|Error completing request|Error occurred when executing`) // of a picture, even where its begin is cut off
	traceback   = guide.Regexp(`Traceback \(most recent call last\)`)
	harmless    = guide.Regexp(`^\s*(?:[\w.]+\.)?(?:ConnectionResetError|ConnectionAbortedError|BrokenPipeError|CancelledError|ClientConnectionResetError)\b`)
	diedAt      = guide.Regexp(`(?i)^\s*(?:\[\d+\]\+?\s+)?(?:\d+\s+)?(?:.*line \d+:\s+\d+ )?killed\b`)
)

// picture is one picture or long run of a log.
type picture struct {
	seconds float64
	started bool // its begin is in the log
}

// pictureLog is what a log says of pictures.
type pictureLog struct {
	done      []picture
	prompts   int
	exception string // the first line of one
	startup   string // one before any picture was asked for
	rejected  bool
	stopped   int
	open      bool // the last one asked for has no end
}

// leastPicture is the time in seconds under which nothing was painted: the
// program had the result already.
const leastPicture = 0.1

func judgeFirst(l *look) {
	g, ok := l.history()
	if !ok {
		g = l.pictures()
	}
	l.cutShort()
	for _, name := range []string{"first_s", "warm_median_s", "load_overhead_s"} {
		l.set(name, nil)
	}
	var times []float64
	for _, p := range g.done {
		if p.seconds >= leastPicture {
			times = append(times, p.seconds)
		}
	}
	if g.exception != "" {
		l.find(guide.Fail, "exception", "line", clipped(g.exception))
	}
	if len(times) == 0 {
		switch {
		case len(l.found) > 0:
		case g.rejected:
			l.find(guide.Warn, "rejected")
		case g.startup != "":
			l.find(guide.Warn, "startup", "line", clipped(g.startup))
		case g.prompts > 0:
			l.find(guide.Warn, "unfinished")
		case l.says("no log of comfyui or a1111 was found"):
			l.find(guide.Warn, "no-log")
		case l.says("to see the gui go to", "running on local url", "startup time:", "starting server"):
			l.find(guide.Warn, "none-yet")
		default:
			l.unread(nil)
		}
		return
	}
	l.judgeTimes(times)
	if g.rejected {
		l.find(guide.Warn, "rejected")
	}
	if g.open { // what is under way may fail
		l.find(guide.Warn, "unfinished")
	}
	if len(l.found) == 0 {
		warm := median(times[1:])
		l.find(guide.Pass, "ok", "first", secondsText(times[0]), "warm", secondsText(warm))
	}
}

func secondsText(s float64) string {
	if s < 10 {
		return texts.WithUnit(texts.Number(s, 1), "s")
	}
	return texts.WithUnit(texts.Number(s, 0), "s")
}

// judgeTimes compares the first picture with those after it.
func (l *look) judgeTimes(times []float64) {
	first, known := times[0], len(times) > 1
	l.set("first_s", first)
	l.set("warm_median_s", orNil(median(times[1:]), known))
	l.set("load_overhead_s", orNil(first-median(times[1:]), known))
	if most := guide.Threshold("first.image.first"); first > most {
		l.find(guide.Warn, "first-slow", "first", secondsText(first), "want", secondsText(most))
	}
	if !known {
		l.find(guide.Warn, "one-only", "first", secondsText(first))
		return
	}
	warm := median(times[1:])
	if first > guide.Threshold("first.image.times-warm")*warm {
		l.find(guide.Warn, "first-many", "first", secondsText(first), "warm", secondsText(warm))
	}
	if expected := guide.Known(l.ctx.ExpectedWarmS, 0); expected > 0 && warm > expected {
		l.find(guide.Warn, "warm-slow", "warm", secondsText(warm), "want", secondsText(expected))
	}
	if first < warm/2 { // the first is never the fast one: something else was timed, or it failed
		l.find(guide.Warn, "odd", "first", secondsText(first), "warm", secondsText(warm))
	}
}

// pictures reads the log of ComfyUI or of A1111 and Forge.
func (l *look) pictures() pictureLog {
	var g pictureLog
	bad, begun := "", false // since the last picture began or ended
	for i := 0; i < len(l.lines); i++ {
		s := l.lines[i]
		switch {
		case gotPrompt.MatchString(s):
			l.use(s)
			if bad != "" && (g.prompts > 0 || len(g.done) > 0 || executionAt.MatchString(bad)) {
				g.fault(bad)
			} else if bad != "" && g.startup == "" {
				g.startup = bad
			}
			bad = ""
			g.prompts++
			begun, g.open = true, true
		case promptTime.MatchString(s) || timeTaken.MatchString(s):
			l.use(s)
			seconds, ok := pictureTime(s)
			if bad != "" {
				g.fault(bad)
			} else if ok {
				g.done = append(g.done, picture{seconds, begun})
			}
			bad, begun, g.open = "", false, false
		case traceback.MatchString(s):
			end, last := tracebackEnd(l.lines, i)
			if !harmless.MatchString(last) {
				l.use(s, last)
				if bad == "" {
					bad = last
				}
			}
			i = end
		case exceptionAt.MatchString(s) && !harmless.MatchString(s), diedAt.MatchString(s) && g.open:
			l.use(s)
			if bad == "" {
				bad = s
			}
		case strings.Contains(s, "Failed to validate prompt") || strings.HasPrefix(s, "invalid prompt"):
			l.use(s)
			g.rejected, begun, g.open = true, false, false
		case strings.Contains(s, "Processing interrupted") || strings.Contains(s, "Interrupting prompt"):
			g.stopped++
		}
	}
	if bad != "" {
		if g.prompts > 0 || len(g.done) > 0 {
			g.fault(bad)
		} else if g.startup == "" {
			g.startup = bad
		}
	}
	return g
}

func (g *pictureLog) fault(line string) {
	if g.exception == "" {
		g.exception = strings.TrimSpace(line)
	}
}

// tracebackEnd returns the index of the last line of a traceback, the one that
// names the error, and that line.
func tracebackEnd(lines []string, from int) (int, string) {
	for i := from + 1; i < len(lines); i++ {
		s := lines[i]
		if gotPrompt.MatchString(s) || promptTime.MatchString(s) || traceback.MatchString(s) {
			return i - 1, lines[from]
		}
		if s != "" && s[0] != ' ' && s[0] != '\t' {
			return i, s
		}
	}
	return len(lines) - 1, lines[from]
}

func pictureTime(s string) (float64, bool) {
	if m := promptTime.FindStringSubmatch(s); m != nil {
		if m[1] != "" {
			return number(m[1])
		}
		return clock(m[2], m[3], m[4])
	}
	m := timeTaken.FindStringSubmatch(s)
	return clock(m[1], m[2], m[3])
}

// clock adds hours, minutes and seconds; "" is none.
func clock(h, m, s string) (float64, bool) {
	sum := 0.0
	for i, p := range []string{h, m, s} {
		if p == "" {
			continue
		}
		v, ok := number(p)
		if !ok {
			return 0, false
		}
		sum += v * []float64{3600, 60, 1}[i]
	}
	return sum, true
}

// history reads the answer of ComfyUI's /history. ok is false where it is none.
func (l *look) history() (g pictureLog, ok bool) {
	at := strings.Index(l.out, "{")
	if at < 0 || !strings.Contains(l.out, `"status_str"`) {
		return g, false
	}
	var doc map[string]struct {
		Status struct {
			Text     string              `json:"status_str"`
			Messages [][]json.RawMessage `json:"messages"`
		} `json:"status"`
	}
	if err := json.NewDecoder(strings.NewReader(l.out[at:])).Decode(&doc); err != nil {
		return g, true
	}
	type run struct {
		begin, end float64
		bad        string
	}
	var runs []run
	for _, e := range doc {
		var r run
		for _, m := range e.Status.Messages {
			var kind string
			var body struct {
				Time    float64 `json:"timestamp"`
				Message string  `json:"exception_message"`
			}
			if len(m) != 2 || json.Unmarshal(m[0], &kind) != nil || json.Unmarshal(m[1], &body) != nil {
				continue
			}
			switch kind {
			case "execution_start":
				r.begin = body.Time
			case "execution_success":
				r.end = body.Time
			case "execution_error":
				r.bad = "execution_error: " + guide.Clean([]byte(body.Message), 400)
			}
		}
		if e.Status.Text == "error" && r.bad == "" {
			r.bad = "execution_error"
		}
		runs = append(runs, r)
	}
	slices.SortFunc(runs, func(a, b run) int { return cmp.Or(cmp.Compare(a.begin, b.begin), strings.Compare(a.bad, b.bad)) })
	for _, r := range runs {
		g.prompts++
		if r.bad != "" {
			g.fault(r.bad)
		} else if r.begin > 0 && r.end >= r.begin {
			s := (r.end - r.begin) / 1000
			l.use("execution_success: " + strconv.FormatFloat(s, 'f', 2, 64) + " s")
			g.done = append(g.done, picture{s, true})
		}
	}
	return g, true
}
