package slow

import (
	"math"
	"math/rand/v2"
	"testing"
)

// pictures is the power of a card that paints one picture every period seconds.
func pictures(n int, period, noise float64) []float64 {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, n)
	for i := range x {
		for part := range 10 { // a reading is the mean of its second
			w := 380.0
			if math.Mod(float64(i)+float64(part)/10, period) < period/5 {
				w = 140
			}
			x[i] += w / 10
		}
		x[i] += noise * (2*r.Float64() - 1)
	}
	return x
}

func TestCadence(t *testing.T) {
	holes := pictures(300, 20, 10)
	for i := range holes {
		if i%7 == 0 || i > 100 && i < 130 {
			holes[i] = math.NaN()
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	chance := make([]float64, 300)
	for i := range chance {
		chance[i] = 300 + 100*r.Float64()
	}
	flat := make([]float64, 300)
	for i := range flat {
		flat[i] = 400
	}
	for what, c := range map[string]struct {
		x    []float64
		want float64 // 0: none
	}{
		"a picture in 20 s":     {pictures(300, 20, 10), 20},
		"a picture in 6.5 s":    {pictures(240, 6.5, 10), 6.5},
		"a picture in 50 s":     {pictures(200, 50, 20), 50},
		"with holes":            {holes, 20},
		"seen twice only":       {pictures(50, 20, 1), 0},
		"faster than readings":  {pictures(300, 2.4, 10), 0},
		"chance":                {chance, 0},
		"flat":                  {flat, 0},
		"nothing":               {nil, 0},
		"nothing but what fell": {[]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}, 0},
	} {
		got, strength, ok := Cadence(c.x)
		if ok != (c.want > 0) || math.Abs(got-c.want) > 0.04*c.want+0.2 {
			t.Errorf("%s: %.2f s with %.2f, %v; want %v", what, got, strength, ok, c.want)
		}
	}
}
