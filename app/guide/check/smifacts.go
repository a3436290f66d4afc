package check

import (
	"slices"
	"strings"
)

// smiFacts notes what the closed list of facts has of nvidia-smi.
func (l *look) smiFacts(s smi) {
	if s.version != "" {
		l.set("smi_version", s.version)
	}
	l.driverFacts(s)
	if s.logs > 0 || s.header {
		l.set("log_lines_skipped", s.logs)
	}
	if s.logs > 0 {
		l.set("soft_vgpu", "hami")
	}
	if len(s.cards) > 0 {
		l.cardFacts(s)
	}
	if s.processSection {
		none := s.processes == 0 && !s.processText
		l.set("processes_hidden", none)
		l.set("process_count", orNil(s.processes, !none))
	}
	if n, _ := s.migs(); n >= 0 {
		l.set("mig", true)
		l.sliceFacts(s)
	} else if len(s.cards) > 0 && s.cards[0].mig != nil {
		l.set("mig", false)
	}
}

// driverFacts notes driver and CUDA, as far as they are there.
func (l *look) driverFacts(s smi) {
	if s.driver != "" {
		l.set("driver", s.driver)
		if n := nativeCUDA(s.driver); n != "" {
			l.set("cuda_native_max", n)
		}
	}
	if s.header {
		l.set("cuda_max", orNil(s.cuda, startsWithDigit(s.cuda)))
	}
	if s.cuda != "" && !startsWithDigit(s.cuda) {
		l.set("cuda_field", s.cuda)
	}
	if yes, known := above(s.driver, numeric(s.cuda)); known {
		l.set("forward_compat_suspected", yes)
	}
}

func (l *look) cardFacts(s smi) {
	l.set("gpu_count", len(s.cards))
	var names, buses []string
	for _, c := range s.cards {
		names = append(names, c.name)
		if c.bus != "" {
			buses = append(buses, c.bus)
		}
		if c.model != "" {
			l.set("driver_model", c.model)
		}
	}
	l.set("names", names)
	l.set("name_truncated", slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, "...") }))
	l.set("mixed_models", mixed(s))
	l.set("vgpu_name", slices.ContainsFunc(names, isLabel))
	if len(buses) == len(s.cards) {
		l.set("bus_ids", buses)
	}
	if slices.ContainsFunc(s.cards, func(c card) bool { return c.memoryRow }) {
		l.set("mem_total_mib", list(s.cards, func(c card) any { return plainOf(c.total) }))
		l.set("mem_used_mib", list(s.cards, func(c card) any { return plainOf(c.used) }))
		l.set("mem_used_implausible", slices.ContainsFunc(s.cards, func(c card) bool { return c.implausible }))
		l.set("util_pct", list(s.cards, func(c card) any { return plainOf(c.util) }))
		l.set("fan_pct", list(s.cards, func(c card) any { return plainOf(c.fan) }))
		l.set("temp_c", list(s.cards, func(c card) any { return plainOf(c.temp) }))
		l.set("power_w", list(s.cards, func(c card) any { return plainOf(c.power) }))
		l.set("power_cap_w", list(s.cards, func(c card) any { return plainOf(c.cap) }))
	}
	if slices.ContainsFunc(s.cards, func(c card) bool { return c.display != nil }) {
		l.set("display_active", list(s.cards, func(c card) any { return plainOf(c.display) }))
	}
}

func (l *look) sliceFacts(s smi) {
	l.set("mig_slices", len(s.slices))
	if len(s.slices) == 0 || s.slices[0].total == nil && s.slices[0].sm == nil { // -L lists them without figures
		return
	}
	l.set("slice_mem_total_mib", list(s.slices, func(d slice) any { return plainOf(d.total) }))
	l.set("slice_mem_used_mib", list(s.slices, func(d slice) any { return plainOf(d.used) }))
	l.set("slice_sm", list(s.slices, func(d slice) any { return plainOf(d.sm) }))
}

// list is one value a card, nil where it isn't known.
func list[T any](of []T, value func(T) any) []any {
	out := make([]any, 0, len(of))
	for _, x := range of {
		out = append(out, value(x))
	}
	return out
}

// plainOf is the value behind a pointer, a nil without a type behind none.
func plainOf[T any](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}
