package offer

import (
	"reflect"
	"strings"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

const sampleCSV = "name,provider,currency,count,card,machine,unit,price,data_disk_gb,stop_bills_ip,ip_price_h,note\n" +
	"AutoDL 4090,autodl,CNY,1,RTX 4090,container,hour,1.88,100,true|told||2026-11-01,?,学生价\n"

// sampleOffer is what every form of the table says.
func sampleOffer(t *testing.T) []Offer {
	t.Helper()
	offers, err := ReadYAML([]byte(sampleYAML))
	if err != nil {
		t.Fatal(err)
	}
	offers[0].Note = "学生价"
	return offers
}

func TestReadCSVAsExcelSavesIt(t *testing.T) {
	gb, err := simplifiedchinese.GB18030.NewEncoder().String(sampleCSV)
	if err != nil {
		t.Fatal(err)
	}
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(strings.ReplaceAll(sampleCSV, ",", "\t"))
	if err != nil {
		t.Fatal(err)
	}
	semicolons := strings.ReplaceAll(sampleCSV, ",", ";")
	for name, text := range map[string]string{
		"plain":           sampleCSV,
		"mark and CRLF":   bom + strings.ReplaceAll(sampleCSV, "\n", "\r\n"),
		"semicolons":      semicolons,
		"decimal commas":  strings.Replace(semicolons, "1.88", "1,88", 1),
		"GB18030":         gb,
		"UTF-16 and tabs": utf16,
		"TRUE and blanks": strings.Replace(strings.Replace(sampleCSV, "true", "TRUE", 1), "1.88", " 1.88 ", 1),
		"yes in Chinese":  strings.Replace(sampleCSV, "true", "是", 1),
		"capitals":        strings.Replace(sampleCSV, "name", "Name", 1),
		"empty rows":      strings.Replace(sampleCSV, "\n", "\n,,,,,,,,,,,\n\n", 1) + ",,,\n",
	} {
		got, err := ReadCSV([]byte(text))
		if err != nil || !reflect.DeepEqual(got, sampleOffer(t)) {
			t.Errorf("%s: %v\n%+v", name, err, got)
		}
	}
}

func TestCSVErrorsSayWhere(t *testing.T) {
	for _, c := range []struct {
		old, new, field, value string
		line, column           int
	}{
		{"1.88", "abc", "price", "abc", 2, 8},
		{"1.88", `"1,880.50"`, "price", "1,880.50", 2, 8},
		{"1.88", "-1", "price", "-1", 2, 8},
		{",hour", ",fortnight", "unit", "fortnight", 2, 7},
		{"AutoDL 4090,", ",", "name", "", 2, 1},
		{"CNY,1", "CNY,1.5", "count", "1.5", 2, 4},
		{",price", ",cost", "cost", "cost", 1, 8},
		{",price", ",unit", "unit", "unit", 1, 8},
		{"2026-11-01", "soon", "stop_bills_ip.date", "soon", 2, 10},
		{"true|told", "true|heard", "stop_bills_ip.status", "heard", 2, 10},
		{"2026-11-01", "2026-11-01|provider|more", "stop_bills_ip", "true|told||2026-11-01|provider|more", 2, 10},
		{"autodl", "nobody", "provider", "nobody", 2, 2},
		{"学生价", "学生价,more", "column 13", "more", 2, 13},
		{"学生价", `"学生价`, "CSV", `extraneous or missing " in quoted-field`, 2, 0},
		{sampleCSV, "", "heading", "", 1, 1},
		{"学生价", "B\xfcro \xe9t\xe9", "file", "neither UTF-8, UTF-16 nor GB18030", 1, 1},
	} {
		offers, err := ReadCSV([]byte(strings.Replace(sampleCSV, c.old, c.new, 1)))
		es := Inputs(err)
		if len(es) == 0 || offers != nil {
			t.Errorf("%q: no error", c.new)
			continue
		}
		e := es[0]
		if e.Field != c.field || e.Value != c.value || e.Line != c.line || c.column != 0 && e.Column != c.column || e.Allowed.IsZero() {
			t.Errorf("%q: %+v", c.new, e)
		}
	}
}

// TestOneBadRowImportsNothing guards that a file is read whole or not at all.
func TestOneBadRowImportsNothing(t *testing.T) {
	row := strings.SplitAfter(sampleCSV, "\n")[1]
	bad := sampleCSV + strings.Replace(row, "1.88", "free", 1) + row
	offers, err := ReadCSV([]byte(bad))
	if es := Inputs(err); offers != nil || len(es) != 1 || es[0].Line != 3 {
		t.Errorf("%v %v", offers, err)
	}
}

// TestMixedDecimalSigns guards against reading 1.880 as a thousandth of what it
// means where commas are decimal.
func TestMixedDecimalSigns(t *testing.T) {
	text := "name;currency;card;machine;unit;price;ip_price_h\nA;CNY;L20;vm;hour;1.880;0,02\n"
	_, err := ReadCSV([]byte(text))
	if es := Inputs(err); len(es) != 1 || es[0].Field != "price" || es[0].Line != 2 || es[0].Column != 6 {
		t.Errorf("%v", err)
	}
}

func TestFormulasAreGuarded(t *testing.T) {
	offers := sampleOffer(t)
	for _, name := range []string{"=1+1", "'=1", "''@x", "+8", "-", "'plain"} {
		offers[0].Name = name
		b, err := WriteCSV(offers)
		if err != nil {
			t.Fatal(err)
		}
		if line := strings.SplitAfter(string(b), "\n")[1]; strings.ContainsAny(line[:1], risky) {
			t.Errorf("%q is written as a formula: %q", name, line)
		}
		again, err := ReadCSV(b)
		if err != nil || !reflect.DeepEqual(again, offers) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
