package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"golang.org/x/crypto/ssh"
)

// Params says where to and how to connect.
type Params struct {
	Profile string      // the saved host's ID; trust and secrets are kept under it
	Login   Login       // as ParseLogin returned it
	Config  *Config     // the user's ssh config, applied to the login and its jump hosts; may be nil
	Known   *KnownHosts // nil: every machine is unknown
	Secrets Secrets     // nil: nothing is remembered
	Prompt  Prompter    // nil: nobody can be asked
	// TrustNew accepts a key on first sight, never a changed one.
	TrustNew bool
	// Password is used before any remembered one, for the login itself only.
	Password string
	// Progress is told each stage as it begins. It must not block.
	Progress func(stage Stage, hop string)
	// Notice is told what is worth saying on the way, for example about a key
	// file that others may read.
	Notice func(Notice)
	// Log gets stages, methods and errors, never secrets. May be nil.
	Log *slog.Logger

	// DialTimeout bounds opening the network connection; 0 means 10 s, or the
	// login's ConnectTimeout.
	DialTimeout time.Duration
	// HandshakeTimeout bounds the whole handshake of one hop, questions to the
	// person not counted; 0 means 15 s.
	HandshakeTimeout time.Duration
	// KeepAlive is the pause between two signs of life, KeepAliveTimeout how
	// long an answer may take; 0 means 10 s and 15 s.
	KeepAlive, KeepAliveTimeout time.Duration
	// Agent is the key agent's socket; "" means the environment's, "none" none.
	Agent string
	// Home holds .ssh with the default keys; "" means the user's home.
	Home string
	// Resolver looks up names; nil means the system's.
	Resolver *net.Resolver

	now    func() time.Time // the wall clock; tests let it jump
	linger time.Duration    // 0 means lingering
	slow   time.Duration    // how long an open question may wear out a host; 0 means slow
}

func (p *Params) fill() {
	def := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	def(&p.HandshakeTimeout, 15*time.Second)
	def(&p.KeepAlive, 10*time.Second)
	def(&p.KeepAliveTimeout, 15*time.Second)
	if p.Agent == "" {
		p.Agent = agentSocket()
	}
	if p.Home == "" {
		p.Home, _ = os.UserHomeDir()
	}
	if p.Resolver == nil {
		p.Resolver = net.DefaultResolver
	}
	def(&p.slow, slow)
	def(&p.linger, lingering)
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	if p.Known == nil {
		p.Known = OpenKnownHosts("", "")
	}
	if p.Secrets == nil {
		p.Secrets = NewMemory()
	}
}

// Dial connects and logs in. It follows the login's jump hosts, checks every
// hop's key under its own name before a secret leaves, and can be stopped
// through the context at every stage. The error is an *Error or, for input
// that can't be used, wraps an *InputError in one.
func Dial(ctx context.Context, p Params) (*Client, error) {
	p.fill()
	d := &dialer{p: p, asked: make(map[string]string), told: make(map[string]bool)}
	login, notices := p.Config.Resolve(p.Login)
	for _, n := range notices {
		d.notice(n)
	}
	if host, _, _ := net.SplitHostPort(dialAddr(login)); TerminalOnly(host) {
		return nil, &Error{Stage: StageResolve, Kind: KindTerminalOnly, Hop: login.Hop(), Subject: host}
	}
	route, err := d.route(login)
	if err != nil {
		return nil, err
	}
	c, err := d.connect(ctx, route)
	if err != nil && d.worthRetry(ctx, err) {
		// The first try taught us something: what to leave out, or answers
		// that came too late for the host's patience.
		c, err = d.connect(ctx, route)
	}
	if err != nil {
		p.Log.Info("connect failed", "hop", login.Hop(), "error", err.Error())
		return nil, err
	}
	return c, nil
}

// dialer is one call of Dial.
type dialer struct {
	p     Params
	told  map[string]bool
	asked map[string]string // answers of this call, by kind and hop, so that a second try does not ask again
	// skipImplicit leaves out keys nobody named: the host's patience ended
	// before the password's turn.
	skipImplicit, shownImplicit bool
	slowAnswer                  bool // a question was open for long
	retried                     bool
}

// notice tells each thing once, though a second try may find it again.
func (d *dialer) notice(n Notice) {
	id := fmt.Sprint(n)
	if d.p.Notice != nil && !d.told[id] {
		d.told[id] = true
		d.p.Notice(n)
	}
}

func (d *dialer) stage(s Stage, hop string) {
	d.p.Log.Debug("stage", "stage", string(s), "hop", hop)
	if d.p.Progress != nil {
		d.p.Progress(s, hop)
	}
}

// route returns all hops in order, the login last.
func (d *dialer) route(login Login) ([]Login, error) {
	route := append(append([]Login(nil), login.Jumps...), login)
	seen := make(map[string]bool)
	for i := range route {
		h := &route[i]
		if h.User == "" {
			h.User = currentUser()
		}
		if !checkHost(h.Host) || checkUser(h.User) != nil || h.Port < 0 || h.Port > 65535 {
			err := &InputError{Field: "host", Value: Clean(h.Hop()), Allowed: "USER@HOST"}
			return nil, &Error{Stage: StageResolve, Kind: KindInput, Hop: Clean(h.Hop()), Err: err}
		}
		if seen[h.Hop()] || len(route) > maxJumps+1 {
			return nil, &Error{Stage: StageResolve, Kind: KindJumpLoop, Hop: h.Hop(), Subject: h.Hop()}
		}
		seen[h.Hop()] = true
	}
	return route, nil
}

func (d *dialer) worthRetry(ctx context.Context, err error) bool {
	var e *Error
	if ctx.Err() != nil || d.retried || !errors.As(err, &e) {
		return false
	}
	d.retried = true
	switch {
	case e.Kind == KindTooManyKeys && d.shownImplicit && (d.p.Prompt != nil || d.p.Password != "" || d.p.Login.Password != ""):
		d.skipImplicit = true
		return true
	case e.Kind == KindLost && d.slowAnswer:
		return true
	}
	return false
}

// connect opens the whole chain.
func (d *dialer) connect(ctx context.Context, route []Login) (*Client, error) {
	var chain []*ssh.Client
	closeChain := func() {
		for i := len(chain) - 1; i >= 0; i-- {
			_ = chain[i].Close()
		}
	}
	for i, hop := range route {
		var via *ssh.Client
		if i > 0 {
			via = chain[i-1]
		}
		link, err := d.open(ctx, hop, via)
		if err != nil {
			closeChain()
			return nil, err
		}
		client, err := d.handshake(ctx, hop, link, i < len(route)-1)
		if err != nil {
			_ = link.Close()
			closeChain()
			return nil, err
		}
		chain = append(chain, client)
	}
	return newClient(d.p, route[len(route)-1], chain), nil
}
