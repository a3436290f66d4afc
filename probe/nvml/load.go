//go:build linux && cgo

package nvml

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static void *rentgen_open(const char *path, char *err, size_t n) {
	void *h = dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
	if (!h && n) {
		const char *e = dlerror();
		strncpy(err, e ? e : "unknown error", n - 1);
		err[n - 1] = 0;
	}
	return h;
}
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

const libraryName = "libnvidia-ml.so.1"

// knownFolders hold the library where the loader does not look: WSL, images
// that set a path only in login shells, other distributions' layouts.
var knownFolders = []string{
	"/usr/lib/x86_64-linux-gnu",
	"/usr/lib/aarch64-linux-gnu",
	"/usr/lib64",
	"/usr/lib",
	"/usr/lib/wsl/lib",
	"/usr/lib/wsl/drivers",
	"/usr/local/nvidia/lib64",
	"/usr/local/nvidia/lib",
	"/usr/lib/x86_64-linux-gnu/nvidia/current",
	"/usr/lib/nvidia",
	"/run/nvidia/driver/usr/lib/x86_64-linux-gnu",
	"/run/nvidia/driver/usr/lib64",
	"/opt/nvidia/lib64",
	"/usr/lib/x86_64-linux-gnu/tegra",
	"/usr/lib/aarch64-linux-gnu/tegra",
	"/usr/lib/aarch64-linux-gnu/nvidia",
}

// ErrNoLibrary means that no libnvidia-ml.so.1 could be loaded.
var ErrNoLibrary = errors.New("libnvidia-ml.so.1 not found")

// ErrIncompatible means that the library lacks what every version had.
var ErrIncompatible = errors.New("libnvidia-ml.so.1 lacks basic functions")

// Params are the settings of a Library. The zero value is the normal one.
type Params struct {
	Folders    []string      // where the library is sought after the loader; nil for the known ones
	Proc       string        // "/proc"
	StallAfter time.Duration // a call that takes longer is taken for hung; 1 s
	Now        func() time.Time
}

// Open loads the library and looks up its functions; it does not start it, so
// it does not wait for a driver. The error wraps ErrNoLibrary or
// ErrIncompatible.
func Open(p Params) (*Library, error) {
	if p.Folders == nil {
		p.Folders = knownFolders
	}
	if p.Proc == "" {
		p.Proc = "/proc"
	}
	if p.StallAfter == 0 {
		p.StallAfter = time.Second
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	handle, path, err := load(p.Folders)
	if err != nil {
		return nil, err
	}
	l := newLibrary(p)
	for f := range fnCount {
		l.has[f] = slices.ContainsFunc(f.names(), func(name string) bool { return symbol(handle, name) != nil })
	}
	for _, f := range []fn{fnInit, fnCountDevices, fnHandle} {
		if !l.has[f] {
			return nil, fmt.Errorf("%w: %s: %s", ErrIncompatible, path, f.names()[0])
		}
	}
	l.lists = listFunctions(handle)
	l.pcie.fn = symbol(handle, fnPCIeThroughput.names()[0])
	l.api = nvml.New(nvml.WithLibraryPath(path))
	return l, nil
}

// load asks the loader first, so that LD_LIBRARY_PATH counts.
func load(folders []string) (unsafe.Pointer, string, error) {
	handle, said := open(libraryName)
	if handle != nil {
		return handle, libraryName, nil
	}
	reasons := []string{said}
	for _, dir := range folders {
		path := filepath.Join(dir, libraryName)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if handle, said = open(path); handle != nil {
			return handle, path, nil
		}
		reasons = append(reasons, said)
	}
	return nil, "", fmt.Errorf("%w (%s)", ErrNoLibrary, strings.Join(reasons, "; "))
}

func open(path string) (unsafe.Pointer, string) {
	var buf [512]C.char
	c := C.CString(path)
	defer C.free(unsafe.Pointer(c))
	if h := C.rentgen_open(c, &buf[0], C.size_t(len(buf))); h != nil {
		return h, ""
	}
	return nil, C.GoString(&buf[0])
}

func symbol(handle unsafe.Pointer, name string) unsafe.Pointer {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return C.dlsym(handle, c)
}
