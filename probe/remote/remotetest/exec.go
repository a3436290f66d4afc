package remotetest

import (
	"io"
	"os/exec"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

// Exec is a command that a client started on a Server.
type Exec struct {
	Command string
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	// Gone is closed when the client closed the channel or the link broke.
	Gone <-chan struct{}
	// Signals gets the signals the client sends, without SIG.
	Signals <-chan string
}

func (s *Server) session(ch ssh.Channel, reqs <-chan *ssh.Request) {
	gone := make(chan struct{})
	signals := make(chan string, 8)
	var once sync.Once
	started := false
	for r := range reqs {
		switch r.Type {
		case "exec":
			var m struct{ Command string }
			if started || s.o.RefuseExec || ssh.Unmarshal(r.Payload, &m) != nil {
				_ = r.Reply(false, nil)
				continue
			}
			started = true
			_ = r.Reply(true, nil)
			s.wg.Go(func() {
				run := s.o.Exec
				if run == nil {
					run = Shell
				}
				code := run(&Exec{Command: m.Command, Stdin: ch, Stdout: ch, Stderr: ch.Stderr(), Gone: gone, Signals: signals})
				if code >= 0 {
					_, _ = ch.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{uint32(code)}))
				}
				if s.o.Lingering != nil {
					select {
					case <-s.o.Lingering:
					case <-gone:
					}
				}
				_ = ch.Close()
			})
		case "signal":
			var m struct{ Signal string }
			if ssh.Unmarshal(r.Payload, &m) == nil {
				select {
				case signals <- m.Signal:
				default:
				}
			}
		default:
			if r.WantReply {
				_ = r.Reply(false, nil)
			}
		}
	}
	once.Do(func() { close(gone) })
	if !started {
		_ = ch.Close()
	}
}

// Shell runs the command with /bin/sh of this computer and ends it with its
// channel.
func Shell(e *Exec) int {
	cmd := exec.Command("/bin/sh", "-c", e.Command)
	cmd.Stdout, cmd.Stderr = e.Stdout, e.Stderr
	cmd.WaitDelay = time.Second // a child left behind must not hold the test
	ownGroup(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 126
	}
	if err := cmd.Start(); err != nil {
		return 127
	}
	go func() {
		_, _ = io.Copy(stdin, e.Stdin)
		_ = stdin.Close()
	}()
	done := make(chan struct{})
	go func() {
		select {
		case <-e.Gone:
			endGroup(cmd)
		case <-done:
		}
	}()
	_ = cmd.Wait()
	close(done)
	return cmd.ProcessState.ExitCode()
}
