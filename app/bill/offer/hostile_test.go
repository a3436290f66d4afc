package offer

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"
)

// TestHostileFiles reads large files made to cost much; each ends with few
// errors and no offers.
func TestHostileFiles(t *testing.T) {
	size := maxFile - 1000
	for name, text := range map[string]string{
		"too large":        strings.Repeat("#", maxFile+1),
		"unknown columns":  "name," + strings.Repeat("a,", size/2),
		"unknown keys":     "- {" + strings.Repeat("ab: 1, ", size/7) + "}",
		"many offers":      strings.Repeat("- {}\n", maxOffers+1),
		"many rows":        "name\n" + strings.Repeat("x\n", maxOffers+1),
		"deep":             strings.Repeat("[", 20_000),
		"aliases":          "- &a [x]\n- &b [*a, *a]\n- [*b, *b]\n",
		"itself":           "&a [*a]",
		"key with no text": "- {? [a] : b}",
		"merge":            "- {<<: {name: x}}",
		"Latin-1 as YAML":  "- {name: B\xfcro}",
		"two documents":    "[]\n---\n[]",
		"a mapping":        "offers: []",
		"nothing":          "",
	} {
		read := ReadYAML
		if strings.HasPrefix(text, "name") {
			read = ReadCSV
		}
		offers, err := read([]byte(text))
		es := Inputs(err)
		if len(offers) > 0 || len(es) == 0 || len(es) > 3*maxErrors {
			t.Errorf("%s: %d offers, %d errors", name, len(offers), len(es))
			continue
		}
		if es[0].Line < 1 || es[0].Column < 1 || len(es[0].Error()) > 1000 {
			t.Errorf("%s: %v", name, es[0])
		}
	}
}

// TestYAMLInGB18030 reads what a Chinese editor saves.
func TestYAMLInGB18030(t *testing.T) {
	text, err := simplifiedchinese.GB18030.NewEncoder().String(strings.Replace(sampleYAML, "AutoDL 4090", "按量 4090", 1))
	if err != nil {
		t.Fatal(err)
	}
	offers, err := ReadYAML([]byte(text))
	if err != nil || offers[0].Name != "按量 4090" {
		t.Errorf("%v %v", offers, err)
	}
}

// TestEmptyListsAreNoError tells a file of no offers from no file.
func TestEmptyListsAreNoError(t *testing.T) {
	for _, f := range []struct {
		write func([]Offer) ([]byte, error)
		read  func([]byte) ([]Offer, error)
	}{{WriteYAML, ReadYAML}, {WriteCSV, ReadCSV}} {
		b, err := f.write(nil)
		if err != nil || len(bytes.TrimSpace(b)) == 0 {
			t.Fatalf("%q %v", b, err)
		}
		if offers, err := f.read(b); err != nil || len(offers) != 0 {
			t.Errorf("%v %v", offers, err)
		}
	}
}

// BenchmarkFilled is what every evaluation does with every offer.
func BenchmarkFilled(b *testing.B) {
	o := Offer{Name: "x", Provider: "tencent", Currency: "CNY", Terms: map[TermID]Term{DataDisk: {Value: "100", Status: Typed}}}
	for b.Loop() {
		f := o.Filled()
		for _, d := range Defs() {
			f.Rat(d.ID)
		}
	}
}
