package smi

import "rentgen/probe"

// column is one thing that is asked for. The names are what drivers call it,
// the one most of them know first: a driver that has a newer name takes the
// old one as an alias.
type column struct {
	id    string
	names []string
	set   func(cell string) probe.Value // nil for text
	slot  probe.Metric                  // for ticks
	tick  bool                          // part of the loop
	// sum adds the cell to what the slot holds already: two counts of one kind.
	sum bool
}

// The columns that are text or belong to the inventory.
const (
	colUUID        = "uuid"
	colIndex       = "index"
	colBus         = "bus"
	colName        = "name"
	colDriver      = "driver"
	colPersistence = "persistence"
	colMIG         = "mig"
	colCap         = "cap"
	colPowerDef    = "power-default"
	colPowerMax    = "power-max"
	colClockMax    = "clock-max"
	colClockMemMax = "clock-mem-max"
	colGenMax      = "gen-max"
	colWidthMax    = "width-max"
)

// within makes a reader of numbers that are believed between lo and hi. The
// bounds are far beyond any card; what lies outside is another column, a
// sentinel or a counter that overflowed.
func within(lo, hi float64) func(string) probe.Value {
	return func(cell string) probe.Value { return Number(cell, lo, hi) }
}

const maxMiB = 16 << 20 // 16 TiB

var (
	percent = within(0, 100)
	mebi    = within(0, maxMiB)
	watt    = within(0, 10000)
	celsius = within(-100, 250)
	mega    = within(0, 50000)
	few     = within(0, 64)
	count   = within(0, 1e15)
)

// columns lists all that is asked, the UUID first: a line of another library
// that runs into a row is cut off in front of it.
var columns = []column{
	{id: colUUID, names: []string{"uuid", "gpu_uuid"}, tick: true},
	{id: colIndex, names: []string{"index"}, set: within(0, 4096), tick: true},
	{id: colBus, names: []string{"pci.bus_id", "gpu_bus_id"}, tick: true},

	metric(probe.UtilGPU, percent, "utilization.gpu"),
	metric(probe.UtilMem, percent, "utilization.memory"),
	metric(probe.UtilEnc, percent, "utilization.encoder"),
	metric(probe.UtilDec, percent, "utilization.decoder"),
	metric(probe.MemUsed, mebi, "memory.used"),
	metric(probe.MemReserved, mebi, "memory.reserved"),
	metric(probe.MemTotal, mebi, "memory.total"),
	metric(probe.Power, watt, "power.draw", "power.draw.average", "power.draw.instant"),
	metric(probe.PowerCap, watt, "enforced.power.limit", "power.limit"),
	metric(probe.Temp, celsius, "temperature.gpu"),
	metric(probe.TempMem, celsius, "temperature.memory"),
	metric(probe.Fan, within(0, 300), "fan.speed"), // above 100 % is documented as legal
	metric(probe.ClockSM, mega, "clocks.sm", "clocks.current.sm"),
	metric(probe.ClockMem, mega, "clocks.mem", "clocks.current.memory"),
	metric(probe.PState, pstate, "pstate"),
	metric(probe.PCIeGen, few, "pcie.link.gen.current", "pcie.link.gen.gpucurrent"),
	metric(probe.PCIeWidth, few, "pcie.link.width.current"),
	metric(probe.EventReasons, mask, "clocks_throttle_reasons.active", "clocks_event_reasons.active"),
	metric(probe.ECCCorrected, count, "ecc.errors.corrected.volatile.total"),
	metric(probe.ECCUncorrected, count, "ecc.errors.uncorrected.volatile.total"),
	metric(probe.RetiredPages, count, "retired_pages.single_bit_ecc.count", "retired_pages.sbe"),
	second(probe.RetiredPages, count, "retired_pages.double_bit.count", "retired_pages.dbe"),

	{id: colName, names: []string{"name", "gpu_name"}},
	{id: colDriver, names: []string{"driver_version", "kmd_version"}},
	{id: colPersistence, names: []string{"persistence_mode"}},
	{id: colMIG, names: []string{"mig.mode.current"}},
	{id: colCap, names: []string{"compute_cap"}},
	{id: colPowerDef, names: []string{"power.default_limit"}, set: watt},
	{id: colPowerMax, names: []string{"power.max_limit"}, set: watt},
	{id: colClockMax, names: []string{"clocks.max.sm"}, set: mega},
	{id: colClockMemMax, names: []string{"clocks.max.mem", "clocks.max.memory"}, set: mega},
	{id: colGenMax, names: []string{"pcie.link.gen.max"}, set: few},
	{id: colWidthMax, names: []string{"pcie.link.width.max"}, set: few},
}

func metric(m probe.Metric, set func(string) probe.Value, names ...string) column {
	return column{id: m.String(), names: names, set: set, slot: m, tick: true}
}

func second(m probe.Metric, set func(string) probe.Value, names ...string) column {
	return column{id: m.String() + "+", names: names, set: set, slot: m, tick: true, sum: true}
}

// notQueried is what nvidia-smi's queries have no field for.
var notQueried = []probe.Metric{
	probe.Energy, probe.PCIeTx, probe.PCIeRx, probe.NVLinkTx, probe.NVLinkRx, probe.NVLinkActive,
}

// query is what is asked of one driver: the columns and the name that each is
// asked by. A row's cells are bound by position; the header may say other
// names than asked.
type query struct {
	cols  []column
	names []string
	none  string // why a column that isn't there has no reading; notOffered where empty
}

// negotiate chooses a name for every column that this driver knows. Without a
// help text every column is asked by its first name.
func negotiate(h Help) query {
	var q query
	for _, c := range columns {
		name := ""
		for _, n := range c.names {
			if h.Has(n) {
				name = n
				break
			}
		}
		if name == "" && h.Empty() {
			name = c.names[0]
		}
		if name != "" {
			q.cols, q.names = append(q.cols, c), append(q.names, name)
		}
	}
	return q
}

// without returns the query after the driver refused a field: by its next
// name where it has one, else without it. ok is false where the field was
// not asked for.
func (q query) without(field string) (query, bool) {
	for i, name := range q.names {
		if name != field {
			continue
		}
		out := query{cols: append([]column(nil), q.cols...), names: append([]string(nil), q.names...)}
		names := q.cols[i].names
		for j, n := range names {
			if n == name && j+1 < len(names) {
				out.names[i] = names[j+1]
				return out, true
			}
		}
		out.cols = append(out.cols[:i], out.cols[i+1:]...)
		out.names = append(out.names[:i], out.names[i+1:]...)
		return out, true
	}
	return q, false
}

// ticks returns the part of the query that is read at every tick.
func (q query) ticks() query {
	var out query
	for i, c := range q.cols {
		if c.tick {
			out.cols, out.names = append(out.cols, c), append(out.names, q.names[i])
		}
	}
	return out
}
