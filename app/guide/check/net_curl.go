package check

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

func init() { judges[guide.NetCurl] = judgeCurl }

// curled is what curl printed: the answers that its -w wrote, and why it failed.
type curled struct {
	rc    int // of the exit code or, where that is another program's, of the message
	rows  []curlRow
	got   *float64 // bytes received before a failure
	total *float64 // bytes expected
	speed *float64 // MB/s until the failure
	zero  bool     // it says that not a byte came
}

// curlRow is what one transfer's -w wrote; nil is not shown. Times are seconds,
// speed is MB/s.
type curlRow struct {
	code, size, speed, connect, first, total *float64
}

func judgeCurl(l *look) {
	for _, name := range []string{"size_bytes", "total_bytes", "speed_mb_s", "time_total_s"} {
		l.set(name, nil)
	}
	if _, windows := windowsPrompt(l.prompts); windows {
		l.set("os", "windows")
		l.set("wrong_machine", true)
	}
	c := l.curl()
	l.curlFacts(c)
	l.hung()
	switch {
	case l.in.TimedOut && c.rc < 0: // the message of curl itself never came
	case c.rc != 0:
		l.curlFailed(c)
	case l.says("statuscode :"):
		l.find(guide.Warn, "powershell")
	case len(c.rows) == 0 && (strings.Contains(l.command, "curl") || len(curlMeter.FindAllString(l.all(), 1)) > 0):
		if strings.TrimSpace(l.all()) != "" {
			l.find(guide.Warn, "partial")
		}
	}
	if c.rc == 0 {
		for _, r := range c.rows {
			l.curlVerdict(r)
		}
	}
	if len(l.found) > 0 {
		os, _ := l.facts["os"].(string)
		l.atHome(os)
	}
}

// windowsPrompt returns the first prompt of a shell of Windows.
func windowsPrompt(prompts []string) (string, bool) {
	for _, p := range prompts {
		if p = strings.TrimPrefix(strings.TrimSpace(p), "PS "); len(p) > 2 && p[1] == ':' && p[2] == '\\' {
			return p, true
		}
	}
	return "", false
}

var (
	curlMessage = guide.Regexp(`^curl: \((\d{1,3})\)\s*(.*)`)
	curlAfter   = guide.Regexp(`after (\d+) (?:milliseconds|ms)(?: with (\d{1,15})(?: out of (-?\d{1,15}))? bytes received)?`)
	curlMeter   = guide.Regexp(`^\s*(\d{1,3})\s+(\d[\d.]*[kKMGT]?)\s+(\d{1,3})\s+(\d[\d.]*[kKMGT]?)\s+\d+\s+\S+\s+(\d[\d.]*[kKMGT]?)\s+\S+\s+[-\d:]+\s+[-\d:]+`)
)

// curl reads the output of curl.
func (l *look) curl() curled {
	c := curled{rc: l.in.Exit, rows: l.curlRows()}
	for _, s := range l.lines {
		m := curlMessage.FindStringSubmatch(strings.TrimSpace(s))
		if m == nil {
			continue
		}
		l.use(s)
		c.rc, _ = whole(m[1])
		c.zero = c.zero || strings.Contains(m[2], "Connection timed out") || strings.Contains(m[2], "Resolving timed out") ||
			strings.Contains(m[2], "Failed to connect") || strings.Contains(m[2], "SSL connection timeout")
		if a := curlAfter.FindStringSubmatch(m[2]); a != nil && a[2] != "" {
			got, _ := number(a[2])
			c.got, c.zero = &got, got == 0
			if t, ok := number(a[3]); ok && t > 0 {
				c.total = &t
			}
			if ms, ok := number(a[1]); ok && ms > 0 && got > 0 {
				v := got / 1e6 / (ms / 1000)
				c.speed = &v
			}
		}
	}
	n := len(c.rows)
	if c.got != nil || c.rc == 0 && n > 0 && c.rows[n-1].size != nil {
		return c
	}
	if n > 0 && c.rows[n-1].size != nil {
		r := c.rows[n-1]
		c.got, c.zero = r.size, *r.size == 0
		if !c.zero {
			c.speed = r.speed
		}
		return c
	}
	l.meter(&c)
	return c
}

// meter reads the last line of the progress that curl shows without -s. Its
// figures are rounded and of 1024; a status isn't among them.
func (l *look) meter(c *curled) {
	for _, s := range l.lines {
		m := curlMeter.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		total, okT := bytesOf(strings.ToUpper(m[2]))
		got, okG := bytesOf(strings.ToUpper(m[4]))
		speed, okS := bytesOf(strings.ToUpper(m[5]))
		if !okG || !okS {
			continue
		}
		c.got, c.zero = &got, got == 0
		if okT && total > 0 {
			c.total = &total
		}
		if got > 0 {
			v := speed / 1e6
			c.speed = &v
		}
		if len(l.used) < maxLines/2 {
			l.use(s)
		}
	}
}

var (
	curlFormat = guide.Regexp(`(?:^|\s)(?:-[a-zA-Z#]*w|--write-out)(?:=|\s)*\$?("(?:[^"\\]|\\.)*"|'[^']*'|\S+)`)
	curlVar    = guide.Regexp(`%%?\{([a-z_]+)\}`)
	curlOurs   = "%{http_code} %{size_download} %{speed_download} %{time_namelookup} %{time_connect} %{time_starttransfer} %{time_total}"
)

// curlRows reads what -w wrote, by the format in the command; where that isn't
// known, by the format that the guide shows, or a time alone.
func (l *look) curlRows() []curlRow {
	text := l.all()
	if len(l.prompts) > 0 { // without a line's end the number stands before the next prompt
		text += "\n" + strings.Join(l.prompts, "\n")
	}
	var rows []curlRow
	var formats []string
	for _, m := range curlFormat.FindAllStringSubmatch(l.command, 4) {
		if f := unquoted(m[1]); !slices.Contains(formats, f) {
			formats = append(formats, f)
			rows = append(rows, l.curlLike(f, text)...)
		}
	}
	if len(rows) == 0 {
		rows = l.curlLike(curlOurs, text)
	}
	if len(rows) == 0 && l.command == "" {
		rows = l.curlLike("%{time_total}", text)
	}
	return rows
}

// unquoted is a word of a shell without its quotes, with the escapes of -w.
func unquoted(s string) string {
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') {
		s = s[1 : len(s)-1]
	}
	return strings.NewReplacer(`\"`, `"`, `\\n`, "\n", `\n`, "\n", `\t`, "\t", `\r`, "\n").Replace(s)
}

// curlLike finds in a text what a format of -w writes.
func (l *look) curlLike(format, text string) []curlRow {
	format = strings.TrimSpace(format)
	var names []string
	var re strings.Builder
	re.WriteString(`(?m)(?:^|[^\d.,])`)
	at := 0
	for _, m := range curlVar.FindAllStringSubmatchIndex(format, 32) {
		re.WriteString(literal(format[at:m[0]]))
		name := format[m[2]:m[3]]
		names = append(names, name)
		re.WriteString(curlShape(name))
		at = m[1]
	}
	re.WriteString(literal(format[at:]))
	if len(names) == 0 {
		return nil
	}
	find, err := regexp.Compile(re.String())
	if err != nil {
		return nil
	}
	var rows []curlRow
	for _, m := range find.FindAllStringSubmatch(text, 64) {
		var r curlRow
		for i, name := range names {
			r.put(name, m[i+1])
		}
		l.use(strings.Split(strings.TrimSpace(m[0]), "\n")...)
		rows = append(rows, r)
	}
	return rows
}

var blanks = guide.Regexp(`\s+`)

// literal is a pattern for the text between the values, however its blanks came
// through a terminal.
func literal(s string) string {
	parts := blanks.Split(s, -1)
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	return strings.Join(parts, `\s+`)
}

// curlShape is the pattern of a variable's value.
func curlShape(name string) string {
	switch {
	case name == "http_code" || name == "response_code":
		return `(\d{3})`
	case strings.HasPrefix(name, "time_"):
		return `(\d+[.,]\d{3,6})`
	case strings.HasPrefix(name, "size_") || strings.HasPrefix(name, "num_"):
		return `(\d+)`
	case strings.HasPrefix(name, "speed_"):
		return `(\d+(?:[.,]\d+)?)`
	case name == "json":
		return `(\{.*\})`
	}
	return `(\S*)`
}

// curlMost is more than any transfer moves or takes.
const curlMost = 1e15

// put notes a value by the name of its variable.
func (r *curlRow) put(name, value string) {
	if name == "json" {
		var all map[string]any
		if json.Unmarshal([]byte(value), &all) != nil {
			return
		}
		for _, n := range []string{"http_code", "size_download", "speed_download", "time_connect", "time_starttransfer", "time_total"} {
			if v, ok := all[n].(float64); ok && v >= 0 && v < curlMost {
				r.set(n, v)
			}
		}
		return
	}
	if v, ok := number(value); ok && v >= 0 && v < curlMost {
		r.set(name, v)
	}
}

func (r *curlRow) set(name string, v float64) {
	switch name {
	case "http_code", "response_code":
		r.code = &v
	case "size_download":
		r.size = &v
	case "speed_download":
		v /= 1e6
		r.speed = &v
	case "time_connect":
		r.connect = &v
	case "time_starttransfer":
		r.first = &v
	case "time_total":
		r.total = &v
	}
}

func (l *look) curlFacts(c curled) {
	if n := len(c.rows); n > 0 {
		r := c.rows[n-1]
		if r.code != nil && *r.code > 0 {
			l.set("http_code", int(*r.code))
			l.set("redirect_only", *r.code >= 300 && *r.code < 400)
		}
		if r.size != nil {
			l.set("size_bytes", int(*r.size))
		}
		if c.rc == 0 {
			for name, v := range map[string]*float64{"speed_mb_s": r.speed, "time_connect_s": r.connect, "ttfb_s": r.first, "time_total_s": r.total} {
				if v != nil {
					l.set(name, *v)
				}
			}
			if r.first != nil && r.total != nil {
				l.set("ttfb_dominates", r.waits())
			}
		}
	}
	if n := len(c.rows); n > 0 && c.rc != 0 { // what was reached before it failed
		for name, v := range map[string]*float64{"time_connect_s": c.rows[n-1].connect, "ttfb_s": c.rows[n-1].first} {
			if v != nil && *v > 0 {
				l.set(name, *v)
			}
		}
	}
	if status := l.hfLastStatus(c); len(c.rows) == 0 && status > 0 { // the head of an answer
		l.set("http_code", status)
	}
	if code, ok := map[int]string{6: "dns", 7: "connect_failed", 28: "timeout"}[c.rc]; ok {
		l.set("error", code)
	}
	if c.got != nil {
		l.set("size_bytes", int(*c.got))
	}
	if c.total != nil {
		l.set("total_bytes", int(*c.total))
	}
	if c.speed != nil {
		l.set("speed_mb_s", *c.speed)
	}
}

// waits reports whether the wait for the first byte is most of the time.
func (r curlRow) waits() bool {
	return r.first != nil && r.total != nil && *r.first >= guide.Threshold("net.curl.ttfb") && *r.first >= guide.Threshold("net.curl.ttfb-share")**r.total
}

// curlFailed judges by curl's exit code.
func (l *look) curlFailed(c curled) {
	switch c.rc {
	case 6, 5:
		l.find(guide.Fail, "dns")
	case 7:
		l.find(guide.Fail, "connect")
	case 28:
		if c.got == nil || c.zero { // without a word of progress there was none
			l.find(guide.Fail, "timeout")
			return
		}
		speed, done := texts.Dash, texts.Dash
		if c.speed != nil {
			speed = texts.Rate(*c.speed)
		}
		if c.total != nil && *c.total >= *c.got {
			done = texts.Percent(100 * *c.got / *c.total)
		}
		l.find(guide.Warn, "slow-timeout", "speed", speed, "done", done)
	case 35, 51, 58, 60, 77, 80, 83, 91:
		l.find(guide.Fail, "tls")
	case 22:
		l.find(guide.Warn, "http-error", "code", l.curlStatus())
	case 18, 52, 55, 56, 92, 95:
		l.find(guide.Warn, "broke-off")
	case 2, 3:
		l.find(guide.Warn, "no-url")
	case 23:
		l.find(guide.Warn, "no-write")
	case 127:
		l.find(guide.Warn, "no-curl")
	default:
		l.find(guide.Warn, "failed", "code", c.rc)
	}
}

var curlReturned = guide.Regexp(`returned error: (\d{3})`)

// curlStatus is the status that -f speaks of, a dash where it isn't shown.
func (l *look) curlStatus() string {
	if m := l.line(curlReturned); m != nil {
		return m[1]
	}
	return texts.Dash
}

// curlVerdict judges a transfer that went through.
func (l *look) curlVerdict(r curlRow) {
	switch {
	case r.code == nil:
	case *r.code >= 300 && *r.code < 400:
		l.find(guide.Warn, "redirect")
	case *r.code < 200 || *r.code >= 400:
		l.find(guide.Warn, "http-error", "code", int(*r.code))
	}
	if r.code == nil || r.size == nil || r.speed == nil {
		l.find(guide.Warn, "partial")
	}
	tiny := r.size != nil && *r.size < guide.Threshold("net.curl.least")
	if tiny && (r.code == nil || *r.code >= 200 && *r.code < 300) {
		l.find(guide.Warn, "tiny", "size", texts.Bytes(*r.size))
	}
	if r.waits() {
		l.find(guide.Warn, "wait", "first", texts.WithUnit(texts.Number(*r.first, 1), "s"), "total", texts.WithUnit(texts.Number(*r.total, 1), "s"))
	}
	if r.speed == nil || tiny {
		return
	}
	limit := guide.Threshold("net.curl.rate")
	switch good := r.code != nil && r.size != nil && *r.code >= 200 && *r.code < 300; {
	case *r.speed < limit:
		l.find(guide.Warn, "slow", "speed", texts.Rate(*r.speed), "limit", texts.Rate(limit))
	case good:
		l.find(guide.Pass, "good", "speed", texts.Rate(*r.speed))
	}
}
