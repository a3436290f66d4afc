package push

import (
	"fmt"

	"rentgen/assets/texts"
)

// Reason is why something was not sent; text "alert.push.err.<reason>".
type Reason string

// The reasons.
const (
	ReasonAddress  Reason = "address"  // the address can't be used or isn't known there
	ReasonPlain    Reason = "plain"    // not https, and not this computer
	ReasonSecret   Reason = "secret"   // the secret can't be used
	ReasonMissing  Reason = "missing"  // the keyring has no address
	ReasonAway     Reason = "away"     // the server can't be reached
	ReasonTimeout  Reason = "timeout"  // no answer in time
	ReasonTLS      Reason = "tls"      // the server's certificate isn't trusted
	ReasonRedirect Reason = "redirect" // it sends us to another server
	ReasonLogin    Reason = "login"    // 401 or 403
	ReasonOften    Reason = "often"    // 429
	ReasonService  Reason = "service"  // 5xx
	ReasonStatus   Reason = "status"   // another status
	ReasonAnswer   Reason = "answer"   // an answer that isn't as the service describes it
	ReasonRefused  Reason = "refused"  // a code of the service's own
	ReasonForm     Reason = "form"     // the service can't read what was sent
	ReasonSign     Reason = "sign"     // the signature is wrong, or the clock
	ReasonNetwork  Reason = "network"  // not from this address
	ReasonKeyword  Reason = "keyword"  // a word that the robot asks for is missing
)

// Reasons returns all reasons.
func Reasons() []Reason {
	return []Reason{
		ReasonAddress, ReasonPlain, ReasonSecret, ReasonMissing, ReasonAway, ReasonTimeout, ReasonTLS, ReasonRedirect,
		ReasonLogin, ReasonOften, ReasonService, ReasonStatus, ReasonAnswer, ReasonRefused, ReasonForm, ReasonSign,
		ReasonNetwork, ReasonKeyword,
	}
}

// Error is a message that wasn't sent. It holds neither an address nor a secret.
type Error struct {
	Form   string // ID
	Reason Reason
	Host   string // the server, "" where the address can't be read
	Status int    // of HTTP, 0 without an answer
	Code   string // the service's own, "" for none
	Said   string // the service's own words, short and without secrets
}

// Error returns an English sentence for logs.
func (e *Error) Error() string {
	s := fmt.Sprintf("push by %s to %s: %s", e.Form, e.Host, e.Reason)
	if e.Status != 0 {
		s += fmt.Sprintf(", status %d", e.Status)
	}
	if e.Code != "" {
		s += ", code " + e.Code
	}
	if e.Said != "" {
		s += fmt.Sprintf(", said %q", e.Said)
	}
	return s
}

// ExitCode returns that of a bad input, or that of a server that can't be
// reached or refuses.
func (e *Error) ExitCode() int {
	switch e.Reason {
	case ReasonAddress, ReasonPlain, ReasonSecret, ReasonMissing:
		if e.Status == 0 {
			return 64
		}
		return 66
	case ReasonLogin, ReasonRefused, ReasonSign, ReasonNetwork, ReasonKeyword, ReasonForm:
		return 66
	}
	return 65
}

// Again reports whether the same message may go through later.
func (e *Error) Again() bool {
	switch e.Reason {
	case ReasonAway, ReasonTimeout, ReasonOften, ReasonService, ReasonAnswer:
		return true
	}
	return false
}

// Phrase is the error in plain words with what to do.
func (e *Error) Phrase() texts.Phrase {
	p := texts.P("alert.push.err."+string(e.Reason), "host", e.Host, "status", e.Status, "code", e.Code)
	if e.Said != "" {
		return texts.P("alert.push.said", "what", p, "said", e.Said)
	}
	return p
}
