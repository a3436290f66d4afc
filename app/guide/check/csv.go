package check

import (
	"slices"
	"strings"

	"rentgen/app/guide"
)

// csvTable is what nvidia-smi --query-gpu printed.
type csvTable struct {
	fields  []string // as asked, without units; "" for one that isn't known
	rows    [][]string
	partial bool // a cut last row was dropped
	header  bool
	other   []string // lines that are no rows
}

var (
	queryFields = guide.Regexp(`--query-gpu[= ]['"]?([\w.,]+)`)
	fieldName   = guide.Regexp(`^([a-z][a-z0-9_.]*)(?: \[[^\]]*\])?$`)
	stamp       = guide.Regexp(`^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{3}$`)
	mibCell     = guide.Regexp(`^\d+ MiB$`)
	percentCell = guide.Regexp(`^\d+ %$`)
)

// aliases are other names of fields.
var aliases = map[string]string{
	"gpu_name": "name", "gpu_bus_id": "pci.bus_id", "gpu_uuid": "uuid", "enforced.power.limit": "power.limit", "power.draw.instant": "power.draw", "power.draw.average": "power.draw",
	"fb_memory_usage.used": "memory.used", "fb_memory_usage.total": "memory.total",
}

// bare are fields whose name has no point: a line of such words alone is a
// header.
var bare = []string{"timestamp", "name", "index", "uuid", "driver_version", "count", "pstate", "serial", "display_active", "display_mode", "persistence_mode", "compute_cap", "compute_mode"}

// readCSV reads the rows below a header, or those of a command that left the
// header out. Lines of other kinds may stand between them.
func readCSV(lines []string, command string) csvTable {
	var t csvTable
	if m := queryFields.FindStringSubmatch(command); m != nil {
		t.fields = canonical(strings.Split(strings.Trim(m[1], ","), ","))
	}
	last := -1
	for i, line := range lines {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(strings.TrimSpace(line), "^C") {
			last = i
		}
	}
	for i, line := range lines {
		line = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "^C"))
		if line == "" || smiLog.MatchString(line) {
			continue
		}
		cells := strings.Split(line, ",")
		for j := range cells {
			cells[j] = strings.TrimSpace(cells[j])
		}
		if f := headerOf(cells); f != nil {
			t.header = true
			t.fields = f
			continue
		}
		if t.fields == nil && len(t.rows) == 0 {
			t.fields = guessed(cells)
		}
		switch {
		case t.fields == nil || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "+"):
			t.other = append(t.other, line)
		case len(cells) == len(t.fields) && !t.cutCell(cells) && t.plausible(cells):
			t.rows = append(t.rows, cells)
		case i == last && len(t.rows) > 0 && len(cells) <= len(t.fields):
			t.partial = true
		default:
			t.other = append(t.other, line)
		}
	}
	return t
}

// canonical are the fields by the names that are looked up here.
func canonical(fields []string) []string {
	out := slices.Clone(fields)
	for i, f := range out {
		if a, ok := aliases[f]; ok {
			out[i] = a
		}
	}
	return out
}

// headerOf returns the fields of a header line, nil for another one.
func headerOf(cells []string) []string {
	var fields []string
	known := false
	for _, c := range cells {
		m := fieldName.FindStringSubmatch(c)
		if m == nil {
			return nil
		}
		known = known || strings.Contains(m[1], ".") || slices.Contains(bare, m[1])
		fields = append(fields, m[1])
	}
	if !known || len(fields) == 1 && !strings.Contains(cells[0], "[") && !slices.Contains(bare, cells[0]) {
		return nil
	}
	return canonical(fields)
}

// guessed are the fields of a row without any header: time, load and VRAM in
// use, told by their units.
func guessed(cells []string) []string {
	if len(cells) == 3 && stamp.MatchString(cells[0]) && percentCell.MatchString(cells[1]) && mibCell.MatchString(cells[2]) {
		return []string{"timestamp", "utilization.gpu", "memory.used"}
	}
	return nil
}

// cutCell reports whether the last cell lacks the unit that it has in other
// rows, or a time its end.
func (t csvTable) cutCell(cells []string) bool {
	if len(t.rows) == 0 {
		return false
	}
	first := t.rows[0]
	unit := func(s string) string {
		_, u, _ := strings.Cut(s, " ")
		return u
	}
	end := len(cells) - 1
	if stamp.MatchString(first[end]) {
		return !stamp.MatchString(cells[end])
	}
	if u := unit(first[end]); u != "" && startsWithDigit(first[end]) && startsWithDigit(cells[end]) && unit(cells[end]) != u {
		return true
	}
	return strings.HasPrefix(cells[end], "[") && !strings.HasSuffix(cells[end], "]")
}

// plausible reports whether a row can be one: a sentence with as many commas is
// none.
func (t csvTable) plausible(cells []string) bool {
	for i, f := range t.fields {
		c := cells[i]
		switch f {
		case "timestamp":
			if !startsWithDigit(c) && !absent(c) {
				return false
			}
		case "utilization.gpu", "memory.used", "memory.total":
			if !startsWithDigit(c) && !absent(c) {
				return false
			}
		case "name":
			if c == "" || len(c) > 100 || len(t.fields) == 1 && strings.HasPrefix(c, "GPU ") {
				return false
			}
		}
	}
	return true
}

func (t csvTable) has(field string) bool { return slices.Contains(t.fields, field) }

// cell returns a field of a row, "" where it was not asked for.
func (t csvTable) cell(row []string, field string) string {
	if i := slices.Index(t.fields, field); i >= 0 && i < len(row) {
		return row[i]
	}
	return ""
}

// absent reports whether a cell says in brackets, or as N/A, that there is no
// value.
func absent(s string) bool {
	return strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") || s == "N/A" || s == "ERR!" || s == "Not Supported" || s == "Unknown Error" || s == "-"
}

// denied reports whether a cell says that the value may not be read.
func denied(s string) bool { return strings.Contains(s, "Insufficient Permissions") }
