package push

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"rentgen/app/purse"
	"rentgen/assets/texts"
)

// Secrets keeps what must not be seen, as probe/remote does for logins. It is
// safe for use from several goroutines.
type Secrets interface {
	Get(profile, kind, hop string) (string, bool)
	// Set may return an error though it keeps the secret, until the program ends.
	Set(profile, kind, hop, secret string) error
	Drop(profile, kind, hop string) error
}

// How secrets are named: the profile, the kinds, and the form as the hop.
const (
	profile     = "push"
	kindAddress = "address"
	kindSecret  = "secret"
)

// settingPrefix begins the key of a form among the purse's settings.
const settingPrefix = "push."

// Params say what a pusher works with.
type Params struct {
	Store   purse.Store
	Secrets Secrets
	Texts   func() *texts.Catalogue // the language of now
	Now     func() time.Time        // nil is time.Now
	// After is time.After for tests.
	After func(time.Duration) <-chan time.Time
	// Redact is told every secret before it is used, so that logs can mask it;
	// nil for none.
	Redact func(secret string)
	// Changed is called, from any goroutine, when what Targets returns may have
	// changed; nil for nothing.
	Changed func()
	Client  *http.Client // nil is our own
}

// Target is a form and how it is set. It holds nothing secret.
type Target struct {
	Form Form
	On   bool
	Host string // the server that messages go to, "" where nothing is set
	// Waiting counts alerts that couldn't be sent yet.
	Waiting int
	// Last is how the last try ended; zero before one. Err is nil where it was
	// taken.
	Last time.Time
	Err  error
}

// kept is what the database knows of a form.
type kept struct {
	On   bool   `json:"on"`
	Host string `json:"host"`
}

// line is one form's alerts that wait.
type line struct {
	kept    kept
	waiting []purse.Alert
	more    int       // dropped, since too many waited
	fails   int       // tries in a row that failed
	next    time.Time // no try before
	last    time.Time
	err     error
}

// Pusher sends alerts by every form that is on. It is safe for use from several
// goroutines.
type Pusher struct {
	p    Params
	wake chan struct{}

	sending sync.Mutex // one step at a time

	mu    sync.Mutex
	lines map[string]*line // by form
}

// New returns a pusher with what the store keeps. Nothing is sent until Run.
func New(ctx context.Context, p Params) (*Pusher, error) {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.After == nil {
		p.After = time.After
	}
	if p.Texts == nil {
		p.Texts = func() *texts.Catalogue { return texts.For(texts.English) }
	}
	if p.Redact == nil {
		p.Redact = func(string) {}
	}
	if p.Changed == nil {
		p.Changed = func() {}
	}
	u := &Pusher{p: p, wake: make(chan struct{}, 1), lines: map[string]*line{}}
	for _, f := range Forms() {
		u.lines[f.ID] = &line{}
	}
	entries, err := p.Store.PurseEntries(ctx, purse.Filter{Kind: purse.KindSetting})
	if err != nil {
		return nil, fmt.Errorf("read the settings of pushes: %w", err)
	}
	for _, e := range entries {
		id, ours := strings.CutPrefix(e.Key, settingPrefix)
		if l := u.lines[id]; ours && l != nil {
			var k kept
			if json.Unmarshal(e.Body, &k) == nil {
				k.Host = short(clean(k.Host), maxSaid)
				l.kept = k
			}
		}
	}
	return u, nil
}

// Targets returns every form and how it is set.
func (u *Pusher) Targets() []Target {
	u.mu.Lock()
	defer u.mu.Unlock()
	var out []Target
	for _, f := range Forms() {
		l := u.lines[f.ID]
		out = append(out, Target{f, l.kept.On, l.kept.Host, len(l.waiting) + l.more, l.last, l.err})
	}
	return out
}

// ErrUnknown is returned for a form that there isn't.
var ErrUnknown = errors.New("no such form")

// Set keeps an address and a secret ("" for none) in the keyring. Without an
// address the one that is kept stays, with the new secret. It doesn't switch the
// form on. The error is an *Error where the address can't be used, or
// the keyring's; held tells whether it is kept all the same, until the program
// ends.
func (u *Pusher) Set(ctx context.Context, form, address, secret string) (held bool, err error) {
	f, ok := Find(form)
	if !ok {
		return false, ErrUnknown
	}
	address, secret = strings.TrimSpace(address), strings.TrimSpace(secret)
	if address == "" {
		if address, ok = u.p.Secrets.Get(profile, kindAddress, form); !ok {
			return false, &Error{Form: form, Reason: ReasonMissing}
		}
	}
	t, err := f.parse(address)
	if err != nil {
		return false, err
	}
	if len(secret) > maxAddress || controls(secret) {
		return false, &Error{Form: form, Reason: ReasonSecret, Host: t.host}
	}
	u.redact(t, secret)
	var trouble error
	if secret == "" {
		trouble = u.p.Secrets.Drop(profile, kindSecret, form)
	} else {
		trouble = u.p.Secrets.Set(profile, kindSecret, form, secret)
	}
	trouble = cmp.Or(u.p.Secrets.Set(profile, kindAddress, form, address), trouble)
	if got, ok := u.p.Secrets.Get(profile, kindAddress, form); !ok || got != address {
		return false, fmt.Errorf("keep the address of %s: %w", form, cmp.Or(trouble, errors.New("the keyring doesn't give it back")))
	}
	err = u.setting(ctx, form, func(k *kept) { k.Host = t.host })
	if err == nil && trouble != nil {
		err = fmt.Errorf("keep the address of %s: %w", form, trouble)
	}
	return true, err
}

func (u *Pusher) redact(t target, secret string) {
	for _, s := range append(t.hide, secret) {
		if len(s) >= secretLength {
			u.p.Redact(s)
		}
	}
}

// Turn switches a form on or off. One without an address can't be switched on:
// the error is an *Error with ReasonMissing.
func (u *Pusher) Turn(ctx context.Context, form string, on bool) error {
	if _, ok := Find(form); !ok {
		return ErrUnknown
	}
	if on {
		if address, ok := u.p.Secrets.Get(profile, kindAddress, form); !ok || address == "" {
			return &Error{Form: form, Reason: ReasonMissing}
		}
	}
	return u.setting(ctx, form, func(k *kept) { k.On = on })
}

// Forget switches a form off and deletes its address and secret.
func (u *Pusher) Forget(ctx context.Context, form string) error {
	if _, ok := Find(form); !ok {
		return ErrUnknown
	}
	err := cmp.Or(u.p.Secrets.Drop(profile, kindAddress, form), u.p.Secrets.Drop(profile, kindSecret, form))
	return cmp.Or(u.setting(ctx, form, func(k *kept) { *k = kept{} }), err)
}

// setting changes what the database knows of a form.
func (u *Pusher) setting(ctx context.Context, form string, change func(*kept)) error {
	u.mu.Lock()
	k := u.lines[form].kept
	u.mu.Unlock()
	change(&k)
	b, err := json.Marshal(k)
	if err != nil {
		return fmt.Errorf("encode the setting of %s: %w", form, err)
	}
	entry := purse.Entry{Kind: purse.KindSetting, Key: settingPrefix + form, Time: u.p.Now(), Body: b}
	if err := u.p.Store.SavePurseEntries(ctx, entry); err != nil {
		return fmt.Errorf("keep the setting of %s: %w", form, err)
	}
	u.mu.Lock()
	l := u.lines[form]
	l.kept, l.fails, l.next = k, 0, time.Time{}
	if !k.On {
		l.waiting, l.more = nil, 0
	}
	u.mu.Unlock()
	u.stir()
	u.p.Changed()
	return nil
}

// Test sends a test message by a form at once, on or off. The error is an *Error.
func (u *Pusher) Test(ctx context.Context, form string) error {
	f, ok := Find(form)
	if !ok {
		return ErrUnknown
	}
	now := u.p.Now()
	err := u.once(ctx, f, Test(u.p.Texts(), now), now)
	u.mu.Lock()
	l := u.lines[form]
	l.last, l.err = now, err
	if err == nil { // the way is open again
		l.fails, l.next = 0, time.Time{}
	}
	u.mu.Unlock()
	u.stir()
	u.p.Changed()
	return err
}

func (u *Pusher) once(ctx context.Context, f Form, m Message, now time.Time) error {
	address, ok := u.p.Secrets.Get(profile, kindAddress, f.ID)
	if !ok || address == "" {
		return &Error{Form: f.ID, Reason: ReasonMissing}
	}
	secret := ""
	if f.Secret != SecretNone {
		secret, _ = u.p.Secrets.Get(profile, kindSecret, f.ID)
	}
	if t, err := f.parse(address); err == nil {
		u.redact(t, secret)
	}
	return Once(ctx, u.p.Client, f, address, secret, m, now)
}
