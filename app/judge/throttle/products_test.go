package throttle

import "testing"

func TestProducts(t *testing.T) {
	for name, want := range map[string]float64{
		"NVIDIA GeForce RTX 4090": 450, "NVIDIA GeForce RTX 3090": 350, "NVIDIA A100-SXM4-40GB": 400, "Tesla T4": 70,
		"NVIDIA H20":                         0, // sold with 400 and with 500 W
		"Tesla V100-PCIE-16GB / -32GB":       0, // not vouched for
		"NVIDIA GeForce RTX 4090 Laptop GPU": 0,
		"":                                   0,
	} {
		if got := products()[name]; got != want {
			t.Errorf("%s: %g W, want %g", name, got, want)
		}
	}
}
