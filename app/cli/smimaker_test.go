package cli

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
)

// smiCard is a product as nvidia-smi shows it, with figures of the kind that
// are seen: limits and highest clocks from the vendor's sheets, the rest typical.
type smiCard struct {
	name                  string
	mem, limit            float64 // MiB, W
	rest, full            float64 // W at rest, and what a full load asks for
	clockMax, clock, slow float64 // MHz: highest, under full load without a limit, at rest
	clockMem              float64
	heat                  float64 // °C a watt above the air
	restP                 int     // P-state at rest
	gen                   int
	passive, ecc          bool // no fan; counts errors of VRAM
}

var (
	smi4090 = smiCard{"NVIDIA GeForce RTX 4090", 24564, 450, 19, 398, 3105, 2745, 210, 10501, 0.105, 8, 4, false, false}
	smi3090 = smiCard{"NVIDIA GeForce RTX 3090", 24576, 350, 27, 392, 2100, 1890, 210, 9751, 0.128, 8, 4, false, false}
	smi5090 = smiCard{"NVIDIA GeForce RTX 5090", 32607, 575, 14, 590, 3090, 2850, 180, 14001, 0.078, 8, 5, false, false}
	smi3060 = smiCard{"NVIDIA GeForce RTX 3060", 12288, 170, 12, 158, 2100, 1890, 210, 7501, 0.24, 8, 4, false, false}
	smiA100 = smiCard{"NVIDIA A100-SXM4-80GB", 81920, 400, 61, 352, 1410, 1410, 210, 1593, 0.082, 0, 4, true, true}
	smiH100 = smiCard{"NVIDIA H100 80GB HBM3", 81559, 700, 70, 742, 1980, 1980, 1980, 2619, 0.046, 0, 5, true, true}
	smiL4   = smiCard{"NVIDIA L4", 23034, 72, 16, 112, 2040, 2025, 210, 6251, 0.62, 8, 4, true, true}
	smiT4   = smiCard{"Tesla T4", 15360, 70, 9, 108, 1590, 1575, 300, 5000, 0.72, 8, 3, true, true}
	smi2080 = smiCard{"NVIDIA GeForce RTX 2080 SUPER", 8192, 250, 15, 212, 2160, 1905, 300, 7751, 0.2, 8, 3, false, false}
)

// doing is what a card is asked for at a moment.
type doing struct {
	util    float64 // %
	load    float64 // share of what a full load asks for, W
	mem     float64 // MiB
	clock   float64 // factor; 0 is 1
	reasons uint64  // added
	air     float64 // °C; 0 is 26
	limit   float64 // W; 0 is the card's own
	quiet   bool    // long at rest: low clock, deep P-state
}

// smiJob gives what a card is asked for t seconds after the beginning.
type smiJob func(t float64) doing

func rests(mem float64) smiJob {
	return func(float64) doing { return doing{mem: mem, quiet: true} }
}

// paints loads a model from a second on and paints: pictures of so many seconds,
// one after the other, with a pause of pause seconds after batch pictures.
func paints(from, load, model, picture, between float64, batch int, pause float64) smiJob {
	return func(t float64) doing {
		if t -= from; t < 0 {
			return doing{mem: 412, quiet: true}
		}
		if t < load {
			return doing{util: 4, load: 0.12, mem: 900 + (model-900)*t/load}
		}
		t = math.Mod(t-load, float64(batch)*(picture+between)+pause)
		if t >= float64(batch)*(picture+between) || math.Mod(t, picture+between) >= picture {
			return doing{util: 3, load: 0.2, mem: model + 900}
		}
		return doing{util: 99, load: 1, mem: model + 2500}
	}
}

var (
	smiSDXL  = paints(12, 14, 7100, 5.4, 0.8, 8, 4)
	smiFlux  = paints(12, 38, 16200, 24, 1.6, 4, 8)
	smiSmall = paints(6, 6, 2400, 1.9, 0.5, 20, 5)
	smiVideo = paints(10, 45, 14800, 215, 11, 1, 0)
	smiTrain = paints(10, 25, 13500, 172, 7, 1, 0)
	smiHours = paints(0, 30, 16200, 24, 1.6, 500, 12)
)

// after changes what a job asks for from a second on.
func after(job smiJob, from float64, change func(d *doing)) smiJob {
	return func(t float64) doing {
		d := job(t)
		if t >= from {
			change(&d)
		}
		return d
	}
}

// until ends a job: the model stays in VRAM.
func until(job smiJob, end float64) smiJob {
	return func(t float64) doing {
		if t < end {
			return job(t)
		}
		return doing{mem: job(end).mem - 1400, quiet: t > end+12, load: 0.08}
	}
}

// smiLog is a log that nvidia-smi writes in a loop.
type smiLog struct {
	cards   []smiCard
	jobs    []smiJob // by card; the last goes for the rest
	columns string   // as --query-gpu has them
	every   float64  // seconds between two readings; 0 is 1
	seconds float64
	nounits bool
	start   time.Time // zero is an evening in November
	// cell changes a cell on its way out: the column, the card, the time.
	cell func(column string, card int, t float64, value string) string
	// row changes a row, "" leaves it out; it may add lines.
	row func(card int, t float64, line string) string
	// clock changes the time that a row is stamped with.
	clock func(t float64, stamp time.Time) time.Time
}

// fullColumns is what a careful user asks for.
const fullColumns = "timestamp,index,uuid,name,pstate,utilization.gpu,utilization.memory,memory.used,memory.total,power.draw,power.limit,power.default_limit," +
	"temperature.gpu,clocks.sm,clocks.mem,clocks.max.sm,clocks_throttle_reasons.active,pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max,fan.speed"

// articleColumns are those of the one line that guides give.
const articleColumns = "timestamp,utilization.gpu,memory.used"

// vendorColumns are those of the vendor's own page of useful queries.
const vendorColumns = "timestamp,name,pci.bus_id,driver_version,pstate,pcie.link.gen.max,pcie.link.gen.current,temperature.gpu,utilization.gpu,utilization.memory,memory.total,memory.free,memory.used"

// smiNow is a card at a moment.
type smiNow struct {
	doing
	power, temp, clock, limit float64
	reasons                   uint64
	p, gen                    int
}

// write returns the log. The same seed gives the same text.
func (l smiLog) write(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 7))
	every, start := l.every, l.start
	if every == 0 {
		every = 1
	}
	if start.IsZero() {
		start = time.Date(2026, 11, 29, 20, 3, 17, 412e6, time.UTC)
	}
	names := strings.Split(l.columns, ",")
	var b strings.Builder
	head := slices.Clone(names)
	for i, n := range head {
		if u := unitOf(n); u != "" && !l.nounits {
			head[i] += " [" + u + "]"
		}
	}
	b.WriteString(strings.Join(head, ", ") + "\n")
	temps, own := make([]float64, len(l.cards)), make([]float64, len(l.cards))
	for i := range own {
		temps[i], own[i] = 38+3*r.Float64(), 0.99+0.015*r.Float64()
	}
	drift := every * 1.0004 // a loop sleeps and then works for a moment
	for k := 0; float64(k)*drift < l.seconds; k++ {
		t := float64(k) * drift
		for i, c := range l.cards {
			now := c.at(l.jobs[min(i, len(l.jobs)-1)], t, every, &temps[i], own[i], r)
			at := start.Add(time.Duration((t + 0.002*float64(i) + 0.01*r.Float64()) * 1e9))
			if l.clock != nil {
				at = l.clock(t, at)
			}
			cells := make([]string, len(names))
			for n, name := range names {
				cells[n] = c.say(name, i, now, at, r)
				if l.nounits {
					cells[n], _, _ = strings.Cut(cells[n], " %")
					for _, u := range []string{" MiB", " W", " MHz"} {
						cells[n] = strings.TrimSuffix(cells[n], u)
					}
				}
				if l.cell != nil {
					cells[n] = l.cell(name, i, t, cells[n])
				}
			}
			line := strings.Join(cells, ", ")
			if l.row != nil {
				if line = l.row(i, t, line); line == "" {
					continue
				}
			}
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// at works out what the card shows: utilisation and power are means of about
// the last second, heat follows slowly.
func (c smiCard) at(job smiJob, t, every float64, temp *float64, own float64, r *rand.Rand) smiNow {
	now := smiNow{doing: job(t), limit: c.limit}
	util, load := 0.0, 0.0
	for k := range 10 {
		d := job(max(0, t-float64(k)/10))
		util, load = util+d.util/10, load+d.load/10
	}
	if now.doing.limit > 0 {
		now.limit = now.doing.limit
	}
	f := now.doing.clock
	if f == 0 {
		f = 1
	}
	now.util = math.Round(min(100, max(0, util+1.1*r.NormFloat64()*min(1, util/20))))
	now.reasons, now.clock, now.gen = now.doing.reasons, c.clock*own*f, c.gen
	now.power = c.rest + load*(c.full-c.rest)*f
	if now.power > now.limit {
		now.clock *= 1 - 0.6*(1-now.limit/now.power)
		now.power = now.limit * (0.994 + 0.006*r.NormFloat64())
		now.reasons |= 4
	}
	now.power += 0.008 * now.power * r.NormFloat64()
	now.p = 2
	if strings.Contains(c.name, "A100") || strings.Contains(c.name, "H100") || strings.HasPrefix(c.name, "Tesla") || strings.HasSuffix(c.name, "L4") {
		now.p = 0
	}
	if now.quiet {
		now.clock, now.p, now.power = c.slow, c.restP, c.rest+0.6*r.NormFloat64()
		now.reasons |= 1
		if c.restP == 8 {
			now.gen = 1
		}
	}
	now.clock = math.Min(c.clockMax, 15*math.Round((now.clock+5*r.NormFloat64())/15))
	air := now.air
	if air == 0 {
		air = 26
	}
	*temp += (air + 4 + c.heat*now.power - *temp) * (1 - math.Exp(-every/25))
	now.temp = math.Round(*temp)
	return now
}

func unitOf(column string) string {
	switch {
	case strings.HasPrefix(column, "utilization."), column == "fan.speed":
		return "%"
	case strings.HasPrefix(column, "memory."):
		return "MiB"
	case strings.HasPrefix(column, "power."), column == "enforced.power.limit":
		return "W"
	case strings.Contains(column, "_counters."):
		return "us"
	case strings.HasPrefix(column, "clocks.") && !strings.Contains(column, "reasons"):
		return "MHz"
	}
	return ""
}

// say writes a cell.
func (c smiCard) say(column string, i int, now smiNow, at time.Time, r *rand.Rand) string {
	bit := func(b uint64) string {
		if now.reasons&b != 0 {
			return "Active"
		}
		return "Not Active"
	}
	switch column {
	case "timestamp":
		return at.Format("2006/01/02 15:04:05.000")
	case "index":
		return fmt.Sprint(i)
	case "uuid", "gpu_uuid":
		return fmt.Sprintf("GPU-5d1c8e20-77aa-4b9c-9f21-%012d", 41+i)
	case "name", "gpu_name":
		return c.name
	case "pci.bus_id":
		return fmt.Sprintf("00000000:%02X:00.0", 0x1b+0x20*i)
	case "driver_version":
		return "550.90.07"
	case "pstate":
		return fmt.Sprintf("P%d", now.p)
	case "utilization.gpu":
		return fmt.Sprintf("%.0f %%", now.util)
	case "utilization.memory":
		return fmt.Sprintf("%.0f %%", 0.55*now.util)
	case "memory.used":
		return fmt.Sprintf("%.0f MiB", now.mem+math.Abs(8*r.NormFloat64()))
	case "memory.total":
		return fmt.Sprintf("%.0f MiB", c.mem)
	case "memory.free":
		return fmt.Sprintf("%.0f MiB", c.mem-now.mem)
	case "power.draw":
		return fmt.Sprintf("%.2f W", now.power)
	case "power.limit", "enforced.power.limit":
		return fmt.Sprintf("%.2f W", now.limit)
	case "power.default_limit":
		return fmt.Sprintf("%.2f W", c.limit)
	case "temperature.gpu":
		return fmt.Sprintf("%.0f", now.temp)
	case "temperature.memory":
		if !c.passive {
			return "N/A"
		}
		return fmt.Sprintf("%.0f", now.temp+9)
	case "clocks.sm", "clocks.current.sm", "clocks.gr", "clocks.current.graphics":
		return fmt.Sprintf("%.0f MHz", now.clock)
	case "clocks.mem", "clocks.current.memory":
		return fmt.Sprintf("%.0f MHz", c.clockMem)
	case "clocks.max.sm", "clocks.max.gr":
		return fmt.Sprintf("%.0f MHz", c.clockMax)
	case "pcie.link.gen.current":
		return fmt.Sprint(now.gen)
	case "pcie.link.gen.max":
		return fmt.Sprint(c.gen)
	case "pcie.link.width.current", "pcie.link.width.max":
		return "16"
	case "fan.speed":
		if c.passive {
			return "[N/A]"
		}
		return fmt.Sprintf("%.0f %%", 30+0.5*max(0, now.temp-45))
	case "clocks_throttle_reasons.active", "clocks_event_reasons.active":
		return fmt.Sprintf("0x%016X", now.reasons)
	case "clocks_throttle_reasons.gpu_idle":
		return bit(1)
	case "clocks_throttle_reasons.sw_power_cap":
		return bit(4)
	case "clocks_throttle_reasons.hw_slowdown":
		return bit(8)
	case "clocks_throttle_reasons.sw_thermal_slowdown":
		return bit(0x20)
	case "clocks_throttle_reasons.hw_thermal_slowdown":
		return bit(0x40)
	case "clocks_throttle_reasons.hw_power_brake_slowdown":
		return bit(0x80)
	case "ecc.errors.uncorrected.volatile.total", "ecc.errors.corrected.volatile.total":
		if c.ecc {
			return "0"
		}
	case "clocks_event_reasons_counters.sw_power_cap":
		return fmt.Sprintf("%d us", 15814595384+int64(1e6*float64(at.UnixMilli()%1e9)/3))
	case "mig.mode.current":
		if c.passive && c.mem > 40000 {
			return "Disabled"
		}
	}
	return "[N/A]"
}

// utf16Text is a log as PowerShell's > writes it.
func utf16Text(s string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(strings.ReplaceAll(s, "\n", "\r\n"))) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}
