package offer

import (
	"strings"
	"testing"

	"rentgen/assets/texts"
)

// TestTwoOffersOfOneName: nothing is imported, and the second one is named with
// its place.
func TestTwoOffersOfOneName(t *testing.T) {
	const one = "- {name: A, currency: CNY, card: RTX 4090, machine: vm, payment: {unit: hour, price: 1}}\n"
	for form, read := range map[string]func() ([]Offer, error){
		"YAML": func() ([]Offer, error) { return ReadYAML([]byte(one + strings.Replace(one, "A", "B", 1) + one)) },
		"CSV": func() ([]Offer, error) {
			const row = "vm,CNY,RTX 4090,hour,1,"
			return ReadCSV([]byte("machine,currency,card,unit,price,name\n" + row + "A\n" + row + "B\n" + row + "A\n"))
		},
	} {
		offers, err := read()
		found := Inputs(err)
		if offers != nil || len(found) != 1 {
			t.Errorf("%s: %v, %v", form, offers, err)
			continue
		}
		e := found[0]
		line, column := 3, 10
		if form == "CSV" {
			line, column = 4, 6
		}
		if !strings.HasSuffix(e.Field, "name") || e.Value != "A" || e.Line != line || e.Column != column || e.Allowed.Key != "offer.allowed.other_name" {
			t.Errorf("%s: %+v", form, *e)
		}
	}
	if _, err := WriteCSV([]Offer{{Name: "A"}, {Name: "A"}}); err == nil || !strings.Contains(err.Error(), "offers[1].name") {
		t.Errorf("%v", err)
	}
}

// TestNotYAMLInChinese: what the reader says of a text is said in the language
// of the page, with the line it means.
func TestNotYAMLInChinese(t *testing.T) {
	c := texts.For(texts.Chinese)
	for _, text := range []string{
		"- [a\n", "- {a: 1\n", "- a: b: c\n", "- \"a\n", "- @a\n", "- a: 1\n b: 2\n", "- \"\\q\"\n", "- *a\n", "a: 1\nb\n", "- a\nb: 1\n",
	} {
		_, err := ReadYAML([]byte(text))
		found := Inputs(err)
		if len(found) != 1 {
			t.Errorf("%q: %v", text, err)
			continue
		}
		s := c.Say(found[0].Phrase())
		for _, word := range []string{"did not", "expected", "found", "not allowed", "unknown", "could not", "原话"} {
			if strings.Contains(s, word) {
				t.Errorf("%q: %s", text, s)
			}
		}
	}
}

// TestNearestProvider: of the many platforms those are named that were meant.
func TestNearestProvider(t *testing.T) {
	for said, want := range map[string]string{"AutoDl": "autodl", "run-pod": "runpod", "ali": "aliyun"} {
		o := Offer{Name: "A", Provider: said, Currency: "CNY", Card: Card{Name: "RTX 4090"}, Machine: VM, Payment: Payment{Unit: Hour}}
		var list string
		for _, e := range o.Check() {
			if e.Field == "provider" {
				list = texts.For(texts.English).Say(e.Allowed)
			}
		}
		if !strings.Contains(list, want) || strings.Count(list, ",") > 6 {
			t.Errorf("%s: %q", said, list)
		}
	}
}
