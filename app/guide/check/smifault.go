package check

import (
	"strings"
)

// fault is a way in which nvidia-smi says that it can't reach a card.
type fault struct {
	code string // of the finding
	err  string // of the closed list of errors, "" where it has none
}

// faultOf returns the worst fault that the output names. The messages come on
// stdout or stderr, with any quotes, wrapped or not, and may stand beside a table
// of the other cards.
func (l *look) faultOf() (fault, bool) {
	switch {
	case l.says("gpu is lost"):
		return fault{"lost", "gpu_lost"}, true
	case l.says("unable to determine the device handle"):
		return fault{"inaccessible", "gpu_inaccessible"}, true
	case l.says("gpu requires reset"):
		return fault{"needs-reset", "gpu_inaccessible"}, true
	case l.says("driver/library version mismatch", "nvml library version mismatch"):
		return fault{"mismatch", "nvml_version_mismatch"}, true
	case l.says("couldn't communicate with the nvidia driver", "could not communicate with the nvidia driver", "failed to initialize nvml: driver not loaded", "nvml: driver not loaded"):
		return fault{"no-driver", "driver_not_loaded"}, true
	case l.says("failed to initialize nvml: unknown error", "nvml: unknown error"):
		return fault{"nvml-unknown", "nvml_unknown_error"}, true
	case l.says("failed to initialize nvml: no supported gpus were found"), l.says("no devices were found", "no devices found"):
		return fault{"no-devices", "no_devices"}, true
	case l.says("gpu access blocked by the operating system"), l.says("failed to initialize nvml: insufficient permissions"):
		return fault{"blocked", "gpu_inaccessible"}, true
	case l.says("couldn't find libnvidia-ml.so", "could not find libnvidia-ml.so", "libnvidia-ml.so.1: cannot open shared object", "failed to initialize nvml: could not load"):
		return fault{"no-library", "driver_not_loaded"}, true
	case l.says("failed to initialize nvml"):
		return fault{"nvml-failed", ""}, true
	case l.says("nvidia-smi has failed because"):
		return fault{"smi-failed", ""}, true
	}
	return fault{}, false
}

// noSMI reports whether the tool itself is missing.
func (l *look) noSMI() bool {
	return l.missing("nvidia-smi") || l.in.Exit == 127 && !l.piped() && strings.TrimSpace(l.all()) == ""
}

// faultFacts notes what the messages of a fault name.
func (l *look) faultFacts(f fault) {
	if f.err != "" {
		l.set("error", f.err)
	}
	switch f.code {
	case "mismatch":
		l.set("nvml_lib", nil)
		if m := l.line(nvmlLibrary); m != nil {
			l.set("nvml_lib", m[1])
		}
	case "lost", "inaccessible":
		var ids []string
		for _, s := range l.lines {
			low := strings.ToLower(s)
			if strings.Contains(low, "unable to determine") || strings.Contains(low, "gpu is lost") {
				if id := busID.FindString(s); id != "" {
					ids = append(ids, strings.ToLower(id))
				}
			}
		}
		if len(ids) > 0 {
			l.set("bus_ids", ids)
		}
	}
}
