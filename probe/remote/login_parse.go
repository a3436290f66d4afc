package remote

import (
	"regexp"
	"strconv"
	"strings"
)

// ParseLogin reads what a provider shows to log in with: an ssh command line
// (Windows' too), user@host:port, ssh://user@host:port, a bare name, or a
// block of labelled lines, with the password pasted along or not.
//
// Nothing in the text is run. Options that would weaken the check of the
// host's identity are ignored and named in Notices, as are a remote command
// and agent forwarding. The error is an *InputError.
func ParseLogin(line string) (Login, error) {
	if len(line) > maxLine {
		return Login{}, &InputError{Field: "line", Value: Clean(line[:80]), Allowed: "16 KiB"}
	}
	var in pasted
	in.read(plain(line))
	p := &loginParser{password: in.password}
	command := in.command
	if command == nil && in.host != "" {
		command = []string{in.host}
	}
	if command == nil {
		return Login{}, &InputError{Field: "line", Value: Clean(line), Allowed: "ssh -p PORT USER@HOST"}
	}
	if err := p.parse(command); err != nil {
		return Login{}, err
	}
	if err := p.labelled(in); err != nil {
		return Login{}, err
	}
	return p.finish()
}

// loginParser goes through the words of a command line.
type loginParser struct {
	l        Login
	dest     string
	password string
	port     string
	command  []string
	named    bool // the line began with ssh
}

var reOtherProgram = regexp.MustCompile(`(?i)^(?:scp|sftp|rsync|mosh|telnet|curl|wget|docker|kubectl|git|ping)(?:\.exe)?$|^(?:https?|ftp|file|vnc|rdp)://`)

// Options of ssh with and without an argument.
const (
	sshFlags    = "46AaCfGgKkMNnqsTtVvXxYy"
	sshWithArgs = "BbcDEeFIiJLlmOoPpQRSWw"
)

func (p *loginParser) parse(ws []string) error {
	ws, err := p.prefix(ws)
	if err != nil {
		return err
	}
	onlyWords := false
	for i := 0; i < len(ws); i++ {
		w := ws[i]
		switch {
		case p.dest != "" && rePasswordWord.MatchString(w):
			secret := rePasswordWord.FindStringSubmatch(w)[1]
			if secret == "" && i+1 < len(ws) {
				i++
				secret = ws[i]
			}
			if p.password == "" {
				p.password = secret
			}
		case len(p.command) > 0:
			p.command = append(p.command, w)
		case w == "--" && !onlyWords:
			onlyWords = true
		case strings.HasPrefix(w, "-") && w != "-" && !onlyWords:
			used, err := p.flags(w[1:], ws[i+1:])
			if err != nil {
				return err
			}
			i += used
		case p.dest == "":
			p.dest = w
			if err := p.destination(w); err != nil {
				return err
			}
		case !p.named && p.port == "" && isPort(w) && i == len(ws)-1:
			p.port = w
		default:
			p.command = append(p.command, w)
		}
	}
	return nil
}

// prefix takes ssh and sshpass from the front.
func (p *loginParser) prefix(ws []string) ([]string, error) {
	for len(ws) > 0 {
		w := ws[0]
		if strings.HasPrefix(w, "ssh://") {
			return ws, nil
		}
		base := strings.ToLower(w[strings.LastIndexAny(w, `/\`)+1:])
		switch {
		case base == "ssh" || base == "ssh.exe":
			p.named = true
			return ws[1:], nil
		case strings.HasPrefix(w, "SSHPASS="):
			p.take(strings.TrimPrefix(w, "SSHPASS="))
			ws = ws[1:]
		case base == "sshpass":
			ws = p.sshpass(ws[1:])
		case reOtherProgram.MatchString(w):
			return nil, &InputError{Field: "line", Value: Clean(w), Allowed: "ssh -p PORT USER@HOST"}
		default:
			return ws, nil
		}
	}
	return ws, nil
}

func (p *loginParser) sshpass(ws []string) []string {
	for len(ws) > 0 && strings.HasPrefix(ws[0], "-") {
		w := ws[0]
		ws = ws[1:]
		switch {
		case w == "-p" && len(ws) > 0:
			p.take(ws[0])
			ws = ws[1:]
		case strings.HasPrefix(w, "-p"):
			p.take(w[2:])
		case (w == "-f" || w == "-d" || w == "-P") && len(ws) > 0:
			p.notice("option-ignored", "option", "sshpass "+w)
			ws = ws[1:]
		}
	}
	return ws
}

func (p *loginParser) take(secret string) {
	if p.password == "" {
		p.password = secret
	}
}

// flags reads one word of options; it returns how many further words it used.
func (p *loginParser) flags(w string, rest []string) (int, error) {
	for i := 0; i < len(w); i++ {
		c := w[i]
		switch {
		case strings.IndexByte(sshWithArgs, c) >= 0:
			if i+1 < len(w) {
				return 0, p.option(c, w[i+1:])
			}
			if len(rest) == 0 {
				return 0, &InputError{Field: "option", Value: "-" + string(c), Allowed: "-" + string(c) + " VALUE"}
			}
			return 1, p.option(c, rest[0])
		case strings.IndexByte(sshFlags, c) >= 0:
			p.flag(c)
		default:
			return 0, &InputError{Field: "option", Value: Clean("-" + w), Allowed: "-p -l -i -J -o -L"}
		}
	}
	return 0, nil
}

func (p *loginParser) flag(c byte) {
	switch c {
	case '4':
		p.keep("AddressFamily", "inet")
	case '6':
		p.keep("AddressFamily", "inet6")
	case 'A':
		p.notice("agent-forwarding", "option", "-A")
	case 'X', 'Y', 'M', 'G', 's':
		p.notice("option-ignored", "option", "-"+string(c))
	}
}

func (p *loginParser) option(c byte, value string) error {
	switch c {
	case 'p':
		if !isPort(value) {
			return &InputError{Field: "port", Value: Clean(value), Allowed: "1-65535"}
		}
		if p.port == "" {
			p.port = value
		}
	case 'l':
		return p.user(value)
	case 'i':
		return p.set("IdentityFile", value)
	case 'J':
		return p.set("ProxyJump", value)
	case 'c':
		p.keep("Ciphers", value)
	case 'm':
		p.keep("MACs", value)
	case 'L':
		return p.set("LocalForward", value)
	case 'o':
		name, v, ok := cutOption(value)
		if !ok {
			return &InputError{Field: "option", Value: Clean(value), Allowed: "-o NAME=VALUE"}
		}
		return p.set(name, v)
	default:
		p.notice("option-ignored", "option", "-"+string(c)+" "+Clean(value))
	}
	return nil
}

// cutOption splits "Name=value" and "Name value".
func cutOption(s string) (name, value string, ok bool) {
	s = strings.TrimSpace(s)
	i := strings.IndexAny(s, "= ")
	if i <= 0 {
		return "", "", false
	}
	value = strings.TrimSpace(s[i:])
	value = strings.TrimSpace(strings.TrimPrefix(value, "="))
	return s[:i], value, value != ""
}

func (p *loginParser) user(u string) error {
	if err := checkUser(u); err != nil {
		return err
	}
	if p.l.User == "" {
		p.l.User = u
	}
	return nil
}

func (p *loginParser) destination(w string) error {
	d, secret, err := parseDestination(w, "host")
	if err != nil {
		return err
	}
	p.take(secret)
	p.l.Host = d.Host
	if p.l.User == "" {
		p.l.User = d.User
	}
	if p.port == "" && d.Port != 0 {
		p.port = strconv.Itoa(d.Port)
	}
	return nil
}

// labelled fills what the command left open from labelled lines.
func (p *loginParser) labelled(in pasted) error {
	if in.port != "" && p.port == "" {
		if !isPort(in.port) {
			return &InputError{Field: "port", Value: Clean(in.port), Allowed: "1-65535"}
		}
		p.port = in.port
	}
	if in.user != "" && p.l.User == "" {
		if err := p.user(in.user); err != nil {
			return err
		}
	}
	if len(in.rest) > 0 {
		p.notice("text-ignored", "text", Clean(in.rest[0]))
	}
	return nil
}

func (p *loginParser) finish() (Login, error) {
	if p.dest == "" {
		return Login{}, &InputError{Field: "host", Allowed: "ssh -p PORT USER@HOST"}
	}
	if p.port != "" {
		p.l.Port, _ = strconv.Atoi(p.port)
	}
	if len(p.command) > 0 {
		p.l.Command = strings.Join(p.command, " ")
		p.notice("command-ignored", "command", Clean(p.l.Command))
	}
	if p.l.ProxyCommand != "" {
		p.notice("proxy-command", "command", Clean(p.l.ProxyCommand))
	}
	if TerminalOnly(p.l.Host) {
		p.notice("terminal-only", "host", p.l.Host)
	}
	p.l.Password = p.password
	return p.l, nil
}

func (p *loginParser) notice(code string, pairs ...string) {
	n := Notice{Code: code, Args: make(map[string]string)}
	for i := 0; i+1 < len(pairs); i += 2 {
		n.Args[pairs[i]] = pairs[i+1]
	}
	p.l.Notices = append(p.l.Notices, n)
}

func (p *loginParser) keep(name, value string) {
	if p.l.Options == nil {
		p.l.Options = make(map[string]string)
	}
	if _, ok := p.l.Options[name]; !ok { // the first one counts, as in ssh
		p.l.Options[name] = value
	}
}

// TerminalOnly reports whether a host name is known to give a terminal and run
// no command.
func TerminalOnly(host string) bool {
	return strings.EqualFold(strings.TrimSuffix(host, "."), "ssh.runpod.io")
}
