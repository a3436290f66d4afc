package resident

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"rentgen/probe"
	"rentgen/probe/wire"
)

// Bounds of a ring.
const (
	MinBytes     = 1 << 20
	DefaultBytes = 64 << 20
	MaxBytes     = 4 << 30

	maxSegment = 1 << 20
	minSegment = 32 << 10
	// segmentAge is when a segment is finished whatever its size: what is
	// packed is a fifth.
	segmentAge = time.Hour
	// syncEvery is how often what was written is made to last a power cut.
	syncEvery = 5 * time.Second
	// retryEvery is how often a full disk is tried again.
	retryEvery = 5 * time.Second
	// maxHeld is how many readings wait in memory while nothing can be written.
	maxHeld = 600
)

// Params say how a ring is written.
type Params struct {
	Dir      string
	MaxBytes int64
	// Start describes this run; Ring and Run are filled in.
	Start wire.Start
	// Write replaces the writing of a file, for tests.
	Write func(f *os.File, b []byte) (int, error)
}

// Writer writes one run of a ring. It is used by one goroutine.
type Writer struct {
	p      Params
	start  wire.Start
	seq    uint64 // of the last record made
	inv    *probe.Inventory
	limit  int64 // of a segment
	others int64 // bytes of all other segments

	file    *os.File // nil while there is none
	seg     segment
	began   time.Duration // mono of the segment's first record
	good    int64
	enc     *wire.Encoder
	buf     bytes.Buffer
	out     []byte
	syncing atomic.Bool
	synced  time.Duration

	held    []heldFrame // not written yet
	samples int         // among them
	hole    *wire.Hole  // what was dropped of them
	tried   time.Duration
	why     error // of the last failed write
}

type heldFrame struct {
	seq   uint64
	frame wire.Frame
}

// OpenRing cuts what an earlier run left torn, packs it, and begins a new run.
// Nothing is written before the first record.
func OpenRing(p Params) (*Writer, error) {
	if p.MaxBytes <= 0 {
		p.MaxBytes = DefaultBytes
	}
	p.MaxBytes = min(max(p.MaxBytes, MinBytes), MaxBytes)
	if p.Write == nil {
		p.Write = func(f *os.File, b []byte) (int, error) { return f.Write(b) }
	}
	w := &Writer{p: p, start: p.Start, limit: min(max(p.MaxBytes/32, minSegment), maxSegment)}
	list, err := segments(p.Dir)
	if err != nil {
		return nil, err
	}
	for i := range list {
		w.start.Run = max(w.start.Run, list[i].run)
		if list[i].packed {
			continue
		}
		if _, err := pack(p.Dir, list[i]); err != nil {
			w.why = err // a full disk; it can be read as it is
		}
	}
	w.start.Run++
	removeLeft(p.Dir)
	w.measure()
	return w, nil
}

// removeLeft removes what a crash left half made.
func removeLeft(dir string) {
	entries, _ := os.ReadDir(dir)
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name()] = true
	}
	for name := range names {
		base, isPart := strings.CutSuffix(name, partExt)
		_, seg := parseSegment(base)
		double := strings.HasSuffix(name, openExt) && names[strings.TrimSuffix(name, openExt)+packedExt]
		if isPart && seg || double && seg {
			_ = os.Remove(filepath.Join(dir, name))
		}
	}
}

// measure counts the bytes of all segments but the one being written.
func (w *Writer) measure() {
	w.others = 0
	list, err := segments(w.p.Dir)
	if err != nil {
		return
	}
	for _, s := range list {
		if w.file == nil || s.run != w.seg.run || s.first != w.seg.first {
			w.others += s.size
		}
	}
}

// Run returns the number of this run.
func (w *Writer) Run() uint64 { return w.start.Run }

// Trouble returns why nothing can be written, nil while all is well.
func (w *Writer) Trouble() error { return w.why }

// Bytes returns the size of the ring.
func (w *Writer) Bytes() int64 { return w.others + w.good }

// Write keeps a frame: an inventory, a sample or an event. mono is the host's
// monotonic clock now. It never fails: while the disk takes nothing the newest
// readings wait in memory, and what had to be let go of is told as a hole. A
// sample gets the record's number as its Seq.
func (w *Writer) Write(f wire.Frame, mono time.Duration) {
	w.seq++
	if f.Inventory != nil {
		w.inv = f.Inventory
	}
	if f.Sample != nil {
		f.Sample.Seq = w.seq
	}
	w.held = append(w.held, heldFrame{w.seq, f})
	if f.Sample != nil {
		w.samples++
	}
	if w.why != nil && mono-w.tried < retryEvery && mono >= w.tried {
		w.bound()
		return
	}
	w.tried = mono
	w.why = w.flush(mono)
	if w.why != nil {
		w.bound()
		return
	}
	w.sync(mono)
}

// bound lets go of the oldest that waits.
func (w *Writer) bound() {
	drop := 0
	for n := w.samples; n > maxHeld || len(w.held)-drop > 2*maxHeld; drop++ {
		s := w.held[drop].frame.Sample
		if s == nil {
			continue
		}
		n--
		w.samples = n
		if w.hole == nil {
			w.hole = &wire.Hole{From: s.Mono, Reason: string(probe.GapDisk)}
		}
		w.hole.To = s.Mono
	}
	w.held = append(w.held[:0], w.held[drop:]...)
}

// flush writes what waits.
func (w *Writer) flush(mono time.Duration) error {
	for len(w.held) > 0 {
		if w.file != nil && (w.good >= w.limit || mono-w.began >= segmentAge) {
			w.finish()
		}
		if w.file == nil {
			if err := w.begin(mono); err != nil {
				return err
			}
		}
		h := w.held[0]
		if err := w.put(h.seq, h.frame); err != nil {
			w.abandon()
			return err
		}
		if h.frame.Sample != nil {
			w.samples--
			w.hole = nil // it stands at the head of this segment
		}
		w.held = append(w.held[:0], w.held[1:]...)
	}
	return nil
}

// begin makes a segment with the run and the inventory at its head.
func (w *Writer) begin(mono time.Duration) error {
	w.makeRoom()
	seg := segment{run: w.start.Run, first: w.held[0].seq}
	path := filepath.Join(w.p.Dir, seg.name())
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("begin segment: %w", err)
	}
	w.file, w.seg, w.good, w.began = f, seg, 0, mono
	w.buf.Reset()
	w.enc = wire.NewEncoder(&w.buf)
	if err := w.raw([]byte(magic)); err != nil {
		w.abandon()
		return err
	}
	// These are no records of their own: they have the number before the first.
	for _, f := range []wire.Frame{{Start: &w.start}, {Inventory: w.inv}, {Hole: w.hole}} {
		if f.Start == nil && f.Inventory == nil && f.Hole == nil {
			continue
		}
		if err := w.put(seg.first-1, f); err != nil {
			w.abandon()
			return err
		}
	}
	syncDir(w.p.Dir)
	return nil
}

// put writes one record.
func (w *Writer) put(seq uint64, f wire.Frame) error {
	w.buf.Reset()
	if err := w.enc.Write(f); err != nil {
		return err
	}
	w.out = appendRecord(w.out[:0], seq, w.buf.Bytes())
	return w.raw(w.out)
}

func (w *Writer) raw(b []byte) error {
	n, err := w.p.Write(w.file, b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fmt.Errorf("write segment: %w", err)
	}
	w.good += int64(n)
	return nil
}

// abandon ends a segment after a failed write: what was written whole stays.
// The encoder knows of more than the file, so the next record needs another.
func (w *Writer) abandon() {
	if w.file == nil {
		return
	}
	_ = w.file.Truncate(w.good)
	_ = w.file.Close()
	w.file = nil
	if sum, err := summarise(w.p.Dir, w.seg); err != nil || sum.Samples == 0 {
		_ = os.Remove(filepath.Join(w.p.Dir, w.seg.name()))
	}
	w.good = 0
	w.measure()
}

// finish packs the segment that is full.
func (w *Writer) finish() {
	if w.file == nil {
		return
	}
	_ = w.file.Close()
	w.file = nil
	_, _ = pack(w.p.Dir, w.seg) // one that can't be packed is read as it is
	w.good = 0
	w.measure()
}

// makeRoom removes the oldest segments until another one fits.
func (w *Writer) makeRoom() {
	list, err := segments(w.p.Dir)
	if err != nil {
		return
	}
	w.measure()
	for _, s := range list {
		if w.others+w.limit <= w.p.MaxBytes {
			return
		}
		if os.Remove(filepath.Join(w.p.Dir, s.name())) == nil {
			w.others -= s.size
		}
	}
}

// sync makes what was written last, without waiting for the disk.
func (w *Writer) sync(mono time.Duration) {
	if w.file == nil || mono-w.synced < syncEvery || !w.syncing.CompareAndSwap(false, true) {
		return
	}
	w.synced = mono
	f := w.file
	go func() {
		_ = f.Sync() // of a file that was closed meanwhile: its end was synced
		w.syncing.Store(false)
	}()
}

// Close writes what waits and lets go of the segment; the next run packs it.
func (w *Writer) Close() error {
	err := w.flush(w.tried)
	if w.file != nil {
		err = errors.Join(err, w.file.Sync(), w.file.Close())
		w.file = nil
	}
	return err
}
