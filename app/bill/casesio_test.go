package bill

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"rentgen/app/money"
)

var (
	ratType   = reflect.TypeFor[money.Rat]()
	timeType  = reflect.TypeFor[time.Time]()
	ratesType = reflect.TypeFor[money.Rates]()
)

// fields returns the fields of a struct by the names of their tags.
func fields(t reflect.Type) map[string]int {
	m := map[string]int{}
	for i := range t.NumField() {
		m[t.Field(i).Tag.Get("json")] = i
	}
	return m
}

// fill writes a case's value into an input: every field must be there, and
// none that isn't known.
func fill(to reflect.Value, from any, path string) error {
	wrong := func() error { return fmt.Errorf("%s: %v (%T) for %s", path, from, from, to.Type()) }
	if to.Kind() == reflect.Pointer {
		if from == nil {
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		return fill(to.Elem(), from, path)
	}
	switch to.Type() {
	case ratType:
		s, ok := from.(string)
		r, ok2 := new(big.Rat).SetString(s)
		if !ok || !ok2 {
			return wrong()
		}
		to.Set(reflect.ValueOf(money.FromBig(r)))
		return nil
	case timeType:
		s, _ := from.(string)
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		to.Set(reflect.ValueOf(t))
		return nil
	case ratesType:
		list, ok := from.([]any)
		if !ok {
			return wrong()
		}
		for _, it := range list {
			m, _ := it.(map[string]any)
			pair, _ := m["pair"].(string)
			a, b, ok := strings.Cut(pair, "/")
			rate, ok2 := m["rate"].(string)
			date, ok3 := m["date"].(string)
			v, err := money.Parse(rate)
			if !ok || !ok2 || !ok3 || err != nil || len(m) != 3 {
				return wrong()
			}
			r := money.Rate{From: money.Currency(a), To: money.Currency(b), Value: v, Date: date}
			to.Set(reflect.Append(to, reflect.ValueOf(r)))
		}
		return nil
	}
	switch to.Kind() {
	case reflect.String:
		s, ok := from.(string)
		if !ok && from != nil { // no month
			return wrong()
		}
		to.SetString(s)
	case reflect.Bool:
		b, ok := from.(bool)
		if !ok {
			return wrong()
		}
		to.SetBool(b)
	case reflect.Int, reflect.Int64:
		n, ok := from.(json.Number)
		v, err := n.Int64()
		if !ok || err != nil {
			return wrong()
		}
		to.SetInt(v)
	case reflect.Slice, reflect.Array:
		list, ok := from.([]any)
		if !ok || to.Kind() == reflect.Array && len(list) != to.Len() {
			return wrong()
		}
		if to.Kind() == reflect.Slice {
			to.Set(reflect.MakeSlice(to.Type(), len(list), len(list)))
		}
		for i, it := range list {
			if err := fill(to.Index(i), it, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		m, ok := from.(map[string]any)
		if !ok {
			return wrong()
		}
		to.Set(reflect.MakeMap(to.Type()))
		for k, v := range m {
			s, ok := v.(string)
			if !ok && v != nil {
				return wrong()
			}
			if v != nil {
				to.SetMapIndex(reflect.ValueOf(k), reflect.ValueOf(s))
			}
		}
	case reflect.Struct:
		m, ok := from.(map[string]any)
		if !ok {
			return wrong()
		}
		known := fields(to.Type())
		for k := range m {
			if _, ok := known[k]; !ok {
				return fmt.Errorf("%s: unknown field %s", path, k)
			}
		}
		for k, i := range known {
			v, ok := m[k]
			if !ok {
				return fmt.Errorf("%s: no field %s", path, k)
			}
			if err := fill(to.Field(i), v, path+"."+k); err != nil {
				return err
			}
		}
	default:
		return wrong()
	}
	return nil
}

// compare returns where a result differs from what is expected.
func compare(got reflect.Value, want any, tolerance money.Rat, path string) []string {
	differs := func() []string {
		return []string{fmt.Sprintf("%s: %s, want %v", path, show(got), want)}
	}
	if got.Kind() == reflect.Pointer || got.Kind() == reflect.Slice {
		if got.IsNil() != (want == nil) {
			return differs()
		}
		if want == nil {
			return nil
		}
	}
	if got.Kind() == reflect.Pointer {
		return compare(got.Elem(), want, tolerance, path)
	}
	if strings.HasSuffix(path, "_rounded") {
		tolerance = money.Int(0)
	}
	switch got.Type() {
	case ratType:
		s, ok := want.(string)
		w, ok2 := new(big.Rat).SetString(s)
		if !ok || !ok2 || !near(got.Interface().(money.Rat), money.FromBig(w), tolerance) {
			return differs()
		}
		return nil
	case timeType:
		s, _ := want.(string)
		w, err := time.Parse(time.RFC3339, s)
		t := got.Interface().(time.Time)
		_, offset := t.Zone()
		_, wantOffset := w.Zone()
		if err != nil || !t.Equal(w) || offset != wantOffset {
			return differs()
		}
		return nil
	}
	switch got.Kind() {
	case reflect.Float64:
		s, ok := want.(string)
		w, err := strconv.ParseFloat(s, 64)
		g := got.Float()
		if !ok || err != nil || !finite(g) {
			return differs()
		}
		if g != w && !near(money.Float(g), money.Float(w), tolerance) {
			return differs()
		}
	case reflect.String:
		if s, ok := want.(string); !ok || s != got.String() {
			return differs()
		}
	case reflect.Bool:
		if b, ok := want.(bool); !ok || b != got.Bool() {
			return differs()
		}
	case reflect.Int, reflect.Int64:
		n, ok := want.(json.Number)
		if v, err := n.Int64(); !ok || err != nil || v != got.Int() {
			return differs()
		}
	case reflect.Slice:
		list, ok := want.([]any)
		if !ok || len(list) != got.Len() {
			return differs()
		}
		var all []string
		for i, w := range list {
			all = append(all, compare(got.Index(i), w, tolerance, fmt.Sprintf("%s[%d]", path, i))...)
		}
		return all
	case reflect.Struct:
		return compareStruct(got, want, tolerance, path)
	default:
		return differs()
	}
	return nil
}

// notExpected ends what compare says of a field that nothing is expected of.
const notExpected = " has nothing to be compared with"

func compareStruct(got reflect.Value, want any, tolerance money.Rat, path string) []string {
	m, ok := want.(map[string]any)
	if !ok {
		return []string{path + ": not an object"}
	}
	var all []string
	known := fields(got.Type())
	for k, w := range m {
		base, isExact := strings.CutSuffix(k, "_exact")
		i, ok := known[k]
		if !ok && isExact {
			if i, ok = known[base]; ok {
				all = append(all, compareExact(got.Field(i), w, path+"."+k)...)
				continue
			}
		}
		if !ok {
			all = append(all, fmt.Sprintf("%s: unknown field %s", path, k))
			continue
		}
		all = append(all, compare(got.Field(i), w, tolerance, path+"."+k)...)
	}
	for k := range known {
		if _, ok := m[k]; !ok {
			all = append(all, fmt.Sprintf("%s: %s%s", path, k, notExpected))
		}
	}
	return all
}

// compareExact compares a rational with its reduced fraction; of an irrational
// result the digits are enough.
func compareExact(got reflect.Value, want any, path string) []string {
	if got.Kind() == reflect.Pointer {
		if got.IsNil() {
			return []string{path + ": nil"}
		}
		got = got.Elem()
	}
	if got.Kind() == reflect.Float64 {
		return nil
	}
	if list, ok := want.([]any); ok {
		if got.Kind() != reflect.Slice || got.Len() != len(list) {
			return []string{fmt.Sprintf("%s: %s, want %v", path, show(got), want)}
		}
		var all []string
		for i, w := range list {
			all = append(all, compareExact(got.Index(i), w, fmt.Sprintf("%s[%d]", path, i))...)
		}
		return all
	}
	r, ok := got.Interface().(money.Rat)
	s, ok2 := want.(string)
	w, ok3 := new(big.Rat).SetString(s)
	if !ok || !ok2 || !ok3 || r.Cmp(money.FromBig(w)) != 0 {
		return []string{fmt.Sprintf("%s: %s, want %v", path, show(got), want)}
	}
	return nil
}

// near reports whether |got-want| <= tolerance*|want|; an expected zero must be
// zero.
func near(got, want, tolerance money.Rat) bool {
	d := got.Sub(want)
	size := want
	if d.Sign() < 0 {
		d = d.Neg()
	}
	if size.Sign() < 0 {
		size = size.Neg()
	}
	return !size.Mul(tolerance).Less(d)
}

func show(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "nil"
		}
		v = v.Elem()
	}
	return fmt.Sprint(v.Interface())
}
