package measuring_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/bill/offer"
	"rentgen/app/guide"
	"rentgen/app/guide/ledger"
	"rentgen/app/judge"
	"rentgen/app/judge/slow"
	core "rentgen/app/plan"
	"rentgen/app/purse/measured"
	"rentgen/app/purse/meter"
	"rentgen/app/workload"
	"rentgen/assets/texts"
	"rentgen/ui/bill"
	"rentgen/ui/desk"
	"rentgen/ui/desk/desktest"
	"rentgen/ui/measuring"
	"rentgen/ui/plan"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
)

const text = `
name: Evenings
days: 30
job: {model: sdxl, width: 1024, height: 1024, steps: 30}
use: {pattern: screen, days_per_week: 7, hours_per_sitting: 2, pictures: {per_day: 400}}
offers:
  - name: AutoDL 4090
    provider: autodl
    card: {name: RTX 4090}
    payment: {unit: hour, price: "1.88"}
`

var cat = workload.Load()

func at(d, h int) time.Time { return time.Date(2026, 11, d, h, 0, 0, 0, time.Local) }

// read is what was measured on a host: a start in log 12, ten hours of sessions, and
// a log whose job nobody knows.
func read(t *testing.T, p core.Plan) []measured.Measured {
	t.Helper()
	l := ledger.Ledger{Started: at(28, 20), Job: cat.Filled(p.Job).Key(), Card: "RTX 4090"}
	for s, v := range map[ledger.Stage]float64{ledger.Boot: 50, ledger.Page: 10, ledger.Pull: 12, ledger.Load: 24, ledger.First: 31, ledger.Warm: 6.5} {
		l.Set(s, v, ledger.Host, at(28, 20).Add(5*time.Minute))
	}
	e, err := guide.NewEntry(guide.KindLedger, "1", at(28, 20), l)
	if err != nil {
		t.Fatal(err)
	}
	return measured.Gather(measured.Of{
		Host:    measured.Host{ID: "box", Name: "AutoDL 4090", Provider: "autodl"},
		Entries: []guide.Entry{e},
		Sessions: []meter.SessionCost{{
			Session: meter.Session{Start: at(28, 20), Last: at(28, 20).Add(10 * time.Hour)}, BusyS: 22_320, IdleS: 13_680,
		}},
		Logs: []measured.Log{{ID: 14, From: at(29, 9), To: at(29, 12), Card: "RTX 4090"}, {ID: 12, From: at(28, 20), To: at(29, 6), Card: "RTX 4090"}},
		Phases: []judge.Phase{{
			Recording: 14, Host: "box", From: at(29, 10), To: at(29, 11), Seconds: 3600,
			Stats: map[string]judge.Stat{slow.PictureKey: {N: 1, Mean: 9.25}},
		}},
	})
}

type fixture struct {
	t     *testing.T
	c     *texts.Catalogue
	d     *desk.Desk
	m     *measuring.Model
	plan  *plan.Place
	bill  *bill.Place
	win   fyne.Window
	all   []measured.Measured
	err   error
	start core.Plan
}

func newFixture(t *testing.T, lang texts.Lang, have func(t *testing.T, p core.Plan) []measured.Measured) *fixture {
	t.Helper()
	p, err := core.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, c: texts.For(lang), start: p}
	if have != nil {
		f.all = have(t, p)
	}
	a := test.NewTempApp(t)
	a.Settings().SetTheme(theme.New(theme.Params{Ground: theme.Dark}))
	f.win = test.NewTempWindow(t, nil)
	f.win.SetPadded(false)
	f.win.Resize(fyne.NewSize(980, 662))
	f.d = desk.New(desktest.Params(&desktest.Store{}, p, func(p core.Plan) core.Result { return core.Evaluate(cat, p) }))
	f.d.AddKeys(f.win.Canvas(), func() bool { return true })
	do := func(g func()) { g() }
	f.m = measuring.New(measuring.Params{
		Desk: f.d, Go: do, Do: do,
		Read: func(context.Context) ([]measured.Measured, error) { return f.all, f.err },
	})
	now := func() time.Time { return at(30, 12) }
	f.plan = plan.New(plan.Params{
		Texts: f.c, Desk: f.d, Window: f.win, Measured: f.m, Now: now, Go: do, Do: do,
		Key: func(j workload.Job) string { return cat.Filled(j).Key() },
		Models: func() []plan.Model {
			return []plan.Model{{ID: "sdxl", Name: "Stable Diffusion XL"}}
		},
	})
	f.bill = bill.New(bill.Params{Texts: f.c, Desk: f.d, Window: f.win, Measured: f.m, Now: now, Go: do, Do: do})
	f.show("plan")
	return f
}

// show opens a place as the frame does.
func (f *fixture) show(place string) {
	f.plan.Hidden()
	f.bill.Hidden()
	if place == "plan" {
		f.win.SetContent(f.plan.Content())
		f.plan.Shown()
	} else {
		f.win.SetContent(f.bill.Content())
		f.bill.Shown()
	}
	f.win.Resize(fyne.NewSize(980, 662))
}

func (f *fixture) press(key string) {
	f.t.Helper()
	uitest.Press(f.t, f.win.Canvas(), f.c.T(key))
}

func (f *fixture) sees(words ...string) {
	f.t.Helper()
	for _, s := range words {
		s = strings.ReplaceAll(s, "\u2009", " ") // as the page is read
		if !uitest.Sees(f.win.Canvas(), s) {
			f.t.Errorf("%q is not seen in %q", s, uitest.Texts(f.win.Canvas()))
		}
	}
}

func (f *fixture) misses(words ...string) {
	f.t.Helper()
	for _, s := range words {
		if uitest.Sees(f.win.Canvas(), s) {
			f.t.Errorf("%q is seen", s)
		}
	}
}

// offers is what the notice says first, in each language.
var offers = map[texts.Lang]string{
	texts.English: "Measured on AutoDL 4090: start 96 s, 6.5 s a picture, 62 % used",
	texts.Chinese: "在「AutoDL 4090」上实测：开机 96 秒，每张图 6.5 秒，",
}

// TestNothingIsReplacedSilently: the notice comes in both places, changes nothing by
// itself, puts the figures in on a press, says where they are from, and Ctrl+Z takes
// them back.
func TestNothingIsReplacedSilently(t *testing.T) {
	for _, lang := range texts.Langs() {
		for _, place := range []string{"plan", "bill"} {
			t.Run(string(lang)+"/"+place, func(t *testing.T) {
				f := newFixture(t, lang, read)
				f.show(place)
				f.sees(offers[lang])
				if p := f.d.Plan(); len(p.Measured) > 0 || len(p.Offers[0].Terms) != len(f.start.Offers[0].Terms) || f.d.CanUndo() {
					t.Fatal("the plan has changed before anyone said so")
				}
				f.press("measuring.use")
				p := f.d.Plan()
				if len(p.Measured) != 1 || *p.Measured[0].SecondsPerPic != 6.5 || p.Measured[0].Source != "log 12" || p.Offers[0].Terms[offer.BootWait].Value != "60.0" {
					t.Fatalf("%+v, %+v", p.Measured, p.Offers[0].Terms)
				}
				f.misses(offers[lang])
				f.sees(strings.TrimRight(f.c.T("measuring.done", "what", ""), ".。"), f.c.T("measured.log", "id", "12"))
				if place == "plan" {
					f.sees(f.c.T("measuring.origin", "source", f.c.T("measured.log", "id", "12"), "date", "2026-11-28"))
				} else if !f.d.Result().Sheet.Bills[0].Usage.Measured {
					t.Error("the bill takes the seconds for an estimate")
				} else {
					f.bill.Reveal("AutoDL 4090", "wait")
					f.sees(f.c.T("bill.join", "a", f.c.T("bill.origin.measured"), "b", f.c.T("bill.join", "a", f.c.T("measured.log", "id", "12"), "b", "2026-11-28")))
					f.bill.Escape()
				}
				f.press("measuring.each")
				f.sees(strings.TrimRight(f.c.T("measured.was.estimate", "band", ""), ".。"))
				f.press("measuring.close")
				f.win.Canvas().(fyne.Shortcutable).TypedShortcut(&fyne.ShortcutUndo{})
				if p := f.d.Plan(); len(p.Measured) > 0 || f.d.CanUndo() {
					t.Error("it takes more than one step of undo")
				}
				f.sees(offers[lang])
			})
		}
	}
}

// TestUndoAndClose: the notice's own undo works while it is the last step.
func TestUndoAndClose(t *testing.T) {
	f := newFixture(t, texts.English, read)
	f.press("measuring.use")
	f.press("measuring.undo")
	f.sees(offers[texts.English])
	if len(f.d.Plan().Measured) > 0 {
		t.Error("it wasn't undone")
	}
	f.press("measuring.use")
	f.d.Edit("", func(p *core.Plan) { p.Days = 60 })
	f.misses(f.c.T("measuring.undo"))
	f.m.Undo()
	if f.d.Plan().Days != 60 {
		t.Error("undo takes back what came later")
	}
	f.press("measuring.close")
	f.misses("In the plan now")
	f.sees("A picture every 9.25 s in log 14 (AutoDL 4090, 29 Nov 2026)") // which needs a word of the user
}

// TestAJobThatNobodyNamedNeedsAWord: the rhythm of a log is only taken where the user
// says that it was this job.
func TestAJobThatNobodyNamedNeedsAWord(t *testing.T) {
	f := newFixture(t, texts.English, func(t *testing.T, p core.Plan) []measured.Measured {
		return slices.DeleteFunc(read(t, p), func(m measured.Measured) bool { return m.Kind != measured.Pace })
	})
	f.sees("A picture every 9.25 s in log 14", "Which job ran then isn't known")
	f.misses(f.c.T("measuring.use"))
	f.press("measuring.each")
	var checks []*widget.Check
	uitest.Visible(f.win.Canvas(), func(o fyne.CanvasObject) {
		if c, ok := o.(*widget.Check); ok {
			checks = append(checks, c)
		}
	})
	if len(checks) == 0 || checks[len(checks)-1].Checked {
		t.Fatalf("%d boxes, or it is ticked by itself", len(checks))
	}
	f.sees("RTX 4090: 9.25 s a picture, measured (log 14, 29 Nov 2026). In place of the estimate of")
	checks[len(checks)-1].SetChecked(true)
	f.press("measuring.take")
	if p := f.d.Plan(); len(p.Measured) != 1 || *p.Measured[0].SecondsPerPic != 9.25 || p.Measured[0].Source != "log 14" {
		t.Errorf("%+v", p.Measured)
	}
}

// TestSilence: where nothing was measured, where it was put off, and for another job
// there is no notice; one that can't be read is told.
func TestSilence(t *testing.T) {
	f := newFixture(t, texts.English, nil)
	f.misses("Measured on", f.c.T("measuring.each"))
	f.all = read(t, f.start)
	f.m.Load()
	f.sees(offers[texts.English])
	f.press("measuring.later")
	f.misses("Measured on", f.c.T("measuring.each"))
	f.d.Edit("", func(p *core.Plan) { p.Job.Model = "" })
	f.misses("6.5 s a picture")
	f.err = errors.New("no disk")
	f.m.Load()
	f.sees(f.c.T("measuring.failed"))
	f.err = nil
	f.press("measuring.retry")
	f.misses(f.c.T("measuring.failed"))
}

// TestPictures writes the notices as PNG into RENTGEN_PICTURES, to be looked at.
func TestPictures(t *testing.T) {
	dir := os.Getenv("RENTGEN_PICTURES")
	if dir == "" {
		t.Skip("RENTGEN_PICTURES is not set")
	}
	for _, lang := range texts.Langs() {
		for _, place := range []string{"plan", "bill"} {
			f := newFixture(t, lang, read)
			f.show(place)
			take := func(name string) {
				f.win.Content().Refresh()
				uitest.Save(t, filepath.Join(dir, "measured-"+place+"-"+name+"-"+string(lang)+".png"), f.win.Canvas())
			}
			take("offer")
			f.press("measuring.each")
			take("each")
			f.press("measuring.cancel")
			f.press("measuring.use")
			take("done")
		}
	}
}
