package sheet

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

var (
	stray = regexp.MustCompile(`\{[a-z_]+\}`)
	keyed = regexp.MustCompile(`\b(bill|term|question|offer)\.[a-z_.]+`)
)

// fullSheet has every status and nearly every line.
func fullSheet() Params {
	own := rat("80")
	lot := meteredOffer("A | lot", "1.885", "system_disk_gb", "60", "system_disk_free_gb", "30", "system_disk_price_gb_month", "0.3",
		"stop_bills_system_disk", "true", "data_disk_price_gb_month", "0.4", "stop_disk_price_gb_month", "0.5", "snapshot_gb", "50",
		"snapshot_price_gb_month", "0.12", "image_gb", "50", "image_price_gb_month", "0.12", "traffic_price_gb", "0.8",
		"traffic_package_gb", "10", "traffic_package_price", "6", "cross_region_price_gb", "0.5", "bandwidth_mbps", "100", "ip_price_h", "0.02",
		"stop_bills_ip", "true", "discount_factor", "0.9", "coupon", "5", "tax_share", "0.06", "interruption", "spot",
		"interruptions_per_h", "0.05", "settlement", "wall_clock_hour", "release_after_stopped_h", "5", "wipe_after_stopped_h", "0",
		"max_life_h", "1", "balance", "40", "billed_from", "boot")
	lot.Terms[offer.DataDiskMonth] = offer.Term{
		Value: "0.4", Status: offer.Known, Source: "a page", Date: "2026-11-01", Mark: offer.Page,
		Also: []offer.Term{{Value: "0.6", Status: offer.Known, Source: "another", Date: offer.Undated, Mark: offer.ThirdParty}},
	}
	u := evenings()
	u.SessionH = money.Sure(rat("2.0001"))
	u.ModelGB, u.DownloadGB, u.UploadGB, u.CrossRegion = rat("60"), rat("40"), rat("2"), true
	u.Waits = Waits{
		{ID: "queue", Seconds: band("0", "60", "600")},
		{ID: "boot", Seconds: sure("40"), Measured: true},
		{ID: "pull", Unknown: true},
		{ID: "load", Seconds: sure("30")},
		{ID: "first", Seconds: sure("12")},
	}
	whole := monthOffer("B", "1180", "stop_bills_bandwidth", "true", "bandwidth_price_month", "30", "ip_price_h", "0", "cross_region_price_gb", "0.5")
	delete(whole.Terms, offer.Traffic)
	whole.Machine = offer.VM
	hours := rat("50")
	over := rat("2.5")
	whole.Payment.IncludedHours, whole.Payment.Overage = &hours, &over
	w := u
	w.OpsSetupH, w.OpsWeeklyH, w.OwnRate, w.Heads = rat("4"), rat("1"), &own, 3
	bare := whole
	bare.Name = "C, own hours"
	bare.Payment.Unit = offer.Year
	noRate := w
	noRate.OwnRate = nil
	open := meteredOffer("D open", "2")
	open.Terms = nil
	open.Machine = offer.VM
	pack := meteredOffer("E", "80")
	pack.Payment.Unit, pack.Payment.Hours = offer.Pack, rat("50")
	quota := meteredOffer("F", "365")
	quota.Payment.Unit, quota.Payment.Units, quota.Payment.DrawPerHour = offer.Quota, rat("56.6"), rat("1.28")
	small := evenings()
	small.CardFits = false
	free := meteredOffer("H", "0")
	dollar := meteredOffer("I", "1")
	dollar.Currency = "USD"
	hoursless := evenings()
	hoursless.SessionH, hoursless.Rented = money.Band{}, money.Band{}
	spot := meteredOffer("K", "1", "interruption", "spot", "interruptions_per_h", "3")
	train := evenings()
	train.Pictures, train.Sessions, train.SessionH, train.Rented = zero, 1, sure("40"), sure("40")
	noisy := evenings()
	noisy.BusyUnknown = true
	saved := evenings()
	saved.SaveEvery = 50
	taught := evenings()
	taught.Pictures, taught.Steps, taught.SaveEvery = rat("4"), 2000, 250
	taught.Waits = Waits{{ID: "load", Seconds: sure("60"), Billed: true}}
	spot2 := meteredOffer("M", "1", "interruption", "reclaim", "interruptions_per_h", "0.1")
	whenever := meteredOffer("N", "1", "interruption", "spot")
	daily := meteredOffer("O", "1.5", "data_disk_price_gb_day", "0.0066", "data_disk_free_gb", "50", "granularity_s", "3600")
	shortRun := train
	shortRun.SessionH, shortRun.Rented, shortRun.Busy = sure("4"), sure("4"), sure("4")
	p := params(
		Column{lot, u}, Column{whole, w}, Column{bare, noRate}, Column{open, u}, Column{pack, u}, Column{quota, u},
		Column{meteredOffer("G", "1"), small}, Column{free, u}, Column{dollar, u}, Column{meteredOffer("J", "1"), hoursless},
		Column{spot, train}, Column{meteredOffer("L", "1"), noisy}, Column{spot2, saved}, Column{whenever, u}, Column{daily, u},
		Column{meteredOffer("P", "1", "interruption", "spot", "interruptions_per_h", "0.1"), shortRun},
		Column{meteredOffer("S", "1", "interruption", "spot", "interruptions_per_h", "0.1"), taught},
		Column{meteredOffer("Q", "1", "traffic_price_gb", "0.8"), u},
	)
	p.Columns = append(p.Columns, refunds()...)
	p.Start = day("2026-12-01")
	p.Mixed = &Mixed{Shared: 3, Dedicated: 1, FailShare: rat("0.1"), ValidationH: rat("4"), TransferGB: rat("40")}
	return p
}

// refunds are packages of each rule of giving back, a spot offer beside a steady
// one, bandwidth beside traffic, and another card.
func refunds() []Column {
	var columns []Column
	for _, rule := range []string{"none", "credit", "unused_days", "full_months"} {
		columns = append(columns, Column{monthOffer("R "+rule, "90", "refund", rule, "refund_loss_share", "0.25"), evenings()})
	}
	long := evenings()
	long.Days, long.Sessions = 800, 600
	years := monthOffer("R years", "900", "year_months_paid", "10", "renew_discount_factor", "0.9")
	years.Payment.Unit = offer.Year
	columns = append(columns, Column{monthOffer("R months", "90", "year_months_paid", "10"), long}, Column{years, long})
	columns = append(columns, Column{monthOffer("R paid", "90", "package_elapsed_h", "700"), evenings()})
	never := monthOffer("R never", "2000")
	spot := meteredOffer("R spot", "0.9", "interruption", "spot", "interruptions_per_h", "0.05", "bandwidth_mbps", "100",
		"bandwidth_price_month", "30", "traffic_price_gb", "0.8", "data_disk_price_gb_month", "0.4", "stop_bills_data_disk", "true")
	other := meteredOffer("R other card", "1.2")
	other.Card.Name = "L20"
	u := evenings()
	u.ModelGB, u.DownloadGB, u.SaveEvery, u.Machines = rat("60"), rat("40"), 50, 2
	u.Waits = Waits{{ID: "boot", Seconds: sure("40"), Billed: true}, {ID: "load", Seconds: sure("60"), Billed: true}}
	daily := meteredOffer("R daily", "1", "idle_reclaim_min", "15", "data_disk_price_gb_day", "0.0066", "data_disk_free_gb", "50")
	wide := meteredOffer("R wide", "1", "bandwidth_price_month", "30")
	delete(wide.Terms, offer.Traffic)
	return append(columns, Column{daily, u}, Column{wide, u}, Column{never, evenings()}, Column{spot, u}, Column{other, evenings()})
}

// TestMarkdownSaysEverything: no key, no stray placeholder, every line, every
// status, every question, in both languages.
func TestMarkdownSaysEverything(t *testing.T) {
	p := fullSheet()
	s := Make(p)
	ch, err := Chances(context.Background(), p, 2000, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	lines, formulas, statuses := map[string]bool{}, map[string]bool{}, map[Status]bool{}
	for _, l := range texts.Langs() {
		c := texts.For(l)
		md := Markdown(c, s, &ch)
		if m := stray.FindString(md); m != "" {
			t.Errorf("%s: %s was not filled in: %s", l, m, around(md, m))
		}
		if m := keyed.FindString(md); m != "" {
			t.Errorf("%s: a key shows: %s", l, around(md, m))
		}
		if strings.Contains(md, "NaN") || strings.Contains(md, "Inf") {
			t.Errorf("%s: no number", l)
		}
		for _, b := range s.Bills {
			statuses[b.Status] = true
			if b.Status != OK && !strings.Contains(md, c.T("bill.status."+string(b.Status))) {
				t.Errorf("%s: the status of %s is not said", l, b.Name)
			}
			for _, line := range b.Lines {
				lines[line.ID], formulas[line.Formula] = true, true
				if !strings.Contains(md, c.T("bill.line."+line.ID)) {
					t.Errorf("%s: %s is not said", l, line.ID)
				}
			}
			for _, q := range b.Unknown {
				if !b.Mixed && !strings.Contains(md, c.T("question."+string(q.Term))) {
					t.Errorf("%s: %s is not asked", l, q.Term)
				}
			}
		}
		for _, row := range strings.Split(md, "\n") {
			if strings.HasPrefix(row, "|") && strings.Count(strings.ReplaceAll(row, `\|`, ""), "|") != len(s.Bills)+2 {
				t.Errorf("%s: a row of another width: %s", l, row)
			}
		}
	}
	for id := range order {
		if !lines[id] {
			t.Errorf("no bill of this sheet has the line %s", id)
		}
	}
	for _, k := range texts.For(texts.English).Keys() {
		if f, ok := strings.CutPrefix(k, "bill.formula."); ok && !formulas[f] {
			t.Errorf("no line of this sheet has the formula %s", f)
		}
	}
	facts := map[string]bool{}
	for i := range s.Bills {
		for _, f := range Facts(s, i) {
			facts[f.ID] = true
		}
	}
	for _, k := range texts.For(texts.English).Keys() {
		if f, ok := strings.CutPrefix(k, "bill.fact."); ok && !facts[f] {
			t.Errorf("no bill of this sheet has the fact %s", f)
		}
	}
	for _, st := range []Status{OK, CannotFinish, CardTooSmall, NoPrice, NoRate, NoHours} {
		if !statuses[st] {
			t.Errorf("no bill of this sheet is %s", st)
		}
	}
}

func around(s, part string) string {
	i := strings.Index(s, part)
	return s[max(0, i-80):min(len(s), i+80)]
}

// TestExplain: the idle line in words, with the numbers put in and where each
// is known from.
func TestExplain(t *testing.T) {
	s := Make(params(Column{meteredOffer("A", "1.88"), evenings()}))
	x := Explain(texts.For(texts.English), s.Bills[0], lineOf(t, s.Bills[0], LineIdle))
	thin := "\u2009"
	if want := "(60" + thin + "h rented − 36 to 48" + thin + "h painting − 0" + thin + "h starting) × ¥1.88 an hour = ¥37.60"; x.Formula != want {
		t.Errorf("%q, want %q", x.Formula, want)
	}
	if x.Inputs[1].Origin != "estimated" || x.Inputs[3].Origin != "entered by you" {
		t.Errorf("%+v", x.Inputs)
	}
	if !strings.Contains(x.Rounding, "37.6") || !strings.Contains(x.Rounding, "¥0.01") {
		t.Errorf("%q", x.Rounding)
	}
	p := fullSheet()
	b := Make(p).Bills[0]
	x = Explain(texts.For(texts.Chinese), b, lineOf(t, b, LineDataDisk))
	found := false
	for _, in := range x.Inputs {
		if len(in.Also) == 1 && strings.Contains(in.Also[0], "0.6") && strings.Contains(in.Source, "2026-11-01") {
			found = true
		}
	}
	if !found || x.Origin == "" {
		t.Errorf("the two pages are not both told: %+v", x)
	}
}

// TestFormulasOfScaledLines: what stands before the "=" gives what stands behind
// it, also where an amount was converted or counted at a chance.
func TestFormulasOfScaledLines(t *testing.T) {
	en := texts.For(texts.English)
	o := monthOffer("Dollar month", "100")
	o.Currency = "USD"
	p := params(Column{meteredOffer("Hourly", "2"), evenings()}, Column{o, evenings()})
	p.Rates = money.Rates{{From: "USD", To: "CNY", Value: rat("7.1"), Date: "2026-11-01"}}
	p.Mixed = &Mixed{Shared: 0, Dedicated: 1, FailShare: rat("0.2"), ValidationH: rat("5")}
	s := Make(p)
	for i, want := range map[int]string{
		1: "1 × US$100.00 a month = US$100.00; at 7.1 CNY for 1 USD = ¥710.00",
		2: "1 × US$100.00 a month = US$100.00; at 7.1 CNY for 1 USD = ¥710.00; counted at 80\u2009% = ¥568.00",
	} {
		if got := Explain(en, s.Bills[i], lineOf(t, s.Bills[i], LinePackage)).Formula; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestHoursPackagePauses: a package of hours is stopped between sessions, so
// its disk bills as while stopped.
func TestHoursPackagePauses(t *testing.T) {
	o := meteredOffer("Pack", "80", "data_disk_gb", "72", "data_disk_price_gb_month", "0.1", "data_disk_free_gb", "0",
		"stop_disk_price_gb_month", "0.2", "stop_bills_compute", "true")
	o.Payment.Unit, o.Payment.Hours = offer.Pack, rat("50")
	// 60 h need 2 packages; 72 GB x 0.1 x 60/720 running, x 0.2 x 660/720 stopped.
	amounts(t, Make(params(Column{o, evenings()})).Bills[0], map[string]string{
		LinePackage: "160", LineIdle: "0", LineDataDisk: "3/5", LineStopped: "66/5",
	})
}

// TestEveryFormulaIsFilled: lines that exist at one end of the hours only are
// explained as well.
func TestEveryFormulaIsFilled(t *testing.T) {
	d := newDice(9)
	seen := 0
	for n := range 60 {
		p := params(Column{d.offer("A"), d.usage()}, Column{d.offer("B"), d.usage()})
		p.Mixed = &Mixed{Dedicated: 1, FailShare: d.rat(0, 1), ValidationH: d.rat(1, 9)}
		for _, b := range Make(p).Bills {
			for _, l := range b.Lines {
				seen++
				for _, lang := range texts.Langs() {
					if x := Explain(texts.For(lang), b, l); stray.MatchString(x.Formula) || x.Formula == "" {
						t.Errorf("%d: %s of %s: %q", n, l.ID, b.Name, x.Formula)
					}
				}
			}
		}
	}
	if seen < 500 {
		t.Errorf("only %d lines", seen)
	}
}

func TestSentence(t *testing.T) {
	en := texts.For(texts.English)
	u := evenings()
	say := func(p Params) string { return en.Say(Sentence(Make(p), nil)) }
	open := meteredOffer("Open", "1.5")
	delete(open.Terms, offer.StopCompute)
	wide := longRun()
	for _, c := range []struct {
		p    Params
		want string
	}{
		{params(), "No offer yet: add one, with its card and price."},
		{params(Column{meteredOffer("A", "0"), u}), "No offer has a total yet; each says what is missing."},
		{params(Column{meteredOffer("A", "1.88"), u}), "A comes to ¥112.80 for 30 days."},
		{params(Column{meteredOffer("A", "1.88"), u}, Column{monthOffer("B", "112.8"), u}), "A tie: A and B cost exactly the same, ¥112.80."},
		{params(Column{meteredOffer("A", "1.88"), u}, Column{monthOffer("B", "1180"), u}), "A is the cheapest: ¥112.80, ¥1,067.20 less than B."},
		{
			params(Column{meteredOffer("A", "2"), wide}, Column{monthOffer("B", "125"), wide}),
			"A comes out cheapest at ¥100.00 to 160.00, ¥5.00 less than B, but the bands touch: it isn't settled.",
		},
		{
			params(Column{open, u}, Column{monthOffer("B", "125"), u}),
			"Open is the cheapest by what is known: ¥90.00 to 1,080.00, ¥35.00 less than B. What nobody has said yet could turn that; ask first.",
		},
	} {
		if got := say(c.p); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
	p := params(Column{meteredOffer("A", "2"), wide}, Column{monthOffer("B", "125"), wide})
	ch, _ := Chances(context.Background(), p, 10_000, 1, nil)
	if got := en.Say(Sentence(Make(p), &ch)); !regexp.MustCompile(`In \d\d\x{2009}% of all draws it stays the cheapest\.$`).MatchString(got) {
		t.Errorf("%q", got)
	}
}

func TestMoney(t *testing.T) {
	en := texts.For(texts.English)
	for _, c := range []struct {
		v    string
		cur  money.Currency
		want string
	}{
		{"1180", "CNY", "¥1,180.00"},
		{"-0.52", "USD", "−US$0.52"},
		{"1234567.891", "JPY", "JP¥1,234,568"},
		{"-0.001", "CNY", "¥0.00"},
		{"0.0005", "KWD", "KWD\u00a00.001"},
	} {
		if got := Money(en, rat(c.v), c.cur); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.v, c.cur, got, c.want)
		}
	}
	if got := Price(en, rat("0.0066"), "CNY"); got != "¥0.0066" {
		t.Error(got)
	}
	if got := MoneyBand(en, band("57.861", "58", "71.559"), "CNY"); got != "¥57.86 to 71.56" {
		t.Error(got)
	}
	if got := MoneyBand(en, band("57.861", "57.862", "57.863"), "CNY"); got != "¥57.86" {
		t.Error(got)
	}
}

// TestFacts: worked cases of idle (26 of 40 h in use), per_image and refund.
func TestFacts(t *testing.T) {
	en := texts.For(texts.English)
	u := evenings()
	u.Sessions, u.SessionH, u.Rented, u.Busy, u.Pictures = 4, sure("2.5"), sure("10"), sure("6.5"), rat("1000")
	idles := u
	idles.Waits = Waits{{ID: "queue", Seconds: sure("60")}, {ID: "boot", Seconds: sure("120"), Billed: true}}
	s := Make(params(
		Column{meteredOffer("A", "2.50"), u},
		Column{monthOffer("B", "600", "refund", "unused_days", "refund_loss_share", "0.25"), u},
		Column{meteredOffer("C", "3.60", "idle_reclaim_min", "30", "billed_from", "boot"), idles},
	))
	said := map[string]string{}
	for i := range s.Bills {
		for _, f := range Facts(s, i) {
			if _, told := said[f.ID]; !told { // of the first bill that has it
				said[f.ID] = en.Say(f.Text)
			}
		}
	}
	thin := "\u2009"
	for id, want := range map[string]string{
		"idle":     "The card paints 65" + thin + "% of the rented time, so an hour of painting really costs ¥3.8462.",
		"pictures": "1000 pictures: ¥16.25 of painting alone, ¥16.25 with all starts.",
		"package":  "It pays against A from 240" + thin + "h a package; a machine is used 10" + thin + "h here.",
		// Half of the month is left, a quarter stays with the provider: 600 x 1/2 x 0.75.
		"refund": "Given back after 15 days: ¥225.00.",
		// (10 - 6.5 - 4 x 120 s) / 4 = 50.5 min idle a session; a start is 120 s at 0.001 each.
		"reclaim": "A session idles for 50.5" + thin + "min; the provider takes an instance back that idles for 30" + thin +
			"min. Each time, starting again costs ¥0.12 and takes 3" + thin + "min.",
	} {
		if said[id] != want {
			t.Errorf("%s: %q, want %q", id, said[id], want)
		}
	}
	if Facts(s, 9) != nil || Facts(s, -1) != nil {
		t.Error("no bill has facts")
	}
}
