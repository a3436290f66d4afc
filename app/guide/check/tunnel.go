package check

import (
	"strings"

	"rentgen/app/guide"
)

func init() { judges[guide.Tunnel] = judgeTunnel }

var (
	// What the user interfaces print when they listen.
	uiLines = []*guide.Pattern{
		guide.Regexp(`(?i)to see the gui go to:\s*https?://[^\s/]+?:(\d{2,5})\b`),
		guide.Regexp(`(?i)running on (?:local )?(?:url|address|http)?:?\s*https?://[^\s/]+?:(\d{2,5})\b`),
		guide.Regexp(`(?i)(?:uvicorn|invoke\S*|gradio|jupyter\S*|server|serverapp|listening|started|app) .*?https?://[^\s/]+?:(\d{2,5})\b`),
		guide.Regexp(`(?i)^\s*(?:\[.*?\]\s*)?(?:or )?https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::\]|[\w.-]+):(\d{2,5})/(?:lab|tree|\?token)`),
		guide.Regexp(`(?i)^\s*\*?\s*running on .*https?://[^\s/]+?:(\d{2,5})\b`),
		guide.Regexp(`(?i)\blistening (?:on|at):? (?:https?://)?(?:[\w.-]+|\[[\w:]*\]):(\d{2,5})\b`),
	}
	httpStatus = guide.Regexp(`^\s*<?\s*HTTP/[\d.]+ (\d{3})\b`)
	httpBare   = guide.Regexp(`^\s*(\d{3})\s*$`)
	sshItself  = []string{
		"ssh: connect to host", "could not resolve hostname", "permission denied (publickey", "connection closed by", "connection reset by", "kex_exchange_identification",
		"host key verification failed", "port forwarding is disabled to avoid", "unable to authenticate",
	}
)

func judgeTunnel(l *look) {
	port := 0
	for _, re := range uiLines {
		if m := l.line(re); m != nil {
			if n, ok := whole(m[1]); ok && n > 0 && n < 1<<16 {
				port = n
				l.set("ui_port", n)
				break
			}
		}
	}
	l.cutShort()
	l.tunnelFaults()
	code := guide.Known(l.ctx.HTTPCode, 0)
	if code == 0 {
		code = l.httpCode()
	}
	switch {
	case code >= 500:
		l.find(guide.Warn, "server-error", "code", code)
	case code >= 100 && len(l.found) == 0:
		l.find(guide.Pass, "ok", "code", code)
	case code >= 100:
	case port > 0 && len(l.found) == 0:
		l.find(guide.Warn, "log-only", "port", port)
	case port > 0:
		l.find(guide.Warn, "ui-port", "port", port)
	case len(l.found) == 0 && len(l.lines) == 0:
		l.find(guide.Warn, "no-get")
	case len(l.found) == 0:
		l.unread(nil)
	}
}

// tunnelFaults finds why a forward gave no answer.
func (l *look) tunnelFaults() {
	prohibited := l.says("administratively prohibited", "open failed: forwarding disabled", "tcp forwarding is disabled", "port forwarding is disabled by")
	busy := l.says("address already in use", "cannot listen to port", "could not request local forwarding", "only one usage of each socket address", "地址已在使用", "地址已被使用", "通常每个套接字地址") ||
		l.says("bind [127.0.0.1]") && l.says("permission denied")
	itself := l.says(sshItself...)
	switch {
	case prohibited:
		l.set("error", "forwarding_disabled")
		l.ofHost(l.find(guide.Fail, "prohibited"))
	case busy:
		l.set("error", "local_port_busy")
		l.find(guide.Warn, "busy")
	case itself:
		l.find(guide.Warn, "no-ssh")
	case l.says("connection refused", "拒绝连接", "连接被拒绝", "actively refused", "curl: (7)"):
		l.set("error", "remote_port_closed")
		l.find(guide.Warn, "refused")
	case l.says("channel", "open failed") && l.line(channelFailed) != nil:
		l.find(guide.Warn, "channel")
	case l.says("empty reply from server", "recv failure", "connection timed out", "operation timed out", "failed to connect", "couldn't connect", "bad gateway"):
		l.find(guide.Warn, "no-answer")
	}
}

var channelFailed = guide.Regexp(`(?i)channel \d+: open failed|rejected: `)

// httpCode reads the answer of a GET that was pasted; 0 is none.
func (l *look) httpCode() int {
	code := 0
	for _, m := range l.each(httpStatus) {
		if n, ok := whole(m[1]); ok {
			code = n
		}
	}
	if code == 0 && strings.Contains(l.asked("curl", "wget"), "http_code") {
		for _, m := range l.each(httpBare) {
			if n, ok := whole(m[1]); ok && n >= 100 {
				code = n
			}
		}
	}
	return code
}
