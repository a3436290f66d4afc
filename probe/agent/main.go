//go:build linux && cgo

package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
)

// version is set by the build script.
var version = "dev"

// Exit codes.
const (
	exitOK        = 0
	exitError     = 1
	exitNoLibrary = 3
	exitUsage     = 64
)

func main() {
	// A host may have a hundred cores and the program wants a hundredth of one:
	// two are enough, and fewer cost less memory.
	runtime.GOMAXPROCS(2)
	debug.SetGCPercent(40)
	debug.SetMemoryLimit(16 << 20)
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	o, err := parse(args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "rentgen-agent: %v\n", err)
		return exitUsage
	}
	if o.version {
		fmt.Println(version)
		return exitOK
	}
	if o.resident != "" {
		return runResident(o)
	}
	out, err := claimStdout()
	if err != nil {
		fmt.Fprintf(os.Stderr, "rentgen-agent: %v\n", err)
		return exitError
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT, syscall.SIGPIPE)
	a := newAgent(o, os.Stdin, out)
	go func() {
		<-signals
		a.stop(nil)
	}()
	return a.run()
}

// options are the command line.
type options struct {
	version bool
	marker  string
	json    bool
	retry   time.Duration // of a failed start of the library

	resident string // an order to the recorder, "" for stdio
	dir      string // of the recorder
	life     time.Duration
	maxBytes int64
	from     string // a position of the ring
}

func parse(args []string) (options, error) {
	o := options{retry: 30 * time.Second}
	if len(args) == 1 && args[0] == "--version" {
		o.version = true
		return o, nil
	}
	rest := args
	switch {
	case len(args) > 0 && args[0] == "stdio":
		rest = args[1:]
	case len(args) > 1 && args[0] == "resident" && residentOrders[args[1]] != nil:
		o.resident, rest = args[1], args[2:]
	default:
		return o, fmt.Errorf("usage: rentgen-agent stdio --marker M | resident start|status|stop|remove|fetch|run [--dir DIR] | --version")
	}
	for len(rest) > 0 {
		name, value, inline := strings.Cut(rest[0], "=")
		rest = rest[1:]
		if !inline {
			if len(rest) == 0 {
				return o, fmt.Errorf("%s needs a value", name)
			}
			value, rest = rest[0], rest[1:]
		}
		switch name {
		case "--marker":
			o.marker = value
		case "--format":
			if value != "json" && value != "cbor" {
				return o, fmt.Errorf("--format is json or cbor, not %q", value)
			}
			o.json = value == "json"
		case "--retry":
			d, err := time.ParseDuration(value)
			if err != nil || d <= 0 {
				return o, fmt.Errorf("--retry is a time like 30s, not %q", value)
			}
			o.retry = d
		default:
			if o.resident == "" {
				return o, fmt.Errorf("unknown option %s", name)
			}
			if err := o.residentOption(name, value); err != nil {
				return o, err
			}
		}
	}
	if o.resident != "" {
		return o, o.place()
	}
	if o.marker == "" && !o.json {
		return o, fmt.Errorf("--marker is missing")
	}
	return o, nil
}

// claimStdout keeps the standard output for frames alone. Libraries that stand
// in for NVIDIA's on shared hosts print to it; what they print goes to standard
// error from now on.
func claimStdout() (io.WriteCloser, error) {
	fd, err := syscall.Dup(syscall.Stdout)
	if err != nil {
		return nil, fmt.Errorf("duplicate standard output: %w", err)
	}
	syscall.CloseOnExec(fd)
	if err := syscall.Dup3(syscall.Stderr, syscall.Stdout, 0); err != nil {
		return nil, fmt.Errorf("redirect standard output: %w", err)
	}
	return os.NewFile(uintptr(fd), "frames"), nil
}
