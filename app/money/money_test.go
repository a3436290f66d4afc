package money

import (
	"errors"
	"testing"
	"testing/quick"
)

func TestRound(t *testing.T) {
	for _, c := range []struct {
		in    string
		scale int
		mode  Mode
		want  string
	}{
		{"0.125", 2, HalfUp, "0.13"},
		{"-0.125", 2, HalfUp, "-0.13"},
		{"0.125", 2, HalfEven, "0.12"},
		{"0.135", 2, HalfEven, "0.14"},
		{"-0.125", 2, HalfEven, "-0.12"},
		{"-0.126", 2, HalfUp, "-0.13"},
		{"-0.124", 2, HalfUp, "-0.12"},
		{"2.5", 0, HalfUp, "3"},
		{"2.5", 0, HalfEven, "2"},
		{"3.5", 0, HalfEven, "4"},
		{"1.0005", 3, HalfUp, "1.001"},
	} {
		if got := MustParse(c.in).Round(c.scale, c.mode).String(); got != c.want {
			t.Errorf("%s to %d %s: %s, want %s", c.in, c.scale, c.mode, got, c.want)
		}
	}
	if got := Int(9).Fixed(2); got != "9.00" {
		t.Errorf("fixed %s", got)
	}
}

func TestCeilIsExact(t *testing.T) {
	minutes := MustParse("0.1").Add(MustParse("0.2")).Mul(Int(60)).Ceil()
	if minutes.String() != "18" {
		t.Errorf("%s minutes", minutes)
	}
	for _, c := range [][3]string{{"1.5", "1", "2"}, {"-1.5", "-2", "-1"}, {"3", "3", "3"}, {"0", "0", "0"}} {
		if v := MustParse(c[0]); v.Floor().String() != c[1] || v.Ceil().String() != c[2] {
			t.Errorf("%s: floor %s, ceil %s", v, v.Floor(), v.Ceil())
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]error{
		"": Missing, "  ": Missing, "nan": NotANumber, "-NaN": NotANumber, "Inf": NotFinite, "-infinity": NotFinite,
		"1,5": BadNumber, "1.2.3": BadNumber, "1 000": BadNumber, "0x10": BadNumber, "3h": BadNumber, "1/3": BadNumber, ".": BadNumber,
		"1e16": OutOfRange, "-1e16": OutOfRange, "1e999": OutOfRange, "1e9999": OutOfRange, "-1e99999999999": OutOfRange, "1e-99999999": OutOfRange, "0e99999": nil, "1e0003": nil, "1e": BadNumber, "e5": BadNumber, "1e3": nil, " 5 ": nil, "-0.5": nil, ".5": nil, "1e15": nil,
	} {
		if _, err := Parse(text); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

func TestString(t *testing.T) {
	for in, want := range map[Rat]string{Frac(1, 8): "0.125", Frac(20, 3): "6.66666666666667", Int(-3): "-3", {}: "0"} {
		if in.String() != want {
			t.Errorf("%s, want %s", in, want)
		}
	}
	if Frac(20, 3).Fraction() != "20/3" {
		t.Error(Frac(20, 3).Fraction())
	}
}

func TestConvert(t *testing.T) {
	rates := Rates{
		{"USD", "CNY", MustParse("7"), "2026-11-01"},
		{"USD", "CNY", MustParse("7.2"), "2026-11-30"},
	}
	a, date, err := rates.Convert(Amount{MustParse("36"), "CNY"}, "USD")
	if err != nil || a.Value.String() != "5" || date != "2026-11-30" {
		t.Errorf("%v %s %v", a, date, err)
	}
	if _, _, err := rates.Convert(a, "EUR"); !errors.Is(err, MissingRate) {
		t.Error(err)
	}
	if _, err := a.Add(Amount{Int(1), "CNY"}); !errors.Is(err, MissingRate) {
		t.Error(err)
	}
	if got := (Amount{MustParse("9.995"), "JPY"}).Rounded().String(); got != "10" {
		t.Error(got)
	}
}

// TestArithmeticLeavesItsInputs guards that numbers are never changed in place.
func TestArithmeticLeavesItsInputs(t *testing.T) {
	err := quick.Check(func(n, m int32) bool {
		a, b := Int(int64(n)), Int(int64(m))
		before := a.String()
		_ = a.Add(b)
		_ = a.Sub(b)
		_ = a.Mul(b)
		_ = a.Neg()
		_ = a.Round(1, HalfUp)
		return a.String() == before && a.Add(b).Sub(b).Cmp(a) == 0
	}, nil)
	if err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1.5", "", "nan", "-inf", "1e3", "1e-300", "0x1p4", "９"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := Parse(s)
		if err != nil {
			return
		}
		again, err := Parse(v.String())
		if err != nil && !v.IsZero() {
			t.Fatalf("%q reads back as %q: %v", s, v, err)
		}
		_ = again
	})
}
