package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"rentgen/app/guide/board"
	"rentgen/app/judge"
	"rentgen/app/judge/why"
	"rentgen/probe"
	"rentgen/probe/stream"
	"rentgen/probe/target"
	"rentgen/store"
)

// whyLook is how long a host is looked at where nothing else is asked for: as
// long as the window that most rules judge.
const whyLook = 60 * time.Second

// maxEarlier bounds the user's own earlier phases that a run is compared with.
const maxEarlier = 500

// seen is one target of why: an answer, or the error that kept it from one.
type seen struct {
	name   string
	answer why.Answer
	err    error
}

// runWhy looks at hosts for a minute, all at once, and says what it means.
func runWhy(ctx context.Context, j *job) error {
	closeLog := j.logging()
	defer closeLog()
	var list []string
	for _, a := range j.args {
		if !slices.Contains(list, a) { // the same one twice is looked at once
			list = append(list, a)
		}
	}
	o := opening{}
	if len(list) == 1 {
		o.prompt = j.prompter()
	} else if j.is("password-stdin") { // one for all
		var err error
		if o.password, err = readPassword(j.in); err != nil {
			return err
		}
		j.redactor.Secret(o.password)
	}
	length := j.duration("for")
	if length == 0 {
		length = whyLook
	}
	set := j.setting(ctx)
	looks := make([]seen, len(list))
	var wait sync.WaitGroup
	for i, text := range list {
		wait.Add(1)
		go func() {
			defer wait.Done()
			looks[i] = j.lookAt(ctx, text, o, length, set, len(list) > 1)
		}()
	}
	wait.Wait()
	if ctx.Err() != nil {
		return context.Canceled
	}
	if len(looks) == 1 && looks[0].err != nil {
		return looks[0].err
	}
	if err := j.printLooks(looks); err != nil {
		return err
	}
	for _, l := range looks {
		if l.err != nil { // its sentence is in the answer
			return answered{exitCode(l.err)}
		}
	}
	return nil
}

// setting is what rules may know beside readings.
func (j *job) setting(ctx context.Context) judge.Setting {
	set := judge.Setting{Track: j.flags["machine"], Job: j.flags["job"]}
	s, err := j.readStore(ctx)
	if err != nil {
		return set // no history is no reason not to look
	}
	defer s.Close()
	if phases, err := s.Phases(ctx, maxEarlier); err == nil {
		set.Earlier = phases
	} else if !errors.Is(err, store.ErrNotFound) {
		j.log.Warn("earlier runs are not known", "err", err)
	}
	return set
}

// machineOf is what was rented of a saved host, as was chosen under Set up; ""
// where nothing was.
func (j *job) machineOf(ctx context.Context, id string) string {
	if id == "" {
		return ""
	}
	s, err := j.readStore(ctx)
	if err != nil {
		return ""
	}
	defer s.Close()
	b := board.New(board.Params{Host: id, Store: s})
	defer b.Close()
	if err := b.Load(ctx); err != nil || !chosen(b) {
		return ""
	}
	return string(b.Track())
}

// lookAt looks at one target. With others beside it, lines on stderr begin with
// its name.
func (j *job) lookAt(ctx context.Context, text string, o opening, length time.Duration, set judge.Setting, among bool) seen {
	s, err := j.openWith(ctx, text, o)
	if err != nil {
		return seen{name: text, err: err}
	}
	defer s.close()
	if set.Track == "" {
		set.Track = j.machineOf(ctx, s.id)
	}
	l := &looking{
		Looker: why.New(why.Params{Host: s.name, Setting: set, Compare: true}), length: length,
		say: func(line string) { j.say("cli.why.progress", "name", s.name, "line", line) },
	}
	if !among {
		l.say = func(line string) { fmt.Fprintln(j.p.Stderr, line) }
	}
	l.began = func() { l.say(j.c.T("cli.why.looking", "seconds", int(length.Seconds()))) }
	if s.target.Kind == target.SSH {
		ask, stop := context.WithCancel(ctx)
		defer stop()
		began := l.began
		l.began = func() {
			began()
			go s.host.FollowQueue(ask, stream.QueueAddrs()...)
		}
	}
	w := &watch{j: j, host: s.host, q: newQueue(), length: length, out: l, say: l.say}
	if err := w.run(ctx); err != nil {
		return seen{name: s.name, err: err}
	}
	return seen{name: s.name, answer: l.Answer()}
}

// looking collects what a look says.
type looking struct {
	*why.Looker
	length time.Duration
	say    func(string)
	began  func()
	ticked bool
}

// message takes a message.
func (l *looking) message(m probe.Message) error {
	if _, ok := m.(*probe.Sample); ok && !l.ticked {
		l.ticked = true
		l.began()
	}
	l.Add(m)
	return nil
}

// end has nothing to add: the answer says how long the look was.
func (l *looking) end(string, time.Time) error { return nil }
