package remotetest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// SSHDOptions says how OpenSSH's server is set up.
type SSHDOptions struct {
	// Keys may log in as the current user.
	Keys []ssh.PublicKey
	// Authorized are further lines of authorized_keys, for example with a
	// forced command.
	Authorized []string
	// HostKeys are the kinds of host keys; nil means ed25519 only.
	HostKeys []string
	// HostKeyFiles are used instead of fresh ones, to start a second server
	// that is the same machine.
	HostKeyFiles []string
	// Config are further lines of sshd_config; they come first, so they win.
	Config []string
	// Env is added to the environment of the server, not of its logins.
	Env []string
	// Port listens on a certain port instead of a free one.
	Port int
}

// SSHDServer is a running OpenSSH server.
type SSHDServer struct {
	Addr     string // host:port
	Host     string
	Port     int
	User     string // who may log in
	Dir      string // its folder
	HostKeys []string
	PID      int

	cmd *exec.Cmd
	mu  sync.Mutex
	log bytes.Buffer
}

// FindSSHD returns OpenSSH's server, or skips the test by name where there is
// none.
func FindSSHD(t testing.TB) string {
	t.Helper()
	for _, p := range []string{"/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd", "/opt/homebrew/sbin/sshd"} {
		if _, err := os.Stat(p); err == nil {
			return p
		}
	}
	t.Skipf("skipped: %s needs OpenSSH's sshd (apt-get install openssh-server)", t.Name())
	return ""
}

// SSHD starts OpenSSH's server on a loopback port, as the current user, with
// keys and settings of its own. It ends with the test.
func SSHD(t testing.TB, o SSHDOptions) *SSHDServer {
	t.Helper()
	bin := FindSSHD(t)
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		// The server's cell for its unprivileged half; the system makes it at
		// start where the service is in use.
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Skipf("skipped: %s needs /run/sshd: %v", t.Name(), err)
		}
	}
	s := &SSHDServer{User: me.Username, Dir: t.TempDir(), HostKeys: o.HostKeyFiles}
	if s.HostKeys == nil {
		kinds := o.HostKeys
		if kinds == nil {
			kinds = []string{"ed25519"}
		}
		for _, kind := range kinds {
			path, _ := Key(t, s.Dir, "host_"+kind, kind, "")
			s.HostKeys = append(s.HostKeys, path)
		}
	}
	s.authorize(t, o)
	// Another program may take the port before sshd does, so a few are tried.
	for try := 0; ; try++ {
		err := s.start(t, bin, o)
		if err == nil {
			break
		}
		if try == 4 || o.Port != 0 {
			t.Fatalf("start sshd: %v\n%s", err, s.Log())
		}
	}
	t.Cleanup(func() { s.Stop() })
	return s
}

// freePort returns a port below those that systems give to outgoing connections
// and to listeners that don't care: the server can be stopped and started on it
// again, and nothing of the other tests takes it meanwhile.
func freePort(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := 15000 + rand.IntN(17000)
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			continue
		}
		_ = l.Close()
		return port
	}
	t.Fatal("no free port")
	return 0
}

func (s *SSHDServer) authorize(t testing.TB, o SSHDOptions) {
	var b bytes.Buffer
	for _, k := range o.Keys {
		b.Write(ssh.MarshalAuthorizedKey(k))
	}
	for _, l := range o.Authorized {
		fmt.Fprintln(&b, l)
	}
	write(t, filepath.Join(s.Dir, "authorized_keys"), b.Bytes(), 0o600)
}

func (s *SSHDServer) start(t testing.TB, bin string, o SSHDOptions) error {
	port := o.Port
	if port == 0 {
		port = freePort(t)
	}
	var b strings.Builder
	for _, l := range o.Config {
		fmt.Fprintln(&b, l)
	}
	for _, k := range s.HostKeys {
		fmt.Fprintf(&b, "HostKey %s\n", k)
	}
	fmt.Fprintf(&b, `ListenAddress 127.0.0.1
Port %d
PidFile none
AuthorizedKeysFile %s
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
PrintMotd no
LogLevel VERBOSE
Subsystem sftp internal-sftp
`, port, filepath.Join(s.Dir, "authorized_keys"))
	config := filepath.Join(s.Dir, "sshd_config")
	write(t, config, []byte(b.String()), 0o600)

	cmd := exec.Command(bin, "-D", "-e", "-f", config)
	cmd.Stdin = nil
	cmd.Env = append(os.Environ(), o.Env...)
	w := &logWriter{s: s, ready: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = w, w
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	timer := time.NewTimer(20 * time.Second)
	defer timer.Stop()
	select {
	case <-w.ready:
	case err := <-ended:
		return fmt.Errorf("ended at once: %w", errors.Join(err, errors.New("see the log")))
	case <-timer.C:
		_ = cmd.Process.Kill()
		return errors.New("not ready in time")
	}
	s.cmd, s.PID, s.Port, s.Host = cmd, cmd.Process.Pid, port, "127.0.0.1"
	s.Addr = net.JoinHostPort(s.Host, strconv.Itoa(port))
	return nil
}

// Stop ends the server and every connection of it.
func (s *SSHDServer) Stop() {
	if s.cmd == nil {
		return
	}
	s.KillConnections()
	_ = s.cmd.Process.Kill()
	endGroup(s.cmd)
	s.cmd = nil
}

// Log returns what the server said so far.
func (s *SSHDServer) Log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// Connections returns the pids of the server's processes, one or two a
// connection. Linux only; elsewhere it is empty.
func (s *SSHDServer) Connections() []int { return children(s.PID) }

// KillConnections kills the processes of all connections, as a crash of the
// host's server would.
func (s *SSHDServer) KillConnections() {
	for _, pid := range s.Connections() {
		for _, below := range children(pid) {
			if name(below) == "sshd" || strings.HasPrefix(name(below), "sshd") {
				killPID(below)
			}
		}
		killPID(pid)
	}
}

// children returns the direct children of a process.
func children(pid int) []int {
	var pids []int
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range all {
		b, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		// "pid (name) state ppid"; the name may hold anything.
		rest := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
		if len(rest) > 1 && rest[1] == strconv.Itoa(pid) {
			if n, err := strconv.Atoi(filepath.Base(filepath.Dir(f))); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids
}

func name(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return strings.TrimSpace(string(b))
}

// logWriter collects the log and notices that the server listens.
type logWriter struct {
	s     *SSHDServer
	ready chan struct{}
	once  sync.Once
}

// Write implements io.Writer.
func (w *logWriter) Write(p []byte) (int, error) {
	w.s.mu.Lock()
	w.s.log.Write(p)
	listening := strings.Contains(w.s.log.String(), "Server listening on")
	w.s.mu.Unlock()
	if listening {
		w.once.Do(func() { close(w.ready) })
	}
	return len(p), nil
}
