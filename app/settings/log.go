package settings

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"sync"
)

// LogLimit is the size in bytes at which the log is put aside; one older file
// is kept beside it.
const LogLimit = 1 << 20

// OpenLog opens the log at path for appending. What r knows is masked before
// anything is written, and who sits at this computer. Close the closer at the end. An error means that the
// file can't be written; the logger returned then writes nowhere and may be
// used all the same.
func OpenLog(path string, r *Redactor) (*slog.Logger, io.Closer, error) {
	home, _ := os.UserHomeDir() // without one there is nothing to mask
	account := ""
	if u, err := user.Current(); err == nil {
		account = u.Username
	}
	r.Self(home, account)
	f := &cappedFile{path: path, limit: LogLimit}
	if err := f.open(); err != nil {
		return slog.New(slog.DiscardHandler), io.NopCloser(nil), fmt.Errorf("open log: %w", err)
	}
	h := slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug})
	return slog.New(r.Handler(h)), f, nil
}

// Tail returns the last bytes of the log, at most n, from the start of a line;
// for diagnostics. A log that does not exist is empty.
func Tail(path string, n int64) ([]byte, error) {
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read log: %w", err)
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("read log: %w", err)
	}
	from := max(0, size-n)
	b, err := io.ReadAll(io.NewSectionReader(f, from, size-from))
	if err != nil {
		return nil, fmt.Errorf("read log: %w", err)
	}
	if from > 0 {
		for i, c := range b {
			if c == '\n' {
				return b[i+1:], nil
			}
		}
	}
	return b, nil
}

// cappedFile renames itself to path.1 when it has grown to the limit.
type cappedFile struct {
	path  string
	limit int64

	mu   sync.Mutex
	f    *os.File
	size int64
}

func (c *cappedFile) open() error {
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(c.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return err
	}
	c.f, c.size = f, st.Size()
	return nil
}

// Write appends one record. A log must not stop the program, so after a failed
// turn it goes on with the old file.
func (c *cappedFile) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.f == nil {
		return 0, os.ErrClosed
	}
	if c.size > 0 && c.size+int64(len(b)) > c.limit {
		c.turn()
	}
	n, err := c.f.Write(b)
	c.size += int64(n)
	return n, err
}

func (c *cappedFile) turn() {
	old := c.f
	if err := os.Rename(c.path, c.path+".1"); err != nil {
		return
	}
	if err := c.open(); err != nil {
		c.f = old
		return
	}
	old.Close()
}

// Close closes the file; later records are lost.
func (c *cappedFile) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.f == nil {
		return nil
	}
	err := c.f.Close()
	c.f = nil
	return err
}
