package smi

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"rentgen/probe"
	"rentgen/probe/procfs"
)

// notLogged stands where a log has no column for a metric.
const notLogged = "not in the log"

// Binding reads the rows of a query that somebody else made, by the names of
// its columns.
type Binding struct {
	q       query
	at      []int // place of each column of q in a row
	reasons []reason
}

// reason is a column that says of one reason for a lower clock whether it holds.
type reason struct {
	at  int // place in a row
	bit uint64
}

// reasonBits are the columns of single reasons, behind "clocks_throttle_reasons."
// or "clocks_event_reasons.", with their bits in the mask (nvmlClocksEventReasons
// in nvml.h).
var reasonBits = map[string]uint64{
	"gpu_idle": 0x1, "applications_clocks_setting": 0x2, "sw_power_cap": 0x4, "hw_slowdown": 0x8, "sync_boost": 0x10,
	"sw_thermal_slowdown": 0x20, "hw_thermal_slowdown": 0x40, "hw_power_brake_slowdown": 0x80,
}

// alike are further names that logs have for a column. Graphics and SM clock are
// one on the cards of today.
var alike = map[string][]string{
	probe.ClockSM.String(): {"clocks.gr", "clocks.current.graphics"},
	colClockMax:            {"clocks.max.gr", "clocks.max.graphics"},
}

// Reading is what one such row says.
type Reading struct {
	GPU    probe.GPU
	Device probe.Device
	Driver string
	// Key tells the card from the others of its tick: UUID and bus id, or the
	// index; "" where the row has none of them.
	Key   string
	Notes []Note // what the row itself says: reset, lost
}

// Bind finds the columns among names as nvidia-smi's heading has them, with or
// without their unit: "memory.used [MiB]". unknown are those that aren't read,
// because nothing here stands for them or because their unit is another. Of two
// names of one thing the one that is asked for first counts.
func Bind(names []string) (b Binding, unknown []string) {
	b.q.none = notLogged
	type found struct{ at, rank int }
	best := map[string]found{}
	taken := make([]bool, len(names))
	for _, c := range columns {
		for i, name := range names {
			bare, unit := bareName(name)
			rank := slices.Index(c.names, bare)
			if k := slices.Index(alike[c.id], bare); k >= 0 {
				rank = len(c.names) + k
			}
			if rank < 0 || unit != "" && unit != c.unit() {
				continue
			}
			taken[i] = true
			if f, ok := best[c.id]; !ok || rank < f.rank {
				best[c.id] = found{i, rank}
			}
		}
		if f, ok := best[c.id]; ok {
			b.q.cols = append(b.q.cols, c)
			b.q.names = append(b.q.names, names[f.at])
			b.at = append(b.at, f.at)
		}
	}
	_, mask := best[probe.EventReasons.String()]
	for i, name := range names {
		if bit := singleReason(name); bit != 0 && !taken[i] {
			if taken[i] = true; !mask {
				b.reasons = append(b.reasons, reason{i, bit})
			}
		}
		if !taken[i] {
			unknown = append(unknown, name)
		}
	}
	return b, unknown
}

// singleReason returns the bit of a column of one reason, 0 for another column.
func singleReason(name string) uint64 {
	bare, _ := bareName(name)
	for _, prefix := range []string{"clocks_throttle_reasons.", "clocks_event_reasons."} {
		if rest, ok := strings.CutPrefix(bare, prefix); ok {
			return reasonBits[rest]
		}
	}
	return 0
}

// mask puts the columns of single reasons together: "Active" sets a bit. Where
// none of them can be read the first one's token says why.
func (b Binding) mask(cells []string) probe.Value {
	var bits uint64
	read, why := false, probe.Value{}
	for _, r := range b.reasons {
		cell := ""
		if r.at < len(cells) {
			cell = strings.TrimSpace(cells[r.at])
		}
		switch strings.ToLower(cell) {
		case "active":
			bits, read = bits|r.bit, true
		case "not active":
			read = true
		default:
			if v := missingCell(cell); why.State == probe.Pending {
				why = v
			}
			if why.State == probe.Pending {
				why = probe.Missing(probe.Error, procfs.Clean(cell, maxRaw))
			}
		}
	}
	if !read {
		return why
	}
	return probe.OfMask(bits)
}

// Metrics returns how many columns are readings, not names.
func (b Binding) Metrics() int {
	n := 0
	for _, c := range b.q.cols {
		if c.tick && c.set != nil && c.id != colIndex {
			n++
		}
	}
	if len(b.reasons) > 0 {
		n++
	}
	return n
}

// bareName takes the unit off a heading's name.
func bareName(name string) (bare, unit string) {
	name = strings.ToLower(strings.TrimSpace(name))
	if i := strings.LastIndex(name, " ["); i > 0 && strings.HasSuffix(name, "]") {
		return strings.TrimSpace(name[:i]), name[i+2 : len(name)-1]
	}
	return name, ""
}

// unit is what a heading says behind the column's name, in lower case.
func (c column) unit() string {
	switch c.id {
	case colPowerDef, colPowerMax:
		return "w"
	case colClockMax, colClockMemMax:
		return "mhz"
	}
	if !c.tick || c.set == nil || c.id == colIndex {
		return ""
	}
	return strings.ToLower(c.slot.Info().Unit)
}

// Read makes the readings of a row, whose cells stand as the names did that were
// bound. What a short row lacks reads as an empty cell.
func (b Binding) Read(cells []string) Reading {
	row := make(Row, len(b.at))
	for k, i := range b.at {
		if i < len(cells) {
			row[k] = strings.TrimSpace(cells[i])
		}
	}
	c := b.q.read(row)
	if len(b.reasons) > 0 && c.device.Problem == "" {
		c.gpu.Set(probe.EventReasons, b.mask(cells))
	}
	if c.device.MIG == "" && parted(c) {
		c.device.MIG = "on"
	}
	r := Reading{GPU: c.gpu, Device: c.device, Driver: c.driver, Notes: c.notes}
	r.GPU.Name = c.device.Name
	switch {
	case c.gpu.UUID != "" || busKey(c.bus) != "":
		r.Key = c.key
	case c.gpu.Index >= 0:
		r.Key = "#" + strconv.Itoa(c.gpu.Index)
	}
	return r
}

// migs are the products that can be cut into instances
// (docs.nvidia.com/datacenter/tesla/mig-user-guide, supported GPUs, 2026-11-30).
var migs = regexp.MustCompile(`\b(A30|A100|A800|H100|H800|H200|H20|GH200|B200|B300|GB200|GB300)\b|RTX PRO 6000`)

// parted reports whether a card whose log does not tell its mode must be cut
// into instances: whole, these tell their utilisation to everybody.
func parted(c card) bool {
	v := c.gpu.Get(probe.UtilGPU)
	return v.State == probe.Unsupported && v.Raw != notLogged && c.gpu.Get(probe.Power).State == probe.OK && migs.MatchString(c.device.Name)
}

// ReadNote says what a line of nvidia-smi that is no reading means; ok is false
// for a blank one.
func ReadNote(line string) (n Note, ok bool) { return readNote(line) }

// SameBus reports whether two bus ids name one place; a driver prints the
// domain with three to eight digits.
func SameBus(a, b string) bool { return busKey(a) != "" && busKey(a) == busKey(b) }
