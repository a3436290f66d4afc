// Package stream owns the one connection of a host and everything that comes
// out of it.
//
// A Host dials, finds out what kind of machine answered, starts our program
// there (or falls back to nvidia-smi and says why), and turns what it reads
// into one ordered run of probe.Message: inventories, ticks, events and gaps.
// It reconnects by itself, keeps the host's clock apart from the laptop's, and
// offers the same connection for running a script, putting a file there and
// forwarding a port. Nobody who listens can stall the reading.
//
// What comes from the host is not trusted: it is bounded, stripped of control
// characters, and never becomes part of a shell text.
package stream
