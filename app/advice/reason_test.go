package advice

import (
	"slices"
	"strings"
	"testing"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/assets/texts"
)

// find returns the reason of an item, with its line where line isn't "".
func find(rs []Reason, item, line string) (Reason, bool) {
	i := slices.IndexFunc(rs, func(r Reason) bool { return r.Item == item && (line == "" || r.Line == line) })
	if i < 0 {
		return Reason{}, false
	}
	return rs[i], true
}

// TestReasonsAreLinked follows each reason to its row and its bill line.
func TestReasonsAreLinked(t *testing.T) {
	in := Input{
		Questions: Questions{Duration: Short, Load: SteadyLoad, Sensitivity: SomeData, Proven: true},
		Fit:       fit("RTX 4090", "offload"),
		Sheet: sheetOf(
			pod("Pod", 300, used(5, 20), waits(0.2), line(sheet.LineIdle, 40), line(sheet.LineRerun, 30), line(sheet.LineDataDisk, 10)),
			rig("Rig", 1180, own(8), waits(0.05), line(sheet.LineSnapshot, 60), line(sheet.LineDataDisk, 9)),
		),
	}
	a := Give(in)
	if a.Choice != Shared {
		t.Fatal(a.Choice)
	}
	for _, w := range []struct {
		item, row, offer, line string
		against                bool
	}{
		{"cost", "billing", "Rig", sheet.LinePackage, false},
		{"cost", "billing", "Rig", sheet.LineSnapshot, false},
		{"stability", "stability", "Pod", sheet.LineRerun, true},
		{"idle", "billing", "Pod", sheet.LineIdle, false},
		{"ops", "duty", "Rig", sheet.LineOps, false},
		{"duration", "tasks", "", "", false},
		{"load", "tasks", "", "", true},
		{"sensitivity", "isolation", "", "", true},
		{"waiting", "stability", "Pod", "", true},
		{"vram", "ownership", "Pod", "", true},
	} {
		r, ok := find(a.Reasons, w.item, w.line)
		if !ok || r.Row != w.row || r.Offer != w.offer || r.Line != w.line || r.Against != w.against {
			t.Errorf("%s: %v %+v, want %+v", w.item, ok, r, w)
		}
	}
	for _, r := range a.Reasons {
		for _, l := range []string{sheet.LineCompute, sheet.LineDataDisk} {
			if r.Line == l {
				t.Errorf("%s: what is nearly the same on both sides is no reason", l)
			}
		}
	}
}

// TestRulesComeFirst: what rules out weighs more than any amount.
func TestRulesComeFirst(t *testing.T) {
	a := Give(Input{
		Questions: Questions{Sensitivity: ByContract, Duration: Short},
		Sheet:     sheetOf(pod("Pod", 10), rig("Rig", 9000)),
	})
	if len(a.Reasons) < 3 || a.Reasons[0].Item != "sensitivity" || a.Reasons[0].Row != "isolation" {
		t.Fatalf("%+v", a.Reasons)
	}
	if r := a.Reasons[1]; r.Offer != "Pod" || r.Text.Key != "advice.reason.lost" {
		t.Errorf("the cheaper offer that is ruled out isn't named: %+v", r)
	}
}

// TestOpenQuestions says what was not answered and matters.
func TestOpenQuestions(t *testing.T) {
	priced := sheetOf(pod("Pod", 100), rig("Rig", 300))
	for _, c := range []struct {
		name string
		in   Input
		want []string
		not  []string
	}{
		{"nothing at all", Input{}, []string{"offers", "sensitivity", "duration", "load", "idle", "vram"}, []string{"offer.shared", "proven"}},
		{"bills, no sensitivity", Input{Sheet: priced}, []string{"sensitivity"}, []string{"duration", "load", "offers"}},
		{"sensitivity doesn't matter", Input{Sheet: sheetOf(pod("Pod", 300), bill("VM", "vm", "hour", 100))}, nil, []string{"sensitivity"}},
		{"one kind", Input{Questions: Questions{Sensitivity: NoSecrets}, Sheet: sheetOf(pod("Pod", 1))}, []string{"offer.dedicated"}, []string{"offer.shared"}},
		{"package first", Input{Sheet: sheetOf(pod("Pod", 300), rig("Rig", 100))}, []string{"proven", "fail_share"}, nil},
		{"a right on trust", Input{Questions: Questions{Root: true}, Sheet: priced}, []string{"rights"}, nil},
		{"a right that was told", Input{Questions: Questions{Root: true}, Sheet: sheetOf(rig("Rig", 1, term("root", "true")))}, nil, []string{"rights"}},
		{"no price", Input{Sheet: sheetOf(pod("Pod", 1), rig("Rig", 0, status(sheet.NoPrice)))}, []string{"price"}, nil},
		{"steady nowhere", Input{Questions: Questions{Steady: true}, Sheet: sheetOf(pod("Pod", 1))}, []string{"offer.steady"}, nil},
		{"an example's price", Input{Sheet: sheetOf(pod("Pod", 1, func(b *sheet.Bill) { b.Offer.Example = true }))}, []string{"example"}, nil},
	} {
		got := Give(c.in).Open
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%s: %q is missing in %q", c.name, w, got)
			}
		}
		for _, w := range c.not {
			if slices.Contains(got, w) {
				t.Errorf("%s: %q is asked in %q", c.name, w, got)
			}
		}
	}
}

// TestNoCardCounts: starts at which no card was free speak against an offer, and
// for its rival.
func TestNoCardCounts(t *testing.T) {
	scarce := pod("Pod", 300, used(5, 20))
	scarce.Offer.Terms = map[offer.TermID]offer.Term{offer.NoCardShare: {Value: "0.25", Status: offer.Typed, Mark: offer.Seen}}
	a := Give(Input{Questions: Questions{Duration: Short, Proven: true}, Fit: fit("RTX 4090", "fits"), Sheet: sheetOf(scarce, rig("Rig", 1180, own(8)))})
	i := slices.IndexFunc(a.Reasons, func(r Reason) bool { return r.Text.Key == "advice.reason.nocard" })
	if i < 0 || a.Reasons[i].Offer != "Pod" || !a.Reasons[i].Against {
		t.Fatalf("%+v", a.Reasons)
	}
	for _, l := range texts.Langs() {
		if s := texts.For(l).Say(a.Reasons[i].Text); !strings.Contains(s, "25") {
			t.Error(s)
		}
	}
	scarce.Offer.Terms[offer.NoCardShare] = offer.Term{Value: "0", Status: offer.Typed, Mark: offer.Seen}
	a = Give(Input{Questions: Questions{Duration: Short, Proven: true}, Fit: fit("RTX 4090", "fits"), Sheet: sheetOf(scarce, rig("Rig", 1180, own(8)))})
	if slices.ContainsFunc(a.Reasons, func(r Reason) bool { return r.Text.Key == "advice.reason.nocard" }) {
		t.Error("never without a card is no reason")
	}
}
