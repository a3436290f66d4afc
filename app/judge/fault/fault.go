package fault

import (
	"rentgen/app/judge"
	"rentgen/app/judge/series"
	"rentgen/probe"
)

// Watch keeps the faults of a host.
type Watch struct{ set judge.Setting }

// New returns a Watch.
func New(set judge.Setting) *Watch { return &Watch{set: set} }

// Add takes the next message.
func (w *Watch) Add(m probe.Message) {}

// Second takes the next whole second.
func (w *Watch) Second(s *series.Second) {}

// Close ends the stream.
func (w *Watch) Close() {}

// Verdicts returns all faults so far.
func (w *Watch) Verdicts() []judge.Verdict { return nil }
