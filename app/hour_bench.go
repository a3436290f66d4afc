//go:build bench_hour

package main

import (
	"time"

	"rentgen/probe"
	"rentgen/probe/demo"
	"rentgen/probe/stream"
	"rentgen/ui/hosts"
)

// Built with this tag the demo has eight cards and an hour behind it, so that
// make bench can weigh the program as it is after an hour.
func init() { opener = hourOfEight{} }

type hourOfEight struct{}

// Open implements hosts.Opener.
func (hourOfEight) Open(s hosts.Saved, _ string, rate float64) (hosts.Stream, error) {
	p := demo.Params{Name: s.Name, Cards: 8, Rate: rate, Start: time.Now()}
	return hourStream{stream.New(demo.StreamParams(p)), p}, nil
}

// Forget implements hosts.Opener.
func (hourOfEight) Forget(string) error { return nil }

type hourStream struct {
	*stream.Host
	p demo.Params
}

// Past implements hosts.Remembers.
func (s hourStream) Past(emit func(probe.Message)) {
	demo.History(s.p, s.p.Start.Add(-time.Hour), s.p.Start, time.Second, emit)
}
