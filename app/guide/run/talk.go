package run

import (
	"bytes"
	"strings"

	"rentgen/app/guide"
)

// talk is what goes to and fro between a Runner and us.
type talk struct {
	chunks chan chunk
	lines  chan string
	done   chan finished
	over   chan struct{} // closed when nobody listens any more
	closed bool          // lines is
	came   [2]bool       // something came live, of stdout and of stderr
}

type chunk struct {
	err  bool
	data []byte
}

type finished struct {
	out guide.Output
	err error
}

// take returns what a Runner calls with what came.
func (t *talk) take(isErr bool) func([]byte) {
	return func(b []byte) {
		select {
		case t.chunks <- chunk{isErr, bytes.Clone(b)}:
		case <-t.over:
		}
	}
}

// send gives lines to the shell.
func (t *talk) send(text string) {
	for line := range strings.Lines(text) {
		t.lines <- strings.TrimSuffix(line, "\n")
	}
}

func (t *talk) end() {
	if !t.closed {
		t.closed = true
		close(t.lines)
	}
}
