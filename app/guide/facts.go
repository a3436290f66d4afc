package guide

import "math"

// Figure returns a fact as a number, NaN where it is none.
func Figure(v any) float64 {
	switch n := v.(type) {
	case int:
		return float64(n)
	case int64:
		return float64(n)
	case float64:
		return n
	}
	return math.NaN()
}

// Figures returns a fact that is a figure or a list of such; NaN is unknown.
func Figures(v any) []float64 {
	var list []float64
	switch l := v.(type) {
	case nil:
		return nil
	case []any:
		for _, e := range l {
			list = append(list, Figure(e))
		}
		return list
	case []int:
		for _, e := range l {
			list = append(list, float64(e))
		}
		return list
	case []float64:
		return l
	}
	if f := Figure(v); !math.IsNaN(f) {
		list = append(list, f)
	}
	return list
}

// VRAM returns by the facts of gpu.smi the VRAM in MiB that one job can have, that
// of the largest card or, where the card is cut, of the largest slice, and what of
// it is used, NaN where that isn't known. ok is false where the VRAM isn't known.
func (f Facts) VRAM() (total, used float64, ok bool) {
	prefix := ""
	if mig, _ := f["mig"].(bool); mig || len(Figures(f["slice_mem_total_mib"])) > 0 {
		prefix = "slice_"
	}
	all := Figures(f[prefix+"mem_used_mib"])
	used = math.NaN()
	for i, v := range Figures(f[prefix+"mem_total_mib"]) {
		if math.IsNaN(v) || v <= total {
			continue
		}
		total, ok, used = v, true, math.NaN()
		if i < len(all) {
			used = all[i]
		}
	}
	return total, used, ok
}
