package board

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/run"
)

// clock goes on by a second whenever it is read.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.t.IsZero() {
		c.t = time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	}
	c.t = c.t.Add(time.Second)
	return c.t
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// memory is a store that may refuse.
type memory struct {
	mu      sync.Mutex
	entries map[string]guide.Entry // host, kind, key
	refuse  error
	bad     string // a key that is never taken
	saves   int
}

func (m *memory) GuideEntries(_ context.Context, host string) ([]guide.Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refuse != nil {
		return nil, m.refuse
	}
	var list []guide.Entry
	for k, e := range m.entries {
		if k == host+"|"+e.Kind+"|"+e.Key {
			e.Time = e.Time.Truncate(time.Millisecond)
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b guide.Entry) int { return a.Time.Compare(b.Time) })
	return list, nil
}

func (m *memory) SaveGuideEntries(_ context.Context, host string, list []guide.Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.saves++
	if m.refuse != nil {
		return m.refuse
	}
	for _, e := range list {
		if m.bad != "" && e.Key == m.bad || !json.Valid(e.Body) {
			return fmt.Errorf("%s is not taken", e.Key)
		}
	}
	if m.entries == nil {
		m.entries = map[string]guide.Entry{}
	}
	for _, e := range list {
		m.entries[host+"|"+e.Kind+"|"+e.Key] = e
	}
	return nil
}

func (m *memory) DeleteGuideEntries(_ context.Context, host, kind string, keys ...string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refuse != nil {
		return m.refuse
	}
	for k, e := range m.entries {
		if e.Kind == kind && k == host+"|"+kind+"|"+e.Key && (len(keys) == 0 || slices.Contains(keys, e.Key)) {
			delete(m.entries, k)
		}
	}
	return nil
}

func (m *memory) set(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refuse = err
}

func (m *memory) count(kind string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, e := range m.entries {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// online stands for a connection; nothing is run through it here.
type online struct{}

func (online) Exec(context.Context, guide.Exec) (guide.Output, error) {
	return guide.Output{}, guide.ErrOffline
}

// instance answers in place of run.Do.
type instance struct {
	mu    sync.Mutex
	run   guide.Run
	out   map[guide.CheckID]string // what a check prints; others print a good answer
	exit  map[guide.CheckID]int
	cut   guide.CheckID // the link breaks before this one
	hold  guide.CheckID // waits before this one
	held  chan struct{} // closed when it waits
	asked [][]guide.CheckID
	last  run.Params
}

// good are outputs that pass.
var good = map[guide.CheckID]string{
	guide.SessionTmux: "tmux 3.2a\nno server running on /tmp/tmux-0/default\n",
	guide.NetPing: "PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.\n\n--- 192.0.2.1 ping statistics ---\n" +
		"10 packets transmitted, 10 received, 0% packet loss, time 9012ms\nrtt min/avg/max/mdev = 27.1/30.2/33.9/1.2 ms\n",
	guide.CUDANvcc: "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 12.4, V12.4.131\n",
}

func (i *instance) do(ctx context.Context, p run.Params) (guide.Run, error) {
	i.mu.Lock()
	i.asked, i.last = append(i.asked, slices.Clone(p.Checks)), p
	now, cut, hold, held := i.run, i.cut, i.hold, i.held
	i.mu.Unlock()
	for _, id := range p.Checks {
		if id == cut {
			return now, fmt.Errorf("the link broke: %w", guide.ErrOffline)
		}
		p.Event(run.Event{Check: id, Kind: run.Started})
		if id == hold {
			close(held)
			<-ctx.Done()
		}
		if err := ctx.Err(); err != nil {
			return now, err
		}
		out, ok := i.out[id]
		if !ok {
			out = good[id]
		}
		r := guide.Record{Input: guide.Input{Check: id, Track: p.Track, Stdout: []byte(out), Exit: i.exit[id], Context: p.Known}, Time: p.Now(), Run: now}
		if c := p.Edited[id]; c != "" {
			r.Command, r.Edited = c, true
		}
		p.Event(run.Event{Check: id, Kind: run.Ended, Record: &r})
	}
	return now, nil
}

// bench is a board with all that it stands on.
type bench struct {
	*Board
	clock *clock
	store *memory
	inst  *instance
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{clock: &clock{}, store: &memory{}, inst: &instance{run: guide.Run{Boot: "b1", PID1: "10", Driver: "550.90.07", Instance: "i1"}}}
	b.open(t, Params{})
	return b
}

// open starts a board on what is kept, as the program does after it was closed.
func (b *bench) open(t *testing.T, p Params) {
	t.Helper()
	p.Host, p.Store, p.Now = "host", b.store, b.clock.now
	if p.Runner == nil {
		p.Runner = func() guide.Runner { return online{} }
	}
	b.Board = newBoard(p, b.inst.do)
	t.Cleanup(b.Close)
	if err := b.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) wait(t *testing.T) {
	t.Helper()
	if err := b.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// ran runs a scope to its end.
func (b *bench) ran(t *testing.T, s Scope, l guide.Level) {
	t.Helper()
	if err := b.Run(s, l); err != nil {
		t.Fatal(err)
	}
	b.wait(t)
}

var errDisk = errors.New("disk is full")
