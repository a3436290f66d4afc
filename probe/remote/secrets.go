package remote

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/zalando/go-keyring"
)

// Secrets keeps what the person asked to have remembered. Implementations are
// safe for use from several goroutines.
type Secrets interface {
	// Get returns a secret; kind is SecretPassword or SecretPassphrase, hop the
	// "user@host:port" or the key file it belongs to.
	Get(profile, kind, hop string) (string, bool)
	// Set keeps a secret. ErrMemoryOnly says that it is kept for this run only.
	Set(profile, kind, hop, secret string) error
	// Drop forgets one secret, for example one that turned out wrong.
	Drop(profile, kind, hop string) error
	// Forget forgets all secrets of a profile.
	Forget(profile string) error
}

// holder keeps a secret until the program ends, so that a broken link can be
// mended without asking again what was typed a minute ago.
type holder interface {
	hold(profile, kind, hop, secret string)
}

// ErrMemoryOnly is returned by Set where the system has no keyring: the secret
// is kept until the program ends.
var ErrMemoryOnly = errors.New("no keyring: kept for this run only")

// memory keeps secrets in this process only.
type memory struct {
	mu sync.Mutex
	m  map[string]map[string]string // profile, then kind and hop
}

// NewMemory returns Secrets that end with the program.
func NewMemory() Secrets { return &memory{m: make(map[string]map[string]string)} }

func secretName(kind, hop string) string { return kind + " " + hop }

// Get implements Secrets.
func (m *memory) Get(profile, kind, hop string) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.m[profile][secretName(kind, hop)]
	return s, ok
}

// Set implements Secrets.
func (m *memory) Set(profile, kind, hop, secret string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.m[profile] == nil {
		m.m[profile] = make(map[string]string)
	}
	m.m[profile][secretName(kind, hop)] = secret
	return nil
}

func (m *memory) hold(profile, kind, hop, secret string) { _ = m.Set(profile, kind, hop, secret) }

// Drop implements Secrets.
func (m *memory) Drop(profile, kind, hop string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.m[profile], secretName(kind, hop))
	return nil
}

// Forget implements Secrets.
func (m *memory) Forget(profile string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.m, profile)
	return nil
}

// keyringWait bounds a call of the system's keyring. A locked keyring asks the
// person, so it is long.
const keyringWait = time.Minute

// keyringSecrets keeps secrets in the system's keyring, one service a profile,
// and in memory where there is none.
type keyringSecrets struct {
	service string
	memory  Secrets
	ring    ring
}

// ring is the part of go-keyring in use.
type ring interface {
	Set(service, user, secret string) error
	Get(service, user string) (string, error)
	Delete(service, user string) error
	DeleteAll(service string) error
}

type systemRing struct{}

func (systemRing) Set(service, user, secret string) error   { return keyring.Set(service, user, secret) }
func (systemRing) Get(service, user string) (string, error) { return keyring.Get(service, user) }
func (systemRing) Delete(service, user string) error        { return keyring.Delete(service, user) }
func (systemRing) DeleteAll(service string) error           { return keyring.DeleteAll(service) }

// NewKeyring returns Secrets in the system's keyring under the given service
// name. Without a keyring they are kept in memory and Set says so.
func NewKeyring(service string) Secrets {
	return &keyringSecrets{service: service, memory: NewMemory(), ring: systemRing{}}
}

func (k *keyringSecrets) name(profile string) string { return k.service + "/" + profile }

// bounded runs a call that may hang on a bus that does not answer.
func bounded[T any](f func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	timer := time.NewTimer(keyringWait)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.v, r.err
	case <-timer.C:
		var none T
		return none, errors.New("the keyring does not answer")
	}
}

// Get implements Secrets.
func (k *keyringSecrets) Get(profile, kind, hop string) (string, bool) {
	if s, ok := k.memory.Get(profile, kind, hop); ok {
		return s, true
	}
	s, err := bounded(func() (string, error) { return k.ring.Get(k.name(profile), secretName(kind, hop)) })
	return s, err == nil
}

// Set implements Secrets.
func (k *keyringSecrets) Set(profile, kind, hop, secret string) error {
	_, err := bounded(func() (struct{}, error) {
		return struct{}{}, k.ring.Set(k.name(profile), secretName(kind, hop), secret)
	})
	if err == nil {
		return k.memory.Drop(profile, kind, hop)
	}
	_ = k.memory.Set(profile, kind, hop, secret)
	return fmt.Errorf("%w (%w)", ErrMemoryOnly, err)
}

func (k *keyringSecrets) hold(profile, kind, hop, secret string) {
	_ = k.memory.Set(profile, kind, hop, secret)
}

// Drop implements Secrets.
func (k *keyringSecrets) Drop(profile, kind, hop string) error {
	_ = k.memory.Drop(profile, kind, hop)
	return k.gone(func() error { return k.ring.Delete(k.name(profile), secretName(kind, hop)) })
}

// Forget implements Secrets. Without a keyring nothing was kept there, so
// that is no error.
func (k *keyringSecrets) Forget(profile string) error {
	_ = k.memory.Forget(profile)
	return k.gone(func() error { return k.ring.DeleteAll(k.name(profile)) })
}

func (k *keyringSecrets) gone(f func() error) error {
	_, err := bounded(func() (struct{}, error) { return struct{}{}, f() })
	if err == nil || errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	// Was there a keyring at all? A probe that finds nothing tells the two apart.
	if _, probe := bounded(func() (string, error) { return k.ring.Get(k.service, "probe") }); !errors.Is(probe, keyring.ErrNotFound) {
		return nil
	}
	return fmt.Errorf("remove from the keyring: %w", err)
}
