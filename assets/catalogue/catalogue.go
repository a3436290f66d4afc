package catalogue

import _ "embed"

// The tables, as published files say them.
var (
	//go:embed models.csv
	Models []byte
	//go:embed gpus.csv
	GPUs []byte
	//go:embed driver-cuda.csv
	Drivers []byte
	// Families are the parts of every model we estimate, what their figures
	// rest on, and the constants of the estimate.
	//
	//go:embed families.json
	Families []byte
)
