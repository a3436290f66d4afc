package demo

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"

	"rentgen/probe/remote"
	"rentgen/probe/wire"
)

// version is what the program on the demo host says it is.
const version = "demo"

// boot answers the bootstrap script and becomes the program on the host.
func (c *conn) boot(p *proc, in *bufio.Reader, marker string) error {
	say := func(format string, args ...any) {
		_, _ = fmt.Fprintf(p.stdoutW, "\n%s %s\n", marker, fmt.Sprintf(format, args...))
	}
	for _, line := range c.report() {
		say("%s", line)
	}
	say("ready")
	line, err := in.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "run ") {
		return nil
	}
	say("start /root/.cache/rentgen/agent-%s", sha[:12])
	return c.stdio(p, in, marker)
}

func (c *conn) report() []string {
	r := []string{"begin", "os Linux", "arch x86_64", "uid 0", "libc glibc 2.35"}
	for _, t := range []string{"gzip", "sha256sum", "head", "python3"} {
		r = append(r, "tool "+t+" /usr/bin/"+t)
	}
	switch c.p.Fault {
	case FaultNoGPU:
		r = append(r, "ram 527841280", "limit 2147483648", "box yes")
	case FaultNoDriver:
		r = append(r, "ram 65931220")
	default:
		r = append(r, "lib /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", "dev /dev/nvidiactl",
			"driver NVRM version: NVIDIA UNIX x86_64 Kernel Module  "+driver, "ram 527841280",
			"limit 96636764160", "box yes")
		for i := range c.p.Cards {
			r = append(r, fmt.Sprintf("dev /dev/nvidia%d", i))
		}
	}
	return append(r, "dir ok /root/.cache/rentgen")
}

// stdio is the program: hello, then frames until its input ends.
func (c *conn) stdio(p *proc, in *bufio.Reader, marker string) error {
	inv := c.world.inventory()
	hello := wire.Hello{
		Proto: wire.Proto, Version: version, SHA: sha, Driver: inv.Driver, BootID: inv.Run.BootID, Init: inv.Run.Init,
		PID: os.Getpid(), Rates: []float64{1, 2, 5, 10},
	}
	if len(inv.GPUs) == 0 {
		hello.NoLibrary = "libnvidia-ml.so.1: cannot open shared object file: No such file or directory"
	}
	if err := wire.WriteHello(p.stdoutW, marker, hello); err != nil {
		return nil
	}
	controls, gone := make(chan wire.Control), make(chan struct{})
	go func() {
		defer close(gone)
		r := wire.NewControlReader(in)
		for {
			ctl, err := r.Read()
			if err != nil {
				return
			}
			select {
			case controls <- ctl:
			case <-p.done:
				return
			}
		}
	}()
	a := &agent{c: c, enc: wire.NewEncoder(p.stdoutW), rate: 1}
	if a.enc.Write(wire.Frame{Inventory: inv}) != nil {
		return nil
	}
	clock := c.p.Clock
	next, beat := clock.Mono(), clock.Mono()
	for {
		until := min(next, beat+time.Second)
		timer, stop := clock.After(max(0, until-clock.Mono()))
		select {
		case <-gone:
			stop()
			return nil
		case <-p.ended:
			stop()
			return &remote.ExitError{Code: -1, Signal: "TERM"}
		case ctl := <-controls:
			stop()
			if a.control(ctl) != nil {
				return nil
			}
			if period := a.period(); next > clock.Mono()+period {
				next = clock.Mono() + period
			}
			continue
		case <-timer:
		}
		now := clock.Mono()
		if now >= next {
			if a.tick() != nil {
				return nil
			}
			for next <= now {
				next += a.period()
			}
		}
		if now >= beat+time.Second {
			beat = now
			if a.enc.Write(wire.Frame{Heartbeat: &wire.Heartbeat{Mono: now}}) != nil {
				return nil
			}
		}
		if c.p.Fault == FaultLost && a.age() > ticksBefore {
			c.end(&remote.Error{Stage: remote.StageSession, Kind: remote.KindLost, Hop: "demo@demo.invalid:22"})
			return nil
		}
	}
}

// agent is the program's state.
type agent struct {
	c      *conn
	enc    *wire.Encoder
	rate   float64
	paused bool
	seq    uint64
	first  time.Duration
}

func (a *agent) period() time.Duration { return time.Duration(float64(time.Second) / a.rate) }

func (a *agent) age() time.Duration {
	if a.seq == 0 {
		return 0
	}
	return a.c.p.Clock.Mono() - a.first
}

func (a *agent) control(ctl wire.Control) error {
	if ctl.Rate > 0 {
		a.rate = min(ctl.Rate, 10)
	}
	a.paused = ctl.Paused
	if ctl.Ping == 0 {
		return nil
	}
	clock := a.c.p.Clock
	return a.enc.Write(wire.Frame{Pong: &wire.Pong{Ping: ctl.Ping, Wall: clock.Wall(), Mono: clock.Mono()}})
}

// tick sends one reading of everything.
func (a *agent) tick() error {
	if a.paused || (a.c.p.Fault == FaultStale && a.age() > ticksBefore) {
		return nil
	}
	clock := a.c.p.Clock
	if a.seq == 0 {
		a.first = clock.Mono()
	}
	now := clock.Wall()
	s, events, silent := a.c.world.tick(now, a.period())
	for _, e := range events {
		if err := a.enc.Write(wire.Frame{Event: e}); err != nil {
			return err
		}
	}
	a.seq++
	if silent {
		return nil
	}
	s.Seq, s.Time, s.HostTime, s.Mono = a.seq, now, now, clock.Mono()
	return a.enc.Write(wire.Frame{Sample: s})
}
