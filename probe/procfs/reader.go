package procfs

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"rentgen/probe"
)

// Params says where and with which clock to read.
type Params struct {
	// Root is the directory that stands for "/"; "" is "/" itself.
	Root string
	// Now is the clock that rates are measured by; nil is time.Now.
	Now func() time.Time
}

// Reader reads the machine it runs on. It keeps its files open; Close lets
// them go. On a system without /proc every value is unsupported.
type Reader struct {
	mu     sync.Mutex
	root   string
	now    func() time.Time
	start  time.Time
	files  map[string]*file
	buf    []byte
	groups groups
	cards  clients
	snaps  [2]Snapshot
	n      uint64    // samples taken
	limits time.Time // when the limits were read
}

// The limits of a container hardly change, and a file that is not there
// hardly ever comes.
const (
	limitsEvery = 10 * time.Second
	retryEvery  = 10
)

type file struct {
	f    *os.File
	err  error
	skip int // calls to answer with err before trying again
}

// New returns a reader. It opens nothing yet.
func New(p Params) *Reader {
	r := &Reader{root: strings.TrimRight(p.Root, "/"), now: p.Now, files: map[string]*file{}, buf: make([]byte, 32<<10)}
	if r.now == nil {
		r.now = time.Now
	}
	r.start = r.now()
	r.cards = clients{root: r.root, self: os.Getpid()}
	return r
}

// Close closes the files; a later Sample opens them again.
func (r *Reader) Close() error {
	r.cards.wait.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for path, f := range r.files {
		if f.f != nil {
			errs = append(errs, f.f.Close())
		}
		delete(r.files, path)
	}
	return errors.Join(errs...)
}

// Sample reads the machine. Rates are since the call before; they are pending
// at the first one.
func (r *Reader) Sample() *probe.System {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	cur := &r.snaps[r.n%2]
	var prev *Snapshot
	if r.n > 0 {
		prev = &r.snaps[(r.n+1)%2]
	}
	anew := r.n == 0 || now.Sub(r.limits) >= limitsEvery || now.Before(r.limits)
	if anew {
		r.limits = now
	}
	r.n++
	cur.at, cur.atMiss = now.Sub(r.start), probe.Value{State: probe.OK}
	cur.fill(r, &r.groups, anew)
	cur.clients = r.cards.get(now)
	return system(prev, cur)
}

// maxFile bounds what is read of one file; /proc/stat of a host with a
// thousand interrupts stays far below.
const maxFile = 4 << 20

// read implements source with files that stay open and are read in place.
func (r *Reader) read(path string) ([]byte, error) {
	f := r.files[path]
	if f == nil {
		f = &file{}
		r.files[path] = f
	}
	if f.f == nil {
		if f.skip > 0 {
			f.skip--
			return nil, f.err
		}
		f.f, f.err = os.Open(r.root + path)
		if f.err != nil {
			f.f, f.skip = nil, retryEvery
			return nil, f.err
		}
	}
	b, err := r.pread(f.f)
	if err != nil {
		// A group or device that is gone answers so for ever: open anew.
		_ = f.f.Close()
		f.f, f.err, f.skip = nil, err, 0
		return nil, err
	}
	return b, nil
}

func (r *Reader) pread(f *os.File) ([]byte, error) {
	n := 0
	for {
		if n == len(r.buf) {
			if n >= maxFile {
				return r.buf[:n], nil
			}
			r.buf = append(r.buf, make([]byte, len(r.buf))...)
		}
		m, err := f.ReadAt(r.buf[n:], int64(n))
		n += m
		if errors.Is(err, io.EOF) || err == nil && m == 0 {
			return r.buf[:n], nil
		}
		if err != nil {
			return nil, err
		}
	}
}
