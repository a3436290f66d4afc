package cli

import (
	"context"
	"errors"
	"fmt"

	"rentgen/app/bill/offer"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/store"
)

// The exit codes.
const (
	ExitDone        = 0
	ExitInternal    = 1   // internal error, or no window can be opened
	ExitUsage       = 64  // bad command line or bad input
	ExitConnect     = 65  // cannot connect
	ExitLogin       = 66  // login refused
	ExitHostKey     = 67  // host key unknown and not trusted, or changed
	ExitNoGPU       = 68  // no GPU or no driver on the host
	ExitInterrupted = 130 // Ctrl+C
)

// UsageError is a part of the command line that can't be used: which, what it
// was and what is allowed there. Its text is "cli.bad.<Code>", filled with
// field, value and allowed.
type UsageError struct {
	Code    string
	Field   string
	Value   string
	Allowed string
}

// Error returns an English sentence for logs.
func (e *UsageError) Error() string {
	return fmt.Sprintf("%s: %q can't be used (%s); allowed: %s", e.Field, e.Value, e.Code, e.Allowed)
}

// ExitCode returns 64.
func (e *UsageError) ExitCode() int { return ExitUsage }

// exitCode returns the exit code that an error asks for.
func exitCode(err error) int {
	var coded interface{ ExitCode() int }
	var far *stream.Error
	var input *remote.InputError
	var hostInput *store.InputError
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &coded):
		return coded.ExitCode()
	case offer.Inputs(err) != nil, errors.As(err, &input), errors.As(err, &hostInput), errors.Is(err, store.ErrNameTaken),
		errors.Is(err, store.ErrStillRecording):
		return ExitUsage
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.As(err, &far):
		return ExitConnect
	}
	return ExitInternal
}
