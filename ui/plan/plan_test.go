package plan

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	core "rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/assets/texts"
	"rentgen/ui/uitest"
	"rentgen/ui/widgets"
)

// input returns a field of text by its id.
func (f *fixture) input(id string) *widgets.Entry {
	f.t.Helper()
	var found *widgets.Entry
	uitest.Visible(f.win.Canvas(), func(o fyne.CanvasObject) {
		e, ok := o.(*widgets.Entry)
		if ok && found == nil && f.ids()[e] == id {
			found = e
		}
	})
	if found == nil {
		f.t.Fatalf("no field %s is seen", id)
	}
	return found
}

func (f *fixture) ids() map[*widgets.Entry]string { return f.form.entries }

func (f *fixture) typeIn(id, text string) {
	f.t.Helper()
	f.input(id).SetText(text)
}

func (f *fixture) press(text string) {
	f.t.Helper()
	uitest.Press(f.t, f.win.Canvas(), text)
}

func TestFirstUseLeadsToAnAnswer(t *testing.T) {
	f := newFixture(t, empty)
	f.sees("What do you want to paint?", "drop a ComfyUI workflow")
	f.misses("Enough (")
	f.press("Choose a model")
	search := uitest.Field(t, f.win.Canvas(), en.T("plan.model.search"))
	if f.win.Canvas().Focused() != fyne.Focusable(search) {
		t.Error("the search has no focus")
	}
	test.Type(search, "dev flux")
	search.OnSubmitted("")
	if got := f.d.Plan().Job.Model; got != "flux1-dev" {
		t.Fatalf("chosen %q", got)
	}
	f.sees("FLUX.1 [dev] · 1024 × 1024 · fp16 · 100 pictures a day", "8.2 to 9.0 GiB", "while it does this: Decoding", "Enough (8)")
	f.misses("What do you want to paint?")
}

func TestTypingRecalculatesAtOnce(t *testing.T) {
	f := newFixture(t, first)
	if n := f.answer.vram.number; n.Wrapping != fyne.TextWrapOff || n.MinSize().Width < 100 {
		t.Errorf("the number is %v wide", n.MinSize())
	}
	f.sees("2.2 to 2.9 s a picture · 1,500 pictures an hour")
	f.typeIn("job.steps", "60")
	f.sees("4.3 to 5.8 s a picture · 750 pictures an hour")
	f.typeIn("use.hours_per_sitting", "3")
	f.sees("Rented for 63 h in 30 days; starts: 21.")
	for range 2 {
		f.canvasKey(&fyne.ShortcutUndo{})
	}
	f.sees("2.2 to 2.9 s a picture", "Rented for 42 h")
	if got := f.input("job.steps").Text; got != "" {
		t.Errorf("the field still says %q", got)
	}
	f.canvasKey(&desktop.CustomShortcut{KeyName: fyne.KeyZ, Modifier: fyne.KeyModifierShortcutDefault | fyne.KeyModifierShift})
	f.sees("4.3 to 5.8 s a picture")
	if rec, ok := f.s.Get(f.d.ID()); !ok || rec.Name != "My plan" {
		t.Error("it was not kept")
	}
}

func (f *fixture) canvasKey(s fyne.Shortcut) {
	f.win.Canvas().(fyne.Shortcutable).TypedShortcut(s)
}

// TestUndoReachesTheWindowFromAField guards that a field's own undo, which
// knows nothing of the answer, is not asked.
func TestUndoReachesTheWindowFromAField(t *testing.T) {
	f := newFixture(t, first)
	e := f.input("job.steps")
	f.win.Canvas().Focus(e)
	test.Type(e, "44")
	if f.d.Plan().Job.Steps != 44 {
		t.Fatalf("steps %d", f.d.Plan().Job.Steps)
	}
	e.TypedShortcut(&fyne.ShortcutUndo{})
	if f.d.Plan().Job.Steps != 0 || e.Text != "" {
		t.Errorf("steps %d, the field says %q", f.d.Plan().Job.Steps, e.Text)
	}
}

func TestBadInputKeepsTheTextAndTheLastAnswer(t *testing.T) {
	f := newFixture(t, first)
	for text, allowed := range map[string]string{"3x": "a whole number", "-5": "a whole number", "99999": "0 to 1,000", "1,5": "a whole number"} {
		f.typeIn("job.steps", text)
		f.sees(allowed, en.T("plan.old"), "2.2 to 2.9 s a picture")
		if f.d.Plan().Job.Steps != 0 || f.d.Drafts() != 1 {
			t.Errorf("%q went into the plan", text)
		}
	}
	f.Retext(texts.For(texts.Chinese))
	if got := f.input("job.steps").Text; got != "99999" && got != "3x" && got != "-5" && got != "1,5" {
		t.Errorf("the language switch lost what was typed: %q", got)
	}
	f.Retext(en)
	f.typeIn("job.steps", "２0")
	f.misses(en.T("plan.old"))
	if f.d.Plan().Job.Steps != 20 {
		t.Errorf("full-width digits give %d", f.d.Plan().Job.Steps)
	}
	f.typeIn("job.width", "1,023")
	f.sees("64 to 8,192, a multiple of 8")
}

func TestAProblemInTheFoldOpensIt(t *testing.T) {
	p := first
	p.Job.ControlNets = 99
	f := newFixture(t, p)
	f.sees("0 to 8")
	if f.form.more.Hidden {
		t.Error("the fold hides a problem")
	}
}

func TestPatternsOfUse(t *testing.T) {
	f := newFixture(t, first)
	sel := f.form.selects["use.pattern"]
	sel.SetSelectedIndex(2)
	f.sees("Machines at once", "Spare machines", "People sharing")
	f.misses("Days a week")
	f.sees("Rented for 360 h on 30 machines; starts of each: 6.")
	sel.SetSelectedIndex(1)
	f.misses("Machines at once")
	if u := f.d.Plan().Use; u.Machines != 30 || u.DaysPerWeek != 5 {
		t.Errorf("changing the pattern lost %+v", u)
	}
	f.sees("Rented for 1.8 to 2.4 h in 30 days; starts: 30.")
	f.form.selects["use.pictures.of"].SetSelectedIndex(1)
	if u := f.d.Plan().Use.Pictures; u.Total != 100 || u.PerDay != 0 {
		t.Errorf("pictures %+v", u)
	}
}

func TestLeverChangesTheJobAndUndoTakesItBack(t *testing.T) {
	p := first
	p.Job.Batch = 4
	f := newFixture(t, p)
	f.sees("14.8 to 18.0 GiB")
	f.press(en.T("lever.vae_slicing") + ": −6.1\u2009GiB")
	f.sees("9.1 to 10.2 GiB", "while it does this: Painting")
	f.canvasKey(&fyne.ShortcutUndo{})
	f.sees("14.8 to 18.0 GiB")
}

func TestCardsInFourGroups(t *testing.T) {
	p := first
	p.Job.Batch = 4
	f := newFixture(t, p)
	f.sees("Enough (5)", "Just enough (2)", "Not enough (2)")
	f.misses("Runs, slower")
	ch := f.answer.cards.chips["RTX 4080"]
	ch.MouseIn(nil)
	f.sees("RTX 4080: 15.6 GiB usable of 16.0 GiB. The job takes 14.8 to 18.0 GiB (estimated).")
	test.Tap(ch.Tap)
	f.sees("Time on RTX 4080", "3.0 to 4.0 s a picture")
	// Another plan has a card of its own.
	f.d.Add("Other")
	f.misses("Time on RTX 4080")
}

func TestMeasuredReplacesTheEstimate(t *testing.T) {
	f := newFixture(t, first)
	f.press("I measured…")
	panel := f.win.Canvas().Overlays().Top()
	if panel == nil {
		t.Fatal("no panel")
	}
	fields := f.panelEntries()
	fields[0].SetText("1.5")
	fields[1].SetText("lots")
	f.press("Use these")
	f.sees("a number, 0 or more")
	if len(f.d.Plan().Measured) != 0 || fields[0].Text != "1.5" {
		t.Error("half a measurement was taken")
	}
	fields[1].SetText("11,000")
	f.press("Use these")
	m := f.d.Plan().Measured
	if len(m) != 1 || *m[0].SecondsPerPic != 1.5 || *m[0].PeakMiB != 11000 || m[0].StartupSeconds != nil || m[0].Date != "2026-11-29" {
		t.Fatalf("measured %+v", m)
	}
	f.sees("1.5 s a picture · 2,400 pictures an hour", "Measured by you, 2026-11-29.")
	f.press("I measured…")
	f.press("Back to the estimate")
	if len(f.d.Plan().Measured) != 0 {
		t.Error("it stays")
	}
}

func (f *fixture) panelEntries() []*widgets.Entry {
	var all []*widgets.Entry
	uitest.Visible(f.win.Canvas(), func(o fyne.CanvasObject) {
		if e, ok := o.(*widgets.Entry); ok {
			all = append(all, e)
		}
	})
	return all
}

func TestWorkflowFillsThePlan(t *testing.T) {
	f := newFixture(t, empty)
	f.found = Found{
		Job: workload.Job{Model: "flux1-dev", Steps: 25, Batch: 2}, Program: "ComfyUI",
		Understood: []Item{{Field: "model", Value: "flux1-dev.safetensors"}, {Field: "steps", Value: "25"}},
		Missed:     []Item{{Field: "FancyNode", Value: "node 17"}},
	}
	f.p.Pick = func(open func(string, io.ReadCloser, error)) {
		open("flow.json", io.NopCloser(strings.NewReader("{}")), nil)
	}
	f.press("Read a workflow…")
	if j := f.d.Plan().Job; j.Model != "flux1-dev" || j.Steps != 25 || j.Batch != 2 {
		t.Fatalf("job %+v", j)
	}
	f.sees("Filled in from flow.json (ComfyUI)", "Understood: Model flux1-dev.safetensors · Steps 25", "Not understood, please check: FancyNode node 17")
	f.Retext(texts.For(texts.Chinese))
	f.sees("看懂的：模型 flux1-dev.safetensors")
	f.Retext(en)
	f.canvasKey(&fyne.ShortcutUndo{})
	if f.d.Plan().Job.Model != "" {
		t.Error("undo leaves the workflow")
	}
	f.press("Close")
	f.misses("Filled in from")
}

func TestUnreadableFileChangesNothing(t *testing.T) {
	f := newFixture(t, first)
	f.err = errors.New("neither a workflow nor a picture with one")
	f.load("cat.png", func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("x")), nil })
	f.sees("cat.png can't be used.", "neither a workflow")
	if f.d.Plan().Job.Model != "sdxl" {
		t.Error("the plan changed")
	}
	f.press("Close")
	f.misses("cat.png")
}

func TestReadingCanBeStopped(t *testing.T) {
	f := newFixture(t, first)
	f.found = Found{Job: workload.Job{Model: "sd1.5"}}
	f.hold = true
	f.load("big.png", func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("x")), nil })
	f.sees("Reading big.png")
	f.press("Stop")
	f.misses("Reading big.png")
	for _, g := range f.held {
		g()
	}
	if f.d.Plan().Job.Model != "sdxl" {
		t.Error("a stopped reading filled the plan")
	}
}

func TestPlansInTheMenu(t *testing.T) {
	f := newFixture(t, first)
	f.typeIn("job.steps", "20")
	f.d.Duplicate(f.d.ID(), en.T("plan.copy", "name", f.d.Name()))
	f.sees("Copy of My plan")
	f.rename()
	e := f.panelEntries()[0]
	e.SetText("Night shift")
	e.OnSubmitted("")
	f.sees("Night shift")
	f.d.Delete(f.d.ID())
	f.sees("“Night shift” was deleted.")
	f.press("Bring it back")
	f.sees("Night shift")
	f.misses("was deleted")
}

func TestUnreadablePlanIsNamedAndLeftAlone(t *testing.T) {
	f := newFixture(t, first)
	f.d.Add("Second")
	id := f.d.ID()
	rec, _ := f.s.Get(id)
	rec.Body = []byte("version: 9")
	_ = f.s.SavePlan(t.Context(), rec)
	if err := f.d.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Load keeps what is open; a restart would read the body.
	g := newFixture(t, first)
	_ = g.s.SavePlan(t.Context(), rec)
	if err := g.d.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	g.sees("“Second” can't be read.", "line 1, column 1", "Copy its text")
	g.misses("The job", "Enough (")
	g.press("Copy its text")
	if got := fyne.CurrentApp().Clipboard().Content(); got != "version: 9" {
		t.Errorf("copied %q", got)
	}
}

func TestUnkeptChangesAreSaid(t *testing.T) {
	f := newFixture(t, first)
	f.s.Fail = errors.New("database or disk is full")
	f.typeIn("job.steps", "20")
	f.sees("not on the disk yet", "disk is full")
	f.s.Fail = nil
	f.press("Try again")
	f.misses("not on the disk yet")
}

func TestAdviceLeadsToTableAndBill(t *testing.T) {
	f := newFixture(t, first)
	f.sees("Going by your answers alone", "Because", "A task ends within three hours", "What speaks for the other side", "Still open", "No offer is entered.")
	f.press("In the table")
	for _, key := range []string{"article.table.billing.shared", "article.qa.long_project.a", "article.pitfall.own_time.text", "article.why.decide"} {
		f.sees(en.T(key))
	}
	if !widgets.Dismiss(f.win.Canvas()) {
		t.Fatal("the guide does not close")
	}
	f.press("To the bill")
}

func TestFormOfFourItems(t *testing.T) {
	f := newFixture(t, first)
	f.sees("8.2 to 9.0 GiB, from the job", "96 to 97 %, from how the card is used")
	f.form.selects["questions.sensitivity"].SetSelectedIndex(3)
	if got := f.d.Plan().Questions.Sensitivity; got != "contract" {
		t.Errorf("sensitivity %q", got)
	}
	test.Tap(uitest.Check(t, f.win.Canvas(), "machine root"))
	if !f.d.Plan().Questions.Root {
		t.Error("root is not asked for")
	}
	f.typeIn("questions.fail_share", "20")
	if s := f.d.Plan().Questions.FailShare; s == nil || *s != 0.2 {
		t.Errorf("share %v", s)
	}
	f.typeIn("questions.fail_share", "200")
	f.sees("Allowed: 0 to 100.")
	f.typeIn("questions.fail_share", "")
	if f.d.Plan().Questions.FailShare != nil {
		t.Error("an empty answer is one")
	}
}

func TestTrainingHasItsOwnFields(t *testing.T) {
	f := newFixture(t, first)
	f.press(en.T("plan.part.more"))
	kind := f.form.selects["job.kind"]
	kind.SetSelectedIndex(slices.Index(kind.Options, "Training a LoRA"))
	if f.d.Plan().Job.Training == nil {
		t.Fatal("no training")
	}
	f.sees("Training steps", "Rank", "Optimizer")
	f.typeIn("job.training.steps", "2000")
	if f.d.Plan().Job.Training.Steps != 2000 {
		t.Error("steps are lost")
	}
	kind.SetSelectedIndex(0)
	f.misses("Training steps")
}

// TestNothingIsWiderThanTheWindow guards that nothing scrolls sideways in the
// smallest window, in both languages, with larger text too.
func TestNothingIsWiderThanTheWindow(t *testing.T) {
	for _, l := range texts.Langs() {
		p := first
		p.Job.Batch, p.Job.Hires, p.Job.Upscaler = 4, &workload.Hires{Scale: 2}, &workload.Upscaler{Scale: 4}
		f := newFixture(t, p)
		f.more = true
		f.Retext(texts.For(l))
		form, viewport := f.form.scroll.Content.MinSize().Width, f.form.scroll.Size().Width
		if form > viewport {
			t.Errorf("%s: the form is %v wide in %v", l, form, viewport)
		}
		right, room := f.answer.scroll.Content.MinSize().Width, f.answer.scroll.Size().Width
		if right > room {
			t.Errorf("%s: the answer is %v wide in %v", l, right, room)
		}
		if m := f.Content().MinSize(); m.Width > 980 || m.Height > 650 {
			t.Errorf("%s: the place wants %v", l, m)
		}
	}
}

func TestLanguageSwitchLeavesNothingBehind(t *testing.T) {
	f := newFixture(t, first)
	f.more = true
	f.form.unfold()
	f.Retext(texts.For(texts.Chinese))
	for _, s := range uitest.Texts(f.win.Canvas()) {
		if strings.HasPrefix(s, "plan.") || strings.Contains(s, "Pictures") || strings.Contains(s, "Steps") || strings.Contains(s, "usual") {
			t.Errorf("%q is left", s)
		}
	}
}

func TestNothingIsDrawnUnseen(t *testing.T) {
	f := newFixture(t, first)
	f.Hidden()
	f.d.Edit("", func(p *core.Plan) { p.Job.Steps = 60 })
	f.misses("4.3 to 5.8 s a picture")
	f.Shown()
	f.sees("4.3 to 5.8 s a picture")
}

func TestNumbersAsPeopleTypeThem(t *testing.T) {
	for in, want := range map[string]string{
		"1000": "1000", "1,000": "1000", "1,000,000": "1000000", "1,5": "1,5", " 20 ": "20", "２０．５": "20.5", "1,000.5": "1000.5",
		"1 000": "1000", "12，000": "12000", "": "", ",": ",",
	} {
		if got := plainNumber(in); got != want {
			t.Errorf("%q reads as %q, want %q", in, got, want)
		}
	}
	for _, bad := range []string{"NaN", "inf", "1e99", "0x10", "1_0", "-1", "abc", "1,5"} {
		if v, problem := number(bad); problem.IsZero() {
			t.Errorf("%q is taken for %v", bad, v)
		}
	}
}

func TestSearchOfModels(t *testing.T) {
	var found []string
	for _, m := range models {
		if matches(m, "flux SCHNELL") {
			found = append(found, m.ID)
		}
	}
	if fmt.Sprint(found) != "[flux1-schnell]" {
		t.Errorf("found %v", found)
	}
}

func TestZeroIsNotTheUsual(t *testing.T) {
	f := newFixture(t, first)
	f.typeIn("job.steps", "0")
	f.sees("left empty, the usual one counts")
	if f.input("job.steps").Text != "0" || f.d.Drafts() != 1 {
		t.Errorf("the text is %q", f.input("job.steps").Text)
	}
	f.typeIn("job.steps", "")
	f.misses("left empty")
}

func TestAProblemOfASizeNamesItsSide(t *testing.T) {
	f := newFixture(t, first)
	f.typeIn("job.height", "7")
	f.sees("Height: 64 to 8,192")
	f.misses("Width:")
	a, b := f.input("job.width").Size().Width, f.input("job.height").Size().Width
	if a != b {
		t.Errorf("the fields are %g and %g wide", a, b)
	}
}

func TestADecimalCommaIsAnswered(t *testing.T) {
	f := newFixture(t, first)
	f.typeIn("use.hours_per_sitting", "2,5")
	f.sees("with a point: 2.5")
}

func TestWhatWasReadIsSaidAnew(t *testing.T) {
	f := newFixture(t, first)
	f.p.Pick = func(open func(string, io.ReadCloser, error)) {
		open("a.json", io.NopCloser(strings.NewReader("x")), nil)
	}
	for _, missed := range []string{"Wizard", "Dragon"} {
		f.found = Found{Job: workload.Job{Model: "sdxl"}, Missed: []Item{{Field: missed}}, Program: "ComfyUI"}
		f.press("Read a workflow…")
		f.sees(missed)
	}
	f.misses("Wizard")
	f.err = errors.New("neither")
	f.Place.p.Say = func(c *texts.Catalogue, err error) string { return string(c.Lang) + " " + err.Error() }
	f.press("Read a workflow…")
	f.sees("en neither")
	f.Retext(texts.For(texts.Chinese))
	f.sees("zh neither")
	f.misses("en neither")
}

func TestColumnsOfACardAreSaidInWords(t *testing.T) {
	f := newFixture(t, first)
	f.Retext(texts.For(texts.Chinese))
	got := f.cardText(workload.CardAnswer{Card: workload.Card{
		Name: "X", Unverified: []string{"vram_total_mib", "vram_mib_note", "tdp_w (derived)"},
	}})
	if !strings.Contains(got, "显存总量、功耗上限。") || strings.Contains(got, "。 ") {
		t.Errorf("said %q", got)
	}
}

func TestAdviceKeepsItsRows(t *testing.T) {
	f := newFixture(t, first)
	before := slices.Clone(f.answer.advice.col.Objects)
	r := f.good
	r.Advice.Sentence = texts.P("advice.sentence.questions", "choice", texts.P("advice.choice.dedicated"))
	r.Advice.Reasons = slices.Clone(r.Advice.Reasons)
	r.Advice.Reasons[0].Text = texts.P("advice.say.duration.long")
	f.answer.advice.sync(r)
	if !slices.Equal(before, f.answer.advice.col.Objects) {
		t.Error("other words make other rows")
	}
	f.sees(en.T("advice.say.duration.long"))
	r.Advice.Reasons = r.Advice.Reasons[1:]
	f.answer.advice.sync(r)
	f.misses(en.T("advice.say.duration.long"))
}

func TestTheFootKeepsItsButtonsLow(t *testing.T) {
	f := newFixture(t, first)
	before := uitest.Button(t, f.win.Canvas(), en.T("plan.advice.bill")).Size().Height
	r := f.good
	r.Advice.Sentence = texts.P("advice.sentence.questions", "choice", strings.Repeat("a long sentence ", 30))
	f.answer.advice.sync(r)
	relay(f.answer.full)
	relay(f.answer.advice.foot)
	if after := uitest.Button(t, f.win.Canvas(), en.T("plan.advice.bill")).Size().Height; after != before {
		t.Errorf("the button grew from %g to %g", before, after)
	}
}
