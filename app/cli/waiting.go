package cli

import (
	"context"
	"io"
	"os"
)

// waiting is a reader whose wait ends with ctx. A terminal or a pipe that says
// nothing would hold the command after Ctrl+C.
type waiting struct {
	ctx  context.Context
	r    io.Reader
	got  chan chunk // of the read under way; nil without one
	rest chunk      // read and not handed out yet
}

type chunk struct {
	b   []byte
	err error
}

// waitingFor wraps what may have to be waited for; a file on a disk has not.
func waitingFor(ctx context.Context, r io.Reader) io.Reader {
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && (info.Mode().IsRegular() || info.IsDir()) {
			return r
		}
	}
	return &waiting{ctx: ctx, r: r}
}

// Read implements io.Reader; after the end of ctx its error is that of ctx.
func (w *waiting) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	if len(w.rest.b) == 0 && w.rest.err == nil {
		if w.got == nil {
			w.got = make(chan chunk, 1)
			go func(got chan<- chunk) {
				b := make([]byte, 64<<10)
				n, err := w.r.Read(b)
				got <- chunk{b[:n], err}
			}(w.got)
		}
		select {
		case <-w.ctx.Done():
			return 0, w.ctx.Err()
		case w.rest = <-w.got:
			w.got = nil
		}
	}
	n := copy(p, w.rest.b)
	w.rest.b = w.rest.b[n:]
	if len(w.rest.b) > 0 {
		return n, nil
	}
	return n, w.rest.err
}
