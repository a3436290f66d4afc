package watch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/app/judge"
	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/assets/texts"
	"rentgen/ui/chart"
	"rentgen/ui/hosts"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
	"rentgen/ui/verdict/verdicttest"
)

// model says what a test gives it.
type model struct {
	verdicttest.Judge
	glance purse.Glance
	known  bool
}

func (m *model) Glance(string) (purse.Glance, bool) { return m.glance, m.known }

func fullModel() *model {
	m := &model{known: true, glance: purse.Glance{
		Priced: true, Currency: "CNY", PerHour: money.MustParse("1.88"), Running: true, Busy: true, Today: money.Sure(money.MustParse("4.1")),
	}}
	m.Set("a", verdicttest.Verdicts(now))
	return m
}

func newJudgedPlace(t testing.TB, cards int, m Model, change ...func(*Params)) *rig {
	t.Helper()
	do := func(f func()) { f() }
	return newPlace(t, cards, time.Hour, append([]func(*Params){func(p *Params) { p.Model, p.Do, p.Go = m, do, do }}, change...)...)
}

func (r *rig) canvas() fyne.Canvas { return r.w.p.Window.Canvas() }

func (r *rig) sees(t *testing.T, want bool, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if uitest.Sees(r.canvas(), p) != want {
			t.Errorf("%q seen is %v; there is %q", p, !want, uitest.Texts(r.canvas()))
		}
	}
}

func TestTheVerdictStandsUnderTheHead(t *testing.T) {
	m := fullModel()
	asked := 0
	r := newJudgedPlace(t, 1, m, func(p *Params) { p.Actions.Cost = func(*hosts.Host) { asked++ } })
	r.sees(t, true, "Stable; no other tenant seen · for 42 min · almost certain", "idle 0 min · today ¥4.10", "Why is it slow?", "Verdicts (5)")
	r.sees(t, false, "The card did nothing")

	m.glance.Idle, m.glance.IdleFor, m.glance.IdleCost = true, 34*time.Minute, money.MustParse("1.06")
	r.now = r.now.Add(time.Second)
	r.w.Tick()
	r.sees(t, true, "idle 34 min, ¥1.06 · today ¥4.10")

	m.glance.Priced = false
	r.now = r.now.Add(time.Second)
	r.w.Tick()
	r.sees(t, true, "idle 34 min · say what it costs")
	r.sees(t, false, "¥")
	test.Tap(r.w.front.judged.press)
	if asked != 1 {
		t.Error("the meter opens nothing")
	}
	m.known = false
	r.now = r.now.Add(time.Second)
	r.w.Tick()
	r.sees(t, false, "idle 34 min", "say what it costs")
}

func TestVerdictsAreListedAndJumpToTheirSpan(t *testing.T) {
	r := newJudgedPlace(t, 1, fullModel())
	uitest.Press(t, r.canvas(), r.w.front.listed.toggle.Text)
	r.sees(t, true, "The card did nothing", "09:20 – 09:29, 9 min")
	// What was unfolded stays so for the next board.
	r.w.Retext(texts.For(texts.English))
	r.sees(t, true, "The card did nothing")
	v := verdicttest.Verdicts(now)[1]
	r.w.front.jump(v)
	from, to := r.w.front.group.View()
	if r.w.front.group.Live() || from.After(v.From) || to.Before(v.To) {
		t.Errorf("the charts show %v to %v", from, to)
	}
	at := v.From.Add(time.Minute)
	r.w.front.group.SetCursor(at)
	if got := strings.Join(r.w.front.charts[0].Values(), " "); !strings.Contains(got, "The card did nothing") {
		t.Errorf("in its span the chart says %q", got)
	}
	r.w.ShowSpan(now.Add(-time.Minute), now)
	if a, _ := r.w.front.group.View(); now.Sub(a) > 2*time.Minute {
		t.Errorf("the charts begin at %v", a)
	}
}

func TestEachCardHasItsVerdict(t *testing.T) {
	m := fullModel()
	r := newJudgedPlace(t, 2, m)
	uuid := r.w.front.cards[1].UUID
	vs := append(verdicttest.Verdicts(now), judge.Verdict{
		Kind: judge.Idle, Level: judge.Warn, GPU: uuid, From: now.Add(-10 * time.Minute), To: now, Open: true, Confidence: 1,
		Say: verdicttest.Words("The card does nothing", ""),
	})
	m.Set("a", vs)
	r.w.Tick()
	if a, b := r.w.front.tiles[0].verdict, r.w.front.tiles[1].verdict; a != theme.Pass || b != theme.Warn {
		t.Errorf("the cards show %q and %q", a, b)
	}
	r.sees(t, true, "Card 1: The card does nothing")
	b := r.w.front
	bands := func(gpu string) int {
		var d chart.Data
		b.addBands(gpu, now.Add(-time.Hour), now, &d)
		return len(d.Bands)
	}
	if a, z := bands(b.cards[0].UUID), bands(uuid); z != a+1 {
		t.Errorf("%d and %d bands", a, z)
	}
	b.jump(vs[len(vs)-1])
	if b.open != uuid {
		t.Error("the card of the verdict is not opened")
	}
}

func TestWhyOpensFromThePage(t *testing.T) {
	m := fullModel()
	m.Found.Verdicts = verdicttest.Slow(now)
	r := newJudgedPlace(t, 1, m)
	uitest.Press(t, r.canvas(), "Why is it slow?")
	r.sees(t, true, "Why is Box slow?", "VRAM is full", "Use the FP8 model")
}

func TestWithoutAModelThereIsNoVerdict(t *testing.T) {
	r := newPlace(t, 1, time.Minute)
	r.sees(t, false, "Why is it slow?", "Verdicts")
}

// TestATickWithNothingNewIsFree keeps the page cheap while it stands.
func TestATickWithNothingNewIsFree(t *testing.T) {
	before := testing.AllocsPerRun(20, newPlace(t, 1, time.Minute).w.Tick)
	after := testing.AllocsPerRun(20, newJudgedPlace(t, 1, fullModel()).w.Tick)
	if after > before {
		t.Errorf("a tick allocates %v times with verdicts, %v without", after, before)
	}
}

// TestShots writes the place as PNG into RENTGEN_SHOTS, to be looked at.
func TestShots(t *testing.T) {
	dir := os.Getenv("RENTGEN_SHOTS")
	if dir == "" {
		t.Skip("RENTGEN_SHOTS names no folder; make shots does")
	}
	for _, l := range texts.Langs() {
		for _, g := range []theme.Ground{theme.Light, theme.Dark} {
			for _, size := range []fyne.Size{fyne.NewSize(980, 662), fyne.NewSize(1152, 762)} {
				for name, play := range map[string]func() *rig{
					"judged": func() *rig { return newJudgedPlace(t, 1, fullModel()) },
					"eight":  func() *rig { return newJudgedPlace(t, 8, fullModel()) },
					"listed": func() *rig {
						r := newJudgedPlace(t, 1, fullModel())
						test.Tap(r.w.front.listed.toggle)
						return r
					},
				} {
					r := play()
					r.w.span = time.Hour
					fyne.CurrentApp().Settings().SetTheme(theme.New(theme.Params{Ground: g}))
					r.w.Retext(texts.For(l))
					r.w.p.Window.Resize(size)
					for range 2 {
						r.canvas().Content().Refresh()
					}
					uitest.Save(t, filepath.Join(dir, "watch-"+name+"-"+string(l)+"-"+string(g)+"-"+texts.Number(float64(size.Width), 0)+".png"), r.canvas())
				}
			}
		}
	}
}
