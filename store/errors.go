package store

import (
	"errors"
	"fmt"
)

// Errors that callers tell apart.
var (
	// ErrReadOnly is returned by writes on a store opened with ReadOnly.
	ErrReadOnly = errors.New("the history was opened for reading only")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("the history is closed")
	// ErrNotFound is returned where a host or recording does not exist.
	ErrNotFound = errors.New("not found")
	// ErrNameTaken is returned by SaveHost when another host has the name.
	ErrNameTaken = errors.New("the name is taken")
	// ErrStillRecording is returned by DeleteRecording for a recording that is
	// being written.
	ErrStillRecording = errors.New("still being recorded")
	// ErrNoWindow is returned by Raise when no window is open.
	ErrNoWindow = errors.New("no window is open")
	// ErrOtherVersion is returned by Open when the process that holds the
	// folder writes another version of the database.
	ErrOtherVersion = errors.New("another version of the program is running")
	// ErrLost is in the chain of what OnError hears when readings had to be
	// thrown away; a gap of reason GapStore marks their span.
	ErrLost = errors.New("readings lost")
	// ErrDiskFull is in the chain of what OnError hears when there is no space.
	ErrDiskFull = errors.New("no space left for the history")
	// ErrDamaged is in the chain of what OnError hears when the file turns out
	// to be damaged while it is open. The next Open sets it aside.
	ErrDamaged = errors.New("the history is damaged")
)

// InputError is a field of a host, of a plan or of what Set up, the purse or the
// judge keep that can't be stored as it is.
type InputError struct {
	Of    string // "plan", "guide", "purse", "judged", "import"; "" is a host
	Field string // "name", "line", "options"; of a plan "id", "name", "body"; of Set up and the purse "host", "kind", "key", "body", "entries"
	Value string // "" where the value may be a secret
	Why   string // "empty", "too-long", "control", "secret", "not-json"
}

// Error names field and reason.
func (e *InputError) Error() string {
	of := "host"
	if e.Of != "" {
		of = e.Of
	}
	if e.Value == "" {
		return fmt.Sprintf("%s %s: %s", of, e.Field, e.Why)
	}
	return fmt.Sprintf("%s %s %q: %s", of, e.Field, e.Value, e.Why)
}

// trouble is what kind of error the database reports.
type trouble int

const (
	troubleOther trouble = iota
	troubleDamaged
	troubleFull
	troubleBusy
	troubleConstraint
)

// named puts the error that callers know into the chain.
func named(err error) error {
	switch {
	case err == nil:
		return nil
	case classOf(err) == troubleFull:
		return fmt.Errorf("%w: %w", ErrDiskFull, err)
	case classOf(err) == troubleDamaged:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}
