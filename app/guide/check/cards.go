package check

import (
	"bytes"
	"encoding/csv"
	"strings"
	"sync"

	"rentgen/app/guide"
	"rentgen/app/workload"
	assets "rentgen/assets/guide"
)

// profile matches the name of a virtual GPU that the maker's own software cuts
// from a card: "NVIDIA A40-8Q", "GRID T4-16Q", "NVIDIA H100L-2-24C". The card is
// the first group, its GiB the last.
var profile = guide.Regexp(`^(?:NVIDIA |GRID )*([A-Z][A-Za-z0-9 ]*?(?:-Ada)?)(?:-DC)?(-\d+)?-(\d+)[QCAB]$`)

// isLabel reports whether a name is that of a virtual GPU or the platform's own,
// and no card's.
func isLabel(name string) bool {
	return strings.Contains(strings.ToLower(name), "vgpu") || strings.HasPrefix(name, "GRID ") || profile.MatchString(name)
}

// gigabytes matches the size that some cards carry in their name.
var gigabytes = guide.Regexp(`(?:^|[ -])(\d{1,3}) ?GB\b`)

// least returns the smallest total, in MiB, that a board of this name is known
// to show, and whether one is known. It is what a total is held against to see a
// slice; a board with more memory than the catalogue's is real.
func least(name string) (float64, bool) {
	if m := profile.FindStringSubmatch(name); m != nil {
		for _, maker := range []string{"NVIDIA ", "Tesla "} {
			if v, ok := leastOf(maker + m[1]); ok {
				return v, true
			}
		}
		return 0, false
	}
	if cut, ok := strings.CutSuffix(name, "..."); ok {
		return leastCut(cut)
	}
	if v, ok := leastOf(name); ok {
		return v, true
	}
	// The size in a Grace chip's name is that of its processor.
	if m := gigabytes.FindStringSubmatch(name); m != nil && !strings.Contains(name, "GH200") && !strings.Contains(name, "GB200") {
		if v, ok := number(m[1]); ok {
			return v * 1024, true
		}
	}
	return 0, false
}

// leastOf looks a whole name up; drivers before 470 leave out the maker.
func leastOf(name string) (float64, bool) {
	return smallest(func(nvml string) bool {
		return strings.EqualFold(nvml, name) || strings.EqualFold(nvml, "NVIDIA "+name)
	})
}

// leastCut looks up a name that was cut with dots. Only names of the kind
// "Tesla V100-SXM2..." say enough: "NVIDIA GeForce RTX 4..." may be any card.
func leastCut(begin string) (float64, bool) {
	if !strings.Contains(begin, "-") {
		return 0, false
	}
	return smallest(func(nvml string) bool {
		return strings.HasPrefix(nvml, begin) || strings.HasPrefix(nvml, "NVIDIA "+begin)
	})
}

func smallest(named func(nvml string) bool) (float64, bool) {
	low, found := 0.0, false
	take := func(v float64) {
		if !found || v < low {
			low, found = v, true
		}
	}
	for _, c := range workload.Load().Cards() {
		if strings.HasPrefix(c.Name, "MIG ") { // a slice under the name of its card
			continue
		}
		first, _, _ := strings.Cut(c.NVML, " / ") // "Tesla V100-PCIE-16GB / -32GB"
		if !named(first) {
			continue
		}
		if c.TotalMiB != nil {
			take(*c.TotalMiB)
		} else {
			take(c.NominalGB * 1024)
		}
	}
	for _, b := range smallBoards() {
		if named(b.nvml) {
			take(b.totalMiB)
		}
	}
	return low, found
}

type board struct {
	nvml     string
	totalMiB float64
}

// smallBoards are the rows of the table of smaller boards. A broken table, which
// a test excludes, gives none.
var smallBoards = sync.OnceValue(func() []board {
	rows, err := csv.NewReader(bytes.NewReader(assets.Boards)).ReadAll()
	if err != nil {
		return nil
	}
	var list []board
	for _, r := range rows[1:] {
		if v, ok := number(r[1]); ok {
			list = append(list, board{r[0], v})
		}
	}
	return list
})

// capped reports whether a total shows that only a part of the named card was
// given.
func capped(name string, totalMiB float64) (of float64, yes bool) {
	of, ok := least(name)
	return of, ok && totalMiB < guide.Threshold("gpu.smi.slice-share")*of
}
