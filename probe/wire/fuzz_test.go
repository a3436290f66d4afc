package wire

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"testing"

	"rentgen/probe"
)

// FuzzFrames feeds foreign bytes. What is accepted must hold to the bounds and
// survive a second journey.
func FuzzFrames(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	inv := inventory(2)
	var buf bytes.Buffer
	enc := NewEncoder(&buf)
	for _, fr := range []Frame{
		{Inventory: inv},
		{Sample: tick(inv, 1, r)},
		{Sample: tick(inv, 2, r)},
		{Event: &probe.Event{Kind: probe.EventXid, Code: 79}},
		{Pong: &Pong{Ping: 5, Wall: base}, Heartbeat: &Heartbeat{Mono: 1}},
		{Error: "end"},
	} {
		if err := enc.Write(fr); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(buf.Bytes())
	f.Add([]byte{3, 0xa1, 6, 0x61, 'x'})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, in []byte) {
		d := NewDecoder(bytes.NewReader(in))
		var again bytes.Buffer
		e := NewEncoder(&again)
		for {
			fr, err := d.Read()
			if err != nil {
				if !errors.Is(err, ErrFrame) && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatalf("unexpected kind of error: %v", err)
				}
				return
			}
			if fr.Sample != nil && len(fr.Sample.GPUs) > MaxDevices {
				t.Fatalf("%d cards", len(fr.Sample.GPUs))
			}
			if fr.Inventory != nil && fr.Sample != nil {
				return // their order in one frame is the writer's, not ours
			}
			again.Reset()
			if err := e.Write(fr); err != nil {
				t.Fatalf("write again: %v", err)
			}
			got, err := rereader(&again, fr).Read()
			if err != nil {
				t.Fatalf("read again: %v", err)
			}
			if got.Error != fr.Error || !reflect.DeepEqual(got.Event, fr.Event) || !reflect.DeepEqual(got.Pong, fr.Pong) {
				t.Fatalf("got %+v, want %+v", got, fr)
			}
		}
	})
}

// rereader decodes one frame without the state before it, enough to see that
// what was accepted is well formed when written again.
func rereader(b *bytes.Buffer, f Frame) *Decoder {
	d := NewDecoder(b)
	if f.Sample != nil {
		d.index = make([]name, MaxDevices)
		for i := range d.index {
			d.index[i].index = i
		}
	}
	return d
}

func FuzzControl(f *testing.F) {
	var buf bytes.Buffer
	if err := NewControlWriter(&buf).Write(Control{Rate: 2, Ping: 9, Slow: true}); err != nil {
		f.Fatal(err)
	}
	f.Add(buf.Bytes())
	f.Fuzz(func(t *testing.T, in []byte) {
		r := NewControlReader(bytes.NewReader(in))
		for {
			if _, err := r.Read(); err != nil {
				return
			}
		}
	})
}
