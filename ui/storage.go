package ui

import (
	"context"

	"rentgen/probe"
	"rentgen/probe/stream"
	"rentgen/store"
	"rentgen/ui/hosts"
	"rentgen/ui/sense"
)

// Storage makes a store what the list of hosts needs.
func Storage(s *store.Store) hosts.Store { return &shelf{s} }

type shelf struct{ s *store.Store }

func (t *shelf) Hosts(ctx context.Context) ([]hosts.Saved, error) {
	all, err := t.s.Hosts(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]hosts.Saved, 0, len(all))
	for _, h := range all {
		out = append(out, hosts.Saved{ID: h.ID, Name: h.Name, Line: h.Line, Created: h.Created, Options: h.Options})
	}
	return out, nil
}

func (t *shelf) SaveHost(ctx context.Context, h hosts.Saved) error {
	_, err := t.s.SaveHost(ctx, store.Host{ID: h.ID, Name: h.Name, Line: h.Line, Created: h.Created, Options: h.Options})
	return err
}

func (t *shelf) ForgetHost(ctx context.Context, id string, withLogs bool) error {
	return t.s.ForgetHost(ctx, id, withLogs)
}

func (t *shelf) StartLog(ctx context.Context, h hosts.Saved, source probe.Source, demo bool) (hosts.Log, error) {
	r, err := t.s.StartRecording(ctx, store.RecordingStart{HostID: h.ID, HostName: h.Name, Demo: demo, Source: source})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// counted has the meter count too what a recorder on a host kept.
type counted struct {
	stream.History
	host  string
	sense *sense.Sense
}

// Fill implements stream.History.
func (c counted) Fill(ctx context.Context, f *probe.Fill) error {
	if err := c.History.Fill(ctx, f); err != nil {
		return err
	}
	c.sense.Late(c.host, f)
	return nil
}

// filler puts what a recorder on a host kept into its history.
func (t *shelf) filler(h hosts.Saved) stream.History {
	return t.s.Filler(store.RecordingStart{HostID: h.ID, HostName: h.Name})
}
