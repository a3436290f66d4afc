package home

import (
	"errors"
	"testing"
	"time"

	"rentgen/assets/texts"
	"rentgen/ui/uitest"
)

// fill writes into a field that is found by its hint.
func (r *rig) fill(hint, text string) {
	r.t.Helper()
	uitest.Field(r.t, r.win.Canvas(), hint).SetText(text)
}

func (r *rig) form() *priceForm { return r.w.form }

func TestPriceIsTyped(t *testing.T) {
	m := full()
	m.tariffs = nil
	r := start(t, m, texts.English, narrow, nil, "a")
	r.press("Say what it costs")
	r.sees("What does AutoDL 4090 cost?")
	if got := r.form().currency.Selected; got != "USD US$" {
		t.Errorf("the currency is %q at first", got)
	}
	r.form().provider.SetSelected("AutoDL")
	if got := r.form().currency.Selected; got != "CNY ¥" {
		t.Errorf("the currency of the provider is %q", got)
	}
	r.fill("1.88", "１．９８")
	r.fill("0.10", "0.1")
	r.fill("1180", "1,180")
	r.fill("2026-12-31", "2026-12-31")
	r.press("Keep the price")
	r.sees("Keeping it")
	r.work()
	if len(m.saved) != 1 {
		t.Fatalf("kept %d times", len(m.saved))
	}
	got := m.saved[0]
	if got.Provider != "autodl" || got.Currency != "CNY" || got.PerHour.String() != "1.98" || got.NoGPU.String() != "0.1" ||
		got.Package.Price.String() != "1180" || !got.Package.Until.Equal(time.Date(2027, 1, 1, 0, 0, 0, 0, time.Local)) || got.Offer != "" {
		t.Errorf("kept is %+v", got)
	}
	r.misses("What does AutoDL 4090 cost?", "Nobody has said")
	r.sees("Change the price")
	m.glances = nil // nothing was ever read of it
	r.tick(time.Second)
	r.sees("¥1.98/h")
	r.misses("Price now")
}

func TestPriceComesFromAnOffer(t *testing.T) {
	m := full()
	r := start(t, m, texts.English, narrow, nil, "a")
	r.press("Change the price")
	r.form().from.SetSelectedIndex(1)
	if got := r.form().fields["per_hour"].entry.Text; got != "1.98" {
		t.Errorf("the offer's price stands as %q", got)
	}
	r.press("Keep the price")
	r.work()
	if len(m.saved) != 1 || m.saved[0].Offer != "AutoDL 4090" || m.saved[0].Plan != "SDXL" {
		t.Fatalf("kept is %+v", m.saved)
	}

	// What is changed by hand is the person's own.
	r.press("Change the price")
	r.form().from.SetSelectedIndex(2)
	if got := r.form().fields["package_price"].entry.Text; got != "1180" {
		t.Errorf("the package's price stands as %q", got)
	}
	r.fill("1180", "999")
	if r.form().from.SelectedIndex() != 0 {
		t.Error("the changed price still says it is the offer's")
	}
	r.press("Keep the price")
	r.work()
	if last := m.saved[len(m.saved)-1]; last.Offer != "" || last.Package.Price.String() != "999" {
		t.Errorf("kept is %+v", last)
	}
}

func TestPriceSaysWhatIsWrong(t *testing.T) {
	for name, k := range map[string]struct {
		hour, noGPU, price, until string
		want                      []string
	}{
		"nothing":         {"", "", "", "", []string{"Nothing is filled in. Allowed: a number above 0."}},
		"words":           {"a lot", "", "", "", []string{"Not usable. Allowed: a number above 0."}},
		"nothing an hour": {"0", "", "", "", []string{"Not usable. Allowed: a number above 0."}},
		"less":            {"1", "-1", "", "", []string{"Not usable. Allowed: a number above 0."}},
		"no end":          {"", "", "900", "", []string{"Nothing is filled in. Allowed: a day such as 2026-12-31"}},
		"no price":        {"1", "", "", "2026-12-31", []string{"Nothing is filled in. Allowed: a number above 0."}},
		"bad end":         {"1", "", "900", "soon", []string{"Not usable. Allowed: a day such as 2026-12-31"}},
		"far end":         {"1", "", "900", "2066-12-31", []string{"within ten years"}},
		"two at a time":   {"a lot", "", "900", "31.12.", []string{"Not usable. Allowed: a number above 0.", "Not usable. Allowed: a day such as 2026-12-31"}},
	} {
		m := full()
		m.tariffs = nil
		r := start(t, m, texts.English, narrow, nil, "a")
		r.press("Say what it costs")
		r.fill("1.88", k.hour)
		r.fill("0.10", k.noGPU)
		r.fill("1180", k.price)
		r.fill("2026-12-31", k.until)
		r.press("Keep the price")
		r.work()
		for _, w := range k.want {
			if !uitest.Sees(r.win.Canvas(), w) {
				t.Errorf("%s: %q is not seen; there is %q", name, w, uitest.Texts(r.win.Canvas()))
			}
		}
		if len(m.saved) > 0 {
			t.Errorf("%s: kept is %+v", name, m.saved)
		}
	}
}

func TestErrorsGoWithTheirCause(t *testing.T) {
	m := full()
	r := start(t, m, texts.English, narrow, nil, "a")
	r.press("Change the price")
	r.fill("1.88", "x")
	r.press("Keep the price")
	r.sees("Not usable.")
	r.fill("1.88", "2")
	r.misses("Not usable.")
	m.saveErr = errors.New("disk I/O error")
	r.press("Keep the price")
	r.work()
	r.sees("The price was not kept: disk I/O error", "What does AutoDL 4090 cost?")
	m.saveErr = nil
	r.press("Keep the price")
	r.work()
	r.misses("What does AutoDL 4090 cost?")
}

func TestEndOfAPackage(t *testing.T) {
	day := func(d, h, m int) time.Time { return time.Date(2026, 12, d, h, m, 0, 0, time.Local) }
	for text, want := range map[string]time.Time{
		"2026-12-31": day(32, 0, 0), "2026/12/5": day(6, 0, 0), "2026年12月5日": day(6, 0, 0), "2026.12.05": day(6, 0, 0),
		"2026-12-31 18:00": day(31, 18, 0), " 2026年12月31日 18：30 ": day(31, 18, 30), "2026年12月31日18:30": day(31, 18, 30),
		"soon": {}, "2026-13-01": {}, "2026-02-30": {}, "": {}, "31.12.2026": {},
	} {
		got, ok := untilOf(text)
		if ok == want.IsZero() || !got.Equal(want) {
			t.Errorf("%q reads as %v, %v", text, got, ok)
		}
	}
}

// TestBudgetOfAMonth keeps, changes and takes away the limit, and leaves the
// price as it was said.
func TestBudgetOfAMonth(t *testing.T) {
	m := full()
	r := start(t, m, texts.English, narrow, nil, "a")
	for _, k := range []struct{ text, want, says string }{
		{"a lot", "", "Not usable. Allowed: a number above 0."},
		{"0", "", "Not usable. Allowed: a number above 0."},
		{"-3", "", "Not usable. Allowed: a number above 0."},
		{"１，２００.50", "1200.5", ""},
		{"300", "300", ""},
		{"", "", ""},
	} {
		r.press("Change the price")
		r.fill("300", k.text)
		r.press("Keep the price")
		if k.says != "" {
			r.sees(k.says)
			r.press("Cancel")
			continue
		}
		r.work()
		r.misses("What does AutoDL 4090 cost?")
		if got := ratText(m.budgets["CNY"]); got != k.want {
			t.Errorf("%q is kept as %q", k.text, got)
		}
		if last := m.saved[len(m.saved)-1]; last.Offer != "AutoDL 4090" || !last.Since.Equal(m.tariffs["a"].Since) {
			t.Errorf("with the budget the price became %+v", last)
		}
		r.press("Change the price")
		if got := r.form().fields[budget].entry.Text; got != k.want {
			t.Errorf("%q stands as %q", k.text, got)
		}
		r.press("Cancel")
	}
}
