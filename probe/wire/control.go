package wire

import (
	"bufio"
	"bytes"
	"io"
)

// ControlWriter sends what the laptop asks. It is not safe for concurrent use.
type ControlWriter struct {
	w   io.Writer
	buf bytes.Buffer
}

// NewControlWriter returns a writer that sends to w.
func NewControlWriter(w io.Writer) *ControlWriter { return &ControlWriter{w: w} }

// Write sends one control in one call of the writer.
func (c *ControlWriter) Write(ctl Control) error {
	_, err := writeFrame(c.w, &c.buf, &ctl)
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
	b, _, err := readFrame(c.r, &c.buf, maxControl)
	if err != nil {
		return Control{}, err
	}
	var ctl Control
	if err := unmarshal(b, &ctl); err != nil {
		return Control{}, err
	}
	return ctl, nil
}
