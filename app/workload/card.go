package workload

// Card is a row of the catalogue of graphics cards. A nil figure stands in no
// source.
type Card struct {
	Name        string // "RTX 4090"
	NVML        string // as the driver names it
	NominalGB   float64
	TotalMiB    *float64
	ReservedMiB *float64
	BandwidthGB *float64 // GB/s
	TFLOPS      *float64 // dense fp16 tensor with fp32 accumulation
	Compute     *float64 // CUDA compute capability, 8.9
	TDPWatts    *float64
	Notes       []string
	Sources     string
	Unverified  []string // names of the columns that no source proves
}
