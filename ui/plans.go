package ui

import (
	"context"
	"strings"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	core "rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/assets/texts"
	"rentgen/store"
	"rentgen/ui/bill"
	"rentgen/ui/desk"
	"rentgen/ui/hosts"
	"rentgen/ui/plan"
)

// Plans makes a store what the desk needs.
func Plans(s *store.Store) desk.Store { return plans{s} }

type plans struct{ s *store.Store }

func (p plans) Plans(ctx context.Context) ([]desk.Record, error) {
	all, err := p.s.Plans(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]desk.Record, 0, len(all))
	for _, r := range all {
		out = append(out, desk.Record(r))
	}
	return out, nil
}

func (p plans) SavePlan(ctx context.Context, r desk.Record) error {
	_, err := p.s.SavePlan(ctx, store.PlanRecord(r))
	return err
}

func (p plans) DeletePlan(ctx context.Context, id string) error { return p.s.DeletePlan(ctx, id) }

// newDesk returns the desk of the window's plans.
func (w *Window) newDesk(s desk.Store) *desk.Desk {
	d := desk.New(desk.Params{
		Store: s, Encode: core.Write, Decode: core.Read,
		Evaluate: func(p core.Plan) core.Result { return core.Evaluate(workload.Load(), p) },
		Chances: func(ctx context.Context, p core.Plan, r core.Result, draws int, progress func(int)) (sheet.Chance, error) {
			return core.Chances(ctx, workload.Load(), p, r, draws, progress)
		},
		Advise: core.Advise,
		First:  w.firstPlan, Now: w.p.Now, Go: w.p.Go,
		Do: w.doOpen,
	})
	d.AddKeys(w.win.Canvas(), func() bool {
		shown := w.frame.Shown()
		return !w.frame.Covered() && (shown == "plan" || shown == "bill")
	})
	return d
}

// doOpen runs f on the UI thread unless the window is closing.
func (w *Window) doOpen(f func()) {
	if w.isClosing() {
		return
	}
	w.p.Do(func() {
		if !w.isClosing() {
			f()
		}
	})
}

func (w *Window) isClosing() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closing
}

// firstPlan is the plan that a new one begins as: no job yet, and a use that
// can be corrected.
func (w *Window) firstPlan() core.Plan {
	p := core.New()
	p.Name = w.c.T("plan.name")
	if w.c.Lang != texts.Chinese {
		p.Currency = "USD"
	}
	p.Use = workload.Use{
		Pattern: workload.Screen, Pictures: workload.Count{PerDay: 100}, DaysPerWeek: 5, HoursPerSitting: 2,
	}
	return p
}

// newPlan returns the Plan place.
func (w *Window) newPlan() *plan.Place {
	return plan.New(plan.Params{
		Texts: w.c, Desk: w.desk, Window: w.win, Models: planModels, Check: planProblems,
		Key:      func(j workload.Job) string { return workload.Load().Filled(j).Key() },
		Say:      sayError,
		ReadFile: readWorkflow,
		Running:  w.running,
		Measured: w.real,
		Host: func() (string, bool) {
			h := w.planHost()
			if h == nil {
				return "", false
			}
			w.mu.Lock()
			w.askedHost, w.askedLocal = h, h.Line == hosts.LineLocal
			w.mu.Unlock()
			return hosts.NameOf(w.c, h), true
		},
		Bill: w.openBill,
		Now:  w.p.Now, Go: w.p.Go, Do: w.p.Do,
	})
}

func planModels() []plan.Model {
	var all []plan.Model
	for _, m := range workload.Load().Models() {
		if m.Unlisted {
			continue
		}
		all = append(all, plan.Model{ID: m.ID, Name: m.Name, Family: m.Family, Kinds: m.Kinds, Quants: m.Quants, Thin: m.Thin})
	}
	return all
}

// planProblems are what is wrong with the fields of the Plan; offers stand on
// the Bill.
func planProblems(p core.Plan) []plan.Problem {
	var out []plan.Problem
	for _, e := range core.Check(workload.Load(), p) {
		part, _, _ := strings.Cut(e.Field, ".")
		switch part {
		case "job", "use", "days", "questions":
			out = append(out, plan.Problem{Field: e.Field, Value: e.Value, Allowed: e.Allowed})
		}
	}
	return out
}

// newBill returns the Bill place.
func (w *Window) newBill() *bill.Place {
	return bill.New(bill.Params{
		Texts: w.c, Desk: w.desk, Window: w.win, Cards: cardNames, Examples: w.examples,
		Curves: func(p core.Plan, r core.Result, maxHours float64, points int) ([]sheet.Curve, []sheet.Crossing) {
			return sheet.Curves(core.SheetParams(workload.Load(), p, r.Fit), maxHours, points)
		},
		Plan:     func() { w.frame.Show(w.plan.Key()) },
		Measured: w.real,
		Now:      w.p.Now, Go: w.p.Go, Do: w.p.Do,
	})
}

func cardNames() []string {
	var names []string
	for _, k := range workload.Load().Cards() {
		names = append(names, k.Name)
	}
	return names
}

// examples are the offers of the example plan, which says that they are, with
// its rates.
func (w *Window) examples() ([]offer.Offer, money.Rates) {
	p, err := core.Read(core.ExampleIn(w.c.Lang, "bill"))
	if err != nil {
		return nil, nil // a test keeps it readable
	}
	return p.Offers, p.Rates
}

// openBill shows the Bill; offer and line are what it is to show there.
func (w *Window) openBill(offer, line string) {
	w.frame.Show(w.bill.Key())
	w.bill.Reveal(offer, line)
}

// choosing is the door of who has no instance yet; nil without plans.
func (w *Window) choosing() func() {
	if w.desk == nil {
		return nil
	}
	return func() {
		w.uncover()
		w.frame.Show("plan")
	}
}
