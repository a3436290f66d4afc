package hosts

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"rentgen/probe"
)

// Params say what a book works with.
type Params struct {
	Store  Store
	Opener Opener
	// Rate and Record are the settings a new connection starts with.
	Rate   func() float64
	Record func() bool
	// Tap hears every message of a host's connection too, from its beginning; nil
	// hears none. It must not wait.
	Tap func(h *Host, m probe.Message)
	// Changed is called from any goroutine when a host's state, the list or
	// the chosen host changed; not for readings.
	Changed func()
	// Arrived is called from any goroutine after each message of a host; it
	// must not wait.
	Arrived func()
	Now     func() time.Time
	// Go runs what takes its time; nil takes a goroutine.
	Go func(f func())
}

// Book is the list of hosts. It is safe for use from several goroutines.
type Book struct {
	p      Params
	mu     sync.Mutex
	hosts  []*Host
	chosen string
	closed bool
	// Changes of the saved hosts under way, and how many there were: what was
	// read from the store meanwhile is of no moment that the list was ever in.
	writing int
	written uint64
}

// New returns an empty book; Load fills it.
func New(p Params) *Book {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Go == nil {
		p.Go = func(f func()) { go f() }
	}
	if p.Arrived == nil {
		p.Arrived = func() {}
	}
	if p.Changed == nil {
		p.Changed = func() {}
	}
	return &Book{p: p}
}

// Load reads the saved hosts. Called again it takes over what another process
// changed: new hosts, and of those that are not connected also another name or
// line, and that they are gone.
func (b *Book) Load(ctx context.Context) error {
	b.mu.Lock()
	written, writing := b.written, b.writing > 0
	b.mu.Unlock()
	if writing {
		return nil
	}
	saved, err := b.p.Store.Hosts(ctx)
	if err != nil {
		return fmt.Errorf("read the saved hosts: %w", err)
	}
	// The store sorts by name; the order on the page must not change by a start.
	slices.SortStableFunc(saved, func(x, y Saved) int { return x.Created.Compare(y.Created) })
	b.mu.Lock()
	changed := b.writing == 0 && b.written == written && b.takeOver(saved)
	b.mu.Unlock()
	if changed {
		b.p.Changed()
	}
	return nil
}

// takeOver makes the list what is saved; b.mu is held. It reports whether
// anything changed.
func (b *Book) takeOver(saved []Saved) (changed bool) {
	kept := make(map[string]bool, len(saved))
	for _, s := range saved {
		kept[s.ID] = true
		old := b.find(s.ID)
		switch {
		case old == nil:
			b.hosts = append(b.hosts, newHost(b, s))
		case (old.Name != s.Name || old.Line != s.Line) && !old.Connected():
			h := newHost(b, s)
			h.live = old.live
			b.hosts[slices.Index(b.hosts, old)] = h
		default:
			continue
		}
		changed = true
	}
	before := len(b.hosts)
	b.hosts = slices.DeleteFunc(b.hosts, func(h *Host) bool { return !kept[h.ID] && h.Line != LineDemo && !h.Connected() })
	if b.find(b.chosen) == nil {
		b.chosen = ""
	}
	if b.chosen == "" && len(b.hosts) > 0 {
		b.chosen = slices.MaxFunc(b.hosts, func(x, y *Host) int { return cmp.Compare(x.chosenAt(), y.chosenAt()) }).ID
	}
	return changed || len(b.hosts) != before
}

// write marks a change of the saved hosts until the returned function is called.
func (b *Book) write() (done func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.writing++
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.writing--
		b.written++
	}
}

// Hosts returns the hosts in the order in which they were added.
func (b *Book) Hosts() []*Host {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.hosts)
}

func (b *Book) find(id string) *Host {
	for _, h := range b.hosts {
		if h.ID == id {
			return h
		}
	}
	return nil
}

// Get returns a host, nil for an unknown id.
func (b *Book) Get(id string) *Host {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.find(id)
}

// Chosen returns the host that the window is about, nil for none.
func (b *Book) Chosen() *Host {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.find(b.chosen)
}

// Choose makes a host the one that the window is about, also after the next
// start.
func (b *Book) Choose(id string) {
	b.mu.Lock()
	h := b.find(id)
	changed := b.chosen != id && h != nil
	if changed {
		b.chosen = id
	}
	b.mu.Unlock()
	if !changed {
		return
	}
	if h.Line != LineDemo {
		s := b.marked(h.Saved)
		b.p.Go(func() {
			if b.Get(id) == h {
				_ = b.p.Store.SaveHost(context.Background(), s) // else another one is shown first next time
			}
		})
	}
	b.p.Changed()
}

// optionChosen is the option of a saved host that tells when it was chosen
// last, in Unix milliseconds.
const optionChosen = "chosen"

// marked returns s as chosen now.
func (b *Book) marked(s Saved) Saved {
	options := map[string]string{}
	maps.Copy(options, s.Options)
	options[optionChosen] = strconv.FormatInt(b.p.Now().UnixMilli(), 10)
	s.Options = options
	return s
}

// chosenAt is when a saved host was chosen last, in Unix milliseconds; 0 for
// never.
func (s Saved) chosenAt() int64 {
	n, err := strconv.ParseInt(s.Options[optionChosen], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Add saves a new host and chooses it. A name that is taken gets a number; an
// empty one is made from the line by the caller. The demo is not saved.
func (b *Book) Add(ctx context.Context, s Saved) (*Host, error) {
	defer b.write()()
	if s.ID == "" {
		s.ID = newID()
	}
	if s.Created.IsZero() {
		s.Created = b.p.Now()
	}
	b.mu.Lock()
	if old := b.find(s.ID); old != nil {
		b.chosen = s.ID
		b.mu.Unlock()
		b.p.Changed()
		return old, nil
	}
	s.Name = b.freeName(s.Name)
	b.mu.Unlock()
	if s.Line != LineDemo {
		s = b.marked(s)
		if err := b.p.Store.SaveHost(ctx, s); err != nil {
			return nil, fmt.Errorf("save host %q: %w", s.Name, err)
		}
	}
	h := newHost(b, s)
	b.mu.Lock()
	b.hosts = append(b.hosts, h)
	b.chosen = s.ID
	b.mu.Unlock()
	b.p.Changed()
	return h, nil
}

// Change gives a host another name or login line: an instance that was
// restarted often has another port. Its connection ends; what was read stays.
func (b *Book) Change(ctx context.Context, id, name, line string) (*Host, error) {
	defer b.write()()
	old := b.Get(id)
	if old == nil {
		return nil, fmt.Errorf("change host %q: there is none", id)
	}
	s := old.Saved
	s.Line = line
	b.mu.Lock()
	if name != "" && name != s.Name {
		s.Name = b.freeName(name)
	}
	b.mu.Unlock()
	s = b.marked(s) // who changes it is about to watch it
	if err := b.p.Store.SaveHost(ctx, s); err != nil {
		return nil, fmt.Errorf("save host %q: %w", s.Name, err)
	}
	old.Disconnect()
	h := newHost(b, s)
	h.live = old.live
	b.mu.Lock()
	for i := range b.hosts {
		if b.hosts[i] == old {
			b.hosts[i] = h
		}
	}
	b.mu.Unlock()
	b.p.Changed()
	return h, nil
}

func (b *Book) freeName(name string) string {
	taken := func(n string) bool {
		return slices.ContainsFunc(b.hosts, func(h *Host) bool { return h.Name == n })
	}
	if !taken(name) {
		return name
	}
	for i := 2; ; i++ {
		if n := fmt.Sprintf("%s (%d)", name, i); !taken(n) {
			return n
		}
	}
}

// Forgetting says what goes with a host.
type Forgetting struct {
	Helper bool // our program on the host, where it is connected
	Logs   bool
}

// Forget ends the host's connection and removes it with its secrets and its
// machine's identity. The host stays listed when that fails.
func (b *Book) Forget(ctx context.Context, id string, f Forgetting) error {
	defer b.write()()
	h := b.Get(id)
	if h == nil {
		return nil
	}
	var helper error
	if f.Helper {
		helper = h.removeHelper(ctx)
	}
	h.Disconnect()
	// The history first: it may refuse, and then the host must still be usable.
	if h.Line != LineDemo {
		if err := b.p.Store.ForgetHost(ctx, id, f.Logs); err != nil {
			return fmt.Errorf("forget host %q: %w", h.Name, err)
		}
	}
	if err := b.p.Opener.Forget(id); err != nil {
		return fmt.Errorf("forget how to get into %q: %w", h.Name, err)
	}
	b.mu.Lock()
	b.hosts = slices.DeleteFunc(b.hosts, func(o *Host) bool { return o.ID == id })
	if b.chosen == id {
		b.chosen = ""
		if len(b.hosts) > 0 {
			b.chosen = b.hosts[0].ID
		}
	}
	b.mu.Unlock()
	b.p.Changed()
	if helper != nil {
		return &HelperLeftError{Err: helper}
	}
	return nil
}

// HelperLeftError says that the host is forgotten here, but our program could
// not be removed from it.
type HelperLeftError struct{ Err error }

// Error implements error.
func (e *HelperLeftError) Error() string {
	return fmt.Sprintf("the program on the host was not removed: %v", e.Err)
}

// Unwrap returns the cause.
func (e *HelperLeftError) Unwrap() error { return e.Err }

// Close ends every connection and log. Nothing is reported afterwards, so the
// window may end.
func (b *Book) Close() {
	b.mu.Lock()
	b.closed = true
	hosts := slices.Clone(b.hosts)
	b.mu.Unlock()
	var wg sync.WaitGroup
	for _, h := range hosts {
		wg.Go(h.Disconnect)
	}
	wg.Wait()
}

func (b *Book) changed() {
	b.mu.Lock()
	closed := b.closed
	b.mu.Unlock()
	if !closed {
		b.p.Changed()
	}
}

func newID() string {
	var raw [8]byte
	_, _ = rand.Read(raw[:]) // never fails: it ends the program where it can't
	return hex.EncodeToString(raw[:])
}
