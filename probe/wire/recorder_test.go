package wire

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestRecorderFrames: what the recorder sends comes out as it went in, and its
// texts are cleaned.
func TestRecorderFrames(t *testing.T) {
	var b bytes.Buffer
	enc := NewEncoder(&b)
	in := []Frame{
		{Start: &Start{Ring: "0f", Run: 3, BootID: "boot", Init: 5, Wall: 7, Mono: 9 * time.Second, Version: "1.0", Stopped: true}},
		{Hole: &Hole{From: time.Second, To: time.Minute, Reason: "disk"}},
		{Done: true},
		{Start: &Start{Ring: "a\x1b[31mb", BootID: strings.Repeat("é", MaxText), Version: "c\nd"}},
	}
	for _, f := range in {
		if err := enc.Write(f); err != nil {
			t.Fatal(err)
		}
	}
	dec := NewDecoder(&b)
	for i, want := range in[:3] {
		got, err := dec.Read()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("frame %d: %+v, %v", i, got, err)
		}
	}
	got, err := dec.Read()
	if err != nil || got.Start.Ring != "a[31mb" || got.Start.Version != "cd" || len(got.Start.BootID) > MaxText {
		t.Errorf("%+v, %v", got.Start, err)
	}
}
