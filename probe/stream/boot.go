package stream

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"rentgen/probe/remote"
)

//go:embed boot.sh
var bootScript string

// shell is the whole command of every session. Its first word is absolute, so
// that it also runs where no shell looks for it; everything else goes over
// stdin, so that no login shell has to understand it.
const shell = "/bin/sh -s"

// bounds of what a host may say before it says something of use.
const (
	reportLimit = 256 << 10
	reportTime  = 20 * time.Second // login scripts of rented images take seconds
	lineLimit   = 64 << 10
	listLimit   = 64 // entries of one kind in a report
	saidLimit   = 2000
)

// defaultDirs are where our program may be kept, as shell words.
var defaultDirs = []string{
	`"${RENTGEN_AGENT:+$RENTGEN_AGENT/rentgen}"`, // set for this computer, never on a host
	`"${XDG_CACHE_HOME:+$XDG_CACHE_HOME/rentgen}"`,
	`"${HOME:+$HOME/.cache/rentgen}"`,
	`"/var/tmp/rentgen-$u"`,
	`"/tmp/rentgen-$u"`,
	`"/dev/shm/rentgen-$u"`,
}

// random128 returns 128 random bits as hexadecimal digits.
func random128() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// quote makes one word of the shell out of any text.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// caseLines writes the arms of a shell case that set c to each directory.
func caseLines(dirs []string) string {
	var b strings.Builder
	for i, d := range dirs {
		fmt.Fprintf(&b, "\t\t%d) c=%s ;;\n", i+1, d)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// bootText returns the script. Without a place to be picked nothing is written
// to the host.
func bootText(marker, random string, dirs []string, pick bool) string {
	do := ":"
	if pick {
		do = "pick"
	}
	return strings.NewReplacer("@MARKER@", marker, "@RANDOM@", random, "@DIRS@", caseLines(dirs), "@PICK@", do).
		Replace(bootScript)
}

// report is what the script found out.
type report struct {
	OS, Arch, Libc, UID string
	Tools               map[string]string
	Libs                []string // candidates for libnvidia-ml.so.1
	Devices, Denied     []string // device files of a card, and those this login may not open
	Driver              string   // first line of /proc/driver/nvidia/version
	RAM, Limit          int64    // KiB of the machine, bytes allowed; 0 unknown
	Box                 bool     // a container
	Dir                 string   // where our program may be kept, "" nowhere
	Tried               []string // "status path" of directories that won't do
}

// goarch maps uname -m to Go's name of the processor.
func (r *report) goarch() string {
	switch r.Arch {
	case "x86_64", "amd64":
		return "amd64"
	case "aarch64", "arm64":
		return "arm64"
	}
	return ""
}

// memory returns the bytes of memory this login may use, 0 unknown.
func (r *report) memory() int64 {
	m := r.RAM << 10
	if r.Limit > 0 && (m == 0 || r.Limit < m) {
		m = r.Limit
	}
	return m
}

func (r *report) add(key, value string) {
	push := func(list *[]string) {
		if len(*list) < listLimit && value != "" {
			*list = append(*list, value)
		}
	}
	switch key {
	case "os":
		r.OS = value
	case "arch":
		r.Arch = value
	case "uid":
		r.UID = value
	case "libc":
		r.Libc = value
	case "tool":
		name, path, _ := strings.Cut(value, " ")
		if len(r.Tools) < listLimit {
			r.Tools[name] = path
		}
	case "lib":
		push(&r.Libs)
	case "dev":
		push(&r.Devices)
	case "nodev":
		push(&r.Denied)
	case "driver":
		r.Driver = value
	case "ram":
		r.RAM, _ = strconv.ParseInt(value, 10, 64)
	case "limit":
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && n > 0 && n < 1<<60 {
			r.Limit = n
		}
	case "box":
		r.Box = true
	case "dir":
		status, path, _ := strings.Cut(value, " ")
		if status == "ok" {
			r.Dir = path
		} else {
			push(&r.Tried)
		}
	case "nodir":
		r.Dir = ""
	}
}

// hopeless sums up the directories that were refused: no space anywhere is
// another reason than no place at all.
func (r *report) hopeless() (full bool, detail string) {
	for _, t := range r.Tried {
		if strings.HasPrefix(t, "full ") {
			full = true
		}
	}
	return full, strings.Join(r.Tried, "; ")
}

// session is one /bin/sh on the host that runs our script.
type session struct {
	proc   remote.Proc
	in     io.WriteCloser
	out    *bufio.Reader
	marker string
	err    *tail // stderr, drained all the time
	said   tail  // what came on stdout and was not ours
	left   int   // bytes that may still come before the report is complete
	guard  *guard
	begun  bool // the marker was seen: the host runs commands
	report report
}

// errTimedOut is the cause when the host did not answer in time.
var errTimedOut = errors.New("no answer in time")

// errEchoed is the cause when what answers repeats our script instead of
// running it.
var errEchoed = errors.New("the script came back as it was sent")

// startSession starts the script. The session lives until its close; ctx only
// ends the waiting for answers.
func (h *Host) startSession(ctx context.Context, conn remote.Conn, pick bool) (*session, error) {
	h.stage(StageBootstrap)
	life := context.WithoutCancel(ctx)
	proc, err := conn.Start(life, shell)
	if err != nil {
		return nil, err
	}
	s := &session{
		proc: proc, in: proc.Stdin(), marker: random128(), err: newTail(proc.Stderr()),
		left: reportLimit, report: report{Tools: make(map[string]string)},
	}
	s.out = bufio.NewReaderSize(proc.Stdout(), 32<<10)
	s.guard = newGuard(ctx, h.clock, proc)
	dirs := h.dirs
	if dirs == nil {
		dirs = defaultDirs
	}
	s.guard.set(reportTime)
	if _, err := io.WriteString(s.in, bootText(s.marker, random128(), dirs, pick)); err == nil {
		_, err = s.until("ready")
		if err == nil {
			s.guard.set(0)
			return s, nil
		}
		return nil, h.bootError(conn, s, err)
	}
	// The shell may have said why before it went.
	_, err = s.until("ready")
	if err == nil {
		err = io.ErrClosedPipe
	}
	return nil, h.bootError(conn, s, err)
}

// bootError closes a session that never got ready and says what it means: no
// marker at all is a login that runs no command.
func (h *Host) bootError(conn remote.Conn, s *session, err error) error {
	cause := s.guard.cause()
	s.close(h.clock)
	if cause != nil && !errors.Is(cause, errTimedOut) {
		return cause // cancelled
	}
	if lost := h.linkLost(conn); lost != nil {
		return lost
	}
	e := &Error{Kind: KindBootstrap, Stage: StageBootstrap, Said: s.words(), Err: err}
	if cause != nil {
		e.Err = cause
	}
	switch {
	case s.begun:
	case windowsSaid(e.Said):
		e.Kind = KindNotLinux
	case cause != nil && e.Said == "":
		e.Kind = KindSilent
	case remote.SaysTerminalOnly(e.Said):
		e.Kind = KindTerminalOnly
	default:
		e.Kind = KindNoCommand
	}
	return e
}

// windowsSaid recognises the answer of a host without a POSIX shell.
func windowsSaid(said string) bool {
	// cmd names the word it does not find, whatever its language.
	return strings.Contains(said, "'/bin'") || strings.Contains(said, "is not recognized as") || strings.Contains(said, "cannot find the path specified") ||
		strings.Contains(said, "CommandNotFoundException")
}

// words returns the last of what the host said that was not ours.
func (s *session) words() string {
	out, errs := s.said.String(), s.err.String()
	if out != "" && errs != "" {
		out += "\n"
	}
	return clip(remote.Clean(out+errs), saidLimit)
}

// until reads the script's lines into the report until one of the words comes,
// and returns that line as "word rest".
func (s *session) until(words ...string) (string, error) {
	for {
		line, err := s.line()
		if err != nil {
			return "", err
		}
		key, value, _ := strings.Cut(line, " ")
		if key == "begin" {
			s.begun = true
		}
		for _, w := range words {
			if key == w {
				return strings.TrimSpace(line), nil
			}
		}
		s.report.add(key, value)
	}
}

// line returns the next line behind our marker, cleaned; everything else is
// kept as the host's own words.
func (s *session) line() (string, error) {
	var line []byte
	for {
		chunk, err := s.out.ReadSlice('\n')
		if s.left -= len(chunk); s.left < 0 {
			return "", fmt.Errorf("more than %d bytes before an answer", reportLimit)
		}
		if over := len(line) + len(chunk) - lineLimit; over > 0 && len(line) >= over {
			line = append(line[:0], line[over:]...)
		}
		line = append(line, chunk...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if bytes.Contains(line, []byte("m="+s.marker)) {
			return "", errEchoed
		}
		at := bytes.LastIndex(line, []byte(s.marker+" "))
		if at < 0 || err != nil {
			_, _ = s.said.Write(line)
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return "", err
		}
		if at < 0 {
			line = line[:0]
			continue
		}
		_, _ = s.said.Write(line[:at])
		return clip(remote.Clean(string(line[at+len(s.marker)+1:])), saidLimit), nil
	}
}

// tell sends one line of ours to the waiting script.
func (s *session) tell(words ...string) error {
	_, err := io.WriteString(s.in, strings.Join(words, " ")+"\n")
	return err
}

// close ends the shell and what runs in it: first by closing its input, then,
// after a moment, by force.
func (s *session) close(clock Clock) {
	s.guard.stop()
	_ = s.in.Close()
	endProc(s.proc, clock)
}

// procGrace is how long a program of ours gets to end by itself once its input
// is closed.
const procGrace = 1500 * time.Millisecond

func endProc(p remote.Proc, clock Clock) {
	done := make(chan struct{})
	go func() {
		_ = p.Wait()
		close(done)
	}()
	c, stop := clock.After(procGrace)
	defer stop()
	select {
	case <-done:
	case <-c:
	}
	_ = p.Close()
}

func clip(s string, n int) string {
	if len(s) > n {
		s = strings.ToValidUTF8(s[len(s)-n:], "")
	}
	return s
}
