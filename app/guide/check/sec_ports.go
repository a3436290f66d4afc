package check

import (
	"encoding/hex"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

func init() { judges[guide.SecPorts] = judgePorts }

// uiPorts are those at which painting programs and notebooks answer without a
// login of their own.
var uiPorts = []int{6006, 7860, 7861, 7862, 7865, 8188, 8189, 8888, 8889, 11434, 18188}

// UIPorts returns the ports at which painting programs and notebooks answer,
// most of them without a login, ascending.
func UIPorts() []int { return slices.Clone(uiPorts) }

// listener is a listening TCP port.
type listener struct {
	port   int
	public bool
	owner  string // "" where it isn't shown
	docker bool
	line   string
}

func judgePorts(l *look) {
	// In a container the platform's proxy decides what the outside reaches; these
	// give their containers public ports of their own.
	if l.in.Track == guide.Shared && !slices.Contains([]string{"vast", "runpod"}, guide.Known(l.ctx.Provider, "")) {
		l.portFacts(l.listeners())
		l.leave("proxied")
		return
	}
	l.hung()
	list, broken := l.listeners()
	l.portFacts(list, broken)
	if len(list) == 0 {
		switch {
		case l.missing("ss") || l.missing("netstat") || l.missing("lsof") || l.in.Exit == 127:
			l.find(guide.Warn, "no-tool")
		case l.says("password is required", "a terminal is required", "not in the sudoers"):
			l.find(guide.Warn, "no-sudo")
		}
		return
	}
	ssh := l.sshPort()
	isSSH := func(p listener) bool { return p.port == 22 || p.port == ssh || p.owner == "sshd" }
	ufw, _ := l.facts["ufw_active"].(bool)
	var ui, docker, unknown, other []int
	anySSH := false
	for _, p := range list {
		if !p.public {
			continue
		}
		l.use(p.line)
		switch {
		case isSSH(p):
			anySSH = true
		case slices.Contains(uiPorts, p.port):
			ui = append(ui, p.port)
		case p.docker && ufw:
			docker = append(docker, p.port)
		case p.owner == "":
			unknown = append(unknown, p.port)
		default:
			other = append(other, p.port)
		}
		if p.docker && ufw && slices.Contains(uiPorts, p.port) {
			docker = append(docker, p.port)
		}
	}
	for _, f := range []struct {
		v     guide.Verdict
		code  string
		ports []int
	}{{guide.Fail, "ui-public", ui}, {guide.Fail, "docker-past-ufw", docker}, {guide.Warn, "unknown-owner", unknown}, {guide.Warn, "other-port", other}} {
		if len(f.ports) > 0 {
			l.find(f.v, f.code, "ports", ports(f.ports), "port", sortedPorts(f.ports)[0])
		}
	}
	if broken {
		l.find(guide.Warn, "partial")
	}
	switch {
	case len(l.found) > 0:
	case !anySSH: // a machine one is logged in to listens for SSH
		l.find(guide.Warn, "no-ssh-seen")
	default:
		l.find(guide.Pass, "good")
	}
}

// ports writes a list of ports.
func ports(list []int) texts.List {
	var b texts.List
	for _, p := range sortedPorts(list) {
		b = append(b, strconv.Itoa(p))
	}
	return b
}

func sortedPorts(list []int) []int {
	s := slices.Clone(list)
	slices.Sort(s)
	return slices.Compact(s)
}

func (l *look) portFacts(list []listener, _ bool) {
	ssh := l.sshPort()
	public, loop, ui, docker, unknown := []int{}, []int{}, []int{}, []int{}, []int{}
	for _, p := range list {
		if !p.public {
			loop = append(loop, p.port)
			continue
		}
		public = append(public, p.port)
		if slices.Contains(uiPorts, p.port) {
			ui = append(ui, p.port)
		}
		if p.docker {
			docker = append(docker, p.port)
		}
		if p.owner == "" && p.port != 22 && p.port != ssh {
			unknown = append(unknown, p.port)
		}
	}
	for name, v := range map[string][]int{"public_ports": public, "loopback_ports": loop, "ui_public": ui, "docker_published": docker, "unknown_owner_ports": unknown} {
		l.set(name, sortedPorts(v))
	}
	if l.line(ufwActive) != nil {
		l.set("ufw_active", true)
	} else if l.line(ufwInactive) != nil {
		l.set("ufw_active", false)
	}
}

var (
	ufwActive   = guide.Regexp(`(?i)^\s*(?:status: active|状态[：:]\s*(?:激活|活动))\s*$`)
	ufwInactive = guide.Regexp(`(?i)^\s*(?:status: inactive|状态[：:]\s*(?:不活动|未激活|不活跃))\s*$`)
	sshConn     = guide.Regexp(`^(?:SSH_CONNECTION=)?"?[0-9a-fA-F.:]+ \d+ [0-9a-fA-F.:]+ (\d+)"?\s*$`)
)

// sshPort is the port of the connection, where the output shows it, else 0.
func (l *look) sshPort() int {
	for _, s := range l.lines {
		if m := sshConn.FindStringSubmatch(strings.TrimSpace(s)); m != nil {
			p, _ := whole(m[1])
			return p
		}
	}
	return 0
}

var (
	ssUsers     = guide.Regexp(`users:\(\("([^"]+)"`)
	netOwner    = guide.Regexp(`^(\d+)/(.+?)\s*$`)
	dockerArrow = guide.Regexp(`(\[?[0-9a-fA-F.:]*\]?):(\d+)(?:-\d+)?->\d+(?:-\d+)?/tcp`)
	procRow     = guide.Regexp(`^\s*\d+: ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) [0-9A-F]+:0000 0A(?: +\S+){6}`)
	procStart   = guide.Regexp(`^\s*\d+: [0-9A-F]*(?::[0-9A-F]*)?(?:\s|$)`)
)

// listeners reads the listening TCP ports of ss, netstat, lsof, docker ps and
// /proc/net/tcp. broken says that a row of theirs was cut or unreadable.
func (l *look) listeners() (list []listener, broken bool) {
	for _, s := range l.lines {
		f := strings.Fields(s)
		if len(f) == 0 {
			continue
		}
		switch low := strings.ToLower(f[0]); {
		case procRow.MatchString(s):
			m := procRow.FindStringSubmatch(s)
			port, err := strconv.ParseUint(m[2], 16, 16)
			if err == nil {
				list = append(list, listener{port: int(port), public: !procLoopback(m[1]), line: s})
			}
		case strings.Contains(s, "->") && dockerArrow.MatchString(s):
			for _, m := range dockerArrow.FindAllStringSubmatch(s, 32) {
				if p, ok := portOf(m[2]); ok {
					list = append(list, listener{port: p, public: !loopback(m[1]), owner: "docker-proxy", docker: true, line: s})
				}
			}
		case f[len(f)-1] == "(LISTEN)" && len(f) >= 9: // lsof
			if p, ok := endpoint(f[len(f)-2]); ok {
				p.owner, p.line = f[0], s
				p.docker = strings.HasPrefix(p.owner, "docker-pr")
				list = append(list, p)
			} else {
				broken = true
			}
		case low == "listen", low == "tcp" && len(f) > 1 && strings.EqualFold(f[1], "listen"), strings.HasPrefix(low, "tcp") && slices.Contains(f, "LISTEN"):
			p, ok := socketRow(f)
			if !ok {
				broken = true
				continue
			}
			p.line = s
			list = append(list, p)
		case procStart.MatchString(s) && len(f) < 10, cutOff(f), anyAddress.MatchString(s) && !strings.HasPrefix(low, "udp"):
			broken = true
		}
	}
	return list, broken
}

// anyAddress is a port open to all in a line that was not read as a row.
var anyAddress = guide.Regexp(`(?:^|\s)(?:0\.0\.0\.0|\[::\]|::|\*):(?:\d|$)`)

// cutOff reports whether a row of a list of listeners ends before it says so.
func cutOff(f []string) bool {
	last := strings.ToUpper(f[len(f)-1])
	part := func(whole string) bool { return last != whole && strings.HasPrefix(whole, last) }
	switch {
	case len(f) == 1:
		return part("LISTEN") || strings.HasPrefix("TCP6", last)
	case strings.HasPrefix(strings.ToLower(f[0]), "tcp"):
		return len(f) < 6 || part("LISTEN")
	}
	return part("(LISTEN)")
}

// socketRow reads a row of ss or netstat: local address, then the peer's.
func socketRow(f []string) (p listener, ok bool) {
	netstat := strings.HasPrefix(strings.ToLower(f[0]), "tcp") && !strings.EqualFold(f[1], "listen")
	at := 3 // LISTEN recv send local peer; tcp recv send local peer LISTEN owner
	if strings.EqualFold(f[0], "tcp") && strings.EqualFold(f[1], "listen") {
		at = 4
	}
	if len(f) < at+2 || !strings.HasSuffix(f[at+1], ":*") { // nobody is at the other end
		return p, false
	}
	if p, ok = endpoint(f[at]); !ok {
		return p, false
	}
	rest := strings.Join(f[at+2:], " ")
	if o, _, shown := strings.Cut(rest, "))"); !netstat && !shown && o != "" && (strings.HasPrefix("users:((", o) || strings.HasPrefix(o, "users:((")) {
		return p, false
	}
	if m := ssUsers.FindStringSubmatch(rest); m != nil {
		p.owner = m[1]
	}
	if netstat {
		_, owner, _ := strings.Cut(rest, " ")
		if i := strings.LastIndex(rest, "LISTEN"); i >= 0 {
			owner = strings.TrimSpace(rest[i+len("LISTEN"):])
		}
		if words := strings.Fields(owner); len(words) == 1 && strings.Trim(words[0], "0123456789") == "" {
			return p, false // cut inside the owner
		}
		for _, w := range strings.Fields(owner) { // with -e a user and an inode stand before it
			if m := netOwner.FindStringSubmatch(w); m != nil {
				p.owner = strings.TrimSuffix(m[2], ":")
			}
		}
	}
	p.docker = strings.HasPrefix(p.owner, "docker-pr") // netstat cuts names
	return p, true
}

// endpoint reads "address:port"; a port may be a name of /etc/services.
func endpoint(s string) (p listener, ok bool) {
	at := strings.LastIndexByte(s, ':')
	if at < 0 {
		return p, false
	}
	if p.port, ok = portOf(s[at+1:]); !ok {
		return p, false
	}
	p.public = !loopback(s[:at])
	return p, true
}

// services are names that tools print where -n was left out.
var services = map[string]int{
	"ssh": 22, "smtp": 25, "domain": 53, "http": 80, "sunrpc": 111, "https": 443, "ipp": 631, "socks": 1080, "mysql": 3306, "rdp": 3389, "ms-wbt-server": 3389,
	"commplex-main": 5000, "postgresql": 5432, "postgres": 5432, "x11-6": 6006, "x11": 6000, "redis": 6379, "irdmi": 8000, "http-alt": 8080, "webcache": 8080, "https-alt": 8443,
	"ddi-tcp-1": 8888, "sun-answerbook": 8888, "ddi-tcp-2": 8889, "websm": 9090, "ftp": 21, "telnet": 23, "pop3": 110, "imap2": 143, "imap": 143, "epmd": 4369,
}

func portOf(s string) (int, bool) {
	if p, ok := services[strings.ToLower(s)]; ok {
		return p, true
	}
	p, ok := whole(s)
	return p, ok && p > 0 && p < 1<<16
}

// loopback reports whether an address can be reached from the machine alone.
// Everything that isn't plainly so counts as public.
func loopback(s string) bool {
	s = strings.Trim(s, "[]")
	host, zone, _ := strings.Cut(s, "%")
	host = strings.Trim(host, "[]")
	if zone = strings.Trim(zone, "]"); zone == "lo" || strings.EqualFold(host, "localhost") || strings.EqualFold(host, "localhost6") || strings.HasPrefix(strings.ToLower(host), "localhost.") || strings.EqualFold(host, "ip6-localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// procLoopback reads the address of /proc/net/tcp: words of four bytes, each in
// the machine's order.
func procLoopback(s string) bool {
	b, err := hex.DecodeString(s)
	if err != nil {
		return false
	}
	for i := 0; i+4 <= len(b); i += 4 {
		slices.Reverse(b[i : i+4])
	}
	a, ok := netip.AddrFromSlice(b)
	return ok && a.Unmap().IsLoopback()
}
