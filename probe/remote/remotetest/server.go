package remotetest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"
)

// Options says how a Server behaves. The zero value takes no login at all.
type Options struct {
	HostKeys []ssh.Signer // nil: one fresh ed25519 key
	NoAuth   bool         // everybody may log in
	Password string       // accepted password; "" offers none
	Keys     []ssh.PublicKey
	// Interactive are the questions and right answers of keyboard-interactive,
	// each question followed by its answer; nil offers none.
	Interactive []string
	Echo        bool // the answers of Interactive may be shown
	Banner      string
	MaxTries    int // 0: 6, as OpenSSH
	// PasswordAfterKey asks for the password after an accepted key.
	PasswordAfterKey bool

	// Exec runs a command; nil runs it with /bin/sh of this computer.
	Exec func(*Exec) int
	// Lingering keeps the channel open after the exit code until it is closed,
	// as a child left behind does.
	Lingering <-chan struct{}
	// RefuseExec refuses every command, RefuseSession every session.
	RefuseExec, RefuseSession bool
	// RefuseForward refuses direct-tcpip as AllowTcpForwarding no does.
	RefuseForward bool
	// Config changes the server's configuration at the end.
	Config func(*ssh.ServerConfig)
}

// Server is an SSH server in this process on a loopback port.
type Server struct {
	Addr string // host:port
	Host string
	Port int
	Keys []ssh.Signer // the host's own

	t        testing.TB
	o        Options
	listener net.Listener

	mu       sync.Mutex
	conns    map[net.Conn]bool
	accepted int
	attempts []string
	requests []string
	wg       sync.WaitGroup
}

// New starts a server that ends with the test.
func New(t testing.TB, o Options) *Server {
	t.Helper()
	if o.HostKeys == nil {
		o.HostKeys = []ssh.Signer{Signer(t, "ed25519")}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{t: t, o: o, listener: l, Keys: o.HostKeys, conns: make(map[net.Conn]bool), Addr: l.Addr().String()}
	host, port, _ := net.SplitHostPort(s.Addr)
	s.Host = host
	s.Port, _ = strconv.Atoi(port)
	s.wg.Go(s.accept)
	t.Cleanup(func() {
		_ = l.Close()
		s.Cut()
		s.wg.Wait()
	})
	return s
}

// Cut closes every open connection, as a broken link would.
func (s *Server) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
}

// Accepted returns how many connections came.
func (s *Server) Accepted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.accepted
}

// Attempts returns the login attempts so far: "none", "publickey SHA256:...",
// "password", "keyboard-interactive", with " ok" after an accepted one.
func (s *Server) Attempts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.attempts)
}

// Requests returns the kinds of global requests that came, for example
// "keepalive@openssh.com".
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *Server) note(attempt string, err error) error {
	if err == nil {
		attempt += " ok"
	}
	s.mu.Lock()
	s.attempts = append(s.attempts, attempt)
	s.mu.Unlock()
	return err
}

func (s *Server) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.conns[c] = true
		s.accepted++
		s.mu.Unlock()
		s.wg.Go(func() {
			s.serve(c)
			s.mu.Lock()
			delete(s.conns, c)
			s.mu.Unlock()
		})
	}
}

var errRefused = errors.New("refused by the test")

func (s *Server) config() *ssh.ServerConfig {
	cfg := &ssh.ServerConfig{MaxAuthTries: s.o.MaxTries, NoClientAuth: s.o.NoAuth}
	if cfg.MaxAuthTries == 0 {
		cfg.MaxAuthTries = 6
	}
	if s.o.Banner != "" {
		cfg.BannerCallback = func(ssh.ConnMetadata) string { return s.o.Banner }
	}
	password := func(_ ssh.ConnMetadata, given []byte) (*ssh.Permissions, error) {
		if string(given) == s.o.Password {
			return nil, s.note("password", nil)
		}
		return nil, s.note("password", errRefused)
	}
	if s.o.Password != "" && !s.o.PasswordAfterKey {
		cfg.PasswordCallback = password
	}
	if s.o.Keys != nil {
		cfg.PublicKeyCallback = func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			for _, k := range s.o.Keys {
				if ssh.FingerprintSHA256(k) != ssh.FingerprintSHA256(key) {
					continue
				}
				_ = s.note("publickey "+ssh.FingerprintSHA256(key), nil)
				if s.o.PasswordAfterKey {
					return nil, &ssh.PartialSuccessError{Next: ssh.ServerAuthCallbacks{PasswordCallback: password}}
				}
				return nil, nil
			}
			return nil, s.note("publickey "+ssh.FingerprintSHA256(key), errRefused)
		}
	}
	if s.o.Interactive != nil {
		cfg.KeyboardInteractiveCallback = s.interactive
	}
	for _, k := range s.o.HostKeys {
		cfg.AddHostKey(k)
	}
	if s.o.Config != nil {
		s.o.Config(cfg)
	}
	return cfg
}

func (s *Server) interactive(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
	var questions, right []string
	var echos []bool
	for i := 0; i+1 < len(s.o.Interactive); i += 2 {
		questions = append(questions, s.o.Interactive[i])
		right = append(right, s.o.Interactive[i+1])
		echos = append(echos, s.o.Echo)
	}
	answers, err := ask("", "", questions, echos)
	if err == nil && !slices.Equal(answers, right) {
		err = errRefused
	}
	return nil, s.note("keyboard-interactive", err)
}

func (s *Server) serve(c net.Conn) {
	defer c.Close()
	conn, chans, reqs, err := ssh.NewServerConn(c, s.config())
	if err != nil {
		return
	}
	defer conn.Close()
	s.wg.Go(func() {
		for r := range reqs {
			s.mu.Lock()
			s.requests = append(s.requests, r.Type)
			s.mu.Unlock()
			if r.WantReply {
				_ = r.Reply(false, nil)
			}
		}
	})
	for nc := range chans {
		switch nc.ChannelType() {
		case "session":
			if s.o.RefuseSession {
				_ = nc.Reject(ssh.Prohibited, "no sessions here")
				continue
			}
			ch, reqs, err := nc.Accept()
			if err == nil {
				s.wg.Go(func() { s.session(ch, reqs) })
			}
		case "direct-tcpip":
			s.forward(nc)
		default:
			_ = nc.Reject(ssh.UnknownChannelType, "unknown channel type")
		}
	}
}

func (s *Server) forward(nc ssh.NewChannel) {
	var m struct {
		Host       string
		Port       uint32
		Originator string
		From       uint32
	}
	if s.o.RefuseForward || ssh.Unmarshal(nc.ExtraData(), &m) != nil {
		_ = nc.Reject(ssh.Prohibited, "open failed")
		return
	}
	to, err := net.Dial("tcp", net.JoinHostPort(m.Host, fmt.Sprint(m.Port)))
	if err != nil {
		_ = nc.Reject(ssh.ConnectionFailed, err.Error())
		return
	}
	ch, reqs, err := nc.Accept()
	if err != nil {
		_ = to.Close()
		return
	}
	go ssh.DiscardRequests(reqs)
	s.wg.Go(func() {
		_, _ = io.Copy(to, ch)
		_ = to.(*net.TCPConn).CloseWrite()
	})
	s.wg.Go(func() {
		_, _ = io.Copy(ch, to)
		_ = ch.Close()
		_ = to.Close()
	})
}
