package plan

import (
	"testing"

	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/workload"
)

// fromPlan is a plan of one offer: payment and terms as in a file, 30 sittings
// of 2 h in 30 days.
func fromPlan(t *testing.T, head, payment, terms string) sheet.Bill {
	t.Helper()
	p := mustRead(t, head+`
use: {pattern: screen, days_per_week: 7, hours_per_sitting: 2}
offers:
  - name: A
    currency: CNY
    count: 1
    cards: 1
    card: {name: RTX 4090, part: whole}
    machine: container
    payment: {`+payment+`}
    terms: {`+terms+`}
`)
	return Evaluate(workload.Load(), p).Sheet.Bills[0]
}

func packageOf(t *testing.T, b sheet.Bill) money.Rat {
	t.Helper()
	for _, l := range b.Lines {
		if l.ID == sheet.LinePackage {
			return l.Amount.Point
		}
	}
	t.Fatalf("%s: no package: %s", b.Name, b.Status)
	return money.Rat{}
}

// TestTermsReachTheBill: what only some bills need is reached from a file. A
// month at 590 from the 1st of February is over after 28 of the 30 days; of a
// paid month 700 of 744 h are used; a year of 10 months' price covers 12.
func TestTermsReachTheBill(t *testing.T) {
	month := `unit: month, price: "590"`
	for _, c := range []struct{ head, payment, terms, want string }{
		{"days: 30", month, "", "590"},
		{"days: 30\nstart: 2026-12-01", month, "", "590"},
		{"days: 30\nstart: 2027-02-01", month, "", "1180"},
		{"days: 30", month, "package_elapsed_h: 700", "590"},
		{"days: 30", month, "package_elapsed_h: 20", "0"},
		{"days: 30", `unit: package, price: "80", hours: 50, overage: "1.5"`, "package_elapsed_h: 20", "0"},
		{"days: 365", month, "year_months_paid: 10", "5900"},
	} {
		if got := packageOf(t, fromPlan(t, c.head, c.payment, c.terms)).String(); got != c.want {
			t.Errorf("%s, %s, %s: %s, want %s", c.head, c.payment, c.terms, got, c.want)
		}
	}
}
