package ui_test

import (
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"rentgen/app/bill/offer"
	"rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/assets/texts"
	"rentgen/store"
	"rentgen/ui"
	"rentgen/ui/desk"
	"rentgen/ui/desk/desktest"
	"rentgen/ui/hosts"
	"rentgen/ui/shots"
	"rentgen/ui/uitest"
)

func TestDoorOfWhoIsChoosingACard(t *testing.T) {
	s := open(t, shots.Options{Lang: texts.English})
	uitest.Press(t, s.Canvas(), "Make a plan")
	if s.Win.Frame().Shown() != "plan" || s.Win.Frame().Covered() {
		t.Fatalf("shown is %q", s.Win.Frame().Shown())
	}
	if !uitest.Sees(s.Canvas(), "What do you want to paint?") || !uitest.Sees(s.Canvas(), "My plan") {
		t.Errorf("seen: %q", uitest.Texts(s.Canvas()))
	}
	if len(s.Plans.Calls) != 0 {
		t.Error("a plan that nobody touched is kept")
	}
}

func TestWhoPlansWithoutAHostGoesOnThere(t *testing.T) {
	s := open(t, shots.Options{Lang: texts.English, Plans: []plan.Plan{shots.Illustrator()}})
	if s.Win.Frame().Covered() || s.Win.Frame().Shown() != "plan" {
		t.Fatalf("covered %v, shown %q", s.Win.Frame().Covered(), s.Win.Frame().Shown())
	}
	for _, want := range []string{"Client work", "Stable Diffusion XL", "Enough (", "Stay on shared (container)"} {
		if !uitest.Sees(s.Canvas(), want) {
			t.Errorf("%q is not seen", want)
		}
	}
}

func TestPlaceKeysAndUndo(t *testing.T) {
	s := open(t, shots.Options{Lang: texts.English, Hosts: []hosts.Saved{box}, Plans: []plan.Plan{shots.Illustrator()}})
	if s.Win.Frame().Shown() != "watch" {
		t.Fatalf("the window opens at %q", s.Win.Frame().Shown())
	}
	key := func(k fyne.Shortcut) { s.Canvas().(fyne.Shortcutable).TypedShortcut(k) }
	s.Win.Desk().Edit("", func(p *plan.Plan) { p.Job.Steps = 50 })
	key(&fyne.ShortcutUndo{})
	if s.Win.Desk().Plan().Job.Steps != 50 {
		t.Error("Ctrl+Z on Watch changes a plan")
	}
	for i, want := range []string{"home", "plan", "bill", "setup", "watch", "history"} {
		key(&desktop.CustomShortcut{KeyName: fyne.KeyName(rune('1' + i)), Modifier: fyne.KeyModifierShortcutDefault})
		if got := s.Win.Frame().Shown(); got != want {
			t.Errorf("Ctrl+%d shows %q, want %q", i+1, got, want)
		}
	}
	s.Win.Frame().Show("bill")
	key(&fyne.ShortcutUndo{})
	if s.Win.Desk().Plan().Job.Steps != 0 {
		t.Error("Ctrl+Z on Bill does nothing")
	}
}

func TestAnUntouchedPlanFollowsTheLanguage(t *testing.T) {
	s := open(t, shots.Options{Lang: texts.Chinese})
	uitest.Press(t, s.Canvas(), "做个计划")
	if !uitest.Sees(s.Canvas(), "我的计划") || s.Win.Desk().Plan().Currency != "CNY" {
		t.Fatalf("seen: %q", uitest.Texts(s.Canvas()))
	}
	uitest.Press(t, s.Canvas(), "EN")
	if !uitest.Sees(s.Canvas(), "My plan") || s.Win.Desk().Plan().Currency != "USD" {
		t.Errorf("named %q in %s", s.Win.Desk().Name(), s.Win.Desk().Plan().Currency)
	}
	s.Win.Desk().Edit("", func(p *plan.Plan) { p.Job.Model = "sdxl" })
	uitest.Press(t, s.Canvas(), "中")
	if s.Win.Desk().Name() != "My plan" {
		t.Error("a plan that is kept was renamed")
	}
}

// TestPlansOutliveTheWindow keeps plans in a real store, through two windows.
func TestPlansOutliveTheWindow(t *testing.T) {
	dir := t.TempDir()
	for round := range 2 {
		st, err := store.Open(t.Context(), store.Params{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		d := desk.New(func() desk.Params {
			first := plan.New()
			first.Name = "Mine"
			p := desktest.Params(nil, first, nil)
			p.Store, p.Encode, p.Decode, p.Now = ui.Plans(st), plan.Write, plan.Read, time.Now
			return p
		}())
		if err := d.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		if round == 0 {
			d.AddPlan(shots.Illustrator())
			d.Edit("", func(p *plan.Plan) { p.Job.Steps = 44 })
			d.AddPlan(shots.Class())
			d.Open(d.Plans()[0].ID)
			d.Edit("", func(p *plan.Plan) { p.Job = workload.Job{Model: "flux1-dev"} })
		} else {
			var names []string
			for _, i := range d.Plans() {
				names = append(names, i.Name)
			}
			if got := strings.Join(names, ", "); got != "Mine, Client work, Class of 30" || d.Plan().Job.Model != "flux1-dev" {
				t.Errorf("plans %q, open is %+v", got, d.Plan().Job)
			}
			d.Open(d.Plans()[1].ID)
			if p := d.Plan(); p.Job.Steps != 44 || len(p.Offers) != 2 || p.Offers[0].Payment.Price.String() != "1.88" {
				t.Errorf("read back: %+v", p)
			}
		}
		d.Close()
		if err := d.Fault(); err != nil {
			t.Error(err)
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDroppedFiles(t *testing.T) {
	s := open(t, shots.Options{Lang: texts.English})
	s.Drop("night.yaml", string(plan.Example("bill")))
	if s.Win.Frame().Shown() != "plan" || len(s.Win.Desk().Plans()) != 2 || len(s.Win.Desk().Plan().Offers) == 0 {
		t.Errorf("shown %q, %d plans", s.Win.Frame().Shown(), len(s.Win.Desk().Plans()))
	}
	s.Drop("bad.yaml", "version: 1\nstepz: 3\n")
	if !uitest.Sees(s.Canvas(), "stepz") || len(s.Win.Desk().Plans()) != 2 {
		t.Errorf("a broken plan: %q", uitest.Texts(s.Canvas()))
	}
}

func TestDroppedOffersGoToTheBill(t *testing.T) {
	p := shots.Illustrator()
	s := open(t, shots.Options{Lang: texts.English, Plans: []plan.Plan{p}})
	yaml, err := offer.WriteYAML(p.Offers)
	if err != nil {
		t.Fatal(err)
	}
	csv, err := offer.WriteCSV(p.Offers[:1])
	if err != nil {
		t.Fatal(err)
	}
	n := len(p.Offers)
	s.Drop("offers.yaml", string(yaml))
	s.Win.Frame().Show("plan")
	s.Drop("offers.csv", string(csv))
	got := s.Win.Desk().Plan().Offers
	if s.Win.Frame().Shown() != "bill" || len(s.Win.Desk().Plans()) != 1 || len(got) != 2*n+1 {
		t.Fatalf("shown %q, %d plans, %d offers", s.Win.Frame().Shown(), len(s.Win.Desk().Plans()), len(got))
	}
	if want := p.Offers[0].Name; got[n].Name != want+" 2" || got[2*n].Name != want+" 3" {
		t.Errorf("named %q and %q", got[n].Name, got[2*n].Name)
	}
	s.Drop("bad.csv", "name,prize\nx,y\n")
	if !uitest.Sees(s.Canvas(), "prize") || len(s.Win.Desk().Plan().Offers) != 2*n+1 {
		t.Errorf("broken offers: %q", uitest.Texts(s.Canvas()))
	}
}

// onePlan has one offer, so that no chances are drawn.
func onePlan() plan.Plan {
	p := shots.Illustrator()
	p.Offers = p.Offers[:1]
	return p
}

// BenchmarkTyping is a change of the plan, from the key to the answer on the
// page.
func BenchmarkTyping(b *testing.B) {
	s := shots.New(b, shots.Options{Lang: texts.English, Theme: "dark", Size: fyne.NewSize(1280, 800), Plans: []plan.Plan{onePlan()}})
	s.Win.Frame().Show("plan")
	n := 0
	for b.Loop() {
		n++
		s.Win.Desk().Edit("", func(p *plan.Plan) { p.Job.Steps = 20 + n%20 })
	}
}

// BenchmarkTypingTwelve is BenchmarkTyping with twelve offers; what runs
// aside, as the draws do, waits for the end.
func BenchmarkTypingTwelve(b *testing.B) {
	p := shots.Illustrator()
	for i := len(p.Offers); i < 12; i++ {
		p.Offers = append(p.Offers, p.Offers[i%2])
	}
	var aside []func()
	s := shots.New(b, shots.Options{
		Lang: texts.English, Theme: "dark", Size: fyne.NewSize(1280, 800), Plans: []plan.Plan{p},
		Go: func(f func()) { aside = append(aside, f) },
	})
	b.Cleanup(func() {
		for len(aside) > 0 {
			f := aside[0]
			aside = aside[1:]
			f()
		}
	})
	s.Win.Frame().Show("plan")
	n := 0
	for b.Loop() {
		n++
		s.Win.Desk().Edit("", func(p *plan.Plan) { p.Job.Steps = 20 + n%20 })
	}
}
