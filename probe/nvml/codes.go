//go:build linux && cgo

package nvml

import (
	"fmt"
	"strconv"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"rentgen/probe"
)

// returnTexts are the library's own words. nvmlErrorString would give the same,
// but it is a call into a library that has just failed.
var returnTexts = map[nvml.Return]string{
	nvml.ERROR_UNINITIALIZED:             "Uninitialized",
	nvml.ERROR_INVALID_ARGUMENT:          "Invalid Argument",
	nvml.ERROR_NOT_SUPPORTED:             "Not Supported",
	nvml.ERROR_NO_PERMISSION:             "Insufficient Permissions",
	nvml.ERROR_ALREADY_INITIALIZED:       "Already Initialized",
	nvml.ERROR_NOT_FOUND:                 "Not Found",
	nvml.ERROR_INSUFFICIENT_SIZE:         "Insufficient Size",
	nvml.ERROR_INSUFFICIENT_POWER:        "Insufficient External Power",
	nvml.ERROR_DRIVER_NOT_LOADED:         "Driver Not Loaded",
	nvml.ERROR_TIMEOUT:                   "Timeout",
	nvml.ERROR_IRQ_ISSUE:                 "Interrupt Request Issue",
	nvml.ERROR_LIBRARY_NOT_FOUND:         "NVML Shared Library Not Found",
	nvml.ERROR_FUNCTION_NOT_FOUND:        "Function Not Found",
	nvml.ERROR_CORRUPTED_INFOROM:         "Corrupted infoROM",
	nvml.ERROR_GPU_IS_LOST:               "GPU is lost",
	nvml.ERROR_RESET_REQUIRED:            "GPU requires reset",
	nvml.ERROR_OPERATING_SYSTEM:          "The operating system has blocked the request.",
	nvml.ERROR_LIB_RM_VERSION_MISMATCH:   "Driver/library version mismatch",
	nvml.ERROR_IN_USE:                    "In use by another client",
	nvml.ERROR_MEMORY:                    "Insufficient Memory",
	nvml.ERROR_NO_DATA:                   "No data",
	nvml.ERROR_VGPU_ECC_NOT_SUPPORTED:    "vGPU ECC Not Supported",
	nvml.ERROR_INSUFFICIENT_RESOURCES:    "Insufficient Resources",
	nvml.ERROR_ARGUMENT_VERSION_MISMATCH: "Argument version mismatch",
	nvml.ERROR_DEPRECATED:                "Requested functionality has been deprecated",
	nvml.ERROR_NOT_READY:                 "System not ready",
	nvml.ERROR_GPU_NOT_FOUND:             "No supported GPUs were found",
	nvml.ERROR_INVALID_STATE:             "Invalid State",
	nvml.ERROR_UNKNOWN:                   "Unknown Error",
}

func returnText(ret nvml.Return) string {
	if s, ok := returnTexts[ret]; ok {
		return s
	}
	return "NVML error " + strconv.Itoa(int(ret))
}

// missing turns a return code other than success into a value.
func missing(ret nvml.Return) probe.Value {
	switch ret {
	case nvml.ERROR_NOT_SUPPORTED, nvml.ERROR_FUNCTION_NOT_FOUND, nvml.ERROR_DEPRECATED, nvml.ERROR_ARGUMENT_VERSION_MISMATCH:
		return probe.Missing(probe.Unsupported, returnText(ret))
	case nvml.ERROR_NO_PERMISSION:
		return probe.Missing(probe.Denied, returnText(ret))
	}
	return probe.Missing(probe.Error, returnText(ret))
}

// notAvailable is NVML_VALUE_NOT_AVAILABLE, -1, as the two sizes show it.
const (
	notAvailable32 = 1<<32 - 1
	notAvailable64 = 1<<64 - 1
)

// within turns a reading into a value: NVML's "not available" is unsupported,
// and what no card can be is an error that keeps the number.
func within(ret nvml.Return, n, scale float64, lo, hi float64) probe.Value {
	if ret != nvml.SUCCESS {
		return missing(ret)
	}
	v := n * scale
	if v >= lo && v <= hi {
		return probe.Of(v)
	}
	if n == notAvailable32 || n == notAvailable64 {
		return probe.Missing(probe.Unsupported, "N/A")
	}
	return probe.Missing(probe.Error, strconv.FormatFloat(v, 'f', -1, 64))
}

// tenths rounds to a tenth, the most that any of the sensors is true to.
func tenths(f float64) float64 {
	if f < 0 {
		return float64(int64(f*10-0.5)) / 10
	}
	return float64(int64(f*10+0.5)) / 10
}

// InitError says why the library could be opened but not started.
type InitError struct {
	Code int    // nvmlReturn_t
	Raw  string // the library's words
	// Kind is the event that describes it, "" where it is only an absence of
	// driver or card.
	Kind string
	Mode probe.Mode
}

func (e *InitError) Error() string {
	return fmt.Sprintf("start NVML: %s (code %d)", e.Raw, e.Code)
}
