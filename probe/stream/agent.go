package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"rentgen/probe"
	"rentgen/probe/remote"
	"rentgen/probe/wire"
)

const (
	pingEvery = 10 * time.Second
	controls  = 8 // waiting to be written; a link that takes none is dead soon
)

// pingEarly are the first pings after the start, so that the clock is right
// within seconds.
var pingEarly = [...]time.Duration{0, time.Second, 3 * time.Second}

// agent reads by our program until it ends. The error is a *fallback where the
// program can't be used, an Error of KindAgent where it ended and the link
// stands, anything else for the link.
func (h *Host) agent(ctx context.Context, conn remote.Conn) (*report, error) {
	s, err := h.startSession(ctx, conn, true)
	if err != nil {
		return nil, err
	}
	defer s.close(h.clock)
	hello, uploaded, err := h.launch(ctx, s)
	if err != nil {
		if lost := h.linkLost(conn); lost != nil && !errors.Is(err, context.Canceled) {
			return &s.report, lost
		}
		return &s.report, h.declined(err)
	}
	h.log.Info("program started", "version", hello.Version, "uploaded", uploaded, "no-library", hello.NoLibrary)
	if hello.NoLibrary != "" && s.report.Tools["nvidia-smi"] != "" && h.p.Source != SourceAgent {
		// It has no library; nvidia-smi may. Without a card either way our
		// program is the better reader of the machine.
		f := &fallback{probe.ReasonNoLibrary, hello.NoLibrary}
		if look, err := h.openSimple(ctx, conn, f); err == nil && look.Failure() == nil {
			return &s.report, f
		}
	}
	rd := &reading{
		source: probe.SourceAgent, report: &s.report, noLibrary: hello.NoLibrary,
		agent: version(hello),
	}
	if uploaded {
		pruned := make(chan struct{})
		go func() {
			defer close(pruned)
			h.prune(context.WithoutCancel(ctx), conn, hello.SHA)
		}()
		// A look of a moment must not leave another version behind each time.
		defer h.giveTime(pruned, pruneGrace)
	}
	h.mu.Lock()
	h.placed = ""
	if s.report.Dir != "" && len(hello.SHA) >= shortSHA {
		h.placed = "agent-" + strings.ToLower(hello.SHA[:shortSHA])
	}
	h.mu.Unlock()
	h.begin(rd)
	if hello.Resident && h.p.History != nil {
		filling, stop := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() {
			defer close(done)
			h.backfill(filling)
		}()
		defer h.giveTime(done, fillGrace)
		defer stop()
	}
	return &s.report, h.follow(ctx, conn, s, rd)
}

// fillGrace is how long the end of a connection waits for history to keep what
// came over it; less than what Stop waits for the connection.
const fillGrace = 2 * time.Second

// declined turns a "no" of the person into simple readings, unless our program
// was asked for.
func (h *Host) declined(err error) error {
	if KindOf(err) == KindDeclined && h.p.Source != SourceAgent {
		return &fallback{probe.ReasonDeclined, ""}
	}
	return err
}

func version(hello wire.Hello) string {
	if len(hello.SHA) < shortSHA {
		return hello.Version
	}
	return hello.Version + " " + hello.SHA[:shortSHA]
}

// follow reads frames until the program or the link ends. One goroutine reads
// and never waits for anybody; another writes, since a dead link may take
// nothing.
func (h *Host) follow(ctx context.Context, conn remote.Conn, s *session, rd *reading) error {
	defer h.finish(rd)
	f := &follower{h: h, rd: rd, sent: make(map[uint64]time.Time)}
	ended := make(chan error, 1)
	go func() { ended <- f.read(wire.NewDecoder(s.out)) }()
	out, wrote := make(chan wire.Control, controls), make(chan struct{})
	defer func() {
		close(out)
		h.settle(wrote, s.proc)
	}()
	go func() {
		defer close(wrote)
		w := wire.NewControlWriter(s.in)
		for c := range out {
			if w.Write(c) != nil {
				return // the reader learns of it too
			}
		}
	}()
	tell := func(ping bool) {
		rate, paused := h.settings()
		c := wire.Control{Rate: rate, Paused: paused}
		if ping {
			c.Ping = f.ping(h.clock.Wall())
		}
		select {
		case out <- c:
		default:
		}
	}
	_, paused := h.settings()
	h.setPaused(paused)
	tell(true)
	watch, start, early := newWakeWatch(h.clock), h.clock.Mono(), 1
	next := start + pingEarly[early]
	for {
		c, stop := h.clock.After(beat / 2)
		select {
		case <-ctx.Done():
			stop()
			return ctx.Err()
		case err := <-ended:
			stop()
			return h.agentEnd(conn, s, f, err)
		case <-h.retry:
			tell(true)
		case <-h.changed:
			_, paused := h.settings()
			h.setPaused(paused)
			tell(false)
		case <-c:
		}
		stop()
		now := h.clock.Mono()
		if watch.look() {
			h.mu.Lock()
			rd.woken = now
			h.mu.Unlock()
			next = now
		}
		if now >= next {
			tell(true)
			if early++; early < len(pingEarly) {
				next = start + pingEarly[early]
			} else {
				next = now + pingEvery
			}
		}
		if _, dead := h.silence(rd); dead {
			return &Error{Kind: KindSilent, Said: s.words()}
		}
	}
}

// giveTime waits for something that is about to end.
func (h *Host) giveTime(done <-chan struct{}, d time.Duration) {
	c, stop := h.clock.After(d)
	defer stop()
	select {
	case <-done:
	case <-c:
	}
}

// pruneGrace is how long Stop waits for old versions to be removed; less than
// what it waits for the connection.
const pruneGrace = 2 * time.Second

// settle waits for a goroutine that writes to a program; one that the link
// holds up is freed by ending the program.
func (h *Host) settle(wrote <-chan struct{}, p remote.Proc) {
	c, stop := h.clock.After(linkGrace)
	defer stop()
	select {
	case <-wrote:
		return
	case <-c:
	}
	_ = p.Close()
	c, stop = h.clock.After(procGrace)
	defer stop()
	select {
	case <-wrote:
	case <-c:
	}
}

// agentEnd says why frames ended.
func (h *Host) agentEnd(conn remote.Conn, s *session, f *follower, err error) error {
	if lost := h.linkLost(conn); lost != nil {
		return lost
	}
	s.close(h.clock)
	said := firstOf(f.last, s.words())
	var exit *remote.ExitError
	if werr := s.proc.Wait(); errors.As(werr, &exit) {
		err = exit
	} else if errors.Is(err, io.EOF) {
		err = errors.New("it ended")
	}
	return &Error{Kind: KindAgent, Said: said, Err: err}
}

// setPaused notes that reading stops or goes on.
func (h *Host) setPaused(paused bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case paused:
		h.track.breakFor(probe.GapPaused)
		h.updateLocked(func(s *State) { s.Phase, s.Stage = Paused, "" })
	case h.st.Phase == Paused:
		h.updateLocked(func(s *State) { s.Phase, s.Stage = Connecting, StageFirstReading })
	}
}

// follower handles the frames of one program.
type follower struct {
	h    *Host
	rd   *reading
	next uint64
	sent map[uint64]time.Time // pings under way; guarded by h.mu
	last string               // what the program said before its end
}

// ping notes that a ping leaves now and returns its number.
func (f *follower) ping(now time.Time) uint64 {
	f.h.mu.Lock()
	defer f.h.mu.Unlock()
	f.next++
	f.sent[f.next] = now
	delete(f.sent, f.next-controls)
	return f.next
}

func (f *follower) read(d *wire.Decoder) error {
	for {
		fr, err := d.Read()
		if err != nil {
			return err
		}
		h, rd := f.h, f.rd
		switch {
		case fr.Inventory != nil:
			h.inventory(rd, fr.Inventory)
		case fr.Sample != nil:
			h.sample(rd, fr.Sample)
		case fr.Event != nil:
			h.happened(rd, fr.Event)
		case fr.Pong != nil:
			f.pong(*fr.Pong)
		case fr.Error != "":
			f.last = fmt.Sprintf("%.500s", fr.Error)
		default:
			h.mu.Lock()
			rd.heard = h.clock.Mono()
			h.mu.Unlock()
		}
	}
}

func (f *follower) pong(p wire.Pong) {
	h := f.h
	h.mu.Lock()
	defer h.mu.Unlock()
	f.rd.heard = h.clock.Mono()
	sent, ok := f.sent[p.Ping]
	if !ok {
		return
	}
	delete(f.sent, p.Ping)
	c := &f.rd.clock
	if c.pong(sent, h.clock.Wall(), p) {
		h.eventLocked(probe.EventClock, "the host's clock was set", "")
	}
	f.rd.measured = true
	f.rd.prepared()
	best := c.best()
	h.updateLocked(func(s *State) { s.Offset, s.RTT = c.wall, best.rtt })
}
