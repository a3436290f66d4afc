package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rentgen/probe"
	"rentgen/probe/stream"
)

// runProbe looks at a host and writes what it sees until it is told to stop.
func runProbe(ctx context.Context, j *job) error {
	closeLog := j.logging()
	defer closeLog()
	s, err := j.openWith(ctx, j.args[0], opening{source: j.flags["source"], prompt: j.prompter(), keep: j.is("record")})
	if err != nil {
		return err
	}
	defer s.close()
	w := &watch{j: j, host: s.host, q: newQueue(), length: j.duration("for")}
	if j.is("json") {
		w.out = newJSONLines(j.p.Stdout, s.name, s.demo)
	} else {
		w.out = newTable(j.p.Stdout, j.c, s.name, s.demo)
	}
	var rec recorder
	if j.is("record") {
		if rec, err = s.record(ctx); err != nil {
			return err
		}
		detach := s.host.Attach(rec)
		defer func() { // after Stop, so that the last readings are in it
			detach()
			if err := rec.Close("asked"); err != nil {
				j.say("cli.record.lost", "err", err)
			}
		}()
		j.say("cli.record.started", "id", rec.ID())
	}
	return w.run(ctx)
}

// recorder keeps a log of a watch.
type recorder interface {
	stream.Sink
	ID() int64
	Close(reason string) error
}

// watch is one run of the probe command.
type watch struct {
	j      *job
	host   *stream.Host
	q      *queue
	out    show
	length time.Duration // 0: until interrupted
	say    func(string)  // where the connection stands; nil: to stderr
	ticked bool
	early  []probe.Message // what came before the first inventory
	known  bool            // there was one
}

// show writes a message. The inventory comes first, whatever the host said
// before it.
func (w *watch) show(m probe.Message) error {
	if _, ok := m.(*probe.Inventory); ok && !w.known {
		w.known = true
		if err := w.out.message(m); err != nil {
			return err
		}
		early := w.early
		w.early = nil
		for _, e := range early {
			if err := w.out.message(e); err != nil {
				return err
			}
		}
		return nil
	}
	if !w.known {
		w.early = append(w.early, m)
		return nil
	}
	return w.out.message(m)
}

func (w *watch) run(ctx context.Context) error {
	states := make(chan stream.State, 64)
	detach := w.host.Attach(w.q)
	cancelStates := w.host.OnState(func(s stream.State) {
		select {
		case states <- s:
		case <-ctx.Done():
		}
	})
	w.host.Start()
	reason, err := w.loop(ctx, states)
	cancelStates()
	w.host.Stop()
	detach()
	rest := w.q.take()
	for _, m := range rest {
		if werr := w.show(m); werr != nil && err == nil {
			err = werr
		}
	}
	for _, m := range w.early { // the host never said what it is
		if werr := w.out.message(m); werr != nil && err == nil {
			err = werr
		}
	}
	if reason == "" { // stdout is gone: nothing more can be written
		return err
	}
	if werr := w.out.end(reason, time.Now()); werr != nil && err == nil {
		err = werr
	}
	return err
}

// loop runs until the time is over, the person stops it or the host fails. It
// returns the reason for the end line and the error to exit with.
func (w *watch) loop(ctx context.Context, states <-chan stream.State) (string, error) {
	var over <-chan time.Time
	said := ""
	for {
		select {
		case <-ctx.Done():
			return endInterrupted, context.Canceled
		case <-over:
			return endFor, nil
		case s := <-states:
			if text := w.stage(s); text != "" && text != said {
				said = text
				if w.say != nil {
					w.say(text)
				} else {
					fmt.Fprintln(w.j.p.Stderr, text)
				}
			}
			if reason, err := w.ended(s); err != nil {
				return reason, err
			}
		case <-w.q.wake:
			for _, m := range w.q.take() {
				if err := w.show(m); err != nil {
					return "", err
				}
				if _, ok := m.(*probe.Sample); ok && !w.ticked {
					w.ticked = true
					if w.length > 0 {
						over = time.After(w.length)
					}
				}
			}
		}
	}
}

// stage says where the connection stands, "" for nothing new.
func (w *watch) stage(s stream.State) string {
	c := w.j.c
	switch s.Phase {
	case stream.Connecting:
		if s.Stage == "" {
			return ""
		}
		return stageText(c, s.Stage)
	case stream.Stale:
		return c.T("cli.state.stale")
	case stream.Waiting:
		if !w.ticked {
			return "" // the error says it
		}
		return c.T("cli.state.waiting", "why", w.j.sentence(s.Err))
	case stream.Live:
		if s.Source == probe.SourceSMI && s.Reason != "" {
			return c.T("cli.state.simple", "why", c.T("stream.reason."+s.Reason))
		}
	}
	return ""
}

// ended reports whether a state means that no more can come. A link that was
// never up is not waited for: whoever called wants to know.
func (w *watch) ended(s stream.State) (string, error) {
	var none *stream.NoCardError
	if errors.As(s.Err, &none) {
		return endNoGPU, s.Err
	}
	if s.Phase == stream.Failed || s.Phase == stream.Waiting && !w.ticked {
		if s.Err == nil {
			return endFailed, errors.New("the connection failed")
		}
		return endFailed, s.Err
	}
	return "", nil
}
