package desk

import "reflect"

// clone returns a deep copy of what only holds exported data. A struct with
// something unexported (money.Rat, time.Time) is immutable here and shared.
func clone[T any](v T) T {
	return cloned(reflect.ValueOf(&v).Elem()).Interface().(T)
}

func cloned(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		p := reflect.New(v.Type().Elem())
		p.Elem().Set(cloned(v.Elem()))
		return p
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		s := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			s.Index(i).Set(cloned(v.Index(i)))
		}
		return s
	case reflect.Map:
		if v.IsNil() {
			return v
		}
		m := reflect.MakeMapWithSize(v.Type(), v.Len())
		for it := v.MapRange(); it.Next(); {
			m.SetMapIndex(it.Key(), cloned(it.Value()))
		}
		return m
	case reflect.Struct:
		t := v.Type()
		for i := range t.NumField() {
			if !t.Field(i).IsExported() {
				return v
			}
		}
		s := reflect.New(t).Elem()
		for i := range t.NumField() {
			s.Field(i).Set(cloned(v.Field(i)))
		}
		return s
	default:
		return v
	}
}
