package smi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"rentgen/probe"
	"rentgen/probe/procfs"
	"rentgen/probe/remote"
)

// session is one Run: a single goroutine that hears of everything over ch and
// is the only one to emit.
type session struct {
	l    *Look
	ctx  context.Context
	emit func(probe.Message)
	ch   chan any
	wg   sync.WaitGroup
	time map[string]*time.Timer

	inv   probe.Inventory
	query query
	start time.Time
	seq   uint64

	// the loop
	gen     int // of the loop that counts; lines of older ones are dropped
	cancel  context.CancelFunc
	group   group
	rows    int      // of this loop
	tail    []string // its lines since the last tick that are no rows
	lastRow time.Time
	last    []card
	alike   int // ticks that were the same as the one before
	poll    bool
	silent  int // loops in a row that never printed a row
	fails   int
	starts  int // starts in a row that the link refused

	failure  *Failure
	stalled  bool
	strange  bool // a card came that the inventory lacks
	busy     bool // asking everything anew
	asked    time.Time
	missing  map[string]int
	told     map[string]bool // faults of cards that an event has told of
	noise    map[string]bool
	oddProof int

	sys      *probe.System // for the next tick
	shared   *probe.System
	sharedAt time.Time

	procs      map[string]*probe.Processes
	procsBad   *Failure
	procsFresh bool
	slices     []Slice
	sliced     time.Time
}

// The messages to the session's goroutine.
type (
	lineMsg struct {
		gen  int
		text string
		side bool // from stderr
	}
	endMsg struct {
		gen, exit int
		err       error
	}
	startErr   struct{ error }
	silenceMsg struct{ gen int }
	restartMsg struct{ gen int }
	flushMsg   struct{ gen, rows int }
	factsMsg   struct {
		facts facts
		err   error
	}
	procsDue struct{}
	procsMsg struct {
		apps  asked
		err   error
		table bool
	}
	proofDue struct{}
	proofMsg struct {
		gen int
		got asked
		err error
	}
	sysMsg struct{ system *probe.System }
)

// Run reads until the context ends and hands every message to emit, in order
// and from one goroutine: the inventory, at once the first tick, then ticks,
// events and changed inventories. It returns the context's error, or the
// link's when nothing can be started on the host any more. After a failure of
// the cards it goes on trying.
func (l *Look) Run(ctx context.Context, emit func(probe.Message)) error {
	ctx, cancel := context.WithCancel(ctx)
	s := &session{
		l: l, ctx: ctx, emit: emit, ch: make(chan any, 64), time: map[string]*time.Timer{}, start: l.p.Now(),
		missing: map[string]int{}, told: map[string]bool{}, noise: map[string]bool{},
	}
	defer func() {
		cancel()
		for _, t := range s.time {
			t.Stop()
		}
		if s.cancel != nil {
			s.cancel()
		}
		s.wg.Wait()
	}()
	l.mu.Lock()
	f := l.facts
	l.mu.Unlock()
	if l.p.System && !l.direct {
		s.do(s.readSystem)
	}
	s.adopt(f)
	s.tellCap()
	s.after("procs", 0, procsDue{})
	s.after("proof", l.p.ProofEvery, proofDue{})
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.rateCh:
			s.tellCap()
			if s.cancel != nil {
				s.startLoop()
			}
		case m := <-s.ch:
			if err := s.handle(m); err != nil {
				return err
			}
		}
	}
}

func (s *session) handle(m any) error {
	switch m := m.(type) {
	case lineMsg:
		if m.gen == s.gen {
			s.line(m)
		}
	case endMsg:
		if m.gen == s.gen {
			return s.ended(m)
		}
	case flushMsg:
		if m.gen == s.gen && m.rows == s.rows {
			s.tick(s.group.flush())
		}
	case silenceMsg:
		if m.gen == s.gen {
			s.silence()
		}
	case restartMsg:
		if m.gen == s.gen {
			s.restart()
		}
	case factsMsg:
		return s.examined(m)
	case sysMsg:
		s.system(m.system)
	case procsDue:
		s.askProcs()
	case procsMsg:
		s.gotProcs(m)
	case proofDue:
		s.askProof()
	case proofMsg:
		s.gotProof(m)
	}
	return nil
}

// do runs f beside the session until it ends.
func (s *session) do(f func()) {
	s.wg.Go(f)
}

func (s *session) send(ctx context.Context, m any) {
	select {
	case s.ch <- m:
	case <-ctx.Done():
	}
}

// after sends m later, in place of what was to be sent under the same name.
func (s *session) after(name string, d time.Duration, m any) {
	if t := s.time[name]; t != nil {
		t.Stop()
	}
	s.time[name] = time.AfterFunc(d, func() { s.send(s.ctx, m) })
}

// adopt takes over what a round of questions found and starts the loop or, in
// a failure, the wait for the next try.
func (s *session) adopt(f facts) {
	s.inv, s.query = f.inv, f.query.ticks()
	s.slices, s.sliced = f.slices, s.l.p.Now()
	s.group = group{want: len(f.cards)}
	s.strange = false
	inv := s.inv
	s.emit(&inv)
	for _, n := range f.notes {
		s.note(n)
	}
	if f.failure != nil {
		s.fail(f.failure, "")
		return
	}
	if s.failure != nil {
		s.event(probe.Event{Kind: probe.EventBack, Text: "nvidia-smi reads the cards again"})
		s.failure = nil
	}
	s.fails = 0
	s.tick(f.cards)
	s.startLoop()
}

func (s *session) event(e probe.Event) {
	if e.Time.IsZero() {
		e.Time = s.l.p.Now().UTC()
	}
	s.emit(&e)
}

// tellCap says once per change that the rate asked for is not the rate got.
func (s *session) tellCap() {
	s.l.mu.Lock()
	asked := s.l.rate
	s.l.mu.Unlock()
	if asked > MaxRate {
		s.event(probe.Event{
			Kind: probe.EventSource,
			Text: fmt.Sprintf("simple readings come at most %d times a second; %g were asked for", MaxRate, asked),
			Raw:  fmt.Sprintf("rate capped at %d Hz", MaxRate),
		})
	}
}

// startLoop starts the long-lived loop in place of the one before.
func (s *session) startLoop() {
	if s.cancel != nil {
		s.cancel()
	}
	s.gen++
	s.rows, s.tail, s.alike, s.last = 0, nil, 0, nil
	s.lastRow = s.l.p.Now() // it is not late yet
	s.group.flush()
	ctx, cancel := context.WithCancel(s.ctx)
	s.cancel = cancel
	gen, ms, poll, q := s.gen, s.l.interval(), s.poll, s.query
	s.do(func() { s.runLoop(ctx, gen, q, ms, poll) })
	s.after("silence", s.l.p.First, silenceMsg{gen})
}

func (s *session) stopLoop() {
	if s.cancel != nil {
		s.cancel()
		s.cancel = nil
	}
	s.gen++
}

// runLoop reads one loop to its end.
func (s *session) runLoop(ctx context.Context, gen int, q query, ms int, poll bool) {
	end := endMsg{gen: gen, exit: -1}
	defer func() { s.send(ctx, end) }()
	mark, err := s.l.mark()
	if err != nil {
		end.err = startErr{err}
		return
	}
	line, script := command, loop(s.l.where, mark, q, ms, poll)
	if s.l.direct {
		line, script = partQuery(q).direct(s.l.p.Path)+fmt.Sprintf(" -lms %d", ms), ""
	}
	p, err := s.l.p.Run.Start(ctx, line)
	if err != nil {
		end.err = startErr{fmt.Errorf("start the loop of nvidia-smi: %w", err)}
		return
	}
	defer p.Close()
	if err := feed(p, script); err != nil {
		end.err = err
		return
	}
	s.do(func() {
		readLines(ctx, p.Stderr(), func(l string) { s.send(ctx, lineMsg{gen, l, true}) })
	})
	readLines(ctx, p.Stdout(), func(l string) {
		if rest, ok := strings.CutPrefix(l, mark+" "); ok {
			if n, err := strconv.Atoi(strings.TrimSpace(rest)); err == nil {
				end.exit = n
				return
			}
		}
		s.send(ctx, lineMsg{gen, l, false})
	})
	err = p.Wait()
	var exit *remote.ExitError
	if end.exit < 0 && err != nil && !errors.As(err, &exit) {
		end.err = err
	} else if end.exit < 0 && exit != nil {
		end.exit = exit.Code
	}
}

// readLines yields lines, cut where they are too long, to the end of r. When
// the context ends, so does the command and with it r.
func readLines(ctx context.Context, r io.Reader, yield func(string)) {
	br := bufio.NewReaderSize(r, maxLine)
	for ctx.Err() == nil {
		b, err := br.ReadSlice('\n')
		if len(b) > 0 {
			yield(strings.TrimRight(string(b), "\r\n"))
		}
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = br.ReadSlice('\n') // the rest of a line that is too long
		}
		if err != nil {
			return
		}
	}
}

// readSystem reads the machine until the session ends.
func (s *session) readSystem() {
	var prev *procfs.Snapshot
	for try := 0; s.ctx.Err() == nil; try++ {
		if s.readSystemOnce(&prev) {
			try = 0
		}
		t := time.NewTimer(s.l.backoff(try))
		select {
		case <-t.C:
		case <-s.ctx.Done():
			t.Stop()
		}
	}
}

func (s *session) readSystemOnce(prev **procfs.Snapshot) (got bool) {
	mark, err := s.l.mark()
	if err != nil {
		return false
	}
	script, err := procfs.LoopScript(1, mark)
	if err != nil {
		return false
	}
	p, err := s.l.p.Run.Start(s.ctx, command)
	if err != nil {
		return false
	}
	defer p.Close()
	if feed(p, guarded(script)) != nil {
		return false
	}
	s.do(func() { _ = drain(p.Stderr()) })
	var b []byte
	readLines(s.ctx, p.Stdout(), func(l string) {
		if l != mark {
			if len(b)+len(l) < maxOutput {
				b = append(append(b, l...), '\n')
			}
			return
		}
		var sys *probe.System
		*prev, sys = procfs.FromText(b, *prev)
		b, got = b[:0], true
		s.send(s.ctx, sysMsg{sys})
	})
	return got
}

func (l *Look) backoff(n int) time.Duration {
	return l.p.Backoff[min(max(n, 0), len(l.p.Backoff)-1)]
}
