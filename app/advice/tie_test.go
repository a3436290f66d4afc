package advice

import (
	"strings"
	"testing"

	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/assets/texts"
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

// TestLineOnOneSide: a line that only one way has is said so, not with a dash.
func TestLineOnOneSide(t *testing.T) {
	r := rig("Rig", 500)
	r.Lines = append(r.Lines, sheet.Line{ID: sheet.LineOps, Amount: money.Sure(money.Int(200))})
	a := Give(Input{Sheet: sheetOf(pod("Pod", 100), r)})
	found := false
	for _, re := range a.Reasons {
		if re.Line != sheet.LineOps || re.Item != "ops" {
			continue
		}
		found = true
		for _, lang := range []texts.Lang{texts.English, texts.Chinese} {
			if s := texts.For(lang).Say(re.Text); re.Text.Key != "advice.reason.line.only" || strings.Contains(s, "–") {
				t.Errorf("%q", s)
			}
		}
	}
	if !found {
		t.Errorf("own hours aren't told: %+v", a.Reasons)
	}
}
