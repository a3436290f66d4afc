package bill

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"rentgen/app/money"
)

const tries = 400

// dice draws inputs that stand on edges more often than chance would have it.
type dice struct{ *rand.Rand }

func newDice() dice { return dice{rand.New(rand.NewPCG(11, 30))} }

// rat draws from 0 to most, with two decimals.
func (d dice) rat(most int64) money.Rat {
	switch d.IntN(8) {
	case 0:
		return money.Int(0)
	case 1:
		return money.Int(most)
	}
	return money.Frac(d.Int64N(100*most+1), 100)
}

func (d dice) above0(most int64) money.Rat { return d.rat(most).Add(money.Frac(1, 100)) }

func (d dice) of(list ...int64) int64 { return list[d.IntN(len(list))] }

func (d dice) round(levels ...Level) Round {
	modes := []money.Mode{money.HalfUp, money.HalfEven}
	return Round{modes[d.IntN(2)], int(d.of(0, 2, 3)), levels[d.IntN(len(levels))]}
}

func must[In, Out any](t *testing.T, f func(In) (Out, error), in In) Out {
	t.Helper()
	out, err := f(in)
	if err != nil {
		t.Fatalf("%+v: %v", in, err)
	}
	return out
}

func (d dice) sessions() SessionBillingIn {
	in := SessionBillingIn{
		PricePerHour: d.rat(20), GranularityS: d.of(1, 60, 300, 3600), MinBilledS: d.of(0, 0, 60, 90), MinCharge: d.rat(1),
		Repeat: 1, Round: d.round(Total, PerSession),
	}
	for range 1 + d.IntN(5) {
		in.SessionsS = append(in.SessionsS, d.of(0, 1, 59, 60, 61, 3600, d.Int64N(20000)))
	}
	return in
}

func TestALongerSessionNeverCostsLess(t *testing.T) {
	d := newDice()
	for range tries {
		in := d.sessions()
		a := must(t, SessionBilling, in)
		i := d.IntN(len(in.SessionsS))
		in.SessionsS = append([]int64{}, in.SessionsS...)
		in.SessionsS[i] += d.of(1, 30, 4000)
		b := must(t, SessionBilling, in)
		if b.Amount.Less(a.Amount) || b.AmountRounded.Less(a.AmountRounded) || b.BilledS < a.BilledS {
			t.Fatalf("%+v: %s, before %s", in, b.Amount, a.Amount)
		}
		if a.BillingOverhead.Sign() < 0 {
			t.Fatalf("%+v: overhead %s", in, a.BillingOverhead)
		}
	}
}

func TestSplittingASessionNeverCostsLess(t *testing.T) {
	d := newDice()
	for range tries {
		in := d.sessions()
		// Rounding to cents can hide half a cent of a piece; units and minimums
		// can't.
		whole := d.of(1, 2, 60, 3600, 1+d.Int64N(20000))
		cut := d.Int64N(whole + 1)
		in.SessionsS = []int64{whole}
		a := must(t, SessionBilling, in)
		in.SessionsS = []int64{cut, whole - cut}
		b := must(t, SessionBilling, in)
		if b.Amount.Less(a.Amount) || b.BilledS < a.BilledS {
			t.Fatalf("%+v: %s, whole %s", in, b.Amount, a.Amount)
		}
		if b.PerSecondAmount.Cmp(a.PerSecondAmount) != 0 {
			t.Fatalf("%+v: seconds were lost", in)
		}
	}
}

func TestSecondsAndHoursAgree(t *testing.T) {
	d := newDice()
	for range tries {
		in := d.sessions()
		in.MinCharge = money.Int(0)
		a := must(t, SessionBilling, in)
		h := SessionBillingHoursIn{PricePerHour: in.PricePerHour, GranularityS: in.GranularityS, MinBilledS: in.MinBilledS, Round: in.Round}
		for _, s := range in.SessionsS {
			cut := d.Int64N(s + 1)
			h.SessionsH = append(h.SessionsH, []money.Rat{money.Frac(cut, 3600), money.Frac(s-cut, 3600)})
		}
		b := must(t, SessionBillingHours, h)
		if !reflect.DeepEqual(a.BilledUnits, b.BilledUnits) || a.Amount.Cmp(b.Amount) != 0 || a.AmountRounded.Cmp(b.AmountRounded) != 0 {
			t.Fatalf("%+v: %+v and %+v", in, a, b)
		}
	}
}

// TestMoreUsageNeverLowersAPackagesWorth: what a package saves grows with use
// where an hour beyond it is no dearer than without.
func TestMoreUsageNeverLowersAPackagesWorth(t *testing.T) {
	d := newDice()
	for range tries {
		in := PackageBreakevenIn{PackagePrice: d.rat(2000), PricePerHour: d.rat(9), MonthH: d.above0(744), UsageS: d.Int64N(2_700_000)}
		if d.IntN(2) == 0 {
			h, o := d.rat(700), in.PricePerHour.Mul(money.Frac(d.Int64N(101), 100))
			in.IncludedH, in.OveragePricePerHour = &h, &o
		}
		a := must(t, PackageBreakeven, in)
		more := in
		more.UsageS += d.of(1, 3600, 400_000)
		b := must(t, PackageBreakeven, more)
		worth := func(o PackageBreakevenOut) money.Rat { return o.OnDemandAmount.Sub(o.PackageAmount) }
		if worth(b).Less(worth(a)) {
			t.Fatalf("%+v: worth %s, before %s", in, worth(b), worth(a))
		}
		if (a.BreakevenH == nil) != (b.BreakevenH == nil) || a.BreakevenH != nil && a.BreakevenH.Cmp(*b.BreakevenH) != 0 {
			t.Fatalf("%+v: the break-even moved with the usage", in)
		}
		if h := a.BreakevenH; h != nil {
			over := money.Int(0)
			if in.IncludedH != nil {
				over = above(*h, *in.IncludedH).Mul(*in.OveragePricePerHour)
			}
			if h.Mul(in.PricePerHour).Cmp(in.PackagePrice.Add(over)) != 0 {
				t.Fatalf("%+v: not equal at %s h", in, h)
			}
			if want := h.Less(money.Frac(in.UsageS, 3600)) && in.PricePerHour.Sign() > 0 && in.OveragePricePerHour == nil; want && a.Choice != Package {
				t.Fatalf("%+v: beyond the break-even, %s", in, a.Choice)
			}
		}
	}
}

// TestPackageCoverIsTheCheapest compares with every cover there is.
func TestPackageCoverIsTheCheapest(t *testing.T) {
	d := newDice()
	for range tries {
		p := func(most int64) *money.Rat {
			if d.IntN(6) == 0 {
				return nil
			}
			v := d.rat(most)
			return &v
		}
		in := PackageCoverIn{
			PricePerHour: d.rat(3), DayPrice: p(60), WeekPrice: p(400), MonthPrice: p(1500), MonthDays: d.of(28, 30, 31, 2, 3, 11),
			Days: d.Int64N(120), HoursPerDay: money.Int(d.Int64N(25)),
		}
		got := must(t, PackageCover, in)
		cents := func(v *money.Rat) int64 {
			if v == nil {
				return 0
			}
			n, ok := v.Mul(money.Int(100)).Int64()
			if !ok {
				t.Fatalf("%s isn't whole cents", v)
			}
			return n
		}
		hourly := in.PricePerHour.Mul(in.HoursPerDay)
		perDay, perWeek, perMonth, rest := cents(in.DayPrice), cents(in.WeekPrice), cents(in.MonthPrice), cents(&hourly)
		best, plan := int64(math.MaxInt64), [3]int64{}
		for m := int64(0); m <= in.Days/in.MonthDays+1 && (m == 0 || in.MonthPrice != nil); m++ {
			for w := int64(0); w <= in.Days/7+1 && (w == 0 || in.WeekPrice != nil); w++ {
				for n := int64(0); n <= in.Days && (n == 0 || in.DayPrice != nil); n++ {
					left := max(in.Days-m*in.MonthDays-7*w-n, 0)
					if cost := m*perMonth + w*perWeek + n*perDay + left*rest; cost < best {
						best, plan = cost, [3]int64{m, w, n}
					}
				}
			}
		}
		if got.Amount.Cmp(money.Frac(best, 100)) != 0 || plan != [3]int64{got.BestPlan.Month, got.BestPlan.Week, got.BestPlan.Day} {
			t.Fatalf("%+v: %s by %+v, want %d cents by %v", in, got.Amount, got.BestPlan, best, plan)
		}
		left := max(in.Days-plan[0]*in.MonthDays-7*plan[1]-plan[2], 0)
		if got.BestPlan.HourlyH.Cmp(in.HoursPerDay.Mul(money.Int(left))) != 0 {
			t.Fatalf("%+v: %s h left, want %d days", in, got.BestPlan.HourlyH, left)
		}
	}
}

func TestMoreInterruptionsNeverCostLess(t *testing.T) {
	d := newDice()
	for range tries {
		in := InterruptCheckpointIn{
			WorkH: d.rat(50), RatePerH: d.rat(1), Segments: 1 + d.Int64N(30), CheckpointH: d.rat(1), CheckpointAfterLast: d.IntN(2) == 0,
			RecoveryH: d.rat(1), DowntimeH: d.rat(1), DowntimeBilled: d.IntN(2) == 0, SpotPricePerHour: d.rat(5),
		}
		a := must(t, InterruptCheckpoint, in)
		in.RatePerH = in.RatePerH.Add(d.above0(1))
		b := must(t, InterruptCheckpoint, in)
		if a.Status == StatusOK && b.Status == StatusOK && (*b.Amount < *a.Amount*(1-1e-12) || *b.ExpectedWallH < *a.ExpectedWallH*(1-1e-12)) {
			t.Fatalf("%+v: %g, before %g", in, *b.Amount, *a.Amount)
		}
		if a.Status == StatusOK && *a.ExpectedBilledH > *a.ExpectedWallH*(1+1e-12) {
			t.Fatalf("%+v: more billed than passes", in)
		}
		if (a.Status == StatusOK) != (a.Amount != nil) || (a.Amount == nil) != (a.ExpectedInterruptions == nil) {
			t.Fatalf("%+v: status %s with or without numbers", in, a.Status)
		}
	}
}

// TestTheBestSegmentsAreTheCheapest: no other number of checkpoints takes fewer
// hours.
func TestTheBestSegmentsAreTheCheapest(t *testing.T) {
	d := newDice()
	for range tries {
		in := OptimalCheckpointIn{WorkH: d.above0(60), CheckpointH: d.above0(2), RatePerH: d.above0(1)}
		best := must(t, OptimalCheckpoint, in)
		hours := func(n int64) float64 {
			out := must(t, InterruptCheckpoint, InterruptCheckpointIn{
				WorkH: in.WorkH, RatePerH: in.RatePerH, Segments: n, CheckpointH: in.CheckpointH, CheckpointAfterLast: true,
			})
			return *out.ExpectedWallH
		}
		n := *best.BestSegments
		for _, other := range []int64{n - 1, n + 1, n + 2, 2 * n} {
			if other >= 1 && hours(other) < hours(n)*(1-1e-13) {
				t.Fatalf("%+v: %d segments beat %d", in, other, n)
			}
		}
	}
}

func TestSettlementsLoseNoSecond(t *testing.T) {
	d := newDice()
	for range tries {
		start := when(d)
		in := SettlementRoundingIn{
			PricePerHour: d.rat(9), GranularityS: d.of(1, 60), Start: start, End: start.Add(secs(d.Int64N(400_000))),
			Settlement: SettleWallClockHour, Round: d.round(Total, PerSettlement),
		}
		out := must(t, SettlementRounding, in)
		sum := int64(0)
		for i, s := range out.SegmentsS {
			sum += s
			end := in.Start.Add(secs(sum))
			if s < 1 || s > 3600 || i < len(out.SegmentsS)-1 && (end.Minute() != 0 || end.Second() != 0) {
				t.Fatalf("%+v: segment %d of %d s ends at %s", in, i, s, end)
			}
		}
		if sum != in.End.Unix()-in.Start.Unix() {
			t.Fatalf("%+v: %d s", in, sum)
		}
		one := in
		one.Settlement = SettlePerSession
		if whole := must(t, SettlementRounding, one); out.Amount.Less(whole.Amount) {
			t.Fatalf("%+v: %s, as one session %s", in, out.Amount, whole.Amount)
		}
	}
}

func TestMonthsNeverDrift(t *testing.T) {
	d := newDice()
	for range tries {
		start := when(d)
		out := must(t, MonthEnd, MonthEndIn{Start: start, Periods: 30})
		sum := money.Int(0)
		for i, e := range out.Ends {
			last := e.AddDate(0, 0, 1).Day() == 1
			if e.Day() != start.Day() && !(last && e.Day() < start.Day()) || e.Hour() != start.Hour() {
				t.Fatalf("%s: period %d ends %s", start, i, e)
			}
			sum = sum.Add(out.PeriodH[i])
		}
		if sum.Cmp(hoursFrom(start, out.Ends[29])) != 0 {
			t.Fatalf("%s: %s h in all", start, sum)
		}
	}
}

func TestABillIsTheSumOfItsLines(t *testing.T) {
	d := newDice()
	for range tries {
		s := d.sessions()
		in := BillLinesIn{
			PricePerHour: s.PricePerHour, GranularityS: s.GranularityS, MinBilledS: s.MinBilledS, MinCharge: s.MinCharge, SessionsS: s.SessionsS,
			ProvisionedGB: d.rat(200), FreeGB: d.rat(100), PricePerGBDay: d.rat(1), Midnights: d.Int64N(40), TrafficGB: d.rat(50),
			PricePerGB: d.rat(1), Images: d.Int64N(3), Round: d.round(Total, PerLine),
		}
		out := must(t, BillLines, in)
		if out.Amount.Cmp(money.Sum(out.ComputeAmount, out.StorageAmount, out.TrafficAmount)) != 0 {
			t.Fatalf("%+v: %+v", in, out)
		}
		// Half a unit a line at most.
		off := out.AmountRounded.Sub(out.Amount)
		unit := money.Int(1)
		for range in.Round.Scale {
			unit = unit.Quo(money.Int(10))
		}
		if limit := unit.Mul(money.Frac(3, 2)); limit.Less(off) || off.Less(limit.Neg()) {
			t.Fatalf("%+v: rounded by %s", in, off)
		}
		if (out.PerImage == nil) != (in.Images == 0) {
			t.Fatalf("%+v: per image %v", in, out.PerImage)
		}
	}
}

// TestChoicesAreTheCheapest holds choices and break-evens of the mixed path to
// each other: at the break-even q both plans cost the same.
func TestChoicesAreTheCheapest(t *testing.T) {
	d := newDice()
	found := 0
	for range tries {
		included := d.rat(700)
		in := MixedStrategyIn{
			SharedPricePerHour: d.rat(5), DedicatedPricePerHour: d.rat(6), DedicatedMonth: d.rat(2000), MonthIncludedH: &included,
			ValidationH: d.rat(20), BatchHShared: d.rat(900), DedicatedSpeedup: d.above0(2), TransferGB: d.rat(100),
			TransferPricePerGB: d.rat(1), SetupOpsH: d.rat(5), OpsPricePerHour: d.rat(90), ValidationFailProb: d.rat(1),
		}
		out := must(t, MixedStrategy, in)
		totals := map[string]money.Rat{
			AllShared: out.AllSharedAmount, MixedHourly: out.MixedHourlyAmount, MixedMonth: out.MixedMonthAmount, AllDedicatedMonth: out.AllDedicatedMonthAmount,
		}
		for name, total := range totals {
			if total.Less(totals[out.Choice]) || total.Sign() < 0 {
				t.Fatalf("%+v: %s costs %s, %s %s", in, name, total, out.Choice, totals[out.Choice])
			}
		}
		if out.BreakevenFailProb != nil {
			found++
			in.ValidationFailProb = *out.BreakevenFailProb
			if at := must(t, MixedStrategy, in); at.MixedMonthAmount.Cmp(at.AllDedicatedMonthAmount) != 0 {
				t.Fatalf("%+v: %s and %s at the break-even", in, at.MixedMonthAmount, at.AllDedicatedMonthAmount)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d break-evens", found)
	}
}

// TestMovesReachTheFlip: after each move both sides cost the same.
func TestMovesReachTheFlip(t *testing.T) {
	d := newDice()
	for range tries {
		in := FlipPointIn{PackagePrice: d.rat(2000), PricePerHour: d.rat(9), UsageH: d.rat(700)}
		out := must(t, FlipPoint, in)
		equal := func(p, h, u money.Rat) bool { return p.Cmp(h.Mul(u)) == 0 }
		if !equal(in.PackagePrice.Add(out.MovePackagePrice), in.PricePerHour, in.UsageH) ||
			out.MoveUsageH != nil && !equal(in.PackagePrice, in.PricePerHour, in.UsageH.Add(*out.MoveUsageH)) ||
			out.MovePricePerHour != nil && !equal(in.PackagePrice, in.PricePerHour.Add(*out.MovePricePerHour), in.UsageH) {
			t.Fatalf("%+v: %+v", in, out)
		}
	}
}

// TestReclaimsArePaidTwice: what is billed is the undisturbed run, what was lost
// and the start-ups that were begun.
func TestReclaimsArePaidTwice(t *testing.T) {
	d := newDice()
	for range tries {
		in := ReclaimRerunIn{PricePerHour: d.rat(5), WorkH: d.rat(20), StartupH: d.rat(1)}
		if d.IntN(3) > 0 {
			every := d.rat(5)
			in.SaveEveryH = &every
		}
		for range d.IntN(4) {
			in.ReclaimedAfterH = append(in.ReclaimedAfterH, d.rat(8))
		}
		out := must(t, ReclaimRerun, in)
		again := out.BilledH.Sub(in.WorkH).Sub(out.LostH) // start-ups, whole or begun
		if again.Less(in.StartupH) || in.StartupH.Mul(money.Int(int64(len(in.ReclaimedAfterH)+1))).Less(again) || out.LostH.Sign() < 0 || out.ExtraAmount.Sign() < 0 {
			t.Fatalf("%+v: %+v", in, out)
		}
	}
}
