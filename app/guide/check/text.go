package check

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"rentgen/app/guide"
)

// Helpers for reading what tools print. They take cleaned text.

// straight turns typographic quotes, dashes and blanks into plain ones: what was
// pasted from a page or a chat carries them.
var straight = strings.NewReplacer(
	"\u2018", "'", "\u2019", "'", "\u201a", "'", "\u201b", "'", "\u0060", "'", "\u00b4", "'",
	"\u201c", `"`, "\u201d", `"`, "\u201e", `"`, "\u00a0", " ", "\u202f", " ", "\u3000", " ", "\u2010", "-", "\u2011", "-", "\u2013", "-",
)

// flat is a text in which messages are sought: plain quotes, lower case, every
// run of blanks and line ends one blank.
func flat(s string) string {
	return strings.Join(strings.Fields(strings.ToLower(straight.Replace(s))), " ")
}

// says reports whether both streams together hold one of the messages, however
// they are wrapped, quoted or cased, and notes the lines as evidence.
func (l *look) says(messages ...string) bool {
	if l.flatAll == "" && len(l.lines) > 0 {
		var b strings.Builder
		for i, s := range l.lines {
			if f := flat(s); f != "" {
				if b.Len() > 0 {
					b.WriteByte(' ')
				}
				l.flatAt = append(l.flatAt, spot{b.Len(), i})
				b.WriteString(f)
			}
		}
		l.flatAll = b.String()
	}
	for _, m := range messages {
		m = flat(m)
		at := strings.Index(l.flatAll, m)
		if at < 0 || m == "" {
			continue
		}
		for i, p := range l.flatAt {
			end := len(l.flatAll)
			if i+1 < len(l.flatAt) {
				end = l.flatAt[i+1].at - 1
			}
			if p.at < at+len(m) && end > at {
				l.use(l.lines[p.line])
			}
		}
		return true
	}
	return false
}

// spot says where in the flat text a line begins.
type spot struct{ at, line int }

// line returns the submatches of the first line that matches, nil where none
// does, and notes the line as evidence.
func (l *look) line(re *guide.Pattern) []string {
	for _, s := range l.lines {
		if m := re.FindStringSubmatch(s); m != nil {
			l.use(s)
			return m
		}
	}
	return nil
}

// each returns the submatches of every line that matches and notes the lines as
// evidence.
func (l *look) each(re *guide.Pattern) [][]string {
	var all [][]string
	for _, s := range l.lines {
		if m := re.FindStringSubmatch(s); m != nil {
			l.use(s)
			all = append(all, m)
		}
	}
	return all
}

// number reads a decimal number with a point or, from a translated tool, a
// comma; nothing else may stand beside it. Infinite and absurd ones are no
// numbers.
func number(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if strings.Count(s, ",") == 1 && !strings.Contains(s, ".") {
		s = strings.Replace(s, ",", ".", 1)
	}
	if s == "" || strings.ContainsAny(s, "xXpP_iInN") { // no hexadecimal, no Inf, no NaN
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, false
	}
	return v, true
}

// whole reads an integer without sign.
func whole(s string) (int, bool) {
	s = strings.TrimSpace(s)
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0, false
	}
	v, err := strconv.Atoi(s)
	return v, err == nil
}

// ahead splits a number with its unit: "450W" and "450 W" are 450 and "W".
func ahead(s string) (v float64, unit string, ok bool) {
	s = strings.TrimSpace(s)
	n := 0
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.' || s[n] == ',' || n == 0 && (s[n] == '-' || s[n] == '+')) {
		n++
	}
	v, ok = number(s[:n])
	return v, strings.TrimSpace(s[n:]), ok
}

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
	tib = 1 << 40
	pib = 1 << 50
)

// bytesOf reads a size with a letter of 1024 ("30G", "0", "34Gi", "1.5T", "64M",
// "8151MiB", "9.8GiB"), as df -h, free -h, du and nvidia-smi print it. A decimal
// unit ("6.9 GB") is of 1000. Without a unit it is bytes.
func bytesOf(s string) (float64, bool) {
	v, unit, ok := ahead(s)
	if !ok || v < 0 {
		return 0, false
	}
	u := strings.ToUpper(unit)
	binary := !strings.HasSuffix(u, "B") || strings.HasSuffix(u, "IB") || len(u) == 1
	u = strings.TrimSuffix(strings.TrimSuffix(u, "B"), "I")
	at := strings.Index("KMGTPE", u)
	switch {
	case u == "":
		return v, true
	case len(u) != 1 || at < 0:
		return 0, false
	case binary:
		return v * math.Pow(1024, float64(at+1)), true
	}
	return v * math.Pow(1000, float64(at+1)), true
}

// mibOf reads a size as bytesOf does and returns MiB; a bare number is MiB.
func mibOf(s string) (float64, bool) {
	v, unit, ok := ahead(s)
	if ok && unit == "" {
		return v, v >= 0
	}
	v, ok = bytesOf(s)
	return v / mib, ok
}

// newer compares versions ("570.124.04", "12.4") part by part and returns a
// negative number where a is older than b, 0 where they are the same as far as
// the shorter one goes. What is no number in a part ends it.
func newer(a, b string) int {
	as, bs := parts(a), parts(b)
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return as[i] - bs[i]
		}
	}
	return 0
}

// parts are the numbers of a version.
func parts(s string) []int {
	var list []int
	for _, p := range strings.Split(strings.TrimSpace(s), ".") {
		n := 0
		for n < len(p) && n < 9 && p[n] >= '0' && p[n] <= '9' {
			n++
		}
		v, err := strconv.Atoi(p[:n])
		if err != nil {
			break
		}
		list = append(list, v)
		if n < len(p) {
			break
		}
	}
	return list
}

// major is the first part of a version; of a driver that is its branch.
func major(s string) (int, bool) {
	p := parts(s)
	if len(p) == 0 {
		return 0, false
	}
	return p[0], true
}

// orNil is v, or nil where it isn't known: how a fact says unknown.
func orNil[T any](v T, known bool) any {
	if !known {
		return nil
	}
	return v
}

// zh are pieces that only translated tools print; a path or a model's name in
// Chinese is no sign of it.
var zh = []string{
	"文件系统", "挂载点", "可用 已用", "已用%", "未找到命令", "找不到命令", "没有那个文件或目录", "没有该文件或目录", "权限不够", "拒绝连接", "连接超时", "不允许的操作", "操作不允许",
	"记录了", "已复制", "内存：", "交换：", "内存:", "交换:", "缓冲/缓存", "设备上没有空间", "超出磁盘限额", "域名解析", "未知的名称或服务", "网络不可达", "没有到主机的路由", "只读文件系统",
	"字节，", "总计", "架构：", "个包已传输", "最小/平均/最大",
}

// translated reports whether a text has translated lines of a tool.
func translated(s string) bool {
	for _, z := range zh {
		if strings.Contains(s, z) {
			return true
		}
	}
	return false
}

// missing reports whether a shell or another program says that it has no such
// tool, in whatever shell's words, and notes the line as evidence.
func (l *look) missing(tool string) bool {
	t := strings.ToLower(tool)
	for _, s := range l.lines {
		f := flat(s)
		if !strings.Contains(f, t) {
			continue
		}
		for _, p := range []string{
			t + ": command not found", t + ": not found", t + " not found", "command not found: " + t, "command '" + t + "' not found", t + "': no such file or directory", t + ": no such file or directory",
			"unknown command: " + t, "unknown command '" + t + "'", `"` + t + `": executable file not found`, t + ": inaccessible or not found", "'" + t + "' is not recognized", "no " + t + " in (",
			t + ":未找到命令", t + ": 未找到命令", t + "：未找到命令", t + ":找不到命令", t + "：找不到命令", t + ": 找不到命令", t + ": 没有那个文件或目录", t + ":没有那个文件或目录", t + "：没有那个文件或目录", "未找到命令:" + t, "找不到命令：" + t,
			"未找到 '" + t + "' 命令", "找不到命令 '" + t + "'", "命令 '" + t + "' 未找到",
		} {
			if at := strings.Index(f, p); at >= 0 && !wordBefore(f, at) {
				l.use(s)
				return true
			}
		}
	}
	return false
}

// wordBefore reports whether a letter or digit stands right before a place, so
// that "iperf3" is not found in "myiperf3".
func wordBefore(s string, at int) bool {
	if at == 0 {
		return false
	}
	c := s[at-1]
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

// piped reports whether the exit code is that of another program than the one
// looked at: the last of a pipe, or of several commands.
func (l *look) piped() bool { return strings.ContainsAny(l.command, "|;&\n") }

// median is the middle of values in any order, 0 of none.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(v))
	if len(s)%2 == 1 {
		return s[len(s)/2]
	}
	return (s[len(s)/2-1] + s[len(s)/2]) / 2
}
