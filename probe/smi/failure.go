package smi

import (
	"fmt"
	"regexp"
	"strings"

	"rentgen/probe"
	"rentgen/probe/procfs"
)

// FailureKind says why nvidia-smi gives no readings.
type FailureKind string

// The kinds of failure.
const (
	FailNotFound    FailureKind = "not-found"      // no nvidia-smi on the host
	FailNoDevices   FailureKind = "no-devices"     // it sees no card
	FailUnsupported FailureKind = "no-supported"   // it sees none that it supports
	FailMismatch    FailureKind = "mismatch"       // library and kernel module differ
	FailAccess      FailureKind = "access-lost"    // the container lost its cards
	FailPermission  FailureKind = "permission"     // this login may not
	FailDriver      FailureKind = "no-driver"      // it can't reach the driver
	FailLibrary     FailureKind = "no-library"     // libnvidia-ml is missing
	FailLost        FailureKind = "gpu-lost"       // every card fell off the bus
	FailHandle      FailureKind = "no-handle"      // a card's handle can't be had
	FailReset       FailureKind = "requires-reset" // every card requires a reset
	FailSignal      FailureKind = "signal"         // it was killed or crashed
	FailHang        FailureKind = "hang"           // it does not return
	FailUsage       FailureKind = "usage"          // it refuses what it was asked
	FailOther       FailureKind = "other"
)

// Failure is why nvidia-smi gave no readings, in its own words too.
type Failure struct {
	Kind    FailureKind
	Exit    int    // exit code; -1 where none is known
	Signal  string // "SEGV", "" without one
	Library string // version of the library in a mismatch, "" unknown
	Field   string // the field that is not known, for FailUsage
	BusID   string // of the card it names
	Raw     string // what it said
}

// Error implements error.
func (f *Failure) Error() string {
	s := "nvidia-smi: " + string(f.Kind)
	if f.Raw != "" {
		s += ": " + f.Raw
	}
	if f.Exit > 0 {
		s += fmt.Sprintf(" (exit %d)", f.Exit)
	}
	return s
}

// EventKind returns the kind of event that tells of the failure.
func (f *Failure) EventKind() string {
	switch f.Kind {
	case FailMismatch:
		return probe.EventDriverMismatch
	case FailAccess, FailPermission:
		return probe.EventAccess
	case FailLost, FailHandle:
		return probe.EventLost
	case FailReset:
		return probe.EventReset
	case FailHang:
		return probe.EventStalled
	case FailNoDevices, FailUnsupported, FailNotFound:
		return probe.EventNoGPU
	}
	return probe.EventSource
}

// state is that of every reading while the failure lasts.
func (f *Failure) state() probe.State {
	if f.Kind == FailPermission {
		return probe.Denied
	}
	return probe.Error
}

// phrases are looked for in order, in lower case.
var phrases = []struct {
	text string
	kind FailureKind
}{
	{"driver/library version mismatch", FailMismatch},
	{"failed to initialize nvml: unknown error", FailAccess},
	{"gpu access blocked by the operating system", FailAccess},
	{"failed to initialize nvml: insufficient permissions", FailPermission},
	{"failed to initialize nvml: no supported gpus were found", FailUnsupported},
	{"no supported gpus were found", FailUnsupported},
	{"failed to initialize nvml: gpu is lost", FailLost},
	{"failed to initialize nvml: driver not loaded", FailDriver},
	{"failed to initialize nvml: could not find", FailLibrary},
	{"libnvidia-ml.so", FailLibrary},
	{"nvml shared library not found", FailLibrary},
	{"communicate with the nvidia driver", FailDriver},
	{"gpu is lost", FailLost},
	{"unable to determine the device handle", FailHandle},
	{"no devices were found", FailNoDevices},
	{"failed to initialize nvml", FailOther},
	{"is not a valid field to query", FailUsage},
	{"switch is missing", FailUsage},
	{"is not recognized", FailUsage},
	{"invalid combination of input arguments", FailUsage},
	{"segmentation fault", FailSignal},
	{"command not found", FailNotFound},
	{"nvidia-smi: not found", FailNotFound},
	{"nvidia-smi: no such file or directory", FailNotFound},
	{"nvidia-smi: permission denied", FailPermission},
}

var (
	badField = regexp.MustCompile(`(?i)field "([^"]{1,96})" is not a valid field`)
	libVer   = regexp.MustCompile(`(?i)nvml library version:\s*([0-9][0-9.]{0,31})`)
)

var signals = map[int]string{
	1: "HUP", 2: "INT", 4: "ILL", 6: "ABRT", 7: "BUS", 9: "KILL", 11: "SEGV", 13: "PIPE", 15: "TERM",
}

// ParseFailure reads what nvidia-smi said instead of readings, together with
// its exit code; -1 stands for none. It returns nil where nothing failed. A
// card that can't be reached beside rows of others is no failure of the call:
// ask only where no row was read.
func ParseFailure(b []byte, exit int) *Failure {
	f := &Failure{Exit: exit}
	low := strings.ToLower(string(b[:min(len(b), maxOutput)]))
	for _, p := range phrases {
		if i := strings.Index(low, p.text); i >= 0 {
			f.Kind = p.kind
			break
		}
	}
	if f.Kind == "" {
		if exit == 0 || exit == exitInfoROM {
			return nil
		}
		f.Kind = byExit(exit)
	}
	if f.Kind == FailSignal || exit > 128 {
		f.Signal = signals[exit-128]
	}
	if m := badField.FindSubmatch(b); m != nil {
		f.Field = procfs.Clean(m[1], maxFieldName)
	}
	if m := libVer.FindSubmatch(b); m != nil {
		f.Library = string(m[1])
	}
	if n, ok := lostLine(string(b[:min(len(b), maxLine)])); ok {
		f.BusID = n.BusID
	}
	f.Raw = telling(b)
	return f
}

// exitInfoROM is a warning beside good readings.
const exitInfoROM = 14

// byExit reads the codes of nvidia-smi's manual and of the shell.
func byExit(exit int) FailureKind {
	switch {
	case exit == 2:
		return FailUsage
	case exit == 4, exit == 126:
		return FailPermission
	case exit == 9:
		return FailDriver
	case exit == 12:
		return FailLibrary
	case exit == 15:
		return FailLost
	case exit == 127:
		return FailNotFound
	case exit > 128 && exit <= 128+64:
		return FailSignal
	}
	return FailOther
}

// telling keeps the lines that say something: no rules, no noise of other
// libraries.
func telling(b []byte) string {
	var keep []string
	n := 0
	for l := range lines(b) {
		l = procfs.Clean(l, maxText)
		if l == "" || noiseLine(l) || strings.HasPrefix(l, "+-") || n > maxText {
			continue
		}
		keep = append(keep, l)
		n += len(l)
	}
	return procfs.Clean(strings.Join(keep, " "), maxText)
}
