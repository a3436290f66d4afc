// Package sense keeps, beside the window's hosts, what their readings mean and
// what they cost: a court and a meter a host, the alerts that follow from both,
// and what older logs were found to mean. It knows no widget.
package sense

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"rentgen/app/bill/offer"
	"rentgen/app/judge"
	"rentgen/app/judge/idle"
	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/alert"
	"rentgen/app/purse/meter"
	"rentgen/app/purse/push"
	"rentgen/app/purse/tariff"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// Host is what is known of a host beside its readings.
type Host struct {
	ID, Name  string
	Demo      bool
	Local     bool   // this computer, which nobody rents
	Track     string // "shared", "dedicated" or ""
	Connected bool   // a connection is open or sought
	Live      bool   // readings come
}

// Params say what a Sense works with.
type Params struct {
	// Purse and Judged keep; without them everything is forgotten with the window.
	Purse  purse.Store
	Judged judge.Store
	// Hosts are those of the window; from any goroutine.
	Hosts func() []Host
	// Ended are the logs that have ended, newest first; those that were never
	// judged are, one after the other, so that later runs can be compared with
	// them. Nil judges none.
	Ended func(ctx context.Context) ([]Log, error)
	// Disks reads how full a host's file systems are; nil where nothing can.
	Disks func(ctx context.Context, host string) ([]alert.Disk, error)
	// PaidUntil is until when a host is paid ahead as the user noted it beside its
	// price, zero for nothing noted; nil where nothing keeps that.
	PaidUntil func(ctx context.Context, host string) (time.Time, error)
	// Secrets holds what pushes need; nil offers none.
	Secrets push.Secrets
	// Redact hides a secret from logs.
	Redact func(secret string)
	Texts  func() *texts.Catalogue
	// Notify rings on this computer; from any goroutine.
	Notify func(a purse.Alert)
	// Changed is called from any goroutine when an answer changed; time alone
	// is no change.
	Changed func()
	// Failed hears that something could not be kept.
	Failed func(error)
	Now    func() time.Time
	Go     func(f func())
}

// Sense is the meaning and the purse of all hosts. Its methods may be called
// from several goroutines.
type Sense struct {
	p       Params
	book    *meter.Book
	demo    *meter.Book // of made-up hosts: nothing of it is kept or summed up
	version atomic.Uint64

	mu     sync.Mutex
	minds  map[string]*mind
	phases []judge.Phase // of earlier logs
	engine *alert.Engine // nil until Load
	pusher *push.Pusher
	disks  map[string][]alert.Disk
	paid   map[string]time.Time // see PaidUntil
	past   map[int64]pastLog    // of open logs, see JudgeLog

	soon chan struct{} // something happened; holds one

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// New returns a Sense that knows nothing; Load reads what was kept.
func New(p Params) *Sense {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Go == nil {
		p.Go = func(f func()) { go f() }
	}
	if p.Changed == nil {
		p.Changed = func() {}
	}
	if p.Failed == nil {
		p.Failed = func(error) {}
	}
	if p.Hosts == nil {
		p.Hosts = func() []Host { return nil }
	}
	if p.Texts == nil {
		p.Texts = func() *texts.Catalogue { return texts.For(texts.English) }
	}
	s := &Sense{p: p, minds: make(map[string]*mind), disks: make(map[string][]alert.Disk), paid: make(map[string]time.Time), past: make(map[int64]pastLog)}
	s.soon = make(chan struct{}, 1)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.book = meter.NewBook(meter.BookParams{
		Store: p.Purse, Now: p.Now, Failed: p.Failed,
		Classify: func() meter.Classifier { return classifier{idle.New()} },
	})
	s.demo = meter.NewBook(meter.BookParams{
		Now: p.Now, Failed: func(error) {}, Classify: func() meter.Classifier { return classifier{idle.New()} },
	})
	return s
}

// bookOf returns the book that a host's meter stands in.
func (s *Sense) bookOf(demo bool) *meter.Book {
	if demo {
		return s.demo
	}
	return s.book
}

// demoHour is the made-up price of a made-up host.
var demoHour = money.MustParse("1.88")

// priceDemo gives a made-up host a made-up price, once.
func (s *Sense) priceDemo(host string) {
	if _, ok := s.demo.Tariff(host); !ok {
		second := offer.Term{Value: "1", Status: offer.Typed}
		none := offer.Term{Value: "0", Status: offer.Typed}
		_ = s.demo.SetTariff(s.ctx, host, tariff.Tariff{
			Currency: "CNY", PerHour: &demoHour, Offer: "demo", Since: s.p.Now(),
			Terms: map[offer.TermID]offer.Term{
				offer.Granularity: second, offer.MinBilled: none, offer.MinCharge: none,
				offer.Settlement: {Value: "per_session", Status: offer.Typed}, offer.BilledFrom: {Value: "running", Status: offer.Typed},
			},
		})
	}
}

// Load reads what was kept and begins to look for alerts.
func (s *Sense) Load(ctx context.Context) error {
	var errs []error
	if s.p.Purse != nil {
		errs = append(errs, s.book.Load(ctx))
		e, err := alert.New(ctx, alert.Params{Store: s.p.Purse, Now: s.p.Now, Deliver: s.deliver})
		errs = append(errs, err)
		var u *push.Pusher
		if s.p.Secrets != nil {
			u, err = push.New(ctx, push.Params{
				Store: s.p.Purse, Secrets: s.p.Secrets, Texts: s.p.Texts, Now: s.p.Now, Redact: s.p.Redact, Changed: s.changed,
			})
			errs = append(errs, err)
		}
		s.mu.Lock()
		s.engine, s.pusher = e, u
		s.mu.Unlock()
		if u != nil {
			s.wg.Go(func() { u.Run(s.ctx) })
		}
	}
	errs = append(errs, s.readPhases(ctx))
	s.wg.Go(s.watch)
	if s.p.Ended != nil && s.p.Judged != nil {
		s.wg.Go(s.catchUp)
	}
	s.changed()
	return errors.Join(errs...)
}

// Close keeps what has changed and ends what runs.
func (s *Sense) Close() {
	s.cancel()
	s.wg.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	if err := s.book.Close(ctx); err != nil {
		s.p.Failed(err)
	}
	_ = s.demo.Close(ctx) // it keeps nothing
}

const closeWait = 5 * time.Second

// Version rises whenever an answer changes, time alone aside.
func (s *Sense) Version() uint64 { return s.version.Load() }

func (s *Sense) changed() {
	s.version.Add(1)
	s.p.Changed()
}

// Book returns the meters of real hosts.
func (s *Sense) Book() *meter.Book { return s.book }

// Engine returns the alerts, nil where none can be kept.
func (s *Sense) Engine() *alert.Engine {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.engine
}

// Pusher returns what sends alerts elsewhere, nil where no secrets can be kept.
func (s *Sense) Pusher() *push.Pusher {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pusher
}

// Message takes the next message of a host's look.
func (s *Sense) Message(h Host, m probe.Message) {
	if h.Demo {
		s.priceDemo(h.ID)
	}
	if !h.Local {
		s.bookOf(h.Demo).Message(h.ID, m)
	}
	if s.mind(h).add(m, s.p.Now()) {
		s.changed()
	}
	if _, ok := m.(*probe.Event); ok {
		select {
		case s.soon <- struct{}{}:
		default: // on its way
		}
	}
}

// Late takes what a recorder on a host kept while nobody listened: it counts for
// the cost, and is judged with the log that it stands in.
func (s *Sense) Late(host string, f *probe.Fill) {
	for _, m := range f.Messages {
		s.book.Late(host, m)
	}
	s.changed()
}

// Forget drops what is known of a host, on the disk too.
func (s *Sense) Forget(ctx context.Context, host string) error {
	s.mu.Lock()
	delete(s.minds, host)
	delete(s.disks, host)
	delete(s.paid, host)
	e := s.engine
	s.mu.Unlock()
	err := s.book.Forget(ctx, host)
	if e != nil {
		err = errors.Join(err, e.Forget(ctx, host))
	}
	return err
}

// classifier makes the judge's view of a second the meter's.
type classifier struct{ *idle.Classifier }

// Second implements meter.Classifier.
func (c classifier) Second(s *probe.Sample) meter.State {
	switch c.Classifier.Second(s) {
	case idle.Busy:
		return meter.Busy
	case idle.Idle:
		return meter.Idle
	case idle.Unknown:
	}
	return meter.Unknown
}
