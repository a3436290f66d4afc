package store

import (
	"fmt"
	"testing"
	"time"

	"rentgen/probe"
)

// BenchmarkFill puts an hour of eight cards into history, a quarter of an hour
// at a time, as it comes from a host.
func BenchmarkFill(b *testing.B) {
	s, err := Open(b.Context(), Params{Dir: b.TempDir(), Now: testNow})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	filler := testFiller(s)
	second := 0
	for b.Loop() {
		for quarter := range 4 {
			f := &probe.Fill{Cursor: fmt.Sprint(second), Ring: testRing, Run: 1, BootID: "boot-1", Last: quarter == 3, Messages: []probe.Message{inventory()}}
			for range 900 {
				t := tick(uint64(second+1), hourZero.Add(time.Duration(second)*time.Second), float64(second%90))
				for c := range 6 {
					g := t.GPUs[0]
					g.UUID, g.Index = fmt.Sprintf("GPU-%d", c), c+2
					t.GPUs = append(t.GPUs, g)
				}
				f.Messages = append(f.Messages, t)
				second++
			}
			if err := filler.Fill(b.Context(), f); err != nil {
				b.Fatal(quarter, err)
			}
		}
	}
}
