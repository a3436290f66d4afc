package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"rentgen/probe"
)

// EndRecorder is the reason of a recording that holds what a recorder on the
// host kept while no recording was written here.
const EndRecorder = "recorder"

// sourceResident marks the runs whose rows a recorder on the host read.
const sourceResident = "resident"

// fillKey and the host's id are the setting that holds a cursor.
const fillKey = "fill."

// Filler puts what a recorder on a host kept into the history of that host. It
// is a stream.History.
//
// A second that is there stays as it is: what was read live wins. A hole gets
// the recorder's second, in the recording that it is a hole of, and the gaps of
// that recording shrink. Seconds outside of every recording go into one of
// reason EndRecorder, which grows as long as no other begins. Where the recorder
// has a hole too, its reason takes the place of ours.
//
// A fill and its cursor are one transaction, so whatever ends this program in
// between is harmless, and a fill that comes twice changes nothing.
type Filler struct {
	s     *Store
	start RecordingStart
}

// Filler returns the filler of a host; of start the source does not matter.
func (s *Store) Filler(start RecordingStart) *Filler {
	start.Source = probe.SourceAgent
	return &Filler{s, start}
}

// hostKey names a host also where it isn't saved.
func hostKey(start *RecordingStart) string {
	if start.HostID != "" {
		return start.HostID
	}
	return ":" + start.HostName
}

// Cursor returns that of the last fill that was kept, "" for none.
func (f *Filler) Cursor(ctx context.Context) (string, error) {
	return f.s.setting(ctx, fillKey+hostKey(&f.start))
}

// Fill keeps a fill and its cursor, both or neither.
func (f *Filler) Fill(ctx context.Context, fill *probe.Fill) error {
	b, err := f.s.writes()
	if err != nil {
		return err
	}
	if err := b.fill(ctx, FillRecord{f.start, fill}); err != nil {
		return fmt.Errorf("fill history: %w", err)
	}
	return nil
}

// fill runs on the writer, behind all that was read live so far.
func (o *owner) fill(ctx context.Context, r FillRecord) error {
	if err := r.check(); err != nil {
		return err
	}
	var err error
	if callErr := o.call(ctx, func() { err = o.fillNow(context.WithoutCancel(ctx), &r) }); callErr != nil {
		return callErr
	}
	return named(err)
}

func (o *owner) fillNow(ctx context.Context, r *FillRecord) error {
	if err := o.flush(ctx, o.all()); err != nil {
		return err
	}
	f := &filling{
		ctx: ctx, o: o, start: &r.Start, fill: r.Fill, hours: map[int64]*taken{}, runs: map[int64]int64{},
		tracks: map[int64]map[string]int64{}, filled: map[int64]*filledSeconds{},
	}
	err := transact(ctx, o.db, func(tx *sql.Tx) error {
		f.tx = tx
		return f.run()
	})
	if err != nil {
		return err
	}
	// A recording that is being written seals its own hours.
	now := time.Now()
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, s := range f.filled {
		if t := o.tapes[id]; t != nil {
			for h := range s.hours {
				t.hours[h] = now
			}
		}
	}
	return nil
}

// filling is one fill in its transaction.
type filling struct {
	ctx   context.Context
	tx    *sql.Tx
	o     *owner
	start *RecordingStart
	fill  *probe.Fill

	insert  *sql.Stmt // a row
	recs    []*filledRecording
	devices map[string]probe.Device
	inv     *probe.Inventory
	hours   map[int64]*taken           // which seconds are there, by hour
	runs    map[int64]int64            // the run of the recorder, by recording
	tracks  map[int64]map[string]int64 // by recording and card
	filled  map[int64]*filledSeconds   // what was added, by recording
}

// filledRecording is a recording of the host.
type filledRecording struct {
	id          int64
	first, last int64 // Unix seconds
	open        bool
	recorder    bool // of reason EndRecorder
}

// filledSeconds are the seconds added to a recording.
type filledSeconds struct {
	hours map[int64]bool
	cards map[string][]int64 // ascending, by card; "" for any
}

func (f *filling) exec(query string, args ...any) error {
	_, err := f.tx.ExecContext(f.ctx, query, args...)
	return err
}

func (f *filling) run() error {
	var err error
	f.recs, err = listRows(f.ctx, f.tx, `SELECT id, first, last, ended IS NULL, reason=? FROM recordings
		WHERE deleted=0 AND demo=0 AND first IS NOT NULL AND host=? AND (host<>'' OR host_name=?)
		AND id NOT IN (SELECT recording FROM imports) ORDER BY first, id`,
		[]any{EndRecorder, f.start.HostID, f.start.HostName}, func(r **filledRecording) []any {
			*r = &filledRecording{}
			return []any{&(*r).id, &(*r).first, &(*r).last, &(*r).open, &(*r).recorder}
		})
	if err != nil {
		return err
	}
	if f.insert, err = f.tx.PrepareContext(f.ctx, "INSERT OR REPLACE INTO rows (track, run, seq, span, t, data) VALUES (?,?,?,0,?,?)"); err != nil {
		return err
	}
	defer f.insert.Close()
	if err := f.o.seen.load(f.ctx, f.tx, f.start.HostID); err != nil {
		return err
	}
	f.devices = map[string]probe.Device{}
	// The seconds first: where gaps and events belong follows from them.
	for _, m := range f.fill.Messages {
		switch m := m.(type) {
		case *probe.Inventory:
			f.inventory(m)
		case *probe.Sample:
			if err := f.sample(m); err != nil {
				return fmt.Errorf("second: %w", err)
			}
		}
	}
	for _, s := range f.filled {
		for _, r := range f.recs { // a gap between two recordings stands with the first
			if err := f.shrinkGaps(r.id, s.cards); err != nil {
				return fmt.Errorf("gaps: %w", err)
			}
		}
	}
	for _, m := range f.fill.Messages {
		switch m := m.(type) {
		case *probe.Gap:
			err = f.gap(m)
		case *probe.Event:
			err = f.event(m)
		}
		if err != nil {
			return fmt.Errorf("gap or event: %w", err)
		}
	}
	if err := f.close(); err != nil {
		return err
	}
	return f.exec("INSERT INTO settings (key, value) VALUES (?,?) ON CONFLICT (key) DO UPDATE SET value=excluded.value",
		fillKey+hostKey(f.start), f.fill.Cursor)
}

func (f *filling) inventory(inv *probe.Inventory) {
	if inv == nil {
		return
	}
	f.inv = inv
	for _, d := range inv.GPUs[:min(len(inv.GPUs), maxDevices)] {
		d.UUID = trackName(d.UUID, d.Index)
		f.devices[d.UUID] = d
	}
}

// sample adds what of a second is not there yet.
func (f *filling) sample(s *probe.Sample) error {
	t := s.Time.Unix()
	if t < 0 || hourOf(t) > maxHour || f.o.seen.elsewhere(f.start.HostID, f.fill.BootID, slotOf64(s.Mono), t) {
		return nil
	}
	hour, err := f.hour(hourOf(t))
	if err != nil {
		return err
	}
	sec := &second{t: t, lo: s.Seq, hi: s.Seq}
	sec.add(s)
	missing := sec.tracks[:0]
	for _, tr := range sec.tracks {
		if hour.at(tr.device.UUID, t) == secondNone {
			missing = append(missing, tr)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	rec := f.recordingOf(t)
	if rec == nil {
		if rec, err = f.begin(t, s.Time); err != nil {
			return err
		}
	}
	if hour.gone[rec.id] {
		return nil // its seconds are past their retention
	}
	run, err := f.runOf(rec, s)
	if err != nil {
		return err
	}
	done := f.filled[rec.id]
	if done == nil {
		done = &filledSeconds{hours: map[int64]bool{}, cards: map[string][]int64{}}
		f.filled[rec.id] = done
	}
	done.hours[hourOf(t)] = true
	done.add(anyCard, t)
	for _, tr := range missing {
		track, err := f.track(rec, tr.device)
		if err != nil {
			return err
		}
		if _, err := f.insert.ExecContext(f.ctx, track, run, int64(s.Seq), t, encodeRow(nil, tr.cells())); err != nil {
			return err
		}
		hour.set(tr.device.UUID, t, secondFilled)
		done.add(tr.device.UUID, t)
	}
	rec.first, rec.last = min(rec.first, t), max(rec.last, t)
	return nil
}

// anyCard stands for the whole host; no track is called so.
const anyCard = "*"

func (s *filledSeconds) add(card string, t int64) {
	list := s.cards[card]
	if n := len(list); n == 0 || list[n-1] < t {
		s.cards[card] = append(list, t)
	}
}

// recordingOf returns the recording that a second belongs to, nil for none.
func (f *filling) recordingOf(t int64) *filledRecording {
	var in, before *filledRecording
	for _, r := range f.recs { // by their first second
		if r.first <= t && (r.open || t <= r.last) && (in == nil || !in.open || r.open) {
			in = r
		}
		if r.last < t && (before == nil || r.last >= before.last) {
			before = r
		}
	}
	if in == nil && before != nil && before.recorder {
		return before
	}
	return in
}

// recordingUpTo returns the recording that a second belongs to, or else the one
// that ended before it.
func (f *filling) recordingUpTo(t int64) *filledRecording {
	rec := f.recordingOf(t)
	if rec != nil {
		return rec
	}
	for _, r := range f.recs {
		if r.last < t && (rec == nil || r.last > rec.last) {
			rec = r
		}
	}
	return rec
}

// begin makes a recording for what no recording covers.
func (f *filling) begin(t int64, at time.Time) (*filledRecording, error) {
	res, err := f.tx.ExecContext(f.ctx, "INSERT INTO recordings (host, host_name, demo, source, started, first, last, ended, reason) VALUES (?,?,0,?,?,?,?,?,?)",
		f.start.HostID, clipText(f.start.HostName), string(probe.SourceAgent), at.UnixMilli(), t, t, at.UnixMilli(), EndRecorder)
	if err != nil {
		return nil, err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return nil, err
	}
	rec := &filledRecording{id: id, first: t, last: t, recorder: true}
	f.recs = append(f.recs, rec)
	if f.inv == nil {
		return rec, nil
	}
	w := f.flushing(rec)
	inv := *f.inv
	inv.Time = at // it may have been the same long before
	return rec, w.inventory(&inv, at)
}

// flushing returns who writes a recording's rows.
func (f *filling) flushing(rec *filledRecording) *flushing {
	return &flushing{
		ctx: f.ctx, tx: f.tx, t: &tape{recording: rec.id, host: f.start.HostID}, tracks: map[string]int64{}, runs: map[*run]int64{},
	}
}

// runOf returns the run of the recorder in a recording.
func (f *filling) runOf(rec *filledRecording, s *probe.Sample) (int64, error) {
	if id := f.runs[rec.id]; id != 0 {
		return id, nil
	}
	name := fmt.Sprintf("%s.%x", clipText(f.fill.Ring), f.fill.Run)
	var id int64
	err := f.tx.QueryRowContext(f.ctx, "SELECT id FROM runs WHERE recording=? AND source=? AND reason=?", rec.id, sourceResident, name).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		r := &run{source: sourceResident, started: s.Time}
		r.identity.BootID = f.fill.BootID
		if f.inv != nil {
			r.identity, r.agent = f.inv.Run, f.inv.Agent
		}
		if !s.HostTime.IsZero() {
			r.offset = s.HostTime.Sub(s.Time)
		}
		if id, err = f.flushing(rec).run(r); err == nil {
			err = f.exec("UPDATE runs SET ended=started, reason=? WHERE id=?", name, id)
		}
	}
	f.runs[rec.id] = id
	return id, err
}

// track returns the track of a card in a recording. What is known of a card
// there stays as it is.
func (f *filling) track(rec *filledRecording, d probe.Device) (int64, error) {
	known := f.tracks[rec.id]
	if known == nil {
		known = map[string]int64{}
		f.tracks[rec.id] = known
	}
	if id := known[d.UUID]; id != 0 {
		return id, nil
	}
	var id int64
	err := f.tx.QueryRowContext(f.ctx, "SELECT id FROM tracks WHERE recording=? AND uuid=?", rec.id, d.UUID).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		if named, ok := f.devices[d.UUID]; ok {
			d = named
		}
		id, err = f.flushing(rec).addTrack(d)
	}
	known[d.UUID] = id
	return id, err
}
