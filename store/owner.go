package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

const (
	// flushEvery is the least time between two batches.
	flushEvery = time.Second
	// sealAfter is how long an hour must have been left alone to be sealed.
	sealAfter = 5 * time.Second
	// cutEvery is how often the length of the log is looked at.
	cutEvery = 5 * time.Second
)

// owner is the backend of the process that holds the lock: the write pool, the
// writer goroutine, the housekeeping and the local socket.
type owner struct {
	s    *Store
	db   *sql.DB
	lock *flock.Flock

	wake  chan struct{}
	calls chan func() // run by the writer between two batches
	chore chan struct{}
	stop  chan struct{}
	done  sync.WaitGroup
	srv   *server
	left  []unsealed

	mu    sync.Mutex
	tapes map[int64]*tape

	seen seen // what was read live and kept

	limit     int           // rows that may wait for the disk, per recording
	sealAfter time.Duration // how long an hour must have been left alone
	cut       time.Time     // when the log was last looked at; of the writer alone
	// Tests make a batch fail and hear of seals.
	failFlush func() error
	onSeal    func()
}

func newOwner(ctx context.Context, s *Store, lock *flock.Flock, damage *Damage) (*owner, error) {
	db, err := openWriter(ctx, s.path)
	if err != nil {
		return nil, named(err)
	}
	o := &owner{
		s: s, db: db, lock: lock, limit: maxPending, sealAfter: sealAfter, tapes: map[int64]*tape{},
		wake: make(chan struct{}, 1), chore: make(chan struct{}, 1),
		calls: make(chan func()), stop: make(chan struct{}),
	}
	if damage != nil {
		text, _ := json.Marshal(damage)
		if err := o.saveSetting(ctx, damageKey, string(text)); err != nil {
			_ = db.Close()
			return nil, err
		}
	}
	left, err := o.recover(ctx)
	if err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("close recordings left open: %w", named(err))
	}
	o.left = left
	return o, nil
}

// start begins to write and to listen; the store can be read by then.
func (o *owner) start() {
	o.done.Add(2)
	go o.write()
	go o.keepHouse(o.left)
	o.tend()
	var err error
	if o.srv, err = serve(o); err != nil {
		// Without the socket other processes can't hand over their writes;
		// this one works all the same.
		o.s.p.Log.Warn("no local socket", "err", err)
	}
}

// poke wakes the writer.
func (o *owner) poke() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// tend wakes the housekeeping.
func (o *owner) tend() {
	select {
	case o.chore <- struct{}{}:
	default:
	}
}

// write is the writer goroutine: the only one that touches rows of recordings
// that are being written.
func (o *owner) write() {
	defer o.done.Done()
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	armed := false
	var last time.Time
	for {
		select {
		case <-o.stop:
			return
		case f := <-o.calls:
			f()
			continue
		case <-o.wake:
			if !armed {
				timer.Reset(max(0, flushEvery-time.Since(last)))
				armed = true
			}
			continue
		case <-timer.C:
			armed = false
		}
		last = time.Now()
		o.flushAll()
		o.mu.Lock()
		recording := len(o.tapes) > 0
		o.mu.Unlock()
		if recording {
			// Closed hours are sealed and failed batches tried again even when
			// nothing more comes.
			timer.Reset(flushEvery)
			armed = true
		}
	}
}

// call runs f on the writer goroutine.
func (o *owner) call(ctx context.Context, f func()) error {
	ran := make(chan struct{})
	select {
	case o.calls <- func() { defer close(ran); f() }:
		<-ran
		return nil
	case <-o.stop:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (o *owner) all() []*tape {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := make([]*tape, 0, len(o.tapes))
	for _, t := range o.tapes {
		list = append(list, t)
	}
	return list
}

// flushAll writes one batch and seals what is due.
func (o *owner) flushAll() {
	ctx := context.Background()
	tapes := o.all()
	if err := o.flush(ctx, tapes); err != nil {
		o.trouble(err)
		return
	}
	for _, t := range tapes {
		if t.ending != nil {
			_ = o.finish(ctx, t, *t.ending)
		}
	}
	// One hour between two batches, so that no batch waits for a row of them.
	for _, t := range tapes {
		sealed, err := o.sealDue(ctx, t)
		if err != nil {
			o.trouble(err)
			return
		}
		if sealed {
			break
		}
	}
	o.s.tell(nil)
	if time.Since(o.cut) >= cutEvery {
		o.cut = time.Now()
		if err := o.cutLog(ctx); err != nil {
			o.trouble(err)
		}
	}
}

// cutLog shortens a log that a long reader made grow, as soon as that reader
// is gone; until then it waits for nobody.
func (o *owner) cutLog(ctx context.Context) error {
	info, err := os.Stat(o.s.path + "-wal")
	if err != nil || info.Size() <= walLimit {
		return nil
	}
	conn, err := o.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "PRAGMA busy_timeout=0"); err != nil {
		return err
	}
	var busy, pages, done int
	err = conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &done)
	if err != nil && classOf(err) == troubleBusy {
		err = nil
	}
	_, back := conn.ExecContext(ctx, "PRAGMA busy_timeout=5000")
	return errors.Join(err, back)
}

// trouble tells of a failed write and marks a damaged file for the next Open.
func (o *owner) trouble(err error) {
	err = named(err)
	if errors.Is(err, ErrDamaged) {
		markDamaged(o.s.p.Dir, err)
	}
	o.s.tell(err)
}

func (o *owner) startRecording(ctx context.Context, start RecordingStart) (sink, error) {
	demo := 0
	if start.Demo {
		demo = 1
	}
	res, err := o.db.ExecContext(ctx, "INSERT INTO recordings (host, host_name, demo, source, started) VALUES (?,?,?,?,?)",
		start.HostID, clipText(start.HostName), demo, string(start.Source), o.s.p.Now().UnixMilli())
	if err != nil {
		return nil, named(err)
	}
	id, err := res.LastInsertId()
	if err != nil {
		return nil, err
	}
	t := &tape{o: o, recording: id, host: start.HostID, limit: o.limit, trackIDs: map[string]int64{}, hours: map[int64]time.Time{}}
	o.mu.Lock()
	o.tapes[id] = t
	o.mu.Unlock()
	return t, nil
}

// close of a tape writes what waits, seals its hours and ends the recording.
func (t *tape) close(ctx context.Context, reason string) error {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return nil
	}
	t.closed = true
	if t.run != nil {
		t.run.ended, t.run.reason = true, reason
		t.wait.ended = append(t.wait.ended, t.run)
	}
	t.mu.Unlock()
	var err error
	if callErr := t.o.call(ctx, func() { err = t.o.finish(context.Background(), t, reason) }); callErr != nil {
		return callErr
	}
	return err
}

// finish runs on the writer. What it can't write now, on a full disk, it tries
// again with every batch; the next Open ends what is left then.
func (o *owner) finish(ctx context.Context, t *tape, reason string) error {
	err := o.end(ctx, t, reason)
	if err != nil {
		t.ending = &reason
		o.trouble(err)
		return named(err)
	}
	o.mu.Lock()
	delete(o.tapes, t.recording)
	o.mu.Unlock()
	return nil
}

func (o *owner) end(ctx context.Context, t *tape, reason string) error {
	if err := o.flush(ctx, []*tape{t}); err != nil {
		return err
	}
	for h := range t.hours {
		if err := o.seal(ctx, t.recording, []int64{h}); err != nil {
			return err
		}
		delete(t.hours, h)
		if err := o.flush(ctx, o.all()); err != nil { // of the other recordings
			return err
		}
	}
	err := transact(ctx, o.db, func(tx *sql.Tx) error {
		if err := o.seen.keep(ctx, tx, t.host, true); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE recordings SET ended=?, reason=? WHERE id=?",
			o.s.p.Now().UnixMilli(), clipText(reason), t.recording)
		return err
	})
	if err != nil {
		return fmt.Errorf("end recording: %w", err)
	}
	return nil
}

// close ends everything.
func (o *owner) close(ctx context.Context) error {
	var errs []error
	if o.srv != nil {
		o.srv.close()
	}
	for _, t := range o.all() {
		errs = append(errs, t.close(ctx, EndClosed))
	}
	close(o.stop)
	o.done.Wait()
	errs = append(errs, o.db.Close(), o.lock.Unlock())
	return errors.Join(errs...)
}

func (o *owner) saveSetting(ctx context.Context, key, value string) error {
	_, err := o.db.ExecContext(ctx, "INSERT INTO settings (key, value) VALUES (?,?) ON CONFLICT (key) DO UPDATE SET value=excluded.value", key, value)
	if err != nil {
		return fmt.Errorf("save setting %s: %w", key, named(err))
	}
	if key == retentionKey {
		o.tend()
	}
	return nil
}

func (s *Store) setting(ctx context.Context, key string) (string, error) {
	db, err := s.reads()
	if err != nil {
		return "", err
	}
	var value string
	err = db.QueryRowContext(ctx, "SELECT value FROM settings WHERE key=?", key).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read setting %s: %w", key, named(err))
	}
	return value, nil
}

func keys[K comparable, V any](m map[K]V) []K {
	list := make([]K, 0, len(m))
	for k := range m {
		list = append(list, k)
	}
	return list
}
