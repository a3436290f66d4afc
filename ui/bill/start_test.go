package bill

import (
	"testing"

	"rentgen/assets/texts"
	"rentgen/ui/uitest"
)

func TestFirstDayIsTyped(t *testing.T) {
	f := newFixture(t, texts.English, painting(three()...))
	f.settings()
	f.settle()
	day := uitest.Field(t, f.win.Canvas(), "2026-12-01")
	day.SetText("2027-02-01")
	if got := f.d.Plan().Start; got != "2027-02-01" || f.good.Sheet.Start.Format("2006-01-02") != got {
		t.Errorf("the first day is %q, of the bill %s", got, f.good.Sheet.Start)
	}
	day.SetText("2027-02-30")
	f.settle()
	f.sees("2026-11-30")
	if got := f.d.Plan().Start; got != "2027-02-01" {
		t.Errorf("a day that isn't one is taken: %q", got)
	}
	day.SetText("")
	if got := f.d.Plan().Start; got != "" {
		t.Errorf("emptied, it is %q", got)
	}
	f.sound()
}
