package resident

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/wire"
)

// FuzzConverter takes what a host may send in place of what it kept: no fill may
// reach beyond what was read live, or go back in time.
func FuzzConverter(f *testing.F) {
	var b bytes.Buffer
	enc := wire.NewEncoder(&b)
	for _, fr := range []wire.Frame{start(1, "a", 0, 100, false), {Inventory: &probe.Inventory{}}, at(1, 101, 2), at(3, 103, 3), {Done: true}} {
		if err := enc.Write(fr); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(b.Bytes())
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, b []byte) {
		limit := zero.Add(time.Hour)
		c := NewConverter("", Clock{BootID: "a", Base: zero.Add(-100 * time.Second)}, limit, func(f *probe.Fill) error {
			var last time.Time
			for _, m := range f.Messages {
				s, ok := m.(*probe.Sample)
				if !ok {
					continue
				}
				if !s.Time.Before(limit) || !s.Time.After(last) {
					t.Errorf("a reading of %v after %v", s.Time, last)
				}
				last = s.Time
			}
			return nil
		})
		dec := wire.NewDecoder(bytes.NewReader(b))
		for {
			fr, err := dec.Read()
			if errors.Is(err, io.EOF) || err != nil {
				break
			}
			if over, err := c.Frame(fr); over || err != nil {
				break
			}
		}
		if err := c.Finish(); err != nil {
			t.Error(err)
		}
	})
}
