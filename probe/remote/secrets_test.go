package remote

import (
	"errors"
	"testing"

	"github.com/zalando/go-keyring"
)

// fakeRing is a keyring in memory; with err set there is none.
type fakeRing struct {
	m   map[string]string
	err error
}

func (r *fakeRing) Set(service, user, secret string) error {
	if r.err == nil {
		r.m[service+"|"+user] = secret
	}
	return r.err
}

func (r *fakeRing) Get(service, user string) (string, error) {
	if s, ok := r.m[service+"|"+user]; ok && r.err == nil {
		return s, nil
	}
	if r.err != nil {
		return "", r.err
	}
	return "", keyring.ErrNotFound
}

func (r *fakeRing) Delete(service, user string) error {
	delete(r.m, service+"|"+user)
	return r.err
}

func (r *fakeRing) DeleteAll(service string) error {
	for k := range r.m {
		if len(k) > len(service) && k[:len(service)+1] == service+"|" {
			delete(r.m, k)
		}
	}
	return r.err
}

func TestSecrets(t *testing.T) {
	ring := &fakeRing{m: make(map[string]string)}
	for name, s := range map[string]Secrets{
		"memory":  NewMemory(),
		"keyring": &keyringSecrets{service: "t", memory: NewMemory(), ring: ring},
	} {
		t.Run(name, func(t *testing.T) {
			if _, ok := s.Get("p", SecretPassword, "h"); ok {
				t.Fatal("something is there before")
			}
			for _, p := range []string{"p", "q"} {
				if err := s.Set(p, SecretPassword, "h", "one "+p); err != nil {
					t.Fatal(err)
				}
				if err := s.Set(p, SecretPassphrase, "f", "two "+p); err != nil {
					t.Fatal(err)
				}
			}
			if v, ok := s.Get("p", SecretPassword, "h"); !ok || v != "one p" {
				t.Fatalf("got %q, %v", v, ok)
			}
			if err := s.Drop("p", SecretPassword, "h"); err != nil {
				t.Fatal(err)
			}
			if _, ok := s.Get("p", SecretPassword, "h"); ok {
				t.Error("a dropped secret is still there")
			}
			if err := s.Forget("p"); err != nil {
				t.Fatal(err)
			}
			if _, ok := s.Get("p", SecretPassphrase, "f"); ok {
				t.Error("a forgotten profile still has a secret")
			}
			if v, _ := s.Get("q", SecretPassphrase, "f"); v != "two q" {
				t.Error("forgetting one profile took another's secret")
			}
		})
	}
}

func TestNoKeyring(t *testing.T) {
	t.Run("case 46: no keyring keeps secrets for this run only", func(t *testing.T) {
		ring := &fakeRing{m: make(map[string]string), err: errors.New("no D-Bus")}
		s := &keyringSecrets{service: "t", memory: NewMemory(), ring: ring}
		if err := s.Set("p", SecretPassword, "h", "x"); !errors.Is(err, ErrMemoryOnly) {
			t.Fatalf("Set = %v", err)
		}
		if v, ok := s.Get("p", SecretPassword, "h"); !ok || v != "x" {
			t.Errorf("Get = %q, %v", v, ok)
		}
		if err := s.Forget("p"); err != nil {
			t.Errorf("Forget = %v", err)
		}
		if _, ok := s.Get("p", SecretPassword, "h"); ok {
			t.Error("still there after Forget")
		}
	})
}
