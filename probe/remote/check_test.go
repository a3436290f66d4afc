package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
)

// Prelude opens the script: plain English whatever the host's language.
const Prelude = "LC_ALL=C; export LC_ALL; unset LD_BIND_NOW; umask 077\n"

// maxJunk bounds what a host may print before the answer, in bytes.
const maxJunk = 256 << 10

// What hosts say that give a login but run no command.
var reNoCommand = regexp.MustCompile(`(?i)account is currently not available|nologin|not allowed to (?:execute|run|login)|shell access (?:is )?(?:disabled|denied|not)|command (?:execution )?(?:is )?(?:not allowed|disabled|rejected|denied)|exec request failed|does not provide shell|interactive (?:shell|login) only|\brestricted\b.*(?:command|shell)`)

// NoCommand judges a command that never gave its sign of life, from what the
// host printed instead and how the command ended. The decision is made by the
// missing sign alone, never by the exit code; the words only tell the kinds
// apart.
func NoCommand(hop, said string, end error) *Error {
	e := &Error{Stage: StageSession, Kind: KindNoCommand, Hop: hop, Said: Clean(said), Err: end}
	var inner *Error
	switch {
	case errors.As(end, &inner) && (inner.Kind == KindLost || inner.Kind == KindCancelled):
		e.Kind = inner.Kind
	case reTerminalOnly.MatchString(said):
		e.Kind = KindTerminalOnly
	}
	return e
}

// SaysNoCommand reports whether a host's words are those of a login that runs
// no command.
func SaysNoCommand(said string) bool {
	return reTerminalOnly.MatchString(said) || reNoCommand.MatchString(said)
}

// CheckCommand runs a script that prints a marker, and nothing else, to see
// whether the login runs commands at all. What the host prints before it does
// not matter. The error is an *Error of KindNoCommand, KindTerminalOnly,
// KindTimeout or KindLost, with what the host said.
func CheckCommand(ctx context.Context, c Conn, timeout time.Duration) error {
	hop := ""
	if client, ok := c.(*Client); ok {
		hop = client.Hop()
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	p, err := c.Start(limited, Shell)
	if err != nil {
		return err
	}
	defer p.Close()
	marker := Marker()
	// The marker is put together by the shell, so that an echo of the script
	// is not taken for the answer.
	script := Prelude + fmt.Sprintf("echo %s''%s\nexit 0\n", marker[:16], marker[16:])
	go func() {
		_, _ = io.WriteString(p.Stdin(), script)
		_ = p.Stdin().Close()
	}()
	seen, said := scan(p.Stdout(), marker)
	if seen {
		return nil
	}
	_ = p.Close()
	end := p.Wait()
	words, _ := io.ReadAll(p.Stderr())
	e := NoCommand(hop, said+"\n"+string(words), end)
	switch {
	case c.Err() != nil:
		e.Kind, e.Err = KindLost, c.Err()
	case ctx.Err() != nil:
		e.Kind, e.Err = ctxKind(ctx), ctx.Err()
	case limited.Err() != nil && e.Kind == KindNoCommand && !SaysNoCommand(e.Said):
		e.Kind, e.Err = KindTimeout, limited.Err()
	}
	return e
}

// scan reads until the marker, the end, or too much; it returns the last part
// of what came before.
func scan(r io.Reader, marker string) (bool, string) {
	var all bytes.Buffer
	buf := make([]byte, 4096)
	for all.Len() < maxJunk {
		n, err := r.Read(buf)
		from := max(0, all.Len()-len(marker))
		all.Write(buf[:n])
		if bytes.Contains(all.Bytes()[from:], []byte(marker)) {
			return true, ""
		}
		if err != nil {
			break
		}
	}
	s := all.String()
	return false, strings.ToValidUTF8(s[max(0, len(s)-4*maxSaid):], "")
}
