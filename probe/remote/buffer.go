package remote

import (
	"io"
	"sync"
)

const (
	stdoutBuffer = 4 << 20   // held back above this
	stderrBuffer = 256 << 10 // the latest part is kept
)

// buffer is a pipe in memory between a goroutine that drains an output and the
// reader of it. A lossy buffer drops its oldest part when full; another one
// makes its writer wait.
type buffer struct {
	mu     sync.Mutex
	cond   sync.Cond
	data   []byte
	limit  int
	lossy  bool
	closed bool  // no more will be written
	gone   bool  // nobody will read: writes are thrown away
	came   int64 // bytes that arrived
	full   bool  // a writer waits for the reader
	err    error // what Read says at the end; io.EOF normally
}

func newBuffer(limit int, lossy bool) *buffer {
	b := &buffer{limit: limit, lossy: lossy, err: io.EOF}
	b.cond.L = &b.mu
	return b
}

// Write implements io.Writer. It never fails.
func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(p)
	b.came += int64(n)
	defer func() { b.full = false }()
	for len(p) > 0 {
		if b.gone || b.closed {
			return n, nil
		}
		if b.lossy {
			b.data = append(b.data, p...)
			if over := len(b.data) - b.limit; over > 0 {
				b.data = append(b.data[:0], b.data[over:]...)
			}
			b.cond.Broadcast()
			return n, nil
		}
		room := b.limit - len(b.data)
		if room <= 0 {
			b.full = true
			b.cond.Wait()
			continue
		}
		k := min(room, len(p))
		b.data = append(b.data, p[:k]...)
		p = p[k:]
		b.cond.Broadcast()
	}
	return n, nil
}

// Read implements io.Reader: what has arrived, else it waits.
func (b *buffer) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.data) == 0 {
		if b.closed {
			return 0, b.err
		}
		b.cond.Wait()
	}
	n := copy(p, b.data)
	b.data = b.data[n:]
	if len(b.data) == 0 {
		b.data = nil
	}
	b.cond.Broadcast()
	return n, nil
}

// finish says that no more comes. What is there can still be read.
func (b *buffer) finish() {
	b.mu.Lock()
	b.closed = true
	b.cond.Broadcast()
	b.mu.Unlock()
}

// discard lets a waiting writer go on: nobody will make room for it.
func (b *buffer) discard() {
	b.mu.Lock()
	b.gone = true
	b.cond.Broadcast()
	b.mu.Unlock()
}

// progress returns how much arrived so far and whether more waits for the
// reader.
func (b *buffer) progress() (came int64, full bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.came, b.full
}

// quietly watches outputs after their command has ended. Each call reports
// whether nothing arrived since the last one and nothing waits for the reader:
// then only a child left behind holds them open.
func quietly(bs ...*buffer) func() bool {
	var last int64 = -1
	return func() bool {
		var sum int64
		waits := false
		for _, b := range bs {
			came, full := b.progress()
			sum += came
			waits = waits || full
		}
		quiet := sum == last && !waits
		last = sum
		return quiet
	}
}

// tail returns up to n of the last bytes that nobody has read.
func (b *buffer) tail(n int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.data[max(0, len(b.data)-n):])
}
