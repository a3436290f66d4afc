package watch

import (
	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/ui/chart"
	"rentgen/ui/live"
)

// The colours of lines: one metric has one colour on every chart.
const (
	slotUtil  = 0
	slotMem   = 1
	slotOwn   = 2
	slotPower = 3
	slotOther = 4
	slotClock = 5
)

func (b *board) name(m probe.Metric) string { return texts.Metric(b.w.c, m.String()) }

func (b *board) line(m probe.Metric, slot int) line {
	return line{col: live.Of(m), name: b.name(m), slot: slot, step: m.Info().Kind == probe.Level}
}

// simple is a chart of one metric of the open card with its newest value.
func (b *board) simple(m probe.Metric, slot int, limits func(*chart.Data)) *gauge {
	return b.gauge(b.name(m), plot{
		lines: []line{b.line(m, slot)}, unit: m.Info().Unit, fixed: m.Info().Max, limits: limits,
	}, func() string { return valueText(b.w.c, b.get(m), m) })
}

// cardCharts are the two large and three small charts of the open card.
func (b *board) cardCharts() []*gauge {
	c := b.w.c
	enc, dec := b.line(probe.UtilEnc, slotClock), b.line(probe.UtilDec, slotPower)
	enc.hidden, dec.hidden, enc.extra, dec.extra = true, true, true, true
	util := b.gauge(b.name(probe.UtilGPU), plot{
		lines: []line{b.line(probe.UtilGPU, slotUtil), enc, dec}, unit: "%", fixed: 100, marks: true,
	}, func() string { return valueText(c, b.get(probe.UtilGPU), probe.UtilGPU) })

	used := b.line(probe.MemUsed, slotMem)
	used.fill, used.name = true, c.T("watch.mem.used")
	mem := b.gauge(b.name(probe.MemUsed), plot{
		lines: []line{
			used,
			{col: live.MemOwn, name: c.T("watch.mem.own"), slot: slotOwn, extra: true},
			{col: live.MemOther, name: c.T("watch.mem.other"), slot: slotOther, extra: true},
		}, unit: "MiB", marks: true,
		limits: b.limit(probe.MemTotal, "watch.limit.total"),
	}, func() string { return ofText(c, b.get(probe.MemUsed), b.total(b.open), probe.MemUsed) })

	power := b.simple(probe.Power, slotPower, b.limit(probe.PowerCap, "watch.limit.power"))
	power.value = func() string { return ofText(c, b.get(probe.Power), b.cap(), probe.Power) }
	temp := b.simple(probe.Temp, slotOther, func(d *chart.Data) {
		if v, ok := b.device(b.open).TempSlow.Ok(); ok && v > 0 {
			d.Limits = append(d.Limits, chart.Limit{Value: v, Label: c.T("watch.limit.temp", "value", texts.Celsius(v))})
		}
	})
	return []*gauge{util, mem, power, temp, b.simple(probe.ClockSM, slotClock, nil)}
}

// limit draws a dashed line at the newest value of another metric.
func (b *board) limit(m probe.Metric, key string) func(*chart.Data) {
	return func(d *chart.Data) {
		v := b.get(m)
		switch m {
		case probe.MemTotal:
			v = b.total(b.open)
		case probe.PowerCap:
			v = b.cap()
		}
		if n, ok := v.Ok(); ok && n > 0 {
			d.Limits = append(d.Limits, chart.Limit{Value: n, Label: b.w.c.T(key, "value", texts.Value(b.w.c, n, m.Info().Unit))})
		}
	}
}

func (b *board) device(uuid string) probe.Device {
	for _, d := range b.cards {
		if d.UUID == uuid {
			return d
		}
	}
	return probe.Device{}
}

// total is the memory of a card: as read, or as the inventory has it.
func (b *board) total(uuid string) probe.Value {
	if v := b.host.Live().Value(uuid, live.Of(probe.MemTotal)); v.State == probe.OK {
		return v
	}
	return b.device(uuid).MemTotal
}

func (b *board) cap() probe.Value {
	if v := b.get(probe.PowerCap); v.State == probe.OK {
		return v
	}
	return b.device(b.open).PowerCap
}

// systemCharts stand in for the card's where there is none.
func (b *board) systemCharts() []*gauge {
	c := b.w.c
	sys := func(m probe.Metric) probe.Value { return b.host.Live().Value("", live.Of(m)) }
	one := func(title string, value func() string, unit string, fixed float64, limits func(*chart.Data), ms ...probe.Metric) *gauge {
		p := plot{unit: unit, fixed: fixed, system: true, limits: limits, marks: true}
		for i, m := range ms {
			p.lines = append(p.lines, b.line(m, i))
		}
		return b.gauge(title, p, value)
	}
	both := func(a, z probe.Metric) func() string {
		return func() string { return pairText(c, sys(a), sys(z), a, z) }
	}
	return []*gauge{
		one(c.T("watch.cpu"), func() string { return valueText(c, sys(probe.CPU), probe.CPU) }, "%", 100, nil, probe.CPU, probe.CPUBusiest),
		one(b.name(probe.RAMUsed), func() string { return ofText(c, sys(probe.RAMUsed), sys(probe.RAMLimit), probe.RAMUsed) }, "MiB", 0,
			func(d *chart.Data) {
				if n, ok := sys(probe.RAMLimit).Ok(); ok && n > 0 {
					d.Limits = append(d.Limits, chart.Limit{Value: n, Label: c.T("watch.limit.ram", "value", texts.MiB(n))})
				}
			}, probe.RAMUsed),
		one(c.T("watch.disk"), both(probe.DiskRead, probe.DiskWrite), "MB/s", 0, nil, probe.DiskRead, probe.DiskWrite),
		one(c.T("watch.net"), both(probe.NetRx, probe.NetTx), "MB/s", 0, nil, probe.NetRx, probe.NetTx),
	}
}
