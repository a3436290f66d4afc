package advice

import (
	"testing"

	"rentgen/app/bill/sheet"
)

// TestTieOfTheUnknown: two ways that tie only because their terms are unknown
// are not said to cost the same.
func TestTieOfTheUnknown(t *testing.T) {
	for _, c := range []struct {
		name string
		rig  sheet.Bill
		want string
	}{
		{"near", rig("Rig", 110, doubt(80, 160)), "advice.sentence.tie"},
		{"far apart", rig("Rig", 400, doubt(80, 800)), "advice.sentence.tie.open"},
	} {
		in := Input{Sheet: sheetOf(pod("Pod", 100, doubt(80, 900)), c.rig), Chance: &sheet.Chance{Draws: 100, Cheapest: []float64{0.5, 0.5}}}
		if a := Give(in); a.Choice != Tie || a.Sentence.Key != c.want {
			t.Errorf("%s: %s, %s", c.name, a.Choice, a.Sentence.Key)
		}
	}
}
