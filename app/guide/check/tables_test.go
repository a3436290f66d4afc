package check

import "testing"

func TestDriverTable(t *testing.T) {
	for driver, want := range map[string]string{
		"450.51.05": "11.0", "470.256.02": "11.4", "525.125.06": "12.0", "535.161.08": "12.2", "570.211.01": "12.8", "580.142": "13.0", "595.71.05": "13.2", "610.57.04": "13.3", "700.1": "", "N/A": "",
	} {
		if got := nativeCUDA(driver); got != want {
			t.Errorf("driver %s has CUDA %q, want %q", driver, got, want)
		}
	}
	for _, c := range []struct {
		driver, cuda string
		above, known bool
	}{
		{"535.161.08", "12.2", false, true},
		{"535.161.08", "12.4", true, true},
		{"565.57.01", "12.7", false, true}, // between two branches of the table
		{"565.57.01", "13.0", true, true},
		{"700.1", "14.0", false, false},
		{"", "12.4", false, false},
		{"535.1", "", false, false},
	} {
		if yes, known := above(c.driver, c.cuda); yes != c.above || known != c.known {
			t.Errorf("driver %s with CUDA %s: above %t, known %t", c.driver, c.cuda, yes, known)
		}
	}
	for _, c := range []struct {
		driver string
		cuda   int
		want   bool
	}{{"525.60.13", 12, true}, {"520.61.05", 12, false}, {"580.65.06", 13, true}, {"575.57.08", 13, false}, {"470.82.01", 11, true}, {"418.39", 11, false}, {"", 12, false}} {
		if got := minorCompat(c.driver, c.cuda); got != c.want {
			t.Errorf("driver %s and CUDA %d: %t", c.driver, c.cuda, got)
		}
	}
}

func TestSliceOfANamedCard(t *testing.T) {
	if len(smallBoards()) == 0 {
		t.Fatal("the table of smaller boards can't be read")
	}
	for _, c := range []struct {
		name  string
		total float64
		want  bool
	}{
		{"NVIDIA GeForce RTX 4090", 24564, false},
		{"NVIDIA GeForce RTX 4090", 23028, false}, // with ECC
		{"NVIDIA GeForce RTX 4090", 12282, true},
		{"NVIDIA GeForce RTX 4060 Ti", 8188, false},
		{"NVIDIA GeForce RTX 4060 Ti", 4094, true},
		{"NVIDIA H100 80GB HBM3", 81559, false},
		{"NVIDIA H100 80GB HBM3", 40448, true}, // the catalogue's slice is no excuse
		{"Tesla V100-PCIE-16GB", 3000, true},
		{"Tesla V100-SXM2-32GB", 32510, false},
		{"Tesla P100-PCIE-12GB", 12198, false},
		{"Tesla V100-SXM2...", 16160, false},
		{"Tesla V100-SXM2...", 8000, true},
		{"NVIDIA GeForce ...", 4000, false}, // may be any card
		{"GeForce RTX 2080 Ti", 11019, false},
		{"GeForce RTX 2080 Ti", 5500, true},
		{"NVIDIA GH200 480GB", 97871, false},
		{"NVIDIA A40-8Q", 8192, true},
		{"NVIDIA A40-48Q", 46068, false},
		{"NVIDIA vGPU-48GB", 49140, false},
		{"NVIDIA vGPU-48GB", 24000, true},
		{"A card nobody knows", 1000, false},
	} {
		if _, got := capped(c.name, c.total); got != c.want {
			t.Errorf("%s with %.0f MiB: a slice is %t", c.name, c.total, got)
		}
	}
	for name, want := range map[string]bool{
		"NVIDIA vGPU-48GB": true, "GRID T4-16Q": true, "NVIDIA A100-1-10C": true, "NVIDIA H100L-2-24C": true, "NVIDIA RTX6000-Ada-48Q": true, "NVIDIA RTX PRO 6000 Blackwell DC-4-96Q": true,
		"NVIDIA A40": false, "NVIDIA A100-SXM4-80GB": false, "Tesla V100-SXM2...": false, "NVIDIA H100 80GB HBM3": false, "NVIDIA GeForce RTX 4090 D": false,
	} {
		if got := isLabel(name); got != want {
			t.Errorf("%s is a label: %t", name, got)
		}
	}
}

func TestCodeRunsOnACard(t *testing.T) {
	for _, c := range []struct {
		archs      []string
		capability string
		ok, known  bool
	}{
		{[]string{"sm_80", "sm_86"}, "8.9", true, true},
		{[]string{"sm_86"}, "8.0", false, true},
		{[]string{"sm_90"}, "12.0", false, true},
		{[]string{"sm_90", "compute_90"}, "12.0", true, true},
		{[]string{"sm_90a"}, "9.0", true, true},
		{[]string{"sm_100f"}, "10.3", true, true},
		{[]string{"sm_120"}, "12.1", true, true},
		{nil, "8.9", false, false},
		{[]string{"sm_86"}, "", false, false},
	} {
		if ok, known := runsOn(c.archs, c.capability); ok != c.ok || known != c.known {
			t.Errorf("%v on %s: %t, known %t", c.archs, c.capability, ok, known)
		}
	}
}
