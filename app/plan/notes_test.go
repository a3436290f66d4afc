package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"rentgen/app/advice"
	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/workload"
	"rentgen/assets/texts"
)

// faults are the fields that a file is refused for, with what is allowed.
func faults(t *testing.T, text string) map[string]string {
	t.Helper()
	_, err := ReadFor(workload.Load(), []byte(text))
	out := map[string]string{}
	for _, e := range offer.Inputs(err) {
		out[e.Field] = texts.For(texts.English).Say(e.Allowed)
	}
	return out
}

// TestTwoOffersOfOneName: refused where a command works with them, but a plan
// that was kept so still opens.
func TestTwoOffersOfOneName(t *testing.T) {
	one := whole[strings.Index(whole, "  - name: AutoDL 4090"):strings.Index(whole, "seed:")]
	text := strings.Replace(strings.Replace(whole, "seed: 7", one+"seed: 7", 1), "job: k", "job: sdxl", 1)
	if p, err := Read([]byte(text)); err != nil || len(p.Offers) != 2 {
		t.Errorf("a kept plan doesn't open: %v", err)
	}
	_, err := ReadFor(workload.Load(), []byte(text))
	var e *offer.InputError
	if !errors.As(err, &e) || e.Field != "offers[1].name" || e.Value != "AutoDL 4090" || e.Line == 0 || e.Allowed.Key != "offer.allowed.other_name" {
		t.Errorf("%v", err)
	}
}

func TestDays(t *testing.T) {
	for days, fine := range map[int]bool{0: false, 1: true, 366: true, 367: false} {
		text := strings.Replace(string(Example("fit")), "days: 30", fmt.Sprintf("days: %d", days), 1)
		if said := faults(t, text)["days"]; fine != (said == "") || !fine && said != "a whole number from 1 to 366" {
			t.Errorf("%d: %q", days, said)
		}
	}
	if p, err := Read([]byte("days: 1000\n")); err != nil || p.Days != 1000 {
		t.Errorf("a kept plan doesn't open: %v", err)
	}
}

// TestUnknownNames: of many names those are told that may be meant.
func TestUnknownNames(t *testing.T) {
	text := string(Example("bill"))
	if said := faults(t, strings.Replace(text, "model: sdxl", "model: sdxxl", 1))["job.model"]; !strings.Contains(said, "sdxl") || strings.Count(said, ",") > 3 {
		t.Errorf("model: %q", said)
	}
	cat := workload.Load()
	for _, card := range []string{"rtx4090", "4090"} {
		p := mustRead(t, strings.ReplaceAll(text, "{name: RTX 4090}", "{name: "+card+"}"))
		if errs := Check(cat, p); len(errs) > 0 {
			t.Fatalf("%s is refused: %v", card, errs[0])
		}
		r := Evaluate(cat, p)
		if len(r.Notes) != 1 {
			t.Fatalf("%s: %v", card, r.Notes)
		}
		for _, l := range texts.Langs() {
			s := texts.For(l).Say(r.Notes[0])
			if !strings.Contains(s, "RTX 4090") || !strings.Contains(s, card) || !strings.Contains(s, "offers[0].card.name") {
				t.Errorf("%s: %s", card, s)
			}
		}
		for _, b := range r.Sheet.Bills {
			if !slices.ContainsFunc(b.Notes, func(n texts.Phrase) bool { return n.Key == "bill.note.card_unknown" }) {
				t.Errorf("%s: the bill of %s doesn't say so: %v", card, b.Name, b.Notes)
			}
		}
	}
	if r := Evaluate(cat, mustRead(t, text)); len(r.Notes) > 0 || len(r.Sheet.Bills[0].Notes) > 0 {
		t.Errorf("%v %v", r.Notes, r.Sheet.Bills[0].Notes)
	}
}

// TestNothingThatIsRuledOutIsMixed: an offer that may not be taken is no half
// of a way.
func TestNothingThatIsRuledOutIsMixed(t *testing.T) {
	p := mustRead(t, string(Example("advise")))
	mixed := func(p Plan) bool {
		return slices.ContainsFunc(Evaluate(workload.Load(), p).Sheet.Bills, func(b sheet.Bill) bool { return b.Mixed })
	}
	if !mixed(p) {
		t.Fatal("the example has no such bill")
	}
	p.Questions.Sensitivity = advice.ByContract
	if mixed(p) {
		t.Error("a container is tried out on, against the contract")
	}
}

// TestTriedOutWhereTheWholeJobDoesNotEnd: one card is too slow for the
// whole run within the span; trying out on it has a bill.
func TestTriedOutWhereTheWholeJobDoesNotEnd(t *testing.T) {
	text := strings.Replace(string(Example("advise")), "total: 60000", "total: 1200000", 1)
	text = strings.Replace(text, "machine: bare-metal", "machine: bare-metal\n    cards: 8", 1)
	r := Evaluate(workload.Load(), mustRead(t, text))
	bills := r.Sheet.Bills
	if bills[0].Status != sheet.CannotFinish || bills[1].Status != sheet.OK {
		t.Fatalf("%s %s", bills[0].Status, bills[1].Status)
	}
	if len(bills) != 3 || !bills[2].Mixed || bills[2].ValidateOn != bills[0].Name {
		t.Fatalf("%d bills", len(bills))
	}
	if a := r.Advice; a.Choice != advice.Validate || a.Offer != bills[0].Name || a.Second != bills[1].Name {
		t.Errorf("%s on %q, then %q", a.Choice, a.Offer, a.Second)
	}
}

// TestAClassTriesNothingOut: no answer leads a class to trying out first.
func TestAClassTriesNothingOut(t *testing.T) {
	p := mustRead(t, "version: 1\n"+uncommented(string(Example("fit")), "# A class instead"))
	from := mustRead(t, string(Example("advise")))
	p.Job, p.Offers, p.Currency = from.Job, from.Offers, from.Currency
	for _, s := range []string{"", advice.ByContract} {
		p.Questions.Sensitivity = s
		a := Evaluate(workload.Load(), p).Advice
		if a.Choice == advice.Validate {
			t.Errorf("%q: %s", s, a.Choice)
		}
		for _, ch := range a.WouldChange {
			if ch.Then == advice.Validate {
				t.Errorf("%q: %+v", s, ch)
			}
		}
	}
}

// TestNotYAMLInChinese: what isn't YAML is said in the reader's language, with
// the line that is meant.
func TestNotYAMLInChinese(t *testing.T) {
	for text, line := range map[string]string{
		"version: 1\nname: a: b\n": "name: a: b", "version: [1\n": "version: [1", "name: \"a\n": "", "name: @a\n": "name: @a",
	} {
		_, err := Read([]byte(text))
		found := offer.Inputs(err)
		if len(found) != 1 || !strings.HasPrefix(found[0].Value, line) {
			t.Errorf("%q: %v", text, err)
			continue
		}
		s := texts.For(texts.Chinese).Say(found[0].Phrase())
		for _, word := range []string{"did not", "expected", "found", "not allowed", "cannot"} {
			if strings.Contains(s, word) {
				t.Errorf("%q: %s", text, s)
			}
		}
	}
}
