package push

import (
	"net"
	"net/url"
	"path"
	"strings"
	"unicode"
)

// maxAddress bounds an address and a secret.
const maxAddress = 2000

// target is an address taken apart.
type target struct {
	send string // where the message goes
	host string // for people
	key  string
	// hide are what of the address must not be seen.
	hide []string
}

// parse reads an address of a form. The error is an *Error without the address.
func (f *Form) parse(address string) (target, error) {
	bad := func(r Reason, host string) (target, error) {
		return target{}, &Error{Form: f.ID, Reason: r, Host: host}
	}
	address = strings.TrimSpace(address)
	u, err := url.Parse(address)
	if err != nil || len(address) > maxAddress || u.Host == "" || u.Opaque != "" || u.User != nil || controls(address) {
		return bad(ReasonAddress, "")
	}
	if u.Scheme != "https" {
		if u.Scheme != "http" || !loopback(u.Hostname()) {
			return bad(ReasonPlain, u.Host)
		}
	}
	u.Fragment = ""
	t := target{host: u.Host}
	parts := strings.FieldsFunc(u.Path, func(r rune) bool { return r == '/' })
	root := *u
	root.RawQuery, root.RawPath = "", ""
	switch f.Address.Key.In {
	case KeyQuery:
		t.key = u.Query().Get(f.Address.Key.Name)
	case KeyEnd:
		if len(parts) > 0 {
			t.key = parts[len(parts)-1]
			root.Path = "/" + path.Join(parts[:len(parts)-1]...)
		}
	case KeyStart:
		if len(parts) > 0 {
			t.key, root.Path = parts[0], ""
		}
	}
	if f.Address.Key.In != KeyNone && t.key == "" {
		return bad(ReasonAddress, u.Host)
	}
	t.send = u.String()
	t.hide = []string{address, t.send, t.key}
	if f.Address.Key.In == KeyNone { // anything in it may be the key
		t.hide = append(t.hide, parts...)
		for _, values := range u.Query() {
			t.hide = append(t.hide, values...)
		}
	}
	if rest, ok := strings.CutPrefix(f.Address.Send, "{root}"); ok {
		t.send = strings.TrimSuffix(root.String(), "/") + rest
	}
	return t, nil
}

// secretLength is how long a text has to be to be taken for a secret: hiding
// shorter ones would hide words.
const secretLength = 6

// Host returns the server that an address names. The error is an *Error that
// says why the address can't be used.
func (f *Form) Host(address string) (string, error) {
	t, err := f.parse(address)
	return t.host, err
}

// Join puts a key into an address that has none, where the form has it; a form
// whose addresses hold no key returns the address.
func (f *Form) Join(address, key string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return address
	}
	switch f.Address.Key.In {
	case KeyQuery:
		q := u.Query()
		q.Set(f.Address.Key.Name, key)
		u.RawQuery = q.Encode()
	case KeyEnd, KeyStart:
		u = u.JoinPath(url.PathEscape(key))
	}
	return u.String()
}

// HasKey reports whether an address holds a key that must not be seen.
func (f *Form) HasKey(address string) bool {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return false
	}
	switch f.Address.Key.In {
	case KeyQuery:
		return u.Query().Get(f.Address.Key.Name) != ""
	case KeyEnd, KeyStart:
		shape, _, _ := strings.Cut(f.Address.Shape, "{key}")
		s, err := url.Parse(shape)
		return err == nil && len(strings.Trim(u.Path, "/")) > len(strings.Trim(s.Path, "/"))
	}
	return false
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func controls(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }
