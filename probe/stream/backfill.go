package stream

import (
	"bufio"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"rentgen/probe"
	"rentgen/probe/remote"
	"rentgen/probe/resident"
	"rentgen/probe/wire"
)

const (
	fetchHello = 20 * time.Second // login scripts of rented images take seconds
	fetchStall = 60 * time.Second // without a frame
	// fetchFrames and fetchBytes bound what a host may send at once: a month of
	// seconds with an event to each.
	fetchFrames = 2 * 31 * 24 * 3600
	fetchBytes  = 8 << 30
)

// errNotKept is the cause where nobody keeps what a recorder has.
var errNotKept = errors.New("nobody keeps what was read meanwhile")

// Backfill fetches what the recorder on the host has and History lacks, up to
// the first reading of this connection, and returns how many seconds that were.
// It is done by itself on every connection.
func (h *Host) Backfill(ctx context.Context) (seconds int64, err error) {
	conn, name, err := h.program()
	if err != nil {
		return 0, err
	}
	if h.p.History == nil {
		return 0, &Error{Kind: KindResident, Reason: "fetch", Err: errNotKept}
	}
	h.mu.Lock()
	rd := h.reading
	h.mu.Unlock()
	if rd == nil {
		return 0, &Error{Kind: KindOffline}
	}
	select {
	case <-rd.ready:
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-conn.Done():
		return 0, &Error{Kind: KindLink, Err: conn.Err()}
	}
	select {
	case h.filling <- struct{}{}:
		defer func() { <-h.filling }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	seconds, err = h.fetch(ctx, conn, rd, name)
	h.mu.Lock()
	h.filled += seconds
	h.mu.Unlock()
	return seconds, err
}

// Filled returns how many seconds were fetched since this Host was made.
func (h *Host) Filled() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.filled
}

// backfill is Backfill beside the reading; what goes wrong waits for the next
// connection.
func (h *Host) backfill(ctx context.Context) {
	n, err := h.Backfill(ctx)
	switch {
	case err == nil:
		h.log.Info("what the recorder kept is there", "seconds", n)
	case ctx.Err() == nil:
		h.log.Warn("what the recorder kept could not be fetched", "error", err)
	}
}

// fetchScript runs our program $1 with the position $2 and the marker $3.
const fetchScript = `[ -f "./$f" ] && [ ! -L "./$f" ] && [ -x "./$f" ] && exec "./$f" resident fetch --marker "$m" --from "$p"`

func (h *Host) fetch(ctx context.Context, conn remote.Conn, rd *reading, name string) (int64, error) {
	text, err := h.p.History.Cursor(ctx)
	if err != nil {
		return 0, fmt.Errorf("ask how far history reaches: %w", err)
	}
	h.mu.Lock()
	now := resident.Clock{BootID: h.run.BootID, Base: rd.clock.target, Ahead: rd.clock.wall}
	first := rd.first
	h.mu.Unlock()
	proc, err := conn.Start(context.WithoutCancel(ctx), shell)
	if err != nil {
		return 0, fmt.Errorf("fetch what the recorder kept: %w", err)
	}
	defer proc.Close()
	g := newGuard(ctx, h.clock, proc)
	defer g.stop()
	said := newTail(proc.Stderr())
	fail := func(err error) error {
		if cause := g.cause(); cause != nil {
			err = cause
		}
		return &Error{Kind: KindResident, Reason: "fetch", Said: clip(clean(said.String()), saidLimit), Err: err}
	}
	c := resident.NewConverter(text, now, first, func(f *probe.Fill) error {
		g.set(0) // the time of our own disk is not the host's
		return h.p.History.Fill(ctx, f)
	})
	g.set(fetchHello)
	marker := random128()
	script := fmt.Sprintf("LC_ALL=C\nexport LC_ALL\nf=%s\nm=%s\np=%s\n", quote(name), quote(marker), quote(c.From())) +
		h.eachDir(fetchScript) + "exit 127\n"
	if _, err := io.WriteString(proc.Stdin(), script); err != nil {
		return 0, fail(err)
	}
	out := bufio.NewReaderSize(proc.Stdout(), 64<<10)
	hello, _, err := wire.ScanHello(out, marker, helloLimit)
	if err != nil {
		return 0, fail(err)
	}
	if hello.Proto != wire.Proto {
		return 0, fail(fmt.Errorf("speaks protocol %d", hello.Proto))
	}
	unpacked := flate.NewReader(out)
	defer unpacked.Close()
	dec := wire.NewDecoder(bufio.NewReader(io.LimitReader(unpacked, fetchBytes)))
	for range fetchFrames {
		g.set(fetchStall)
		fr, err := dec.Read()
		if err != nil {
			// What came whole is kept: the next connection goes on behind it.
			return c.Seconds(), errors.Join(fail(err), c.Flush())
		}
		over, err := c.Frame(fr)
		if err != nil {
			return c.Seconds(), err
		}
		if over || fr.Done {
			return c.Seconds(), c.Finish()
		}
	}
	return c.Seconds(), fail(errors.New("it never ends"))
}
