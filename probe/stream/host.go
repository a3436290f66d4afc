package stream

import (
	"context"

	"rentgen/probe"
)

// Host is one rented machine and its one connection. Its methods may be called
// from any goroutine.
type Host struct {
	p Params
}

// New returns a host that is Off.
func New(p Params) *Host { return &Host{p: p} }

// ID returns the saved host's id.
func (h *Host) ID() string { return h.p.ID }

// Name returns what the person calls it.
func (h *Host) Name() string { return h.p.Name }

// Demo reports whether everything is made up.
func (h *Host) Demo() bool { return h.p.Demo }

// Start connects and goes on until Stop. A second call does nothing.
func (h *Host) Start() {}

// Stop ends what runs on the host, closes the connection and waits for both,
// at most a few seconds.
func (h *Host) Stop() {}

// State returns where the host stands.
func (h *Host) State() State { return State{} }

// OnState calls f with the present state and after every change other than a
// tick, in order, from a goroutine of its own.
func (h *Host) OnState(f func(State)) (cancel func()) { return func() {} }

// Subscribe returns a channel of messages. When the buffer is full the oldest
// is dropped and counted. The channel is closed by cancel and never by Stop.
func (h *Host) Subscribe(buffer int) (messages <-chan probe.Message, cancel func()) {
	return make(chan probe.Message), func() {}
}

// Attach gives every message to s, in order, from a goroutine of its own.
// detach returns when what was said before has been delivered.
func (h *Host) Attach(s Sink) (detach func()) { return func() {} }

// Inventory returns the latest inventory, nil before the first. It must not be
// changed.
func (h *Host) Inventory() *probe.Inventory { return nil }

// Latest returns the latest tick, nil before the first. It must not be changed.
func (h *Host) Latest() *probe.Sample { return nil }

// SetRate changes the ticks a second.
func (h *Host) SetRate(hz float64) {}

// Pause stops reading and keeps the connection; the span becomes a gap.
func (h *Host) Pause() {}

// Resume reads again.
func (h *Host) Resume() {}

// Retry connects now instead of at State.RetryAt; also out of Failed.
func (h *Host) Retry() {}

// Run runs a script through the host's connection.
func (h *Host) Run(ctx context.Context, c Command) (Result, error) {
	return Result{}, &Error{Kind: KindOffline}
}

// Upload puts a file on the host: written beside its place, checked, renamed.
func (h *Host) Upload(ctx context.Context, f File) error { return &Error{Kind: KindOffline} }

// Forward listens on 127.0.0.1 and passes what connects on to an address as
// seen from the host. local is a port or "127.0.0.1:port"; port 0 picks one.
func (h *Host) Forward(ctx context.Context, local, remote string) (*Forward, error) {
	return nil, &Error{Kind: KindOffline}
}

// RemoveHelper deletes our program and its directory from the host. Readings
// stop before and don't start again until Start or Retry.
func (h *Host) RemoveHelper(ctx context.Context) error { return &Error{Kind: KindOffline} }

// Forward is a local port that leads to the host.
type Forward struct{}

// Addr returns the local address, "127.0.0.1:port".
func (f *Forward) Addr() string { return "" }

// Close stops listening and ends what is connected.
func (f *Forward) Close() error { return nil }
