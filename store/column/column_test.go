package column

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"rentgen/probe"
)

func noisy(r *rand.Rand, n int) []Cell {
	cells := make([]Cell, n)
	v := int64(300)
	for i := range cells {
		v += r.Int64N(21) - 10
		cells[i] = Cell{V: v, Lo: v - r.Int64N(5), Hi: v + r.Int64N(9), State: probe.OK}
	}
	return cells
}

func TestCellsComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	gaps := noisy(r, 3600)
	for i := 100; i < 300; i++ {
		gaps[i] = Cell{State: probe.Error, Raw: "[Unknown Error]"}
	}
	gaps[500] = Cell{State: probe.Denied, Raw: "Insufficient Permissions"}
	gaps[501] = Cell{State: probe.Pending}
	flat := make([]Cell, 3600)
	none := make([]Cell, 3600)
	for i := range flat {
		flat[i] = Cell{V: 24564, Lo: 24564, Hi: 24564, State: probe.OK}
		none[i] = Cell{State: probe.Unsupported, Raw: "[N/A]"}
	}
	huge := []Cell{{V: 1 << 53, Lo: -1 << 53, Hi: 1 << 53, State: probe.OK}, {V: -1 << 53, Lo: -1 << 53, Hi: -1 << 53, State: probe.OK}}
	for name, c := range map[string]struct {
		cells []Cell
		most  int
	}{
		"empty": {nil, 8}, "noisy": {noisy(r, 3600), 9000}, "gaps": {gaps, 9000},
		"flat": {flat, 16}, "none": {none, 24}, "huge": {huge, 80},
	} {
		blob, err := Encode(c.cells, 10)
		if err != nil {
			t.Fatal(name, err)
		}
		if len(blob) > c.most {
			t.Errorf("%s: %d bytes, want at most %d", name, len(blob), c.most)
		}
		got, steps, err := Decode(nil, blob)
		if err != nil || steps != 10 || !slices.Equal(got, c.cells) {
			t.Errorf("%s: steps %d, err %v, equal %v", name, steps, err, slices.Equal(got, c.cells))
		}
	}
	if _, err := Encode(make([]Cell, MaxCells+1), 1); err == nil {
		t.Error("too many cells were packed")
	}
}

func TestTicksComeBack(t *testing.T) {
	var ticks []Tick
	for i := range 3600 {
		if i == 700 || (i > 1000 && i < 1100) {
			continue
		}
		k := Tick{Second: uint16(i), Run: 7, Seq: uint64(i * 10), Span: 9}
		if i > 2000 {
			k = Tick{Second: uint16(i), Run: 8, Seq: uint64(i - 2000)}
		}
		ticks = append(ticks, k)
	}
	blob, err := EncodeTicks(ticks)
	if err != nil {
		t.Fatal(err)
	}
	if len(blob) > 64 {
		t.Errorf("%d bytes for a steady hour", len(blob))
	}
	got, err := DecodeTicks(blob)
	if err != nil || !slices.Equal(got, ticks) {
		t.Errorf("err %v, equal %v", err, slices.Equal(got, ticks))
	}
}

func TestBucketsComeBackAndAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, kind := range []probe.Kind{probe.Gauge, probe.Counter, probe.Mask, probe.Level} {
		var minutes []Bucket
		var whole Bucket
		level := int64(0)
		for i := range 3600 {
			level += r.Int64N(300)
			if i == 1800 {
				level = 0 // the driver was loaded anew
			}
			c := Cell{V: level, Lo: level - 1, Hi: level + 1, State: probe.OK}
			switch {
			case i/60 == 7 || i/60 == 8:
				c = Cell{State: probe.Error, Raw: "lost"}
			case kind == probe.Mask:
				c = Cell{V: 1 << (i % 5), Lo: 1 << (i % 5), Hi: 1 << (i % 5), State: probe.OK}
			}
			if len(minutes) == 0 || minutes[len(minutes)-1].At != i/60 {
				minutes = append(minutes, Bucket{At: i / 60})
			}
			minutes[len(minutes)-1].Add(kind, c)
			whole.Add(kind, c)
		}
		blob, err := EncodeBuckets(kind, minutes, 1)
		if err != nil {
			t.Fatal(err)
		}
		got, steps, err := DecodeBuckets(nil, blob)
		if err != nil || steps != 1 || !slices.Equal(got, minutes) {
			t.Fatalf("kind %d: err %v\n%v\n%v", kind, err, got, minutes)
		}
		var sum Bucket
		for _, b := range got {
			sum.Merge(kind, b)
		}
		if sum != whole {
			t.Errorf("kind %d: minutes add up to %+v, seconds to %+v", kind, sum, whole)
		}
	}
}

func TestStepsOfMetrics(t *testing.T) {
	for m, want := range map[probe.Metric]int64{probe.Power: 1, probe.DiskRead: 10, probe.CPUQuota: 100} {
		if got := Steps(m); got != want {
			t.Errorf("%s: %d, want %d", m, got, want)
		}
	}
	if got := Float(123, 10); got != 12.3 {
		t.Errorf("got %v", got)
	}
}

func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, cells := range [][]Cell{nil, noisy(r, 40), noisy(r, 3600), {{State: probe.Denied, Raw: "no"}}} {
		b, err := Encode(cells, 1)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	ticks, _ := EncodeTicks([]Tick{{Second: 1, Run: 1, Seq: 1}, {Second: 2, Run: 1, Seq: 2}})
	f.Add(ticks)
	buckets, _ := EncodeBuckets(probe.Gauge, []Bucket{{At: 3, N: 60, Min: 1, Max: 9, Sum: 200, State: probe.OK}, {At: 4, State: probe.Error, Raw: "x"}}, 1)
	f.Add(buckets)
	f.Fuzz(func(t *testing.T, b []byte) {
		if cells, _, err := Decode(nil, b); err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("unnamed error %v", err)
			}
		} else if len(cells) > MaxCells {
			t.Fatal("too many cells")
		}
		if ticks, err := DecodeTicks(b); err == nil {
			for _, k := range ticks {
				if k.Second >= 3600 {
					t.Fatal("second beyond the hour")
				}
			}
			again, err := EncodeTicks(ticks)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := DecodeTicks(again); err != nil || !slices.Equal(back, ticks) {
				t.Fatalf("ticks don't come back: %v", err)
			}
		}
		if list, _, err := DecodeBuckets(nil, b); err == nil {
			for _, k := range list {
				if k.At < 0 || k.At >= 64 || k.N < 0 {
					t.Fatalf("bucket %+v", k)
				}
			}
		}
	})
}
