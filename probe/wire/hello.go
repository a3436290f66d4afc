package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
)

// ErrNoHello means that the marker did not come; what came instead is returned
// beside it.
var ErrNoHello = errors.New("no hello from the program on the host")

// WriteHello sends the first line: the marker, a space and one JSON object, all
// ASCII, so that no locale of the host can spoil it.
func WriteHello(w io.Writer, marker string, h Hello) error {
	js, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("encode hello: %w", err)
	}
	line := make([]byte, 0, len(marker)+len(js)+2)
	line = append(append(line, marker...), ' ')
	for _, r := range string(js) {
		switch {
		case r < 0x80:
			line = append(line, byte(r))
		case r < 0x10000:
			line = fmt.Appendf(line, `\u%04x`, r)
		default:
			hi, lo := utf16.EncodeRune(r)
			line = fmt.Appendf(line, `\u%04x\u%04x`, hi, lo)
		}
	}
	if _, err := w.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write hello: %w", err)
	}
	return nil
}

// ScanHello reads until the hello line, wherever it starts: a login script may
// print before it, with or without a line end, and may even print the marker. It
// gives up after limit bytes. before is what came first, at most limit bytes; the
// reader stands at the first frame. The error wraps ErrNoHello and, where the
// stream ended, io.ErrUnexpectedEOF.
func ScanHello(r *bufio.Reader, marker string, limit int) (h Hello, before []byte, err error) {
	if marker == "" {
		return Hello{}, nil, errors.New("scan hello: empty marker")
	}
	want := []byte(marker + " {")
	var all []byte
	start := 0 // of the current line
	var reason error
	for {
		chunk, err := r.ReadSlice('\n')
		if room := limit - len(all); len(chunk) > room {
			return Hello{}, append(all, chunk[:room]...), scanError(reason, fmt.Errorf("not within %d bytes", limit))
		}
		all = append(all, chunk...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return Hello{}, all, scanError(reason, io.ErrUnexpectedEOF)
		case err != nil:
			return Hello{}, all, scanError(reason, err)
		}
		line := all[start:]
		if i := bytes.Index(line, want); i >= 0 {
			js := line[i+len(want)-1:]
			h = Hello{}
			if reason = json.Unmarshal(js, &h); reason == nil {
				h.clean()
				return h, all[:start+i], nil
			}
		}
		start = len(all)
	}
}

func scanError(reason, err error) error {
	if reason != nil {
		return fmt.Errorf("%w: %w (%v)", ErrNoHello, err, reason)
	}
	return fmt.Errorf("%w: %w", ErrNoHello, err)
}

// clean bounds what a host says before anything of it is shown.
func (h *Hello) clean() {
	for _, s := range []*string{&h.Version, &h.SHA, &h.Driver, &h.BootID, &h.NoLibrary} {
		if len(*s) > MaxText {
			*s = (*s)[:MaxText]
		}
		*s = bounded(Clean(*s))
	}
	if len(h.Rates) > 16 {
		h.Rates = h.Rates[:16]
	}
}
