package remote

import (
	"strings"
)

// Stage is a step on the way to a machine. Text key "remote.stage.<stage>".
type Stage string

// The stages in their order.
const (
	StageResolve   Stage = "resolve"   // finding the address of a name
	StageDial      Stage = "dial"      // opening the network connection
	StageProxy     Stage = "proxy"     // starting the ProxyCommand
	StageHandshake Stage = "handshake" // agreeing on the protocol
	StageHostKey   Stage = "hostkey"   // checking the host's key
	StageAuth      Stage = "auth"      // logging in
	StageSession   Stage = "session"   // running a command, forwarding, being connected
)

// Stages returns all stages in order.
func Stages() []Stage {
	return []Stage{StageResolve, StageDial, StageProxy, StageHandshake, StageHostKey, StageAuth, StageSession}
}

// Kind says what went wrong. Text keys "remote.err.<kind>" (what is so) and
// "remote.next.<kind>" (what to do).
type Kind string

// The kinds of failure.
const (
	KindInput          Kind = "input"           // a line, form or config that can't be used
	KindResolve        Kind = "resolve"         // no address for the name
	KindRefused        Kind = "refused"         // nothing listens on the port
	KindTimeout        Kind = "timeout"         // no answer in time
	KindUnreachable    Kind = "unreachable"     // no route
	KindSilent         Kind = "silent"          // connected, but not a word came
	KindClosed         Kind = "closed"          // connected and closed at once without a word
	KindBusy           Kind = "busy"            // the host takes no further connections just now
	KindNotSSH         Kind = "not-ssh"         // something else answers there
	KindKex            Kind = "kex"             // no algorithm in common
	KindProtocol       Kind = "protocol"        // the handshake failed in another way
	KindHostKeyUnknown Kind = "hostkey-unknown" // first sight, and not trusted
	KindHostKeyChanged Kind = "hostkey-changed" // another key than before
	KindHostKeyRevoked Kind = "hostkey-revoked" // the user's known_hosts revokes it
	KindAuth           Kind = "auth"            // none of the ways to log in was accepted
	KindTooManyKeys    Kind = "too-many-keys"   // the host gave up before the right key came
	KindPassphrase     Kind = "passphrase"      // the key's passphrase is wrong
	KindKeyFormat      Kind = "key-format"      // the key file is of a form that can't be read
	KindKeyMissing     Kind = "key-missing"     // the key file isn't there or can't be opened
	KindPasswordWrong  Kind = "password-wrong"  // the host refused the password
	KindNoOneToAsk     Kind = "no-one-to-ask"   // a question came up and nobody can answer
	KindTerminalOnly   Kind = "terminal-only"   // this login gives a terminal and runs no command
	KindNoCommand      Kind = "no-command"      // the host runs no command for this login
	KindForwardRefused Kind = "forward-refused" // the host does not forward connections
	KindForwardFailed  Kind = "forward-failed"  // the host could not reach the address
	KindCancelled      Kind = "cancelled"       // stopped by the user
	KindProxyConsent   Kind = "proxy-consent"   // a ProxyCommand that was not allowed
	KindProxyCommand   Kind = "proxy-command"   // the ProxyCommand failed
	KindJumpLoop       Kind = "jump-loop"       // jump hosts that lead back to themselves, or too many
	KindLost           Kind = "lost"            // the link broke
)

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{
		KindInput, KindResolve, KindRefused, KindTimeout, KindUnreachable, KindSilent, KindClosed, KindBusy,
		KindNotSSH, KindKex, KindProtocol, KindHostKeyUnknown, KindHostKeyChanged, KindHostKeyRevoked, KindAuth,
		KindTooManyKeys, KindPassphrase, KindKeyFormat, KindKeyMissing, KindPasswordWrong, KindNoOneToAsk,
		KindTerminalOnly, KindNoCommand, KindForwardRefused, KindForwardFailed, KindCancelled, KindProxyConsent,
		KindProxyCommand, KindJumpLoop, KindLost,
	}
}

// Error is a failure on the way to a machine or on it.
type Error struct {
	Stage Stage
	Kind  Kind
	Hop   string // the machine it happened at, "user@host:port"
	Said  string // what the host or the proxy command said last; bounded, no control characters
	Err   error  // what happened below, may be nil

	// Change holds both keys for KindHostKeyChanged and the new one for
	// KindHostKeyUnknown and KindHostKeyRevoked; nil otherwise.
	Change *KeyChange
	// Tried and Offered name the ways to log in, by us and by the host.
	Tried, Offered []string
	// Subject is what the failure is about: a key file, an address to forward
	// to, the question nobody could answer, the line to use instead. It may
	// be empty.
	Subject string
}

// Error implements error; it is for logs. People read the texts of Kind.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Hop != "" {
		b.WriteString(e.Hop)
		b.WriteString(": ")
	}
	b.WriteString(string(e.Stage))
	b.WriteString(": ")
	b.WriteString(string(e.Kind))
	if e.Subject != "" {
		b.WriteString(" (")
		b.WriteString(e.Subject)
		b.WriteString(")")
	}
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	if e.Said != "" {
		b.WriteString("; host said: ")
		b.WriteString(e.Said)
	}
	return b.String()
}

// Unwrap returns what happened below.
func (e *Error) Unwrap() error { return e.Err }

// ExitCode returns the documented exit code of the command line: 64 for bad
// input, 66 for a refused login, 67 for a host key that is unknown, changed or
// revoked, 65 for everything else.
func (e *Error) ExitCode() int {
	switch e.Kind {
	case KindInput:
		return 64
	case KindHostKeyUnknown, KindHostKeyChanged, KindHostKeyRevoked:
		return 67
	case KindAuth, KindTooManyKeys, KindPassphrase, KindKeyFormat, KindKeyMissing, KindPasswordWrong:
		return 66
	case KindNoOneToAsk:
		if e.Stage == StageAuth {
			return 66
		}
	case KindCancelled:
		return 130
	}
	return 65
}

// Args returns name and value pairs for the texts of Kind.
func (e *Error) Args() []any {
	old, now, typ := "", "", ""
	if e.Change != nil {
		var olds []string
		for _, k := range e.Change.Old {
			olds = append(olds, k.Fingerprint)
		}
		old, now, typ = strings.Join(olds, ", "), e.Change.New.Fingerprint, e.Change.New.Type
	}
	return []any{
		"hop", e.Hop, "said", e.Said, "subject", e.Subject, "old", old, "new", now, "type", typ,
		"tried", strings.Join(e.Tried, ", "), "offered", strings.Join(e.Offered, ", "),
	}
}

// maxSaid bounds what is kept of a host's words.
const maxSaid = 2000

// Clean returns the last part of what a host said without control characters
// and escape sequences, trimmed, at most about 2000 bytes.
func Clean(s string) string {
	if len(s) > 4*maxSaid {
		s = s[len(s)-4*maxSaid:]
	}
	s = strings.ToValidUTF8(stripEscapes(s), "�")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < 0x20 || r == 0x7f || (r >= 0x80 && r < 0xa0), isBidi(r):
			return -1
		}
		return r
	}, s)
	if len(s) > maxSaid {
		s = strings.ToValidUTF8(s[len(s)-maxSaid:], "")
	}
	return strings.TrimSpace(s)
}

// isBidi reports marks that reorder text around them; a host could use them to
// make its words read as ours.
func isBidi(r rune) bool {
	return (r >= 0x202a && r <= 0x202e) || (r >= 0x2066 && r <= 0x2069) || r == 0x200e || r == 0x200f
}

// stripEscapes removes ANSI sequences, so that no "[31m" stays behind when the
// escape character goes.
func stripEscapes(s string) string {
	if !strings.ContainsRune(s, 0x1b) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != 0x1b {
			b.WriteByte(s[i])
			continue
		}
		if i+1 >= len(s) {
			break
		}
		i++
		switch s[i] {
		case '[':
			for i++; i < len(s) && (s[i] < 0x40 || s[i] > 0x7e); i++ {
			}
		case ']':
			for i++; i < len(s) && s[i] != 0x07 && s[i] != 0x1b; i++ {
			}
			if i+1 < len(s) && s[i] == 0x1b && s[i+1] == '\\' {
				i++
			}
		}
	}
	return b.String()
}
