package plan

import (
	"context"
	"math"
	"time"

	"rentgen/app/advice"
	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/workload"
)

// trialH is how long a workflow is tried out before the long run, in hours: a
// short job, as in the guide's first example.
const trialH = 3

// Evaluate works a plan out, without IO. It changes nothing of the plan.
func Evaluate(cat *workload.Catalogue, p Plan) Result {
	var r Result
	r.Notes = notes(cat, p)
	r.Fit = fitOf(cat, p)
	columns, hours := columnsOf(cat, p, r.Fit)
	r.Hours = hours
	_, r.Sheet = sheetOf(p, r.Fit, columns)
	r.Advice = Advise(p, r, nil)
	return r
}

// Advise is the advice of a result that is known already; with chances it is
// firmer than what Evaluate gives.
func Advise(p Plan, r Result, ch *sheet.Chance) advice.Advice {
	return advice.Give(advice.Input{Questions: p.Questions, Fit: r.Fit, Hours: r.Hours, Sheet: r.Sheet, Chance: ch, NoTrial: p.Use.Pattern == workload.Timetable})
}

// SheetParams are what the sheet of a plan with that answer is made of, for its
// curves.
func SheetParams(cat *workload.Catalogue, p Plan, fit workload.Answer) sheet.Params {
	columns, _ := columnsOf(cat, p, fit)
	params, _ := sheetOf(p, fit, columns)
	return params
}

// Chances draws how likely each bill of a result is the cheapest one; the plan's
// seed makes it the same each time. The error is ctx's.
func Chances(
	ctx context.Context, cat *workload.Catalogue, p Plan, r Result, draws int, progress func(done int),
) (sheet.Chance, error) {
	columns, _ := columnsOf(cat, p, r.Fit)
	params := paramsOf(p, columns)
	params.Mixed = mixedOf(p, r.Fit, columns, func(i int) (float64, bool) {
		return wayCost(p, columns[i], r.Sheet.Bills[i])
	})
	return sheet.Chances(ctx, params, draws, p.Seed, progress)
}

// fitOf is the workload's answer; a plan without a model has none.
func fitOf(cat *workload.Catalogue, p Plan) workload.Answer {
	if p.Job.Model == "" {
		return workload.Answer{}
	}
	return cat.Estimate(p.Job, p.Use, spanOf(p), p.Measured)
}

// spanOf is how many days the bills are for: a class runs for its weeks.
func spanOf(p Plan) int {
	days := p.Days
	if days < 1 {
		days = New().Days
	}
	return workload.SpanDays(p.Use, days)
}

// firstDay is the first day of the bills; zero where none is given.
func (p Plan) firstDay() time.Time {
	t, err := time.Parse(time.DateOnly, p.Start)
	if err != nil {
		return time.Time{}
	}
	return t
}

func paramsOf(p Plan, columns []sheet.Column) sheet.Params {
	return sheet.Params{Days: spanOf(p), Start: p.firstDay(), Currency: p.Currency, Rates: p.Rates, Columns: columns}
}

// sheetOf makes the sheet. The way of trying out on one offer and running on
// another takes the cheapest of either kind, which only their bills tell: they
// are guessed by their prices, so that in most plans one sheet is enough.
func sheetOf(p Plan, fit workload.Answer, columns []sheet.Column) (sheet.Params, sheet.Sheet) {
	params := paramsOf(p, columns)
	params.Mixed = mixedOf(p, fit, columns, func(i int) (float64, bool) { return roughly(p, columns[i]) })
	s := sheet.Make(params)
	if params.Mixed == nil {
		return params, s
	}
	sure := mixedOf(p, fit, columns, func(i int) (float64, bool) {
		return wayCost(p, columns[i], s.Bills[i])
	})
	if sure == nil || sure.Shared != params.Mixed.Shared || sure.Dedicated != params.Mixed.Dedicated {
		params.Mixed = sure
		s = sheet.Make(params)
	}
	return params, s
}

// wayCost is what orders offers by their bills. One on which the whole job
// doesn't end may still be tried out on, after all on which it does.
func wayCost(p Plan, c sheet.Column, b sheet.Bill) (cost float64, ok bool) {
	if b.Status == sheet.CannotFinish && advice.KindOf(c.Offer) == advice.Shared {
		cost, ok = roughly(p, c)
		return cost + most, ok
	}
	return b.Total.Point.Float64(), b.Status == sheet.OK
}

// roughly is what an offer's price comes to, without anything beside it.
func roughly(p Plan, c sheet.Column) (cost float64, ok bool) {
	pay, h := c.Offer.Payment, c.Usage.Rented.Point.Float64()
	a, _, err := p.Rates.Convert(money.Amount{Value: pay.Price, Currency: c.Offer.Currency}, currencyOf(p))
	if err != nil || pay.Price.Sign() <= 0 || !c.Usage.CardFits {
		return 0, false
	}
	price := a.Value.Float64() * float64(max(c.Offer.Cards, 1))
	if n := hoursIn[pay.Unit]; n > 0 {
		whole := math.Ceil(float64(spanOf(p)) * 24 / n)
		return price * whole * float64(max(c.Usage.Machines, c.Offer.Count, 1)), true
	}
	switch pay.Unit {
	case offer.Second:
		h *= 3600
	case offer.Minute:
		h *= 60
	}
	return price * h, true
}

// hoursIn are the hours that a period is paid for.
var hoursIn = map[offer.Unit]float64{offer.Day: 24, offer.Week: 168, offer.Month: 730, offer.Year: 8760}

func currencyOf(p Plan) money.Currency {
	if p.Currency == "" && len(p.Offers) > 0 {
		return p.Offers[0].Filled().Currency
	}
	return p.Currency
}

// mixedOf asks for the bill of trying out on the cheapest metered shared offer
// and then running on the cheapest whole machine; nil where one of them is
// missing or the workflow is proven. Nobody having said how likely it is that
// trying out stops the project, the bill is the dearest there can be, that of a
// project which goes on; from which chance the way pays, the bill says itself.
func mixedOf(p Plan, fit workload.Answer, columns []sheet.Column, cost func(i int) (float64, bool)) *sheet.Mixed {
	if p.Questions.Proven || p.Use.Pattern == workload.Timetable {
		return nil
	}
	type choice struct {
		index int
		cost  float64
	}
	best := map[advice.Choice]choice{}
	for i, c := range columns {
		kind := advice.KindOf(c.Offer)
		if c.Offer.Hidden || kind == advice.Shared && !c.Offer.Payment.Metered() || len(p.Questions.RulesOut(c.Offer)) > 0 {
			continue // who pays a month doesn't try, and nobody takes what may not be taken
		}
		v, ok := cost(i)
		if old, found := best[kind]; ok && (!found || v < old.cost) {
			best[kind] = choice{i, v}
		}
	}
	shared, ok := best[advice.Shared]
	own, ok2 := best[advice.Dedicated]
	if !ok || !ok2 {
		return nil
	}
	m := &sheet.Mixed{
		Shared: shared.index, Dedicated: own.index, ValidationH: money.Int(trialH), TransferGB: rat(fit.Disk.Persistent),
	}
	if h := columns[shared.index].Usage.Rented.Point; h.Sign() > 0 {
		m.ValidationH = m.ValidationH.Min(h)
	}
	if q := p.Questions.FailShare; q != nil {
		m.FailShare = rat(min(max(*q, 0), 1))
	}
	return m
}

// Visible returns the offers that are billed.
func (p Plan) Visible() []offer.Offer {
	var list []offer.Offer
	for _, o := range p.Offers {
		if !o.Hidden {
			list = append(list, o)
		}
	}
	return list
}
