package ui

import (
	"context"

	"rentgen/app/cli/reach"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/ui/hosts"
)

// Reacher is what the window needs to reach hosts; *reach.Reach is one.
type Reacher interface {
	Stream(w reach.Way) (stream.Params, error)
	Forget(profile string) error
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
}

// Open implements hosts.Opener.
func (o *opener) Open(s hosts.Saved, password string, rate float64) (hosts.Stream, error) {
	p, err := o.reach.Stream(reach.Way{
		Profile: s.ID, Name: s.Name, Line: s.Line, Prompt: o.prompt, Password: password,
		Rate: rate, Consent: o.consent,
		Notice: func(n remote.Notice) { o.notice(s.ID, n) },
	})
	if err != nil {
		return nil, err
	}
	return stream.New(p), nil
}

// Forget implements hosts.Opener.
func (o *opener) Forget(id string) error { return o.reach.Forget(id) }
