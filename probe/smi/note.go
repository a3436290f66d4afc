package smi

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"rentgen/probe"
	"rentgen/probe/procfs"
)

// Note is a line that is no reading: what happened, to which card, in the
// host's words.
type Note struct {
	Kind  string // one of the probe.Event constants
	BusID string // of the card, as printed; "" where none is named
	Index int    // of the card, -1 where none is named
	Code  int    // of an Xid
	Raw   string
	// Soft is the name of a software layer that slices cards, where the line
	// is from one: "hami".
	Soft string
}

const busPattern = `([0-9a-fA-F]{2,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-9a-fA-F])?)`

var (
	// "GPU 0000:02:00.0: GPU is lost", "GPU0000:CB:00.0: Unknown Error",
	// "GPU1: 0000:34:00.0: Unknown Error", and domains of three to eight digits.
	handleLine = regexp.MustCompile(`(?i)device handle for GPU\s*(?:(\d{1,3}):\s+)?` + busPattern + `\s*:?\s*(.*)`)
	// "GPU1: Unknown Error" names no bus.
	handleIndex = regexp.MustCompile(`(?i)device handle for GPU\s*(\d{1,3})\s*:`)
	fallenLine  = regexp.MustCompile(`(?i)(?:` + busPattern + `.*)?(?:fallen off the bus|GPU is lost)`)
	xidLine     = regexp.MustCompile(`(?i)\bxid\b`)
	xidNumber   = regexp.MustCompile(`(?i)\bxid\b(?:\s*\(PCI:[^)]{1,32}\))?[^0-9]{0,24}(\d{1,3})\b`)
	anyBus      = regexp.MustCompile(busPattern)
	pciBus      = regexp.MustCompile(`(?i)PCI:` + busPattern)
	softLine    = regexp.MustCompile(`^\s*\[?(HAMI-core|4pdvGPU|vGPU-core)\b`)
)

// noiseLine reports whether a line is the log of a layer between the program
// and the driver.
func noiseLine(l string) bool { return softLine.MatchString(l) }

// lostLine reads the line that stands in place of a card's readings.
func lostLine(l string) (Note, bool) {
	if m := handleLine.FindStringSubmatch(l); m != nil {
		n := Note{Kind: probe.EventLost, BusID: m[2], Index: -1, Raw: procfs.Clean(l, maxText)}
		if i, err := strconv.Atoi(m[1]); err == nil {
			n.Index = i
		}
		return n, true
	}
	if m := handleIndex.FindStringSubmatch(l); m != nil {
		i, _ := strconv.Atoi(m[1])
		return Note{Kind: probe.EventLost, Index: i, Raw: procfs.Clean(l, maxText)}, true
	}
	if m := fallenLine.FindStringSubmatch(l); m != nil {
		return Note{Kind: probe.EventLost, BusID: m[1], Index: -1, Raw: procfs.Clean(l, maxText)}, true
	}
	return Note{}, false
}

// readNote says what a line that is no reading means; ok is false for a blank
// one.
func readNote(l string) (n Note, ok bool) {
	raw := procfs.Clean(l, maxText)
	if raw == "" {
		return Note{}, false
	}
	n = Note{Kind: probe.EventNoise, Index: -1, Raw: raw}
	if noiseLine(l) {
		n.Soft = "hami"
		return n, true
	}
	if xidLine.MatchString(l) {
		if m := xidNumber.FindStringSubmatch(l); m != nil {
			n.Kind = probe.EventXid
			n.Code, _ = strconv.Atoi(m[1])
			n.BusID = firstBus(l)
			return n, true
		}
	}
	if lost, ok := lostLine(l); ok {
		return lost, true
	}
	if strings.Contains(strings.ToLower(l), "gpu requires reset") {
		n.Kind = probe.EventReset
	}
	n.BusID = firstBus(l)
	return n, true
}

func firstBus(l string) string {
	if m := pciBus.FindStringSubmatch(l); m != nil {
		return m[1]
	}
	return anyBus.FindString(l)
}

// busKey makes bus ids comparable: drivers print the domain with three to
// eight digits, and the kernel leaves the function out.
func busKey(bus string) string {
	part := strings.Split(strings.TrimSpace(bus), ":")
	if len(part) < 2 || len(part) > 3 {
		return ""
	}
	domain := uint64(0)
	if len(part) == 3 {
		var err error
		if domain, err = strconv.ParseUint(part[0], 16, 32); err != nil {
			return ""
		}
		part = part[1:]
	}
	dev, fn, _ := strings.Cut(part[1], ".")
	b, err1 := strconv.ParseUint(part[0], 16, 8)
	d, err2 := strconv.ParseUint(dev, 16, 8)
	f := uint64(0)
	var err3 error
	if fn != "" {
		f, err3 = strconv.ParseUint(fn, 16, 8)
	}
	if err1 != nil || err2 != nil || err3 != nil {
		return ""
	}
	return fmt.Sprintf("%08x:%02x:%02x.%x", domain, b, d, f)
}
