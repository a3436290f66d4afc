package advice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

const tries = 600

// each calls f with random plans of a fixed seed.
func each(t *testing.T, f func(t *testing.T, rnd *rand.Rand, in Input)) {
	t.Helper()
	for i := range tries {
		rnd := rand.New(rand.NewPCG(uint64(i), 7))
		f(t, rnd, anyInput(rnd))
		if t.Failed() {
			t.Fatalf("plan %d", i)
		}
	}
}

// written is everything an advice says, as Markdown in both languages.
func written(a Advice) string {
	s := fmt.Sprint(a.Choice, a.Basis, a.Offer, a.Second, a.Open)
	for _, l := range texts.Langs() {
		s += Markdown(texts.For(l), a)
	}
	return s
}

func TestRandomPlansReachEveryChoice(t *testing.T) {
	seen := map[Choice]int{}
	each(t, func(t *testing.T, _ *rand.Rand, in Input) {
		a := Give(in)
		seen[a.Choice]++
		checkTexts(t, a)
	})
	for _, c := range []Choice{Shared, Dedicated, Validate, GuaranteedShare, Tie, Nothing} {
		if seen[c] < 5 {
			t.Errorf("%s came up %d times of %d: the properties test little", c, seen[c], tries)
		}
	}
}

func TestSameInputSameAnswer(t *testing.T) {
	each(t, func(t *testing.T, _ *rand.Rand, in Input) {
		if a, b := written(Give(in)), written(Give(in)); a != b {
			t.Errorf("%s\n---\n%s", a, b)
		}
	})
}

func TestOrderOfOffersDoesNotMatter(t *testing.T) {
	each(t, func(t *testing.T, rnd *rand.Rand, in Input) {
		want := written(Give(in))
		bills := slices.Clone(in.Sheet.Bills)
		rnd.Shuffle(len(bills), func(i, j int) { bills[i], bills[j] = bills[j], bills[i] })
		in.Sheet = sheetOf(bills...)
		if got := written(Give(in)); got != want {
			t.Errorf("%s\n---\n%s", want, got)
		}
	})
}

func TestOrderOfDrawsDoesNotMatter(t *testing.T) {
	each(t, func(t *testing.T, rnd *rand.Rand, in Input) {
		n := len(in.Sheet.Bills)
		if n == 0 {
			return
		}
		shares := make([]float64, n)
		for range 100 {
			shares[rnd.IntN(n)] += 0.01
		}
		in.Chance = &sheet.Chance{Draws: 100, Cheapest: shares}
		want := written(Give(in))
		bills, draws := make([]sheet.Bill, n), make([]float64, n)
		for to, from := range rnd.Perm(n) {
			bills[to], draws[to] = in.Sheet.Bills[from], shares[from]
		}
		in.Sheet, in.Chance = sheetOf(bills...), &sheet.Chance{Draws: 100, Cheapest: draws}
		if got := written(Give(in)); got != want {
			t.Errorf("%s\n---\n%s", want, got)
		}
	})
}

// TestRuledOutIsNeverRecommended asks again, by the plain rules.
func TestRuledOutIsNeverRecommended(t *testing.T) {
	each(t, func(t *testing.T, _ *rand.Rand, in Input) {
		a := Give(in)
		for _, name := range []string{a.Offer, a.Second} {
			i := slices.IndexFunc(in.Sheet.Bills, func(b sheet.Bill) bool { return b.Name == name })
			if name == "" || i < 0 {
				continue
			}
			b := in.Sheet.Bills[i]
			trial := a.Choice == Validate && name == a.Offer // a few hours end where the whole job doesn't
			vs := slices.DeleteFunc(a.RuledOut(b), func(v Veto) bool { return trial && v.Item == "finish" })
			if len(vs) > 0 {
				t.Errorf("%s is recommended and ruled out by %s", name, vs[0].Item)
			}
			q, o := in.Questions, b.Offer
			container := o.Machine != "vm" && o.Machine != "bare-metal"
			switch {
			case o.Hidden:
				t.Errorf("%s is hidden", name)
			case q.Sensitivity == ByContract && (container || o.Card.Part != "whole"):
				t.Errorf("%s lies beside other tenants", name)
			case (q.Root || q.Kernel || q.Driver) && container:
				t.Errorf("%s is a container and rights are needed", name)
			case q.MultiCard > 1 && (o.Cards < 2 || o.Card.Part != "whole"):
				t.Errorf("%s has too few cards", name)
			case b.Status == sheet.CardTooSmall || b.Status == sheet.CannotFinish && !trial:
				t.Errorf("%s is %s", name, b.Status)
			}
		}
		for _, b := range in.Sheet.Bills {
			left := a.Choice != Nothing || b.Mixed || b.Offer.Hidden
			if !left && len(a.RuledOut(b)) == 0 {
				t.Errorf("nothing is left, but %s isn't ruled out", b.Name)
			}
		}
	})
}

// cost is what the recommended way costs. Trying before a package costs the
// package at most.
func cost(in Input, a Advice) (float64, bool) {
	if a.Total == nil || a.Basis != ByBills {
		return 0, false
	}
	c := a.Total.Point.Float64()
	if a.Choice == Validate {
		for _, b := range in.Sheet.Bills {
			if b.Name == a.Second && b.Status == sheet.OK {
				c = min(c, b.Total.Point.Float64())
			}
		}
	}
	return c, true
}

// steadyNow reports whether an offer of the answer's pool promises the steady speed that
// was asked for.
func steadyNow(in Input) bool {
	return len(look(in).free(func(s *side) bool { return s.priced() && stable(s.bill.Offer) })) > 0
}

// TestMoreOffersNeverCostMore: the one exception is an offer that first brings
// the steady speed that was asked for.
func TestMoreOffersNeverCostMore(t *testing.T) {
	compared := 0
	each(t, func(t *testing.T, rnd *rand.Rand, in Input) {
		before, ok := cost(in, Give(in))
		had := steadyNow(in)
		b := anyBill(rnd, 20)
		at := rnd.IntN(len(in.Sheet.Bills) + 1)
		in.Sheet = sheetOf(slices.Insert(slices.Clone(in.Sheet.Bills), at, b)...)
		after, still := cost(in, Give(in))
		if !ok || in.Questions.Steady && !had && steadyNow(in) {
			return
		}
		compared++
		if !still || after > before {
			t.Errorf("%v before, %v with %s at %v", before, after, b.Name, b.Total.Point)
		}
	})
	if compared < tries/4 {
		t.Errorf("only %d plans compared", compared)
	}
}

func TestMoreSensitiveNeverTurnsToShared(t *testing.T) {
	each(t, func(t *testing.T, _ *rand.Rand, in Input) {
		prev := Choice("")
		for _, s := range Sensitivities() {
			in.Questions.Sensitivity = s
			c := Give(in).Choice
			if prev == Dedicated && c != Dedicated {
				t.Errorf("%s: from %s to %s", s, prev, c)
			}
			if s == ByContract && (c == Shared || c == GuaranteedShare || c == Validate || c == Tie) {
				t.Errorf("%s under contract", c)
			}
			prev = c
		}
	})
}

// TestChangesHold gives the changed answer and looks whether it does what was
// said.
func TestChangesHold(t *testing.T) {
	n := 0
	each(t, func(t *testing.T, _ *rand.Rand, in Input) {
		for _, ch := range Give(in).WouldChange {
			for _, tr := range trials(in.Questions) {
				if tr.input != ch.Input || tr.to != ch.To {
					continue
				}
				n++
				again := in
				again.Questions = tr.with
				if c := Give(again).Choice; c != ch.Then {
					t.Errorf("%s to %s gives %s, said was %s", ch.Input, ch.To, c, ch.Then)
				}
			}
		}
	})
	if n < 80 {
		t.Errorf("only %d changes tried", n)
	}
}

// TestTotalChangeHolds lowers the rival's total as told and looks whether the
// answer turns, and only there.
func TestTotalChangeHolds(t *testing.T) {
	n := 0
	each(t, func(t *testing.T, _ *rand.Rand, in Input) {
		a := Give(in)
		v := decide(in)
		i := slices.IndexFunc(a.WouldChange, func(c Change) bool { return c.Input == "total" })
		if i < 0 {
			return
		}
		n++
		ch := a.WouldChange[i]
		to := money.MustParse(ch.To)
		at := func(point money.Rat) Choice {
			again := in
			again.Sheet.Bills = slices.Clone(in.Sheet.Bills)
			b := &again.Sheet.Bills[v.rival.index]
			b.Total = b.Total.Times(point.Quo(b.Total.Point))
			return Give(again).Choice
		}
		if got := at(to.Sub(r(0.1))); got != ch.Then {
			t.Errorf("at %s: %s, said was %s", ch.To, got, ch.Then)
		}
		if got := at(to.Add(r(0.1))); got != a.Choice {
			t.Errorf("just above %s: %s, still %s was said", ch.To, got, a.Choice)
		}
	})
	if n < 80 {
		t.Errorf("only %d changes tried", n)
	}
}

func TestTotalChangeInNumbers(t *testing.T) {
	a := Give(Input{Questions: Questions{Proven: true}, Sheet: sheetOf(pod("Pod", 100), rig("Rig", 140))})
	i := slices.IndexFunc(a.WouldChange, func(c Change) bool { return c.Input == "total" })
	if i < 0 || a.WouldChange[i].From != "140.00" || a.WouldChange[i].To[:4] != "99.9" && a.WouldChange[i].To != "100.00" || a.WouldChange[i].Then != Dedicated {
		t.Fatalf("%+v", a.WouldChange)
	}
}

// TestTotalChangeLeavesOldDraws: the draws know nothing of a lowered total, so
// that the first turn is to a tie, by the bands.
func TestTotalChangeLeavesOldDraws(t *testing.T) {
	in := Input{Questions: Questions{Proven: true}, Sheet: sheetOf(pod("Pod", 100, doubt(70, 130)), rig("Rig", 180, doubt(150, 210)))}
	in.Chance = &sheet.Chance{Draws: 100, Cheapest: []float64{1, 0}}
	a := Give(in)
	i := slices.IndexFunc(a.WouldChange, func(c Change) bool { return c.Input == "total" })
	if i < 0 || a.WouldChange[i].Then != Tie {
		t.Errorf("%s %+v", a.Choice, a.WouldChange)
	}
}

// TestJobTooLargeSaysHowMuch asks for what a job may need.
func TestJobTooLargeSaysHowMuch(t *testing.T) {
	f := fit("RTX 4060", "no", "H100", "fits")
	f.Cards[0].UsableMiB = 7.5 * 1024
	a := Give(Input{Questions: Questions{Duration: Short}, Fit: f, Sheet: sheetOf(pod("4060", 0, status(sheet.CardTooSmall), card("RTX 4060")))})
	if a.Choice != Nothing || len(a.WouldChange) == 0 || a.WouldChange[0].Input != "vram" || a.WouldChange[0].To != "7.5" || a.WouldChange[0].Then != Shared {
		t.Errorf("%s %+v", a.Choice, a.WouldChange)
	}
}

func TestChanceIsAShare(t *testing.T) {
	each(t, func(t *testing.T, _ *rand.Rand, in Input) {
		if c := Give(in).Chance; c != nil && !(*c >= 0 && *c <= 1) {
			t.Error(*c)
		}
	})
}

func TestMovesAreTold(t *testing.T) {
	in := Input{Questions: Questions{Proven: true}, Sheet: sheetOf(pod("Pod", 100), rig("Rig", 1180))}
	in.Sheet.Moves = []sheet.Move{
		{Input: "hours", Offer: "Pod", From: r(22), To: r(212), Unit: "h", Share: r(8.6), Then: "Rig"},
		{Input: "price", Offer: "Pod", From: r(1), To: r(1.1), Unit: "CNY/h", Share: r(0.1), Then: "Other pod"},
	}
	a := Give(in)
	if len(a.WouldChange) == 0 || a.WouldChange[0].Input != "hours" || a.WouldChange[0].To != "212" || a.WouldChange[0].Then != Dedicated {
		t.Fatalf("%+v", a.WouldChange)
	}
	for _, ch := range a.WouldChange {
		if ch.Input == "price" {
			t.Error("a move to an offer that isn't there was told")
		}
	}
	for _, l := range texts.Langs() {
		if s := texts.For(l).Say(a.WouldChange[0].Text); !strings.Contains(s, "212") || !strings.Contains(s, "22") {
			t.Errorf("%s: %q", l, s)
		}
	}
	// The cheapest of the sheet is ruled out: its moves say nothing.
	in.Questions.Docker = true
	in.Sheet = sheetOf(append(in.Sheet.Bills, pod("With Docker", 300, term(offer.Docker, "true")))...)
	in.Sheet.Moves = []sheet.Move{{Input: "hours", Offer: "Pod", From: r(22), To: r(212), Unit: "h", Share: r(8.6), Then: "Rig"}}
	for _, ch := range Give(in).WouldChange {
		if ch.Input == "hours" {
			t.Error("a move from an offer that is ruled out was told")
		}
	}
}

func BenchmarkGive(b *testing.B) {
	var bills []sheet.Bill
	for i := range 12 {
		rnd := rand.New(rand.NewPCG(uint64(i), 3))
		bills = append(bills, anyBill(rnd, i))
	}
	in := Input{Questions: Questions{Duration: Short}, Sheet: sheetOf(bills...), Fit: fit("RTX 4090", "fits")}
	for b.Loop() {
		Give(in)
	}
}
