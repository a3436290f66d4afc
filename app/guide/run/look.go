package run

import (
	"math"
	"strconv"
	"strings"

	"rentgen/app/guide"
	"rentgen/app/guide/script"
)

// look is what the shell told of the instance before the first check.
type look struct {
	run  guide.Run
	know guide.Context
}

var memoryCgroup = guide.Regexp(`^\d+:(?:[a-z_=,]*,)?memory(?:,[a-z_=,]*)?:(/.*)$`)

// readLook reads it. What isn't there or can't be read stays unknown.
func readLook(b []byte) look {
	var l look
	var signs script.Signs
	looked, holds := false, map[string]bool{}
	for _, line := range strings.Split(guide.Clean(b, 1<<16), "\n") {
		key, value, _ := strings.Cut(line, " ")
		value = strings.TrimSpace(value)
		switch key {
		case "boot":
			signs.Boot = value
		case "driver":
			signs.Driver = value
		case "machine":
			signs.Machine = value
		case "name":
			signs.Name = value
		case "stat1":
			signs.First = value
		case "omp":
			if n, err := strconv.Atoi(value); err == nil && n > 0 {
				l.know.OMPNumThreads = &n
			}
		case "hub":
			if v, err := CheckValue(ValueHFEndpoint, value); err == nil && v != "" {
				l.know.HFEndpoint = &v
			}
		case "cgroup":
			if v, ok := strings.CutPrefix(value, "0::"); ok && strings.HasPrefix(v, "/") && l.know.OwnCgroup == nil {
				l.know.OwnCgroup = &v
			} else if m := memoryCgroup.FindStringSubmatch(value); m != nil {
				l.know.OwnCgroup = &m[1]
			}
		case "looked":
			looked = true
		case "holds":
			holds[value] = true
		}
	}
	l.run = signs.Run()
	if looked {
		n := len(holds)
		l.know.OwnProcesses = &n
	}
	return l
}

// fillKnown puts what was found out where nothing was known.
func fillKnown(c *guide.Context, o guide.Context) {
	put(&c.OwnProcesses, o.OwnProcesses)
	put(&c.SMIGPUCount, o.SMIGPUCount)
	put(&c.VRAMGiB, o.VRAMGiB)
	put(&c.HostTotalGiB, o.HostTotalGiB)
	put(&c.OwnCgroup, o.OwnCgroup)
	put(&c.OMPNumThreads, o.OMPNumThreads)
	put(&c.HFEndpoint, o.HFEndpoint)
}

func put[T any](to **T, v *T) {
	if v != nil {
		*to = v
	}
}

// learn is what a check's outcome says to the checks behind it.
func learn(o guide.Outcome) guide.Context {
	var c guide.Context
	switch o.Check {
	case guide.GPUSMI:
		if n, ok := o.Facts["gpu_count"].(int); ok && n > 0 {
			c.SMIGPUCount = &n
		}
		if mib, _, ok := o.Facts.VRAM(); ok {
			gib := mib / 1024
			c.VRAMGiB = &gib
		}
	case guide.MemCgroup:
		if v := guide.Figure(o.Facts["host_total_gib"]); !math.IsNaN(v) {
			c.HostTotalGiB = &v
		}
	}
	return c
}

func set(to *string, v string) {
	if v != "" {
		*to = v
	}
}
