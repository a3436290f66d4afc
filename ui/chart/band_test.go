package chart

import (
	"image/color"
	"testing"

	"rentgen/ui/theme"
)

// strip draws bands over a plot of 400 x 100 and returns the rows at its foot.
func strip(t *testing.T, scale float32, bands ...Band) [][]color.NRGBA {
	t.Helper()
	d := &Data{Unit: "%", Fixed: 100, Bands: bands, Banded: true}
	s := snapOf(d, 0, 400_000)
	var p plotter
	img := p.draw(s, 400, 100, scale)
	var rows [][]color.NRGBA
	for y := 100 - int(bandHeight*scale); y < 100; y++ {
		row := make([]color.NRGBA, 400)
		for x := range row {
			r := img.RGBAAt(x, y)
			row[x] = color.NRGBA(r)
		}
		rows = append(rows, row)
	}
	return rows
}

// shape is where a strip is drawn on, whatever the colour.
func shape(rows [][]color.NRGBA) string {
	ground := theme.PaletteOf(0).Panel
	out := ""
	for _, r := range rows {
		for _, c := range r {
			if c == ground {
				out += "."
			} else {
				out += "#"
			}
		}
		out += "\n"
	}
	return out
}

func TestBandsAreToldWithoutColour(t *testing.T) {
	for _, scale := range []float32{1, 2} {
		seen := map[string]Level{}
		for _, l := range bandOrder {
			s := shape(strip(t, scale, Band{From: 0, To: 400_000, Level: l}))
			if other, twice := seen[s]; twice {
				t.Errorf("at scale %v the levels %d and %d have one pattern", scale, other, l)
			}
			seen[s] = l
		}
	}
}

func TestTheGravestBandIsSeen(t *testing.T) {
	p := theme.PaletteOf(0)
	whole := Band{From: 0, To: 400_000, Level: Good}
	part := Band{From: 100_000, To: 200_000, Level: Fail}
	for name, bands := range map[string][]Band{"grave last": {whole, part}, "grave first": {part, whole}} {
		rows := strip(t, 1, bands...)
		last := rows[len(rows)-1]
		if last[150] != p.Fail {
			t.Errorf("%s: inside stands %v", name, last[150])
		}
		if last[50] != p.Pass || last[250] != p.Pass {
			t.Errorf("%s: outside stand %v and %v", name, last[50], last[250])
		}
	}
	if rows := strip(t, 1, Band{From: 100_000, To: 100_001, Level: Warn}); shape(rows) == shape(strip(t, 1)) {
		t.Error("a short band is lost")
	}
	if rows := strip(t, 1, Band{From: -50_000, To: -1_000, Level: Fail}, Band{From: 400_001, To: 500_000, Level: Fail}); shape(rows) != shape(strip(t, 1)) {
		t.Error("a band beyond the view is drawn")
	}
}

// TestBandsLeaveTheLineAlone keeps a line at 0 readable over the strip.
func TestBandsLeaveTheLineAlone(t *testing.T) {
	for _, banded := range []bool{false, true} {
		s := snapOf(&Data{Unit: "%", Fixed: 100, Banded: banded}, 0, 400_000)
		var p plotter
		p.draw(s, 400, 100, 1)
		if over := p.y(0)+0.75 <= 100-bandHeight; over != banded {
			t.Errorf("banded %v: a line at 0 lies at %v", banded, p.y(0))
		}
		if p.y(100) < 0 || p.y(100) > 3 {
			t.Errorf("banded %v: the top of the axis lies at %v", banded, p.y(100))
		}
	}
}

func TestBandsAllocateNothing(t *testing.T) {
	d := &Data{Unit: "%", Fixed: 100, Banded: true, Bands: []Band{{From: 0, To: 300_000, Level: Good}, {From: 50_000, To: 90_000, Level: Warn}}}
	s := snapOf(d, 0, 400_000)
	var p plotter
	p.draw(s, 400, 100, 1)
	if n := testing.AllocsPerRun(20, func() { p.draw(s, 400, 100, 1) }); n > 0 {
		t.Errorf("a frame with bands allocates %v times", n)
	}
}
