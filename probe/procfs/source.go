package procfs

import (
	"errors"
	"io/fs"
	"syscall"

	"rentgen/probe"
)

// source gives the content of a file below the root. What it returns is valid
// until the next call.
type source interface {
	read(path string) ([]byte, error)
}

// missing turns the failure to read a file into the state of the values that
// stand in it.
func missing(err error) probe.Value {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR),
		errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENODEV):
		return probe.Missing(probe.Unsupported, reason(err))
	case errors.Is(err, fs.ErrPermission):
		return probe.Missing(probe.Denied, reason(err))
	}
	return probe.Missing(probe.Error, reason(err))
}

func reason(err error) string { return Clean(err.Error(), 2*maxRaw) }

// garbled is the value of a file whose content can't be understood.
func garbled(b []byte) probe.Value {
	first, _ := line(b)
	return probe.Missing(probe.Error, Clean(first, maxRaw))
}

// backwards marks a counter that is less than before: the machine, the disk
// or the interface behind it is another one now. The next reading has a base.
var backwards = probe.Missing(probe.Pending, "counter ran backwards")
