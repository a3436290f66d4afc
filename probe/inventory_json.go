package probe

import "encoding/json"

// MarshalJSON writes the documented object.
func (d Device) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{
		"index": d.Index, "uuid": d.UUID, "name": d.Name, "bus_id": d.BusID,
		"mem_total_mib": d.MemTotal, "power_cap_w": d.PowerCap,
		"power_default_w": d.PowerDefault, "power_max_w": d.PowerMax,
		"clock_max_sm_mhz": d.ClockMaxSM, "clock_max_mem_mhz": d.ClockMaxMem,
		"pcie_gen_max": d.PCIeGenMax, "pcie_width_max": d.PCIeWidthMax,
		"temp_slow_c": d.TempSlow, "compute_cap": d.ComputeCap,
		"persistence": d.Persistence, "mig": d.MIG, "parent": d.Parent,
		"profile": d.Profile, "mem_source": d.MemSource, "problem": d.Problem,
		"virtual": d.Virtual,
	})
}

// MarshalJSON writes the documented object.
func (m Machine) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{
		"os": m.OS, "kernel": m.Kernel, "arch": m.Arch, "libc": m.Libc,
		"hostname": m.Hostname, "user": m.User, "cpu_model": m.CPUModel,
		"cores": m.Cores, "cpu_quota_cores": m.Quota,
		"ram_total_mib": m.RAMTotal, "ram_limit_mib": m.RAMLimit,
		"container": m.Container,
	})
}
