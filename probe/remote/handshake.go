package remote

import (
	"context"
	"errors"
	"io"
	"net"
	"os/user"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// shake is one handshake with one hop.
type shake struct {
	d     *dialer
	ctx   context.Context
	hop   Login
	link  *link
	jump  bool
	watch *stopwatch
	trust *hostTrust
	stage Stage
	said  strings.Builder // banners
	fail  *Error          // our own reason to stop
	auth  *authenticator
}

// handshake agrees on the protocol, checks the host's key and logs in, within
// the deadline and until the context ends.
func (d *dialer) handshake(ctx context.Context, hop Login, l *link, jump bool) (*ssh.Client, error) {
	s := &shake{d: d, ctx: ctx, hop: hop, link: l, jump: jump, stage: StageHandshake}
	trust, notices, err := d.p.Known.lookup(d.p.Profile, trustAddr(hop))
	if err != nil {
		return nil, &Error{Stage: StageHostKey, Kind: KindInput, Hop: hop.Hop(), Err: err}
	}
	for _, n := range notices {
		d.notice(n)
	}
	s.trust = trust
	d.stage(StageHandshake, hop.Hop())
	s.watch = newStopwatch(d.p.HandshakeTimeout, func() { _ = l.Close() })
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	s.auth = newAuthenticator(s)
	defer s.auth.close()

	cfg := &ssh.ClientConfig{
		User:              hop.User,
		ClientVersion:     "SSH-2.0-Rentgen",
		HostKeyCallback:   s.hostKey,
		HostKeyAlgorithms: trust.algorithms(acceptedHostKeys(hop, trust)),
		AuthCallback:      s.auth.next,
		BannerCallback:    s.banner,
		Config:            algorithms(hop),
	}
	conn, chans, reqs, err := ssh.NewClientConn(l, trust.addr, cfg)
	expired := s.watch.stop()
	stopped := stop()
	if err != nil {
		return nil, s.explain(err, expired)
	}
	if !stopped || expired { // the end came in the same moment as the success
		_ = conn.Close()
		return nil, s.explain(net.ErrClosed, expired)
	}
	s.auth.succeeded()
	return ssh.NewClient(conn, chans, reqs), nil
}

// currentUser is the name ssh would log in with when none is given.
func currentUser() string {
	u, err := user.Current()
	if err != nil {
		return "root"
	}
	return u.Username[strings.LastIndexByte(u.Username, '\\')+1:]
}

func (s *shake) banner(message string) error {
	if s.said.Len() < 4*maxSaid {
		s.said.WriteString(message)
	}
	return nil
}

// hostKey judges the host's key. No secret has left yet.
func (s *shake) hostKey(_ string, _ net.Addr, key ssh.PublicKey) error {
	s.stage = StageHostKey
	s.d.stage(StageHostKey, s.hop.Hop())
	e := s.trust.check(key)
	if e != nil && e.Kind == KindHostKeyUnknown {
		e = s.firstSight(e)
	}
	if e != nil {
		e.Hop = s.hop.Hop()
		s.fail = e
		return e
	}
	s.stage = StageAuth
	s.d.stage(StageAuth, s.hop.Hop())
	return nil
}

// firstSight asks about a key nobody has seen before and keeps it.
func (s *shake) firstSight(e *Error) *Error {
	switch {
	case s.d.p.TrustNew:
	case s.d.p.Prompt == nil:
		return e
	default:
		answer, err := ask(s, func() (HostKeyAnswer, error) {
			return s.d.p.Prompt.HostKey(s.ctx, HostKeyQuestion{
				Profile: s.d.p.Profile, Hop: s.hop.Hop(), Addr: s.trust.addr, Key: e.Change.New, Jump: s.jump,
			})
		})
		if err != nil {
			return &Error{Stage: StageHostKey, Kind: KindCancelled, Change: e.Change, Err: err}
		}
		if !answer.Trust {
			return e
		}
	}
	if s.d.p.Known.own == "" {
		return nil
	}
	if err := s.d.p.Known.put(s.d.p.Profile, s.trust.addr, e.Change.key); err != nil {
		// Trusted, but it will be asked again: worth a word, not the connection.
		s.d.notice(Notice{Code: "trust-not-kept", Args: map[string]string{"file": s.d.p.Known.own, "error": Clean(err.Error())}})
	}
	return nil
}

// slow is how long a question may be open before the host may have lost
// patience (OpenSSH's LoginGraceTime is 120 s, many set 30 s).
const slow = 20 * time.Second

// ask puts a question to the person while the deadline stands still.
func ask[T any](s *shake, f func() (T, error)) (T, error) {
	resume := s.watch.pause()
	defer resume()
	began := time.Now()
	answer, err := f()
	if time.Since(began) > s.d.p.slow {
		s.d.slowAnswer = true
	}
	if err == nil && s.ctx.Err() != nil {
		err = s.ctx.Err()
	}
	return answer, err
}

// acceptedHostKeys lists the kinds of host keys we take: certificates only
// where the user's known_hosts names an authority for the host, since without
// one a certificate is just an unknown key with a stranger's signature.
func acceptedHostKeys(hop Login, trust *hostTrust) []string {
	accepted := choose(hop.Option("HostKeyAlgorithms"), ssh.SupportedAlgorithms().HostKeys, ssh.InsecureAlgorithms().HostKeys)
	var authority bool
	if trust.db != nil && len(trust.own) == 0 {
		for _, k := range trust.db.HostKeys(trust.addr) {
			authority = authority || k.Cert
		}
	}
	if authority {
		return accepted
	}
	return slices.DeleteFunc(accepted, func(a string) bool { return strings.Contains(a, "-cert-") })
}

// algorithms returns the modern algorithms and, where the login opts in by
// name, older ones.
func algorithms(hop Login) ssh.Config {
	good, old := ssh.SupportedAlgorithms(), ssh.InsecureAlgorithms()
	return ssh.Config{
		KeyExchanges: choose(hop.Option("KexAlgorithms"), good.KeyExchanges, old.KeyExchanges),
		Ciphers:      choose(hop.Option("Ciphers"), good.Ciphers, old.Ciphers),
		MACs:         choose(hop.Option("MACs"), good.MACs, old.MACs),
	}
}

// choose applies ssh's list notation to what the library has: "+a,b" appends,
// "-a" removes, "^a" puts first, anything else replaces. What the library does
// not know is left out; an empty result is the default.
func choose(spec string, good, old []string) []string {
	all := append(slices.Clone(good), old...)
	if spec == "" {
		return slices.Clone(good)
	}
	op := spec[0]
	if op == '+' || op == '-' || op == '^' {
		spec = spec[1:]
	} else {
		op = 0
	}
	var named []string
	for name := range strings.SplitSeq(spec, ",") {
		for _, a := range all {
			if match(name, a) && !slices.Contains(named, a) {
				named = append(named, a)
			}
		}
	}
	rest := slices.DeleteFunc(slices.Clone(good), func(a string) bool { return slices.Contains(named, a) })
	switch op {
	case '+':
		return append(rest, named...)
	case '^':
		return append(named, rest...)
	case '-':
		return rest
	}
	if len(named) == 0 {
		return slices.Clone(good)
	}
	return named
}

// match compares with the wildcards * and ?.
func match(pattern, s string) bool {
	p, i := 0, 0
	star, back := -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, back = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p++
			i++
		case star >= 0: // let the last star swallow one more
			back++
			p, i = star+1, back
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

var (
	reBusy       = regexp.MustCompile(`(?i)exceeded maxstartups|not allowed at this time|too many connections`)
	reTooMany    = regexp.MustCompile(`(?i)too many (?:authentication failures|auth)|max(?:imum)? auth`)
	reDisconnect = regexp.MustCompile(`ssh: disconnect, reason \d+: (?s)(.*)$`)
)

// explain turns a failed handshake into what a person can act on.
func (s *shake) explain(err error, expired bool) error {
	e := &Error{Stage: s.stage, Kind: KindProtocol, Hop: s.hop.Hop(), Err: err, Said: Clean(s.said.String())}
	if m := reDisconnect.FindStringSubmatch(err.Error()); m != nil {
		e.Said = Clean(s.said.String() + "\n" + m[1])
	}
	e.Tried, e.Offered = s.auth.tried, s.auth.offered
	head, isSSH := s.link.heard()
	var nego *ssh.AlgorithmNegotiationError
	switch {
	case s.ctx.Err() != nil:
		e.Kind, e.Err = ctxKind(s.ctx), s.ctx.Err()
	case s.fail != nil:
		s.fail.Said = e.Said
		return s.fail
	case expired && head == "":
		e.Kind = KindSilent
	case expired && isSSH:
		e.Kind = KindTimeout
	case head == "" && s.link.proxy != nil:
		e.Stage, e.Kind = StageProxy, KindProxyCommand
		e.Said = s.link.proxy.lastWords()
	case head == "":
		e.Kind = KindClosed
	case !isSSH:
		e.Kind, e.Said = KindNotSSH, Clean(head)
		if reBusy.MatchString(head) {
			e.Kind = KindBusy
		}
	case errors.As(err, &nego):
		e.Kind, e.Subject = KindKex, nego.What
		e.Tried, e.Offered = nego.SupportedAlgorithms, nego.RequestedAlgorithms
	case s.stage == StageAuth && reTooMany.MatchString(err.Error()):
		e.Kind = KindTooManyKeys
		if s.auth.passwordSent || s.auth.asked > 0 {
			e.Kind = KindPasswordWrong
		}
	case s.stage == StageAuth && strings.Contains(err.Error(), "ssh: disconnect"):
		e.Kind = KindAuth
	case isEnd(err):
		e.Kind = KindLost
	case s.stage == StageAuth:
		e.Kind = KindAuth
	}
	return e
}

// isEnd reports a connection that simply ended.
func isEnd(err error) bool {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, io.ErrClosedPipe) {
		return true
	}
	var op *net.OpError
	return errors.As(err, &op)
}
