package track

import (
	"math"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

// gbOfGiB turns GiB, as df counts, into GB, as plans and providers do.
const gbOfGiB = 1.073741824

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
	mib, used, ok := j.Outcome.Facts.VRAM()
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
	has := guide.Figure(o.Facts["persistent_avail_gib"])
	root := guide.Figure(o.Facts["root_avail_gib"])
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
