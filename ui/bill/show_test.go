package bill

import (
	"bytes"
	"image/png"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	core "rentgen/app/plan"
	"rentgen/assets/texts"
	"rentgen/ui/uitest"
)

func TestStatusStandsInPlaceOfANumber(t *testing.T) {
	f := newFixture(t, texts.English, painting(twelve()...))
	f.resize(2200, 900)
	f.sees("No price yet", "No exchange rate", "Enter a rate from EUR, with its date.")
	for i, b := range f.good.Sheet.Bills {
		if b.Status == sheet.OK {
			continue
		}
		for _, r := range f.table.rows {
			if r.id == rowTotal {
				at := slices.Index(f.table.cols, i)
				if c := r.cells[at]; c.icon == nil || strings.ContainsAny(c.parts[0].text, "0123456789") {
					t.Errorf("%s shows %+v", b.Name, c.parts)
				}
			}
		}
	}
	f.explain(slices.IndexFunc(f.good.Sheet.Bills, func(b sheet.Bill) bool { return b.Status == sheet.NoRate }), rowTotal)
	f.settle()
	f.press("billpage.rates.open")
	f.entryWith("EUR")
	uitest.Field(t, f.win.Canvas(), "7.10").SetText("-3")
	f.press("billpage.rates.add")
	f.sees("Allowed: a number above 0")
	uitest.Field(t, f.win.Canvas(), "7.10").SetText("8.2")
	f.press("billpage.rates.add")
	if rs := f.d.Plan().Rates; len(rs) != 2 || rs[1].From != "EUR" || rs[1].Value.String() != "8.2" || rs[1].Date != "2026-11-29" {
		t.Errorf("rates: %+v", rs)
	}
	f.unseen("No exchange rate")
}

func TestQuestionsAreCopiedInEitherLanguage(t *testing.T) {
	f := newFixture(t, texts.English, painting(three()...))
	f.ask(0)
	f.settle()
	for key, want := range map[string]string{"billpage.ask.zh": "您好", "billpage.ask.en": "Hello"} {
		f.press(key)
		if got := fyne.CurrentApp().Clipboard().Content(); !strings.HasPrefix(got, want) || !strings.Contains(got, "AutoDL 4090") {
			t.Errorf("%s copies %q", key, got)
		}
	}
	f.press("billpage.ask.answer")
	f.sees("All terms")
}

func TestImportTakesAllOrNothing(t *testing.T) {
	f := newFixture(t, texts.English, painting(three()...))
	f.pick = func() (string, string) {
		return "mine.csv", "name,currency,card,unit,price,machine\nGood,CNY,RTX 4090,hour,1.5,container\nBad,CNY,RTX 4090,hour,cheap,container\n"
	}
	f.importOffers()
	f.settle()
	if len(f.offers()) != 3 {
		t.Fatal("a broken file was imported in part")
	}
	f.sees("Line 3, column 5", "cheap", "Nothing was taken over")
	f.pick = func() (string, string) {
		return "mine.csv", "name,currency,card,unit,price,machine\nGood,CNY,RTX 4090,hour,1.5,container\nAutoDL 4090,CNY,RTX 4090,hour,1.6,container\n"
	}
	f.importOffers()
	f.settle()
	if all := f.offers(); len(all) != 5 || all[4].Name != "AutoDL 4090 2" {
		t.Fatalf("imported: %d offers", len(f.offers()))
	}
	for _, ext := range []string{".yaml", ".csv"} {
		f.exportOffers(ext)
		if f.name != "SDXL--evenings"+ext {
			t.Errorf("written as %s", f.name)
		}
		back, err := readOffers("x"+ext, sinkReader{bytes.NewReader(bytes.Clone(f.out.Bytes()))})
		if err != nil || len(back) != 5 {
			t.Errorf("%s: %d offers come back: %v", ext, len(back), err)
		}
	}
}

type sinkReader struct{ *bytes.Reader }

func (sinkReader) Close() error { return nil }

func TestBillAsMarkdown(t *testing.T) {
	f := newFixture(t, texts.English, painting(three()...))
	f.copyBill()
	text := fyne.CurrentApp().Clipboard().Content()
	if !strings.HasPrefix(text, "# Bill for 30 days") || !strings.Contains(text, "AutoDL 4090") || !strings.Contains(text, f.c.T("article.pitfall.hidden_disk.title")) {
		t.Errorf("copied %q", text[:min(len(text), 80)])
	}
	f.saveBill()
	if f.out.String() != text || !strings.HasSuffix(f.name, ".md") {
		t.Error("the saved bill is another one")
	}
	f.sees("The file is written.")
}

func TestChancesAreOnePressAway(t *testing.T) {
	f := newFixture(t, texts.English, painting(three()...))
	f.unseen("Cheapest in")
	f.press("billpage.chances")
	f.sees("Cheapest in", "In 8 of 10 draws")
	sum := 0.0
	ch, _, _ := f.d.Chance()
	for _, v := range ch.Cheapest {
		sum += v
	}
	if sum < 0.99 || sum > 1.01 {
		t.Errorf("chances sum to %v", sum)
	}
	f.press("billpage.chances")
	f.unseen("Cheapest in")
}

func TestPicturesAndTheirTables(t *testing.T) {
	f := newFixture(t, texts.English, painting(three()...))
	f.resize(1792, 1042)
	f.sees("Cost by rented hours a month", "What would change this", "h a month")
	d := f.pictures.curvesData()
	if len(d.Series) != 3 || d.At <= 0 {
		t.Fatalf("%d curves, at %v", len(d.Series), d.At)
	}
	strong := 0
	for _, m := range d.Marks {
		if m.Strong {
			strong++
		}
	}
	if strong == 0 {
		t.Error("nothing says where the answer turns")
	}
	for name, save := range map[string]func(){"curves": f.pictures.curvesPNG, "lines": f.pictures.linesPNG, "moves": f.pictures.movesPNG} {
		save()
		img, err := png.Decode(bytes.NewReader(f.out.Bytes()))
		if err != nil || img.Bounds().Dx() < 600 || img.Bounds().Dy() < 100 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for head, save := range map[string]func(){"offer,hours_a_month,": f.curvesCSV, "offer,status,line,": f.linesCSV, "input,offer,from,": f.movesCSV} {
		save()
		if got := f.out.String(); !strings.HasPrefix(got, "\ufeff"+head) || strings.Count(got, "\n") < 3 {
			t.Errorf("%q begins with %q", head, got[:min(40, len(got))])
		}
	}
	// What the bars are made of is what the lines come to.
	for i, bar := range f.pictures.linesData().Bars {
		sum := 0.0
		for _, p := range bar.Parts {
			sum += p.Value
		}
		if want := f.good.Sheet.Bills[i].Total.Point.Float64(); sum < want-1e-6 || sum > want+1e-6 {
			t.Errorf("%s: the parts sum to %v, the bill to %v", bar.Name, sum, want)
		}
	}
}

// TestNothingGoesBeyondThePage measures where everything stands, with twelve
// offers at the least size.
func TestNothingGoesBeyondThePage(t *testing.T) {
	for _, size := range []fyne.Size{{Width: 980, Height: 662}, {Width: 1152, Height: 762}} {
		f := newFixture(t, texts.English, painting(twelve()...))
		f.resize(size.Width, size.Height)
		if n := f.table.seen; n < 3 {
			t.Errorf("%d offers beside each other at %v", n, size)
		}
		if got := f.win.Canvas().Size(); got.Width > size.Width {
			t.Errorf("the page needs %v", got)
		}
		first := f.table.first
		test.Tap(f.table.more)
		f.settle()
		if f.table.first == first {
			t.Error("the next page shows the same offers")
		}
		d := fyne.CurrentApp().Driver()
		uitest.Visible(f.win.Canvas(), func(o fyne.CanvasObject) {
			if c, ok := o.(*cell); ok {
				if x := d.AbsolutePositionForObject(c).X; x < 0 || x+c.Size().Width > size.Width {
					t.Errorf("a cell from %v to %v of %v", x, x+c.Size().Width, size.Width)
				}
			}
		})
		// The last page is full, and no offer is left out.
		for range 12 {
			test.Tap(f.table.more)
		}
		if f.table.first+f.table.seen != len(f.table.cols) {
			t.Errorf("the last page ends at %d of %d", f.table.first+f.table.seen, len(f.table.cols))
		}
	}
}

func TestKeyboardReachesCells(t *testing.T) {
	f := newFixture(t, texts.English, painting(three()...))
	c := f.win.Canvas()
	for range 80 {
		c.FocusNext()
		if k, ok := c.Focused().(*cell); ok && k.now.key == sheet.LineDataDisk+"0" {
			k.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
			if !f.side.isOpen() {
				t.Fatal("Enter opens nothing")
			}
			f.Escape()
			if c.Focused() != fyne.Focusable(k) {
				t.Error("the keyboard does not come back to the cell")
			}
			return
		}
	}
	t.Fatal("Tab reaches no cell")
}

func TestHiddenPlaceWaits(t *testing.T) {
	f := newFixture(t, texts.English, painting(three()...))
	f.Hidden()
	f.d.Edit("", func(p *core.Plan) { p.Offers[0].Payment.Price = money.Int(99) })
	f.settle()
	f.unseen("¥99.00 an hour")
	f.Shown()
	f.settle()
	f.sees("¥99.00 an hour")
}

// BenchmarkTyping is a letter typed into the price of one of twelve offers, with
// what they come to, up to everything shown anew.
func BenchmarkTyping(b *testing.B) {
	f := newFixture(b, texts.English, painting(twelve()...))
	f.edit(0)
	price := f.entryWith("1.88")
	n := 0
	for b.Loop() {
		n++
		price.SetText([]string{"1.89", "1.9"}[n%2])
	}
}
