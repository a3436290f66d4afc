package guide

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Context is what is known beside an output, from other checks or from the plan.
// A nil field is not known.
type Context struct {
	OwnProcesses  *int     `json:"own_processes,omitempty"`   // yours on the GPU
	RetriesDone   *bool    `json:"retries_done,omitempty"`    // other paths and a login shell were tried
	SMIGPUCount   *int     `json:"smi_gpu_count,omitempty"`   // cards found by gpu.smi
	VRAMGiB       *float64 `json:"vram_gib,omitempty"`        // of the card
	HostTotalGiB  *float64 `json:"host_total_gib,omitempty"`  // RAM of the host
	OwnCgroup     *string  `json:"own_cgroup,omitempty"`      // path of our cgroup
	OMPNumThreads *int     `json:"omp_num_threads,omitempty"` // OMP_NUM_THREADS
	Dir           *string  `json:"dir,omitempty"`             // the directory asked about
	ProbeOK       *bool    `json:"probe_ok,omitempty"`        // a probe file could be written there
	HFEndpoint    *string  `json:"hf_endpoint,omitempty"`     // HF_ENDPOINT
	HTTPCode      *int     `json:"http_code,omitempty"`       // answer to our own GET through the forward
	ExpectedWarmS *float64 `json:"expected_warm_s,omitempty"` // seconds a picture expected when warm
	SameRegion    *bool    `json:"same_region,omitempty"`     // the source is said to be in the instance's region
	Provider      *string  `json:"provider,omitempty"`        // profile id
}

// ReadContext reads a context from JSON; nothing or blanks are an empty one. An
// unknown key, a value of the wrong type and anything behind the object are errors.
func ReadContext(b []byte) (Context, error) {
	var c Context
	if len(bytes.TrimSpace(b)) == 0 {
		return c, nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return Context{}, fmt.Errorf("context: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Context{}, errors.New("context: more than one JSON object")
	}
	return c, nil
}

// Known returns the value of a known field, or the fallback.
func Known[T any](v *T, fallback T) T {
	if v == nil {
		return fallback
	}
	return *v
}
