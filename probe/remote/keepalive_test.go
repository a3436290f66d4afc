package remote

import (
	"errors"
	"net"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"rentgen/probe/remote/remotetest"
)

// case 31: after sleep the wall clock has jumped, and an answer that is late
// by our timer says nothing; the link gets a fresh question before it is
// given up.
func TestSleepIsNoDeadLink(t *testing.T) {
	t.Run("case 31: a late answer after sleep", func(t *testing.T) {
		hold := make(chan struct{})
		asked := make(chan int, 8)
		client := held(t, hold, asked)
		wall := time.Now()
		calls := 0
		c := &Client{chain: []*ssh.Client{client}, done: make(chan struct{})}
		c.p.fill()
		c.p.KeepAliveTimeout = 100 * time.Millisecond
		c.now = func() time.Time { // the computer sleeps for an hour during the first question
			calls++
			return wall.Add(time.Duration(calls-1) * time.Hour)
		}
		if c.alive() || c.Err() != nil {
			t.Fatalf("given up after sleep: %v", c.Err())
		}
		c.now = time.Now
		close(hold) // the link moves again
		if !c.alive() || c.Err() != nil {
			t.Fatalf("not alive: %v", c.Err())
		}
	})
	t.Run("without sleep the same silence ends it", func(t *testing.T) {
		c := &Client{chain: []*ssh.Client{held(t, make(chan struct{}), make(chan int, 8))}, done: make(chan struct{}), now: time.Now}
		c.p.fill()
		c.p.KeepAliveTimeout = 50 * time.Millisecond
		var e *Error
		if c.alive() || !errors.As(c.Err(), &e) || e.Kind != KindLost {
			t.Fatalf("Err = %v", c.Err())
		}
	})
}

// held returns a client whose server answers global requests only once hold
// is closed.
func held(t *testing.T, hold chan struct{}, asked chan int) *ssh.Client {
	t.Helper()
	a, b, err := pair()
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop); _ = a.Close(); _ = b.Close() })
	cfg := &ssh.ServerConfig{NoClientAuth: true}
	cfg.AddHostKey(remotetest.Signer(t, "ed25519"))
	go func() {
		conn, chans, reqs, err := ssh.NewServerConn(a, cfg)
		if err != nil {
			return
		}
		defer conn.Close()
		go func() {
			for nc := range chans {
				_ = nc.Reject(ssh.Prohibited, "")
			}
		}()
		for r := range reqs {
			asked <- 1
			select {
			case <-hold:
			case <-stop:
				return
			}
			_ = r.Reply(false, nil)
		}
	}()
	conn, chans, reqs, err := ssh.NewClientConn(b, "x:22", &ssh.ClientConfig{User: "x", HostKeyCallback: ssh.InsecureIgnoreHostKey()})
	if err != nil {
		t.Fatal(err)
	}
	return ssh.NewClient(conn, chans, reqs)
}

func pair() (net.Conn, net.Conn, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	defer l.Close()
	b, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return nil, nil, err
	}
	a, err := l.Accept()
	return a, b, err
}
