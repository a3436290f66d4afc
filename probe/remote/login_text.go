package remote

import (
	"regexp"
	"strings"
	"unicode"
)

// maxLine bounds a pasted text in bytes.
const maxLine = 16 << 10

// plain makes of a pasted text what was meant: spaces and marks of web pages
// and of input methods become their ASCII counterparts, invisible characters
// go. Line breaks stay. It changes nothing the second time.
func plain(s string) string {
	s = strings.ToValidUTF8(s, "")
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\v", "\n", "\f", "\n").Replace(s)
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r >= 0xff01 && r <= 0xff5e: // full-width ASCII
			return r - 0xfee0
		case unicode.IsSpace(r), r == 0x3164, r == 0x2800: // no-break, ideographic, thin, fillers
			return ' '
		case r == '“', r == '”', r == '„', r == '‟', r == '「', r == '」':
			return '"'
		case r == '‘', r == '’', r == '‚', r == '‛':
			return '\''
		case r >= 0x2010 && r <= 0x2015, r == 0x2212, r == 0xfe63, r == 0xfe58:
			return '-'
		case r == '。': // typed with the input method still on
			return '.'
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r): // zero-width, bidi, byte-order mark
			return -1
		}
		return r
	}, s)
}

// words splits a command line the way a shell would, as far as it matters for
// a login line. A backslash stays one unless it escapes something, so that
// Windows paths survive. An unclosed quote ends with the line.
func words(s string) []string {
	var (
		all   []string
		word  strings.Builder
		has   bool
		quote rune
	)
	rs := []rune(s)
	for i := 0; i < len(rs); i++ {
		r := rs[i]
		next := rune(0)
		if i+1 < len(rs) {
			next = rs[i+1]
		}
		switch {
		case quote == '\'' && r != '\'', quote == '"' && r != '"' && r != '\\':
			word.WriteRune(r)
		case quote != 0 && r == quote:
			quote = 0
		case r == '\\' && quote == '"':
			if next == '"' || next == '\\' || next == '$' || next == '`' {
				i++
				r = next
			}
			word.WriteRune(r)
		case r == '\\':
			if next == ' ' || next == '"' || next == '\'' || next == '\\' || next == '$' || next == '&' || next == ';' {
				i++
				r = next
			}
			word.WriteRune(r)
			has = true
		case r == '\'' || r == '"':
			quote, has = r, true
		case r == ' ' || r == '\n':
			if has {
				all = append(all, word.String())
				word.Reset()
				has = false
			}
		default:
			word.WriteRune(r)
			has = true
		}
	}
	if has {
		all = append(all, word.String())
	}
	return all
}

// quoted writes one word so that words reads it back.
func quoted(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("@%+=:,./-_~[]*?!^#", r)
	}) {
		return s
	}
	if !strings.ContainsRune(s, '\'') {
		return "'" + s + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'"
}

// The labels that providers and people print before a value.
const (
	labelPassword = `(?:(?:root|ssh|login|user|initial)\s+)?(?:password|passwd|pass|pwd)|(?:登录|登陆|初始|实例|用户|root|ssh)?\s*(?:密\s*码|口令)`
	labelHost     = `host\s*name|host|ip|ip\s+address|address|server|主机名?|主机地址|地址|公网\s*ip|服务器|域名`
	labelPort     = `(?:ssh\s+)?port|(?:ssh\s*)?端口号?`
	labelUser     = `user\s*name|user|login|account|用户名?|账号|帐号|账户`
)

var (
	rePasswordLine  = regexp.MustCompile(`(?i)^(?:` + labelPassword + `)(?:\s*[:=]\s*|\s+(?:is\s+|是|为)\s*)(\S.*)$`)
	rePasswordLabel = regexp.MustCompile(`(?i)^(?:` + labelPassword + `)\s*[:=]?$`)
	rePasswordWord  = regexp.MustCompile(`(?i)^(?:password|passwd|pwd|登录密码|密码|口令)[:=](.*)$`)
	reHostLine      = regexp.MustCompile(`(?i)^(?:` + labelHost + `)\s*[:=]\s*(\S+)$`)
	rePortLine      = regexp.MustCompile(`(?i)^(?:` + labelPort + `)\s*[:=]\s*(\S+)$`)
	reUserLine      = regexp.MustCompile(`(?i)^(?:` + labelUser + `)\s*[:=]\s*(\S+)$`)
	// A shell's prompt, or a label, before the command.
	rePrompt = regexp.MustCompile(`^(?:[$#%>&❯➜]\s+|PS\s+[A-Za-z]:[^>]*>\s*|[A-Za-z]:\\[^>]*>\s*|[\w.-]+@[\w.-]+:[^$#]*[$#]\s+|\[[^\]]*\][$#]\s+)`)
	reLabel  = regexp.MustCompile(`(?i)^[^:'"@/\\-]{1,40}:\s*((?:sshpass|SSHPASS=|"?[^ ]*\bssh(?:\.exe)?"?) .*)$`)
)
