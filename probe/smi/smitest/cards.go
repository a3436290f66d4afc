package smitest

import (
	"fmt"
	"strings"
)

// UUID returns the UUID of the fake's n-th card.
func UUID(n int) string { return fmt.Sprintf("GPU-00000000-0000-0000-0000-%012d", n) }

// With returns a copy of the card with some cells changed, as pairs of field
// and cell.
func (c Card) With(pairs ...string) Card {
	out := Card{}
	for k, v := range c {
		out[k] = v
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		out[pairs[i]] = pairs[i+1]
	}
	return out
}

// RTX4090 is a card of the kind that is rented most, at work.
func RTX4090(n int) Card {
	return Card{
		"uuid": UUID(n), "index": fmt.Sprint(n), "pci.bus_id": fmt.Sprintf("00000000:%02X:00.0", 0x16+n),
		"name": "NVIDIA GeForce RTX 4090", "driver_version": "550.54.15", "persistence_mode": "Enabled",
		"compute_cap": "8.9", "pstate": "P2", "fan.speed": "30", "temperature.gpu": "61", "temperature.memory": "N/A",
		"utilization.gpu": "97", "utilization.memory": "55", "utilization.encoder": "0", "utilization.decoder": "0",
		"memory.total": "24564", "memory.reserved": "346", "memory.used": "17342", "power.draw": "412.37",
		"enforced.power.limit": "450.00", "power.limit": "450.00", "power.default_limit": "450.00", "power.max_limit": "600.00",
		"clocks.current.sm": "2610", "clocks.current.memory": "10501", "clocks.max.sm": "3105", "clocks.max.memory": "10501",
		"pcie.link.gen.current": "4", "pcie.link.gen.gpucurrent": "4", "pcie.link.gen.max": "4",
		"pcie.link.width.current": "16", "pcie.link.width.max": "16",
		"clocks_event_reasons.active": "0x0000000000000004",
	}
}

// Healthy is a host with n cards at work: every tick a little different.
func Healthy(n int) Scenario {
	s := Scenario{Version: Version550, Apps: UUID(0) + ", 4242, 16800, python3\n"}
	for k := range 4 {
		var tk Tick
		for i := range n {
			tk.Cards = append(tk.Cards, RTX4090(i).With("utilization.gpu", fmt.Sprint(90+k), "power.draw", fmt.Sprintf("%d.50", 400+k)))
		}
		s.Ticks = append(s.Ticks, tk)
	}
	var list strings.Builder
	for i := range n {
		fmt.Fprintf(&list, "GPU %d: NVIDIA GeForce RTX 4090 (UUID: %s)\n", i, UUID(i))
	}
	s.List = list.String()
	return s
}

// What --version prints, before and since the 610 series.
const (
	Version550 = "NVIDIA-SMI version  : 550.54.15\nNVML version        : 550.54\nDRIVER version      : 550.54.15\nCUDA Version        : 12.4\n"
	Version590 = "NVIDIA-SMI version  : 590.48.01\nNVML version        : 590.48\nDRIVER version      : 590.48.01\nCUDA Version        : 13.1\n"
	Version610 = "NVIDIA-SMI version  : 610.57.04\nNVML version        : 610.57\nDRIVER version      : Deprecated, see \"KMD version\" instead\nCUDA version        : Deprecated, see \"CUDA UMD version\" instead\nKMD version         : 610.57.04\nCUDA UMD version    : 13.3\n"
)

// H100MIG is a card cut into four instances, under load: utilisation can't be
// read, memory of the instances stands only in the table.
func H100MIG() Scenario {
	return Scenario{
		Version: Version590,
		List: "GPU 0: NVIDIA H100 80GB HBM3 (UUID: " + UUID(0) + ")\n" +
			"  MIG 3g.40gb     Device  0: (UUID: MIG-00000000-0000-0000-0000-000000000000)\n" +
			"  MIG 2g.20gb     Device  1: (UUID: MIG-00000001-0000-0000-0000-000000000001)\n" +
			"  MIG 1g.10gb     Device  2: (UUID: MIG-00000002-0000-0000-0000-000000000002)\n" +
			"  MIG 1g.10gb     Device  3: (UUID: MIG-00000003-0000-0000-0000-000000000003)\n",
		Table: `+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 590.48.01              Driver Version: 590.48.01      CUDA Version: 13.1     |
+-----------------------------------------+------------------------+----------------------+
|   0  NVIDIA H100 80GB HBM3          On  |   00000000:00:09.0 Off |                   On |
| N/A   52C    P0            432W /  700W |   11125MiB /  81559MiB |     N/A      Default |
|                                         |                        |              Enabled |
+-----------------------------------------+------------------------+----------------------+
| MIG devices:                                                                            |
|  0    2   0   0  |           11091MiB / 40448MiB    | 60      0 |  3   0    3    0    3 |
|                  |               0MiB / 24739MiB    |           |                       |
|  0    3   0   1  |              17MiB / 20096MiB    | 32      0 |  2   0    2    0    2 |
|                  |               0MiB / 12369MiB    |           |                       |
|  0    9   0   2  |               9MiB /  9984MiB    | 16      0 |  1   0    1    0    1 |
|                  |               0MiB /  6184MiB    |           |                       |
|  0   10   0   3  |               9MiB /  9984MiB    | 16      0 |  1   0    1    0    1 |
|                  |               0MiB /  6184MiB    |           |                       |
+-----------------------------------------------------------------------------------------+
`,
		Ticks: []Tick{{Cards: []Card{{
			"uuid": UUID(0), "index": "0", "pci.bus_id": "00000000:00:09.0", "name": "NVIDIA H100 80GB HBM3",
			"driver_version": "590.48.01", "persistence_mode": "Enabled", "mig.mode.current": "Enabled", "compute_cap": "9.0",
			"pstate": "P0", "temperature.gpu": "52", "temperature.gpu.tlimit": "35", "temperature.memory": "56",
			"memory.total": "81559", "memory.reserved": "479", "memory.used": "11125", "power.draw": "432.11",
			"enforced.power.limit": "700.00", "power.default_limit": "700.00", "power.max_limit": "700.00",
			"clocks.current.sm": "1980", "clocks.current.memory": "2619", "clocks.max.sm": "1980", "clocks.max.memory": "2619",
			"pcie.link.gen.current": "5", "pcie.link.gen.max": "5", "pcie.link.width.current": "16", "pcie.link.width.max": "16",
			"clocks_event_reasons.active":         "0x0000000000000000",
			"ecc.errors.corrected.volatile.total": "0", "ecc.errors.uncorrected.volatile.total": "0",
			"retired_pages.single_bit_ecc.count": "[N/A]", "retired_pages.double_bit.count": "[N/A]",
		}}}},
	}
}

// RTX2080S610 is a card under a driver of the 610 series, idle.
func RTX2080S610() Scenario {
	return Scenario{
		Version: Version610,
		Ticks: []Tick{{Cards: []Card{{
			"uuid": UUID(0), "index": "0", "pci.bus_id": "00000000:01:00.0", "name": "NVIDIA GeForce RTX 2080 SUPER",
			"driver_version":   "610.57.04 [Deprecated; will be removed in CUDA 14.0. Use KMD Version instead]",
			"persistence_mode": "Disabled", "compute_cap": "7.5", "pstate": "P8", "fan.speed": "0",
			"temperature.gpu": "38", "temperature.memory": "N/A", "utilization.gpu": "0", "utilization.memory": "2",
			"utilization.encoder": "0", "utilization.decoder": "0", "memory.total": "8192", "memory.reserved": "408",
			"memory.used": "819", "power.draw": "11.52", "power.draw.average": "[N/A]", "enforced.power.limit": "250.00",
			"power.default_limit": "250.00", "power.max_limit": "292.00", "clocks.current.sm": "300",
			"clocks.current.memory": "405", "clocks.max.sm": "2145", "clocks.max.memory": "7751",
			"pcie.link.gen.current": "1", "pcie.link.gen.gpucurrent": "1", "pcie.link.gen.max": "3",
			"pcie.link.width.current": "16", "pcie.link.width.max": "16",
			"clocks_event_reasons.active": "0x0000000000000001",
		}}}},
	}
}

// GB10 is a machine whose processor and card share their memory.
func GB10() Scenario {
	return Scenario{
		Version: Version590,
		Ticks: []Tick{{Cards: []Card{{
			"uuid": UUID(0), "index": "0", "pci.bus_id": "0000000F:01:00.0", "name": "NVIDIA GB10",
			"driver_version": "580.95.05", "memory.total": "[N/A]", "memory.used": "[N/A]", "memory.reserved": "[N/A]",
			"utilization.gpu": "0", "power.draw": "11.17", "temperature.gpu": "35", "pstate": "P8",
		}}}},
	}
}
