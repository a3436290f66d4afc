//go:build linux && cgo

package nvml

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"rentgen/probe"
)

// linkCounter turns the growing NVLink counters into rates.
type linkCounter struct {
	tx, rx uint64 // KiB
	at     time.Duration
	known  bool
}

// allLinks as scope sums the counters of every link.
const allLinks = math.MaxUint32

// readFields reads what only field values offer: the memory's temperature and
// NVLink traffic. The call succeeds as a whole while single values fail, and a
// failed one's number is undefined.
func (d *device) readFields() {
	if !d.l.has[fnFields] {
		d.absent(probe.TempMem, probe.NVLinkTx, probe.NVLinkRx)
		return
	}
	f := [...]nvml.FieldValue{
		{FieldId: nvml.FI_DEV_MEMORY_TEMP},
		{FieldId: nvml.FI_DEV_NVLINK_THROUGHPUT_DATA_TX, ScopeId: allLinks},
		{FieldId: nvml.FI_DEV_NVLINK_THROUGHPUT_DATA_RX, ScopeId: allLinks},
	}
	if ret := d.saw(d.h.GetFieldValues(f[:])); ret != nvml.SUCCESS {
		v := missing(ret)
		d.gpu.Values[probe.TempMem], d.gpu.Values[probe.NVLinkTx], d.gpu.Values[probe.NVLinkRx] = v, v, v
		return
	}
	n, ret := fieldNumber(&f[0])
	d.gpu.Values[probe.TempMem] = within(ret, n, 1, minTemp, maxTemp)
	tx, retTx := fieldNumber(&f[1])
	rx, retRx := fieldNumber(&f[2])
	if retTx != nvml.SUCCESS || retRx != nvml.SUCCESS {
		d.nvlink.known = false
		d.gpu.Values[probe.NVLinkTx], d.gpu.Values[probe.NVLinkRx] = rate(retTx), rate(retRx)
		return
	}
	last, now := d.nvlink, time.Since(d.l.start)
	d.nvlink = linkCounter{uint64(tx), uint64(rx), now, true}
	// The first reading, and one after the driver was loaded anew, has nothing
	// to compare with.
	if !last.known || d.nvlink.tx < last.tx || d.nvlink.rx < last.rx || now <= last.at {
		v := probe.Missing(probe.Pending, "")
		d.gpu.Values[probe.NVLinkTx], d.gpu.Values[probe.NVLinkRx] = v, v
		return
	}
	per := 1024 / 1e6 / (now - last.at).Seconds()
	d.gpu.Values[probe.NVLinkTx] = linkRate(d.nvlink.tx-last.tx, per)
	d.gpu.Values[probe.NVLinkRx] = linkRate(d.nvlink.rx-last.rx, per)
}

func linkRate(delta uint64, per float64) probe.Value {
	return within(nvml.SUCCESS, math.Round(float64(delta)*per*10)/10, 1, 0, maxMBs)
}

// rate is the value of a counter that could or could not be read.
func rate(ret nvml.Return) probe.Value {
	if ret == nvml.SUCCESS {
		return probe.Missing(probe.Pending, "")
	}
	return missing(ret)
}

func fieldNumber(f *nvml.FieldValue) (float64, nvml.Return) {
	if ret := nvml.Return(f.NvmlReturn); ret != nvml.SUCCESS {
		return 0, ret
	}
	return number(nvml.ValueType(f.ValueType), f.Value)
}

// number reads one of NVML's unions.
func number(t nvml.ValueType, b [8]byte) (float64, nvml.Return) {
	switch t {
	case nvml.VALUE_TYPE_DOUBLE:
		return math.Float64frombits(binary.NativeEndian.Uint64(b[:])), nvml.SUCCESS
	case nvml.VALUE_TYPE_UNSIGNED_INT:
		return float64(binary.NativeEndian.Uint32(b[:])), nvml.SUCCESS
	case nvml.VALUE_TYPE_UNSIGNED_LONG, nvml.VALUE_TYPE_UNSIGNED_LONG_LONG:
		return float64(binary.NativeEndian.Uint64(b[:])), nvml.SUCCESS
	case nvml.VALUE_TYPE_SIGNED_LONG_LONG:
		return float64(int64(binary.NativeEndian.Uint64(b[:]))), nvml.SUCCESS
	case nvml.VALUE_TYPE_SIGNED_INT:
		return float64(int32(binary.NativeEndian.Uint32(b[:]))), nvml.SUCCESS
	case nvml.VALUE_TYPE_UNSIGNED_SHORT:
		return float64(binary.NativeEndian.Uint16(b[:])), nvml.SUCCESS
	}
	return 0, nvml.ERROR_NOT_SUPPORTED
}
