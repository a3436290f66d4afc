package chart

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"rentgen/ui/theme"
)

// longData is what the figure of the frame is measured on: four series of an
// hour at 1 Hz, each with a band.
func longData() *Data {
	r := rand.New(rand.NewPCG(1, 2))
	d := &Data{Unit: "%", Fixed: 100}
	for k := range 4 {
		s := d.Grow("s", k)
		s.Step = 1000
		for i := range 3600 {
			v := 50 + 30*math.Sin(float64(i)/200+float64(k)) + 6*r.Float64()
			s.AddSpan(int64(i)*1000, v-4, v+5, v)
		}
	}
	return d
}

func snapOf(d *Data, from, to int64) *snapshot {
	return &snapshot{data: d, from: from, to: to, axis: newAxis(d.Unit, d.Fixed, 100, 5), palette: theme.PaletteOf(0)}
}

func BenchmarkFrame(b *testing.B) {
	s := snapOf(longData(), 0, 3600_000)
	var p plotter
	p.draw(s, 1200, 300, 1)
	b.ReportAllocs()
	for b.Loop() {
		p.draw(s, 1200, 300, 1)
	}
}

func TestFrameAllocations(t *testing.T) {
	s := snapOf(longData(), 0, 3600_000)
	var p plotter
	if n := testing.AllocsPerRun(5, func() { p.draw(s, 1200, 300, 1) }); n > 4 {
		t.Errorf("a frame allocates %v times, want at most 4", n)
	}
}

// TestReportFrame prints the figures of make bench.
func TestReportFrame(t *testing.T) {
	if os.Getenv("RENTGEN_BENCH") == "" {
		t.Skip("RENTGEN_BENCH is not set")
	}
	r := testing.Benchmark(BenchmarkFrame)
	for range 2 { // what else the machine does only ever adds
		if next := testing.Benchmark(BenchmarkFrame); next.NsPerOp() < r.NsPerOp() {
			r = next
		}
	}
	ms := float64(r.NsPerOp()) / 1e6
	fmt.Printf("figure\tchart frame 1200x300, 4 x 3600 points\t%.3f\tms\t1\t%.2f\n", ms, ms)
	fmt.Printf("figure\tchart frame allocations\t%d\tallocs\t4\t%.2f\n", r.AllocsPerOp(), float64(r.AllocsPerOp())/4)
}

// line returns the rows of a column in which the line stands: those nearer to
// its ink than to the ground, since its edges are soft.
func line(img *image.RGBA, x int, c color.NRGBA) []int {
	g := theme.PaletteOf(0).Panel
	dist := func(p color.RGBA, q color.NRGBA) int {
		d := func(a, b uint8) int { return (int(a) - int(b)) * (int(a) - int(b)) }
		return d(p.R, q.R) + d(p.G, q.G) + d(p.B, q.B)
	}
	var rows []int
	for y := range img.Bounds().Dy() {
		if p := img.RGBAAt(x, y); dist(p, c) < dist(p, g)/4 {
			rows = append(rows, y)
		}
	}
	return rows
}

// ramp is a series with one reading a second.
func ramp(values ...float64) *Data {
	d := &Data{Unit: "%", Fixed: 100}
	s := d.Grow("a", 0)
	s.Step = 1000
	for i, v := range values {
		s.Add(int64(i)*1000, v)
	}
	return d
}

var nan = math.NaN()

func TestLineStandsAtItsValue(t *testing.T) {
	var p plotter
	img := p.draw(snapOf(ramp(50, 50, 50, 50, 50), 0, 4000), 100, 101, 1)
	for _, x := range []int{0, 37, 99} {
		rows := line(img, x, theme.PaletteOf(0).Series[0])
		if len(rows) == 0 || rows[0] < 48 || rows[len(rows)-1] > 52 {
			t.Errorf("column %d: a line of 50 %% stands in rows %v of 101", x, rows)
		}
	}
}

func TestLineBreaks(t *testing.T) {
	ink := theme.PaletteOf(0).Series[0]
	for name, d := range map[string]*Data{
		"a reading is missing":  ramp(50, 50, 50, nan, nan, nan, 50, 50, 50, 50, 50),
		"no readings came":      gapless(),
		"a gap is named":        named(),
		"a gap between two":     between(),
		"a gap and no readings": both(),
	} {
		var p plotter
		img := p.draw(snapOf(d, 0, 10_000), 200, 80, 1)
		if rows := line(img, 80, ink); len(rows) != 0 {
			t.Errorf("%s: the line goes on through rows %v", name, rows)
		}
		for _, x := range []int{20, 190} {
			if len(line(img, x, ink)) == 0 {
				t.Errorf("%s: no line at column %d", name, x)
			}
		}
	}
}

func gapless() *Data {
	d := ramp(50, 50, 50)
	s := &d.Series[0]
	for _, t := range []int64{6, 7, 8, 9, 10} {
		s.Add(t*1000, 50)
	}
	return d
}

func named() *Data {
	d := gapless()
	d.Series[0].Step = 0
	d.Gaps = []Gap{{From: 2100, To: 5900, Reason: "x"}}
	return d
}

func between() *Data {
	d := ramp(50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50)
	d.Gaps = []Gap{{From: 3900, To: 4100, Reason: "x"}, {From: 3500, To: 3600, Reason: "y"}}
	d.Series[0].Mean[4] = nan32
	return d
}

func both() *Data {
	d := gapless()
	d.Gaps = []Gap{{From: 2000, To: 6000, Reason: "x"}}
	return d
}

func TestGapIsHatched(t *testing.T) {
	d := both()
	var p plotter
	img := p.draw(snapOf(d, 0, 10_000), 200, 80, 1)
	c := theme.PaletteOf(0).Hatch
	if len(line(img, 80, c)) < 5 {
		t.Error("the gap is not hatched")
	}
	if len(line(img, 20, c)) != 0 {
		t.Error("the hatching reaches beyond the gap")
	}
	// A gap of a second in a view of a year is still seen.
	d = ramp(50)
	d.Gaps = []Gap{{From: 180 * 86400_000, To: 180*86400_000 + 1000}}
	img = p.draw(snapOf(d, 0, 365*86400_000), 200, 80, 1)
	seen := 0
	for x := range 200 {
		seen += len(line(img, x, c))
	}
	if seen < 10 {
		t.Error("a short gap can't be seen from afar")
	}
}

func TestSpanOfAColumn(t *testing.T) {
	// One spike in a thousand points of one column must reach its height.
	d := &Data{Unit: "%", Fixed: 100}
	s := d.Grow("a", 0)
	for i := range 100_000 {
		v := 10.0
		if i == 50_500 {
			v = 95
		}
		s.Add(int64(i)*1000, v)
	}
	var p plotter
	img := p.draw(snapOf(d, 0, 100_000_000), 100, 101, 1)
	ground := img.RGBAAt(0, 0)
	if got := img.RGBAAt(50, 8); got == ground {
		t.Error("the spike is lost")
	}
	if got := img.RGBAAt(10, 8); got != ground {
		t.Error("there is a spike where none was")
	}
}

func TestLoneReadingIsSeen(t *testing.T) {
	var p plotter
	img := p.draw(snapOf(ramp(nan, nan, 50, nan, nan), 0, 4000), 101, 80, 1)
	found := 0
	for x := 48; x < 54; x++ {
		found += len(line(img, x, theme.PaletteOf(0).Series[0]))
	}
	if found == 0 {
		t.Error("a reading between two missing ones leaves no dot")
	}
}

func TestSteppedKeepsItsValue(t *testing.T) {
	d := ramp(0, 80, 80)
	d.Series[0].Stepped = true
	var p plotter
	img := p.draw(snapOf(d, 0, 2000), 100, 101, 1)
	rows := line(img, 25, theme.PaletteOf(0).Series[0])
	if len(rows) == 0 || rows[0] < 95 {
		t.Errorf("a level rises before its time: rows %v", rows)
	}
}

func TestDashedHasHoles(t *testing.T) {
	d := ramp(50, 50, 50, 50)
	d.Series[0].Slot = theme.SeriesColours
	var p plotter
	img := p.draw(snapOf(d, 0, 3000), 110, 80, 1)
	on := 0
	for x := range 110 {
		if len(line(img, x, theme.PaletteOf(0).Series[0])) > 0 {
			on++
		}
	}
	if on < 55 || on > 85 {
		t.Errorf("%d of 110 columns are drawn, want about 70", on)
	}
}

func TestMissingDrawsNothing(t *testing.T) {
	d := ramp(50, 50, 50)
	d.Missing = "not offered"
	var p plotter
	img := p.draw(snapOf(d, 0, 2000), 50, 50, 1)
	for i := 4; i < len(img.Pix); i += 4 {
		if img.Pix[i] != img.Pix[0] || img.Pix[i+3] != 255 {
			t.Fatal("something is drawn though there is nothing to show")
		}
	}
}

// FuzzDraw draws whatever data in whatever view; nothing may panic and every
// pixel stays opaque.
func FuzzDraw(f *testing.F) {
	f.Add([]byte{1, 2, 3, 250, 0, 0, 9}, int64(0), int64(10_000), 40, 30, uint8(3))
	f.Add([]byte{}, int64(5), int64(5), 1, 1, uint8(0))
	f.Add([]byte{255, 255, 255, 255}, int64(-1<<62), int64(1<<62), 17, 3, uint8(255))
	f.Fuzz(func(t *testing.T, b []byte, from, to int64, w, h int, flags uint8) {
		w, h = w&255, h&127
		d := &Data{Unit: "MiB"}
		s := d.Grow("a", int(flags))
		s.Fill, s.Stepped, s.Step = flags&1 != 0, flags&2 != 0, int64(flags&12)*500
		at := from - 1000
		for _, v := range b {
			at += int64(v) * 100
			m := float64(v) * 3
			if v == 250 {
				m = nan
			}
			s.AddSpan(at, m-float64(v&7), m+float64(v&15), m)
		}
		d.Gaps = []Gap{{From: from + 10, To: from + int64(flags)*100}}
		d.Marks = []Mark{{T: from + int64(flags), Level: Level(flags & 3)}}
		d.Bands, d.Banded = []Band{{From: from, To: to, Level: Level(flags % 5)}}, flags&8 != 0
		d.Limits = []Limit{{Value: float64(flags)}}
		var p plotter
		img := p.draw(snapOf(d, from, to), w, h, 1+float32(flags&3)/2)
		for i := 3; i < len(img.Pix); i += 4 {
			if img.Pix[i] != 255 {
				t.Fatalf("pixel %d is not opaque", i/4)
			}
		}
	})
}
