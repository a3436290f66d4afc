package remote

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// optionUse says what becomes of an ssh option.
type optionUse int

const (
	useIgnoreNamed optionUse = iota // ignored, and the person is told
	useIgnore                       // has no meaning here and does no harm
	useKeep                         // kept in Login.Options
	useField                        // fills a field of Login
	useTrust                        // would weaken the check of the host's identity
	useAgent                        // agent forwarding
)

// optionNames maps the lower-case name of every option we know to its usual
// spelling and use.
var optionNames = func() map[string]struct {
	name string
	use  optionUse
} {
	m := make(map[string]struct {
		name string
		use  optionUse
	})
	add := func(use optionUse, names string) {
		for n := range strings.FieldsSeq(names) {
			m[strings.ToLower(n)] = struct {
				name string
				use  optionUse
			}{n, use}
		}
	}
	add(useField, "User Port IdentityFile CertificateFile ProxyJump ProxyCommand LocalForward RemoteCommand StrictHostKeyChecking")
	add(useKeep, `HostName HostKeyAlias IdentitiesOnly IdentityAgent ConnectTimeout AddressFamily KexAlgorithms
		HostKeyAlgorithms PubkeyAcceptedAlgorithms Ciphers MACs PreferredAuthentications PasswordAuthentication
		PubkeyAuthentication KbdInteractiveAuthentication`)
	add(useTrust, `UserKnownHostsFile GlobalKnownHostsFile KnownHostsCommand VerifyHostKeyDNS CheckHostIP
		NoHostAuthenticationForLocalhost`)
	add(useAgent, "ForwardAgent")
	add(useIgnore, `ServerAliveInterval ServerAliveCountMax TCPKeepAlive LogLevel Compression RequestTTY ExitOnForwardFailure
		ConnectionAttempts BatchMode HashKnownHosts UpdateHostKeys VisualHostKey AddKeysToAgent UseKeychain IgnoreUnknown
		IPQoS RekeyLimit EscapeChar ControlMaster ControlPath ControlPersist StdinNull NumberOfPasswordPrompts CanonicalizeHostname
		FingerprintHash GSSAPIAuthentication GSSAPIDelegateCredentials HostbasedAuthentication RequiredRSASize SendEnv SetEnv
		LogVerbose SessionType ForkAfterAuthentication EnableEscapeCommandline ObscureKeystrokeTiming Tag`)
	alias := func(old, name string) { m[strings.ToLower(old)] = m[strings.ToLower(name)] }
	alias("PubkeyAcceptedKeyTypes", "PubkeyAcceptedAlgorithms")
	alias("ChallengeResponseAuthentication", "KbdInteractiveAuthentication")
	alias("HostKeyAlgorithm", "HostKeyAlgorithms")
	return m
}()

// set takes one option by its name, from -o or from a flag that means it.
func (p *loginParser) set(name, value string) error {
	value = unquote(value)
	o, known := optionNames[strings.ToLower(name)]
	if !known {
		p.notice("option-ignored", "option", Clean(name+"="+value))
		return nil
	}
	switch o.use {
	case useKeep:
		if err := checkOption(o.name, value); err != nil {
			return err
		}
		p.keep(o.name, value)
	case useTrust:
		p.notice("trust-option", "option", Clean(o.name+"="+value))
	case useAgent:
		if !strings.EqualFold(value, "no") {
			p.notice("agent-forwarding", "option", Clean(o.name+"="+value))
		}
	case useField:
		return p.field(o.name, value)
	case useIgnoreNamed:
		p.notice("option-ignored", "option", Clean(o.name+"="+value))
	}
	return nil
}

func (p *loginParser) field(name, value string) error {
	switch name {
	case "User":
		return p.user(value)
	case "Port":
		return p.option('p', value)
	case "IdentityFile":
		if value == "" || strings.EqualFold(value, "none") {
			return nil
		}
		if !slices.Contains(p.l.Identities, value) {
			p.l.Identities = append(p.l.Identities, value)
		}
	case "CertificateFile":
		if value != "" && !slices.Contains(p.l.Certificates, value) {
			p.l.Certificates = append(p.l.Certificates, value)
		}
	case "ProxyJump":
		jumps, err := parseJumps(value)
		if err != nil {
			return err
		}
		if p.l.Jumps == nil {
			p.l.Jumps = jumps
		}
	case "ProxyCommand":
		if !strings.EqualFold(value, "none") && p.l.ProxyCommand == "" {
			p.l.ProxyCommand = value
		}
	case "LocalForward":
		// -o LocalForward="8888 localhost:8888" parts the two by a space.
		f, ok := parseForward(strings.Join(strings.Fields(value), ":"))
		if !ok {
			p.notice("forward-unreadable", "forward", Clean(value))
		} else if !slices.Contains(p.l.Forwards, f) {
			p.l.Forwards = append(p.l.Forwards, f)
		}
	case "RemoteCommand":
		if !strings.EqualFold(value, "none") {
			p.notice("command-ignored", "command", Clean(value))
		}
	case "StrictHostKeyChecking":
		// "yes" and "ask" ask for no less than we do.
		if v := strings.ToLower(value); v != "yes" && v != "ask" {
			p.notice("trust-option", "option", Clean(name+"="+value))
		}
	}
	return nil
}

func checkOption(name, value string) error {
	bad := func(allowed string) error {
		return &InputError{Field: "option", Value: Clean(name + "=" + value), Allowed: name + "=" + allowed}
	}
	switch name {
	case "HostName":
		if !checkHost(value) && !strings.Contains(value, "%") {
			return bad("HOST")
		}
	case "HostKeyAlias":
		if !checkHost(value) {
			return bad("HOST")
		}
	case "ConnectTimeout":
		if n, err := strconv.Atoi(value); !strings.EqualFold(value, "none") && (err != nil || n < 1 || n > 3600) {
			return bad("1-3600")
		}
	case "IdentitiesOnly", "PasswordAuthentication", "PubkeyAuthentication", "KbdInteractiveAuthentication":
		if v := strings.ToLower(value); v != "yes" && v != "no" && v != "unbound" && v != "host-bound" {
			return bad("yes|no")
		}
	case "AddressFamily":
		if v := strings.ToLower(value); v != "any" && v != "inet" && v != "inet6" {
			return bad("any|inet|inet6")
		}
	}
	return nil
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// Line returns the login as one canonical ssh command line. It parses back to
// the same login. The password, a remote command and notices are not in it.
func (l Login) Line() string {
	parts := []string{"ssh"}
	add := func(flag, value string) { parts = append(parts, flag, quoted(value)) }
	if l.Port != 0 {
		add("-p", strconv.Itoa(l.Port))
	}
	for _, id := range l.Identities {
		add("-i", id)
	}
	if len(l.Jumps) > 0 {
		var js []string
		for _, j := range l.Jumps {
			s := bracket(j.Host)
			if j.User != "" {
				s = j.User + "@" + s
			}
			if j.Port != 0 {
				s += ":" + strconv.Itoa(j.Port)
			}
			js = append(js, s)
		}
		add("-J", strings.Join(js, ","))
	}
	for _, c := range l.Certificates {
		add("-o", "CertificateFile="+c)
	}
	if l.ProxyCommand != "" {
		add("-o", "ProxyCommand="+l.ProxyCommand)
	}
	for _, name := range slices.Sorted(maps.Keys(l.Options)) {
		add("-o", name+"="+l.Options[name])
	}
	for _, f := range l.Forwards {
		add("-L", f.String())
	}
	dest := bracket(l.Host)
	if l.User != "" {
		dest = l.User + "@" + dest
	}
	return strings.Join(append(parts, quoted(dest)), " ")
}
