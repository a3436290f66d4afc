//go:build linux && cgo

package nvml

/*
typedef int (*rentgen_list)(void *device, unsigned int *count, void *infos);

static int rentgen_call_list(void *f, void *device, unsigned int *count, void *infos) {
	return ((rentgen_list)f)(device, count, infos);
}
*/
import "C"

import (
	"encoding/binary"
	"unsafe"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// The process lists are called here rather than through go-nvml: under the name
// nvmlDeviceGetComputeRunningProcesses_v3, drivers 535.43 to 535.97 write
// entries of 32 bytes into its buffer of 24-byte ones, which gives swapped
// fields and memory overwritten behind it. Our buffer has room for either.

// listFunc is one of the list functions of the loaded library.
type listFunc struct {
	f       unsafe.Pointer
	strides []int // sizes an entry may have, likeliest first
}

type listFuncs struct{ compute, graphics listFunc }

func listFunctions(handle unsafe.Pointer) listFuncs {
	pick := func(name string) listFunc {
		for _, c := range []struct {
			suffix  string
			strides []int
		}{
			{"_v3", []int{24, 32}},
			{"_v2", []int{24}},
			{"", []int{16}},
		} {
			if f := symbol(handle, name+c.suffix); f != nil {
				return listFunc{f, c.strides}
			}
		}
		return listFunc{}
	}
	return listFuncs{
		compute:  pick("nvmlDeviceGetComputeRunningProcesses"),
		graphics: pick("nvmlDeviceGetGraphicsRunningProcesses"),
	}
}

// entry is one process of the driver's list.
type entry struct {
	pid uint32
	mem uint64 // bytes
}

const (
	maxEntrySize = 32
	firstEntries = 32
	maxEntries   = 1024
	maxPID       = 1 << 22 // Linux's own limit
)

// call fills buf, growing it, and returns the entries; total (MiB, 0 unknown)
// helps to tell the layouts apart.
func (lf listFunc) call(device unsafe.Pointer, buf *[]byte, total float64, out []entry) ([]entry, nvml.Return) {
	if lf.f == nil || device == nil {
		return out, nvml.ERROR_FUNCTION_NOT_FOUND
	}
	for room := firstEntries; room <= maxEntries; room *= 4 {
		if len(*buf) < room*maxEntrySize {
			*buf = make([]byte, room*maxEntrySize)
		}
		n := C.uint(len(*buf) / maxEntrySize)
		ret := nvml.Return(C.rentgen_call_list(lf.f, device, &n, unsafe.Pointer(&(*buf)[0])))
		switch {
		case ret == nvml.ERROR_INSUFFICIENT_SIZE:
			continue
		case ret != nvml.SUCCESS:
			return out, ret
		}
		return decodeList(*buf, int(n), lf.strides, total, out), ret
	}
	return out, nvml.ERROR_INSUFFICIENT_SIZE
}

// decodeList takes the first layout in which every entry can be true, else the
// one with the most such entries, and leaves the others out.
func decodeList(buf []byte, n int, strides []int, total float64, out []entry) []entry {
	n = max(0, min(n, len(buf)/maxEntrySize))
	best, most := strides[0], -1
	for _, size := range strides {
		sane := 0
		for i := range n {
			if entryAt(buf, i, size).sane(total) {
				sane++
			}
		}
		if sane > most {
			best, most = size, sane
		}
	}
	for i := range n {
		if e := entryAt(buf, i, best); e.sane(total) {
			out = append(out, e)
		}
	}
	return out
}

func entryAt(buf []byte, i, size int) entry {
	b := buf[i*size:]
	return entry{binary.NativeEndian.Uint32(b), binary.NativeEndian.Uint64(b[8:])}
}

func (e entry) sane(total float64) bool {
	if e.pid == 0 || e.pid > maxPID {
		return false
	}
	return e.mem == notAvailable64 || total == 0 || float64(e.mem>>20) <= total*memoryMargin
}
