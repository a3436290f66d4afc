package store

import (
	"context"
	"fmt"
	"sync"
	"time"

	"rentgen/probe"
)

// sink is what a Recorder hands messages to: the writer of this process or the
// socket of the one that writes.
type sink interface {
	message(m probe.Message)
	close(ctx context.Context, reason string) error
	id() int64
	lost() int64
}

// Recorder takes the messages of one host down. It is a stream.Sink.
type Recorder struct{ sink sink }

// StartRecording begins a recording. Messages are aggregated to seconds and
// written at most once a second. Recordings of the demo host are marked so.
func (s *Store) StartRecording(ctx context.Context, start RecordingStart) (*Recorder, error) {
	b, err := s.writes()
	if err != nil {
		return nil, err
	}
	if start.HostName == "" && start.HostID != "" {
		if h, err := s.HostByID(ctx, start.HostID); err == nil {
			start.HostName = h.Name
		}
	}
	k, err := b.startRecording(ctx, start)
	if err != nil {
		return nil, fmt.Errorf("start recording: %w", err)
	}
	return &Recorder{k}, nil
}

// ID returns the recording's number. It changes when the process that wrote it
// went away and this one took over.
func (r *Recorder) ID() int64 { return r.sink.id() }

// Message takes m down. It never waits for the disk, keeps nothing of m and
// may be called from any goroutine. What can't be kept is counted, see Lost,
// and leaves a gap of reason GapStore.
func (r *Recorder) Message(m probe.Message) { r.sink.message(m) }

// Lost returns how many seconds of readings had to be thrown away.
func (r *Recorder) Lost() int64 { return r.sink.lost() }

// Close writes what waits and ends the recording; reason is kept with it.
// Closing twice does nothing.
func (r *Recorder) Close(reason string) error {
	if err := r.sink.close(context.Background(), reason); err != nil {
		return fmt.Errorf("close recording: %w", err)
	}
	return nil
}

const (
	// maxPending bounds what waits for the disk: three hours of eight cards.
	maxPending = 100_000
	// keepSeconds is how long a second stays open for ticks that belong to it.
	keepSeconds = 3
)

// run is one reader, as the recorder sees it.
type run struct {
	id       int64 // 0 until written
	identity probe.Run
	source   probe.Source
	agent    string
	offset   time.Duration
	started  time.Time
	top      uint64 // greatest sequence number seen
	topT     int64  // and its second
	ended    bool
	reason   string
}

// pendingRow is a row that waits for the disk.
type pendingRow struct {
	run  *run
	card probe.Device // UUID, index and name
	seq  uint64
	span uint64
	t    int64
	late bool
	slot int64 // second of the host's monotonic clock, 0 unknown
	data []byte
}

type pendingGap struct {
	probe.Gap
	lost int64
}

// batch is what one transaction writes of one recording.
type batch struct {
	rows    []pendingRow
	gaps    []pendingGap
	events  []probe.Event
	devices []probe.Device
	ended   []*run
	lost    int64
}

func (b *batch) empty() bool {
	return len(b.rows) == 0 && len(b.gaps) == 0 && len(b.events) == 0 && len(b.devices) == 0 && len(b.ended) == 0
}

// tape is the recorder of the process that writes.
type tape struct {
	o         *owner
	recording int64
	host      string
	limit     int

	mu       sync.Mutex
	closed   bool
	run      *run
	reader   bool // an inventory came since the last sample
	inv      *probe.Inventory
	seconds  []*second
	newest   int64
	wait     batch
	lostAll  int64
	lostFrom int64
	lostTo   int64
	lostN    int64

	// of the writer goroutine alone
	trackIDs map[string]int64
	hours    map[int64]time.Time // hours with rows, and when they were last written to
	ending   *string             // why it ends, where that could not be written yet
}

func (t *tape) id() int64 { return t.recording }

func (t *tape) lost() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lostAll
}

func (t *tape) message(m probe.Message) {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return
	}
	switch m := m.(type) {
	case *probe.Inventory:
		t.inventory(m)
	case *probe.Sample:
		t.sample(m)
	case *probe.Event:
		t.event(*m)
	case *probe.Gap:
		t.gap(*m)
	}
	t.mu.Unlock()
	t.o.poke()
}

func (t *tape) inventory(inv *probe.Inventory) {
	if inv == nil {
		return
	}
	t.inv, t.reader = inv, true
	for _, d := range inv.GPUs {
		d.UUID = trackName(d.UUID, d.Index)
		t.wait.devices = append(t.wait.devices, d)
	}
	if n := len(t.wait.devices); n > maxDevices {
		t.wait.devices = append([]probe.Device(nil), t.wait.devices[n-maxDevices:]...)
	}
}

// maxDevices and the two below bound lists a host can make long.
const (
	maxDevices = 1024
	maxEvents  = 10_000
	maxGaps    = 10_000
	maxText    = 4096
)

func (t *tape) event(e probe.Event) {
	if len(t.wait.events) >= maxEvents {
		return
	}
	e.Text, e.Raw = clipText(e.Text), clipText(e.Raw)
	t.wait.events = append(t.wait.events, e)
}

func (t *tape) gap(g probe.Gap) {
	if len(t.wait.gaps) >= maxGaps || !g.To.After(g.From) {
		return
	}
	t.wait.gaps = append(t.wait.gaps, pendingGap{Gap: g})
	if g.GPU == "" && t.run != nil {
		t.run.reason = string(g.Reason)
	}
}

// newReader says whether a sample is the first of another reader.
func (t *tape) newReader(s *probe.Sample, sec int64) bool {
	r := t.run
	if r == nil {
		return true
	}
	if s.Seq > r.top {
		return t.reader && t.changed(r)
	}
	// Numbers that start anew with time going on are another reader; an old
	// number with an old time is a late reading.
	return sec > r.topT || (t.reader && sec >= r.topT)
}

// changed reports whether the inventory names another run of the instance.
func (t *tape) changed(r *run) bool {
	if t.inv == nil {
		return false
	}
	if t.inv.Source != r.source || t.inv.Agent != r.agent {
		return true
	}
	return t.inv.Run != (probe.Run{}) && r.identity != (probe.Run{}) && !t.inv.Run.Same(r.identity)
}

func (t *tape) sample(s *probe.Sample) {
	if s == nil {
		return
	}
	sec := s.Time.Unix()
	if sec < 0 || hourOf(sec) > maxHour {
		return
	}
	if t.newReader(s, sec) {
		t.begin(s, sec)
	}
	t.reader = false
	r := t.run
	o := t.second(s, sec)
	if o == nil {
		return
	}
	o.add(s)
	if s.Seq >= r.top {
		r.top, r.topT = s.Seq, max(sec, r.topT)
	}
	t.newest = max(t.newest, sec)
	t.bound()
}

// begin starts a new run of rows.
func (t *tape) begin(s *probe.Sample, sec int64) {
	if t.run != nil {
		t.run.ended = true
		t.wait.ended = append(t.wait.ended, t.run)
	}
	r := &run{started: s.Time, top: s.Seq, topT: sec}
	if !s.HostTime.IsZero() {
		r.offset = s.HostTime.Sub(s.Time)
	}
	if t.inv != nil {
		r.identity, r.source, r.agent = t.inv.Run, t.inv.Source, t.inv.Agent
	}
	t.run = r
}

// second returns the second a sample belongs to: the open one, or one of its
// own where the numbers don't follow; nil for a sample that is there already.
func (t *tape) second(s *probe.Sample, sec int64) *second {
	for i := len(t.seconds) - 1; i >= 0; i-- {
		o := t.seconds[i]
		if o.t == sec && o.run == t.run && s.Seq == o.hi+1 {
			o.hi = s.Seq
			return o
		}
	}
	o := &second{t: sec, run: t.run, lo: s.Seq, hi: s.Seq, slot: slotOf64(s.Mono), late: sec < t.newest || s.Seq < t.run.top}
	for i, old := range t.seconds {
		if old.run != t.run || s.Seq < old.lo || s.Seq > old.hi {
			continue
		}
		if old.t == sec {
			return nil
		}
		// The same number at another second: the clock was corrected, and the
		// later word counts.
		o.late = true
		if old.lo == old.hi {
			t.seconds[i] = o
			return o
		}
	}
	t.seconds = append(t.seconds, o)
	return o
}

// bound keeps the number of seconds that wait within maxPending rows.
func (t *tape) bound() {
	if len(t.seconds) > keepSeconds+1 {
		t.settle()
	}
	n := len(t.wait.rows) - t.limit
	if n <= 0 {
		return
	}
	// Whole tenths at once, so that a full queue isn't moved with every tick.
	n = min(len(t.wait.rows), n+t.limit/10)
	for _, r := range t.wait.rows[:n] {
		if t.lostN == 0 || r.t < t.lostFrom {
			t.lostFrom = r.t
		}
		t.lostTo = max(t.lostTo, r.t+1)
		t.lostN++
		t.lostAll++
	}
	t.wait.rows = append(t.wait.rows[:0:0], t.wait.rows[n:]...)
}

// settle turns seconds into rows: all that changed, so that a crash costs no
// more than what came since the last batch; old ones are let go of.
func (t *tape) settle() {
	keep := t.seconds[:0]
	for _, s := range t.seconds {
		if s.dirty {
			t.rows(s)
			s.dirty = false
		}
		if s.t > t.newest-keepSeconds {
			keep = append(keep, s)
		}
	}
	clear(t.seconds[len(keep):])
	t.seconds = keep
}

func (t *tape) rows(s *second) {
	for _, tr := range s.tracks {
		cells := tr.cells()
		t.wait.rows = append(t.wait.rows, pendingRow{
			run: s.run, card: tr.device, seq: s.lo, span: s.hi - s.lo, t: s.t, late: s.late, slot: s.slot,
			data: encodeRow(make([]byte, 0, 3*len(cells)), cells),
		})
	}
}

// take hands over what waits.
func (t *tape) take() batch {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.settle()
	b := t.wait
	t.wait = batch{}
	if t.lostN > 0 {
		b.gaps = append(b.gaps, pendingGap{
			Gap:  probe.Gap{From: time.Unix(t.lostFrom, 0), To: time.Unix(t.lostTo, 0), Reason: GapStore},
			lost: t.lostN,
		})
		b.lost += t.lostN
		t.lostFrom, t.lostTo, t.lostN = 0, 0, 0
	}
	return b
}

// giveBack takes back what could not be written.
func (t *tape) giveBack(b batch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	b.rows = append(b.rows, t.wait.rows...)
	b.gaps = append(b.gaps, t.wait.gaps...)
	b.events = append(b.events, t.wait.events...)
	b.devices = append(b.devices, t.wait.devices...)
	b.ended = append(b.ended, t.wait.ended...)
	b.lost += t.wait.lost
	t.wait = b
	t.bound()
}

func clipText(s string) string {
	if len(s) > maxText {
		return s[:maxText]
	}
	return s
}
