package check

import (
	"strings"

	"rentgen/app/guide"
)

func init() { judges[guide.NetHF] = judgeHF }

var (
	hfPool     = guide.Regexp(`host=\\?'([^'\\]+)`)
	hfResolve  = guide.Regexp(`(?i)(?:failed to resolve|could not resolve host:?|failed to connect to|resolving timed out:|connection to) '?([\w.-]+\.[\w-]+)`)
	hfURL      = guide.Regexp(`(?i)(?:for url:?|requesting (?:get|head|post)|downloading from|http request: \w+|connect to|connecting to|location:|reach|--\s+)\s*['"(]*https?://([^\s/'":)]+)`)
	hfWget     = guide.Regexp(`^(?:--\d{4}-\d\d-\d\d [\d:]+--\s+https?://|Resolving )([\w.-]+\.[\w-]+)`)
	hfAnyURL   = guide.Regexp(`https?://([^\s/'":)]+)`)
	hfEndpoint = guide.Regexp(`HF_ENDPOINT["']?\]?\s*[=:]\s*["']?(\S+?)["']?(?:[\s;&]|$)`)
	hfStatus   = guide.Regexp(`^(?:<\s*)?HTTP/[\d.]+ (\d{3})|HTTP Request: \w+ \S+ "HTTP/[\d.]+ (\d{3})|\b(\d{3}) (?:Client|Server) Error`)
	hfDone     = guide.Regexp(`/snapshots/[0-9a-f]{8,40}|\b100%\||(?i:download complete)`)
)

// Messages of huggingface_hub, transformers, requests, httpx and the shell's tools.
var (
	hfOffline = []string{"offline mode is enabled", "offlinemodeisenabled", "outgoing traffic has been disabled", "hf_hub_offline=1", "transformers_offline=1", "hf_hub_offline=true"}
	hfDNS     = []string{
		"failed to resolve", "name resolution", "name or service not known", "getaddrinfo failed", "could not resolve host", "nodename nor servname", "no address associated",
		"nameresolutionerror", "域名解析", "未知的名称或服务", "unable to resolve host",
	}
	hfRefused = []string{"connection refused", "errno 111", "拒绝连接"}
	hfConnect = []string{"connection timed out", "connecttimeout", "connect timeout=", "errno 110", "connection to * timed out", "连接超时", "winerror 10060"}
	hfNoRoute = []string{"network is unreachable", "no route to host", "errno 101", "errno 113", "网络不可达"}
	hfTLS     = []string{"sslerror", "certificate_verify_failed", "ssleoferror", "sslcertverificationerror", "ssl_connect", "unexpected_eof_while_reading"}
	hfProxy   = []string{"proxyerror", "cannot connect to proxy", "tunnel connection failed"}
	hfReset   = []string{"connection reset by peer", "connection aborted", "remotedisconnected", "remoteprotocolerror", "server disconnected", "connectionreseterror"}
	hfMeta    = []string{"filemetadataerror", "distant resource does not"}
	hfNoFile  = []string{"an error happened while trying to locate the file", "we couldn't connect to", "cannot find the requested files in the disk cache", "check your connection", "maxretryerror", "connecterror", "newconnectionerror"}
	hfScheme  = []string{"missing an 'http://' or 'https://' protocol", "missingschema", "no scheme supplied", "unsupportedprotocol"}
	hfRead    = []string{"read timed out", "readtimeout", "read operation timed out", "read timeout=", "incompleteread", "chunkedencodingerror"}
	hfResumes = []string{"trying to resume", "resuming download", "resume download", "resuming from", "retrying in", "resuming transfer"}
	hfGated   = []string{"gatedrepoerror", "gated repo", "401 client error", "403 client error", "access to model", "invalid username or password", "must be authenticated"}
)

func judgeHF(l *look) {
	if l.says(hfOffline...) || hfOfflineCommand(l.command) {
		l.leave("offline")
		return
	}
	l.hung()
	c := l.curl()
	mirror := l.hfMirror()
	host := l.hfHost(mirror)
	ignored := mirror != "" && original(host)
	if host != "" {
		l.set("host", host)
	}
	if mirror != "" || l.ctx.HFEndpoint != nil || host != "" && !original(host) {
		l.set("mirror_ignored", ignored)
	}
	resuming := l.says(hfResumes...)
	reads := l.says(hfRead...)
	if len(l.lines) > 0 {
		l.set("resuming", resuming)
	}
	done := l.in.Exit == 0 && c.rc == 0 && l.hfDone(c)
	if ignored {
		l.find(guide.Fail, "mirror-ignored", "host", host, "mirror", mirror)
	}
	before := len(l.found)
	l.hfFailed(c, host, done, resuming)
	if ignored { // why the wrong host failed is no news, and its remedy the wrong one
		l.found = l.found[:before]
	}
	if reads && !done || resuming {
		if _, other := l.facts["error"]; reads && !other {
			l.set("error", "read_timeout")
		}
		l.find(guide.Warn, "stalls", "host", named(host))
	}
	if len(l.found) > 0 {
		return
	}
	status := l.hfLastStatus(c)
	switch {
	case status >= 300 && status < 400:
		l.find(guide.Warn, "redirect")
	case status == 401 || status == 403 || l.says(hfGated...):
		l.find(guide.Warn, "gated")
	case status >= 400:
		l.find(guide.Warn, "http-error", "code", status)
	case done && mirror != "" && host == "":
		l.find(guide.Warn, "host-unseen", "mirror", mirror)
	case done:
		l.find(guide.Pass, "good", "host", named(host))
	case l.in.Exit == 127 || c.rc == 127 || l.missing("curl") || l.missing("hf") || l.missing("huggingface-cli"):
		l.find(guide.Warn, "no-tool")
	}
}

// named is a host for a sentence.
func named(host string) string {
	if host == "" {
		return "Hugging Face"
	}
	return host
}

// hfFailed judges what kept the endpoint from being reached; where the client got
// through in the end that is a warning.
func (l *look) hfFailed(c curled, host string, done, resuming bool) {
	verdict := guide.Fail
	if done {
		verdict = guide.Warn
	}
	name := named(host)
	switch {
	case l.says(hfMeta...):
		l.set("error", "file_metadata")
		l.find(verdict, "metadata")
	case l.says(hfScheme...):
		l.find(verdict, "no-scheme")
	case l.says(hfDNS...) || c.rc == 6:
		l.find(verdict, "dns", "host", name)
	case l.says(hfProxy...) || c.rc == 5 || c.rc == 97:
		l.find(verdict, "proxy", "host", name)
	case l.says(hfRefused...) || c.rc == 7:
		l.find(verdict, "refused", "host", name)
	case l.says(hfNoRoute...):
		l.find(verdict, "no-route", "host", name)
	case l.says(hfConnect...) || c.rc == 28 && c.zero && !l.says("operation timed out"):
		l.set("error", "connect_timeout")
		l.find(verdict, "connect-timeout", "host", name)
	case l.says(hfTLS...) || c.rc == 35 || c.rc == 60 || c.rc == 51:
		l.find(verdict, "tls", "host", name)
	case c.rc == 28 && (c.zero || c.got == nil):
		l.set("error", "read_timeout")
		l.find(verdict, "silent", "host", name)
	case c.rc == 28:
		l.set("error", "read_timeout")
		l.find(guide.Warn, "stalls", "host", name)
	case l.says(hfReset...) || c.rc == 56 || c.rc == 52 || c.rc == 18:
		if resuming || c.got != nil && !c.zero {
			l.find(guide.Warn, "stalls", "host", name)
			return
		}
		l.find(verdict, "reset", "host", name)
	case l.says(hfRead...): // the stall is told by the caller
	case l.says(hfNoFile...):
		l.find(verdict, "unreachable", "host", name)
	}
}

// hfMirror is the host of the endpoint that is set in place of the original, ""
// for none.
func (l *look) hfMirror() string {
	set := guide.Known(l.ctx.HFEndpoint, "")
	if set == "" {
		for _, text := range []string{l.all(), l.command} {
			if m := hfEndpoint.FindStringSubmatch(text); m != nil {
				set = m[1]
				break
			}
		}
	}
	host := strings.ToLower(strings.TrimSpace(set))
	if _, after, ok := strings.Cut(host, "://"); ok {
		host = after
	}
	host, _, _ = strings.Cut(host, "/")
	host, _, _ = strings.Cut(host, ":")
	if host == "" || original(host) || strings.ContainsAny(host, "$<>{}\"'") {
		return ""
	}
	return host
}

// original reports whether a host is Hugging Face itself; its stores of large
// files (cdn-lfs, xethub) are not, since mirrors lead there too.
func original(host string) bool {
	return host == "huggingface.co" || host == "www.huggingface.co" || host == "hf.co"
}

// hfHost is the host that was contacted: the original where the client went there
// past a mirror, else the last that a message names, else that of the command.
func (l *look) hfHost(mirror string) string {
	var named []string
	for _, s := range l.lines {
		for _, re := range []*guide.Pattern{hfURL, hfWget, hfResolve, hfPool} {
			for _, m := range re.FindAllStringSubmatch(s, 8) {
				l.use(s)
				named = append(named, strings.ToLower(strings.TrimSuffix(m[1], ".")))
			}
		}
	}
	for _, h := range named {
		if mirror != "" && original(h) {
			return h
		}
	}
	if len(named) > 0 {
		return named[len(named)-1]
	}
	if strings.Contains(l.command, "curl") || strings.Contains(l.command, "wget") {
		command := hfEndpoint.ReplaceAllString(l.command, " ")
		if m := hfAnyURL.FindStringSubmatch(command); m != nil {
			return strings.ToLower(m[1])
		}
	}
	return ""
}

var hfOfflineSet = guide.Regexp(`(?i)\b(?:HF_HUB_OFFLINE|TRANSFORMERS_OFFLINE)=(?:1|true|yes|on)\b`)

func hfOfflineCommand(command string) bool { return hfOfflineSet.MatchString(command) }

// hfDone reports whether the output shows that something came.
func (l *look) hfDone(c curled) bool {
	status := l.hfLastStatus(c)
	if status != 0 {
		return status >= 200 && status < 300
	}
	return !l.says("traceback (most recent call last)") && l.line(hfDone) != nil
}

// hfLastStatus is the last HTTP status shown, 0 where there is none.
func (l *look) hfLastStatus(c curled) int {
	if n := len(c.rows); n > 0 && c.rows[n-1].code != nil {
		return int(*c.rows[n-1].code)
	}
	last := 0
	for _, m := range l.each(hfStatus) {
		for _, s := range m[1:] {
			if v, ok := whole(s); ok {
				last = v
			}
		}
	}
	return last
}
