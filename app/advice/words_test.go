package advice

import (
	"slices"
	"strings"
	"testing"

	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

// TestNoIdleHasItsOwnWords: 0 % is no share to tell.
func TestNoIdleHasItsOwnWords(t *testing.T) {
	a := Give(Input{Questions: Questions{Proven: true}, Sheet: sheetOf(pod("Pod", 100, used(20, 20)), rig("Rig", 300, used(20, 20)))})
	for _, l := range texts.Langs() {
		if s := Markdown(texts.For(l), a); strings.Contains(s, "0\u2009%") && !strings.Contains(s, "> 99") || !strings.Contains(s, texts.For(l).T("advice.say.idle.none")) {
			t.Errorf("%s: %s", l, s)
		}
	}
}

// TestNothingIsTriedOutWithoutABill: neither another answer nor another total
// leads to a way that no bill is of.
func TestNothingIsTriedOutWithoutABill(t *testing.T) {
	for _, in := range []Input{
		{Questions: Questions{Sensitivity: ByContract}, Sheet: sheetOf(pod("Pod", 300), rig("Rig", 100))},
		{Sheet: sheetOf(pod("Pod", 100), rig("Rig", 300))},
		{NoTrial: true, Questions: Questions{Sensitivity: ByContract}, Sheet: sheetOf(pod("Pod", 300), rig("Rig", 100))},
	} {
		for _, ch := range Give(in).WouldChange {
			if ch.Then == Validate {
				t.Errorf("%+v", ch)
			}
		}
	}
	a := Give(Input{NoTrial: true, Sheet: sheetOf(pod("Pod", 100), rig("Rig", 300))})
	if i := slices.IndexFunc(a.WouldChange, func(c Change) bool { return c.Input == "total" }); i < 0 || a.WouldChange[i].Then != Dedicated {
		t.Errorf("a class: %+v", a.WouldChange)
	}
	if a := Give(Input{NoTrial: true, Sheet: sheetOf(pod("Pod", 300), rig("Rig", 100))}); a.Choice != Dedicated {
		t.Errorf("a class: %s", a.Choice)
	}
}

// TestRuledOutIsSaidOnce: what stands under ruled out doesn't stand under the
// reasons too.
func TestRuledOutIsSaidOnce(t *testing.T) {
	a := Give(Input{Questions: Questions{Root: true}, Sheet: sheetOf(pod("Pod", 100), rig("Rig", 300))})
	c := texts.For(texts.English)
	if s := c.T("advice.out.root"); strings.Count(Markdown(c, a), s) != 1 {
		t.Errorf("%q: %s", s, Markdown(c, a))
	}
	if a.Reasons[0].Item != "rights" {
		t.Errorf("the reasons themselves lack it: %+v", a.Reasons)
	}
}

// TestOneDay: the span of a day is one day.
func TestOneDay(t *testing.T) {
	s := sheetOf(pod("Pod", 100), rig("Rig", 300))
	s.Days = 1
	if got := texts.For(texts.English).Say(Give(Input{Questions: Questions{Proven: true}, Sheet: s}).Sentence); !strings.Contains(got, "over 1 day,") {
		t.Error(got)
	}
}

// TestTimeInChinese: sentences say hours and minutes in their language.
func TestTimeInChinese(t *testing.T) {
	c := texts.For(texts.Chinese)
	h := money.Sure(r(6.14))
	if got := hoursOf(h)(c); got != "6.14\u2009小时" {
		t.Errorf("%q", got)
	}
	if got := minutes(money.Sure(r(0.25)))(c); got != "15\u2009分钟" {
		t.Errorf("%q", got)
	}
}

// TestCertainIsNotSaid: with and without draws a chance is said in one way.
func TestCertainIsNotSaid(t *testing.T) {
	in := Input{Questions: Questions{Proven: true}, Sheet: sheetOf(pod("Pod", 100), rig("Rig", 300))}
	for _, ch := range []*sheet.Chance{nil, {Draws: 100, Cheapest: []float64{1, 0}}} {
		in.Chance = ch
		if s := Markdown(texts.For(texts.English), Give(in)); !strings.Contains(s, "> 99\u2009%") || strings.Contains(s, "100\u2009%") {
			t.Error(s)
		}
	}
}

// TestTriedOutWhereTheWholeJobDoesNotEnd: the offer is ruled out for the whole
// job, and a few hours on it come first all the same.
func TestTriedOutWhereTheWholeJobDoesNotEnd(t *testing.T) {
	in := Input{Sheet: sheetOf(pod("Pod", 0, status(sheet.CannotFinish)), rig("Rig", 300), mix("Pod → Rig", "Pod", "Rig", 250))}
	a := Give(in)
	if a.Choice != Validate || a.Offer != "Pod" || a.Second != "Rig" || len(a.Vetoes) != 1 || a.Vetoes[0].Item != "finish" {
		t.Errorf("%s on %q, then %q: %+v", a.Choice, a.Offer, a.Second, a.Vetoes)
	}
	in.Sheet.Bills[0].Offer.Payment.Unit = "month"
	if a := Give(in); a.Choice == Validate {
		t.Errorf("a month to try on: %+v", a)
	}
}
