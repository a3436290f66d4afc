package bill

import (
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"rentgen/app/money"
)

// wild fills an input with anything: ends of ranges, absent values, names that
// don't exist.
func (d dice) wild(v reflect.Value, field string) {
	switch v.Type() {
	case ratType:
		list := []string{"0", "0", "1", "0.5", "1", "2.5", "24", "720", "1e15", "1e-300", "1e-18", "0.1", "3600", "-1", "7", "1000000"}
		v.Set(reflect.ValueOf(money.MustParse(list[d.IntN(len(list))])))
		return
	case timeType:
		if d.IntN(20) > 0 {
			v.Set(reflect.ValueOf(time.Date(2026, 10, 31, 0, 0, 0, 0, time.UTC).Add(secs(d.Int64N(86400)))))
		}
		return
	case ratesType:
		v.Set(reflect.ValueOf(money.Rates{{From: "USD", To: "CNY", Value: d.rat(9), Date: "2026-11-30"}}))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if d.IntN(4) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			d.wild(v.Elem(), field)
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(d.of(0, 1, 1, 2, 3, 7, 30, 60, 3600, 86400, -1, math.MaxInt64, math.MinInt64, 1_000_000_000_000_000))
	case reflect.Bool:
		v.SetBool(d.IntN(2) == 0)
	case reflect.String:
		names := map[string][]string{
			"mode": {"half_up", "half_even"}, "level": {"total", "per_line", "per_session", "per_settlement"}, "month": {"", "2026-02", "2026-13"},
			"month_convention": {"fixed_720h", "fixed_730h", "calendar"}, "settlement": {"per_session", "wall_clock_hour"},
			"order": {"discount_then_coupon", "coupon_then_discount"}, "name": {"work", "queue"},
		}[field]
		if names == nil {
			names = []string{"CNY", "USD", "JPY"}
		}
		v.SetString(append(names, names[0], names[0], "")[d.IntN(len(names)+3)])
	case reflect.Slice:
		n := d.IntN(4)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			d.wild(v.Index(i), field)
		}
	case reflect.Map:
		v.Set(reflect.ValueOf([]map[string]string{nil, {"price_per_hour": "1"}, {"hours": "x"}}[d.IntN(3)]))
	case reflect.Struct:
		for i := range v.NumField() {
			d.wild(v.Field(i), v.Type().Field(i).Tag.Get("json"))
		}
	}
}

// numbersOf calls f with every float below v.
func numbersOf(v reflect.Value, f func(float64)) {
	switch v.Type() {
	case ratType, timeType:
		return
	}
	switch v.Kind() {
	case reflect.Float64:
		f(v.Float())
	case reflect.Pointer:
		if !v.IsNil() {
			numbersOf(v.Elem(), f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			numbersOf(v.Index(i), f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			numbersOf(v.Field(i), f)
		}
	}
}

// TestAnythingGoesIn: whatever is put in, a formula neither panics nor shows
// NaN, infinity or a chance beyond 1, and its errors name a field and a problem
// of the list.
func TestAnythingGoesIn(t *testing.T) {
	d := newDice()
	for _, name := range slices.Sorted(maps.Keys(formulas)) {
		call := reflect.ValueOf(formulas[name])
		fine := 0
		for range tries {
			in := reflect.New(call.Type().In(0)).Elem()
			d.wild(in, name)
			res := call.Call([]reflect.Value{in})
			if err, _ := res[1].Interface().(error); err != nil {
				var bad *money.FieldError
				if !errors.As(err, &bad) || bad.Field == "" || !slices.Contains(money.Problems(), bad.Problem) {
					t.Fatalf("%s %+v: %v", name, in, err)
				}
				continue
			}
			fine++
			numbersOf(res[0], func(x float64) {
				if !finite(x) || x < 0 {
					t.Fatalf("%s %+v: %g in %+v", name, in, x, res[0])
				}
			})
		}
		if fine < 4 {
			t.Errorf("%s: only %d inputs were taken", name, fine)
		}
	}
}

// TestMonthsLaterKeepsTheClock guards a time whose offset is odd.
func TestMonthsLaterKeepsTheClock(t *testing.T) {
	zone := time.FixedZone("", 5*3600+45*60)
	got := MonthsLater(time.Date(2028, 1, 31, 23, 59, 59, 0, zone), 13)
	if want := time.Date(2029, 2, 28, 23, 59, 59, 0, zone); !got.Equal(want) {
		t.Errorf("%s, want %s", got, want)
	}
}
