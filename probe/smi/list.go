package smi

import (
	"regexp"
	"strconv"

	"rentgen/probe"
	"rentgen/probe/procfs"
)

// Listed is one line of nvidia-smi -L: a card, or a MIG instance of the card
// above it.
type Listed struct {
	Index   int // of the card; of the instance on its card
	Name    string
	UUID    string
	Profile string // "1g.10gb" for an instance, "" for a card
	Parent  string // UUID of the instance's card
}

var (
	listGPU = regexp.MustCompile(`^GPU (\d{1,4}): (.{1,128}) \(UUID: (GPU-[0-9A-Za-z-]{1,96})\)`)
	listMIG = regexp.MustCompile(`^\s+MIG (\S{1,32})\s+Device\s+(\d{1,4}): \(UUID: (MIG-[0-9A-Za-z/-]{1,120})\)`)
)

const maxListed = 1024

// ParseList reads the cards and their instances; other lines are notes.
func ParseList(b []byte) (all []Listed, notes []Note) {
	parent := ""
	for l := range lines(b) {
		if m := listGPU.FindStringSubmatch(l); m != nil && len(all) < maxListed {
			i, _ := strconv.Atoi(m[1])
			parent = m[3]
			all = append(all, Listed{Index: i, Name: procfs.Clean(m[2], maxRaw), UUID: m[3]})
			continue
		}
		if m := listMIG.FindStringSubmatch(l); m != nil && len(all) < maxListed {
			i, _ := strconv.Atoi(m[2])
			all = append(all, Listed{Index: i, UUID: m[3], Profile: procfs.Clean(m[1], 32), Parent: parent})
			continue
		}
		if n, ok := readNote(l); ok && len(notes) < maxRows {
			notes = append(notes, n)
		}
	}
	return all, notes
}

// Slice is a row of the table of MIG devices: memory is read nowhere else.
type Slice struct {
	GPU, Device int // index of the card, of the instance on it
	Used, Total probe.Value
}

var sliceRow = regexp.MustCompile(`^\|\s+(\d{1,4})\s+(\d{1,4})\s+(\d{1,4})\s+(\d{1,4})\s+\|\s*(\S{1,24})\s*/\s*(\S{1,24})\s`)

// ParseSlices reads the MIG devices of the plain table.
func ParseSlices(b []byte) []Slice {
	var all []Slice
	for l := range lines(b) {
		m := sliceRow.FindStringSubmatch(l)
		if m == nil || len(all) >= maxListed {
			continue
		}
		gpu, _ := strconv.Atoi(m[1])
		dev, _ := strconv.Atoi(m[4])
		s := Slice{GPU: gpu, Device: dev, Used: mebi(m[5]), Total: mebi(m[6])}
		s.Used = believable(s.Used, s.Total)
		all = append(all, s)
	}
	return all
}

// Versions is what nvidia-smi says of itself.
type Versions struct {
	SMI    string
	Driver string // of the kernel module
	CUDA   string // newest that the driver runs, "" where it says none
}

var (
	driverVersion = regexp.MustCompile(`(?i)(?:driver|kmd) version\s*:\s*([0-9][0-9.]{1,31})`)
	cudaVersion   = regexp.MustCompile(`(?i)cuda (?:umd )?version\s*:\s*([0-9]{1,3}\.[0-9]{1,3})`)
	smiVersion    = regexp.MustCompile(`(?i)nvidia-smi(?: version\s*:)?\s+v?([0-9][0-9.]{1,31})`)
)

// ParseVersions reads the output of --version, of -q or the plain table, in
// their old and new forms: since 610 "KMD Version" and "CUDA UMD Version"
// stand where "Driver Version" and "CUDA Version" are called deprecated.
func ParseVersions(b []byte) Versions {
	b = b[:min(len(b), maxOutput)]
	first := func(re *regexp.Regexp) string {
		if m := re.FindSubmatch(b); m != nil {
			return string(m[1])
		}
		return ""
	}
	return Versions{SMI: first(smiVersion), Driver: first(driverVersion), CUDA: first(cudaVersion)}
}
