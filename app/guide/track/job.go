package track

import (
	"math"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

// gbOfGiB turns GiB, as df counts, into GB, as plans and providers do.
const gbOfGiB = 1.073741824

// VRAM returns the VRAM in MiB that one job can have by an outcome: that of the
// largest card or, where the card is cut, of the largest slice. ok is false where
// it isn't known.
func VRAM(o guide.Outcome) (mib float64, ok bool) {
	mib, _, ok = vram(o)
	return mib, ok
}

// vram returns the largest VRAM and what of it is used, NaN where that isn't known.
func vram(o guide.Outcome) (total, used float64, ok bool) {
	prefix := ""
	if mig, _ := o.Facts["mig"].(bool); mig || len(figures(o.Facts["slice_mem_total_mib"])) > 0 {
		prefix = "slice_"
	}
	all := figures(o.Facts[prefix+"mem_used_mib"])
	used = math.NaN()
	for i, v := range figures(o.Facts[prefix+"mem_total_mib"]) {
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

// figures returns a fact that is a figure or a list of such; NaN is unknown.
func figures(v any) []float64 {
	switch l := v.(type) {
	case nil:
		return nil
	case []any:
		var list []float64
		for _, e := range l {
			list = append(list, figure(e))
		}
		return list
	case []int:
		var list []float64
		for _, e := range l {
			list = append(list, float64(e))
		}
		return list
	case []float64:
		return l
	}
	if f := figure(v); !math.IsNaN(f) {
		return []float64{f}
	}
	return nil
}

// figure returns a fact as a number, NaN where it is none.
func figure(v any) float64 {
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

// relation is what a finding means for the user's own job.
type relation struct {
	says          texts.Phrase
	blocks, tight bool
}

// relate compares what was measured with what the job asks for. Nothing is said
// where one of them isn't known.
func relate(j Judged, t guide.Track, n guide.Needs) relation {
	switch j.Check {
	case guide.GPUSMI:
		return relateVRAM(j, n)
	case guide.DiskDf:
		return relateDisk(j.Outcome, t, n)
	}
	return relation{}
}

// relateVRAM counts what is used off where none of it is the user's own.
func relateVRAM(j Judged, n guide.Needs) relation {
	low, high := n.VRAMLowGiB, n.VRAMHighGiB
	if low == nil {
		low = high
	}
	if high == nil {
		high = low
	}
	mib, used, ok := vram(j.Outcome)
	if low == nil || !ok {
		return relation{}
	}
	has := mib / 1024
	var shown any = texts.WithUnit(texts.Number(has, 1), "GiB")
	if own := j.Context.OwnProcesses; own != nil && *own == 0 && used >= guide.Threshold("gpu.smi.idle-used") && used <= mib {
		has = (mib - used) / 1024
		shown = texts.P("track.job.vram.left", "has", texts.WithUnit(texts.Number(has, 1), "GiB"), "total", shown)
	}
	r := relation{blocks: has < *low, tight: has >= *low && has < *high}
	code := "enough"
	switch {
	case r.blocks:
		code = "short"
	case r.tight:
		code = "just"
	}
	band := func(c *texts.Catalogue) string { return texts.Band(c, *low, *high, "GiB") }
	r.says = texts.P("track.job.vram."+code, "need", band, "has", shown)
	return r
}

func relateDisk(o guide.Outcome, t guide.Track, n guide.Needs) relation {
	if n.DiskGB == nil {
		return relation{}
	}
	need := texts.Bytes(*n.DiskGB * 1e9)
	if trust, ok := o.Facts["capacity_trustworthy"].(bool); ok && !trust {
		return relation{says: texts.P("track.job.disk.unknown", "need", need)}
	}
	has := figure(o.Facts["persistent_avail_gib"])
	root := figure(o.Facts["root_avail_gib"])
	code := "."
	if t == guide.Dedicated { // there the disk of the system is the user's own
		if math.IsNaN(has) || root > has {
			has = root
		}
	} else if math.IsNaN(has) && !math.IsNaN(root) {
		has, code = root, ".root."
	}
	if math.IsNaN(has) {
		return relation{}
	}
	r := relation{blocks: has*gbOfGiB < *n.DiskGB}
	if r.blocks {
		code += "short"
	} else {
		code += "enough"
	}
	r.says = texts.P("track.job.disk"+code, "need", need, "has", texts.Bytes(has*gbOfGiB*1e9))
	return r
}
