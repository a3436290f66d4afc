package ui

import (
	"context"
	"time"

	"rentgen/app/cli/reach"
	"rentgen/probe"
	"rentgen/probe/demo"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/ui/hosts"
)

// Reacher is what the window needs to reach hosts; *reach.Reach is one.
type Reacher interface {
	Stream(w reach.Way) (stream.Params, error)
	Forget(profile string) error
	Reread()
	Config() *remote.Config
	Notices() []remote.Notice
	Known() *remote.KnownHosts
}

// opener makes connections that ask through the window.
type opener struct {
	reach   Reacher
	prompt  remote.Prompter
	consent func(ctx context.Context, q stream.UploadQuestion) error
	notice  func(id string, n remote.Notice)
	history func(hosts.Saved) stream.History // may be nil
}

// Open implements hosts.Opener.
func (o *opener) Open(s hosts.Saved, password string, rate float64) (hosts.Stream, error) {
	begin := demo.Params{Start: time.Now()}
	var history stream.History
	if o.history != nil && s.Line != hosts.LineDemo {
		history = o.history(s)
	}
	p, err := o.reach.Stream(reach.Way{
		Profile: s.ID, Name: s.Name, Line: s.Line, Prompt: o.prompt, Password: password,
		Rate: rate, Consent: o.consent, Demo: begin, History: history,
		Notice: func(n remote.Notice) { o.notice(s.ID, n) },
	})
	if err != nil {
		return nil, err
	}
	if s.Line == hosts.LineDemo {
		return &demoStream{stream.New(p), begin}, nil
	}
	return stream.New(p), nil
}

// demoStream is the demo host with the minutes before it was reached, so that
// its first picture is full.
type demoStream struct {
	*stream.Host
	p demo.Params
}

// Past implements hosts.Remembers.
func (s *demoStream) Past(emit func(probe.Message)) { demo.Past(s.p, emit) }

// Forget implements hosts.Opener.
func (o *opener) Forget(id string) error { return o.reach.Forget(id) }
