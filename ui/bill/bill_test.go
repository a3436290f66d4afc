package bill

import (
	"bytes"
	"image/png"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	core "rentgen/app/plan"
	"rentgen/assets/texts"
	"rentgen/ui/uitest"
	"rentgen/ui/widgets"
)

// seen is everything that is written, a wrapped text as one.
func (f *fixture) seen() string {
	s := strings.Join(uitest.Texts(f.win.Canvas()), " ")
	return strings.Join(strings.Fields(s), " ")
}

func (f *fixture) sees(parts ...string) {
	f.t.Helper()
	s := f.seen()
	for _, p := range parts {
		if !strings.Contains(s, p) {
			f.t.Errorf("nothing says %q; seen: %s", p, s)
		}
	}
}

func (f *fixture) unseen(parts ...string) {
	f.t.Helper()
	s := f.seen()
	for _, p := range parts {
		if strings.Contains(s, p) {
			f.t.Errorf("%q is seen: %s", p, s)
		}
	}
}

// sound finds texts that have no words.
func (f *fixture) sound() {
	f.t.Helper()
	for _, s := range uitest.Texts(f.win.Canvas()) {
		for _, p := range []string{"billpage.", "bill.", "term.", "offer.", "{", "%!", "NaN", "Inf"} {
			if strings.HasPrefix(s, p) || (p == "{" || p == "%!" || p == "NaN") && strings.Contains(s, p) {
				f.t.Errorf("a text without words: %q", s)
			}
		}
	}
}

func (f *fixture) press(key string) {
	f.t.Helper()
	uitest.Press(f.t, f.win.Canvas(), f.c.T(key))
	f.settle()
}

func (f *fixture) offers() []offer.Offer { return f.d.Plan().Offers }

func TestFirstUseOffersWhatToDoNext(t *testing.T) {
	for _, l := range texts.Langs() {
		f := newFixture(t, l, painting())
		f.sees(f.c.T("billpage.empty.title"), f.c.T("billpage.new"))
		f.press("billpage.file.examples")
		if n := len(f.offers()); n != 3 {
			t.Fatalf("%d examples", n)
		}
		f.sees(f.c.T("billpage.example"))
		f.unseen(f.c.T("billpage.empty.title"))
		f.sound()
		f.d.Undo()
		f.sees(f.c.T("billpage.empty.title"))
	}
}

func TestNewOfferAsksFiveThings(t *testing.T) {
	f := newFixture(t, texts.English, painting())
	f.press("billpage.new")
	form := f.side.form.(*answers)
	entries := func() []*widgets.Entry {
		var all []*widgets.Entry
		uitest.Visible(f.win.Canvas(), func(o fyne.CanvasObject) {
			if e, ok := o.(*widgets.Entry); ok {
				all = append(all, e)
			}
		})
		return all
	}
	price := uitest.Field(t, f.win.Canvas(), "0.00")
	price.SetText("cheap")
	f.press("billpage.new.add")
	f.sees("Allowed: an amount of 0 or more", "a card of the list", "container, virtual machine or bare metal")
	if price.Text != "cheap" || len(f.offers()) != 0 {
		t.Error("a bad answer is lost, or made an offer")
	}
	// The other language, and everything typed is still there.
	f.Retext(texts.For(texts.Chinese))
	f.settle()
	if got := uitest.Field(t, f.win.Canvas(), "0.00").Text; got != "cheap" {
		t.Errorf("the language took %q away", got)
	}
	f.Retext(texts.For(texts.English))
	f.settle()
	form = f.side.form.(*answers)
	uitest.Field(t, f.win.Canvas(), "0.00").SetText("1.88")
	selects := f.selects()
	selects[0].SetSelected("AutoDL")
	selects[1].SetSelected("RTX 4090")
	if form.Machine != string(offer.Container) {
		t.Errorf("the provider's machine is %q", form.Machine)
	}
	uitest.Field(t, f.win.Canvas(), "0").SetText("50")
	es := entries()
	es[len(es)-2].SetText("36") // balance
	f.settle()
	f.sees("The balance lasts 19 h", "Free part: 50 GB", "terms from this provider's dated pages")
	f.press("billpage.new.add")
	all := f.offers()
	if len(all) != 1 || all[0].Name != "AutoDL RTX 4090" {
		t.Fatalf("offers: %+v", all)
	}
	if got := all[0].Terms[offer.DataDisk].Value; got != "100" {
		t.Errorf("a disk of %s GB; 50 are free and 50 were asked for", got)
	}
	f.sees("¥9.90", "The balance lasts", "All terms")
	f.sound()
}

func (f *fixture) selects() []*widgets.Select {
	var all []*widgets.Select
	uitest.Visible(f.win.Canvas(), func(o fyne.CanvasObject) {
		if s, ok := o.(*widgets.Select); ok {
			all = append(all, s)
		}
	})
	return all
}

func (f *fixture) entryWith(text string) *widgets.Entry {
	f.t.Helper()
	var found *widgets.Entry
	uitest.Visible(f.win.Canvas(), func(o fyne.CanvasObject) {
		if e, ok := o.(*widgets.Entry); ok && e.Text == text && found == nil {
			found = e
		}
	})
	if found == nil {
		f.t.Fatalf("no field holds %q", text)
	}
	return found
}

func TestTypingRecalculatesAndKeepsBadText(t *testing.T) {
	f := newFixture(t, texts.English, painting(three()...))
	f.edit(0)
	f.settle()
	before := f.good.Sheet.Bills[0].Total.Point
	price := f.entryWith("1.88")
	price.SetText("3.76")
	if after := f.good.Sheet.Bills[0].Total.Point; !before.Less(after) {
		t.Errorf("twice the price costs %s, before %s", after, before)
	}
	price.SetText("3.76 or so")
	f.settle()
	if price.Text != "3.76 or so" {
		t.Errorf("what was typed became %q", price.Text)
	}
	f.sees("Allowed: a number of 0 or more", "One field can't be used")
	if got := f.offers()[0].Payment.Price.String(); got != "3.76" {
		t.Errorf("the plan holds %s", got)
	}
	// Closed and opened again, the text is still there.
	f.side.close()
	f.edit(0)
	f.settle()
	f.entryWith("3.76 or so").SetText("1,880.5")
	if got := f.offers()[0].Payment.Price.String(); got != "1880.5" {
		t.Errorf("1,880.5 became %s", got)
	}
	f.d.Undo()
	if got := f.offers()[0].Payment.Price.String(); got != "1.88" && got != "3.76" {
		t.Errorf("undo leads to %s", got)
	}
	f.sound()
}

func TestTermsShowWhereTheyAreKnownFrom(t *testing.T) {
	f := newFixture(t, texts.English, painting(three()...))
	f.editTerm(0, offer.ReleaseAfter)
	f.settle()
	f.sees("from the provider's rules", "2026-10-02", "After so long the instance and its data are gone.")
	var e *widgets.Entry
	uitest.Visible(f.win.Canvas(), func(o fyne.CanvasObject) {
		if x, ok := o.(*widgets.Entry); ok && x.PlaceHolder == "360" {
			e = x
		}
	})
	if e == nil || f.win.Canvas().Focused() != fyne.Focusable(e) {
		t.Fatal("the term that was asked for does not have the keyboard")
	}
	e.SetText("２４０")
	if got := f.offers()[0].Terms[offer.ReleaseAfter]; got.Value != "240" || got.Status != offer.Typed {
		t.Errorf("typed: %+v", got)
	}
	f.settle()
	f.sees("entered by you", "the rules say 360 h")
	uitest.Check(t, f.win.Canvas(), f.c.T("offer.status.told")).SetChecked(true)
	if got := f.offers()[0].Terms[offer.ReleaseAfter]; got.Status != offer.Told || got.Date != "2026-11-29" {
		t.Errorf("told: %+v", got)
	}
	e.SetText("?")
	if got := f.offers()[0].Terms[offer.ReleaseAfter]; got.Status != offer.Unknown {
		t.Errorf("a question mark: %+v", got)
	}
	e.SetText("")
	if _, own := f.offers()[0].Terms[offer.ReleaseAfter]; own {
		t.Error("an empty field doesn't go back to the rules")
	}
	for _, g := range offer.Groups() { // every group opens and has words
		for _, d := range offer.Defs() {
			if d.Group == g {
				f.editTerm(0, d.ID)
				break
			}
		}
		f.settle()
		f.sound()
	}
}

func TestColumnsAreCopiedMovedHiddenDeleted(t *testing.T) {
	f := newFixture(t, texts.English, painting(three()...))
	names := func() string {
		var all []string
		for _, o := range f.offers() {
			all = append(all, o.Name)
		}
		return strings.Join(all, ", ")
	}
	f.copyOffer(0)
	f.copyOffer(0)
	if got := names(); got != "AutoDL 4090, AutoDL 4090, copy 2, AutoDL 4090, copy, Month card A, RunPod spot" {
		t.Errorf("copies: %s", got)
	}
	f.d.Undo()
	f.d.Undo()
	f.move(2, 0)
	if got := names(); got != "RunPod spot, AutoDL 4090, Month card A" {
		t.Errorf("moved: %s", got)
	}
	f.d.Undo()
	f.setHidden(1, true)
	f.settle()
	f.unseen("¥1,180.00 a month")
	f.sees("Hidden (1)")
	f.showAll()
	f.settle()
	f.sees("¥1,180.00 a month")
	f.count(0, 1)
	f.settle()
	f.sees("2 machines: RTX 4090")
	f.deleteOffer(0)
	f.settle()
	if got := names(); got != "Month card A, RunPod spot" {
		t.Errorf("deleted: %s", got)
	}
	f.sees("AutoDL 4090 is deleted.")
	f.press("billpage.undo")
	if got := names(); got != "AutoDL 4090, Month card A, RunPod spot" {
		t.Errorf("after undo: %s", got)
	}
}

// TestADraftStaysWithItsOffer guards that a field in doubt is not shown with
// another offer once the columns were moved.
func TestADraftStaysWithItsOffer(t *testing.T) {
	f := newFixture(t, texts.English, painting(three()...))
	f.edit(0)
	f.settle()
	f.entryWith("1.88").SetText("much")
	f.move(0, 2)
	if n := f.d.Drafts(); n != 0 {
		t.Errorf("%d drafts stand with other offers now", n)
	}
}

// TestEveryCellOpens opens every cell of every offer in both languages.
func TestEveryCellOpens(t *testing.T) {
	for _, l := range texts.Langs() {
		f := newFixture(t, l, painting(twelve()...))
		f.chances = true
		f.sync()
		n := 0
		for _, r := range f.table.rows {
			for k, c := range r.cells {
				if c.tap == nil {
					continue
				}
				n++
				f.side.close()
				c.tap()
				if !f.side.isOpen() {
					t.Errorf("%s of column %d opens nothing", r.id, k)
				}
				f.sound()
			}
		}
		if n < 60 {
			t.Errorf("only %d cells open", n)
		}
	}
}

func TestFormulaInputsRuleAndRounding(t *testing.T) {
	f := newFixture(t, texts.English, painting(three()...))
	f.Reveal("AutoDL 4090", sheet.LineDataDisk)
	f.settle()
	f.sees("(100 GB − 50 GB free) × ¥0.0066 a GB and day × 30", "from the provider's rules", "2026-10-02", "a third party's account", "Rounding", "Kept exactly")
	if !f.Escape() || f.side.isOpen() || f.Escape() {
		t.Error("Escape does not close what is open, or closes nothing")
	}
}

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
	if !strings.HasPrefix(text, "# Bill for 30 days") || !strings.Contains(text, "AutoDL 4090") {
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
