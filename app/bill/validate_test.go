package bill

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rentgen/app/money"
)

// TestBadInputsAreNamed makes every number of every case bad, one at a time:
// the error names the field and what it is, and nothing is worked out.
func TestBadInputsAreNamed(t *testing.T) {
	t.Setenv("RENTGEN_CASES", "")
	seen := map[string]bool{}
	for _, c := range readCases(t) {
		if seen[c.Formula] || c.Formula == "validation" {
			continue
		}
		seen[c.Formula] = true
		for _, path := range numbers(c.Inputs, nil) {
			if path[0] == "rates" { // a rate that is no rate is a missing one
				continue
			}
			field, _ := path[len(path)-1].(string)
			if field == "" { // a number of a list has the list's name
				field, _ = path[slices.IndexFunc(path, func(p any) bool { _, ok := p.(int); return ok })-1].(string)
			}
			text := "-1"
			if kindOf(field) == anyNumber || slices.Contains([]string{"shared_total", "dedicated_total"}, field) {
				text = "2e15"
			}
			if field == "amount" && c.Formula == "refund_prorate" {
				text = "-1"
			}
			inputs := with(c.Inputs, path, text).(map[string]any)
			call := reflect.ValueOf(formulas[c.Formula])
			in := reflect.New(call.Type().In(0)).Elem()
			if err := fill(in, inputs, "inputs"); err != nil {
				t.Fatal(err)
			}
			res := call.Call([]reflect.Value{in})
			err, _ := res[1].Interface().(error)
			var bad *money.FieldError
			if !errors.As(err, &bad) {
				t.Errorf("%s: %v = %s is taken", c.Formula, path, text)
				continue
			}
			if !strings.Contains(bad.Field, field) || !slices.Contains(money.Problems(), bad.Problem) || bad.Value == "" {
				t.Errorf("%s: %v = %s: %v", c.Formula, path, text, err)
			}
			out := res[0].Interface()
			if mix, ok := out.(CurrencyMixOut); ok {
				mix.Error = nil
				out = mix
			}
			if !reflect.ValueOf(out).IsZero() {
				t.Errorf("%s: a number in spite of %v: %+v", c.Formula, err, out)
			}
		}
	}
	if len(seen) != len(formulas)-1 {
		t.Errorf("%d formulas tried", len(seen))
	}
}

// numbers returns the paths of all numbers.
func numbers(v any, path []any) [][]any {
	switch v := v.(type) {
	case map[string]any:
		var all [][]any
		for _, k := range slices.Sorted(maps.Keys(v)) {
			all = append(all, numbers(v[k], append(slices.Clone(path), k))...)
		}
		return all
	case []any:
		var all [][]any
		for i, x := range v {
			all = append(all, numbers(x, append(slices.Clone(path), i))...)
		}
		return all
	case json.Number:
		return [][]any{path}
	case string:
		if _, err := money.Parse(v); err == nil {
			return [][]any{path}
		}
	}
	return nil
}

// with returns a copy in which the number at the path is another.
func with(v any, path []any, text string) any {
	if len(path) == 0 {
		if _, ok := v.(json.Number); ok {
			return json.Number(text)
		}
		return text
	}
	switch k := path[0].(type) {
	case string:
		m := maps.Clone(v.(map[string]any))
		m[k] = with(m[k], path[1:], text)
		return m
	case int:
		l := slices.Clone(v.([]any))
		l[k] = with(l[k], path[1:], text)
		return l
	}
	return v
}

func FuzzCheckField(f *testing.F) {
	for _, s := range []string{"1.88", "", " ", "nan", "-Inf", "1e3", "1e99999", "1e-9999", "0e12345", "-0", "1,5", "0x10", "１"} {
		f.Add("price_per_hour", s)
		f.Add("validation_fail_prob", s)
		f.Add("granularity_s", s)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		v, err := CheckField(name, text)
		if err == nil {
			if p := kindOf(name).problem(v); p != "" {
				t.Fatalf("%s %q is taken and %s", name, text, p)
			}
			return
		}
		var bad *money.FieldError
		if !errors.As(err, &bad) || bad.Field != name || bad.Value != text || !slices.Contains(money.Problems(), bad.Problem) {
			t.Fatalf("%s %q: %v", name, text, err)
		}
		if !v.IsZero() {
			t.Fatalf("%s %q: %s in spite of %v", name, text, v, err)
		}
	})
}
