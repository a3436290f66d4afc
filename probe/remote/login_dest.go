package remote

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// maxJumps bounds a chain of jump hosts.
const maxJumps = 8

func isPort(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 1 && n <= 65535 && s[0] != '+'
}

// parseDestination reads [user@]host[:port] or ssh://[user[:password]@]host[:port].
func parseDestination(s, field string) (Login, string, error) {
	bad := func(f, v, allowed string) (Login, string, error) {
		return Login{}, "", &InputError{Field: f, Value: Clean(v), Allowed: allowed}
	}
	secret := ""
	isURL := len(s) > 6 && strings.EqualFold(s[:6], "ssh://")
	if isURL {
		s, _, _ = strings.Cut(s[6:], "/")
	} else if strings.Contains(s, "://") {
		return bad(field, s, "HOST")
	}
	var l Login
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		l.User, s = s[:i], s[i+1:]
		if isURL {
			l.User, _, _ = strings.Cut(l.User, ";") // connection parameters of the draft
			l.User, secret, _ = strings.Cut(l.User, ":")
			if u, err := url.PathUnescape(l.User); err == nil {
				l.User = u
			}
			if u, err := url.PathUnescape(secret); err == nil {
				secret = u
			}
		}
		if err := checkUser(l.User); err != nil {
			return Login{}, "", err
		}
	}
	host, port := s, ""
	switch {
	case strings.HasPrefix(s, "["):
		end := strings.IndexByte(s, ']')
		if end < 0 {
			return bad(field, s, "[IPV6]:PORT")
		}
		host, port = s[1:end], s[end+1:]
		if port != "" {
			if port[0] != ':' {
				return bad(field, s, "[IPV6]:PORT")
			}
			port = port[1:]
			if port == "" {
				return bad("port", s, "1-65535")
			}
		}
	case strings.Count(s, ":") == 1:
		host, port, _ = strings.Cut(s, ":")
		if port == "" {
			return bad("port", s, "1-65535")
		}
	}
	if !checkHost(host) {
		return bad(field, host, "HOST")
	}
	if port != "" {
		if !isPort(port) {
			return bad("port", port, "1-65535")
		}
		l.Port, _ = strconv.Atoi(port)
	}
	l.Host = host
	return l, secret, nil
}

// checkHost accepts names, addresses and aliases. What it lets through is safe
// in a ProxyCommand and on a command line.
func checkHost(h string) bool {
	if h == "" || len(h) > 255 || h[0] == '-' || h[0] == '.' {
		return false
	}
	if strings.Contains(h, ":") {
		addr, zone, _ := strings.Cut(h, "%")
		_, err := netip.ParseAddr(addr)
		return err == nil && !strings.ContainsFunc(zone, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r)
		})
	}
	return !strings.ContainsFunc(h, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune(".-_+", r)
	})
}

func checkUser(u string) error {
	bad := u == "" || len(u) > 255 || u[0] == '-' || strings.HasSuffix(u, `\`) ||
		strings.ContainsFunc(u, func(r rune) bool {
			return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("'`\";&<>|(){}$*?!", r)
		})
	if bad {
		return &InputError{Field: "user", Value: Clean(u), Allowed: "USER"}
	}
	return nil
}

// parseJumps reads the list of -J; "none" is no jump.
func parseJumps(s string) ([]Login, error) {
	if strings.EqualFold(strings.TrimSpace(s), "none") {
		return nil, nil
	}
	var jumps []Login
	for part := range strings.SplitSeq(s, ",") {
		j, _, err := parseDestination(strings.TrimSpace(part), "jump")
		if err != nil {
			return nil, err
		}
		jumps = append(jumps, j)
	}
	if len(jumps) > maxJumps {
		return nil, &InputError{Field: "jump", Value: Clean(s), Allowed: strconv.Itoa(maxJumps)}
	}
	return jumps, nil
}

// parseForward reads [bind:]port:host:hostport; false for anything else, for
// example sockets.
func parseForward(s string) (ForwardSpec, bool) {
	var parts []string
	for rest := strings.TrimSpace(s); ; {
		var part string
		if strings.HasPrefix(rest, "[") {
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return ForwardSpec{}, false
			}
			part, rest = rest[1:end], rest[end+1:]
			if rest != "" && rest[0] != ':' {
				return ForwardSpec{}, false
			}
			parts = append(parts, part)
			if rest == "" {
				break
			}
			rest = rest[1:]
			continue
		}
		var more bool
		part, rest, more = strings.Cut(rest, ":")
		parts = append(parts, part)
		if !more {
			break
		}
	}
	if len(parts) == 3 {
		parts = append([]string{""}, parts...)
	}
	if len(parts) != 4 || !isPort(parts[1]) || !isPort(parts[3]) || !checkHost(parts[2]) {
		return ForwardSpec{}, false
	}
	if b := parts[0]; b != "" && b != "*" && !checkHost(b) {
		return ForwardSpec{}, false
	}
	f := ForwardSpec{Bind: parts[0], Host: parts[2]}
	f.Port, _ = strconv.Atoi(parts[1])
	f.To, _ = strconv.Atoi(parts[3])
	return f, true
}

func (f ForwardSpec) String() string {
	s := strconv.Itoa(f.Port) + ":" + bracket(f.Host) + ":" + strconv.Itoa(f.To)
	if f.Bind != "" {
		s = bracket(f.Bind) + ":" + s
	}
	return s
}

func bracket(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}
