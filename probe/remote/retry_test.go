package remote

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"testing"
	"time"

	"rentgen/probe/remote/remotetest"
)

// impatient loses the connection while the person thinks.
type impatient struct {
	s     *remotetest.Server
	asked int
}

func (p *impatient) HostKey(context.Context, HostKeyQuestion) (HostKeyAnswer, error) {
	p.asked++
	p.s.Cut()
	return HostKeyAnswer{Trust: true}, nil
}

func (p *impatient) Secret(context.Context, SecretQuestion) (SecretAnswer, error) {
	p.asked++
	return SecretAnswer{Secret: "right"}, nil
}

func (p *impatient) ProxyCommand(context.Context, string, string) (bool, error) { return false, nil }

// A host ends a login that takes too long. When that was the person's time,
// it is tried once more with the answers already given.
func TestSlowAnswerIsTriedAgain(t *testing.T) {
	s := remotetest.New(t, remotetest.Options{Password: "right"})
	who := &impatient{s: s}
	c, err := Dial(t.Context(), Params{
		Profile: "p", Login: Login{User: "root", Host: s.Host, Port: s.Port}, Prompt: who, Agent: "none", Home: t.TempDir(),
		Known: OpenKnownHosts(t.TempDir()+"/known", ""), slow: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	if who.asked != 2 { // the identity once, the password once
		t.Errorf("asked %d times", who.asked)
	}
}

// A reader that comes late gets everything, though the exit code came long
// before what was still on its way.
func TestLateReader(t *testing.T) {
	const size = 12 << 20
	sent := make(chan struct{})
	s := remotetest.New(t, remotetest.Options{NoAuth: true, Lingering: sent, Exec: func(e *remotetest.Exec) int {
		go func() {
			defer close(sent)
			for range size >> 16 {
				_, _ = e.Stdout.Write(make([]byte, 64<<10))
			}
		}()
		return 0
	}})
	c, err := Dial(t.Context(), Params{
		Login: Login{User: "root", Host: s.Host, Port: s.Port}, Agent: "none", Home: t.TempDir(), TrustNew: true,
		linger: 400 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p, err := c.Start(t.Context(), "much")
	if err != nil {
		t.Fatal(err)
	}
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	<-timer.C
	out, _ := io.ReadAll(p.Stdout())
	if len(out) != size {
		t.Errorf("%d bytes of %d", len(out), size)
	}
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
}

func TestDialInput(t *testing.T) {
	for _, l := range []Login{{}, {Host: "a b"}, {Host: "a", User: "x;y"}, {Host: "a", Port: 70000}, {Host: "a", Jumps: []Login{{Host: "-x"}}}} {
		_, err := Dial(t.Context(), Params{Login: l, Agent: "none", Home: t.TempDir()})
		var e *Error
		var in *InputError
		if !errors.As(err, &e) || e.Kind != KindInput || e.ExitCode() != 64 || !errors.As(err, &in) {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

// An address that leads nowhere must not keep the others waiting.
func TestDialAny(t *testing.T) {
	s := remotetest.New(t, remotetest.Options{})
	four := netip.MustParseAddr("127.0.0.1")
	dead := netip.MustParseAddr("127.255.255.254")
	_, closed, _ := net.SplitHostPort(remotetest.Closed(t))
	for name, addrs := range map[string][]netip.Addr{
		"one":             {four},
		"a dead one":      {dead, four},
		"the other first": {netip.MustParseAddr("::1"), four},
		"the other last":  {four, netip.MustParseAddr("2001:db8::1")},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		c, err := dialAny(ctx, addrs, strconv.Itoa(s.Port))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else {
			_ = c.Close()
		}
		if _, err := dialAny(ctx, addrs[slices.Index(addrs, four):][:1], closed); netKind(err) != KindRefused {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
	if _, err := dialAny(t.Context(), nil, "1"); err == nil {
		t.Error("no address connects")
	}
}
