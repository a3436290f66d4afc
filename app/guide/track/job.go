package track

import (
	"math"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

// gbOfGiB turns GiB, as df counts, into GB, as plans and providers do.
const gbOfGiB = 1.073741824

// VRAM returns the VRAM in MiB that one job can use by an outcome: that of the
// largest card or, where the card is cut, of the largest slice; less what others
// hold, where the outcome says so. ok is false where it isn't known.
func VRAM(o guide.Outcome) (mib float64, ok bool) {
	total, used := "mem_total_mib", "mem_used_mib"
	if mig, _ := o.Facts["mig"].(bool); mig || len(figures(o.Facts["slice_mem_total_mib"])) > 0 {
		total, used = "slice_mem_total_mib", "slice_mem_used_mib"
	}
	_ = used
	for _, v := range figures(o.Facts[total]) {
		if !math.IsNaN(v) && v > 0 {
			mib, ok = max(mib, v), true
		}
	}
	return mib, ok
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
func relate(id guide.CheckID, o guide.Outcome, t guide.Track, n guide.Needs) relation {
	switch id {
	case guide.GPUSMI:
		return relateVRAM(o, n)
	case guide.DiskDf:
		return relateDisk(o, t, n)
	}
	return relation{}
}

func relateVRAM(o guide.Outcome, n guide.Needs) relation {
	low, high := n.VRAMLowGiB, n.VRAMHighGiB
	if low == nil {
		low = high
	}
	if high == nil {
		high = low
	}
	mib, ok := VRAM(o)
	if low == nil || !ok {
		return relation{}
	}
	has := mib / 1024
	r := relation{blocks: has < *low, tight: has >= *low && has < *high}
	code := "enough"
	switch {
	case r.blocks:
		code = "short"
	case r.tight:
		code = "just"
	}
	band := func(c *texts.Catalogue) string { return texts.Band(c, *low, *high, "GiB") }
	r.says = texts.P("track.job.vram."+code, "need", band, "has", texts.WithUnit(texts.Number(has, 1), "GiB"))
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
