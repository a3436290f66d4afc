package money

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestExactKeepsAll(t *testing.T) {
	for _, v := range []Rat{{}, Int(-3), Frac(134, 15), Frac(-1, 7), MustParse("0.10")} {
		b, err := json.Marshal(Exact{v})
		var back Exact
		if err != nil || json.Unmarshal(b, &back) != nil || back.Cmp(v) != 0 {
			t.Errorf("%s -> %s -> %s, %v", v.Fraction(), b, back.Fraction(), err)
		}
	}
	for _, bad := range []string{"", "1/0", "1.5", "1e9", "x", "--1", "1/-2", strings.Repeat("9", 201)} {
		if err := new(Exact).UnmarshalText([]byte(bad)); !errors.Is(err, BadNumber) {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
}
