package bill

import (
	"bytes"
	"context"
	"io"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	core "rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/assets/texts"
	"rentgen/ui/desk"
	"rentgen/ui/desk/desktest"
	"rentgen/ui/theme"
)

var catalogue = workload.Load()

// fixture is a place in a window of its own, on a plan that is kept in memory.
type fixture struct {
	*Place
	t    testing.TB
	d    *desk.Desk
	win  fyne.Window
	out  bytes.Buffer // what was written last
	name string       // under which name
	pick func() (string, string)
}

type sink struct{ f *fixture }

func (s sink) Write(b []byte) (int, error) { return s.f.out.Write(b) }
func (s sink) Close() error                { return nil }

func newFixture(t testing.TB, lang texts.Lang, p core.Plan) *fixture {
	t.Helper()
	a := test.NewTempApp(t)
	a.Settings().SetTheme(theme.New(theme.Params{Ground: theme.Dark}))
	f := &fixture{t: t, win: a.NewWindow("bill")}
	dp := desktest.Params(&desktest.Store{}, p, func(p core.Plan) core.Result { return core.Evaluate(catalogue, p) })
	dp.Chances = func(ctx context.Context, p core.Plan, r core.Result, _ int, progress func(int)) (sheet.Chance, error) {
		return core.Chances(ctx, catalogue, p, r, 2000, progress)
	}
	f.d = desk.New(dp)
	var cards []string
	for _, k := range catalogue.Cards() {
		cards = append(cards, k.Name)
	}
	f.Place = New(Params{
		Texts: texts.For(lang), Desk: f.d, Window: f.win, Cards: func() []string { return cards }, Examples: examples,
		Curves: func(p core.Plan, r core.Result, most float64, points int) ([]sheet.Curve, []sheet.Crossing) {
			return sheet.Curves(core.SheetParams(catalogue, p, r.Fit), most, points)
		},
		Plan: func() {},
		Pick: func(_ []string, open func(string, io.ReadCloser, error)) {
			name, text := f.pick()
			open(name, io.NopCloser(bytes.NewReader([]byte(text))), nil)
		},
		Ask: func(name string, write func(io.WriteCloser, func())) {
			f.name = name
			f.out.Reset()
			write(sink{f}, func() {})
		},
		Now: func() time.Time { return time.Date(2026, 11, 29, 10, 57, 30, 0, time.UTC) },
		Go:  func(do func()) { do() }, Do: func(do func()) { do() },
	})
	f.win.SetPadded(false)
	f.win.SetContent(f.Content())
	f.resize(1144, 752)
	f.Shown()
	return f
}

// resize gives the place a size, as the frame does.
func (f *fixture) resize(w, h float32) {
	f.win.Resize(fyne.NewSize(w, h))
	f.settle()
}

// settle lays everything out again, as the real canvas does before it paints.
func (f *fixture) settle() {
	for range 2 {
		f.root.Refresh()
		if top := f.win.Canvas().Overlays().Top(); top != nil {
			top.Refresh()
		}
	}
}

func examples() ([]offer.Offer, money.Rates) {
	p, err := core.Read(core.Example("bill"))
	if err != nil {
		panic(err)
	}
	return p.Offers, p.Rates
}

// painting is a plan of a person who paints with SDXL in the evenings.
func painting(offers ...offer.Offer) core.Plan {
	p, err := core.Read(core.Example("bill"))
	if err != nil {
		panic(err)
	}
	p.Name = "SDXL, evenings"
	p.Offers = offers
	return p
}

func three() []offer.Offer {
	a, _ := offer.Start("autodl", offer.Five{
		Card: offer.Card{Name: "RTX 4090"}, Unit: offer.Hour, Price: money.MustParse("1.88"), DataDiskGB: money.Int(50),
		Balance: ptr(money.Int(36)), Name: "AutoDL 4090",
	})
	b, _ := offer.Start("", offer.Five{
		Card: offer.Card{Name: "RTX 4090"}, Unit: offer.Month, Price: money.Int(1180), Currency: "CNY", Machine: offer.VM,
		DataDiskGB: money.Int(200), Name: "Month card A",
	})
	b.Terms[offer.DataDiskFree] = offer.Term{Value: "200", Status: offer.Typed}
	c, _ := offer.Start("runpod", offer.Five{
		Card: offer.Card{Name: "RTX 4090"}, Unit: offer.Hour, Price: money.MustParse("0.34"), Currency: "USD", Machine: offer.Container,
		DataDiskGB: money.Int(50), Name: "RunPod spot",
	})
	c.Terms[offer.Interruption] = offer.Term{Value: "spot", Status: offer.Told, Date: "2026-11-20"}
	c.Terms[offer.InterruptRate] = offer.Term{Value: "0.05", Status: offer.Typed}
	return []offer.Offer{a, b, c}
}

// twelve are enough to be on several pages, with every status among them.
func twelve() []offer.Offer {
	all := three()
	more := []struct{ name, provider, card, unit, price, currency string }{
		{"Long name of an offer by the Hangzhou Institute of Rented Machines", "", "A100 80GB", "hour", "6.68", "CNY"},
		{"No price yet", "gpushare", "RTX 3090", "hour", "0", "CNY"},
		{"Euro box", "", "L4", "month", "390", "EUR"},
		{"Too small", "", "GTX 1660", "hour", "0.4", "CNY"},
		{"Week pass", "", "RTX 4090", "week", "330", "CNY"},
		{"Yearly", "", "RTX 4090", "year", "11800", "CNY"},
		{"By the second", "runpod", "RTX 4090", "second", "0.0002", "USD"},
		{"Aliyun A10", "aliyun", "A10", "hour", "9.5", "CNY"},
		{"Day ticket", "", "RTX 3090", "day", "28", "CNY"},
	}
	for _, m := range more {
		o, _ := offer.Start(m.provider, offer.Five{
			Card: offer.Card{Name: m.card}, Unit: offer.Unit(m.unit), Price: money.MustParse(m.price), Currency: money.Currency(m.currency),
			Machine: offer.VM, DataDiskGB: money.Int(20), Name: m.name,
		})
		all = append(all, o)
	}
	return all
}

func ptr[T any](v T) *T { return &v }
