package stream

import (
	"errors"
	"fmt"

	"rentgen/probe"
)

// The kinds of Error; text keys "stream.err.<kind>" and "stream.next.<kind>".
const (
	KindNoCommand    = "no-command"    // the login runs no command: a forced command, nologin
	KindTerminalOnly = "terminal-only" // the host says that this login is for a terminal
	KindNotLinux     = "not-linux"     // the host has no POSIX shell
	KindBootstrap    = "bootstrap"     // the script's answer did not come or can't be read
	KindAgent        = "agent"         // our program was asked for and can't run; Reason says why
	KindSimple       = "simple"        // simple readings can't be taken either
	KindDeclined     = "declined"      // the person did not allow the upload
	KindSilent       = "silent"        // the host stopped answering
	KindLink         = "link"          // the connection ended
	KindOffline      = "offline"       // asked for something that needs a connection
	KindTimeout      = "timeout"       // a script ran past its limit
	KindUpload       = "upload"        // a file could not be put there
	KindForward      = "forward"       // the host refuses to forward
	KindLocalListen  = "local-listen"  // the local port can't be opened
	KindResident     = "resident"      // the recorder on the host did not do what was asked; Reason names the order
)

// Error is a failure of a host with what the host said last.
type Error struct {
	Kind   string // one of the Kind constants
	Stage  string // where it happened, "" outside of connecting
	Reason string // a probe.Reason code where there is one
	Said   string // the host's last words, bounded, control characters stripped
	Err    error  // cause, may be nil
}

// Error returns an English sentence for logs.
func (e *Error) Error() string {
	s := "stream: " + e.Kind
	if e.Stage != "" {
		s += " at " + e.Stage
	}
	if e.Reason != "" {
		s += " (" + e.Reason + ")"
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Said != "" {
		s += fmt.Sprintf("; the host said %q", e.Said)
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the first Error in err's chain, "" without one.
func KindOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// NoCardError says that the host is reached and has no card to read. Mode tells
// a choice of the platform's user (no-gpu) from a missing driver (no-driver)
// and from a fault; text key "stream.mode.<mode>".
type NoCardError struct {
	Mode   probe.Mode
	Detail string // the host's words
}

// Error returns an English sentence for logs.
func (e *NoCardError) Error() string {
	s := "no card to read: " + string(e.Mode)
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// ExitCode is 68, as documented for the command line.
func (e *NoCardError) ExitCode() int { return 68 }

// ErrDeclined may be returned by Params.Consent for "no".
var ErrDeclined = errors.New("upload not allowed")
