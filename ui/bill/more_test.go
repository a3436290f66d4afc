package bill

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	core "rentgen/app/plan"
	"rentgen/assets/texts"
	"rentgen/ui/uitest"
	"rentgen/ui/widgets"
)

// unproven is a plan whose answer may be to try out first.
func unproven() core.Plan {
	p := painting(three()...)
	p.Questions.Proven = false
	return p
}

// TestTheSentenceStandsOnTheNumber looks where the parts of the answer stand.
func TestTheSentenceStandsOnTheNumber(t *testing.T) {
	for _, l := range texts.Langs() {
		f := newFixture(t, l, painting(three()...))
		for _, size := range []fyne.Size{{Width: 980, Height: 662}, {Width: 1144, Height: 752}, {Width: 1792, Height: 1042}, {Width: 520, Height: 662}} {
			f.resize(size.Width, size.Height)
			d := fyne.CurrentApp().Driver()
			stands := func(x *canvas.Text) float32 {
				return d.AbsolutePositionForObject(x).Y + widgets.Baseline(x.Text, x.TextSize, x.TextStyle)
			}
			first := f.top.sentence.texts[0]
			number, sentence := stands(f.top.band), stands(first)
			k := f.top.place(f.top.inner.Size().Width)
			if k.beside && number != sentence {
				t.Errorf("%s, %v: the number stands at %v, the sentence at %v", l, size, number, sentence)
			}
			if !k.beside && (sentence < number+10 || sentence > number+32) {
				t.Errorf("%s, %v: the sentence is %v below the number", l, size, sentence-number)
			}
			if size.Width > 900 && (!k.beside || k.high > 62) {
				t.Errorf("%s, %v: the answer is %v high, the sentence beside: %v", l, size, k.high, k.beside)
			}
			if got := f.top.inner.Size().Height; got < k.high-0.5 || got > k.high+0.5 {
				t.Errorf("%s, %v: %v for what needs %v", l, size, got, k.high)
			}
		}
	}
}

func TestTheMixedColumnHasAMenuAndCanBeHidden(t *testing.T) {
	f := newFixture(t, texts.English, unproven())
	f.resize(1792, 1042)
	at := f.mixedAt()
	if at < 0 {
		t.Fatal("nothing is tried out first")
	}
	name := f.good.Sheet.Bills[at].Name
	f.sees(name)
	pick := func(key string) {
		t.Helper()
		for _, m := range f.mixedItems(at) {
			if m.Label == f.c.T(key) && !m.Disabled {
				m.Action()
				f.settle()
				return
			}
		}
		t.Fatalf("the menu has no %s", key)
	}
	pick("billpage.col.why")
	f.sees("Total · "+name, "Chance that trying out ends the project")
	pick("billpage.col.ask")
	b := f.good.Sheet.Bills[at]
	f.sees("Questions · "+name, b.ValidateOn, b.RunOn)
	pick("billpage.col.hide")
	if f.side.isOpen() {
		t.Error("what is open is of a column that is hidden")
	}
	f.unseen(name)
	f.sees("Hidden (1)")
	if slices.Contains(f.good.Sheet.Cheapest, at) {
		t.Error("a hidden way is the cheapest")
	}
	for _, m := range f.good.Sheet.Moves {
		if m.Then == name || m.Offer == name {
			t.Errorf("a hidden way would turn the answer: %+v", m)
		}
	}
	f.showAll()
	f.settle()
	f.sees(name)
	f.unseen("Hidden (")
}

// TestNamesAreNeverDoubled types, copies and adds a name that is taken.
func TestNamesAreNeverDoubled(t *testing.T) {
	f := newFixture(t, texts.English, painting(three()...))
	f.edit(0)
	f.settle()
	name := f.entryWith("AutoDL 4090")
	name.SetText(" RunPod spot ")
	f.settle()
	f.sees("a name that no other offer has")
	if got := f.offers()[0].Name; got != "AutoDL 4090" {
		t.Errorf("the plan took %q", got)
	}
	f.press("billpage.new")
	es := []*widgets.Entry{}
	uitest.Visible(f.win.Canvas(), func(o fyne.CanvasObject) {
		if e, ok := o.(*widgets.Entry); ok {
			es = append(es, e)
		}
	})
	es[len(es)-1].SetText("Month card A")
	f.press("billpage.new.add")
	f.sees("a name that no other offer has")
	for want, o := range map[string]string{"Month card A 2": "Month card A", "new": "new", "AutoDL 4090 2": "AutoDL 4090"} {
		if got := free(f.offers(), o); got != want {
			t.Errorf("%q is free as %q, want %q", o, got, want)
		}
	}
}

// TestGroupsCountWhatIsAsked compares what stands behind the groups of terms
// with the questions.
func TestGroupsCountWhatIsAsked(t *testing.T) {
	f := newFixture(t, texts.English, painting(three()...))
	f.edit(1)
	f.settle()
	want, all := map[offer.Group]int{}, 0
	for _, q := range f.good.Sheet.Bills[1].Unknown {
		d, _ := offer.DefOf(q.Term)
		want[d.Group]++
		all++
	}
	if all == 0 {
		t.Fatal("nothing is asked")
	}
	for _, id := range offer.Groups() {
		text := f.c.Say(id.Name())
		if n := want[id]; n > 0 {
			text = f.c.T("billpage.group", "group", text, "n", n)
		}
		f.sees(text)
		if want[id] == 0 {
			f.unseen(f.c.T("billpage.group", "group", text, "n", 1))
		}
	}
}

func TestABarOpensTheInputThatItIsOf(t *testing.T) {
	f := newFixture(t, texts.English, painting(three()...))
	f.resize(1792, 1042)
	plan := 0
	f.p.Plan = func() { plan++ }
	f.sync()
	opened := false
	for i, m := range f.good.Sheet.Moves[:min(len(f.good.Sheet.Moves), mostMoves)] {
		bar := f.pictures.movesData().Bars[i]
		if bar.Open == nil {
			t.Fatalf("%s opens nothing", bar.Name)
		}
		f.side.close()
		was := plan
		bar.Open()
		if strings.HasSuffix(m.Input, "price") {
			opened = true
			e, ok := f.win.Canvas().Focused().(*widgets.Entry)
			at := slices.IndexFunc(f.offers(), func(o offer.Offer) bool { return o.Name == m.Offer })
			if !ok || !f.side.isOpen() || e.Text != ratText(f.offers()[at].Payment.Price) {
				t.Errorf("%s doesn't open its price", bar.Name)
			}
		} else if plan != was+1 {
			t.Errorf("%s doesn't open the plan", bar.Name)
		}
	}
	if !opened {
		t.Error("no move of a price")
	}
	f.side.close()
	f.settle()
	f.pictures.moves.Tapped(&fyne.PointEvent{Position: fyne.NewPos(40, 12)})
	if !f.side.isOpen() && plan == 0 {
		t.Error("pressing a bar opens nothing")
	}
}

// TestColumnsHaveTheColoursOfTheLegend compares heads and legend.
func TestColumnsHaveTheColoursOfTheLegend(t *testing.T) {
	f := newFixture(t, texts.English, painting(twelve()...))
	f.resize(2400, 1042)
	d := f.pictures.curvesData()
	names := []string{}
	for _, s := range d.Series {
		names = append(names, s.Name)
		at := slices.IndexFunc(f.good.Sheet.Bills, func(b sheet.Bill) bool { return b.Name == s.Name })
		if n := f.headCell(at, f.good.Sheet.Bills[at]); n.slot != s.Slot+1 {
			t.Errorf("%s has colour %d in the table, %d in the picture", s.Name, n.slot-1, s.Slot)
		}
	}
	var order []string
	for _, i := range f.table.cols {
		if slices.Contains(names, f.good.Sheet.Bills[i].Name) {
			order = append(order, f.good.Sheet.Bills[i].Name)
		}
	}
	if !slices.Equal(names, order) {
		t.Errorf("the legend goes %q, the table %q", names, order)
	}
}
