package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

const (
	fileName = "history.db"
	lockName = "history.lock"
)

// Params says where the history lies.
type Params struct {
	// Dir is the folder, made with mode 0700 if it is missing.
	Dir string
	Log *slog.Logger
	// ReadOnly opens without a lock and never writes; a missing database is an
	// empty one.
	ReadOnly bool
	// Now is the clock; time.Now when nil.
	Now func() time.Time
	// OnError hears what goes wrong in the background; it must not block. See
	// also Store.OnError.
	OnError func(error)
}

// Store is an open history. Its methods may be called at the same time.
type Store struct {
	p    Params
	path string
	read *sql.DB
	// older is the schema of a file that is only read, where it is not ours yet.
	older int

	mu      sync.Mutex
	back    backend // who writes: this process or the one that holds the lock
	closed  bool
	hear    map[int]func(error)
	hearN   int
	raise   func()
	lastErr string
}

// backend is where writes go.
type backend interface {
	saveHost(ctx context.Context, h Host) error
	forgetHost(ctx context.Context, id string, withRecordings bool) error
	deleteRecording(ctx context.Context, id int64) error
	saveSetting(ctx context.Context, key, value string) error
	savePlan(ctx context.Context, p PlanRecord) error
	deletePlan(ctx context.Context, id string) error
	saveGuide(ctx context.Context, host string, list []GuideRecord) error
	deleteGuide(ctx context.Context, k GuideKeys) error
	savePurse(ctx context.Context, list []PurseRecord) error
	deletePurse(ctx context.Context, k PurseKeys) error
	saveJudged(ctx context.Context, r JudgedRecord) error
	saveImport(ctx context.Context, r ImportRecord) error
	fill(ctx context.Context, r FillRecord) error
	startRecording(ctx context.Context, start RecordingStart) (sink, error)
	close(ctx context.Context) error
}

// Open opens the history in p.Dir. The first process to do so becomes its
// writer; others hand their writes to it. A damaged or newer database is set
// aside, see Damaged. The error is ErrOtherVersion when the writer runs another
// version of the program.
func Open(ctx context.Context, p Params) (*Store, error) {
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	s := &Store{p: p, path: filepath.Join(p.Dir, fileName), hear: map[int]func(error){}}
	if p.OnError != nil {
		s.OnError(p.OnError)
	}
	if p.ReadOnly {
		return s, s.openForReading(ctx)
	}
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make history folder: %w", err)
	}
	lock, err := tryLock(p.Dir)
	if err != nil {
		return nil, err
	}
	if lock == nil {
		if err := s.openBeside(ctx); err != nil {
			return nil, err
		}
		return s, nil
	}
	if err := s.openAsWriter(ctx, lock); err != nil {
		_ = lock.Unlock()
		return nil, err
	}
	return s, nil
}

// tryLock returns nil where another process holds the folder.
func tryLock(dir string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock history folder: %w", err)
	}
	if !ok {
		return nil, nil
	}
	return lock, nil
}

// openAsWriter takes over the folder; lock is held.
func (s *Store) openAsWriter(ctx context.Context, lock *flock.Flock) error {
	var damage *Damage
	if kind, said := inspect(ctx, s.path); kind != "" {
		var err error
		if damage, err = setAside(s.path, kind, said, s.p.Now()); err != nil {
			return err
		}
		s.p.Log.Warn("history set aside", "kind", kind, "path", damage.Path, "said", said)
	}
	o, err := newOwner(ctx, s, lock, damage)
	if err != nil {
		return err
	}
	s.mu.Lock()
	old := s.read
	s.mu.Unlock()
	read := old
	if old == nil || damage != nil {
		if read, err = openReader(s.path); err != nil {
			return errors.Join(err, o.close(ctx))
		}
	}
	s.mu.Lock()
	s.read = read
	s.mu.Unlock()
	o.start()
	s.mu.Lock()
	s.back = o
	s.mu.Unlock()
	if old != nil && old != read {
		_ = old.Close()
	}
	return nil
}

// openForReading opens an existing database, or an empty one in memory.
func (s *Store) openForReading(ctx context.Context) error {
	if _, err := os.Stat(s.path); errors.Is(err, fs.ErrNotExist) {
		db, err := sql.Open(driverName, ":memory:")
		if err != nil {
			return fmt.Errorf("open history for reading: %w", err)
		}
		db.SetMaxOpenConns(1)
		s.read = db
		return migrate(ctx, db)
	}
	read, err := openReader(s.path)
	if err != nil {
		return err
	}
	s.read = read
	return s.checkVersion(ctx)
}

func (s *Store) checkVersion(ctx context.Context) error {
	var version int
	if err := s.read.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return fmt.Errorf("open history for reading: %w", named(err))
	}
	if s.p.ReadOnly && version > 0 && version < schemaVersion {
		// Steps only add tables: what an older program wrote can be read before
		// the first write brings the file up.
		s.older = version
		return nil
	}
	if version != schemaVersion {
		return fmt.Errorf("open history for reading: schema %d, this program's is %d: %w", version, schemaVersion, ErrOtherVersion)
	}
	return nil
}

// writes returns where writes go.
func (s *Store) writes() (backend, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, ErrClosed
	case s.p.ReadOnly || s.back == nil:
		return nil, ErrReadOnly
	}
	return s.back, nil
}

// Writer reports whether this process writes the database itself.
func (s *Store) Writer() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.back.(*owner)
	return ok
}

// reads returns the pool of the readers.
func (s *Store) reads() (*sql.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	return s.read, nil
}

// OnError makes f hear what goes wrong in the background, from any goroutine;
// f must not block. The same trouble is told once, until it is over.
func (s *Store) OnError(f func(error)) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hearN++
	n := s.hearN
	s.hear[n] = f
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.hear, n)
	}
}

// tell passes an error on, once; nil says that the trouble is over.
func (s *Store) tell(err error) {
	s.mu.Lock()
	text := ""
	if err != nil {
		text = err.Error()
	}
	same := text == s.lastErr
	s.lastErr = text
	var list []func(error)
	if err != nil && !same {
		for _, f := range s.hear {
			list = append(list, f)
		}
	}
	s.mu.Unlock()
	if len(list) > 0 || (err != nil && !same) {
		s.p.Log.Error("history", "err", err)
	}
	for _, f := range list {
		f(err)
	}
}

// Close ends recordings that still run with reason EndClosed, writes what
// waits, and lets go of the folder.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	back, read := s.back, s.read
	s.mu.Unlock()
	var errs []error
	// The writer closes last, so that it can fold the log into the file.
	if read != nil {
		errs = append(errs, read.Close())
	}
	if back != nil {
		errs = append(errs, back.close(context.Background()))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close history: %w", err)
	}
	return nil
}
