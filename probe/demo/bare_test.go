package demo_test

import (
	"context"
	"testing"
	"time"

	"rentgen/probe/demo"
	"rentgen/probe/stream"
)

// live waits until the connection stands.
func live(t *testing.T, h *stream.Host) {
	t.Helper()
	states := make(chan stream.State, 16)
	cancel := h.OnState(func(s stream.State) { states <- s })
	defer cancel()
	h.Start()
	deadline := time.After(patience)
	for h.State().Phase != stream.Live {
		select {
		case <-states:
		case <-deadline:
			t.Fatal("never live")
		}
	}
}

// TestConnectionWithoutReadings: it is there for scripts alone.
func TestConnectionWithoutReadings(t *testing.T) {
	p := demo.StreamParams(demo.Params{})
	p.Source = stream.SourceNone
	p.Consent = func(context.Context, stream.UploadQuestion) error {
		t.Error("something was to be put on the host")
		return context.Canceled
	}
	h := stream.New(p)
	messages, cancel := h.Subscribe(16)
	defer cancel()
	live(t, h)
	if _, err := h.Run(t.Context(), stream.Command{Script: "true"}); err != nil {
		t.Fatal(err)
	}
	h.Stop()
	if _, err := h.Run(t.Context(), stream.Command{Script: "true"}); err == nil {
		t.Error("a script ran without a connection")
	}
	if h.State().Phase != stream.Off || h.Inventory() != nil {
		t.Errorf("%+v", h.State())
	}
	select {
	case m := <-messages:
		t.Errorf("read %T", m)
	default:
	}
}
