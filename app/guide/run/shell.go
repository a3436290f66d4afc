package run

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rentgen/app/guide"
)

//go:embed run.sh
var shellText string

// extraPath is looked in after the login's own PATH: logins without a terminal
// have a short one.
const extraPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/cuda/bin:/usr/lib/wsl/lib:/usr/local/nvidia/bin:/root/miniconda3/bin:/opt/conda/bin"

const (
	lookID    guide.CheckID = ""               // stands for the look at the instance
	lookLimit               = 20 * time.Second // of that look
	// slack is what a check may be over its limit: the way there and back.
	slack = 2 * time.Second
)

// sent is a check that was sent to the shell.
type sent struct {
	id             guide.CheckID
	text           string
	edited         bool
	at, began      time.Time // began is zero until the command runs
	took           time.Duration
	out, err       []byte
	exit           int
	again          bool // a login shell was tried
	outEnd, errEnd bool
}

// session is one shell on the instance.
type session struct {
	d        *doing
	marker   string
	checks   []*sent // in order; their numbers begin at 1
	ended    int     // so many of them have ended
	out, err *frames
	begun    time.Time // when the look at the instance began; zero before
	looked   bool
	news     bool      // the instance was looked at for the first time
	quiet    time.Time // when the latest check ended
}

// shell runs what is left through one shell, until it is done or a check had to
// be cut off. It reports whether the run came on.
func (d *doing) shell(ctx context.Context) (bool, error) {
	var raw [16]byte
	if _, err := rand.Read(raw[:]); err != nil {
		return false, fmt.Errorf("draw a marker: %w", err)
	}
	s := &session{d: d, marker: hex.EncodeToString(raw[:]), looked: d.blind}
	s.out, s.err = newFrames(s.marker, s.tellOut), newFrames(s.marker, s.tellErr)
	s.err.lossy = true // as stream.Host's is
	args := []string{extraPath}
	if d.blind {
		args = append(args, "blind")
	}
	cut, cancel := context.WithCancel(ctx)
	defer cancel()
	room := 0 // every line that may be sent, so that sending never waits
	for _, id := range d.left {
		text, _, _ := d.command(id)
		room += strings.Count(text, "\n") + 8
	}
	t := &talk{
		chunks: make(chan chunk, 16), lines: make(chan string, room), done: make(chan finished, 1), over: make(chan struct{}),
	}
	defer close(t.over)
	first := []byte(s.marker + "\n" + s.next())
	go func() {
		out, err := d.p.Runner.Exec(cut, guide.Exec{
			Script: shellText, Args: args, Stdin: first, In: t.lines, Timeout: d.most(), Out: t.take(false), Err: t.take(true),
		})
		t.done <- finished{out, err}
	}()
	return s.attend(ctx, cancel, t)
}

// most is how long a shell may take in all.
func (d *doing) most() time.Duration {
	sum := d.timeout(lookID) + slack
	for _, id := range d.left {
		sum += 2 * (d.timeout(id) + slack)
	}
	return sum
}

// timeout of a check's command.
func (d *doing) timeout(id guide.CheckID) time.Duration {
	if t := d.p.Timeouts[id]; t > 0 {
		return t
	}
	if id == lookID {
		return lookLimit
	}
	return defOf(id).Timeout
}

// attend reads what the shell says, sends it what can be run, and cuts off what
// takes too long.
func (s *session) attend(ctx context.Context, cancel func(), t *talk) (bool, error) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	late := false
	for {
		if !t.closed && !late {
			t.send(s.next())
			if id, more := s.unsent(); !more || s.d.ours(id) {
				t.end()
			}
		}
		timer.Reset(s.remains())
		select {
		case c := <-t.chunks:
			s.read(t, c)
		case <-timer.C:
			if s.remains() <= 0 {
				late = true
				cancel() // what hangs ends with its shell
				timer.Reset(time.Hour)
				return s.over(ctx, s.drain(t), true)
			}
		case f := <-t.done:
			return s.over(ctx, s.rest(t, f), late)
		}
	}
}

// drain waits for the end of a shell that was told to end.
func (s *session) drain(t *talk) finished {
	t.end()
	for {
		select {
		case c := <-t.chunks:
			s.read(t, c)
		case f := <-t.done:
			return s.rest(t, f)
		}
	}
}

// rest reads what is there when a shell has ended; a Runner may give all only
// then.
func (s *session) rest(t *talk, f finished) finished {
	t.end()
	for more := true; more; {
		select {
		case c := <-t.chunks:
			s.read(t, c)
		default:
			more = false
		}
	}
	if !t.came[0] {
		s.out.write(f.out.Stdout)
	}
	if !t.came[1] {
		s.err.write(f.out.Stderr)
	}
	return f
}

func (s *session) read(t *talk, c chunk) {
	if c.err {
		t.came[1] = true
		s.err.write(c.data)
		return
	}
	t.came[0] = true
	s.out.write(c.data)
}

// remains is how long may pass until something must have come.
func (s *session) remains() time.Duration {
	switch {
	case s.begun.IsZero(): // nothing is known to come live: the shell's own limit holds
		return time.Hour
	case !s.looked:
		return time.Until(s.begun.Add(s.d.timeout(lookID)))
	case s.ended == len(s.checks):
		return time.Hour
	}
	c := s.checks[s.ended]
	if !c.began.IsZero() {
		return time.Until(c.began.Add(s.d.timeout(c.id) + slack))
	}
	since := c.at
	for _, o := range []time.Time{s.quiet, s.begun} {
		if o.After(since) {
			since = o
		}
	}
	return time.Until(since.Add(lookLimit + slack))
}

// over ends a session: what was under way was cut off, or the shell died with it.
// It reports whether the run came on.
func (s *session) over(ctx context.Context, f finished, late bool) (bool, error) {
	d := s.d
	d.looked = true
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if f.err != nil && !late {
		return false, f.err
	}
	cutOff := late || f.out.TimedOut
	if cutOff { // a link that fell silent looks the same
		o, err := d.p.Runner.Exec(ctx, guide.Exec{Script: ":", Timeout: lookLimit})
		switch {
		case err != nil:
			return false, err
		case o.TimedOut:
			return false, fmt.Errorf("%w: the instance does not answer", guide.ErrOffline)
		}
	}
	if cutOff && !s.looked && !s.begun.IsZero() {
		d.blind = true
		return true, nil
	}
	if s.ended == len(s.checks) || s.checks[s.ended].began.IsZero() && !cutOff {
		return s.ended > 0 || s.news, nil
	}
	c := s.checks[s.ended]
	if !c.outEnd {
		c.out, c.again = s.out.rest()
		c.exit = -1
		if !cutOff && f.out.Exit > 0 {
			c.exit = f.out.Exit
		}
	}
	if !c.errEnd {
		c.err, _ = s.err.rest()
	}
	if !c.began.IsZero() {
		c.took = time.Since(c.began)
	}
	s.ended++
	d.ended(d.record(c, cutOff))
	return true, nil
}

// unsent returns the first check that was not sent yet.
func (s *session) unsent() (guide.CheckID, bool) {
	for _, id := range s.d.left {
		if !slices.ContainsFunc(s.checks, func(c *sent) bool { return c.id == id }) {
			return id, true
		}
	}
	return "", false
}

// next returns the text of what can be run now, in order, "" for nothing.
func (s *session) next() string {
	var b strings.Builder
	d := s.d
	for {
		id, ok := s.unsent()
		if !ok || !d.ready(id) || d.ours(id) {
			return b.String()
		}
		if d.unrunnable(id) {
			continue
		}
		text, edited, err := d.command(id)
		if err != nil {
			return b.String()
		}
		s.checks = append(s.checks, &sent{id: id, text: text, edited: edited, at: time.Now(), exit: -1})
		b.WriteString(d.head(id, len(s.checks), text, edited))
		b.WriteString(text + "\n")
	}
}

// head tells the shell how a text is to be run.
func (d *doing) head(id guide.CheckID, n int, text string, edited bool) string {
	yes := map[bool]string{true: "yes", false: "no"}
	def := defOf(id)
	codes := []string{"127"}
	if def.Once {
		codes = nil
	}
	for _, c := range def.Retry {
		if c != 127 {
			codes = append(codes, strconv.Itoa(c))
		}
	}
	needsRoot := def.Root && !edited && d.p.Values[ValueSudo] != "yes"
	return fmt.Sprintf("%d %d %s %s %s\n", n, strings.Count(text, "\n")+1, yes[needsRoot], yes[def.Login], strings.Join(codes, " "))
}

// tellOut takes a step of the shell's stdout.
func (s *session) tellOut(f frame) {
	if f.n == 0 {
		switch f.kind {
		case "begin":
			s.begun = time.Now()
		case "end":
			s.news = !s.d.looked
			s.looked, s.d.looked = true, true
			s.d.see(readLook(f.body))
		}
		return
	}
	c := s.check(f.n)
	switch {
	case c == nil:
	case f.kind == "begin":
		c.began = time.Now()
		s.d.p.Event(Event{Check: c.id, Kind: Started})
	case f.kind == "again":
		c.began = time.Now() // it has its time once more
	case f.kind == "end":
		c.out, c.exit, c.again, c.outEnd, c.took = f.body, f.exit, f.again, true, time.Since(c.began)
		s.tell()
	}
}

// tellErr takes a step of the shell's stderr.
func (s *session) tellErr(f frame) {
	if c := s.check(f.n); c != nil && f.kind == "end" {
		c.err, c.errEnd = f.body, true
		s.tell()
	}
}

// check returns a check by its number, nil where there is none or it has ended.
func (s *session) check(n int) *sent {
	if n <= s.ended || n > len(s.checks) {
		return nil
	}
	return s.checks[n-1]
}

// tell tells of the checks that have ended.
func (s *session) tell() {
	for s.ended < len(s.checks) && s.checks[s.ended].outEnd && s.checks[s.ended].errEnd {
		c := s.checks[s.ended]
		s.ended++
		s.quiet = time.Now()
		s.d.ended(s.d.record(c, false))
	}
}
