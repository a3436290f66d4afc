package meter

import (
	"testing"
	"time"

	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/tariff"
)

func TestBudgetIsKeptAndTakenAway(t *testing.T) {
	r := newRig(t, time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC))
	r.price(tariff.Typed{PerHour: "2", Currency: "CNY"})
	all, own := money.Int(900), money.Int(300)
	says := func(step string, want *money.Rat, ofAll bool) {
		t.Helper()
		for range 2 { // the second time as it was kept
			g, _ := r.book.Glance(host)
			if g.BudgetOfAll != ofAll || (g.Budget == nil) != (want == nil) || want != nil && g.Budget.Cmp(*want) != 0 {
				t.Errorf("%s: the budget is %v, of all %v", step, g.Budget, g.BudgetOfAll)
			}
			if v, ok := r.book.Budget(host, "CNY"); ok != (want != nil && !ofAll) || ok && v.Cmp(*want) != 0 {
				t.Errorf("%s: the host's own is %v, %v", step, v, ok)
			}
			r.open()
		}
	}
	set := func(host string, c money.Currency, v *money.Rat) {
		t.Helper()
		if err := r.book.SetBudget(t.Context(), host, c, v); err != nil {
			t.Fatal(err)
		}
	}
	says("at first", nil, false)
	set("", "CNY", &all)
	says("of all", &all, true)
	set(host, "CNY", &own)
	says("its own", &own, false)
	set(host, "USD", &all)
	says("of another currency", &own, false)
	set(host, "CNY", nil)
	says("taken away", &all, true)

	none := money.Int(0)
	if r.book.SetBudget(t.Context(), host, "CNY", &none) == nil || r.book.SetBudget(t.Context(), host, "", &own) == nil {
		t.Error("a limit of nothing, or of no currency, is taken")
	}
	got, err := r.store.PurseEntries(t.Context(), purse.Filter{AnyHost: true, Kind: purse.KindBudget})
	if err != nil || len(got) != 2 {
		t.Errorf("kept is %v, %v", got, err)
	}
}
