package check

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

func init() { judges[guide.NetIperf3] = judgeIperf3 }

// iperfRun is the end of one measurement. Rates are bit/s.
type iperfRun struct {
	recv, sent  *float64
	retransmits *float64
	implausible bool    // the counter of retransmits ran under
	bytes       float64 // that were sent, 0 where not printed
	parallel    bool
}

func judgeIperf3(l *look) {
	l.set("recv_mbps", nil)
	l.set("sent_mbps", nil)
	l.set("retransmits", nil)
	l.hung()
	l.iperfErrors()
	runs := l.iperfJSON()
	if len(runs) == 0 {
		runs = l.iperfText()
	}
	if len(runs) == 0 {
		if len(l.found) == 0 && (strings.Contains(l.all(), "bits/sec") || strings.Contains(l.all(), "bits_per_second") || strings.Contains(l.all(), "connected")) {
			l.find(guide.Warn, "partial")
		}
		return
	}
	// Of two directions the slower speaks.
	r := runs[0]
	for _, o := range runs[1:] {
		if o.recv != nil && (r.recv == nil || *o.recv < *r.recv) {
			r = o
		}
	}
	l.iperfFacts(r)
	for _, r := range runs {
		l.iperfVerdict(r)
	}
}

var (
	iperfError     = guide.Regexp(`(?i)iperf3?: (?:error - |parameter error - )?(.*)`)
	iperfJSONError = guide.Regexp(`"error"\s*:\s*"(?:error - )?([^"]*)`)
)

// iperfErrors judges what iperf3 says when it could not measure.
func (l *look) iperfErrors() {
	var said []string
	for _, s := range l.lines {
		for _, re := range []*guide.Pattern{iperfError, iperfJSONError} {
			if m := re.FindStringSubmatch(s); m != nil {
				l.use(s)
				said = append(said, strings.ToLower(m[1]))
			}
		}
	}
	has := func(words ...string) bool {
		for _, s := range said {
			for _, w := range words {
				if strings.Contains(s, w) {
					return true
				}
			}
		}
		return false
	}
	switch {
	case has("no route to host", "没有到主机的路由", "host is unreachable"):
		l.set("error", "no_route")
		l.find(guide.Fail, "no-route").Provider = l.in.Track == guide.Shared
	case has("network is unreachable", "网络不可达"):
		l.set("error", "network_unreachable")
		l.find(guide.Fail, "unreachable").Provider = l.in.Track == guide.Shared
	case has("name or service not known", "name resolution", "nodename nor servname", "no address associated", "unknown host", "域名解析", "未知的名称或服务"):
		l.find(guide.Fail, "unknown-name")
	case has("must either be a client", "option requires an argument", "some option you are trying to set is server only"), l.says("usage: iperf3"):
		l.leave("no-peer")
	case l.in.Exit == 127 || l.missing("iperf3"):
		l.leave("no-iperf3")
	case has("connection refused", "拒绝连接", "connection timed out", "连接超时", "operation now in progress", "unable to connect", "unable to send control", "bad file descriptor", "timed out"):
		l.set("error", "no_server")
		l.find(guide.Warn, "no-server")
	case has("busy"):
		l.find(guide.Warn, "busy")
	case len(said) > 0:
		l.find(guide.Warn, "broke-off")
	}
}

// iperfEnd is what is read of a JSON document.
type iperfEnd struct {
	Start struct {
		TestStart struct {
			Streams  float64 `json:"num_streams"`
			Protocol string  `json:"protocol"`
		} `json:"test_start"`
	} `json:"start"`
	End struct {
		Streams []json.RawMessage `json:"streams"`
		Sent    *iperfSum         `json:"sum_sent"`
		Recv    *iperfSum         `json:"sum_received"`
		SentRev *iperfSum         `json:"sum_sent_bidir_reverse"`
		RecvRev *iperfSum         `json:"sum_received_bidir_reverse"`
	} `json:"end"`
	Error string `json:"error"`
}

type iperfSum struct {
	Bytes       float64  `json:"bytes"`
	Rate        *float64 `json:"bits_per_second"`
	Retransmits *float64 `json:"retransmits"`
}

// iperfJSON reads every document of the output; a cut one is left out.
func (l *look) iperfJSON() []iperfRun {
	text := l.all()
	var runs []iperfRun
	for tries := 0; tries < 8; tries++ {
		at := strings.IndexByte(text, '{')
		if at < 0 {
			break
		}
		text = text[at:]
		var e iperfEnd
		d := json.NewDecoder(strings.NewReader(text))
		if err := d.Decode(&e); err != nil {
			// a brace of something else in front of it
			if next := strings.Index(text, "\n{"); next >= 0 {
				text = text[next+1:]
				continue
			}
			break
		}
		text = text[d.InputOffset():]
		several := e.Start.TestStart.Streams > 1 || len(e.End.Streams) > 1
		for _, pair := range [][2]*iperfSum{{e.End.Sent, e.End.Recv}, {e.End.SentRev, e.End.RecvRev}} {
			if pair[0] == nil && pair[1] == nil {
				continue
			}
			r := iperfRun{parallel: several}
			if s := pair[0]; s != nil {
				r.sent, r.bytes = plausible(s.Rate), s.Bytes
				if s.Retransmits != nil {
					r.retry(*s.Retransmits)
				}
			}
			if s := pair[1]; s != nil {
				r.recv = plausible(s.Rate)
			}
			runs = append(runs, r)
		}
	}
	if len(runs) > 0 {
		for _, s := range l.lines {
			if strings.Contains(s, "bits_per_second") || strings.Contains(s, "retransmits") || strings.Contains(s, "sum_") {
				l.use(strings.TrimSpace(s))
			}
		}
	}
	return runs
}

// plausible drops rates that no network has.
func plausible(v *float64) *float64 {
	if v == nil || math.IsNaN(*v) || *v < 0 || *v > 1e15 {
		return nil
	}
	return v
}

// retry notes the count of retransmits, unless the counter ran under.
func (r *iperfRun) retry(v float64) {
	if v < 0 || v > guide.Threshold("net.iperf3.retr-implausible") {
		r.implausible = true
		return
	}
	r.retransmits = &v
}

// A line of the summary: stream, role of a test both ways, interval, amount, rate,
// the retransmits of a sender (a datagram's jitter and loss of a receiver) and
// whose line it is.
var iperfLine = guide.Regexp(`^\[\s*(\d+|SUM)\](?:\[(TX|RX)-[CS]\])?\s+[\d.]+-\s*[\d.]+\s+sec\s+([\d.]+) ([KMGT]?)Bytes\s+([\d.]+) ([KMGT]?)(bits|Bytes)/sec\s+(.*?)\s*(sender|receiver)\s*$`)

// iperfText reads the lines of senders and receivers. The sums speak where there
// are several streams; without them the streams are added up.
func (l *look) iperfText() []iperfRun {
	type role struct{ name, end string }
	var names []string
	sums, streams, count := map[role]iperfRow{}, map[role]iperfRow{}, map[role]int{}
	for _, s := range l.lines {
		m := iperfLine.FindStringSubmatch(strings.TrimSpace(s))
		if m == nil {
			continue
		}
		row, ok := readIperfRow(m)
		if !ok {
			continue
		}
		l.use(s)
		if !slices.Contains(names, m[2]) {
			names = append(names, m[2])
		}
		k := role{m[2], m[9]}
		if m[1] == "SUM" {
			sums[k] = row
			continue
		}
		count[k]++
		streams[k] = streams[k].plus(row)
	}
	var runs []iperfRun
	for _, name := range names {
		var r iperfRun
		for _, end := range []string{"sender", "receiver"} {
			k := role{name, end}
			row, ok := sums[k]
			r.parallel = r.parallel || ok || count[k] > 1
			if !ok {
				if count[k] == 0 {
					continue
				}
				row = streams[k]
			}
			if end == "receiver" {
				r.recv = plausible(&row.rate)
				continue
			}
			r.sent, r.bytes = plausible(&row.rate), row.bytes
			if row.retr != nil {
				r.retry(*row.retr)
			}
		}
		runs = append(runs, r.atServer())
	}
	return runs
}

// atServer drops the line of the other end, which a server never fills: it says
// zero there and that is no measurement.
func (r iperfRun) atServer() iperfRun {
	switch {
	case r.sent != nil && *r.sent == 0 && r.recv != nil && *r.recv > 0:
		r.sent = nil
	case r.recv != nil && *r.recv == 0 && r.sent != nil && *r.sent > 0:
		r.recv = nil
	}
	return r
}

// iperfRow is one line; retr is nil where it has none.
type iperfRow struct {
	bytes, rate float64
	retr        *float64
}

func (r iperfRow) plus(o iperfRow) iperfRow {
	sum := iperfRow{bytes: r.bytes + o.bytes, rate: r.rate + o.rate, retr: r.retr}
	if o.retr != nil {
		v := *o.retr
		if r.retr != nil {
			v += *r.retr
		}
		sum.retr = &v
	}
	return sum
}

func readIperfRow(m []string) (r iperfRow, ok bool) {
	amount, okA := number(m[3])
	rate, okR := number(m[5])
	if !okA || !okR {
		return r, false
	}
	// iperf3 counts bytes by 1024 and bits by 1000.
	power := func(letter string, base float64) float64 {
		return math.Pow(base, float64(strings.Index(" KMGT", letter))) // none is 0
	}
	r.bytes = amount * power(m[4], 1024)
	r.rate = rate * power(m[6], 1000)
	if m[7] == "Bytes" {
		r.rate = rate * 8 * power(m[6], 1024)
	}
	if v, ok := number(m[8]); ok {
		r.retr = &v
	}
	return r, true
}

func (l *look) iperfFacts(r iperfRun) {
	if r.recv != nil {
		l.set("recv_mbps", *r.recv/1e6)
	}
	if r.sent != nil {
		l.set("sent_mbps", *r.sent/1e6)
	}
	if r.retransmits != nil {
		l.set("retransmits", int(*r.retransmits))
	}
	l.set("retransmits_implausible", r.implausible)
	l.set("parallel", r.parallel)
}

func (l *look) iperfVerdict(r iperfRun) {
	if r.retransmits != nil && r.bytes > 0 {
		if perMB := *r.retransmits / (r.bytes / 1e6); perMB > guide.Threshold("net.iperf3.retr-per-mb") {
			l.find(guide.Warn, "retransmits", "n", texts.Count(int64(*r.retransmits)), "per", texts.Number(perMB, 1))
		}
	}
	limit := guide.Threshold("net.iperf3.rate")
	switch {
	case r.recv == nil:
		l.find(guide.Warn, "partial")
	case *r.recv/1e6 < limit:
		l.find(guide.Warn, "slow", "rate", bits(*r.recv/1e6), "limit", bits(limit))
	default:
		l.find(guide.Pass, "good", "rate", bits(*r.recv/1e6))
	}
}

// bits writes a rate given in Mbit/s.
func bits(mbps float64) string {
	switch {
	case mbps >= 1000:
		return texts.WithUnit(texts.Number(mbps/1000, 1), "Gbit/s")
	case mbps >= 10:
		return texts.WithUnit(texts.Number(mbps, 0), "Mbit/s")
	}
	return texts.WithUnit(texts.Number(mbps, 1), "Mbit/s")
}
