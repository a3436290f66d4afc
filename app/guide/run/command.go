package run

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"rentgen/app/guide"
)

// Values are the settings of a run that commands are filled with, by name: see
// the Value constants. A value that isn't there or is "" is not known.
type Values map[string]string

// The names of values.
const (
	ValueDir        = "dir"         // the directory that shall persist, absolute
	ValueURL        = "url"         // a large file where models or pictures come from
	ValueHost       = "host"        // name or address that is pinged
	ValuePeer       = "peer"        // name or address where "iperf3 -s" runs
	ValueSSHPort    = "ssh_port"    // of the login
	ValueUIPort     = "ui_port"     // of the user interface on the instance; 8188 where not known
	ValueUIDir      = "ui_dir"      // where ComfyUI or A1111 lies, absolute
	ValueHFEndpoint = "hf_endpoint" // a mirror of Hugging Face
	ValuePython     = "python"      // the Python to ask, a name or an absolute path
	ValueDriver     = "driver"      // version of the driver, chooses the picture of docker.gpu
	ValueSudo       = "sudo"        // "yes": the user allowed sudo
)

// NeedError says that a command can't be made without a value.
type NeedError struct {
	Check guide.CheckID
	Name  string
}

// Error returns an English sentence for logs.
func (e *NeedError) Error() string { return fmt.Sprintf("%s needs a value for %s", e.Check, e.Name) }

// ValueError says that a value may not be used.
type ValueError struct{ Name, Value string }

// Error returns an English sentence for logs.
func (e *ValueError) Error() string { return fmt.Sprintf("%q can't be used for %s", e.Value, e.Name) }

// CheckValue returns a value as commands hold it, or a *ValueError. "" is fine for
// every name that is known: it is not set.
func CheckValue(name, value string) (string, error) {
	value = strings.TrimSpace(value)
	bad := &ValueError{Name: name, Value: value}
	if len(value) > 1024 || !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) {
		return "", bad
	}
	rule, ok := rules[name]
	if !ok {
		return "", bad
	}
	if value == "" {
		return "", nil
	}
	value, ok = rule(value)
	if !ok {
		return "", bad
	}
	return value, nil
}

// maxCommand is the most bytes of a command that the user wrote.
const maxCommand = 1 << 14

// CheckCommand returns a command that the user wrote as it is run: lines end with
// "\n" alone. The error is a *ValueError.
func CheckCommand(text string) (string, error) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if len(text) > maxCommand || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", &ValueError{Name: "command", Value: text[:min(len(text), 80)]}
	}
	return text, nil
}

var rules = map[string]func(string) (string, bool){
	ValueDir: absolute, ValueUIDir: absolute,
	ValueHost: hostName, ValuePeer: hostName,
	ValueSSHPort: portNumber, ValueUIPort: portNumber,
	ValueURL: webAddress, ValueHFEndpoint: func(s string) (string, bool) { return webAddress(strings.TrimRight(s, "/")) },
	ValuePython: func(s string) (string, bool) {
		if strings.Contains(s, "/") {
			return absolute(s)
		}
		return s, pythonName.MatchString(s)
	},
	ValueDriver: func(s string) (string, bool) { return s, driverVersion.MatchString(s) },
	ValueSudo:   func(s string) (string, bool) { return s, s == "yes" || s == "no" },
}

var (
	pythonName    = guide.Regexp(`^python[0-9.]*$`)
	driverVersion = guide.Regexp(`^[0-9]{3,4}(\.[0-9]{1,4}){0,3}$`)
	nameOfHost    = guide.Regexp(`^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$`)
)

// absolute is a path from the root, without "..": it names one place.
func absolute(s string) (string, bool) {
	if !path.IsAbs(s) || slices.Contains(strings.Split(s, "/"), "..") {
		return "", false
	}
	return path.Clean(s), true
}

func hostName(s string) (string, bool) {
	if a, err := netip.ParseAddr(s); err == nil {
		return s, a.Zone() == ""
	}
	return s, len(s) <= 253 && nameOfHost.MatchString(s)
}

func portNumber(s string) (string, bool) {
	n, err := strconv.ParseUint(s, 10, 16)
	return s, err == nil && n > 0
}

func webAddress(s string) (string, bool) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return "", false
	}
	_, ok := hostName(u.Hostname())
	return u.String(), ok
}

// quote makes one word of POSIX shell of a value.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// word quotes a value where the shell would read more than a word in it.
func word(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:", r)
	}) {
		return s
	}
	return quote(s)
}

// clean checks every value that is set.
func (v Values) clean() (Values, error) {
	out := make(Values, len(v))
	for name, s := range v {
		c, err := CheckValue(name, s)
		if err != nil {
			return nil, err
		}
		if c != "" {
			out[name] = c
		}
	}
	return out, nil
}

// CommandOf returns the text of a check's command: what is shown, what is run and
// what is copied. The error is a *NeedError where a value is missing, a
// *ValueError where one can't be used.
func CommandOf(id guide.CheckID, t guide.Track, v Values) (string, error) {
	if !known(id) {
		return "", fmt.Errorf("no check is called %q", id)
	}
	v, err := v.clean()
	if err != nil {
		return "", err
	}
	var missing error
	for _, c := range defOf(id).Commands {
		if c.Track != "" && c.Track != t {
			continue
		}
		if i := slices.IndexFunc(c.Needs, func(name string) bool { return v[name] == "" }); i >= 0 {
			missing = errors.Join(missing, &NeedError{Check: id, Name: c.Needs[i]})
			continue
		}
		return v.fill(id, c.Text)
	}
	if missing == nil {
		missing = fmt.Errorf("%s has no command on the track %s", id, t)
	}
	return "", missing
}

var place = guide.Regexp(`\{[a-z_]+\}`)

// fill puts values into a text.
func (v Values) fill(id guide.CheckID, text string) (string, error) {
	var missing error
	text = place.ReplaceAllStringFunc(text, func(m string) string {
		name := m[1 : len(m)-1]
		if fixed, ok := v.made(name); ok {
			return fixed
		}
		if _, ok := rules[name]; !ok {
			return m // a brace of the command's own, as in curl's -w
		}
		if v[name] == "" {
			missing = errors.Join(missing, &NeedError{Check: id, Name: name})
		}
		return word(v[name])
	})
	if missing != nil {
		return "", missing
	}
	return text, nil
}
