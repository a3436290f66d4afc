package remote

import (
	"crypto/rand"
	"encoding/hex"
	"regexp"
)

// Shell is the one command line to start a script with: its first word is
// an absolute path, so that it works where the host runs it without a
// shell, and there is nothing in it that fish or tcsh would read
// differently. The script goes to its standard input.
const Shell = "/bin/sh -s"

// What hosts say that give a terminal and nothing else.
var reTerminalOnly = regexp.MustCompile(`(?i)(?:doesn'?t|does not) support (?:a )?pty|requires? a (?:pty|terminal|tty)|must be (?:run from|connected to) a (?:terminal|tty)|no pty allocated`)

// SaysTerminalOnly reports whether what a host printed instead of running a
// command says that it gives a terminal only.
func SaysTerminalOnly(said string) bool { return reTerminalOnly.MatchString(said) }

// Marker returns 128 random bits as text, to find our own output among what a
// host prints on its own.
func Marker() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
