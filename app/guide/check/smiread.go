package check

import (
	"strings"

	"rentgen/app/guide"
)

// card is one GPU as nvidia-smi shows it. A nil field is not known.
type card struct {
	name, bus, model  string
	total, used       *float64 // MiB
	implausible       bool
	util, fan, temp   *int // %, %, degrees Celsius
	power, cap        *float64
	display, mig      *bool
	second, memoryRow bool // its second row was seen; its memory was there to be read
}

// slice is one row of the MIG table.
type slice struct {
	total, used *float64 // MiB
	sm          *int
}

// smi is what nvidia-smi said, in whichever of its forms: table, -q, -L,
// --query-gpu, --version.
type smi struct {
	version, driver string
	cuda            string // the cell as printed, "" where there is none
	header          bool   // a version line or its like was there
	cards           []card
	slices          []slice
	noSlices        bool // MIG is on and nothing was cut
	processes       int
	processText     bool // "No running processes found"
	processSection  bool
	logs            int // lines of a software vGPU layer
}

var (
	smiVersion = guide.Regexp(`NVIDIA-SMI(?: version)?\s*:?\s+(\d[\w.]*)`)
	smiDriver  = guide.Regexp(`(?i)\b(?:driver|kmd) version\s*:\s*(\d[\w.]*)`)
	smiCUDA    = guide.Regexp(`(?i)\bCUDA(?: UMD)? version\s*:\s*(\d+\.\d+|N/A|ERR!|\[[^\]]*\]|Not Found|Unknown Error)`)
	smiList    = guide.Regexp(`^\s*GPU (\d+): (.+?) \(UUID: ?\S*`)
	smiMIGList = guide.Regexp(`^\s+MIG (\S+)\s+Device\s+\d+:`)
	smiLog     = guide.Regexp(`^\s*\[(?:HAMI-core|4pdvGPU)\b`)
	busID      = guide.Regexp(`(?i)\b([0-9a-f]{3,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f])\b`)
	firstRow   = guide.Regexp(`^\s*(\d+)\s+(\S.*?)\s+(\S+)\s*$`)
	secondRow  = guide.Regexp(`^\s*(\S+)\s+(\S+)\s+(\S+)\s+(\S.*?)\s*/\s*(\S.*?)\s*$`)
	migFirst   = guide.Regexp(`^\s*\d+\s+\S+\s+\S+\s+\d+\s*$`)
	firstWhole = guide.Regexp(`^\s*(\d+)\b`)
	processRow = guide.Regexp(`^\|\s+\d+\s+(?:\S+\s+){1,3}(?:C\+G|M\+C|C|G|M)\s+\S`)
)

// readSMI reads every form; what it does not know it leaves out.
func readSMI(lines []string, command string) smi {
	var s smi
	s.readTable(lines)
	s.readList(lines)
	s.readLong(lines)
	s.readCSV(readCSV(lines, command))
	for i := range s.cards {
		s.cards[i].check()
	}
	return s
}

// check takes out numbers that can't be.
func (c *card) check() {
	if c.total != nil && (*c.total <= 0 || *c.total > tib/mib) {
		c.implausible = c.implausible || *c.total > tib/mib
		c.total = nil
	}
	if c.used != nil && (*c.used > tib/mib || c.total != nil && *c.used > *c.total) {
		c.implausible, c.used = true, nil
	}
	if c.mig != nil && *c.mig { // what is shown then is not what can be used
		c.total, c.used = nil, nil
	}
}

// readTable reads the summary table. Lines that are no part of it, such as logs
// of a vGPU layer, may stand between its rows.
func (s *smi) readTable(lines []string) {
	section := ""
	for _, raw := range lines {
		line := strings.TrimSpace(raw)
		if smiLog.MatchString(line) {
			s.logs++
			continue
		}
		if m := smiVersion.FindStringSubmatch(line); m != nil {
			if len(s.cards) > 0 && smiDriver.MatchString(line) {
				return // the next table of a loop
			}
			s.version, s.header = m[1], true
			section = "gpu"
		}
		if m := smiDriver.FindStringSubmatch(line); m != nil && s.driver == "" {
			s.driver, s.header = m[1], true
		}
		if m := smiCUDA.FindStringSubmatch(line); m != nil && (s.cuda == "" || !startsWithDigit(s.cuda)) {
			s.cuda, s.header = m[1], true
		}
		if !strings.HasPrefix(line, "|") {
			continue
		}
		switch {
		case strings.Contains(line, "MIG devices:"):
			section = "mig"
		case strings.Contains(line, "Processes:"):
			section, s.processSection = "processes", true
		case strings.Contains(line, "No MIG devices found"):
			s.noSlices = true
		case section == "processes":
			s.processLine(line)
		default:
			s.tableRow(strings.Split(strings.Trim(line, "|"), "|"), section == "mig")
		}
	}
}

func (s *smi) processLine(line string) {
	if strings.Contains(line, "No running") && strings.Contains(line, "processes found") {
		s.processText = true
	} else if processRow.MatchString(line) {
		s.processes++
	}
}

func (s *smi) tableRow(cells []string, inMIG bool) {
	if len(cells) < 2 {
		return
	}
	if inMIG || migFirst.MatchString(cells[0]) && len(cells) >= 4 {
		s.sliceRow(cells)
		return
	}
	bus := busID.FindString(cells[1])
	if bus != "" || len(cells) == 3 && strings.HasPrefix(strings.TrimSpace(cells[1]), "N/A") && firstRow.MatchString(cells[0]) {
		if m := firstRow.FindStringSubmatch(cells[0]); m != nil {
			c := card{name: strings.TrimSpace(m[2]), bus: strings.ToLower(bus)}
			switch m[3] {
			case "WDDM", "TCC", "MCDM":
				c.model = m[3]
			}
			c.display = onOff(strings.TrimSpace(cells[1][strings.Index(cells[1], bus)+len(bus):]))
			s.cards = append(s.cards, c)
		}
		return
	}
	if len(s.cards) == 0 || len(cells) < 3 {
		return
	}
	c := &s.cards[len(s.cards)-1]
	if !c.second {
		if m := secondRow.FindStringSubmatch(cells[0]); m != nil {
			c.second = true
			c.fan, c.temp = wholeOf(m[1], "%"), wholeOf(m[2], "C")
			c.power, c.cap = watts(m[4]), watts(m[5])
			c.used, c.total = pair(cells[1])
			c.memoryRow = true
			c.util = wholeOf(cells[2], "%")
		}
		return
	}
	if c.mig == nil && strings.TrimSpace(cells[0]) == "" {
		switch strings.TrimRight(strings.TrimSpace(cells[2]), "*") {
		case "Enabled":
			c.mig = ref(true)
		case "Disabled", "N/A":
			c.mig = ref(false)
		}
	}
}

// sliceRow reads the first row of a MIG device; its second row has no numbers in
// the first cell.
func (s *smi) sliceRow(cells []string) {
	if !migFirst.MatchString(cells[0]) || len(cells) < 3 {
		return
	}
	var d slice
	d.used, d.total = pair(cells[1])
	if m := firstWhole.FindStringSubmatch(cells[2]); m != nil {
		if v, ok := whole(m[1]); ok {
			d.sm = &v
		}
	}
	s.slices = append(s.slices, d)
}

// readList reads `nvidia-smi -L`, which shows neither driver nor memory.
func (s *smi) readList(lines []string) {
	if len(s.cards) > 0 {
		return
	}
	for _, line := range lines {
		if m := smiList.FindStringSubmatch(line); m != nil {
			s.cards = append(s.cards, card{name: m[2]})
		} else if smiMIGList.MatchString(line) && len(s.cards) > 0 {
			s.cards[len(s.cards)-1].mig = ref(true)
			s.slices = append(s.slices, slice{})
		}
	}
}

// readLong reads `nvidia-smi -q`.
func (s *smi) readLong(lines []string) {
	if len(s.cards) > 0 {
		return
	}
	block := ""
	for _, raw := range lines {
		line := strings.TrimSpace(raw)
		if strings.HasPrefix(line, "GPU ") && busID.MatchString(line) && !strings.Contains(line, " : ") {
			s.cards = append(s.cards, card{bus: strings.ToLower(busID.FindString(line))})
			block = ""
			continue
		}
		if len(s.cards) == 0 {
			continue
		}
		c := &s.cards[len(s.cards)-1]
		key, value, ok := strings.Cut(line, " : ")
		if !ok {
			block = line
			continue
		}
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case key == "Product Name":
			c.name = value
		case key == "Display Active":
			c.display = onOff(value)
		case block == "Driver Model" && key == "Current":
			c.model = value
		case block == "MIG Mode" && key == "Current":
			c.mig = ref(value == "Enabled")
		case block == "FB Memory Usage" && key == "Total":
			c.total, c.memoryRow = mibRef(value), true
		case block == "FB Memory Usage" && key == "Used":
			c.used = mibRef(value)
		case block == "Utilization" && key == "Gpu", block == "Utilization" && key == "GPU":
			c.util = wholeOf(value, "%")
		case key == "Fan Speed":
			c.fan = wholeOf(value, "%")
		case key == "GPU Current Temp":
			c.temp = wholeOf(value, "C")
		case c.power == nil && (key == "Power Draw" || key == "Average Power Draw" || key == "Instantaneous Power Draw"):
			c.power = watts(value)
		case c.cap == nil && (key == "Power Limit" || key == "Current Power Limit"):
			c.cap = watts(value)
		}
	}
}

// readCSV takes the rows of --query-gpu; beside a table they bring whole names.
func (s *smi) readCSV(t csvTable) {
	if len(t.rows) == 0 || !t.has("name") && !t.has("memory.total") {
		return
	}
	fresh := len(s.cards) == 0
	if !fresh && len(s.cards) != len(t.rows) {
		return
	}
	for i, r := range t.rows {
		if fresh {
			s.cards = append(s.cards, card{})
		}
		c := &s.cards[i]
		if v := t.cell(r, "name"); v != "" && !absent(v) {
			c.name = v
		}
		if v := t.cell(r, "driver_version"); v != "" && s.driver == "" && startsWithDigit(v) {
			s.driver, s.header = v, true
		}
		if !fresh {
			continue
		}
		c.total, c.used, c.memoryRow = mibRef(t.cell(r, "memory.total")), mibRef(t.cell(r, "memory.used")), true
		c.util, c.fan, c.temp = wholeOf(t.cell(r, "utilization.gpu"), "%"), wholeOf(t.cell(r, "fan.speed"), "%"), wholeOf(t.cell(r, "temperature.gpu"), "C")
		c.power, c.cap = watts(t.cell(r, "power.draw")), watts(t.cell(r, "power.limit"))
		c.display = onOff(t.cell(r, "display_active"))
		c.bus = strings.ToLower(busID.FindString(t.cell(r, "pci.bus_id")))
		switch t.cell(r, "mig.mode.current") {
		case "Enabled":
			c.mig = ref(true)
		case "Disabled", "[N/A]", "N/A":
			c.mig = ref(false)
		}
	}
}

func ref[T any](v T) *T { return &v }

func startsWithDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

func onOff(s string) *bool {
	switch s {
	case "On", "Enabled":
		return ref(true)
	case "Off", "Disabled":
		return ref(false)
	}
	return nil
}

// wholeOf reads "67C", "100%", "48 %" or a bare number.
func wholeOf(s, unit string) *int {
	v, u, ok := ahead(firstField(s, unit))
	if !ok || v < -1000 || v > 1e6 || u != "" && u != unit {
		return nil
	}
	return ref(int(v))
}

// firstField is the first word of a cell, with a unit that stands apart.
func firstField(s, unit string) string {
	f := strings.Fields(s)
	switch {
	case len(f) == 0:
		return ""
	case len(f) > 1 && f[1] == unit:
		return f[0] + unit
	}
	return f[0]
}

func watts(s string) *float64 {
	v, u, ok := ahead(s)
	if !ok || u != "" && u != "W" || v < 0 || v > 1e5 {
		return nil
	}
	return &v
}

func mibRef(s string) *float64 {
	v, ok := mibOf(s)
	if !ok {
		return nil
	}
	return &v
}

// pair reads "0MiB / 32510MiB". Tools of 2013 and before wrote MB for the same.
func pair(s string) (used, total *float64) {
	a, b, ok := strings.Cut(s, "/")
	if !ok {
		return nil, nil
	}
	cell := func(s string) *float64 {
		if s = strings.Replace(s, "MB", "MiB", 1); !strings.Contains(s, "iB") { // N/A / N/A
			return nil
		}
		return mibRef(s)
	}
	return cell(a), cell(b)
}
