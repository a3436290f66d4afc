package check

import (
	"strings"

	"rentgen/app/guide"
)

func init() { judges[guide.GPULspci] = judgeLspci }

var (
	pciLine   = guide.Regexp(`(?i)^\s*((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) (?:"?)(.+)$`)
	pciClass  = guide.Regexp(`^(.*?) ?\[([0-9a-f]{4})\]: ?(.*)$`)
	pciRaw    = guide.Regexp(`^(?:Class )?([0-9a-f]{4}): ([0-9a-f]{4}):([0-9a-f]{4})`)
	pciID     = guide.Regexp(`\[10de:([0-9a-f]{4})\]`)
	pciDevice = guide.Regexp(`\bDevice ([0-9a-f]{4})\b`)
	pciNoName = guide.Regexp(`Corporation Device (?:[0-9a-f]{4}\b|\[10de:)`)
	smiCount  = guide.Regexp(`^\s*GPU \d+: `)
)

// pciNames are the classes of graphics processors by the names of pci.ids.
var pciNames = map[string]string{"vga compatible controller": "0300", "3d controller": "0302", "display controller": "0380"}

// pciFunction is one function of an NVIDIA card on the bus.
type pciFunction struct {
	bus, class, device string
	unnamed            bool
}

func (f pciFunction) gpu() bool { return f.class == "0300" || f.class == "0302" || f.class == "0380" }

// readLspci returns the functions of NVIDIA, and whether the text is a listing
// of the bus at all.
func readLspci(lines []string) (found []pciFunction, listing bool) {
	for _, s := range lines {
		m := pciLine.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		rest := m[2]
		f := pciFunction{bus: strings.ToLower(m[1])}
		if raw := pciRaw.FindStringSubmatch(strings.ToLower(rest)); raw != nil { // lspci -n
			listing = true
			if raw[2] != "10de" {
				continue
			}
			f.class, f.device, f.unnamed = raw[1], raw[3], true
			found = append(found, f)
			continue
		}
		name := ""
		if c := pciClass.FindStringSubmatch(rest); c != nil {
			f.class, rest = c[2], c[3]
			listing = true
		} else if class, r, ok := strings.Cut(rest, ": "); ok {
			name, rest = class, r
			f.class = pciNames[strings.ToLower(strings.TrimSpace(name))]
			listing = true
		} else {
			continue
		}
		low := strings.ToLower(rest)
		if !strings.Contains(low, "nvidia") && !strings.Contains(low, "[10de:") {
			continue
		}
		if id := pciID.FindStringSubmatch(low); id != nil {
			f.device = id[1]
		} else if id := pciDevice.FindStringSubmatch(rest); id != nil {
			f.device = id[1]
		}
		f.unnamed = pciNoName.MatchString(rest)
		found = append(found, f)
	}
	return found, listing
}

// judgeLspci compares the cards on the bus with those that the driver shows. A
// container does not see the bus, or sees that of the whole host.
func judgeLspci(l *look) {
	functions, listing := readLspci(l.lines)
	var gpus []pciFunction
	for _, f := range functions {
		if f.gpu() {
			gpus = append(gpus, f)
		}
	}
	seen := len(functions) > 0
	l.lspciFacts(gpus, len(functions)-len(gpus), seen || l.in.Track != guide.Shared)
	for _, s := range l.lines {
		if pciLine.MatchString(s) && strings.Contains(strings.ToLower(s), "nvidia") || smiCount.MatchString(s) {
			l.use(s)
		}
	}
	if l.in.Track == guide.Shared || l.wsl() {
		if !seen {
			l.set("gpu_count", nil)
		}
		if l.missing("lspci") {
			l.set("error", "command_not_found")
		}
		l.skipped = true
		l.find(guide.Skip, "container")
		return
	}
	f, faulty := l.faultOf()
	switch {
	case faulty && len(gpus) > 0:
		l.faultFacts(fault{err: "gpu_inaccessible"})
		l.find(guide.Fail, "handle", "n", len(gpus)).Provider = true
	case faulty && f.code != "no-devices":
		l.find(guide.Fail, "driver").Provider = true
	}
	if l.missing("lspci") || l.in.Exit == 127 && len(l.lines) == 0 {
		l.set("error", "command_not_found")
		l.set("gpu_count", nil)
		l.find(guide.Warn, "missing")
		return
	}
	if l.says("cannot find any working access method", "cannot open /proc/bus/pci", "cannot open /sys/bus/pci") || !l.busSeen(listing) {
		l.set("gpu_count", nil)
		return // could not be read
	}
	have, known := l.smiCards()
	switch {
	case len(gpus) == 0:
		l.find(guide.Fail, "none").Provider = true
	case !known && !faulty:
		l.find(guide.Warn, "no-count", "n", len(gpus))
	case known && have != len(gpus):
		l.find(guide.Fail, "mismatch", "bus", len(gpus), "smi", have).Provider = true
	case !faulty:
		l.find(guide.Pass, "ok", "n", len(gpus))
	}
}

func (l *look) lspciFacts(gpus []pciFunction, others int, seen bool) {
	if !seen {
		return
	}
	l.set("gpu_count", len(gpus))
	l.set("other_functions", others)
	var buses, ids, classes []string
	named := true
	for _, f := range gpus {
		buses, classes = append(buses, f.bus), append(classes, f.class)
		if f.device != "" {
			ids = append(ids, f.device)
		}
		named = named && !f.unnamed
	}
	if len(gpus) == 0 {
		return
	}
	l.set("bus_ids", buses)
	l.set("classes", classes)
	l.set("name_known", named)
	if len(ids) == len(gpus) {
		l.set("device_ids", ids)
	}
}

// busSeen reports whether what is there may be taken for the whole bus: a
// listing, or the nothing that a search in one leaves.
func (l *look) busSeen(listing bool) bool {
	if listing {
		return true
	}
	if strings.TrimSpace(l.out) != "" {
		_, known := l.smiCards()
		return known && l.piped()
	}
	search := strings.Contains(l.command, "grep")
	return l.in.Exit <= 1 && (search || l.in.Exit == 0 || l.command == "")
}

// smiCards is how many cards the driver shows, from the same output or from
// gpu.smi.
func (l *look) smiCards() (int, bool) {
	n := 0
	for _, s := range l.lines {
		if smiCount.MatchString(s) {
			n++
		}
	}
	if n == 0 {
		n = len(readSMI(l.lines, "").cards)
	}
	if n == 0 && l.says("no devices were found") {
		l.set("smi_gpu_count", 0)
		l.set("count_mismatch", l.facts["gpu_count"] != 0)
		return 0, true
	}
	known := n > 0
	if known {
		l.set("smi_gpu_count", n)
	} else if l.ctx.SMIGPUCount != nil {
		n, known = *l.ctx.SMIGPUCount, true
	}
	if bus, ok := l.facts["gpu_count"].(int); ok && known {
		l.set("count_mismatch", bus != n)
	}
	return n, known
}

// wsl reports whether the bus is that of Windows' Linux, which shows a device of
// Microsoft's in place of the card.
func (l *look) wsl() bool {
	return l.says("microsoft corporation device 008e", "microsoft corporation basic render driver", "[1414:008e]", "microsoft-standard-wsl")
}
