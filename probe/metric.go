package probe

// Metric names one thing that is measured, of a card or of the machine beside
// it. The numbers travel on the wire and stand in the store: append only.
type Metric uint8

// Metrics of a card. The order is the wire's.
const (
	UtilGPU Metric = iota
	UtilMem
	UtilEnc
	UtilDec
	MemUsed
	MemReserved
	MemTotal
	Power
	PowerCap
	Energy
	Temp
	TempMem
	Fan
	ClockSM
	ClockMem
	PState
	PCIeGen
	PCIeWidth
	PCIeTx
	PCIeRx
	NVLinkTx
	NVLinkRx
	EventReasons
	NVLinkActive
	ECCCorrected
	ECCUncorrected
	RetiredPages
	OwnMem     // of the processes seen to be ours; from the list of processes
	OwnUtil    // of the SMs, likewise
	OwnProcs   // how many of them there are
	OtherProcs // how many are listed that aren't ours
	gpuMetricEnd
)

// Metrics of the machine. They start at a round number so that card metrics
// can be added without moving them.
const (
	CPU Metric = iota + firstSystem
	CPUBusiest
	CPUQuota
	CPUThrottled
	RAMUsed
	RAMLimit
	SwapIn
	SwapOut
	DiskRead
	DiskWrite
	IOWait
	NetRx
	NetTx
	PSICPU
	PSIMem
	PSIIO
	GPUClients // processes of this login that hold a device of the cards open
	Queue      // jobs that wait or run in the program that paints, where it says so
	systemMetricEnd
)

const (
	firstSystem = 128

	// GPUMetricCount and SystemMetricCount size the value arrays of a Sample.
	GPUMetricCount    = int(gpuMetricEnd)
	SystemMetricCount = int(systemMetricEnd) - firstSystem
)

// Kind says how readings of a metric are put together.
type Kind uint8

const (
	Gauge   Kind = iota // a level: mean, min and max make sense
	Counter             // only grows, until the driver is loaded anew
	Mask                // bits: put together by OR
	Level               // a number from a short list (P-state, PCIe generation)
)

// Info describes a metric.
type Info struct {
	Key  string  // JSON key, column name, and text key "metric.<Key>"
	Unit string  // SI or field's unit; "" for a plain number
	Kind Kind    //
	Step float64 // the coarsest step that is as true as the sensor; history rounds to it
	Max  float64 // fixed top of the axis; 0 where there is none
	Slow bool    // read every 10 s, not every tick
}

var gpuInfo = [GPUMetricCount]Info{
	UtilGPU:        {Key: "util_pct", Unit: "%", Step: 1, Max: 100},
	UtilMem:        {Key: "util_mem_pct", Unit: "%", Step: 1, Max: 100},
	UtilEnc:        {Key: "util_enc_pct", Unit: "%", Step: 1, Max: 100},
	UtilDec:        {Key: "util_dec_pct", Unit: "%", Step: 1, Max: 100},
	MemUsed:        {Key: "mem_used_mib", Unit: "MiB", Step: 1},
	MemReserved:    {Key: "mem_reserved_mib", Unit: "MiB", Step: 1},
	MemTotal:       {Key: "mem_total_mib", Unit: "MiB", Step: 1},
	Power:          {Key: "power_w", Unit: "W", Step: 1},
	PowerCap:       {Key: "power_cap_w", Unit: "W", Step: 1, Slow: true},
	Energy:         {Key: "energy_j", Unit: "J", Kind: Counter, Step: 1},
	Temp:           {Key: "temp_c", Unit: "°C", Step: 1},
	TempMem:        {Key: "temp_mem_c", Unit: "°C", Step: 1},
	Fan:            {Key: "fan_pct", Unit: "%", Step: 1},
	ClockSM:        {Key: "clock_sm_mhz", Unit: "MHz", Step: 1},
	ClockMem:       {Key: "clock_mem_mhz", Unit: "MHz", Step: 1},
	PState:         {Key: "pstate", Kind: Level, Step: 1},
	PCIeGen:        {Key: "pcie_gen", Kind: Level, Step: 1, Slow: true},
	PCIeWidth:      {Key: "pcie_width", Kind: Level, Step: 1, Slow: true},
	PCIeTx:         {Key: "pcie_tx_mb_s", Unit: "MB/s", Step: 1},
	PCIeRx:         {Key: "pcie_rx_mb_s", Unit: "MB/s", Step: 1},
	NVLinkTx:       {Key: "nvlink_tx_mb_s", Unit: "MB/s", Step: 1},
	NVLinkRx:       {Key: "nvlink_rx_mb_s", Unit: "MB/s", Step: 1},
	EventReasons:   {Key: "event_reasons", Kind: Mask, Step: 1},
	NVLinkActive:   {Key: "nvlink_active", Kind: Level, Step: 1, Slow: true},
	ECCCorrected:   {Key: "ecc_corrected", Kind: Counter, Step: 1, Slow: true},
	ECCUncorrected: {Key: "ecc_uncorrected", Kind: Counter, Step: 1, Slow: true},
	RetiredPages:   {Key: "retired_pages", Kind: Counter, Step: 1, Slow: true},
	OwnMem:         {Key: "mem_own_mib", Unit: "MiB", Step: 1},
	OwnUtil:        {Key: "util_own_pct", Unit: "%", Step: 1, Max: 100},
	OwnProcs:       {Key: "procs_own", Kind: Level, Step: 1},
	OtherProcs:     {Key: "procs_other", Kind: Level, Step: 1},
}

var systemInfo = [SystemMetricCount]Info{
	CPU - firstSystem:          {Key: "cpu_pct", Unit: "%", Step: 1, Max: 100},
	CPUBusiest - firstSystem:   {Key: "cpu_busiest_pct", Unit: "%", Step: 1, Max: 100},
	CPUQuota - firstSystem:     {Key: "cpu_quota_cores", Unit: "cores", Step: 0.01},
	CPUThrottled - firstSystem: {Key: "cpu_throttled_pct", Unit: "%", Step: 1, Max: 100},
	RAMUsed - firstSystem:      {Key: "ram_used_mib", Unit: "MiB", Step: 1},
	RAMLimit - firstSystem:     {Key: "ram_limit_mib", Unit: "MiB", Step: 1},
	SwapIn - firstSystem:       {Key: "swap_in_mb_s", Unit: "MB/s", Step: 0.1},
	SwapOut - firstSystem:      {Key: "swap_out_mb_s", Unit: "MB/s", Step: 0.1},
	DiskRead - firstSystem:     {Key: "disk_read_mb_s", Unit: "MB/s", Step: 0.1},
	DiskWrite - firstSystem:    {Key: "disk_write_mb_s", Unit: "MB/s", Step: 0.1},
	IOWait - firstSystem:       {Key: "io_wait_pct", Unit: "%", Step: 1, Max: 100},
	NetRx - firstSystem:        {Key: "net_rx_mb_s", Unit: "MB/s", Step: 0.1},
	NetTx - firstSystem:        {Key: "net_tx_mb_s", Unit: "MB/s", Step: 0.1},
	PSICPU - firstSystem:       {Key: "psi_cpu_pct", Unit: "%", Step: 0.1, Max: 100},
	PSIMem - firstSystem:       {Key: "psi_mem_pct", Unit: "%", Step: 0.1, Max: 100},
	PSIIO - firstSystem:        {Key: "psi_io_pct", Unit: "%", Step: 0.1, Max: 100},
	GPUClients - firstSystem:   {Key: "gpu_clients", Kind: Level, Step: 1},
	Queue - firstSystem:        {Key: "queue_jobs", Kind: Level, Step: 1},
}

// System reports whether m is of the machine rather than of a card.
func (m Metric) System() bool { return m >= firstSystem }

// Valid reports whether m is a known metric.
func (m Metric) Valid() bool { return m < gpuMetricEnd || (m >= firstSystem && m < systemMetricEnd) }

// Info returns the description of m; an unknown metric has an empty one.
func (m Metric) Info() Info {
	switch {
	case m < gpuMetricEnd:
		return gpuInfo[m]
	case m >= firstSystem && m < systemMetricEnd:
		return systemInfo[m-firstSystem]
	}
	return Info{}
}

// String returns the metric's key.
func (m Metric) String() string { return m.Info().Key }

// GPUMetrics returns the metrics of a card in the wire's order.
func GPUMetrics() []Metric {
	ms := make([]Metric, GPUMetricCount)
	for i := range ms {
		ms[i] = Metric(i)
	}
	return ms
}

// SystemMetrics returns the metrics of the machine in the wire's order.
func SystemMetrics() []Metric {
	ms := make([]Metric, SystemMetricCount)
	for i := range ms {
		ms[i] = Metric(firstSystem + i)
	}
	return ms
}

// ParseMetric finds a metric by its key.
func ParseMetric(key string) (Metric, bool) {
	for _, m := range GPUMetrics() {
		if gpuInfo[m].Key == key {
			return m, true
		}
	}
	for _, m := range SystemMetrics() {
		if m.Info().Key == key {
			return m, true
		}
	}
	return 0, false
}
