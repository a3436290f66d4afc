package sheet

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
)

// dice makes offers and usages of every kind, from a fixed seed.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice { return dice{rand.New(rand.NewPCG(seed, 7))} }

func (d dice) rat(low, high int) money.Rat {
	return money.Frac(int64(low*100+d.IntN((high-low)*100+1)), 100)
}

// term puts a value in, sometimes with a page that says otherwise, sometimes
// not at all.
func (d dice) term(m map[offer.TermID]offer.Term, id offer.TermID) {
	def, _ := offer.DefOf(id)
	value := func() string {
		switch def.Kind {
		case offer.KindFlag:
			return fmt.Sprint(d.IntN(2) == 1)
		case offer.KindChoice:
			return def.Options[d.IntN(len(def.Options))]
		case offer.KindShare:
			return d.rat(0, 1).String()
		case offer.KindCount:
			return fmt.Sprint(1 + d.IntN(3600))
		case offer.KindMoney:
			return money.Frac(int64(d.IntN(200)), 1000).String()
		}
		return fmt.Sprint(d.IntN(200))
	}
	switch d.IntN(4) {
	case 0:
		return
	case 1:
		m[id] = offer.Term{Value: value(), Status: offer.Known, Source: "page", Date: "2026-11-01", Mark: offer.Page, Also: []offer.Term{
			{Value: value(), Status: offer.Known, Source: "another page", Date: "2026-11-02", Mark: offer.ThirdParty},
		}}
	default:
		m[id] = told(value())
	}
}

func (d dice) offer(name string) offer.Offer {
	units := []offer.Unit{
		offer.Second, offer.Minute, offer.Hour, offer.Hour, offer.Day, offer.Week, offer.Month, offer.Year, offer.Pack, offer.Quota,
	}
	o := offer.Offer{
		Name: name, Currency: "CNY", Count: 1 + d.IntN(2), Cards: 1 + d.IntN(2), Card: offer.Card{Name: "RTX 4090"},
		Machine: []offer.Machine{offer.Container, offer.VM, offer.BareMetal}[d.IntN(3)], Terms: map[offer.TermID]offer.Term{},
	}
	o.Payment = offer.Payment{
		Unit: units[d.IntN(len(units))], Price: d.rat(1, 9), Hours: d.rat(20, 90), Units: d.rat(10, 60), DrawPerHour: d.rat(1, 2),
	}
	if d.IntN(3) == 0 {
		h, over := d.rat(10, 400), d.rat(1, 4)
		o.Payment.IncludedHours = &h
		if d.IntN(2) == 0 {
			o.Payment.Overage = &over
		}
	}
	for _, def := range offer.Defs() {
		d.term(o.Terms, def.ID)
	}
	if _, ok := o.Terms[offer.InterruptRate]; ok {
		o.Terms[offer.InterruptRate] = told("0.05")
	}
	delete(o.Terms, offer.MaxLife)
	return o
}

func (d dice) usage() Usage {
	low := d.rat(1, 3)
	session := money.Band{Low: low, Point: low.Add(d.rat(0, 1)), High: low.Add(d.rat(1, 2))}
	machines := 1 + d.IntN(3)
	sessions := 1 + d.IntN(30)
	n := money.Int(int64(machines * sessions))
	u := Usage{
		Days: 30, Machines: machines, Sessions: sessions, SessionH: session, Rented: session.Times(n),
		Busy:     session.Times(n).Times(money.Frac(int64(d.IntN(11)), 10)),
		Pictures: money.Int(int64(d.IntN(5000))), ModelGB: d.rat(0, 200), DownloadGB: d.rat(0, 60), UploadGB: d.rat(0, 5),
		CrossRegion: d.IntN(4) == 0, CardFits: true, SaveEvery: d.IntN(3), Unattended: d.IntN(2) == 0, Heads: d.IntN(4),
		OpsSetupH: d.rat(0, 5), OpsWeeklyH: d.rat(0, 2),
		Waits: Waits{{ID: "queue", Seconds: band("0", "60", "900")}, {ID: "boot", Seconds: band("20", "40", "90"), Billed: true}},
	}
	if d.IntN(2) == 0 {
		r := d.rat(10, 90)
		u.OwnRate = &r
	}
	return u
}

func ordered3(b money.Band) bool { return b.Low.Cmp(b.Point) <= 0 && b.Point.Cmp(b.High) <= 0 }

// TestBillsAreSound: every band is in order, every total is the exact sum of
// its lines at each end, nothing is NaN, every unknown is a question.
func TestBillsAreSound(t *testing.T) {
	d := newDice(1)
	statuses := map[Status]int{}
	for n := range 300 {
		p := params(Column{d.offer("A"), d.usage()}, Column{d.offer("B"), d.usage()})
		p.Mixed = &Mixed{Shared: 0, Dedicated: 1, FailShare: d.rat(0, 1), ValidationH: d.rat(1, 9), TransferGB: d.rat(0, 90)}
		for _, b := range Make(p).Bills {
			statuses[b.Status]++
			if b.Status != OK {
				if len(b.Lines) > 0 || !b.Total.IsZero() || b.Why.IsZero() {
					t.Errorf("%d %s: %s with numbers or without a reason", n, b.Name, b.Status)
				}
				continue
			}
			var sum money.Band
			for _, l := range b.Lines {
				sum = sum.Add(l.Amount)
				if !ordered3(l.Amount) {
					t.Errorf("%d %s: %s is out of order: %s %s %s", n, b.Name, l.ID, l.Amount.Low, l.Amount.Point, l.Amount.High)
				}
			}
			if sum.Low.Cmp(b.Total.Low) != 0 || sum.Point.Cmp(b.Total.Point) != 0 || sum.High.Cmp(b.Total.High) != 0 || !ordered3(b.Total) {
				t.Errorf("%d %s: the total is not the sum of its lines", n, b.Name)
			}
			for _, q := range b.Unknown {
				if b.Offer.Term(q.Term).Status != offer.Unknown {
					t.Errorf("%d %s: asks for %s, which is known", n, b.Name, q.Term)
				}
			}
		}
	}
	if statuses[OK] < 500 {
		t.Errorf("too few bills with a total: %v", statuses)
	}
}

// TestUnknownNeverNarrows: taking a term's value away never makes the band
// narrower, and what it could add stands in the bill.
func TestUnknownNeverNarrows(t *testing.T) {
	d := newDice(2)
	compared := 0
	for n := range 60 {
		o, u := d.offer("A"), d.usage()
		o.Machine = offer.Container
		before := Make(params(Column{o, u})).Bills[0]
		if before.Status != OK {
			continue
		}
		for id := range o.Terms {
			def, _ := offer.DefOf(id)
			if def.Kind != offer.KindFlag {
				continue
			}
			less := o
			less.Terms = map[offer.TermID]offer.Term{}
			for k, v := range o.Terms {
				if k != id {
					less.Terms[k] = v
				}
			}
			after := Make(params(Column{less, u})).Bills[0]
			if after.Status != OK {
				continue
			}
			compared++
			if width(after).Less(width(before)) {
				t.Errorf("%d: without %s the band is %s wide, with it %s", n, id, width(after), width(before))
			}
		}
	}
	if compared < 100 {
		t.Errorf("only %d compared", compared)
	}
}

func width(b Bill) money.Rat { return b.Total.High.Sub(b.Total.Low) }

// TestMoreHoursNeverCheaper holds for every offer whose disk isn't dearer while
// stopped than the card is while running.
func TestMoreHoursNeverCheaper(t *testing.T) {
	d := newDice(3)
	for n := range 100 {
		o, u := d.offer("A"), d.usage()
		for _, id := range []offer.TermID{
			offer.StopCompute, offer.StopDiskPrice, offer.StopBandwidth, offer.StopIP, offer.StopDataDisk, offer.StopSystemDisk, offer.Coupon,
		} {
			delete(o.Terms, id)
		}
		k := newColumn(params(Column{o, u}), Column{o, u}, "CNY")
		last := money.Int(-1)
		for f := int64(1); f <= 16; f++ {
			s := sceneAt(point)
			factor := money.Frac(f, 8)
			s.hours.factor = &factor
			e := k.run(s)
			if e.status != OK {
				break
			}
			// Restoring is needed after long pauses only, and those get shorter.
			total := e.total()
			for _, p := range e.parts {
				if p.id == LineRelease {
					total = total.Sub(p.amount)
				}
			}
			if _, taxed := o.Terms[offer.Tax]; total.Less(last) && !taxed {
				t.Errorf("%d: %s hours cost %s, fewer cost %s: %+v", n, factor, total, last, o.Payment)
			}
			last = total
		}
	}
}

// TestPackageIdleIsFree: a package costs the same however much of it is idle.
func TestPackageIdleIsFree(t *testing.T) {
	u := evenings()
	o := monthOffer("Month", "900")
	busy := Make(params(Column{o, u})).Bills[0]
	u.Busy = sure("1")
	idle := Make(params(Column{o, u})).Bills[0]
	if busy.Total.Point.Cmp(idle.Total.Point) != 0 || !lineOf(t, idle, LineIdle).Amount.IsZero() {
		t.Errorf("%s busy, %s idle", busy.Total.Point, idle.Total.Point)
	}
}

// TestCountPaysTwice: two machines cost twice, and a month is paid for each.
func TestCountPaysTwice(t *testing.T) {
	o := monthOffer("Month", "900")
	o.Count = 2
	if got := Make(params(Column{o, evenings()})).Bills[0].Total.Point.String(); got != "1800" {
		t.Errorf("two months are %s", got)
	}
	h := meteredOffer("Hourly", "1")
	h.Count = 2
	u := evenings()
	if got := Make(params(Column{h, u})).Bills[0].Total.Point.String(); got != "120" {
		t.Errorf("two at the screen are %s", got)
	}
	// An unattended run is shared out: the same hours, half as long.
	u.Unattended = true
	if got := Make(params(Column{h, u})).Bills[0].Total.Point.String(); got != "60" {
		t.Errorf("two on one run are %s", got)
	}
}

// TestPeriods: how many days, weeks, months a span takes.
func TestPeriods(t *testing.T) {
	for _, c := range []struct {
		unit     offer.Unit
		days     int
		sessions int
		session  string
		want     string
	}{
		{offer.Day, 30, 22, "2", "22"},
		{offer.Day, 30, 1, "50", "3"},
		{offer.Day, 30, 60, "2", "30"},
		{offer.Day, 30, 2, "30", "4"},
		{offer.Week, 30, 22, "2", "5"},
		{offer.Week, 21, 6, "2", "3"},
		{offer.Week, 30, 1, "50", "1"},
		{offer.Week, 30, 2, "2", "2"},
		{offer.Month, 30, 22, "2", "1"},
		{offer.Month, 31, 22, "2", "1"},
		{offer.Month, 90, 60, "2", "3"},
		{offer.Month, 365, 300, "2", "12"},
		{offer.Year, 30, 22, "2", "1"},
		{offer.Year, 365, 300, "2", "1"},
		{offer.Month, 30, 1, "800", "2"},
	} {
		o := monthOffer("P", "1")
		o.Payment.Unit = c.unit
		u := evenings()
		u.Days, u.Sessions, u.SessionH = c.days, c.sessions, sure(c.session)
		p := params(Column{o, u})
		p.Days = c.days
		if got := lineOf(t, Make(p).Bills[0], LinePackage).Amount.Point.String(); got != c.want {
			t.Errorf("%d days, %d sessions of %s h by the %s: %s, want %s", c.days, c.sessions, c.session, c.unit, got, c.want)
		}
	}
}

// TestEmptyAndExtreme: nothing at all, and figures at the edge of what is taken,
// make a status or a sound bill, never a panic.
func TestEmptyAndExtreme(t *testing.T) {
	if s := Make(Params{}); len(s.Bills) != 0 || s.Overlap || s.Days != 1 {
		t.Errorf("%+v", s)
	}
	if b := Make(Params{Columns: []Column{{}}}).Bills[0]; b.Status != CardTooSmall {
		t.Errorf("nothing is %s", b.Status)
	}
	huge := rat("1e15")
	u := Usage{
		CardFits: true, SessionH: money.Sure(huge), Busy: money.Sure(huge), Rented: money.Sure(huge), Pictures: huge,
		Sessions: 1_000_000, Machines: 1000, ModelGB: huge, DownloadGB: huge, Waits: Waits{{ID: "boot", Seconds: money.Sure(huge), Billed: true}},
	}
	for _, unit := range offer.Units() {
		o := meteredOffer("A", "1e15", "tax_share", "1", "settlement", "wall_clock_hour", "interruption", "spot", "interruptions_per_h", "1e15")
		o.Payment.Unit, o.Payment.Hours, o.Payment.Units, o.Payment.DrawPerHour = unit, rat("1e-9"), huge, rat("1e-9")
		for _, usage := range []Usage{u, {CardFits: true}, {CardFits: true, SessionH: sure("1e-9"), Pictures: rat("1e-9")}} {
			s := Make(params(Column{o, usage}, Column{meteredOffer("B", "0.000001"), usage}))
			for _, b := range s.Bills {
				if b.Status == OK && !ordered3(b.Total) || b.Status != OK && (len(b.Lines) > 0 || b.Why.IsZero()) {
					t.Errorf("%s: %s", unit, b.Status)
				}
			}
			Curves(params(Column{o, usage}), 720, 5)
		}
	}
}
