package shots

import (
	"fyne.io/fyne/v2"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/plan"
	"rentgen/ui/bill"
	"rentgen/ui/uitest"
	"rentgen/ui/widgets"
)

// made is an offer of the scenes; its price is an example.
func made(name, provider, card string, unit offer.Unit, price string, currency money.Currency, machine offer.Machine, disk int64) offer.Offer {
	o, _ := offer.Start(provider, offer.Five{
		Card: offer.Card{Name: card}, Unit: unit, Price: money.MustParse(price), Currency: currency, Machine: machine,
		DataDiskGB: money.Int(disk), Name: name,
	})
	o.Example = true
	return o
}

// Choosing is a plan of the scenes with an offer of every kind, some of which
// have no total.
func Choosing() plan.Plan {
	p := Illustrator()
	p.Name = "Which one?"
	p.Questions.Proven = false
	p.Rates = money.Rates{{From: "USD", To: "CNY", Value: money.MustParse("7.1"), Date: "2026-11-20"}}
	spot := made("RunPod spot", "runpod", "RTX 4090", offer.Hour, "0.34", "USD", offer.Container, 50)
	spot.Terms[offer.Interruption] = offer.Term{Value: "spot", Status: offer.Told, Date: "2026-11-20"}
	spot.Terms[offer.InterruptRate] = offer.Term{Value: "0.05", Status: offer.Typed}
	p.Offers = append(p.Offers, spot,
		made("Week pass", "", "RTX 4090", offer.Week, "330", "CNY", offer.VM, 20),
		made("No price yet", "gpushare", "RTX 3090", offer.Hour, "0", "CNY", offer.Container, 0),
		made("Euro box", "", "L40S", offer.Month, "590", "EUR", offer.BareMetal, 0),
		made("Small card", "", "RTX 3060", offer.Hour, "0.6", "CNY", offer.VM, 0),
		made("A100 of the institute with the long name", "", "A100 80GB", offer.Hour, "6.68", "CNY", offer.VM, 50),
		made("By the second", "runpod", "RTX 4090", offer.Second, "0.0002", "USD", offer.Container, 20),
		made("Aliyun A10", "aliyun", "A10", offer.Hour, "9.5", "CNY", offer.VM, 40),
		made("Day card", "", "RTX 3090", offer.Day, "28", "CNY", offer.VM, 0),
		made("Year card", "", "RTX 4090", offer.Year, "11800", "CNY", offer.BareMetal, 0),
	)
	return p
}

func onBill(more func(s *Stage)) func(s *Stage) {
	return onPlan(func(s *Stage) {
		s.Win.Frame().Show("bill")
		if more != nil {
			more(s)
		}
	})
}

// billOf is the Bill place, to which the scenes go as Plan does.
func billOf(s *Stage) *bill.Place { return s.Win.Bill() }

// billScenes are those of the Bill.
func billScenes() []Scene {
	two, many := []plan.Plan{Illustrator()}, []plan.Plan{Choosing()}
	return []Scene{
		{Name: "bill-empty", Play: onBill(nil)},
		{Name: "bill-two", Plans: two, Play: onBill(nil)},
		{Name: "bill-many", Plans: many, Play: onBill(nil)},
		{Name: "bill-many-pictures", Plans: many, Play: onBill(func(s *Stage) { pressIf(s, "billpage.pictures") })},
		{Name: "bill-mixed", Plans: many, Play: onBill(func(s *Stage) { billOf(s).Reveal("AutoDL 4090 → Small card", "") })},
		{Name: "bill-chances", Plans: two, Play: onBill(func(s *Stage) { press(s, "billpage.chances") })},
		{Name: "bill-pictures", Plans: two, Play: onBill(func(s *Stage) { pressIf(s, "billpage.pictures") })},
		{Name: "bill-cell", Plans: two, Play: onBill(func(s *Stage) { billOf(s).Reveal("AutoDL 4090", sheet.LineDataDisk) })},
		{Name: "bill-total", Plans: many, Play: onBill(func(s *Stage) { billOf(s).Reveal("RunPod spot", "") })},
		{Name: "bill-questions", Plans: two, Play: onBill(func(s *Stage) { billOf(s).Reveal("AutoDL 4090", sheet.LineUnknown) })},
		{Name: "bill-new", Plans: two, Play: onBill(func(s *Stage) {
			press(s, "billpage.new")
			uitest.Field(s.T, s.Canvas(), "0.00").SetText("1,88")
			press(s, "billpage.new.add")
		})},
		{Name: "bill-settings", Plans: many, Play: onBill(func(s *Stage) { press(s, "billpage.settings") })},
		{Name: "bill-help", Plans: two, Play: onBill(func(s *Stage) { s.Win.Frame().Help() })},
	}
}

// pressIf presses a button where it is seen: in a wide window it isn't needed.
func pressIf(s *Stage, key string) {
	seen := false
	uitest.Visible(s.Canvas(), func(o fyne.CanvasObject) {
		b, ok := o.(*widgets.Button)
		seen = seen || ok && b.Text == s.Win.Texts().T(key)
	})
	if seen {
		press(s, key)
	}
}
