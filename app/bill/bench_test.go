package bill

import (
	"testing"

	"rentgen/app/money"
)

// BenchmarkCases works each formula's first case out.
func BenchmarkCases(b *testing.B) {
	b.Run("session", func(b *testing.B) {
		in := SessionBillingIn{PricePerHour: money.MustParse("1.88"), GranularityS: 60, Repeat: 60, Round: Round{money.HalfUp, 2, Total}, SessionsS: []int64{7261}}
		bench(b, SessionBilling, in)
	})
	b.Run("no checkpoint", func(b *testing.B) {
		bench(b, InterruptNoCheckpoint, InterruptNoCheckpointIn{WorkH: money.Int(20), RatePerH: money.MustParse("0.1"), DowntimeH: money.MustParse("0.25"), SpotPricePerHour: money.Int(1), OnDemandPricePerHour: money.Int(2)})
	})
	b.Run("best checkpoint", func(b *testing.B) {
		bench(b, OptimalCheckpoint, OptimalCheckpointIn{WorkH: money.Int(20), CheckpointH: money.MustParse("0.02"), RatePerH: money.MustParse("0.04")})
	})
	b.Run("spot break-even", func(b *testing.B) {
		bench(b, SpotBreakeven, SpotBreakevenIn{WorkH: money.Int(6), SpotPricePerHour: money.Int(1), OnDemandPricePerHour: money.Int(2)})
	})
	b.Run("cover a year", func(b *testing.B) {
		day, week, month := money.Int(39), money.Int(250), money.Int(980)
		bench(b, PackageCover, PackageCoverIn{PricePerHour: money.MustParse("1.98"), DayPrice: &day, WeekPrice: &week, MonthPrice: &month, MonthDays: 30, Days: 365, HoursPerDay: money.Int(24)})
	})
	b.Run("mixed path", func(b *testing.B) {
		included := money.Int(720)
		bench(b, MixedStrategy, MixedStrategyIn{
			SharedPricePerHour: money.Int(2), DedicatedPricePerHour: money.Int(3), DedicatedMonth: money.Int(1100), MonthIncludedH: &included,
			ValidationH: money.Int(5), BatchHShared: money.Int(900), DedicatedSpeedup: money.MustParse("1.25"), ValidationFailProb: money.MustParse("0.3"),
		})
	})
}

func bench[In, Out any](b *testing.B, f func(In) (Out, error), in In) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f(in); err != nil {
			b.Fatal(err)
		}
	}
}
