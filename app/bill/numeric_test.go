package bill

import (
	"math"
	"testing"

	"rentgen/app/money"
)

// The references were worked out with 60 digits.

func TestWorkBetween(t *testing.T) {
	for _, c := range [][2]float64{
		{1e-30, 1.41421356237309438e-15},
		{1e-18, 1.41421356170642838e-9},
		{1e-12, 0.00000141421289570650695},
		{1e-9, 0.0000447206928858136621},
		{1e-6, 0.00141354697428866464},
		{0.0008, 0.0394684539493846140},
		{0.01, 0.134834751066834686},
		{0.0470, 0.276094709814981641},
		{0.05, 0.283810544830655805},
		{0.06, 0.307619232184681258},
		{0.1, 0.383183168208294835},
		{0.3, 0.588886886135423663},
		{0.9, 0.821137407479876776},
		{1, 0.841405660436960638},
		{1.0001, 0.841424507842792492},
		{2, 0.947530902542285128},
		{5, 0.997515080664850547},
		{10, 0.999983298020255957},
		{20, 0.999999999241743957},
		{36, 0.999999999999999915},
		{700, 1},
		{1e300, 1},
		{0, 0},
	} {
		if got := workBetween(c[0]); math.Abs(got-c[1]) > 1e-14*c[1] {
			t.Errorf("%g: %.18g, want %.18g", c[0], got, c[1])
		}
	}
}

func TestSolvePhi(t *testing.T) {
	for _, c := range [][2]float64{
		{1e-15, 1.99999999999999867e-15},
		{1e-12, 1.99999999999866667e-12},
		{1e-9, 1.99999999866666667e-9},
		{1e-6, 0.00000199999866666777778},
		{0.001, 0.00199866777677132253},
		{0.01, 0.0198677677980971939},
		{0.1, 0.187685726511820652},
		{0.5, 0.762688560850338982},
		{0.7, 0.981597125853520520},
		{0.718281828, 0.999999999540954765},
		{0.72, 1.00171711214765937},
		{1, 1.25643120862616968},
		{2, 1.90381369444038348},
		{9, 3.61495042708753063},
		{1000, 9.11925211800038265},
		{1e6, 16.6265100293595090},
		{1e15, 38.1811174815475819},
		{1e30, 73.3731103138229768},
	} {
		if got := solvePhi(c[0]); math.Abs(got-c[1]) > 1e-14*c[1] {
			t.Errorf("%g: %.18g, want %.18g", c[0], got, c[1])
		}
	}
}

func TestBestSegments(t *testing.T) {
	for _, c := range []struct {
		work, checkpoint string // at a rate of 1
		want             int64
	}{
		{"2.292513", "0.0202", 12},
		{"36.842998", "1.03", 44},
		{"15.110889", "0.691", 20},
		{"0.00016", "0.0000907", 1},
		{"401.325744", "0.00328", 5092},
		{"202.443316", "0.0000000917", 472787},
		{"0.192081", "0.00000125", 122},
		{"0.640215", "0.000756", 17},
		{"0.009044", "0.615", 1},
		{"22.9128", "0.000000227", 34013},
		{"38.021473", "0.000000151", 69200},
		{"2.09975", "0.000000119", 4305},
		{"0.002925", "0.000000679", 3},
		{"753.264953", "0.26", 1347},
		{"0.595065", "0.00578", 6},
		{"6.831146", "1.64", 7},
		{"180.381396", "0.00000347", 68532},
		{"0.033754", "0.000000257", 47},
		{"0.001047", "0.0000000358", 4},
		{"0.012868", "0.00134", 1},
	} {
		if got := bestSegments(money.MustParse(c.work), money.MustParse(c.checkpoint), money.Int(1)); got != c.want {
			t.Errorf("%s by %s: %d, want %d", c.work, c.checkpoint, got, c.want)
		}
	}
}

// TestSmallRatesTendToNone guards the limits: at the smallest rates the hours
// are those without interruption.
func TestSmallRatesTendToNone(t *testing.T) {
	for _, rate := range []string{"0", "1e-300", "1e-200", "1e-18"} {
		r := money.MustParse(rate)
		no, err := InterruptNoCheckpoint(InterruptNoCheckpointIn{WorkH: money.Int(7), StartupH: money.MustParse("0.5"), RatePerH: r, DowntimeH: money.Int(1)})
		if err != nil {
			t.Fatal(err)
		}
		with, err := InterruptCheckpoint(InterruptCheckpointIn{
			WorkH: money.Int(7), RatePerH: r, Segments: 7, CheckpointH: money.MustParse("0.1"), CheckpointAfterLast: true, RecoveryH: money.Int(1),
		})
		if err != nil {
			t.Fatal(err)
		}
		images, err := ImagesNaturalCheckpoint(ImagesNaturalCheckpointIn{Images: 3600, SPerImage: money.Int(7), RatePerH: r})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range [][2]float64{{*no.ExpectedWallH, 7.5}, {*with.ExpectedWallH, 7.7}, {*images.ExpectedWallH, 7}} {
			if math.Abs(c[0]-c[1]) > 1e-15*c[1] {
				t.Errorf("rate %s: %g h, want %g", rate, c[0], c[1])
			}
		}
	}
}
