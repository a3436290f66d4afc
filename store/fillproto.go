package store

import (
	"context"
	"errors"
	"fmt"

	"rentgen/probe"
)

// FillRecord is a fill on its way to the disk.
type FillRecord struct {
	Start RecordingStart
	Fill  *probe.Fill
}

const (
	maxCursor    = 16 << 10
	maxFillParts = 20_000
)

func (r *FillRecord) check() error {
	switch {
	case r.Fill == nil:
		return errors.New("no fill")
	case r.Start.Demo:
		return errors.New("a fill of the demo")
	case len(r.Fill.Cursor) > maxCursor:
		return fmt.Errorf("cursor of %d bytes", len(r.Fill.Cursor))
	case len(r.Fill.Messages) > maxFillParts:
		return fmt.Errorf("fill of %d messages", len(r.Fill.Messages))
	}
	return nil
}

// fillFrame is a FillRecord between two processes.
type fillFrame struct {
	Start                RecordingStart
	Cursor, Ring, BootID string
	Run                  uint64
	Rough, Last          bool
	Notes                []note
}

func (p *proxy) fill(ctx context.Context, r FillRecord) error {
	if err := r.check(); err != nil {
		return err
	}
	f := fillFrame{
		Start: r.Start, Cursor: r.Fill.Cursor, Ring: r.Fill.Ring, BootID: r.Fill.BootID, Run: r.Fill.Run, Rough: r.Fill.Rough, Last: r.Fill.Last,
	}
	for _, m := range r.Fill.Messages {
		f.Notes = append(f.Notes, noteOf(m))
	}
	return p.do(ctx, request{Op: opFill, Fill: &f}, func(b backend) error { return b.fill(ctx, r) })
}

// record turns the frame back.
func (f *fillFrame) record() FillRecord {
	fill := &probe.Fill{Cursor: f.Cursor, Ring: f.Ring, Run: f.Run, BootID: f.BootID, Rough: f.Rough, Last: f.Last}
	for i := range f.Notes {
		if m := f.Notes[i].message(); m != nil {
			fill.Messages = append(fill.Messages, m)
		}
	}
	return FillRecord{f.Start, fill}
}
