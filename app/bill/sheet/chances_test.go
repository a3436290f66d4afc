package sheet

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
)

// longRun is an unattended run of 10 starts, 5 to 8 h each.
func longRun() Usage {
	return Usage{
		Days: 30, Machines: 1, Sessions: 10, SessionH: band("5", "6", "8"), Rented: band("50", "60", "80"), Busy: band("50", "60", "80"),
		Pictures: rat("20000"), CardFits: true, SaveEvery: 1, Unattended: true,
	}
}

// TestEvaluatorIsMake: at its nodes the table of floats is Make's total, and a
// bill without doubt draws its total every time.
func TestEvaluatorIsMake(t *testing.T) {
	d := newDice(4)
	for n := range 60 {
		p := params(Column{d.offer("A"), d.usage()})
		b := Make(p).Bills[0]
		c := compile(p)
		if b.Status != OK {
			if c.bills[0].ok {
				t.Errorf("%d: a bill without a total is drawn", n)
			}
			continue
		}
		want := b.Total.Point.Float64()
		if got := c.bills[0].base; math.Abs(got-want) > 1e-9*max(1, want) {
			t.Errorf("%d: %v at the point, Make says %v", n, got, want)
		}
		f := c.bills[0]
		if f.minV < b.Total.Low.Float64()-1e-6*max(1, want) || f.maxV > b.Total.High.Float64()+1e-6*max(1, want) {
			// Terms that pages disagree on are moved one by one; the ends of
			// the band move them together, so draws stay inside.
			t.Logf("%d: draws reach %v to %v, the band is %v to %v", n, f.minV, f.maxV, b.Total.Low.Float64(), b.Total.High.Float64())
		}
	}
	sureBill := params(Column{meteredOffer("A", "1.88"), evenings()})
	ch, err := Chances(context.Background(), sureBill, 1000, 1, nil)
	if err != nil || math.Abs(ch.Mean[0]-112.8) > 1e-9 || ch.P10[0] != ch.P90[0] || ch.Cheapest[0] != 1 {
		t.Errorf("%+v, %v", ch, err)
	}
}

// TestTableFollowsMake: between its nodes too the table gives what Make gives
// for those hours, to a few thousandths (whole seconds), as long as a bill has no jumps.
func TestTableFollowsMake(t *testing.T) {
	d := newDice(8)
	for n := range 40 {
		o, u := d.offer("A"), d.usage()
		for _, id := range []offer.TermID{offer.Granularity, offer.Settlement, offer.MinBilled, offer.MinCharge, offer.DataDiskDay, offer.Coupon} {
			delete(o.Terms, id)
		}
		o.Payment.Unit = offer.Hour
		k := newColumn(params(Column{o, u}), Column{o, u}, "CNY")
		e := k.run(sceneAt(point))
		if e.status != OK {
			continue
		}
		base := e.total().Float64()
		table := k.overHours(base)
		for range 5 {
			x := 2*d.Float64() - 1
			s := sceneAt(point)
			s.hours = hoursAt{at: money.Float(x).Round(6, money.HalfUp)}
			want := k.run(s).total().Float64()
			i := int((x + 1) * nodes)
			f := (x+1)*nodes - float64(i)
			got := table[i] + (table[min(i+1, 2*nodes)]-table[i])*f
			if math.Abs(got-want) > 2e-3*max(1, base) {
				t.Errorf("%d: %v at %v, Make says %v", n, got, x, want)
			}
		}
	}
}

// TestChancesMatchTheClosedForm: the hours of one offer follow PERT, so its mean
// is price x (low + 4 point + high) / 6, and its deviation about the range / 6.
func TestChancesMatchTheClosedForm(t *testing.T) {
	const draws = 100_000
	p := params(Column{meteredOffer("A", "2"), longRun()}, Column{monthOffer("B", "125"), longRun()})
	ch, err := Chances(context.Background(), p, draws, 42, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Beta of PERT: a = 1+4/3, b = 1+8/3 on 50 to 80 h; sd = 30 sqrt(ab/((a+b)^2 (a+b+1))).
	a, b := 1+4.0/3, 1+8.0/3
	mean := 2 * (50 + 4*60 + 80) / 6.0
	sd := 2 * 30 * math.Sqrt(a*b/((a+b)*(a+b)*(a+b+1)))
	if got := ch.Mean[0]; math.Abs(got-mean) > 4*sd/math.Sqrt(draws)+0.01 {
		t.Errorf("mean %v, want %v", got, mean)
	}
	if ch.Mean[1] != 125 || ch.P10[1] != 125 || ch.P90[1] != 125 {
		t.Errorf("a sure month draws %v, %v, %v", ch.Mean[1], ch.P10[1], ch.P90[1])
	}
	// The share below 62.5 h of the distribution, by the midpoint rule.
	var below, all float64
	for i := range 100_000 {
		x := (float64(i) + 0.5) / 100_000
		w := math.Pow(x, a-1) * math.Pow(1-x, b-1)
		all += w
		if 50+30*x < 62.5 {
			below += w
		}
	}
	if q := below / all; math.Abs(ch.Cheapest[0]-q) > 4*math.Sqrt(q*(1-q)/draws)+0.002 || ch.Cheapest[0]+ch.Cheapest[1] != 1 {
		t.Errorf("cheapest in %v, want %v", ch.Cheapest[0], q)
	}
}

// TestChancesRepeat: one seed, one answer; another seed, another.
func TestChancesRepeat(t *testing.T) {
	d := newDice(5)
	var columns []Column
	for i := range 5 {
		columns = append(columns, Column{d.offer(fmt.Sprint(i)), d.usage()})
	}
	p := params(columns...)
	a, _ := Chances(context.Background(), p, 5000, 9, nil)
	b, _ := Chances(context.Background(), p, 5000, 9, nil)
	c, _ := Chances(context.Background(), p, 5000, 10, nil)
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Error("the same seed drew otherwise")
	}
	if fmt.Sprint(a.Mean) == fmt.Sprint(c.Mean) {
		t.Error("another seed drew the same")
	}
	for i, v := range append(append(append([]float64{}, a.Mean...), a.P10...), a.P90...) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("figure %d is %v", i, v)
		}
	}
	sum := 0.0
	for i, v := range a.Cheapest {
		sum += v
		if a.P10[i] > a.P90[i] {
			t.Errorf("%d: P10 %v above P90 %v", i, a.P10[i], a.P90[i])
		}
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("the chances sum to %v", sum)
	}
}

func TestChancesStopAndTell(t *testing.T) {
	p := params(Column{meteredOffer("A", "2"), longRun()})
	ctx, cancel := context.WithCancel(context.Background())
	seen := 0
	_, err := Chances(ctx, p, 1_000_000, 1, func(done int) {
		if seen = done; done >= 8192 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || seen < 8192 || seen > 100_000 {
		t.Errorf("stopped at %d: %v", seen, err)
	}
	_, err = Chances(context.Background(), p, 5000, 1, func(done int) { seen = done })
	if err != nil || seen != 5000 {
		t.Errorf("ended at %d: %v", seen, err)
	}
}

// TestOneAnswerForOneProvider: two offers of a provider that leave the same
// question open are dear together, so the cheaper one always stays cheaper.
func TestOneAnswerForOneProvider(t *testing.T) {
	a, b := meteredOffer("A", "1"), meteredOffer("B", "1.01")
	for _, o := range []*offer.Offer{&a, &b} {
		delete(o.Terms, offer.StopCompute)
	}
	p := params(Column{a, evenings()}, Column{b, evenings()})
	p.Columns[0].Offer.Provider, p.Columns[1].Offer.Provider = "same", "same"
	ch, _ := Chances(context.Background(), p, 2000, 3, nil)
	if ch.Cheapest[0] != 1 {
		t.Errorf("cheapest in %v", ch.Cheapest)
	}
	p.Columns[0].Offer.Provider, p.Columns[1].Offer.Provider = "one", "other"
	if ch, _ = Chances(context.Background(), p, 2000, 3, nil); ch.Cheapest[0] > 0.8 || ch.Cheapest[0] < 0.7 {
		t.Errorf("of two providers, cheapest in %v, want 3 of 4", ch.Cheapest)
	}
}

// twelve are offers as a full page has them.
func twelve() Params {
	var columns []Column
	for i := range 12 {
		u := longRun()
		u.ModelGB, u.DownloadGB = rat("80"), rat("40")
		var o offer.Offer
		name := fmt.Sprintf("Offer %d", i)
		price := money.Frac(int64(150+7*i), 100).String()
		switch i % 4 {
		case 0:
			o = meteredOffer(name, price, "data_disk_price_gb_day", "0.0066", "data_disk_free_gb", "50", "settlement", "wall_clock_hour")
		case 1:
			o = meteredOffer(name, price, "system_disk_gb", "60", "data_disk_price_gb_month", "0.4", "interruption", "spot",
				"interruptions_per_h", "0.05", "discount_factor", "0.9", "tax_share", "0.06")
			o.Card.Name = "L20"
		case 2:
			o = meteredOffer(name, price)
			o.Terms = nil
		default:
			o = monthOffer(name, fmt.Sprint(900+13*i), "snapshot_gb", "40", "ip_price_h", "0.02")
			o.Machine = offer.VM
			delete(o.Terms, offer.StopIP)
		}
		columns = append(columns, Column{o, u})
	}
	p := params(columns...)
	p.Mixed = &Mixed{Shared: 0, Dedicated: 3, FailShare: rat("0.2"), ValidationH: rat("5"), TransferGB: rat("40")}
	return p
}

func BenchmarkMake12Offers(b *testing.B) {
	p := twelve()
	for b.Loop() {
		Make(p)
	}
}

func BenchmarkChances100k(b *testing.B) {
	p := twelve()
	for b.Loop() {
		if _, err := Chances(context.Background(), p, 100_000, 1, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCurves12Offers(b *testing.B) {
	p := twelve()
	for b.Loop() {
		Curves(p, 744, 63)
	}
}
