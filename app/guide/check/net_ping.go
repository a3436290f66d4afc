package check

import (
	"slices"
	"strings"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

func init() { judges[guide.NetPing] = judgePing }

// pinged is the summary of one ping.
type pinged struct {
	sent, received, duplicates, errors int
	loss                               float64 // percent
	avg, mdev                          *float64
	flavour, os                        string
}

var (
	// iputils "5 received", the others "5 packets received"
	pingSummary   = guide.Regexp(`^\s*(\d+) packets? transmitted, (\d+) (packets )?received,(.*?)\s([\d.,]+)% packet loss`)
	pingSummaryZh = guide.Regexp(`^\s*已?发送(?:了)?\s*(\d+)\s*个(?:数据)?包\s*[，,]\s*已?接收(?:到)?(?:了)?\s*(\d+)\s*个(?:数据)?包\s*[，,]?(.*?)\s*([\d.,]+)%\s*(?:packet loss|包丢失|丢包|的?丢失)`)
	pingWindows   = guide.Regexp(`(?:Sent|已发送) = (\d+)\s*[,，]\s*(?:Received|已接收) = (\d+)\s*[,，]\s*(?:Lost|丢失) = (\d+) \((\d+)% `)
	pingTimes     = guide.Regexp(`^\s*\S+ min/avg/max(?:/(mdev|stddev|std-dev))? = ([\d.,]+)/([\d.,]+)/([\d.,]+)(?:/([\d.,]+|nan))? (?:ms|毫秒)`)
	pingTimesWin  = guide.Regexp(`(?:Minimum|最短) = (\d+)\s?ms\s*[,，]\s*(?:Maximum|最长) = (\d+)\s?ms\s*[,，]\s*(?:Average|平均) = (\d+)\s?ms`)
	pingDup       = guide.Regexp(`(\d+) (?:duplicates|重复)`)
	pingErrors    = guide.Regexp(`\+(\d+) (?:errors|错误)`)
	pingChinese   = guide.Regexp(`字节的数据|ping 统计|已发送|的 Ping 统计信息|请求超时|找不到主机|无法访问目标`)
)

// Messages of ping in the languages and systems seen.
var (
	pingDNSTemporary = []string{"temporary failure in name resolution", "non-recoverable failure in name resolution", "域名解析暂时失败", "域名解析出现暂时性错误", "名称解析暂时失败", "名称解析出现不可恢复的错误"}
	pingDNSUnknown   = []string{
		"name or service not known", "unknown host", "bad address '", "no address associated with", "could not find host", "nodename nor servname",
		"could not resolve host", "name does not resolve", "hostname lookup failure", "未知的名称或服务", "未知的主机", "未知主机", "找不到主机", "没有与主机名关联的地址", "主机名没有相关的地址",
	}
	pingUnreachable = []string{
		"host unreachable", "net unreachable", "network is unreachable", "network unreachable", "port unreachable", "protocol unreachable", "destination unreachable",
		"no route to host", "host is down", "time to live exceeded", "ttl expired in transit", "general failure", "网络不可达", "目标主机不可达", "目标不可达", "无法访问目标",
		"没有到主机的路由", "ttl 传输中过期", "一般故障",
	}
	pingFiltered   = []string{"packet filtered", "communication prohibited", "host prohibited", "net prohibited", "administratively prohibited", "sendmsg: operation not permitted", "sendmsg: 不允许的操作"}
	pingPermission = []string{
		"operation not permitted", "permission denied", "lacking privilege", "are you root", "cap_net_raw", "must be root", "不允许的操作", "操作不允许", "权限不够", "拒绝访问",
	}
)

func judgePing(l *look) {
	l.set("rtt_avg_ms", nil)
	l.set("rtt_mdev_ms", nil)
	if l.line(pingChinese) != nil {
		l.set("locale", "zh")
	}
	tcp := l.tcp()
	runs := l.pings()
	if len(runs) == 0 {
		l.hung()
		l.pingNothing(tcp)
		if l.says("ping request could not find host", "ping 请求找不到主机") {
			l.set("os", "windows")
			l.atHome("windows")
		}
		return
	}
	// Of several hosts the one with the worst loss, then the longest way, speaks.
	r := slices.MaxFunc(runs, func(a, b pinged) int {
		switch {
		case a.loss != b.loss:
			return int(100 * (a.loss - b.loss))
		case a.avg == nil || b.avg == nil:
			return 0
		}
		return int(1000 * (*a.avg - *b.avg))
	})
	l.pingFacts(r)
	l.pingVerdict(r, tcp)
	l.atHome(r.os)
}

// pings reads every summary with the times that follow it.
func (l *look) pings() []pinged {
	var runs []pinged
	for _, s := range l.lines {
		if r, ok := pingRow(s); ok {
			l.use(s)
			runs = append(runs, r)
			continue
		}
		if len(runs) == 0 || runs[len(runs)-1].avg != nil {
			continue
		}
		if runs[len(runs)-1].times(s) {
			l.use(s)
		}
	}
	return runs
}

// pingRow reads the line of a summary.
func pingRow(s string) (r pinged, ok bool) {
	var sent, received, more, loss string
	switch {
	case pingSummary.MatchString(s):
		m := pingSummary.FindStringSubmatch(s)
		sent, received, more, loss = m[1], m[2], m[4], m[5]
		r.flavour = "iputils"
		if m[3] != "" {
			r.flavour = "busybox"
			if strings.Contains(loss, ".") {
				r.flavour, r.os = "bsd", "macos"
			}
		}
	case pingSummaryZh.MatchString(s):
		m := pingSummaryZh.FindStringSubmatch(s)
		sent, received, more, loss = m[1], m[2], m[3], m[4]
		r.flavour = "iputils"
	case pingWindows.MatchString(s):
		m := pingWindows.FindStringSubmatch(s)
		sent, received, loss, r.os = m[1], m[2], m[4], "windows"
	default:
		return r, false
	}
	var okS, okR, okL bool
	r.sent, okS = whole(sent)
	r.received, okR = whole(received)
	r.loss, okL = number(loss)
	if !okS || !okR || !okL || r.sent == 0 || r.received > r.sent || r.loss > 100 {
		return r, false
	}
	// What was counted wins where a printed share is better than it.
	r.loss = max(r.loss, float64(int(100*float64(r.sent-r.received)/float64(r.sent))))
	if m := pingDup.FindStringSubmatch(more); m != nil {
		r.duplicates, _ = whole(m[1])
	}
	if m := pingErrors.FindStringSubmatch(more); m != nil {
		r.errors, _ = whole(m[1])
	}
	return r, true
}

// times reads the line of round trips. Figures that contradict each other stay
// unknown.
func (r *pinged) times(s string) bool {
	low, avg, high, mdev := "", "", "", ""
	switch {
	case pingTimes.MatchString(s):
		m := pingTimes.FindStringSubmatch(s)
		low, avg, high, mdev = m[2], m[3], m[4], m[5]
		switch {
		case m[1] == "std-dev" || m[1] == "stddev":
			r.flavour = "bsd"
		case m[1] == "" && r.flavour != "iputils":
			r.flavour = "busybox"
		}
	case pingTimesWin.MatchString(s):
		m := pingTimesWin.FindStringSubmatch(s)
		low, avg, high = m[1], m[3], m[2]
	default:
		return false
	}
	a, okA := number(low)
	b, okB := number(avg)
	c, okC := number(high)
	if !okA || !okB || !okC || a > b || b > c {
		return false
	}
	r.avg = &b
	if v, ok := number(mdev); ok {
		r.mdev = &v
	}
	return true
}

func (l *look) pingFacts(r pinged) {
	l.set("sent", r.sent)
	l.set("received", r.received)
	l.set("duplicates", r.duplicates)
	l.set("icmp_errors", r.errors)
	l.set("loss_pct", r.loss)
	if r.avg != nil {
		l.set("rtt_avg_ms", *r.avg)
	}
	if r.mdev != nil {
		l.set("rtt_mdev_ms", *r.mdev)
	}
	if r.flavour != "" {
		l.set("flavour", r.flavour)
	}
	if r.os != "" {
		l.set("os", r.os)
		l.set("wrong_machine", true) // said, not judged: the laptop's way is worth knowing too
	}
}

func (l *look) pingVerdict(r pinged, tcp tcpTried) {
	unreachable := l.says(pingUnreachable...)
	if r.received == 0 || r.os == "windows" && r.avg == nil && unreachable {
		l.pingSilence(unreachable, tcp)
		return
	}
	args := []any{"loss", texts.Percent(r.loss), "sent", r.sent, "received", r.received}
	switch {
	case r.loss >= guide.Threshold("net.ping.loss") && float64(r.sent) >= guide.Threshold("net.ping.loss-packets"):
		l.find(guide.Fail, "loss", args...).Provider = l.in.Track == guide.Shared
	case r.loss > 0:
		l.find(guide.Warn, "loss-some", args...)
	}
	if r.duplicates > 0 {
		l.find(guide.Warn, "duplicates", "n", r.duplicates)
	}
	if unreachable && r.loss > 0 {
		l.find(guide.Warn, "gaps")
	}
	if tcp == tcpFailed {
		l.find(guide.Warn, "tcp-alone-fails")
	}
	if r.avg == nil {
		l.find(guide.Warn, "partial")
		return
	}
	same, limit := guide.Known(l.ctx.SameRegion, false), guide.Threshold("net.ping.rtt")
	if same {
		limit = guide.Threshold("net.ping.rtt-region")
	}
	rtt := millis(*r.avg)
	switch {
	case *r.avg >= limit && same:
		l.find(guide.Warn, "slow-region", "rtt", rtt, "limit", millis(limit))
	case *r.avg >= limit:
		l.find(guide.Warn, "far", "rtt", rtt, "limit", millis(limit))
	case r.loss == 0:
		l.find(guide.Pass, "good", "rtt", rtt, "sent", r.sent)
	}
}

// pingSilence judges that no reply came at all: storage and APIs often drop
// ping, so a connection by TCP decides where one was tried.
func (l *look) pingSilence(unreachable bool, tcp tcpTried) {
	switch {
	case unreachable && tcp != tcpWorked:
		l.set("error", "host_unreachable")
		l.find(guide.Fail, "unreachable")
	case tcp == tcpFailed:
		l.find(guide.Fail, "tcp-fails")
	case tcp == tcpWorked:
		l.find(guide.Warn, "icmp-dropped")
	case l.says(pingFiltered...):
		l.find(guide.Warn, "filtered")
	default:
		l.find(guide.Warn, "silent")
	}
}

// pingNothing judges an output without a summary.
func (l *look) pingNothing(tcp tcpTried) {
	switch {
	case l.says(pingDNSTemporary...):
		l.set("error", "dns_temporary")
		l.find(guide.Fail, "dns")
	case l.says(pingDNSUnknown...):
		l.set("error", "dns_unknown_name")
		l.find(guide.Fail, "unknown-name")
	case tcp == tcpFailed:
		l.find(guide.Fail, "tcp-fails")
	case l.in.Exit == 127 || l.missing("ping"):
		l.set("error", "command_not_found")
		l.leave("no-ping")
	case l.says(pingPermission...) || l.in.Exit == 126:
		l.set("error", "permission_denied")
		l.leave("no-permission")
	case l.says(pingUnreachable...):
		l.set("error", "host_unreachable")
		l.find(guide.Fail, "unreachable")
	case l.in.Exit == 2 && strings.TrimSpace(l.all()) == "":
		l.set("error", "no_output")
		l.leave("no-output")
	case strings.Contains(l.all(), "bytes from") || strings.Contains(l.all(), "bytes of data") || strings.Contains(l.all(), "data bytes") || l.line(pingChinese) != nil:
		l.find(guide.Warn, "partial")
	}
	if l.in.Exit == 0 && tcp == tcpWorked && len(l.found) == 0 {
		l.find(guide.Warn, "partial")
	}
}

// tcpTried is what a connection by TCP in the same output came to.
type tcpTried int

const (
	tcpNotTried tcpTried = iota
	tcpWorked
	tcpFailed
)

var (
	tcpOurs = guide.Regexp(`^tcp (\d+\.\d+)\s*$`)
	tcpGood = guide.Regexp(`(?i)port .*succeeded|^\S+ (?:\[[\d.:a-f]+\]|\([\d.:a-f]+\)) .*\bopen$|^\S+ \([\d.]+:\d+\) open$|^(?:ncat: )?connected to |^HTTP/[\d.]+ \d{3}|^(?:tcp|port|443|connect)\b.*\b(?:ok|open|succeeded|connected|reachable)\b`)
	tcpBad  = guide.Regexp(`(?i)^curl: \((?:7|28)\)|^(?:nc|ncat|telnet): .*(?:failed|refused|timed out|timeout|no route|unreachable)|/dev/tcp/.*(?:refused|timed out|unreachable|no route)` +
		`|connect: connection (?:refused|timed out)|^(?:timeouterror|connectionrefusederror|oserror: \[errno 1(?:01|13)\])|^(?:tcp|port|443|connect)\b.*\b(?:fail(?:ed|s)?|closed|refused|timed out|timeout|unreachable)\b`)
)

// tcp reads what curl, nc, the shell or Python said of a connection.
func (l *look) tcp() tcpTried {
	tried := tcpNotTried
	for _, s := range l.lines {
		s = strings.TrimSpace(s)
		m := tcpOurs.FindStringSubmatch(s)
		switch {
		case tcpBad.MatchString(s), m != nil && strings.Trim(m[1], "0.") == "": // curl's 0 where it never connected
			l.use(s)
			return tcpFailed
		case m != nil, tcpGood.MatchString(s):
			l.use(s)
			tried = tcpWorked
		}
	}
	if tried == tcpWorked {
		return tried
	}
	return l.tcpSilent()
}

// tcpSilent reads the exit code and the number of a tool that was told to say
// nothing else.
func (l *look) tcpSilent() tcpTried {
	curl := strings.Contains(l.command, "curl ")
	switch {
	case curl && (l.in.Exit == 7 || l.in.Exit == 28), strings.Contains(l.command, "/dev/tcp/") && l.in.Exit == 124:
		return tcpFailed
	case strings.Contains(l.command, "time_connect"):
		for _, r := range l.curlRows() {
			if r.connect != nil && *r.connect == 0 {
				return tcpFailed
			}
			if r.connect != nil {
				return tcpWorked
			}
		}
	}
	return tcpNotTried
}

// hung notes that the time limit ended the command: what it printed is not all.
func (l *look) hung() {
	if l.in.TimedOut {
		l.find(guide.Warn, "hung")
	}
}

// leave notes a skip, which decides over all but the place.
func (l *look) leave(code string, args ...any) {
	l.skipped = true
	l.find(guide.Skip, code, args...)
}

// atHome notes that the output is the user's own computer's: the way from there
// is another than the instance's.
func (l *look) atHome(os string) {
	if os != "" || l.in.Laptop {
		l.find(guide.Pass, "laptop")
	}
}

// millis writes milliseconds.
func millis(v float64) string {
	if v < 10 {
		return texts.WithUnit(texts.Number(v, 1), "ms")
	}
	return texts.WithUnit(texts.Number(v, 0), "ms")
}
