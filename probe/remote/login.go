package remote

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

// Login is everything a login line or an alias says about how to get in.
type Login struct {
	User         string            `json:",omitempty"`
	Host         string            // name, address or alias, without brackets
	Port         int               `json:",omitempty"` // 0: not said, 22
	Identities   []string          `json:",omitempty"` // key files as written
	Certificates []string          `json:",omitempty"` // certificate files as written
	Jumps        []Login           `json:",omitempty"` // first hop first
	Options      map[string]string `json:",omitempty"` // the kept -o options by their usual spelling
	ProxyCommand string            `json:",omitempty"` // run only after consent
	Forwards     []ForwardSpec     `json:",omitempty"` // offered, never opened by itself
	Command      string            `json:",omitempty"` // kept to name it; never run
	Password     string            `json:"-"`          // pasted along; never written
	Notices      []Notice          `json:",omitempty"` // what was ignored or is worth saying
}

// ForwardSpec is a -L of a login line.
type ForwardSpec struct {
	Bind string // local address, "" for loopback
	Port int    // local port
	Host string // as seen from the machine
	To   int    // port there
}

// Notice is something worth saying that stops nothing. Text key
// "remote.notice.<code>", filled with Args.
type Notice struct {
	Code string            `json:"code"`
	Args map[string]string `json:"args,omitempty"`
}

// InputError says which part of an input can't be used and what can be. Text
// key "remote.input.<field>", filled with value and allowed.
type InputError struct {
	Field   string // "line", "host", "port", "user", "option" or "jump"
	Value   string
	Allowed string // what is allowed, in the notation of a manual page: "1-65535", "HOST", "yes|no"
}

// Error implements error.
func (e *InputError) Error() string {
	return fmt.Sprintf("login line: %s %q can't be used; allowed: %s", e.Field, e.Value, e.Allowed)
}

// Addr returns host:port with the port filled in.
func (l Login) Addr() string {
	port := l.Port
	if port == 0 {
		port = 22
	}
	return net.JoinHostPort(l.Host, strconv.Itoa(port))
}

// Hop returns "user@host:port", the name a machine goes by in questions and
// errors.
func (l Login) Hop() string {
	if l.User == "" {
		return l.Addr()
	}
	return l.User + "@" + l.Addr()
}

// Option returns a kept option, whatever the case of its name.
func (l Login) Option(name string) string {
	if v, ok := l.Options[name]; ok {
		return v
	}
	for k, v := range l.Options {
		if strings.EqualFold(k, name) {
			return v
		}
	}
	return ""
}
