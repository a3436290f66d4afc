package bill

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rentgen/app/money"
)

// formulas maps a formula of the cases to the function that works it out.
var formulas = map[string]any{
	"session_billing": SessionBilling, "session_billing_hours": SessionBillingHours, "gpu_legs": GPULegs,
	"settlement_rounding": SettlementRounding,
	"storage_daily":       StorageDaily, "storage_gb_month": StorageGBMonth, "storage_average": StorageAverage,
	"hidden_disk":     HiddenDisk,
	"storage_stopped": StorageStopped, "stopped_billing": StoppedBilling, "auto_release": AutoRelease,
	"idle": Idle, "phases": Phases,
	"traffic": Traffic, "traffic_package": TrafficPackage, "cross_region": CrossRegion, "snapshot": Snapshot,
	"interrupt_no_checkpoint": InterruptNoCheckpoint, "interrupt_checkpoint": InterruptCheckpoint,
	"images_natural_checkpoint": ImagesNaturalCheckpoint, "lifetime_cap": LifetimeCap, "optimal_checkpoint": OptimalCheckpoint,
	"attempts": Attempts, "spot_breakeven": SpotBreakeven, "rate_from_history": RateFromHistory, "reclaim_rerun": ReclaimRerun,
	"package_breakeven": PackageBreakeven, "package_cover": PackageCover, "package_expiry": PackageExpiry, "quota_plan": QuotaPlan,
	"mid_month_switch": MidMonthSwitch, "month_end": MonthEnd,
	"per_image": PerImage, "compare_cards": CompareCards, "utilisation_breakeven": UtilisationBreakeven,
	"ops": Ops, "mixed_strategy": MixedStrategy,
	"pert": Pert, "uniform_product": UniformProduct, "choice_probability": ChoiceProbability, "flip_point": FlipPoint,
	"upgrade_prorate": UpgradeProrate, "term_discount": TermDiscount, "piecewise_price": PiecewisePrice,
	"refund": Refund, "refund_prorate": RefundProrate, "discount_order": DiscountOrder,
	"minor_units": MinorUnits, "currency_mix": CurrencyMix, "compare_totals": CompareTotals, "bill_lines": BillLines,
	"validation": Validation,
}

type costCase struct {
	ID        string         `json:"id"`
	Formula   string         `json:"formula"`
	Inputs    map[string]any `json:"inputs"`
	Expected  map[string]any `json:"expected"`
	Tolerance string         `json:"tolerance"`
}

func readCases(tb testing.TB) []costCase {
	tb.Helper()
	dir := filepath.Join("testdata", "cases")
	if d := os.Getenv("RENTGEN_CASES"); d != "" {
		dir = d
	}
	b, err := os.ReadFile(filepath.Join(dir, "cost", "cases.json"))
	if err != nil {
		tb.Fatal(err)
	}
	var file struct{ Cases []costCase }
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&file); err != nil {
		tb.Fatal(err)
	}
	if len(file.Cases) == 0 {
		tb.Fatal("no cases")
	}
	return file.Cases
}

// summary is printed after all tests, as the last line that is ours.
var summary string

func TestMain(m *testing.M) {
	code := m.Run()
	if summary != "" {
		fmt.Println(summary)
	}
	os.Exit(code)
}

// TestCases works out each case by one call and compares every field.
func TestCases(t *testing.T) {
	all := readCases(t)
	passed := 0
	for _, c := range all {
		if t.Run(c.ID, func(t *testing.T) {
			for _, p := range runCase(c) {
				t.Error(p)
			}
		}) {
			passed++
		}
	}
	summary = fmt.Sprintf("cases %d/%d", passed, len(all))
}

// runCase returns what differs.
func runCase(c costCase) []string {
	f, ok := formulas[c.Formula]
	if !ok {
		return []string{fmt.Sprintf("unknown formula %q", c.Formula)}
	}
	call := reflect.ValueOf(f)
	in := reflect.New(call.Type().In(0)).Elem()
	if err := fill(in, c.Inputs, "inputs"); err != nil {
		return []string{err.Error()}
	}
	res := call.Call([]reflect.Value{in})
	out := res[0]
	if err, _ := res[1].Interface().(error); err != nil {
		want, _ := c.Expected["error"].(string)
		var fe *money.FieldError
		if !errors.As(err, &fe) || string(fe.Problem) != want {
			return []string{fmt.Sprintf("error %v, want %q", err, want)}
		}
	}
	tolerance, err := money.Parse(strings.Replace(c.Tolerance, "exact", "0", 1))
	if err != nil {
		return []string{fmt.Sprintf("tolerance %q: %v", c.Tolerance, err)}
	}
	return compare(out, c.Expected, tolerance, "expected")
}

// TestEveryFormulaHasACase guards that the table and the cases agree.
func TestEveryFormulaHasACase(t *testing.T) {
	if os.Getenv("RENTGEN_CASES") != "" {
		t.Skip("other cases may leave formulas out")
	}
	seen := map[string]bool{}
	for _, c := range readCases(t) {
		seen[c.Formula] = true
	}
	for _, name := range slices.Sorted(maps.Keys(formulas)) {
		if !seen[name] {
			t.Errorf("no case for %s", name)
		}
	}
	if len(seen) != len(formulas) {
		t.Errorf("%d formulas in the cases, %d in the table", len(seen), len(formulas))
	}
}

// TestCompareCanFail guards the comparison itself: each expected number, when
// it is moved, must be found.
func TestCompareCanFail(t *testing.T) {
	for _, c := range readCases(t) {
		for key, v := range c.Expected {
			var wrong any
			switch v := v.(type) {
			case string:
				wrong = v + "7"
			case nil:
				wrong = "0"
			case json.Number:
				wrong = json.Number(v.String() + "7")
			case bool:
				wrong = !v
			case []any:
				wrong = append(slices.Clone(v), "1")
			case map[string]any:
				wrong = map[string]any{}
			}
			if s, ok := v.(string); ok && !strings.HasSuffix(key, "_exact") && !strings.Contains(s, "T") {
				if x, err := money.Parse(s); err == nil {
					wrong = x.Mul(money.MustParse("1.001")).Add(money.MustParse("0.001")).String()
				}
			}
			moved := maps.Clone(c.Expected)
			moved[key] = wrong
			if len(runCase(costCase{c.ID, c.Formula, c.Inputs, moved, c.Tolerance})) == 0 && c.Formula != "" {
				if strings.HasSuffix(key, "_exact") && c.Tolerance == "1e-9" {
					continue // there the 15 digits are enough
				}
				t.Errorf("%s: %s as %v passes", c.ID, key, wrong)
			}
		}
	}
}
