package reconcile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

var shanghai = time.FixedZone("CST", 8*3600)

func at(h, m int) time.Time { return time.Date(2026, 11, 30, h, m, 0, 0, shanghai) }

func load(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mustRead(t *testing.T, b []byte) Bill {
	t.Helper()
	bill, err := Read(b, Params{Zone: shanghai})
	if err != nil {
		t.Fatal(err)
	}
	return bill
}

// sums are the amounts of a bill by kind.
func sums(b Bill) string {
	var out []string
	for _, k := range Kinds() {
		sum, any := money.Rat{}, false
		for _, r := range b.Rows {
			if r.Kind == k {
				sum, any = sum.Add(r.Amount), true
			}
		}
		if any {
			out = append(out, string(k)+" "+sum.String())
		}
	}
	return strings.Join(out, ", ")
}

// TestMadeUpBills reads bills in the manner of three platforms, in every encoding
// that a spreadsheet saves.
func TestMadeUpBills(t *testing.T) {
	for name, want := range map[string]struct {
		rows           int
		currency, sums string
	}{
		"autodl-like":  {6, "CNY", "compute 3.77, data_disk 0.33, top_up 100"},
		"runpod-like":  {3, "USD", "compute 0.6804, data_disk 0.0051"},
		"tencent-like": {3, "CNY", "compute 3.45, data_disk 0.05"},
	} {
		utf8 := load(t, name)
		for encoding, b := range map[string][]byte{
			"UTF-8": utf8, "UTF-8 with mark": append([]byte("\xef\xbb\xbf"), utf8...), "CRLF": []byte(strings.ReplaceAll(string(utf8), "\n", "\r\n")),
			"GBK": gbk(t, utf8), "UTF-16": utf16(t, utf8),
		} {
			bill, err := Read(b, Params{Zone: shanghai})
			if err != nil {
				t.Errorf("%s in %s: %v", name, encoding, err)
				continue
			}
			if len(bill.Rows) != want.rows || string(bill.Currency) != want.currency || sums(bill) != want.sums {
				t.Errorf("%s in %s: %d rows, %s, %s", name, encoding, len(bill.Rows), bill.Currency, sums(bill))
			}
			if r := bill.Rows[0]; !begin(r).Equal(at(12, 30)) {
				t.Errorf("%s in %s begins %s", name, encoding, r.From)
			}
		}
	}
}

func gbk(t *testing.T, b []byte) []byte {
	t.Helper()
	out, err := simplifiedchinese.GBK.NewEncoder().Bytes(b)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func utf16(t *testing.T, b []byte) []byte {
	t.Helper()
	out, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes(b)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestForms: the same row in the ways in which platforms may write it.
func TestForms(t *testing.T) {
	const seconds = 5400
	for _, text := range []string{
		"start,end,amount\n2026-11-30 12:00:00,2026-11-30 13:30:00,¥2.82\n",
		"开始时间\t结束时间\t实付金额\t金额\n2026/11/30 12:00\t2026/11/30 13:30\t2.82元\t9\n",
		"计费周期,费用(CNY)\n2026-11-30 12:00:00 至 2026-11-30 13:30:00,2.82\n",
		"扣费时间|时长(小时)|扣费金额(元)\n2026-11-30 13:30|1.5|2.82\n",
		"date,duration,cost,currency\n2026-11-30T13:30:00+08:00,1h30m,2.82,CNY\n",
		"Time,Usage Quantity,Unit,Amount (CNY)\n2026-11-30 13:30:00,90,minutes,2.82\n",
		"time,duration_seconds,amount\n2026-11-30 13:30:00,5400,CNY 2.82\n",
		"start,duration,amount\n2026年11月30日 12:00,01:30:00,￥2.82\n",
		"start;duration (h);amount\n2026-11-30 12:00;1,5;2,82 CNY\n",
		"start,end,amount\n1796011200,1796016600,\"(2.82) CNY\"\n",
		"# bill\n\nstart,end,amount\n1796011200000,1796016600000,'-2.82 CNY\n\ntotal,,2.82\n",
	} {
		bill, err := Read([]byte(text), Params{Zone: shanghai})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if len(bill.Rows) != 1 {
			t.Errorf("%q: %d rows", text, len(bill.Rows))
			continue
		}
		r := bill.Rows[0]
		if !r.From.Equal(at(12, 0)) || !r.To.Equal(at(13, 30)) || r.Amount.String() != "2.82" || bill.Currency != "CNY" || r.Seconds != nil && *r.Seconds != seconds {
			t.Errorf("%q: %+v in %s", text, r, bill.Currency)
		}
	}
}

// TestRefused: what can't be read names its line, its column and what is allowed.
func TestRefused(t *testing.T) {
	head := "start,end,amount,currency\n"
	row := "2026-11-30 12:00,2026-11-30 13:00,1.88,CNY\n"
	for _, c := range []struct {
		text         string
		line, column int
	}{
		{"", 1, 1},
		{"a,b\n1,2\n", 1, 1},
		{head, 1, 1},
		{head + row + "2026-11-30 12:00,2026-11-30 13:00,much,CNY\n", 3, 3},
		{head + row + "2026-11-30 12:00,2026-11-30 11:00,1,CNY\n", 3, 2},
		{head + row + "11/30/2026 12:00,2026-11-30 13:00,1,CNY\n", 3, 1},
		{head + row + "2026-11-30 12:00,2026-11-30 13:00,1,USD\n", 3, 3},
		{head + "2026-11-30 12:00,2026-11-30 13:00,1.88,\n", 2, 3},
		{head + ",,1.88,CNY\n", 2, 1},
		{"start,duration,amount\n2026-11-30 12:00,long,¥1\n", 2, 2},
		{"\xff\xff\xff,", 1, 1},
		{strings.Repeat("x", MaxBytes+1), 1, 1},
		{head + strings.Repeat(",", maxColumns+1) + "\n", 2, 1},
	} {
		_, err := Read([]byte(c.text), Params{Zone: shanghai})
		es := offer.Inputs(err)
		name := c.text[:min(len(c.text), 120)]
		if len(es) == 0 || es[0].Line != c.line || es[0].Column != c.column {
			t.Errorf("%q: %v, want line %d, column %d", name, es, c.line, c.column)
			continue
		}
		for _, l := range texts.Langs() {
			if s := texts.For(l).Say(es[0].Phrase()); strings.Contains(s, "purse.") || strings.Contains(s, "{") {
				t.Errorf("%q in %s: %q", name, l, s)
			}
		}
	}
	if _, err := Read([]byte("start,end,amount\n2026-11-30 12:00,2026-11-30 13:00,1.88\n"), Params{Zone: shanghai, Currency: "CNY"}); err != nil {
		t.Errorf("with a currency that was said: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("start,end,amount\n2026-11-30 12:00,2026-11-30 13:00,¥1.88\n"))
	f.Add([]byte("扣费时间|时长(小时)|金额(元)\n2026-11-30 13:30|1.5|-2.82\n"))
	f.Add([]byte("计费周期,费用(CNY)\n2026-11-30 至 2026-11-30,1e999\n"))
	f.Add([]byte("\xff\xfea\x00,\x00"))
	f.Add([]byte("\"start\",amount\n\"2026-11-30\x1b[31m\",$1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		bill, err := Read(b, Params{Zone: shanghai})
		if err != nil {
			for _, e := range offer.Inputs(err) {
				_ = e.Error()
			}
			return
		}
		for _, r := range bill.Rows {
			if strings.ContainsAny(r.Instance+r.Item, "\x1b\x00\n") || !r.From.IsZero() && !r.To.IsZero() && r.To.Before(r.From) {
				t.Fatalf("%+v", r)
			}
		}
		Compare(bill, nil)
	})
}
