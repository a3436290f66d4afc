package wire

import (
	"bufio"
	"fmt"
	"io"
)

// ControlWriter sends what the laptop asks. It is not safe for concurrent use.
type ControlWriter struct {
	w   io.Writer
	buf []byte
}

// NewControlWriter returns a writer that sends to w.
func NewControlWriter(w io.Writer) *ControlWriter { return &ControlWriter{w: w} }

// Write sends one control in one call of the writer.
func (c *ControlWriter) Write(ctl Control) error {
	b := append(c.buf[:0], make([]byte, prefix)...)
	b = appendHead(b, majorMap, 4)
	b = appendNumber(appendUint(b, 1), ctl.Rate)
	b = appendBool(appendUint(b, 2), ctl.Paused)
	b = appendUint(appendUint(b, 3), ctl.Ping)
	b = appendBool(appendUint(b, 4), ctl.Slow)
	c.buf = b
	_, err := writeFrame(c.w, b)
	return err
}

// ControlReader reads what a ControlWriter sends.
type ControlReader struct {
	r   *bufio.Reader
	buf []byte
}

// NewControlReader returns a reader of r.
func NewControlReader(r io.Reader) *ControlReader {
	br, ok := r.(*bufio.Reader)
	if !ok {
		br = bufio.NewReaderSize(r, 512)
	}
	return &ControlReader{r: br}
}

// maxControl bounds a control frame; a host has no memory to give away.
const maxControl = 4096

// Read returns the next control. The end between two frames is io.EOF.
func (c *ControlReader) Read() (Control, error) {
	size, _, err := readUvarint(c.r)
	if err != nil {
		return Control{}, err
	}
	if size > maxControl {
		return Control{}, fmt.Errorf("%w: control of %d bytes, at most %d", ErrFrame, size, maxControl)
	}
	if uint64(cap(c.buf)) < size {
		c.buf = make([]byte, size)
	}
	b := c.buf[:size]
	if _, err := io.ReadFull(c.r, b); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return Control{}, fmt.Errorf("read control: %w", err)
	}
	r := &reader{b: b}
	var ctl Control
	for n := r.dict(maxKeys); n > 0 && r.err == nil; n-- {
		switch r.uint() {
		case 1:
			ctl.Rate = r.number()
		case 2:
			ctl.Paused = r.bool()
		case 3:
			ctl.Ping = r.uint()
		case 4:
			ctl.Slow = r.bool()
		default:
			r.skip(0)
		}
	}
	if r.err != nil {
		return Control{}, fmt.Errorf("%w: %w", ErrFrame, r.err)
	}
	return ctl, nil
}
