package meter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/tariff"
	"rentgen/probe"
)

// BookParams say what a book works with.
type BookParams struct {
	Store    purse.Store
	Now      func() time.Time // nil: the system's
	Zone     *time.Location   // of the days; nil: the system's
	Classify func() Classifier
	// Every is how often changes are kept at most; 0 is 10 s.
	Every time.Duration
	// After calls f once after a time, on a goroutine of its own; nil is time.AfterFunc.
	After func(d time.Duration, f func())
	// Failed hears that something could not be kept; it is tried again later.
	Failed func(error)
}

// Book holds the meters of all hosts. Its methods may be called from several
// goroutines and, but for those with a context, never wait for the store.
type Book struct {
	p       BookParams
	mu      sync.RWMutex
	meters  map[string]*Meter
	budgets []purse.Entry
	told    map[string]bool // stops that were taken up, by host, kind and key
	armed   atomic.Bool
	closed  atomic.Bool
	saving  sync.Mutex
}

// NewBook makes a book; Load reads what was kept.
func NewBook(p BookParams) *Book {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Every <= 0 {
		p.Every = 10 * time.Second
	}
	if p.After == nil {
		p.After = func(d time.Duration, f func()) { time.AfterFunc(d, f) }
	}
	if p.Failed == nil {
		p.Failed = func(error) {}
	}
	return &Book{p: p, meters: make(map[string]*Meter), told: make(map[string]bool)}
}

// Load reads what was kept of all hosts. Messages may come before it.
func (b *Book) Load(ctx context.Context) error {
	if b.p.Store == nil {
		return nil
	}
	for _, kind := range []string{purse.KindSession, purse.KindDay} {
		if err := b.read(ctx, kind); err != nil {
			return err
		}
	}
	return b.refresh(ctx)
}

func (b *Book) read(ctx context.Context, kind string) error {
	entries, err := b.p.Store.PurseEntries(ctx, purse.Filter{AnyHost: true, Kind: kind})
	if err != nil {
		return fmt.Errorf("read the meters: %w", err)
	}
	by := make(map[string][]purse.Entry)
	for _, e := range entries {
		by[e.Host] = append(by[e.Host], e)
	}
	for host, list := range by {
		b.meter(host).restore(list)
	}
	return nil
}

// refresh takes up what others have written: the command line beside the window,
// and the stop guard.
func (b *Book) refresh(ctx context.Context) error {
	kept := func(f purse.Filter) ([]purse.Entry, error) {
		f.AnyHost = true
		es, err := b.p.Store.PurseEntries(ctx, f)
		if err != nil {
			return nil, fmt.Errorf("read the purse: %w", err)
		}
		return es, nil
	}
	tariffs, err := kept(purse.Filter{Kind: purse.KindTariff})
	if err != nil {
		return err
	}
	budgets, err := kept(purse.Filter{Kind: purse.KindBudget})
	if err != nil {
		return err
	}
	stops, err := kept(purse.Filter{Kind: purse.KindStop, From: b.p.Now().Add(-60 * 24 * time.Hour)})
	if err != nil {
		return err
	}
	told, err := kept(purse.Filter{Kind: kindTold})
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.budgets = budgets
	b.mu.Unlock()
	for _, e := range tariffs {
		if t, err := tariff.Read(e.Body); err == nil {
			b.meter(e.Host).price(t)
		}
	}
	for _, m := range b.all() {
		m.spend(budgets)
	}
	for _, e := range slices.Concat(stops, told) {
		m, ok := b.known(e.Host)
		if by, at, real := stopOf(e); ok && real && b.newlyTold(e) {
			_, _, _ = m.stopped(at, by) // what doesn't fit any more was said of another session
		}
	}
	return nil
}

// newlyTold reports whether a kept stop wasn't taken up before, and remembers it.
func (b *Book) newlyTold(e purse.Entry) bool {
	key := e.Host + "\x00" + e.Kind + "\x00" + e.Key
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.told[key] {
		return false
	}
	b.told[key] = true
	return true
}

func (b *Book) known(host string) (*Meter, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	m, ok := b.meters[host]
	return m, ok
}

// meter returns the meter of a host, made where there is none.
func (b *Book) meter(host string) *Meter {
	if m, ok := b.known(host); ok {
		return m
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	m, ok := b.meters[host]
	if !ok {
		m = New(host, Params{Store: b.p.Store, Now: b.p.Now, Zone: b.p.Zone, Classify: b.p.Classify})
		m.budgets = b.budgets
		m.changed = b.arm
		b.meters[host] = m
	}
	return m
}

func (b *Book) all() []*Meter {
	b.mu.RLock()
	defer b.mu.RUnlock()
	list := make([]*Meter, 0, len(b.meters))
	for _, m := range b.meters {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b *Meter) int { return cmp.Compare(a.host, b.host) })
	return list
}

// arm sees to it that changes are kept soon.
func (b *Book) arm() {
	if b.p.Store == nil || b.closed.Load() || !b.armed.CompareAndSwap(false, true) {
		return
	}
	b.p.After(b.p.Every, func() {
		b.armed.Store(false)
		if b.closed.Load() {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		err := b.Flush(ctx)
		if err == nil {
			err = b.refresh(ctx)
		}
		if err != nil {
			b.p.Failed(err)
			b.arm()
		}
	})
}

// Message takes the next message of a host's look.
func (b *Book) Message(host string, msg probe.Message) { b.meter(host).Message(msg) }

// Late takes a message that fills in afterwards what the live look missed. It is
// a stream of its own: an inventory first.
func (b *Book) Late(host string, msg probe.Message) { b.meter(host).Late(msg) }

// Seen says that a host runs that gives no readings.
func (b *Book) Seen(host string, at time.Time) {
	if m, ok := b.known(host); ok {
		m.Seen(at)
	}
}

// Glance is what is known of a host's purse now; ok is false of one that has
// neither run nor a price. It neither waits nor asks the store.
func (b *Book) Glance(host string) (g purse.Glance, ok bool) {
	m, ok := b.known(host)
	if !ok {
		return purse.Glance{Host: host}, false
	}
	return m.Glance(), true
}

// Totals sums up what runs now, by currency.
func (b *Book) Totals() []purse.Running {
	var list []purse.Glance
	for _, m := range b.all() {
		list = append(list, m.Glance())
	}
	return Totals(list)
}

// Account is all that is known of a host's costs.
func (b *Book) Account(host string) (Account, bool) {
	m, ok := b.known(host)
	if !ok {
		return Account{}, false
	}
	return m.Account(), true
}

// Stop is when a host's last session stopped; ok is false where that isn't known,
// or it runs.
func (b *Book) Stop(host string) (at time.Time, ok bool) {
	m, known := b.known(host)
	if !known {
		return time.Time{}, false
	}
	return m.stop()
}

// Forget leaves out all that is known of a host's costs, and deletes what is kept
// of them.
func (b *Book) Forget(ctx context.Context, host string) error {
	b.saving.Lock()
	defer b.saving.Unlock()
	b.mu.Lock()
	delete(b.meters, host)
	b.mu.Unlock()
	if b.p.Store == nil {
		return nil
	}
	for _, kind := range []string{purse.KindSession, purse.KindDay, purse.KindTariff, kindTold} {
		if err := b.p.Store.DeletePurseEntries(ctx, host, kind); err != nil {
			return fmt.Errorf("forget the costs of a host: %w", err)
		}
	}
	return nil
}

// Hosts are the ids of all hosts that have run or have a price, sorted.
func (b *Book) Hosts() []string {
	var ids []string
	for _, m := range b.all() {
		ids = append(ids, m.host)
	}
	return ids
}

// Tariff is what a host costs; ok is false where nobody has said.
func (b *Book) Tariff(host string) (t tariff.Tariff, ok bool) {
	m, known := b.known(host)
	if !known {
		return tariff.Tariff{}, false
	}
	return m.Tariff()
}

// SetTariff keeps what a host costs, from the start of the session that runs and
// of those that had no price; sessions that are over keep theirs. The error is an
// offer.InputErrors, or that of the store.
func (b *Book) SetTariff(ctx context.Context, host string, t tariff.Tariff) error {
	if err := t.Check(); err != nil {
		return err
	}
	e, err := t.Entry(host)
	if err != nil {
		return err
	}
	if b.p.Store != nil {
		if err := b.p.Store.SavePurseEntries(ctx, e); err != nil {
			return fmt.Errorf("keep the price of a host: %w", err)
		}
	}
	b.meter(host).price(t)
	return nil
}

// Budget is a limit for a month.
type Budget struct {
	Limit money.Rat `json:"limit"`
}

// Flush keeps what has changed.
func (b *Book) Flush(ctx context.Context) error {
	if b.p.Store == nil {
		return nil
	}
	b.saving.Lock()
	defer b.saving.Unlock()
	var all error
	for _, m := range b.all() {
		entries, settle, err := m.unsaved()
		if err == nil && len(entries) > 0 {
			err = b.p.Store.SavePurseEntries(ctx, entries...)
		}
		settle(err == nil)
		if err != nil {
			all = errors.Join(all, fmt.Errorf("keep the meter of a host: %w", err))
		}
	}
	return all
}

// Close keeps what has changed and stops keeping.
func (b *Book) Close(ctx context.Context) error {
	b.closed.Store(true)
	return b.Flush(ctx)
}
