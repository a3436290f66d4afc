package reach

import (
	"context"
	"errors"
	"fmt"

	"rentgen/app/guide"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
)

// Runner runs Set up's scripts over a host's one connection.
func Runner(h *stream.Host) guide.Runner { return runner{h} }

// Forwarder opens local ports that lead through a host's one connection.
func Forwarder(h *stream.Host) guide.Forwarder { return forwarder{h} }

type runner struct{ h *stream.Host }

// Exec implements guide.Runner.
func (r runner) Exec(ctx context.Context, e guide.Exec) (guide.Output, error) {
	res, err := r.h.Run(ctx, stream.Command{
		Script: e.Script, Args: e.Args, Stdin: e.Stdin, Timeout: e.Timeout, Limit: e.Limit, Out: e.Out, Err: e.Err, In: e.In,
	})
	out := guide.Output{
		Stdout: res.Stdout, Stderr: res.Stderr, Exit: res.Exit, Duration: res.Duration, TimedOut: res.TimedOut, Truncated: res.Truncated,
	}
	switch {
	case err == nil:
		return out, nil
	case res.TimedOut && stream.KindOf(err) == stream.KindTimeout:
		return out, nil // a script's own failure
	}
	out.Exit = -1
	return out, offline(err)
}

// offline puts guide.ErrOffline into the chain of an error of the link.
func offline(err error) error {
	switch stream.KindOf(err) {
	case stream.KindOffline, stream.KindLink, stream.KindSilent:
		return fmt.Errorf("%w: %w", guide.ErrOffline, err)
	}
	var r *remote.Error
	if errors.As(err, &r) && r.Kind == remote.KindLost {
		return fmt.Errorf("%w: %w", guide.ErrOffline, err)
	}
	return err
}

type forwarder struct{ h *stream.Host }

// Forward implements guide.Forwarder.
func (f forwarder) Forward(ctx context.Context, local, remoteAddr string) (guide.Open, error) {
	o, err := f.h.Forward(ctx, local, remoteAddr)
	if err != nil {
		return nil, offline(err)
	}
	return o, nil
}
