package plan

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/workload"
)

// FuzzEvaluate works out whatever can be read, sensible or not: the window shows
// a plan while it is being typed.
func FuzzEvaluate(f *testing.F) {
	for _, kind := range Kinds() {
		f.Add(Example(kind))
	}
	f.Add([]byte(whole))
	f.Add([]byte("job: {model: sdxl}\noffers:\n- {name: a}\n"))
	f.Add([]byte("job: {model: sdxl, width: -8, batch: 2147483647}\nuse: {pattern: timetable, machines: 2147483647, weeks: 2147483647}\n"))
	f.Add([]byte("job: {model: none}\nuse: {pattern: none, pictures: {per_day: -1}}\noffers:\n- {name: a, payment: {unit: hour, price: 1e15}}\n"))
	f.Add([]byte("job: {model: sd1.5}\nuse: {pattern: screen, days_per_week: 1e15, hours_per_sitting: 1e-9}\noffers:\n- {name: a, machine: vm, payment: {unit: year, price: 1}}\n"))
	cat := workload.Load()
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Read(b)
		if err != nil || len(p.Offers) > 20 {
			return
		}
		_ = Check(cat, p)
		r := Evaluate(cat, p)
		for _, v := range []workload.Band{r.Fit.VRAM, r.Fit.Disk.GB} {
			if math.IsNaN(v.Low+v.Point+v.High) || math.IsInf(v.High, 0) {
				t.Fatalf("%q: %+v", b, v)
			}
		}
		for _, bill := range r.Sheet.Bills {
			if bill.Status == sheet.OK && (bill.Total.Point.Less(bill.Total.Low) || bill.Total.High.Less(bill.Total.Point)) {
				t.Fatalf("%q: %s %+v", b, bill.Name, [3]money.Rat{bill.Total.Low, bill.Total.Point, bill.Total.High})
			}
		}
	})
}

// TestEvaluateTakesAnything: fields filled at random, in any combination.
func TestEvaluateTakesAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	cat := workload.Load()
	models := cat.Models()
	cards := append(cat.Cards(), workload.Card{Name: "a card of tomorrow"})
	units := append(offer.Units(), "")
	extremes := []float64{0, 1e-9, 0.5, 1, 2, 30, 1e4, 1e9}
	n := 300
	if testing.Short() {
		n = 50
	}
	for i := range n {
		p := New()
		fill(r, reflect.ValueOf(&p.Job).Elem())
		fill(r, reflect.ValueOf(&p.Own).Elem())
		p.Job.Model = models[r.IntN(len(models))].ID
		p.Days = r.IntN(400)
		p.Use = workload.Use{
			Pattern:     []workload.Pattern{workload.Screen, workload.LongRun, workload.Timetable, ""}[r.IntN(4)],
			Pictures:    workload.Count{PerDay: r.IntN(1e5), Total: r.IntN(2) * r.IntN(1e9)},
			DaysPerWeek: extremes[r.IntN(8)], HoursPerSitting: extremes[r.IntN(8)], Starts: r.IntN(2) * r.IntN(1e5),
			Machines: r.IntN(200), SittingsPerWeek: r.IntN(30), Weeks: r.IntN(20), Spares: r.IntN(5), StartEarlyMin: r.IntN(100), Heads: r.IntN(60),
		}
		for range 1 + r.IntN(4) {
			price := money.Frac(r.Int64N(1e6), 100)
			o := offer.Offer{
				Name: "o", Currency: []money.Currency{"CNY", "USD"}[r.IntN(2)], Cards: r.IntN(9), Count: r.IntN(5),
				Card:    offer.Card{Name: cards[r.IntN(len(cards))].Name, Part: []offer.Part{"", offer.Whole, offer.Slice, offer.VGPU}[r.IntN(4)]},
				Machine: []offer.Machine{"", offer.Container, offer.VM, offer.BareMetal}[r.IntN(4)],
				Payment: offer.Payment{Unit: units[r.IntN(len(units))], Price: price, Hours: money.Int(r.Int64N(300)), Units: price, DrawPerHour: money.Int(r.Int64N(3))},
			}
			if r.IntN(3) == 0 {
				v := extremes[r.IntN(8)]
				o.Card.VRAM = &v
			}
			p.Offers = append(p.Offers, o)
		}
		res := Evaluate(cat, p)
		for _, h := range res.Hours {
			for _, b := range []workload.Band{h.Busy, h.Rented, h.Idle, h.SessionH} {
				if !(0 <= b.Low && b.Low <= b.Point && b.Point <= b.High) || math.IsInf(b.High, 0) {
					t.Fatalf("plan %d: hours %+v of %+v", i, h, p.Use)
				}
			}
		}
		for _, b := range res.Sheet.Bills {
			for _, v := range []money.Band{b.Total, b.Usage.Busy, b.Usage.Rented, b.Usage.SessionH, b.WaitH} {
				if v.Point.Less(v.Low) || v.High.Less(v.Point) {
					t.Fatalf("plan %d: %s %s %s of %+v\n%+v", i, v.Low, v.Point, v.High, b.Offer.Payment, p.Use)
				}
			}
			if b.Status == sheet.OK && b.Total.Point.Sign() < 0 {
				t.Fatalf("plan %d: a total of %s", i, b.Total.Point)
			}
		}
	}
}
