package smi

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"rentgen/probe"
	"rentgen/probe/procfs"
)

// card is one row made into readings.
type card struct {
	key    string // what tells it from the others of its tick
	bus    string
	gpu    probe.GPU
	device probe.Device
	driver string
	notes  []Note // what the row itself says: reset, lost
}

const notOffered = "not offered by this driver's nvidia-smi"

// read makes the readings of a row. The cells are bound by position.
func (q query) read(row Row) card {
	c := card{}
	c.gpu.Index = -1
	none := probe.Missing(probe.Unsupported, cmp.Or(q.none, notOffered))
	for m := range c.gpu.Values {
		c.gpu.Values[m] = none
	}
	for _, m := range notQueried {
		c.gpu.Set(m, probe.Missing(probe.Unsupported, "nvidia-smi has no field for it"))
	}
	d := &c.device
	d.MemTotal, d.PowerCap, d.PowerDefault, d.PowerMax = none, none, none, none
	d.ClockMaxSM, d.ClockMaxMem, d.PCIeGenMax, d.PCIeWidthMax = none, none, none, none
	d.TempSlow = probe.Missing(probe.Unsupported, "nvidia-smi has no field for it")
	d.MemSource = "smi"
	for i, col := range q.cols {
		if i < len(row) {
			c.put(col, row[i])
		}
	}
	c.check()
	d.Index, d.UUID, d.BusID = c.gpu.Index, c.gpu.UUID, c.bus
	d.MemTotal, d.PowerCap = c.gpu.Get(probe.MemTotal), c.gpu.Get(probe.PowerCap)
	d.Virtual = virtual(d.Name, d.MemTotal)
	c.key = c.gpu.UUID + "|" + busKey(c.bus)
	return c
}

func (c *card) put(col column, cell string) {
	d := &c.device
	switch col.id {
	case colUUID:
		if _, token := Token(cell); !token {
			c.gpu.UUID = procfs.Clean(cell, 128)
		}
	case colIndex:
		if n, ok := col.set(cell).Ok(); ok {
			c.gpu.Index = int(n)
		}
	case colBus:
		if _, token := Token(cell); !token {
			c.bus = procfs.Clean(cell, 32)
		}
	case colName:
		d.Name = text(cell, maxRaw)
	case colDriver:
		v, _, _ := strings.Cut(cell, " [")
		c.driver = text(v, 32)
	case colPersistence:
		d.Persistence = onOff(cell)
	case colMIG:
		d.MIG = onOff(cell)
	case colCap:
		d.ComputeCap = text(cell, 8)
	case colPowerDef:
		d.PowerDefault = col.set(cell)
	case colPowerMax:
		d.PowerMax = col.set(cell)
	case colClockMax:
		d.ClockMaxSM = col.set(cell)
	case colClockMemMax:
		d.ClockMaxMem = col.set(cell)
	case colGenMax:
		d.PCIeGenMax = col.set(cell)
	case colWidthMax:
		d.PCIeWidthMax = col.set(cell)
	default:
		v := col.set(cell)
		if col.sum {
			v = probe.Sum(c.gpu.Get(col.slot), v)
		}
		c.gpu.Set(col.slot, v)
	}
	low := strings.ToLower(cell)
	switch {
	case strings.Contains(low, "requires reset"):
		c.fault(probe.EventReset, cell)
	case strings.Contains(low, "gpu is lost"):
		c.fault(probe.EventLost, cell)
	}
}

// fault remembers that the card itself, not one field, is out of order.
func (c *card) fault(kind, cell string) {
	if c.device.Problem == "" {
		c.device.Problem = kind
		c.notes = append(c.notes, Note{Kind: kind, Index: -1, Raw: procfs.Clean(cell, maxRaw)})
	}
}

// check rejects what can't be: more memory in use than there is, and the
// plausible zeros that stand beside "requires reset".
func (c *card) check() {
	g := &c.gpu
	if len(c.notes) > 0 {
		c.notes[0].BusID = c.bus
		bad := probe.Missing(probe.Error, c.notes[0].Raw)
		for m, v := range g.Values {
			if v.State == probe.OK {
				g.Values[m] = bad
			}
		}
		return
	}
	total := g.Get(probe.MemTotal)
	g.Set(probe.MemUsed, believable(g.Get(probe.MemUsed), total))
	g.Set(probe.MemReserved, believable(g.Get(probe.MemReserved), total))
	if n, ok := total.Ok(); ok && n == 0 {
		g.Set(probe.MemTotal, probe.Missing(probe.Error, "0"))
	}
}

// believable returns used, or an error where it is above the total by more
// than rounding and the driver's own share explain.
func believable(used, total probe.Value) probe.Value {
	u, ok1 := used.Ok()
	t, ok2 := total.Ok()
	if ok1 && ok2 && u > t+max(64, t/50) {
		return probe.Missing(probe.Error, strconv.FormatFloat(u, 'f', -1, 64)+" / "+strconv.FormatFloat(t, 'f', -1, 64))
	}
	return used
}

func text(cell string, limit int) string {
	if _, token := Token(cell); token {
		return ""
	}
	return procfs.Clean(strings.TrimSpace(cell), limit)
}

func onOff(cell string) string {
	switch strings.ToLower(strings.TrimSpace(cell)) {
	case "enabled", "on":
		return "on"
	case "disabled", "off":
		return "off"
	}
	return ""
}

var (
	nameGB = regexp.MustCompile(`(?i)[ -](\d{1,3}) ?GB\b`)
	vgpu   = regexp.MustCompile(`(?i)(^|\s)GRID\s|-\d{1,3}[ABCQ]$`)
	shared = regexp.MustCompile(`(?i)\b(GB10|Orin|Thor|Xavier|Tegra|nvgpu|N1X)\b`)
)

// virtual reports whether the memory is a share that a platform cut off: a
// vGPU profile, or clearly less than the product's name says.
func virtual(name string, total probe.Value) bool {
	if vgpu.MatchString(name) {
		return true
	}
	t, ok := total.Ok()
	m := nameGB.FindStringSubmatch(name)
	if !ok || m == nil {
		return false
	}
	gb, err := strconv.Atoi(m[1])
	return err == nil && t < float64(gb)*1000*1000*1000/(1<<20)*0.9
}

// sharesMemory reports whether card and processor use the same memory, so
// that the driver reports none of its own.
func sharesMemory(d probe.Device) bool {
	return shared.MatchString(d.Name) && noMemory(d.MemTotal) && d.MIG != "on"
}

// noMemory tells "has none of its own" from "could not be read": drivers say
// that it is not available, or 0.
func noMemory(v probe.Value) bool {
	return v.State == probe.Unsupported || v.State == probe.Error && v.Raw == "0"
}
