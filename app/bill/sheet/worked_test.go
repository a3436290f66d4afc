package sheet

import (
	"testing"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
)

// TestContainerBySecond works a container by the second out by hand.
//
// 1.88 CNY an hour, by the second, 30 sittings of 2 h: 60 h rented.
//
//	painting  40 h x 1.88                               =  75.20
//	start     60 s of each start are billed:
//	          30 x 60 s = 0.5 h x 1.88                  =   0.94
//	idle      (60 - 40 - 0.5) h x 1.88 = 19.5 x 1.88    =  36.66
//	rounding  2 h are 7200 whole seconds                =   0
//	data disk (150 - 50 free) GB x 0.0066 x 30 nights   =  19.80
//	total                                                  132.60
//
// The seconds a picture are in doubt, so painting is 36 to 48 h. What is not
// painting is idle: the rented hours are sure, and so is the total.
// 1000 pictures: 132.60 / 12000 x 1000 = 11.05. A balance of 37.60 lasts 20 h.
func TestContainerBySecond(t *testing.T) {
	o := meteredOffer("AutoDL-like", "1.88", "data_disk_gb", "150", "data_disk_free_gb", "50",
		"data_disk_price_gb_day", "0.0066", "balance", "37.60", "billed_from", "boot", "tax_share", "0")
	u := evenings()
	u.Waits = Waits{
		{ID: "queue", Seconds: band("0", "30", "600")}, {ID: "boot", Seconds: sure("40"), Billed: true}, {ID: "load", Seconds: sure("20"), Billed: true},
	}
	s := Make(params(Column{o, u}))
	b := s.Bills[0]
	amounts(t, b, map[string]string{
		LineCompute: "376/5", LineStart: "47/50", LineIdle: "1833/50", LineDataDisk: "99/5",
	})
	if b.Status != OK || b.Total != s.Bills[0].Total || b.Total.Point.String() != "132.6" || b.Total.Wide() {
		t.Errorf("%s: %s to %s", b.Status, b.Total.Low, b.Total.High)
	}
	if b.Per1000.Point.String() != "11.05" || b.LastsH.Point.String() != "20" || b.PerHead != nil {
		t.Errorf("per 1000 %s, lasts %s h", b.Per1000.Point, b.LastsH.Point)
	}
	if b.WaitH.High.String() != rat("660").Quo(rat("3600")).String() {
		t.Errorf("a start takes up to %s h", b.WaitH.High)
	}
	if len(b.Unknown) != 0 {
		t.Errorf("nothing is unknown, but asked: %+v", b.Unknown)
	}
	if in := lineOf(t, b, LineCompute).Inputs[0]; in.Value.Low.String() != "36" || in.Value.High.String() != "48" || in.Status != Estimated {
		t.Errorf("painting %+v", in)
	}
}

// TestMonthPackage: a whole machine for 1180 CNY a month, 20 h of set-up work
// of one's own worth 50 an hour, and a system image.
//
//	package   1 month (30 days) x 1180                       = 1180
//	idle      in the package                                 =    0
//	image     (80 - 30 free) GB x 0.12 x 720 h / 720 h       =    6
//	own hours (4 + 1.4 a week x 30/7 weeks) = 10 h x 50      =  500
//	total                                                      1686
//
// Beside it 1.88 an hour: 60 x 1.88 = 112.80. The month pays from 1686 / 1.88 h
// = 896.8 h, more than a month has, so hours alone never turn it.
func TestMonthPackage(t *testing.T) {
	o := monthOffer("Month", "1180", "image_gb", "80", "image_free_gb", "30", "image_price_gb_month", "0.12", "ip_price_h", "0")
	o.Machine = offer.BareMetal
	u := evenings()
	rate := rat("50")
	u.OpsSetupH, u.OpsWeeklyH, u.OwnRate = rat("4"), rat("1.4"), &rate
	s := Make(params(Column{o, u}, Column{meteredOffer("Hourly", "1.88"), evenings()}))
	amounts(t, s.Bills[0], map[string]string{LinePackage: "1180", LineIdle: "0", LineSystemImage: "6", LineOps: "500"})
	if got := s.Bills[0].Total.Point.String(); got != "1686" {
		t.Errorf("total %s", got)
	}
	if note := lineOf(t, s.Bills[0], LineIdle).Note.Key; note != "bill.note.in_package" {
		t.Errorf("idle says %q", note)
	}
	if len(s.Cheapest) != 1 || s.Bills[s.Cheapest[0]].Name != "Hourly" || s.Overlap {
		t.Errorf("cheapest %v, overlap %v", s.Cheapest, s.Overlap)
	}
	for _, m := range s.Moves {
		if m.Input == "hours" {
			t.Errorf("no number of hours turns it, but %+v", m)
		}
	}
	u.OwnRate = nil
	b := Make(params(Column{o, u})).Bills[0]
	if l := lineOf(t, b, LineOps); l.Hours == nil || l.Hours.Point.String() != "10" || !l.Amount.IsZero() {
		t.Errorf("own hours without a price: %+v", l)
	}
}

// TestStoppedVolumeDoubles: 60 h of 30 sittings in 30 days, 660 h stopped, the
// volume dearer then.
//
//	painting  40 h x 0.69                             = 27.60
//	idle      20 h x 0.69                             = 13.80
//	system    50 GB x 0.10 x 60 h / 720               =  5/12
//	volume    100 GB x 0.10 x 60 h / 720              =  5/6
//	stopped   100 GB x 0.20 x 660 h / 720             = 55/3
//	tax       10 % of 27.60 + 13.80 + 235/12          = 5.040...
//
// The three disk amounts are the worked case of storage_stopped.
func TestStoppedVolumeDoubles(t *testing.T) {
	o := meteredOffer("RunPod-like", "0.69", "system_disk_gb", "50", "system_disk_price_gb_month", "0.10", "data_disk_gb", "100",
		"data_disk_price_gb_month", "0.10", "stop_disk_price_gb_month", "0.20", "data_disk_free_gb", "0", "tax_share", "0.1")
	o.Currency = "USD"
	p := params(Column{o, evenings()})
	p.Currency = "USD"
	b := Make(p).Bills[0]
	want := rat("41.4").Add(money.Frac(235, 12))
	amounts(t, b, map[string]string{
		LineCompute: "138/5", LineIdle: "69/5", LineSystemDisk: "5/12", LineDataDisk: "5/6", LineStopped: "55/3",
		LineTax: want.Quo(money.Int(10)).Fraction(),
	})
	if b.Total.Point.Cmp(want.Mul(money.Frac(11, 10))) != 0 {
		t.Errorf("total %s", b.Total.Point.Fraction())
	}
	if got := lineOf(t, b, LineStopped).Rule; got != "stop_disk_price_gb_month" {
		t.Errorf("stopped stands on %s", got)
	}
}

// TestClass: 30 machines and 2 spares, 2 sittings a week for 3 weeks, 2 h and
// 10 minutes early: 6 sessions of 2 h 10 on 32 machines, billed by the hour.
//
//	rented    32 x 6 x 13/6 h = 416 h; painting 200 h x 2   = 400
//	idle      (416 - 200) h x 2                             = 432
//	rounding  each session to 3 h: 32 x 6 x 3 = 576 h, less 416 = 160 x 2 = 320
//	total                                                     1152, 38.40 a head of 30
func TestClass(t *testing.T) {
	o := meteredOffer("Class", "2", "data_disk_price_gb_month", "0", "data_disk_free_gb", "0")
	o.Terms[offer.Granularity] = told("3600")
	u := Usage{
		Days: 21, Machines: 32, Sessions: 6, SessionH: money.Sure(money.Frac(13, 6)), Rented: sure("416"), Busy: sure("200"),
		Pictures: rat("9000"), Heads: 30, CardFits: true, SaveEvery: 1,
	}
	p := params(Column{o, u})
	p.Days = 21
	b := Make(p).Bills[0]
	amounts(t, b, map[string]string{LineCompute: "400", LineIdle: "432", LineRounding: "320"})
	if b.Total.Point.String() != "1152" || b.PerHead == nil || b.PerHead.Point.String() != "38.4" {
		t.Errorf("total %s", b.Total.Point)
	}
}
