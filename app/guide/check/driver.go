package check

import (
	"bytes"
	"encoding/csv"
	"strings"
	"sync"

	"rentgen/app/guide"
	"rentgen/assets/catalogue"
)

// drivers is what the table of drivers says.
type drivers struct {
	native map[int]string // highest CUDA of a branch
	compat map[int]int    // least branch that runs every toolkit of a CUDA major
}

// driverTable reads the table of drivers once. A broken table, which a test
// excludes, compares nothing.
var driverTable = sync.OnceValue(func() drivers {
	d := drivers{native: map[int]string{}, compat: map[int]int{}}
	rows, err := csv.NewReader(bytes.NewReader(catalogue.Drivers)).ReadAll()
	if err != nil || len(rows) == 0 {
		return d
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	for _, r := range rows[1:] {
		cuda, _, _ := strings.Cut(r[column["cuda_version"]], " ")
		switch r[column["kind"]] {
		case "toolkit_bundled_driver", "observed_nvidia_smi":
			for _, name := range []string{"linux_min_driver", "windows_min_driver"} {
				if b, ok := major(r[column[name]]); ok && (d.native[b] == "" || newer(cuda, d.native[b]) > 0) {
					d.native[b] = cuda
				}
			}
		case "minor_version_compat":
			m, ok := major(cuda)
			b, found := major(r[column["linux_min_driver"]])
			if ok && found && d.compat[m] == 0 {
				d.compat[m] = b
			}
		}
	}
	return d
})

// nativeCUDA returns the highest CUDA of a driver's branch, "" for a branch that
// is not in the table.
func nativeCUDA(driver string) string {
	b, ok := major(driver)
	if !ok {
		return ""
	}
	return driverTable().native[b]
}

// above reports whether a driver claims a newer CUDA than its branch has of its
// own; a branch between two of the table is held against the next one, a branch
// newer than the table against nothing. known is false then.
func above(driver, cuda string) (yes, known bool) {
	b, ok := major(driver)
	if !ok || cuda == "" {
		return false, false
	}
	next := 0
	for have := range driverTable().native {
		if have >= b && (next == 0 || have < next) {
			next = have
		}
	}
	if next == 0 {
		return false, false
	}
	return newer(cuda, driverTable().native[next]) > 0, true
}

// minorCompat reports whether a driver runs every toolkit of a CUDA major, by
// the rule of minor-version compatibility.
func minorCompat(driver string, cudaMajor int) bool {
	b, ok := major(driver)
	if !ok {
		return false
	}
	switch cudaMajor {
	case 12:
		return float64(b) >= guide.Threshold("cuda.match.driver-cuda12")
	case 13:
		return float64(b) >= guide.Threshold("cuda.match.driver-cuda13")
	}
	least, ok := driverTable().compat[cudaMajor]
	return ok && b >= least
}
