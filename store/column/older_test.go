package column

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"testing"

	"rentgen/probe"
)

// older packs cells as version 1 did.
func older(cells []Cell, how byte) []byte {
	var flags byte
	var values []int64
	for _, c := range cells {
		if !c.OK() {
			flags |= flagGap
			continue
		}
		values = append(values, c.V)
		if c.Lo != c.V || c.Hi != c.V {
			flags |= flagSpread
		}
	}
	return pack(cells, values, 10, flags|how)
}

func TestOlderColumnsAreRead(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	cells := noisy(r, 3600)
	cells[7] = Cell{State: probe.Denied, Raw: "no"}
	for _, how := range []byte{0, flagOffset, flagDrift} {
		got, steps, err := Decode(nil, older(cells, how))
		if err != nil || steps != 10 || !slices.Equal(got, cells) {
			t.Errorf("%x: %v", how, err)
		}
	}
	// What version 1 wrote of these.
	cells = nil
	for i := range 40 {
		v := int64(300 + i*i%17)
		cells = append(cells, Cell{V: v, Lo: v - int64(i%3), Hi: v + 2, State: probe.OK})
	}
	cells[7] = Cell{State: probe.Denied, Raw: "no"}
	blob, err := hex.DecodeString("1128b52ffd2485d501009402280a0b01026e6f07010103012001d804000104091008020d0d0f0208100904010f00010200010200020500718fe80240118c66bf986c3e0109c8607c")
	if err != nil {
		t.Fatal(err)
	}
	if got, steps, err := Decode(nil, blob); err != nil || steps != 10 || !slices.Equal(got, cells) {
		t.Errorf("cells %v, %v", got, err)
	}
	var buckets []Bucket
	for i := range 5 {
		buckets = append(buckets, Bucket{At: i * 2, N: 60, Min: int64(200 + i), Max: int64(300 + i*i), Sum: int64(60*250 + i), State: probe.OK})
	}
	buckets[3] = Bucket{At: 6, State: probe.Error, Raw: "lost"}
	if blob, err = hex.DecodeString("0105010501020202023c3c3c003c01046c6f737404019003020204c801c801cc01e001f02efa2d842d982b"); err != nil {
		t.Fatal(err)
	}
	if got, steps, err := DecodeBuckets(nil, blob); err != nil || steps != 1 || !slices.Equal(got, buckets) {
		t.Errorf("buckets %v, %v", got, err)
	}
}

func TestCountersByWhatStandsBesideThem(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var energy, power []Cell
	joule := 1e6
	for i := range 3600 {
		w := 300 + 20*r.NormFloat64()
		joule += w
		if i == 2000 {
			joule = 0 // the driver was loaded anew
		}
		e, p := int64(joule), int64(w)
		energy, power = append(energy, Cell{V: e, Lo: e, Hi: e, State: probe.OK}), append(power, Cell{V: p, Lo: p - 3, Hi: p + 4, State: probe.OK})
	}
	power[100], energy[200], energy[201] = Cell{State: probe.Error}, Cell{State: probe.Pending}, Cell{State: probe.Pending}
	alone, err := Encode(energy, 1)
	if err != nil {
		t.Fatal(err)
	}
	blob, err := EncodeBeside(energy, 1, power)
	if err != nil || len(blob) > len(alone)/2 {
		t.Errorf("%d bytes beside the power, %d alone, %v", len(blob), len(alone), err)
	}
	packed, err := Encode(power, 1)
	if err != nil {
		t.Fatal(err)
	}
	means, err := DecodeMeans(packed)
	if err != nil || len(means) != len(power) {
		t.Fatal(err)
	}
	for i, c := range means {
		if want := power[i]; c.V != want.V || c.State != want.State || c.Lo != c.V || c.Hi != c.V {
			t.Fatalf("%d: %+v of %+v", i, c, want)
		}
	}
	got, _, err := DecodeBeside(nil, blob, func() ([]Cell, error) { return means, nil })
	if err != nil || !slices.Equal(got, energy) {
		t.Errorf("%v", err)
	}
	for name, beside := range map[string]func() ([]Cell, error){
		"none": nil, "too few": func() ([]Cell, error) { return power[1:], nil }, "damaged": func() ([]Cell, error) { return nil, corrupt("x") },
	} {
		if _, _, err := DecodeBeside(nil, blob, beside); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestNumbersOfEveryKindComeBack tries each model, and a bit that flipped.
func TestNumbersOfEveryKindComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	kinds := map[string]func(i int) int64{
		"few": func(int) int64 { return []int64{0, 4, 1}[r.IntN(3)] }, "steps": func(i int) int64 { return 8000 + int64(i/600)*640 },
		"of 15": func(int) int64 { return 15 * r.Int64N(90) }, "falling": func(i int) int64 { return -7 * int64(i) },
		"wide": func(int) int64 { return r.Int64N(1<<52) - 1<<51 }, "two levels": func(i int) int64 { return int64(i/900%2)*300 + r.Int64N(5) },
		"spikes": func(i int) int64 { return int64(i%97/96) << 40 },
	}
	for name, of := range kinds {
		for _, n := range []int{2, 3, 5, 64, 3600} {
			cells := make([]Cell, n)
			for i := range cells {
				v := of(i)
				cells[i] = Cell{V: v, Lo: v - r.Int64N(3), Hi: v + r.Int64N(3), State: probe.OK}
			}
			blob, err := Encode(cells, 1)
			if err != nil {
				t.Fatal(err)
			}
			if got, _, err := Decode(nil, blob); err != nil || !slices.Equal(got, cells) {
				t.Errorf("%s of %d: %v", name, n, err)
			}
			if blob[0] != versionCoded {
				continue
			}
			for range 20 {
				bad := bytes.Clone(blob)
				bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
				if got, _, err := Decode(nil, bad); err == nil && !slices.Equal(got, cells) {
					t.Fatalf("%s of %d: a flipped bit gives other numbers", name, n)
				}
			}
		}
	}
}
