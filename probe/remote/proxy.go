package remote

import (
	"context"
	"errors"
	"io"
	"net"
	"os/user"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// openProxy starts the login's ProxyCommand after consent and speaks through
// its standard streams.
func (d *dialer) openProxy(ctx context.Context, hop Login) (*link, error) {
	d.stage(StageProxy, hop.Hop())
	command := expandTokens(hop.ProxyCommand, hop, hop.Host, d.p.Home)
	fail := func(kind Kind, err error) error {
		if ctx.Err() != nil {
			kind, err = ctxKind(ctx), ctx.Err()
		}
		return &Error{Stage: StageProxy, Kind: kind, Hop: hop.Hop(), Subject: Clean(command), Err: err}
	}
	if !d.p.Known.allowed(d.p.Profile, command) {
		if d.p.Prompt == nil {
			return nil, fail(KindNoOneToAsk, nil)
		}
		ok, err := d.p.Prompt.ProxyCommand(ctx, hop.Hop(), command)
		if err != nil {
			return nil, fail(KindCancelled, err)
		}
		if !ok {
			return nil, fail(KindProxyConsent, nil)
		}
		if d.p.Known.own != "" {
			if err := d.p.Known.allow(d.p.Profile, command); err != nil {
				d.notice(Notice{Code: "trust-not-kept", Args: map[string]string{"file": d.p.Known.own, "error": Clean(err.Error())}})
			}
		}
	}
	p, err := startProxy(command)
	if err != nil {
		return nil, fail(KindProxyCommand, err)
	}
	return newLink(p, p), nil
}

// proxyProc is a running ProxyCommand as a connection. Deadlines are not
// offered; whoever needs one closes it.
type proxyProc struct {
	p *localProc
}

func startProxy(command string) (*proxyProc, error) {
	if runtime.GOOS != "windows" {
		command = "exec " + command // the command itself is what is ended
	}
	p, err := startLocal(LocalParams{Grace: time.Second}, command)
	if err != nil {
		return nil, err
	}
	return &proxyProc{p: p}, nil
}

// lastWords returns the end of what the command said on stderr.
func (c *proxyProc) lastWords() string {
	ended := false
	timer := time.NewTimer(c.p.grace)
	defer timer.Stop()
	select {
	case <-c.p.done:
		ended = true
	case <-timer.C:
	}
	said := Clean(c.p.stderr.tail(maxSaid))
	var exit *ExitError
	if said == "" && ended && errors.As(c.p.err, &exit) {
		return exit.Error()
	}
	return said
}

// Read implements net.Conn.
func (c *proxyProc) Read(p []byte) (int, error) { return c.p.stdout.Read(p) }

// Write implements net.Conn.
func (c *proxyProc) Write(p []byte) (int, error) { return c.p.stdin.Write(p) }

// Close implements net.Conn.
func (c *proxyProc) Close() error {
	c.p.stdout.finish()
	return c.p.Close()
}

// LocalAddr implements net.Conn.
func (c *proxyProc) LocalAddr() net.Addr { return anywhere }

// RemoteAddr implements net.Conn.
func (c *proxyProc) RemoteAddr() net.Addr { return anywhere }

// SetDeadline implements net.Conn.
func (c *proxyProc) SetDeadline(time.Time) error { return errNoDeadline }

// SetReadDeadline implements net.Conn.
func (c *proxyProc) SetReadDeadline(time.Time) error { return errNoDeadline }

// SetWriteDeadline implements net.Conn.
func (c *proxyProc) SetWriteDeadline(time.Time) error { return errNoDeadline }

var errNoDeadline = errors.New("the streams of a command have no deadline")

var _ io.ReadWriteCloser = (*proxyProc)(nil)

// expandTokens fills the tokens of ssh_config in a value. Names were checked
// to hold nothing that a shell would read as more than a word.
func expandTokens(s string, l Login, alias, home string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	host, _, _ := net.SplitHostPort(dialAddr(l))
	port := l.Port
	if port == 0 {
		port = 22
	}
	local := ""
	if u, err := user.Current(); err == nil {
		local = u.Username[strings.LastIndexByte(u.Username, '\\')+1:]
	}
	remote := l.User
	if remote == "" {
		remote = local
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case '%':
			b.WriteByte('%')
		case 'h':
			b.WriteString(host)
		case 'n', 'k':
			b.WriteString(alias)
		case 'p':
			b.WriteString(strconv.Itoa(port))
		case 'r':
			b.WriteString(remote)
		case 'u':
			b.WriteString(local)
		case 'd':
			b.WriteString(home)
		default:
			b.WriteByte('%')
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
