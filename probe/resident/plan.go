package resident

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"rentgen/probe/guard"
)

// Names in the directory of a ring.
const (
	planName  = "ring"
	stateName = "state"
	lockName  = "lock"
	editName  = "edit" // held while the options are changed
)

// How long a recorder goes on without a connection.
const (
	DefaultLife = 72 * time.Hour
	MinLife     = time.Minute
	MaxLife     = 31 * 24 * time.Hour
	// What was kept waits for a connection as long as the recorder ran without
	// one, within these bounds. Then the recorder deletes it, and itself.
	minGrace = 24 * time.Hour
	maxGrace = 7 * 24 * time.Hour
)

// Plan is what the person asked for; file ring. Times are the host's wall
// clock in Unix nanoseconds.
type Plan struct {
	Ring     string        `json:"ring"`
	Created  int64         `json:"created"`
	Life     time.Duration `json:"life_ns"`
	MaxBytes int64         `json:"max_bytes"`
	Until    int64         `json:"until"`             // no reading from then on
	Stopped  bool          `json:"stopped,omitempty"` // by the person
	Paused   bool          `json:"paused,omitempty"`  // it was, before the run to come
	// Wanted is the SHA-256 of the program that should run; one of another ends.
	Wanted string `json:"wanted,omitempty"`
}

// Gone is when everything is deleted.
func (p Plan) Gone() time.Time {
	return time.Unix(0, p.Until).Add(min(max(p.Life, minGrace), maxGrace))
}

// Renewed returns the plan with its whole life before it.
func (p Plan) Renewed(now time.Time) Plan {
	p.Until = now.Add(p.Life).UnixNano()
	return p
}

// Over reports whether the life is over, Expired whether the time after it is.
func (p Plan) Over(now time.Time) bool    { return now.UnixNano() >= p.Until }
func (p Plan) Expired(now time.Time) bool { return !now.Before(p.Gone()) }

// ErrNone says that no recorder was switched on here.
var ErrNone = errors.New("no recorder here")

// Make prepares the directory of a ring, or gives the one that lies there other
// options; what is 0 stays as it is, or becomes the preset. The directory must
// be ours alone.
func Make(dir string, life time.Duration, maxBytes int64, now time.Time) (Plan, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Plan{}, fmt.Errorf("make the recorder's folder: %w", err)
	}
	if err := ours(dir); err != nil {
		return Plan{}, err
	}
	return Edit(dir, func(p *Plan) {
		if p.Ring == "" {
			var raw [16]byte
			_, _ = rand.Read(raw[:]) // never fails
			*p = Plan{Ring: hex.EncodeToString(raw[:]), Created: now.UnixNano(), Life: DefaultLife, MaxBytes: DefaultBytes}
		}
		if life > 0 {
			p.Life = min(max(life, MinLife), MaxLife)
		}
		if maxBytes > 0 {
			p.MaxBytes = min(max(maxBytes, MinBytes), MaxBytes)
		}
		p.Paused = p.Paused || p.Stopped
		p.Stopped = false
		*p = p.Renewed(now)
	})
}

// Edit changes the options, one process at a time. Where there are none, f gets
// an empty plan and nothing is saved unless it names a ring.
func Edit(dir string, f func(*Plan)) (Plan, error) {
	l := flock.New(filepath.Join(dir, editName), flock.SetPermissions(0o600))
	if err := l.Lock(); err != nil {
		return Plan{}, fmt.Errorf("change the recorder's options: %w", err)
	}
	defer func() { _ = l.Unlock() }()
	p, err := LoadPlan(dir)
	if err != nil && !errors.Is(err, ErrNone) {
		return p, err
	}
	was := p
	f(&p)
	if p.Ring == "" {
		return p, ErrNone
	}
	if p == was {
		return p, nil
	}
	return p, p.Save(dir)
}

// ours refuses a directory that others can write to, or that is only a link.
func ours(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at the recorder's folder: %w", err)
	}
	if !info.IsDir() || !owned(info) {
		return fmt.Errorf("the recorder's folder %s is not this login's own", dir)
	}
	if info.Mode().Perm() != 0o700 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return fmt.Errorf("close the recorder's folder to others: %w", err)
		}
	}
	return nil
}

// LoadPlan reads what was asked for; ErrNone where nothing was.
func LoadPlan(dir string) (Plan, error) {
	var p Plan
	b, err := readSmall(filepath.Join(dir, planName))
	if errors.Is(err, fs.ErrNotExist) {
		return p, ErrNone
	}
	if err != nil {
		return p, fmt.Errorf("read the recorder's options: %w", err)
	}
	if err := json.Unmarshal(b, &p); err != nil || !RingName(p.Ring) {
		return Plan{}, ErrNone // cut off by a power cut: it is as if there were none
	}
	p.Life = min(max(p.Life, MinLife), MaxLife)
	p.MaxBytes = min(max(p.MaxBytes, MinBytes), MaxBytes)
	return p, nil
}

// Save writes the plan, on a full disk in place of the one before.
func (p Plan) Save(dir string) error {
	b, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("save the recorder's options: %w", err)
	}
	path := filepath.Join(dir, planName)
	if err = writeSmall(path+partExt, b); err == nil {
		err = os.Rename(path+partExt, path)
	}
	if err != nil {
		_ = os.Remove(path + partExt)
		err = writeSmall(path, b)
	}
	if err != nil {
		return fmt.Errorf("save the recorder's options: %w", err)
	}
	return nil
}

// smallSize is what a small file always has, so that writing it anew needs no
// space.
const smallSize = 4096

// writeSmall overwrites a small file in place.
func writeSmall(path string, b []byte) error {
	if len(b) >= smallSize {
		return fmt.Errorf("%d bytes, at most %d", len(b), smallSize-1)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	page := append(bytes.Clone(b), bytes.Repeat([]byte(" "), smallSize-1-len(b))...)
	if _, err := f.WriteAt(append(page, '\n'), 0); err != nil {
		return err
	}
	return nil
}

func readSmall(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, smallSize)
	n, err := f.ReadAt(b, 0)
	if n == 0 && err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b[:n]), nil
}

// Lock makes this process the one recorder of a directory; nil where another
// one is. Whoever only looks holds the lock for a moment, so it is tried for a
// while.
func Lock(dir string) (*flock.Flock, error) {
	l := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	ok, err := l.TryLockContext(ctx, 10*time.Millisecond)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("lock the recorder's folder: %w", err)
	}
	if !ok {
		return nil, nil
	}
	return l, nil
}

// Running reports whether a recorder holds the directory.
func Running(dir string) bool {
	path := filepath.Join(dir, lockName)
	if _, err := os.Stat(path); err != nil {
		return false
	}
	l := flock.New(path, flock.SetPermissions(0o600))
	ok, err := l.TryRLock()
	if ok {
		_ = l.Unlock()
	}
	return err == nil && !ok
}

// Erase removes a ring's files, the stop guard's, and its directory. Nobody may
// hold it. Foreign files stay, and the directory with them, which is an error.
func Erase(dir string) error {
	if err := guard.Remove(filepath.Join(dir, guard.Folder)); err != nil {
		return fmt.Errorf("remove the stop guard's files: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove what the recorder kept: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		base := name
		if ext := filepath.Ext(name); ext == partExt {
			base = name[:len(name)-len(ext)]
		}
		if _, ok := parseSegment(base); ok || base == planName || base == stateName || base == lockName || base == editName {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				return fmt.Errorf("remove what the recorder kept: %w", err)
			}
		}
	}
	if err := os.Remove(dir); err != nil {
		return fmt.Errorf("remove the recorder's folder: %w", err)
	}
	return nil
}
