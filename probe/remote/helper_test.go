package remote_test

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"rentgen/probe/remote"
)

// person answers like a patient one and counts the questions.
type person struct {
	mu         sync.Mutex
	trust      bool
	secrets    map[string][]string // by kind, one after the other; the last one stays
	remember   bool
	consent    bool
	declines   bool
	keys       []remote.HostKeyQuestion
	questions  []remote.SecretQuestion
	proxies    []string
	whileAsked func()
}

var errDeclined = errors.New("declined")

func (p *person) HostKey(ctx context.Context, q remote.HostKeyQuestion) (remote.HostKeyAnswer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = append(p.keys, q)
	if p.whileAsked != nil {
		p.whileAsked()
	}
	if p.declines {
		return remote.HostKeyAnswer{}, errDeclined
	}
	return remote.HostKeyAnswer{Trust: p.trust}, ctx.Err()
}

func (p *person) Secret(ctx context.Context, q remote.SecretQuestion) (remote.SecretAnswer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.questions = append(p.questions, q)
	all := p.secrets[q.Kind]
	if p.declines || len(all) == 0 {
		return remote.SecretAnswer{}, errDeclined
	}
	if len(all) > 1 {
		p.secrets[q.Kind] = all[1:]
	}
	return remote.SecretAnswer{Secret: all[0], Remember: p.remember}, ctx.Err()
}

func (p *person) ProxyCommand(_ context.Context, _, command string) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.proxies = append(p.proxies, command)
	return p.consent, nil
}

func (p *person) asked() []remote.SecretQuestion {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.questions
}

// login makes a login for an address without any of this computer's keys.
func login(t testing.TB, user, addr string) remote.Login {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := strconv.Atoi(port)
	return remote.Login{User: user, Host: host, Port: n}
}

// params are those of a fresh profile in an empty home.
func params(t testing.TB, l remote.Login) remote.Params {
	t.Helper()
	home := t.TempDir()
	return remote.Params{
		Profile: "p1", Login: l, Home: home, Agent: "none", TrustNew: true,
		Known:            remote.OpenKnownHosts(filepath.Join(home, "ours", "known"), filepath.Join(home, "known_hosts")),
		HandshakeTimeout: 20 * time.Second, DialTimeout: 20 * time.Second,
	}
}

func dial(t testing.TB, p remote.Params) *remote.Client {
	t.Helper()
	c, err := remote.Dial(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// refused dials and expects a failure of the kind.
func refused(t testing.TB, p remote.Params, stage remote.Stage, kind remote.Kind) *remote.Error {
	t.Helper()
	c, err := remote.Dial(t.Context(), p)
	if err == nil {
		_ = c.Close()
		t.Fatalf("connected, want %s", kind)
	}
	var e *remote.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T: %v", err, err)
	}
	if e.Kind != kind || e.Stage != stage {
		t.Fatalf("%s at %s (%v), want %s at %s", e.Kind, e.Stage, err, kind, stage)
	}
	return e
}

// output runs a command and returns what it printed.
func output(t testing.TB, c remote.Conn, command string) (string, error) {
	t.Helper()
	p, err := c.Start(t.Context(), command)
	if err != nil {
		return "", err
	}
	_ = p.Stdin().Close()
	b, err := io.ReadAll(p.Stdout())
	if err != nil {
		t.Fatal(err)
	}
	return string(b), p.Wait()
}

// ends waits for a connection's end.
func ends(t testing.TB, c remote.Conn) error {
	t.Helper()
	timer := time.NewTimer(30 * time.Second)
	defer timer.Stop()
	select {
	case <-c.Done():
		return c.Err()
	case <-timer.C:
		t.Fatal("the connection does not end")
		return nil
	}
}
