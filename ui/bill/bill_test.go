package bill

import (
	"regexp"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"rentgen/app/advice"
	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
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

var keyLeft = regexp.MustCompile(`^(billpage|bill|term|offer)\.[a-z]|\{|%!|NaN|^Inf`)

// sound finds texts that have no words.
func (f *fixture) sound() {
	f.t.Helper()
	for _, s := range uitest.Texts(f.win.Canvas()) {
		if keyLeft.MatchString(s) {
			f.t.Errorf("a text without words: %q", s)
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
	form := f.side.form.(*answers)
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
	if got := names(); got != "AutoDL 4090, AutoDL 4090 3, AutoDL 4090 2, Month card A, RunPod spot" {
		t.Errorf("copies: %s", got)
	}
	f.copyOffer(1)
	if got := f.offers()[2].Name; got != "AutoDL 4090 4" {
		t.Errorf("the copy of a copy is called %q", got)
	}
	f.d.Undo()
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
	f.sees("Where money gets lost", f.c.T("article.pitfall.hidden_disk.title"))
	if !f.Escape() || f.side.isOpen() || f.Escape() {
		t.Error("Escape does not close what is open, or closes nothing")
	}
}

// TestTotalTellsWhatToKnow finds a bill's notes and pitfalls where its total is
// explained.
func TestTotalTellsWhatToKnow(t *testing.T) {
	p := painting(three()...)
	p.Offers[0].Card.Name = "a card of my own"
	f := newFixture(t, texts.English, p)
	b := f.good.Sheet.Bills[0]
	if len(b.Notes) == 0 || len(advice.PitfallsFor(b)) == 0 {
		t.Fatalf("notes %v, pitfalls %v", b.Notes, advice.PitfallsFor(b))
	}
	f.explain(0, rowTotal)
	f.settle()
	f.sees(f.c.Say(b.Notes[0]), f.c.T("article.pitfall."+advice.PitfallsFor(b)[0]+".title"))
}

// TestExamplesBringTheirRates: a plan in another currency has totals too.
func TestExamplesBringTheirRates(t *testing.T) {
	p := painting()
	p.Currency, p.Rates = "USD", nil
	f := newFixture(t, texts.English, p)
	f.addExamples()
	f.addExamples()
	if n := len(f.d.Plan().Rates); n != 1 {
		t.Errorf("%d rates", n)
	}
	for _, b := range f.d.Result().Sheet.Bills {
		if b.Status != sheet.OK {
			t.Errorf("%s: %s", b.Name, b.Status)
		}
	}
}
